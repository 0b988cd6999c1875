"""Tiles of launches: ranges of work items, and the elements of streamed arrays that they touch.

A tiled launch runs the very kernel of the plan for one range of its work items after the other, so
that its results have the bits that they have in memory. Which elements a range touches is worked
out from the kernel by :mod:`lazyarr.loop_ir.extents`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lazyarr.codegen.launch import Address, Launch, Number, Scratch
from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import Bases
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.graph.node import Node
from lazyarr.loop_ir.extents import Extents
from lazyarr.loop_ir.kernel import Pointer

__all__ = [
    "Items",
    "Pass",
    "RangedCall",
    "Ranges",
    "Tile",
    "choose_items",
    "passes_of",
    "repetitions",
    "tiles_of",
]

#: The first work item, and the one behind the last.
Items = tuple[int, int]
#: By the number of a base the first byte and the one behind the last.
Ranges = dict[int, tuple[int, int]]


class RangedCall:
    """A launch of which ranges of work items can be run.

    Parameters
    ----------
    call : Call
        The launch with its code.
    launch : Launch
        What it was made of.
    node : Node
        What it computes, for messages.
    bases : Bases
        The numbers of memory.
    sizes : mapping of int to int
        Bytes of each base.

    Attributes
    ----------
    reads, writes : frozenset of int
        The bases that the whole launch touches.
    reads_scratch : bool
        Whether it takes up what another launch left in the memory that all share.
    fills_scratch : bool
        Whether it leaves something there.
    """

    def __init__(
        self, call: Call, launch: Launch, node: Node, bases: Bases, sizes: Mapping[int, int]
    ) -> None:
        self.call = call
        self.node = node
        self._sizes = sizes
        self._numbers: dict[str, int] = {}
        self._pointers: dict[str, tuple[int, int, int]] = {}
        shared: list[str] = []
        for parameter, argument in zip(launch.kernel.parameters, launch.arguments, strict=True):
            match argument:
                case Number(int(value)):
                    self._numbers[parameter.name] = value
                case Address(owner, offset):
                    assert isinstance(parameter, Pointer)
                    size = parameter.dtype.itemsize
                    self._pointers[parameter.name] = bases.of(owner), offset, size
                case Scratch(_, own) if not own:
                    shared.append(parameter.name)
        self._extents = Extents(launch.kernel, [*self._pointers, *shared])
        whole = self._extents.touched(0, max(call.count, 1), self._numbers)
        self.reads_scratch = any(whole[name].read is not None for name in shared)
        self.fills_scratch = any(whole[name].written is not None for name in shared)
        reads, writes = self.touched((0, max(call.count, 1)))
        self.reads, self.writes = frozenset(reads), frozenset(writes)
        self._written = writes

    def touched(self, items: Items) -> tuple[Ranges, Ranges]:
        """Return the bytes that work items read, and those that they write."""
        accesses = self._extents.touched(*items, self._numbers)
        reads: Ranges = {}
        writes: Ranges = {}
        for name, (base, offset, size) in self._pointers.items():
            access = accesses[name]
            for ranges, places in ((reads, access.read), (writes, access.written)):
                if places is None:
                    continue
                most = self._sizes[base]
                first = min(max(offset + places[0] * size, 0), most)
                stop = min(max(offset + places[1] * size, 0), most)
                if first < stop:
                    _widen(ranges, base, (first, stop))
        return reads, writes

    def writers_of(self, base: int, needed: tuple[int, int]) -> Items:
        """Return the work items that write a range of bytes.

        Parameters
        ----------
        base : int
            What they write to.
        needed : tuple of (int, int)
            The range, of which the launch writes a part.
        """
        count = self.call.count
        first, stop = needed

        def is_before(items: int) -> bool:
            return items == 0 or self.touched((0, items))[1].get(base, (0, 0))[1] <= first

        def is_behind(items: int) -> bool:
            if items == count:
                return True
            return self.touched((items, count))[1].get(base, (stop, stop))[0] >= stop

        # Most launches write as much for one work item as for another.
        lowest, highest = self._written[base]
        each = max(1, (highest - lowest) // count)
        before, behind = (first - lowest) // each, (highest - stop) // each
        begin = min(_last(is_before, 0, count, before), count - 1)
        end = count - _last(lambda items: is_behind(count - items), 0, count, behind)
        return begin, max(end, begin + 1)

    def writes_some_of(self, base: int, needed: tuple[int, int]) -> bool:
        """Return whether the launch writes some of a range of bytes.

        Parameters
        ----------
        base : int
            What it may write to: others may write other parts of that.
        needed : tuple of (int, int)
            The range.
        """
        written = self._written.get(base)
        return written is not None and written[0] < needed[1] and needed[0] < written[1]


def _last(holds: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """Return the last number for which something holds that holds up to there, and of `low`.

    Parameters
    ----------
    holds : callable
        What is asked, which takes its time.
    low, high : int
        The least and the largest answer.
    guess : int
        A number near the answer, from which the search begins, in steps that double.
    """
    guess, step = min(max(guess, low), high), 1
    if guess == low or holds(guess):
        low = guess
        while low < high:
            further = min(low + step, high)
            if not holds(further):
                high = further - 1
                break
            low, step = further, 2 * step
    else:
        high = guess - 1
        while low < high:
            nearer = max(high - step, low)
            if nearer == low or holds(nearer):
                low = nearer
                break
            high, step = nearer - 1, 2 * step
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _widen(ranges: Ranges, base: int, places: tuple[int, int]) -> None:
    known = ranges.get(base, places)
    ranges[base] = min(known[0], places[0]), max(known[1], places[1])


@dataclass(frozen=True, eq=False, slots=True)
class Tile:
    """Some work items of a launch, with those of the launches that compute their operands.

    Attributes
    ----------
    calls : tuple of (RangedCall, tuple of (int, int))
        In order.
    reads, inside, writes : dict of int to (int, int)
        The bytes that are read from streamed arrays, those of values between the launches, and
        those that are written to streamed arrays.
    """

    calls: tuple[tuple[RangedCall, Items], ...]
    reads: Ranges
    inside: Ranges
    writes: Ranges

    @property
    def nbytes(self) -> int:
        """The memory that it takes while the next tile is read, and the last one is written."""
        return self.nbytes_alone + sum(map(_length, (*self.reads.values(), *self.writes.values())))

    @property
    def nbytes_alone(self) -> int:
        """The memory that it takes if there is no other tile."""
        ranges = (*self.reads.values(), *self.writes.values(), *self.inside.values())
        return sum(map(_length, ranges))


def _length(places: tuple[int, int]) -> int:
    return places[1] - places[0]


@dataclass(frozen=True, eq=False, slots=True)
class Pass:
    """A launch that is run tile by tile.

    Attributes
    ----------
    target : RangedCall
        The launch.
    producers : tuple of RangedCall
        Launches before it, of whose results a tile computes what it needs.
    sources, inside, sinks : frozenset of int
        The bases that are streamed: those that are only read, values between launches, and
        results.
    """

    target: RangedCall
    producers: tuple[RangedCall, ...]
    sources: frozenset[int]
    inside: frozenset[int]
    sinks: frozenset[int]

    def tile(self, items: Items) -> Tile:
        """Return the tile of some work items of the target."""
        calls: list[tuple[RangedCall, Items]] = []
        reads: Ranges = {}
        inside: Ranges = {}
        writes: Ranges = {}
        for call in (self.target, *reversed(self.producers)):
            own = items if call is self.target else _items_for(call, inside)
            if own is None:
                continue
            calls.append((call, own))
            read, written = call.touched(own)
            for base, places in read.items():
                if base in self.sources:
                    _widen(reads, base, places)
                elif base in self.inside:
                    _widen(inside, base, places)
            for base, places in written.items():
                if base in self.sinks and base not in inside and call is self.target:
                    _widen(writes, base, places)
                elif base in self.inside or base in self.sinks:
                    _widen(inside, base, places)
        return Tile(tuple(reversed(calls)), reads, inside, writes)


def _items_for(producer: RangedCall, inside: Ranges) -> Items | None:
    """Return the range of work items that write the ranges; None if they write none of them."""
    needed = [
        producer.writers_of(base, inside[base])
        for base in producer.writes
        if base in inside and producer.writes_some_of(base, inside[base])
    ]
    if not needed:
        return None
    return min(begin for begin, _ in needed), max(end for _, end in needed)


def choose_items(work: Pass, room: int) -> int | None:
    """Return the number of work items of a tile; None if not even one fits.

    If no tile fits beside the next one and the last one, each has the room for itself.

    Parameters
    ----------
    work : Pass
        What is cut.
    room : int
        Bytes that a tile may take.
    """
    count = work.target.call.count
    whole = work.tile((0, count))
    if whole.nbytes_alone <= room:
        return count
    items = _most_items(work, room, 1, is_alone=False)
    period = _period(work)
    if items is None or items < period:
        # Those that read the same are of one tile, or each tile would read that again.
        ways = ((period, False), (period, True), (1, False), (1, True))
        several = (_most_items(work, room, unit, is_alone=alone) for unit, alone in ways)
        return next((items for items in several if items is not None), None)
    step = max(work.target.call.chunk, period)
    return items // step * step if items > step else items


def _most_items(work: Pass, room: int, unit: int, *, is_alone: bool) -> int | None:
    """Return the most work items of a tile that fits, a multiple of `unit`; None if none fits."""
    count = work.target.call.count

    def fits(units: int) -> bool:
        return _fits(work, units * unit, room, unit, is_alone=is_alone)

    if not fits(1):
        return None
    guess = room * count // work.tile((0, count)).nbytes // unit
    return unit * _last(fits, 1, count // unit, guess)


def _period(work: Pass) -> int:
    """Return the number of items that read less than twice as much as one: panels of some rows."""

    def read(items: int) -> int:
        return sum(map(_length, work.tile((0, items)).reads.values()))

    first = read(1)
    return _last(lambda items: read(items) < 2 * first, 1, work.target.call.count, 1)


def _fits(work: Pass, items: int, room: int, unit: int, *, is_alone: bool) -> bool:
    """Return whether most tiles of so many work items fit, or all if these are as few as can be.

    The places of some tiles take more than those of others, as where one part of a concatenation
    ends and the next begins: these tiles are cut once more.
    """
    count = work.target.call.count
    starts = [(count - items) * place // 4 // unit * unit for place in range(5)]
    tiles = [work.tile((start, start + items)) for start in starts]
    fitting = [(tile.nbytes_alone if is_alone else tile.nbytes) <= room for tile in tiles]
    return all(fitting) if items == unit else 2 * sum(fitting) > len(fitting)


def repetitions(work: Pass, items: int) -> float:
    """Return the number of times that a pass computes the values between its launches.

    Parameters
    ----------
    work : Pass
        What is cut.
    items : int
        The work items of a tile.
    """
    count = work.target.call.count
    if not work.producers or items >= count:
        return 1.0
    start = (count - items) // 2
    tile, whole = work.tile((start, start + items)), work.tile((0, count))
    within = sum(map(_length, tile.inside.values()))
    return within * -(-count // items) / max(1, sum(map(_length, whole.inside.values())))


def tiles_of(work: Pass, items: int, room: int) -> Iterator[Tile]:
    """Yield the tiles of a pass; where they take more than others, they are cut once more.

    Parameters
    ----------
    work : Pass
        What is cut.
    items : int
        The work items of a tile, as :func:`choose_items` has it.
    room : int
        Bytes that a tile may take.
    """
    count = work.target.call.count
    starts = range(0, count, max(items, 1))
    ranges: list[Items] = [(start, min(start + items, count)) for start in reversed(starts)]
    is_alone = items < count and not _fits(work, items, room, items, is_alone=False)
    while ranges:
        begin, end = ranges.pop()
        tile = work.tile((begin, end))
        taken = tile.nbytes_alone if is_alone else tile.nbytes
        if items < count and taken > room and end - begin > 1:
            middle = (begin + end) // 2
            ranges += [(middle, end), (begin, middle)]
        else:
            yield tile


def passes_of(
    calls: Sequence[RangedCall],
    sources: frozenset[int],
    inside: frozenset[int],
    sinks: frozenset[int],
) -> list[Pass | None]:
    """Return the pass of each launch; None of those that run only as part of later ones.

    Parameters
    ----------
    calls : sequence of RangedCall
        The launches of a plan, in order.
    sources, inside, sinks : frozenset of int
        The bases that are streamed, as in :class:`Pass`.
    """
    passes: list[Pass | None] = []
    for index, target in enumerate(calls):
        later: set[int] = set()
        for call in calls[index + 1 :]:
            later |= call.reads
        if target.writes and not target.fills_scratch and target.writes <= inside & later:
            passes.append(None)
            continue
        needed = set(target.reads & (inside | sinks))
        producers: list[RangedCall] = []
        for call in reversed(calls[:index]):
            if call.writes & needed:
                producers.append(call)
                needed |= call.reads & (inside | sinks)
        own = frozenset(needed)
        passes.append(Pass(target, tuple(reversed(producers)), sources, inside | own, sinks - own))
    return passes
