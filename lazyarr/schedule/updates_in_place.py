"""Writes to parts of arrays, in the memory of the array before the write.

The value of an array after a write to a part is a concatenation: what is before the part, the part,
and what is behind it. What is around the part would be copied from the array before. Where nothing
reads that array any more once the part is written, both are one memory, and there is nothing to
copy: a loop of writes to rows or columns runs in the memory of one array. PyTorch's compiler does
so with operations (``torch/_inductor/fx_passes/reinplace.py``); here it is done with groups, whose
order is known.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import Shape, contiguous_strides
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import (
    READS_FIRST,
    Fusion,
    Group,
    Layout,
    Output,
    copied_in_place,
    layout_of,
)
from lazyarr.schedule.index_terms import is_of_last_pass, sink_view
from lazyarr.schedule.memory import access
from lazyarr.schedule.regions import Ranges, Region, ranges_of

__all__ = ["update_in_place"]


class _Write(NamedTuple):
    """An output of a group, by the group's number."""

    group: int
    output: Output


class _Reader(NamedTuple):
    """A group that reads an array, by its number, and the array."""

    group: int
    array: Node


class _Read(NamedTuple):
    """Elements that a group reads.

    Attributes
    ----------
    region : Region
        The elements.
    is_exact : bool
        Whether each iteration reads the one at its place, not any of them.
    ranges : Ranges, optional
        Their indices; None: not known.
    row : int
        Of the table of bounds of indices; -1: they are not in it.
    """

    region: Region
    is_exact: bool
    ranges: Ranges | None
    row: int


class _Bounds:
    """A table of the least and the greatest indices of regions, to compare many at once.

    Parameters
    ----------
    ndim : int
        Axes of the regions' array.
    """

    def __init__(self, ndim: int) -> None:
        self._rows = np.empty((tuning.row().regions_together, 2, ndim), np.int64)
        self._count = 0

    def add(self, ranges: Ranges | None) -> int:
        """Return the row of a region; -1 where its indices are not known, or depend on symbols."""
        if ranges is None or any(type(index) is not int for index in ranges.lows + ranges.highs):
            return -1
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, self._rows])
        self._rows[self._count] = ranges.lows, ranges.highs
        self._count += 1
        return self._count - 1

    def meet(self, rows: Sequence[int], ranges: Ranges) -> list[int]:
        """Return the places of the rows whose bounds overlap those of a region.

        Parameters
        ----------
        rows : sequence of int
            Rows of the table.
        ranges : Ranges
            The indices of the region.
        """
        bounds = self._rows[np.fromiter(rows, np.int64, len(rows))]
        apart = (bounds[:, 1] < ranges.lows) | (bounds[:, 0] > ranges.highs)
        places: list[int] = np.flatnonzero(~apart.any(axis=1)).tolist()
        return places


def update_in_place(fusion: Fusion) -> Fusion:
    """Return a fusion whose writes to parts happen in the memory of the array before.

    Parameters
    ----------
    fusion : Fusion
        The groups, in the order in which they run.
    """
    arrays = dict.fromkeys(out.layout.owner for group in fusion.groups for out in group.outputs)
    memories = _Memories(fusion, arrays)
    for array in arrays:
        if array.op.kind is Kind.CONCATENATE:
            memories.update(array)
    return memories.fusion()


class _Memories:
    """The writers and readers of each memory, while memories become one.

    Parameters
    ----------
    fusion : Fusion
        The groups.
    arrays : iterable of Node
        The owners of the memory that they write, in order.
    """

    def __init__(self, fusion: Fusion, arrays: Iterable[Node]) -> None:
        self._fusion = fusion
        layouts, arrays = fusion.layouts, tuple(arrays)
        results = [layout_of(root, layouts) for root in fusion.roots]
        self._results = {layout.owner for layout in results if layout is not None}
        self._writes: dict[Node, list[_Write]] = {array: [] for array in arrays}
        self._readers: dict[Node, list[_Reader]] = {array: [] for array in arrays}
        for number, group in enumerate(fusion.groups):
            for output in group.outputs:
                self._writes[output.layout.owner].append(_Write(number, output))
            places = [layout_of(node, layouts) for node in group.inputs]
            for owner in dict.fromkeys(place.owner for place in places if place is not None):
                if owner in self._readers:
                    self._readers[owner].append(_Reader(number, owner))
        self._reads: dict[tuple[_Reader, Shape], list[_Read]] = {}
        self._bounds: dict[int, _Bounds] = {}  # by the axes of arrays
        #: The memory in which that of another array is now, and the copies that are left out.
        self._same: dict[Node, Node] = {}
        self._left_out: set[int] = set()

    def fusion(self) -> Fusion:
        """Return the groups that are left, in the memories that are left."""
        if not self._same:
            return self._fusion
        layouts = {node: self._moved(place) for node, place in self._fusion.layouts.items()}
        groups = []
        for number, group in enumerate(self._fusion.groups):
            if number in self._left_out:
                continue
            if any(output.layout.owner in self._same for output in group.outputs):
                outputs = tuple([Output(o.node, self._moved(o.layout)) for o in group.outputs])
                group = replace(group, outputs=outputs)
            groups.append(group)
        rewritten = frozenset(self._same.values())
        return replace(self._fusion, groups=tuple(groups), layouts=layouts, rewritten=rewritten)

    def _moved(self, place: Layout) -> Layout:
        owner = self._memory(place.owner)
        return place if owner is place.owner else Layout(owner, place.offset, place.strides)

    def _memory(self, array: Node) -> Node:
        """Return the owner of the memory in which an array is now."""
        last = array
        while last in self._same:
            last = self._same[last]
        while array is not last:  # so that a chain of writes is followed once
            self._same[array], array = last, self._same[array]
        return last

    def update(self, array: Node) -> None:
        """Let an array lie in the memory of the one before a write, if it may.

        Parameters
        ----------
        array : Node
            A concatenation that owns memory.
        """
        before, copies = self._copied(array)
        if before is None or not self._may_be_one(before, array):
            return
        groups = self._fusion.groups
        writes = [write for write in self._writes[array] if write.group not in copies]
        earlier, readers = self._writes[before], self._readers[before]
        first = min((write.group for write in writes), default=len(groups))
        # What a copy took before another array was written there is not what lies there now.
        if earlier[-1].group >= min(first, *copies):
            return
        late = bisect_left(readers, first, key=lambda reader: reader.group)
        behind = [reader for reader in readers[late:] if reader.group not in copies]
        # What runs beside other groups is not done when the next one begins.
        users = {write.group for write in (*earlier, *writes)} | {one.group for one in behind}
        if any(groups[user].beside for user in users) or not self._are_apart(behind, writes):
            return
        self._same[array] = before
        self._left_out |= copies
        self._writes[before] = [*earlier, *writes]
        readers[late:] = sorted([*behind, *self._readers[array]], key=lambda reader: reader.group)
        if array in self._results:
            self._results.add(before)

    def _copied(self, array: Node) -> tuple[Node | None, set[int]]:
        """Return the memory from which parts are copied to their own places, and the copies."""
        copies: dict[Node, set[int]] = {}
        for number in {write.group for write in self._writes[array]}:
            group = self._fusion.groups[number]
            if group.members or group.kind != "kernel":
                continue
            if any(output.layout.owner is not array for output in group.outputs):
                continue
            owners = {copied_in_place(output, self._fusion.layouts) for output in group.outputs}
            source, *others = {owner and self._memory(owner) for owner in owners}
            if source is not None and not others:
                copies.setdefault(source, set()).add(number)
        if not copies:
            return None, set()
        before = max(copies, key=lambda source: len(copies[source]))
        return before, copies[before]

    def _may_be_one(self, before: Node, array: Node) -> bool:
        """Whether two arrays may lie in one memory, which nobody has but this plan."""
        if before is array or before in self._results or before not in self._writes:
            return False
        if (before.dtype, before.size) != (array.dtype, array.size):
            return False
        # The shapes may differ: one of them may be stored as blocks of what is chosen.
        for one in (before, array):
            whole = self._fusion.layouts[one]
            if whole.owner is not one or whole.strides != contiguous_strides(one.shape):
                return False
        if before.op.kind is Kind.PARAMETER:
            return False
        # An array of a library's own may be a part of another one, or read-only.
        return before.op.kind is not Kind.LIBRARY or before.op.supports_out

    def _are_apart(self, readers: Sequence[_Reader], writes: Sequence[_Write]) -> bool:
        """Whether groups read no element of a memory after it is written.

        Parameters
        ----------
        readers : sequence of _Reader
            Groups that read the memory, in order, from the first write on.
        writes : sequence of _Write
            What is written to it.
        """
        if not readers:
            return True
        groups, shape = self._fusion.groups, writes[0].output.layout.owner.shape
        reads = [(one.group, read) for one in readers for read in self._reads_of(one, shape)]
        bounds = self._bounds[len(shape)]
        for number, output in writes:
            group, place = groups[number], output.layout
            if group.trace is None:
                target = Region(place.offset, place.strides, output.node.shape)
            else:
                view = sink_view(output.node, group.domain, group.reduced)
                target = Region(*access(place, view, len(group.domain)), group.domain)
            ranges = ranges_of(shape, target)
            if ranges is None:
                return False
            for reader, read in _not_apart(reads, ranges, bounds):
                if reader < number:
                    continue
                same = reader == number and read.is_exact and read.region == target
                if not same or not _reads_first(group, output):
                    return False
        return True

    def _reads_of(self, reader: _Reader, shape: Shape) -> list[_Read]:
        """Return the elements of an array that a group reads.

        Parameters
        ----------
        reader : _Reader
            The group and the array.
        shape : tuple of int
            Of the array, or one of as many elements by which their indices count.
        """
        known = self._reads.get((reader, shape))
        if known is None:
            known = self._reads[reader, shape] = []
            group, array = self._fusion.groups[reader.group], reader.array
            bounds = self._bounds.setdefault(len(shape), _Bounds(len(shape)))
            for region, is_exact in _regions(group, array, self._fusion):
                ranges = ranges_of(shape, region)
                known.append(_Read(region, is_exact, ranges, bounds.add(ranges)))
        return known


def _reads_first(group: Group, output: Output) -> bool:
    """Return whether a kernel reads what belongs to an element of an output before it writes it.

    Parameters
    ----------
    group : Group
        What the kernel computes.
    output : Output
        One of its outputs.
    """
    traced = group.trace
    if traced is None or group.template not in READS_FIRST:
        return False
    sink = traced.sinks[len(group.members) + group.outputs.index(output)][0]
    return is_of_last_pass(traced, sink)


def _regions(group: Group, array: Node, fusion: Fusion) -> list[tuple[Region, bool]]:
    """Return the regions of an array that a group reads, and whether each iteration reads one."""
    if group.trace is None:
        places = [(node, layout_of(node, fusion.layouts)) for node in group.inputs]
        return [
            (Region(place.offset, place.strides, node.shape), False)
            for node, place in places
            if place is not None and place.owner is array
        ]
    regions = []
    gathered = {term.base for term in group.trace.terms}
    for k, term in enumerate(group.trace.terms):
        place = layout_of(term.node, fusion.layouts) if term.loaded else None
        if place is None or place.owner is not array:
            continue
        if k in gathered:  # any of its elements
            regions.append((Region(place.offset, place.strides, term.node.shape), False))
        else:
            at = access(place, term.view, len(group.domain))
            regions.append((Region(*at, group.domain), True))
    return regions


def _not_apart(
    reads: Sequence[tuple[int, _Read]], ranges: Ranges, bounds: _Bounds
) -> list[tuple[int, _Read]]:
    """Return the reads that may have elements in common with a region.

    Parameters
    ----------
    reads : sequence of pairs
        Groups, and what they read.
    ranges : Ranges
        The indices of the region.
    bounds : _Bounds
        Those of the reads' regions.
    """
    numbers = all(type(index) is int for index in ranges.lows + ranges.highs)
    if numbers and len(reads) >= tuning.row().regions_together:
        plain = [one for one in reads if one[1].row >= 0]
        other = [one for one in reads if one[1].row < 0]
        met = bounds.meet([read.row for _, read in plain], ranges)
        reads = [*other, *[plain[place] for place in met]]
    return [one for one in reads if one[1].ranges is None or not one[1].ranges.is_apart(ranges)]
