"""A way to cut a kernel, with the time that the cost model of the target predicts for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["Candidate"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tiling that gives the same bits as the others of its kernel.

    Attributes
    ----------
    name : str
        What is changed of the target's own choice, whatever the sizes: a record of tuning on disk
        names it so. That choice itself is "".
    tiling : Tiling
        How the kernel is cut.
    seconds : float
        Predicted time of one run of it.
    """

    name: str
    tiling: Tiling
    seconds: float
