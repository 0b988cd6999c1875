"""Detection of transposed operands of an elementwise kernel.

They are read in tiles: along their own rows into a small array, and from there along the rows of
the results. Both sides of memory are then walked line by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.core.frozen import dataclass

__all__ = ["Transposes", "find_map_transposes", "find_transposes"]


@dataclass(frozen=True, eq=False, slots=True)
class Transposes:
    """The axes by which a transposing kernel's domain is tiled.

    Attributes
    ----------
    across : LoopAxis
        The loop along which the transposed operands are contiguous.
    along : LoopAxis
        The loop along which the results are: the last one.
    outer : Frame
        The other loops.
    terms : tuple of int
        The loaded terms that are transposed.
    """

    across: LoopAxis
    along: LoopAxis
    outer: Frame
    terms: tuple[int, ...]

    @property
    def plane(self) -> Frame:
        """The two loops of a tile, as the transposed operands lie."""
        return Frame((self.along, self.across))


def find_map_transposes(group: GroupTerms) -> Transposes | None:
    """Return the tiles of an elementwise group's loops; None if no operand is worth them."""
    frame = group.frame(range(len(group.domain)))
    return find_transposes(group, frame, group.needed([k for k, _ in group.stores]))


def find_transposes(group: GroupTerms, frame: Frame, terms: Sequence[int]) -> Transposes | None:
    """Return the tiles of a kernel's loops; None if no operand is worth them.

    Parameters
    ----------
    group : GroupTerms
        The terms, and where they are loaded and stored.
    frame : Frame
        All loops of the kernel, outermost first.
    terms : sequence of int
        The terms that may be transposed.
    """
    if len(frame.axes) < 2 or frame.axes[-1].size < shared_tuning.row().transposed_loop:
        return None
    along = frame.axes[-1]
    if not any(along.stride(place.strides) == place.unit for _, place in group.stores):
        return None
    contiguous_loops: dict[int, int] = {}
    for k in terms:
        place = group.accesses.get(k)
        if place is None or abs(along.stride(place.strides)) in (0, place.unit):
            continue
        for number, axis in enumerate(frame.axes[:-1]):
            if (
                abs(axis.stride(place.strides)) == place.unit
                and axis.size >= shared_tuning.row().transposed_loop
            ):
                contiguous_loops[k] = number
    if not contiguous_loops:
        return None
    across, _ = Counter(contiguous_loops.values()).most_common(1)[0]
    outer = [axis for number, axis in enumerate(frame.axes[:-1]) if number != across]
    chosen = tuple(k for k, number in contiguous_loops.items() if number == across)
    return Transposes(frame.axes[across], along, Frame(tuple(outer)), chosen)
