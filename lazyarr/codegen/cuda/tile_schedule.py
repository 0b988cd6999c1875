"""The schedule of a thread's tile: each element of an operand is loaded once.

Elements of a tile that read the same memory at shifted places (stencils, filters) share what they
read. The order of loads and operations decides how many values are alive at a time: each operation
follows the last of its operands, so that a sum over neighbours, line by line, keeps one line of
them. No operation changes, so neither do the bits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.primitives import register_dtype

__all__ = [
    "Chunk",
    "Compute",
    "Key",
    "Load",
    "Run",
    "Step",
    "Store",
    "Stream",
    "ThreadTile",
    "TileSchedule",
]

#: Of a value of the tile: a line, a neighbour and a term, or -1, a stream and an address.
Key = tuple[int, int, int]

#: Bytes of a register.
_REGISTER = 4


class ThreadTile(NamedTuple):
    """The elements that one thread computes: lines of neighbours.

    Attributes
    ----------
    inner : LoopAxis
        The loop along which neighbours follow one another.
    across : LoopAxis, optional
        The loop along which lines do.
    lines, width : int
        The lines, and the neighbours of one.
    interleaved : bool
        Whether neighbours may lie apart, with elements of other operands in between: what is read
        or written of these together goes in vectors, too.
    """

    inner: LoopAxis
    across: LoopAxis | None = None
    lines: int = 1
    width: int = 1
    interleaved: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Stream:
    """The accesses to one memory by one pattern of strides.

    Attributes
    ----------
    place : Access
        One of them.
    dtype : numpy.dtype
        Of the elements, or of their parts.
    step : int
        From line to line.
    width : int
        Elements that are loaded at once; 1 where neighbours read one element.
    """

    place: Access
    dtype: np.dtype
    step: int
    width: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Elements that are loaded together: a stream's number and the first address."""

    stream: int
    address: int


@dataclass(frozen=True, slots=True)
class Load:
    """Load a chunk."""

    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Compute:
    """Compute a term for a neighbour of a line."""

    key: Key


@dataclass(frozen=True, slots=True)
class Store:
    """Write the elements of a line that one store takes together.

    Attributes
    ----------
    position, line : int
        The store of the first of them, and the line.
    lane : int
        The neighbour of which that is.
    """

    position: int
    line: int
    lane: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Elements that are stored together.

    Attributes
    ----------
    elements : tuple of (int, int)
        For each the position of its store, and the neighbour.
    address, origin : int
        Of the first, and of the first of all elements that are stored by the same strides.
    """

    elements: tuple[tuple[int, int], ...]
    address: int
    origin: int


Step = Load | Compute | Store


class TileSchedule:
    """The loads, operations and stores of a thread's tile, in order.

    Parameters
    ----------
    group : GroupTerms
        What the kernel computes.
    chosen : sequence of int
        Its terms, operands before users.
    tile : ThreadTile
        The tile.
    """

    def __init__(
        self,
        group: GroupTerms,
        chosen: Sequence[int],
        tile: ThreadTile,
    ) -> None:
        self._terms = group.terms
        self._stores = group.stores
        self._domain = group.domain
        inner, across, lines, width = tile.inner, tile.across, tile.lines, tile.width
        self.interleaved = interleaved = tile.interleaved
        self._chosen = chosen
        self._inner, self._across = inner, across
        self.lines, self.width = lines, width
        self.streams: list[Stream] = []
        self._stream_of: dict[int, int] = {}
        known: dict[object, int] = {}
        #: Terms whose value is another one for each line, and for each neighbour.
        self._lined: set[int] = set()
        self._laned: set[int] = set()
        for k in chosen:
            place = group.accesses.get(k)
            if place is None:
                args = self._terms[k].args
                if any(a in self._lined for a in args):
                    self._lined.add(k)
                if any(a in self._laned for a in args):
                    self._laned.add(k)
                continue
            dtype = self._terms[k].dtype
            step = 0 if across is None else across.stride(place.strides)
            moving = inner.stride(place.strides) != 0
            pattern = (place.owner, place.strides, place.unit, dtype)
            if pattern not in known:
                known[pattern] = len(self.streams)
                together = self._together(place, dtype) if interleaved else width
                self.streams.append(Stream(place, dtype, step, together if moving else 1))
            self._stream_of[k] = known[pattern]
            if step:
                self._lined.add(k)
            if moving:
                self._laned.add(k)
        self._address = {
            k: group.accesses[k].offset + group.accesses[k].part for k in self._stream_of
        }
        self.chunks = self._all_chunks()
        self.runs: dict[tuple[int, int], Run] = dict(self._all_runs())

    # -- what there is -----------------------------------------------------------------------

    def key(self, line: int, lane: int, term: int) -> Key | None:
        """Return the value of a term for a neighbour of a line; None for a scalar.

        Parameters
        ----------
        line, lane, term : int
            Numbers of the line, the neighbour and the term.
        """
        stream = self._stream_of.get(term)
        if stream is not None:
            step = self.streams[stream].step
            moved = lane * self._inner.stride(self.streams[stream].place.strides)
            return -1, stream, self._address[term] + line * step + moved
        if not self._terms[term].args:
            return None
        return line if term in self._lined else 0, lane if term in self._laned else 0, term

    def elements(self, chunk: Chunk) -> list[Key]:
        """Return the values that a chunk consists of."""
        width = self.streams[chunk.stream].width
        return [(-1, chunk.stream, chunk.address + n) for n in range(width)]

    def chunk(self, stream: int, address: int) -> Chunk:
        """Return the chunk with an element.

        Parameters
        ----------
        stream, address : int
            Of the element.
        """
        return Chunk(stream, address - address % self.streams[stream].width)

    def _together(self, place: Access, dtype: np.dtype) -> int:
        """Return the elements of a vector that an access may take, wherever a tile begins."""
        axes = self._inner.axes
        steps = [self.width * self._inner.stride(place.strides)]
        steps += [
            stride
            for axis, stride in enumerate(place.strides)
            if axis not in axes and self._domain[axis] != 1
        ]
        together = tuning.row().vector_bytes // dtype.itemsize
        while any(step % together for step in steps):
            together //= 2
        return together

    def _all_runs(self) -> Iterator[tuple[tuple[int, int], Run]]:
        """Yield the elements of a line that are stored together, by the first of them."""
        if not self.interleaved:
            for p, (_, place) in enumerate(self._stores):
                lanes = tuple((p, lane) for lane in range(self.width))
                yield (p, 0), Run(lanes, place.offset, place.offset)
            return
        patterns: dict[object, dict[int, tuple[int, int]]] = {}
        for p, (_, place) in enumerate(self._stores):
            at = patterns.setdefault((place.owner, place.strides), {})
            step = self._inner.stride(place.strides)
            at.update((place.offset + lane * step, (p, lane)) for lane in range(self.width))
        for at in patterns.values():
            addresses = sorted(at)
            first, _ = at[addresses[0]]
            term, place = self._stores[first]
            together = self._together(place, self._terms[term].dtype)
            while addresses:
                count = next(n for n in (together, 1) if _is_run(addresses[:n], n))
                run = tuple(at[address] for address in addresses[:count])
                yield run[0], Run(run, addresses[0], min(at))
                del addresses[:count]

    def _loaded(self) -> Iterator[Key]:
        for line in range(self.lines):
            for lane in range(self.width):
                for k in self._stream_of:
                    key = self.key(line, lane, k)
                    assert key is not None
                    yield key

    def _all_chunks(self) -> list[Chunk]:
        """Return the chunks in the order in which their elements are first needed."""
        return list(dict.fromkeys(self.chunk(stream, at) for _, stream, at in self._loaded()))

    def room(self, number: int, frame: Frame) -> int | None:
        """Return the index that a tile's first element must be below for its chunks to be there.

        None if it always is. Beyond the last element that the kernel reads, nothing is loaded.

        Parameters
        ----------
        number : int
            The stream; the index is that of its accesses without their offsets.
        frame : Frame
            The loops over the domain.
        """
        stream = self.streams[number]
        if stream.width == 1:
            return None
        end = max(c.address for c in self.chunks if c.stream == number) + stream.width
        last = max(self._address[k] for k, at in self._stream_of.items() if at == number)
        highest = 0  # index of a tile that is whole as far as the domain goes
        for axis in frame.axes:
            stride = max(0, axis.stride(stream.place.strides))
            each = self.lines if axis is self._across else 1
            each = self.width if axis is self._inner else each
            last += (axis.size - 1) * stride
            highest += max(0, (axis.size - each) // each * each * stride)
        room = last + 2 - end
        return None if highest < room else room

    @property
    def statements(self) -> int:
        """The largest number of operations of an iteration."""
        computed = sum(bool(self._terms[k].args) for k in self._chosen if k not in self._stream_of)
        return computed * self.lines * self.width

    # -- in which order ----------------------------------------------------------------------

    def best(self) -> tuple[list[Step], int]:
        """Return the order that needs the fewest registers at a time, and how many."""
        # Arrays of the same strides go side by side, wherever each begins to be read.
        patterns = [stream.place.strides for stream in self.streams]
        lowest: dict[tuple[int, ...], int] = {}
        for chunk in self.chunks:
            strides = patterns[chunk.stream]
            lowest[strides] = min(chunk.address, lowest.get(strides, chunk.address))
        ascending = sorted(
            self.chunks, key=lambda c: (c.address - lowest[patterns[c.stream]], c.stream)
        )
        orders = ascending, self.chunks, self._by_terms()
        return min((self._ordered(order) for order in orders), key=lambda x: x[1])

    def _by_terms(self) -> list[Chunk]:
        """Return the chunks in the order of the terms that need them, of all lines and lanes."""
        keys = (
            self.key(line, lane, k)
            for k in self._stream_of
            for line in range(self.lines)
            for lane in range(self.width)
        )
        return list(dict.fromkeys(self.chunk(key[1], key[2]) for key in keys if key is not None))

    def _ordered(self, chunks: Sequence[Chunk]) -> tuple[list[Step], int]:
        """Return the steps for an order of loads, and the registers that they need at a time."""
        missing, users, uses = self._dependences()
        steps: list[Step] = []
        alive = most = 0
        ready: deque[Step] = deque(step for step, count in missing.items() if count == 0)

        def there(key: Key, size: int) -> None:
            """Count a value as alive while it has users, which it is one operand less to."""
            nonlocal alive, most
            if uses.get(key, 0):
                alive += size
                most = max(most, alive)
            for step in users.get(key, ()):
                missing[step] -= 1
                if missing[step] == 0:
                    ready.append(step)

        def used(key: Key) -> None:
            nonlocal alive
            uses[key] -= 1
            if uses[key] == 0:
                alive -= self._registers(key)

        for chunk in [None, *chunks]:
            if chunk is not None:
                steps.append(Load(chunk))
                for key in self.elements(chunk):
                    there(key, self._registers(key))
            while ready:
                step = ready.popleft()
                steps.append(step)
                for key in self._operands(step):
                    used(key)
                if isinstance(step, Compute):
                    there(step.key, self._registers(step.key))
        return steps, most

    def _dependences(self) -> tuple[dict[Step, int], dict[Key, list[Step]], dict[Key, int]]:
        """Return the number of operands of each step, and the steps and their number of a value."""
        missing: dict[Step, int] = {}
        users: dict[Key, list[Step]] = {}
        uses: dict[Key, int] = {}
        for step in self._all_steps():
            operands = self._operands(step)
            missing[step] = len(operands)
            for key in operands:
                users.setdefault(key, []).append(step)
                uses[key] = uses.get(key, 0) + 1
        return missing, users, uses

    def _all_steps(self) -> list[Step]:
        """Return the operations and stores, term by term."""
        computed: list[Step] = []
        for k in self._chosen:
            if k in self._stream_of:
                continue
            for line in range(self.lines):
                for lane in range(self.width):
                    key = self.key(line, lane, k)
                    if key is not None:
                        computed.append(Compute(key))
        stores = [Store(p, line, lane) for p, lane in self.runs for line in range(self.lines)]
        return list(dict.fromkeys([*computed, *stores]))

    def _operands(self, step: Step) -> list[Key]:
        """Return the values that a step needs, each once, scalars left out."""
        if isinstance(step, Compute):
            line, lane, term = step.key
            keys = [self.key(line, lane, a) for a in self._terms[term].args]
        else:
            assert isinstance(step, Store)
            keys = [
                self.key(step.line, lane, self._stores[p][0])
                for p, lane in self.runs[step.position, step.lane].elements
            ]
        return list(dict.fromkeys(key for key in keys if key is not None))

    def _registers(self, key: Key) -> int:
        line, stream, term = key
        dtype = self.streams[stream].dtype if line < 0 else self._terms[term].dtype
        return max(1, register_dtype(dtype).itemsize // _REGISTER)


def _is_run(addresses: Sequence[int], count: int) -> bool:
    """Whether addresses are those of a vector of so many elements."""
    whole = len(addresses) == count and addresses[0] % count == 0
    return whole and addresses[-1] - addresses[0] == count - 1
