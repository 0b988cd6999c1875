"""The loop template of a group, from its shape and the limits of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape

__all__ = ["TemplateLimits", "template_of"]


@dataclass(frozen=True, slots=True)
class TemplateLimits:
    """Limits of the row length that one work item reduces.

    Attributes
    ----------
    max_row : int
        Longest row that a kernel works through several times; it must stay in the L2 cache.
    serial_elements : int
        Elements under which one work item does all of the work anyway.
    """

    max_row: int
    serial_elements: int


def template_of(domain: Shape, reduced: Sequence[int], limits: TemplateLimits) -> str:
    """Return the loop template for a domain of which some axes are reduced.

    Parameters
    ----------
    domain : tuple of int
        Sizes of the iteration space.
    reduced : sequence of int
        Its axes that are reduced.
    limits : TemplateLimits
        Of the machine.

    Returns
    -------
    {"map", "rows", "split", "columns"}
        As in :class:`lazyarr.schedule.groups.Group`.
    """
    axes = [axis for axis, size in enumerate(domain) if size != 1]
    dropped = set(reduced)
    kept = [axis for axis in axes if axis not in dropped]
    gone = [axis for axis in axes if axis in dropped]
    if not reduced:
        return "map"
    if kept and gone and kept[-1] > gone[-1]:
        return "columns"
    inner = prod(domain[axis] for axis in gone)
    outer = prod(domain[axis] for axis in kept)
    if inner <= limits.max_row and (outer >= 4 or inner * outer <= limits.serial_elements):
        return "rows"
    return "split"
