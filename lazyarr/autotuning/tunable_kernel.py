"""A kernel that may be cut in other ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lazyarr.codegen.launch import Lowered
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.source import Source

if TYPE_CHECKING:
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.tiling import Tiling

__all__ = ["TunableKernel"]


@dataclass(frozen=True, eq=False, slots=True)
class TunableKernel:
    """A kernel of a plan, and its possible tilings.

    Attributes
    ----------
    step : int
        Its place in the plan.
    key : str
        Of its record.
    candidates : callable
        Returns the ways to cut it, today's first.
    build : callable
        Returns it, and its sources, cut in some way.
    """

    step: int
    key: str
    candidates: Callable[[], Sequence[Candidate]]
    build: Callable[[Tiling], tuple[Lowered, tuple[Source, ...]]]
