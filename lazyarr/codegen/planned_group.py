"""A group of a plan, with all that its kernels are written from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Node
from lazyarr.schedule.groups import Group
from lazyarr.schedule.memory import Plan

__all__ = ["PlannedGroup"]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedGroup:
    """A group and what its kernels depend on besides its values.

    Attributes
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    comments : sequence of str
        Lines for the reader above each kernel.
    """

    group: Group
    plan: Plan
    layouts: dict[Node, Any]
    comments: Sequence[str] = ()
