"""Writes to parts of arrays, in the memory of the array before the write.

The value of an array after a write to a part is a concatenation: what is before the part, the part,
and what is behind it. What is around the part would be copied from the array before. Where nothing
reads that array any more once the part is written, both are one memory, and there is nothing to
copy: a loop of writes to rows or columns runs in the memory of one array. PyTorch's compiler does
so with operations (``torch/_inductor/fx_passes/reinplace.py``); here it is done with groups, whose
order is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Set
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
    group : int
        The number of the group.
    region : Region
        The elements.
    is_exact : bool
        Whether each iteration reads the one at its place, not any of them.
    ranges : Ranges, optional
        Their indices; None: not known.
    """

    group: int
    region: Region
    is_exact: bool
    ranges: Ranges | None


class _Reads:
    """The reads of a memory, with a table of their groups and bounds, to compare many at once.

    Parameters
    ----------
    shape : tuple of int
        Of the array by which indices count.
    fusion : Fusion
        The groups.
    """

    def __init__(self, shape: Shape, fusion: Fusion) -> None:
        self.shape = shape
        self._fusion = fusion
        #: Readers by their groups, until a write is compared: copies are left out before.
        self._waiting: dict[int, list[_Reader]] = {}
        self._reads: list[_Read] = []
        self._of_group: dict[int, list[int]] = {}
        #: Of each read the group, and for each axis the least and the greatest index.
        self._table = np.empty((1 + 2 * len(shape), tuning.row().regions_together), np.int64)

    def add(self, readers: Iterable[_Reader]) -> None:
        """Add the reads of groups."""
        for reader in readers:
            self._waiting.setdefault(reader.group, []).append(reader)

    def _enter(self, read: _Read) -> None:
        """Add a read. Of one whose indices are not known, or depend on symbols, all is read."""
        place = len(self._reads)
        if place == self._table.shape[1]:
            self._table = np.concatenate([self._table, self._table], axis=1)
        self._reads.append(read)
        self._of_group.setdefault(read.group, []).append(place)
        if read.ranges is not None and _are_numbers(read.ranges):
            self._table[:, place] = read.group, *read.ranges.lows, *read.ranges.highs
        else:
            ndim = len(self.shape)
            self._table[:, place] = read.group, *(0,) * ndim, *(np.iinfo(np.int64).max,) * ndim

    def forget(self, group: int) -> None:
        """Remove the reads of a group that is left out."""
        if self._waiting.pop(group, None) is None:
            self._table[0, self._of_group.pop(group, [])] = -1

    def meeting(self, number: int, ranges: Ranges) -> list[_Read]:
        """Return the reads of a group and of later ones that may have elements in a region.

        Parameters
        ----------
        number : int
            Of the group.
        ranges : Ranges
            The indices of the region.
        """
        for reader in itertools.chain.from_iterable(self._waiting.values()):
            group, fusion = self._fusion.groups[reader.group], self._fusion
            for region, is_exact in _regions(group, reader.array, fusion):
                at = ranges_of(self.shape, region)
                self._enter(_Read(reader.group, region, is_exact, at))
        self._waiting.clear()
        groups, *bounds = self._table[:, : len(self._reads)]
        met = groups >= number
        if _are_numbers(ranges):
            ndim = len(self.shape)
            for axis in range(ndim):
                met &= bounds[axis] <= ranges.highs[axis]
                met &= bounds[ndim + axis] >= ranges.lows[axis]
        reads = [self._reads[place] for place in met.nonzero()[0].tolist()]
        return [read for read in reads if read.ranges is None or not read.ranges.is_apart(ranges)]


def _are_numbers(ranges: Ranges) -> bool:
    """Return whether no index of a region depends on symbols."""
    return all(type(index) is int for index in ranges.lows + ranges.highs)


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
        #: What is read of each memory, where it was asked for.
        self._reads: dict[Node, _Reads] = {}
        #: Groups that run beside those that follow.
        self._beside = {number for number, group in enumerate(fusion.groups) if group.beside}
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
        writes = [write for write in self._writes[array] if write.group not in copies]
        earlier, readers = self._writes[before], self._readers[before]
        first = min((write.group for write in writes), default=len(self._fusion.groups))
        # What a copy took before another array was written there is not what lies there now.
        if earlier[-1].group >= min(first, *copies):
            return
        if self._beside and self._are_beside(before, writes, first, copies):
            return
        reads = self._reads_of(before, array.shape)
        for number in copies:
            reads.forget(number)
        if not self._are_apart(reads, writes):
            del self._reads[before]  # the copies stay
            return
        self._same[array] = before
        self._left_out |= copies
        earlier += writes
        readers += self._readers[array]
        reads.add(self._remaining(array))
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

    def _are_beside(
        self, before: Node, writes: Sequence[_Write], first: int, copies: Set[int]
    ) -> bool:
        """Whether any user of a memory is not done when the next group begins.

        Parameters
        ----------
        before : Node
            The owner of the memory.
        writes : sequence of _Write
            What is written to it next.
        first : int
            The first group of these.
        copies : set of int
            Groups that are left out.
        """
        users = {write.group for write in (*self._writes[before], *writes)}
        users |= {reader.group for reader in self._readers[before] if reader.group >= first}
        return not self._beside.isdisjoint(users - copies)

    def _are_apart(self, reads: _Reads, writes: Sequence[_Write]) -> bool:
        """Whether groups read no element of a memory after it is written.

        Parameters
        ----------
        reads : _Reads
            What groups read of the memory.
        writes : sequence of _Write
            What is written to it.
        """
        for number, output in writes:
            group, place = self._fusion.groups[number], output.layout
            if group.trace is None:
                target = Region(place.offset, place.strides, output.node.shape)
            else:
                view = sink_view(output.node, group.domain, group.reduced)
                target = Region(*access(place, view, len(group.domain)), group.domain)
            ranges = ranges_of(reads.shape, target)
            if ranges is None:
                return False
            for read in reads.meeting(number, ranges):
                same = read.group == number and read.is_exact and read.region == target
                if not same or not _reads_first(group, output):
                    return False
        return True

    def _reads_of(self, memory: Node, shape: Shape) -> _Reads:
        """Return the reads of a memory.

        Parameters
        ----------
        memory : Node
            Its owner.
        shape : tuple of int
            Of the array by which indices count: the owner, or one of as many elements.
        """
        known = self._reads.get(memory)
        if known is None or known.shape != shape:
            known = self._reads[memory] = _Reads(shape, self._fusion)
            known.add(self._remaining(memory))
        return known

    def _remaining(self, memory: Node) -> Iterator[_Reader]:
        """Return the readers of a memory that are not left out."""
        return (one for one in self._readers[memory] if one.group not in self._left_out)


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
