"""What every GPU template shares: indices, vectors, and the code of neighbouring elements."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from lazyarr.codegen import device_effort
from lazyarr.codegen.device import DeviceKernel, VectorStore
from lazyarr.codegen.device_builder import DeviceBuilder
from lazyarr.codegen.frame import Access, Frame, LoopAxis
from lazyarr.codegen.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.codegen.launch import Argument, Number
from lazyarr.codegen.lowering import Lowering
from lazyarr.fusion import Group
from lazyarr.ir import Kind, Node
from lazyarr.memory import Plan
from lazyarr.ops.gather import Gathered
from lazyarr.terms import Term, position_of
from lazyarr.values import dataclass

__all__ = [
    "Ahead",
    "Counter",
    "DeviceArgument",
    "DeviceLaunch",
    "DeviceLowered",
    "DeviceLowering",
    "Joint",
]

DType = np.dtype[Any]
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
UINT32 = np.dtype(np.uint32)
FLOAT64 = np.dtype(np.float64)

#: Bytes of the widest load and store.
VECTOR_BYTES = 16
#: Most elements that one thread takes at once.
MAX_WIDTH = 8
#: Sum of the costs of expensive operations (of :data:`COSTLY` or more) in a piece of code that is
#: written out without a loop. Their code is long: NVRTC takes up to 7 ms for a function of cost 20,
#: twice that for each part of a complex one, and a kernel should take 0.3 s at most.
MAX_WRITTEN = 480
#: The same for all neighbours of one thread, twice: in a loop, and for what is left behind it.
MAX_WRITTEN_WIDE = 640
COSTLY = 4
#: Indices of int32 stay this far below its end, so that the last block may overshoot.
MARGIN = 1 << 24


@dataclass(frozen=True, slots=True)
class Counter:
    """An argument: the address of uint32 counters that are 0 when a kernel starts.

    Attributes
    ----------
    count : int
        How many.
    """

    count: int


@dataclass(frozen=True, slots=True)
class Ahead:
    """An argument: how many pieces beyond its own a block should have brought to the L2 cache.

    Attributes
    ----------
    nbytes : int
        Of a piece.
    """

    nbytes: int


DeviceArgument = Argument | Counter | Ahead


@dataclass(frozen=True, eq=False, slots=True)
class DeviceLaunch:
    """One kernel with its arguments and its grid.

    Attributes
    ----------
    kernel : DeviceKernel
        What to run.
    arguments : tuple of DeviceArgument
        One a parameter.
    blocks : int
        How many; 0 means that there is nothing to do.
    aligned : tuple of (int, int)
        Positions of addresses that must be multiples of the number beside them.
    otherwise : DeviceLaunch, optional
        What to run if one is not.
    smaller : callable, optional
        Returns what to run on a GPU whose blocks cannot have the shared memory of the kernel.
    """

    kernel: DeviceKernel
    arguments: tuple[DeviceArgument, ...]
    blocks: int
    aligned: tuple[tuple[int, int], ...] = ()
    otherwise: DeviceLaunch | None = None
    smaller: Callable[[], DeviceLaunch] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Joint:
    """One launch that may stand for a product of a library and for the kernel behind it.

    Attributes
    ----------
    product : Group
        The library's step; the kernel's is the next.
    launch : callable
        Returns the launch.
    """

    product: Group
    launch: Callable[[], DeviceLaunch]


@dataclass(frozen=True, eq=False, slots=True)
class DeviceLowered:
    """The launches of one group, in order, and the scratch they need in bytes.

    With `joint`, one launch may stand for them and for the product before them.
    """

    group: Group
    launches: tuple[DeviceLaunch, ...]
    shared_scratch: int
    worker_scratch: int = 0
    joint: Joint | None = None


class DeviceLowering(Lowering):
    """The state of lowering one group to one device kernel; templates drive it.

    Parameters
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    vectors : bool
        Whether neighbouring elements may be loaded at once.
    """

    reports = False

    def __init__(
        self, group: Group, plan: Plan, layouts: dict[Node, Any], vectors: bool = True
    ) -> None:
        super().__init__(group, plan, layouts, group.name)
        self.vectors = vectors
        self.index_dtype = self._index_dtype()
        self.device = DeviceBuilder(self.index_dtype)
        self.builder = self.device
        self.alignment: dict[str, int] = {}
        #: Whether results go past the caches.
        self.passing = False
        self._counters: Pointer | None = None
        # Counters of neighbours: that of the first, and how far from it.
        self._neighbours: dict[Operand, tuple[Operand, int]] = {}

    def _index_dtype(self) -> DType:
        reach = prod(self.domain)
        places = [*self.accesses.values(), *(place for _, place in self.stores)]
        for place in places:
            steps = zip(self.domain, place.strides, strict=True)
            reach = max(reach, sum(max(size - 1, 0) * abs(stride) for size, stride in steps))
        for term in self.terms:
            if term.base is not None:
                # What is gathered from may be larger than the domain.
                source = self.terms[term.base].node
                steps = zip(source.shape, self.layout_strides[term.base], strict=True)
                whole = sum((size - 1) * abs(stride) for size, stride in steps)
                reach = max(reach, whole * self.accesses[term.base].unit)
        return INT32 if reach < 2**31 - MARGIN else INT64

    # -- indices -----------------------------------------------------------------------------

    def integer(self, value: int) -> Literal:
        """Return an index of the source text."""
        return Literal(value, self.index_dtype)

    def number(self, key: object, value: int, prefix: str) -> Value:
        """Return the parameter that passes an index."""
        return self._number(key, value, prefix, self.index_dtype)

    def real(self, key: object, value: float) -> Value:
        """Return the parameter that passes a float64."""
        return self._number(key, value, "r", FLOAT64)

    def _number(self, key: object, value: int | float, prefix: str, dtype: DType) -> Value:
        found = self._by_key.get(key)
        if found is None:
            count = sum(p.name.startswith(prefix) for p in self.parameters)
            found = self._add(key, Value(f"{prefix}{count}", dtype), Number(value))
        assert isinstance(found, Value)
        return found

    def ahead(self, nbytes: int) -> Value:
        """Return the parameter that says how many pieces of so many bytes to fetch beforehand."""
        parameter = Value("ahead", self.index_dtype)
        self.parameters.append(parameter)
        self.arguments.append(Ahead(nbytes))  # type: ignore[arg-type]
        return parameter

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64."""
        return self._number(key, value, "c", INT64)

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""
        return self.builder.call("convert", value, dtype=self.index_dtype)

    def plus(self, a: Operand, c: Operand) -> Operand:
        """Write the sum of two indices."""
        if isinstance(a, Literal) and a.value == 0:
            return c
        if isinstance(c, Literal) and c.value == 0:
            return a
        return self.device.arithmetic("+", a, c)

    def times(self, a: Operand, factor: int) -> Operand:
        """Write an index times a number of the source text."""
        return a if factor == 1 else self.device.arithmetic("*", a, self.integer(factor))

    def least(self, a: Operand, c: Operand) -> Operand:
        """Write the smaller of two indices."""
        return self.device.arithmetic("min", a, c)

    def panel(
        self, linear: Operand, panels: int, width: Operand, fronts: Frame
    ) -> tuple[Operand, Operand, Operand]:
        """Write which panel of columns a number is of, in which front, and where its row begins.

        Of a single matrix all is known but the panel.
        """
        if not fronts.axes:
            return linear, self.integer(0), self.integer(0)
        count = self.number("panels", panels, "n")
        panel = self.device.arithmetic("%", linear, count)
        front = self.device.arithmetic("/", linear, count)
        return panel, front, self.device.arithmetic("*", front, width)

    def decode(self, linear: Operand, frame: Frame) -> list[Operand]:
        """Write the counters of a frame for a linear index."""
        if not frame.axes:
            return []
        counters: list[Operand] = []
        rest = linear
        for axis in reversed(frame.axes[1:]):
            size = self.number(("size", axis.axes), axis.size, "n")
            counters.append(self.device.arithmetic("%", rest, size))
            rest = self.device.arithmetic("/", rest, size)
        counters.append(rest)
        return counters[::-1]

    def counters(self, count: int) -> Pointer:
        """Return the parameter that passes counters which are 0 when the kernel starts."""
        if self._counters is None:
            pointer = Pointer("counters", UINT32, True)
            self.parameters.append(pointer)
            self.arguments.append(Counter(count))  # type: ignore[arg-type]
            self._counters = pointer
        return self._counters

    def _counter(self, term: Term) -> Operand:
        """Write the position of a generated element, an int64.

        It is written so that compilers see which neighbours are of one block of random words,
        and compute the block once: without a sign, for a counter is never negative; rows of
        whole vectors as multiples of a number in the text; and the neighbour's own number as the
        lowest bits, where those are zero.
        """
        b = self.builder
        total: Operand = Literal(0, INT64)
        offset, row = position_of(term, self.domain)
        neighbour, multiple = 0, MAX_WIDTH
        if offset:
            total, multiple = self.wide(("offset", id(term)), offset), 1
        for axis, counter in self._moving(row):
            factor = axis.stride(row)
            if factor == 1 and counter in self._neighbours:
                counter, neighbour = self._neighbours[counter]
            if counter.dtype == INT32:
                counter = b.call("convert", counter, dtype=UINT32)
            step: Operand = b.call("convert", counter, dtype=INT64)
            if factor != 1:
                power = min(factor & -factor, MAX_WIDTH)
                multiple = min(multiple, power)
                wide = self.wide(("factor", id(term), axis.axes), factor // power)
                step = b.call("multiply", step, wide)
                if power != 1:
                    step = b.call("multiply", step, Literal(power, INT64))
            total = step if isinstance(total, Literal) else b.call("add", total, step)
        if not neighbour:
            return total
        return b.call("or" if neighbour < multiple else "add", total, Literal(neighbour, INT64))

    @contextmanager
    def instead(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Be elsewhere in all loops that are open, while the code of a body is written."""
        frames, self.frames = self.frames, []
        try:
            with self.inside(frame, counters):
                yield
        finally:
            self.frames = frames

    # -- vectors -----------------------------------------------------------------------------

    def width(
        self,
        inner: LoopAxis,
        terms: Iterable[int],
        stores: Iterable[int],
        ragged: bool = False,
    ) -> int:
        """Return how many neighbours along an axis can be loaded and stored at once.

        Operands must be contiguous along it or not move, and all other steps must keep the
        address a multiple of the vector. So must the length, unless it may be `ragged`: then the
        last vector of a domain without other axes has fewer elements.
        """
        if not self.vectors or not inner.axes or inner.size < 2:
            return 1
        chosen = list(terms)
        places = [(self.accesses[k], self.terms[k].dtype) for k in chosen if k in self.accesses]
        places += [(self.stores[p][1], self.terms[self.stores[p][0]].dtype) for p in stores]
        moving = [(a, d) for a, d in places if inner.stride(a.strides)]
        if not moving or any(inner.stride(a.strides) != a.unit for a, _ in moving):
            return 1
        width = min(MAX_WIDTH, VECTOR_BYTES // max(d.itemsize for _, d in moving))
        width = self.written_out(chosen, width, 2, MAX_WRITTEN_WIDE)
        axes = set(inner.axes)
        alone = all(size == 1 for axis, size in enumerate(self.domain) if axis not in axes)
        while width > 1:
            whole = inner.size % width == 0 or (ragged and alone and inner.size > MAX_WIDTH)
            fits = whole and all(
                place.offset % (width * place.unit) == 0
                and all(
                    stride % (width * place.unit) == 0 or self.domain[axis] == 1
                    for axis, stride in enumerate(place.strides)
                    if axis not in axes
                )
                for place, _ in moving
            )
            if fits:
                return width
            width //= 2
        return 1

    def written_out(
        self, terms: Iterable[int], most: int, each: int = 1, limit: int = MAX_WRITTEN
    ) -> int:
        """Return how many copies of the terms' code may follow one another, by halving `most`.

        Parameters
        ----------
        terms : iterable of int
            What is computed.
        most : int
            How many copies are wanted.
        each : int, optional
            How often the code of one copy is there: once for each neighbour.
        limit : int, optional
            What the costs of all copies may add up to.
        """
        cost = each * sum(self._written(self.terms[k].node) for k in terms if self.terms[k].args)
        return _halved(most, cost, limit)

    def overlapping(self, terms: Iterable[int], most: int, each: int, share: float = 1.0) -> int:
        """Return how many turns are written out for their loads to overlap, by halving `most`.

        Parameters
        ----------
        terms : iterable of int
            What is computed in a turn.
        most : int
            How many turns are wanted.
        each : int
            How many neighbours a turn computes.
        share : float, optional
            Of the time that NVRTC may take for them.
        """
        return _halved(most, each * self.effort(terms), share * device_effort.LIMIT)

    def effort(self, terms: Iterable[int]) -> float:
        """Return the milliseconds that NVRTC takes for one copy of the terms' code."""
        chosen = (self.terms[k] for k in terms)
        return device_effort.milliseconds(term.node for term in chosen if term.args)

    @staticmethod
    def _written(node: Node) -> int:
        """Return what an operation's code counts for."""
        if node.op.cost < COSTLY:
            return 0
        is_complex = any(n.dtype.kind == "c" for n in (node, *node.src))
        return node.op.cost * (2 if is_complex else 1)

    def lanes(
        self,
        frame: Frame,
        counters: Sequence[Operand],
        width: int,
        wanted: Sequence[int],
        stores: Sequence[int],
        consume: Callable[[int, Operand], None] | None = None,
        prepare: Callable[[int], None] | None = None,
        prepared: Container[int] = (),
        guard: Operand | None = None,
        left: Operand | None = None,
    ) -> None:
        """Write the code of `width` neighbours along the last axis of a frame.

        Parameters
        ----------
        frame : Frame
            The loops that this closes.
        counters : sequence of Operand
            Where the first neighbour is.
        width : int
            How many; more than one only as :meth:`width` allows.
        wanted : sequence of int
            Terms to write.
        stores : sequence of int
            Positions of the stores to write.
        consume : callable, optional
            Is given the number of each neighbour and its counter, when its terms have values.
        prepare : callable, optional
            Is given the number of each neighbour before its terms are written.
        prepared : container of int, optional
            Terms that have values only from then on.
        guard : Operand, optional
            Whether to store; the terms are written in any case.
        left : Operand, optional
            How many neighbours there are, if that may be fewer: no others are loaded or stored.
        """
        guarded = self.builder.when(guard) if guard is not None and stores else nullcontext()
        if width == 1:
            with self.inside(frame, counters):
                if prepare is not None:
                    prepare(0)
                open_terms = [k for k in wanted if self.get(k) is None]
                self.write(k for k in open_terms if self.terms[k].loaded)
                self.write(open_terms)
                if consume is not None:
                    consume(0, counters[-1] if counters else self.integer(0))
                with guarded:
                    for p in stores:
                        self.store(*self.stores[p])
            return
        outer, inner = Frame(frame.axes[:-1]), Frame(frame.axes[-1:])
        base = counters[-1]
        axes = inner.axes[0].axes
        with self.inside(outer, counters[:-1]):
            held = self._vector_loads(inner, base, width, wanted, left)
            self.write(
                k
                for k in wanted
                if k not in held
                and self.get(k) is None
                and all(not self.spans(j, axes) and j not in prepared for j in self.needed([k]))
            )
            held |= self._vector_gathers(inner, base, width, wanted, left)
            written: dict[int, list[Operand]] = {p: [] for p in stores}
            for lane in range(width):
                counter = base
                if lane and self._counts(wanted, axes, consume is not None):
                    counter = self.plus(base, self.integer(lane))
                    self._neighbours[counter] = (base, lane)
                with self.inside(inner, (counter,)):
                    for k, values in held.items():
                        self.put(k, values[lane])
                    if prepare is not None:
                        prepare(lane)
                    self.write(k for k in wanted if self.get(k) is None)
                    if consume is not None:
                        consume(lane, counter)
                    for p in stores:
                        written[p].append(self.value(self.stores[p][0]))
            with self.inside(inner, (base,)), guarded:
                self._vector_stores(written, left)

    def _counts(self, wanted: Sequence[int], axes: Sequence[int], consumed: bool) -> bool:
        """Whether a neighbour's own counter is used."""
        if consumed and any(t.node.op.combine in ("argminimum", "argmaximum") for t in self.terms):
            return True
        for k in wanted:
            base = self.terms[k].base
            if base is not None and any(self.accesses[base].strides[axis] for axis in axes):
                return True
        return any(
            self.terms[k].node.op.kind is Kind.GENERATE and self.spans(k, axes) for k in wanted
        )

    def neighbours(self, memory: Pointer, place: Operand, width: int) -> Sequence[Value]:
        """Write the load of neighbouring elements from a multiple of their number on."""
        if width == 1:
            return [self.builder.load(memory, self.at(place))]
        return self.device.vector(memory, self.at(place), width)

    def store_neighbours(self, memory: Pointer, place: Operand, values: Sequence[Operand]) -> None:
        """Write the store of neighbouring elements from a multiple of their number on."""
        if len(values) == 1:
            self.builder.store(memory, self.at(place), values[0])
        else:
            self.device.emit(VectorStore(memory, self.at(place), tuple(values)))

    def _vector_loads(
        self, inner: Frame, base: Operand, width: int, wanted: Sequence[int], left: Operand | None
    ) -> dict[int, tuple[Value, ...]]:
        held: dict[int, tuple[Value, ...]] = {}
        loaded: dict[object, tuple[Value, ...]] = {}
        with self.inside(inner, (base,)):
            for k in wanted:
                if k in self.accesses and self.get(k) is None:
                    place = self.accesses[k]
                    if inner.axes[0].stride(place.strides):
                        # Both parts of complex numbers come with one vector.
                        whole = replace(place, part=0)
                        key = (whole.owner, whole.offset, whole.strides)
                        if key not in loaded:
                            size = width * place.unit
                            pointer = self._aligned(whole, self.terms[k].dtype, size)
                            some = self._some(left, place.unit)
                            index = self.index(whole)
                            loaded[key] = self.device.vector(pointer, index, size, some)
                        held[k] = loaded[key][place.part :: place.unit]
        return held

    def _some(self, left: Operand | None, unit: int) -> Operand | None:
        """Write how many numbers there are where so many elements are left."""
        return left if left is None else self.times(left, unit)

    def _vector_gathers(
        self, inner: Frame, base: Operand, width: int, wanted: Sequence[int], left: Operand | None
    ) -> dict[int, tuple[Value, ...]]:
        """Write the gathers whose elements lie side by side: the indices stay along the axis."""
        held: dict[int, tuple[Value, ...]] = {}
        axes = inner.axes[0].axes
        with self.inside(inner, (base,)):
            for k in wanted:
                term = self.terms[k]
                if term.base is None or self.get(k) is not None:
                    continue
                place = self.accesses[term.base]
                known = all(self.get(a) is not None for a in term.args)
                if not known or place.unit != 1 or inner.axes[0].stride(place.strides) != 1:
                    continue
                assert isinstance(term.node.attr, Gathered)
                jumps = [self.layout_strides[term.base][axis] for axis in term.node.attr.axes]
                jumps += [s for axis, s in enumerate(place.strides) if axis not in axes]
                if any(jump % width for jump in (place.offset, *jumps)):
                    continue
                pointer = self._aligned(place, term.dtype, width)
                held[k] = self.device.vector(pointer, self.gathered_index(term), width, left)
        return held

    def _vector_stores(self, written: dict[int, list[Operand]], left: Operand | None) -> None:
        """Write the stores at some positions, those of the parts of one output together."""
        for p, values in written.items():
            k, place = self.stores[p]
            if place.part:
                continue
            parts = [values, *(written[p + n] for n in range(1, place.unit))]
            whole = [value for lane in zip(*parts, strict=True) for value in lane]
            pointer = self._aligned(place, self.terms[k].dtype, len(whole))
            passing = self.passing and len(whole) * pointer.dtype.itemsize % VECTOR_BYTES == 0
            some = self._some(left, place.unit)
            index = self.index(place)
            self.device.emit(VectorStore(pointer, index, tuple(whole), passing, some))

    def _aligned(self, place: Access, dtype: DType, width: int) -> Pointer:
        pointer = self.pointer(place, dtype)
        self.alignment[pointer.name] = width * dtype.itemsize
        return pointer

    # -- finishing ---------------------------------------------------------------------------

    def device_launch(
        self,
        blocks: int,
        threads: int,
        comments: Sequence[str],
        otherwise: DeviceLaunch | None = None,
        resident: int = 1,
        shared_bytes: int = 0,
        smaller: Callable[[], DeviceLaunch] | None = None,
    ) -> DeviceLaunch:
        """Return the finished kernel with its arguments."""
        self.report_bounds()
        kernel = DeviceKernel(
            self.name,
            tuple(self.parameters),
            self.builder.finish(),
            tuple(comments),
            threads,
            resident,
            shared_bytes,
        )
        aligned = tuple(
            (position, self.alignment[p.name])
            for position, p in enumerate(self.parameters)
            if p.name in self.alignment
        )
        return DeviceLaunch(kernel, tuple(self.arguments), blocks, aligned, otherwise, smaller)

    def below(self, a: Operand, c: Operand) -> Value:
        """Write whether an index is below another."""
        return self.builder.call("less", a, c)

    def part(self, key: object, dtype: DType, offset: int) -> Pointer:
        """Return scratch memory that other blocks see."""
        return self.scratch(key, dtype, offset, False, True)

    def at(self, *terms: Operand) -> Index:
        """Return the index that is the sum of some values."""
        values = tuple((1, t) for t in terms if isinstance(t, Value))
        constant = sum(int(t.value) for t in terms if isinstance(t, Literal))
        return Index(constant, values)


def _halved(most: int, cost: float, limit: float) -> int:
    """Return how many of this cost stay within a limit, by halving."""
    while most > 1 and cost * most > limit:
        most //= 2
    return most
