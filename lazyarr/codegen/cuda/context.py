"""The code generation context of GPU templates: vectors, and code of neighbouring elements."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import NamedTuple

from lazyarr.codegen.cuda import compile_cost, tuning
from lazyarr.codegen.cuda.element_code import ElementCode
from lazyarr.codegen.cuda.index_context import DeviceIndices
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.passes import run_passes
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import Operand, Pointer, Value
from lazyarr.schedule.index_terms import wrapped_steps

__all__ = ["DeviceLowering", "LateTerms", "Neighbours"]


class Neighbours(NamedTuple):
    """Elements side by side along the last axis of a frame.

    Attributes
    ----------
    frame : Frame
        The loops over the elements.
    counters : sequence of Operand
        The counters of these loops at the first element.
    width : int
        The number of elements; more than one only where vectors of so many are loaded and stored.
    left : Operand, optional
        The number of elements before the end, which may be fewer than `width`; None: all are there.
        Terms are computed for those behind the end, too, but they are neither loaded nor stored.
    is_apart : bool, optional
        Whether they are loaded one by one. None of them is stored.
    """

    frame: Frame
    counters: Sequence[Operand]
    width: int
    left: Operand | None = None
    is_apart: bool = False


class LateTerms(NamedTuple):
    """Terms whose values are put in for one element at a time, such as results of reductions.

    Attributes
    ----------
    put : callable
        Puts the values in for the element of a number, before the terms that use them are written.
    terms : container of int
        The terms.
    """

    put: Callable[[int], None]
    terms: Container[int]


class DeviceLowering(DeviceIndices):
    """The state of lowering one group to one device kernel; templates drive it.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool
        Whether neighbouring elements may be loaded at once.
    """

    def __init__(self, planned: PlannedGroup, vectors: bool = True) -> None:
        super().__init__(planned)
        self.code = ElementCode(self.analysis, vectors)
        #: Whether results go past the caches.
        self.passing = False

    def write_neighbours(
        self,
        elements: Neighbours,
        chosen: Sequence[int],
        stores: Sequence[int],
        consume: Callable[[int, Operand], None] | None = None,
        late: LateTerms | None = None,
        guard: Operand | None = None,
        loaded: Mapping[int, tuple[Operand, ...]] | None = None,
    ) -> None:
        """Write the code of neighbouring elements.

        Parameters
        ----------
        elements : Neighbours
            The elements.
        chosen : sequence of int
            Terms to write.
        stores : sequence of int
            Positions of the stores to write.
        consume : callable, optional
            Called with the number of each element and its counter, when its terms have values.
        late : LateTerms, optional
            Terms with values for one element at a time.
        guard : Operand, optional
            Whether to store; the terms are written in any case.
        loaded : mapping of int to tuple of Operand, optional
            The values of terms that :meth:`load_neighbours` has loaded.
        """
        frame, counters, width = elements.frame, elements.counters, elements.width
        guarded = self.builder.when(guard) if guard is not None and stores else nullcontext()
        if width == 1:
            with self.inside(frame, counters):
                for k, (value,) in (loaded or {}).items():
                    self.put(k, value)
                if late is not None:
                    late.put(0)
                open_terms = [k for k in chosen if self.get(k) is None]
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
        late_terms: Container[int] = () if late is None else late.terms
        with self.inside(outer, counters[:-1]):
            if elements.is_apart:
                loaded = {}
            if loaded is None:
                loaded = self._vector_loads(inner, base, width, chosen, elements.left)
            vectors = dict(loaded)
            self.write(
                k
                for k in chosen
                if k not in vectors
                and self.get(k) is None
                and all(not self.spans(j, axes) and j not in late_terms for j in self.needed([k]))
            )
            if any(self.terms[k].base is not None for k in chosen):
                # Imported here: few expressions gather.
                from lazyarr.codegen.cuda.vector_gathers import vector_gathers

                vectors |= vector_gathers(self, inner, base, width, chosen)
            written: dict[int, list[Operand]] = {p: [] for p in stores}
            for lane in range(width):
                counter = base
                if elements.is_apart:
                    counter = self.plus(base, self.integer(lane))
                elif lane and self._counts(chosen, axes, consume is not None):
                    counter = self.plus(base, self.integer(lane))
                    self._neighbours[counter] = (base, lane)
                with self.inside(inner, (counter,)):
                    for k, values in vectors.items():
                        self.put(k, values[lane])
                    if late is not None:
                        late.put(lane)
                    self.write(k for k in chosen if self.get(k) is None)
                    if consume is not None:
                        consume(lane, counter)
                    for p in stores:
                        written[p].append(self.value(self.stores[p][0]))
            if written:
                with self.inside(inner, (base,)), guarded:
                    self.store_vectors(written, elements.left)

    def load_neighbours(
        self, elements: Neighbours, chosen: Sequence[int]
    ) -> Mapping[int, tuple[Operand, ...]]:
        """Write the loads that differ from vector to vector, and return their values.

        Parameters
        ----------
        elements : Neighbours
            The elements.
        chosen : sequence of int
            The terms that are to be computed for them.
        """
        frame, counters, width = elements.frame, elements.counters, elements.width
        if width > 1:
            inner = Frame(frame.axes[-1:])
            with self.inside(Frame(frame.axes[:-1]), counters[:-1]):
                return self._vector_loads(inner, counters[-1], width, chosen, elements.left)
        with self.inside(frame, counters):
            loads = [k for k in chosen if self.terms[k].loaded and self.get(k) is None]
            self.write(loads)
            return {k: (self.value(k),) for k in loads}

    def _counts(self, chosen: Sequence[int], axes: Sequence[int], consumed: bool) -> bool:
        """Whether a neighbour's own counter is used."""
        if consumed and self._finds_positions():
            return True
        for k in chosen:
            base = self.terms[k].base
            if base is None:
                continue
            rows = [self.accesses[base].strides, *wrapped_steps(self.terms[k])]
            if any(row[axis] for row in rows for axis in axes):
                return True
        return any(
            self.terms[k].node.op.kind is Kind.GENERATE and self.spans(k, axes) for k in chosen
        )

    def _finds_positions(self) -> bool:
        reducers = (term.node.op.reducer for term in self.terms)
        return any(reducer is not None and reducer.is_positional for reducer in reducers)

    def open_terms(self, sinks: Iterable[int]) -> list[int]:
        """Return the terms that must be written for `sinks`: all that have no value yet."""
        return self.needed(sinks, (k for k in range(len(self.terms)) if self.get(k) is not None))

    def neighbours(self, memory: Pointer, place: Operand, width: int) -> Sequence[Value]:
        """Write the load of neighbouring elements from a multiple of their number on.

        Parameters
        ----------
        memory : Pointer
            What they lie in.
        place : Operand
            The index of the first.
        width : int
            How many: a power of two.
        """
        if width == 1:
            return [self.builder.load(memory, self.at(place))]
        return self.device.vector(memory, self.at(place), width)

    def store_neighbours(self, memory: Pointer, place: Operand, values: Sequence[Operand]) -> None:
        """Write the store of neighbouring elements from a multiple of their number on.

        Parameters
        ----------
        memory : Pointer
            Where they are stored.
        place : Operand
            The index of the first.
        values : sequence of Operand
            A power of two of them.
        """
        if len(values) == 1:
            self.builder.store(memory, self.at(place), values[0])
        else:
            self.device.store_vector(memory, self.at(place), values)

    def _vector_loads(
        self, inner: Frame, base: Operand, width: int, chosen: Sequence[int], left: Operand | None
    ) -> dict[int, tuple[Value, ...]]:
        vectors: dict[int, tuple[Value, ...]] = {}
        loaded: dict[object, tuple[Value, ...]] = {}
        with self.inside(inner, (base,)):
            for k in chosen:
                if k in self.accesses and self.get(k) is None:
                    place = self.accesses[k]
                    if inner.axes[0].stride(place.strides):
                        # Both parts of complex numbers come with one vector.
                        whole = replace(place, part=0)
                        key = (whole.owner, whole.offset, whole.strides)
                        if key not in loaded:
                            size = width * place.unit
                            pointer = self.aligned(whole, self.terms[k].dtype, size)
                            some = self._some(left, place.unit)
                            index = self.index(whole)
                            loaded[key] = self.device.vector(pointer, index, size, some)
                        vectors[k] = loaded[key][place.part :: place.unit]
        return vectors

    def _some(self, left: Operand | None, unit: int) -> Operand | None:
        """Write how many numbers there are where so many elements are left."""
        return left if left is None else self.times(left, unit)

    def store_vectors(self, written: dict[int, list[Operand]], left: Operand | None = None) -> None:
        """Write the stores at some positions, those of the parts of one output together.

        Parameters
        ----------
        written : dict of int to list of Operand
            The values of neighbours by the position of the store.
        left : Operand, optional
            How many neighbours there are, if that may be fewer.
        """
        for p, values in written.items():
            k, place = self.stores[p]
            if place.part:
                continue
            parts = [values, *(written[p + n] for n in range(1, place.unit))]
            whole = [value for lane in zip(*parts, strict=True) for value in lane]
            pointer = self.aligned(place, self.terms[k].dtype, len(whole))
            passing = self._choose_passing(len(whole) * pointer.dtype.itemsize)
            some = self._some(left, place.unit)
            index = self.index(place)
            self.device.store_vector(pointer, index, whole, passing, some)

    def _choose_passing(self, nbytes: int) -> bool:
        """Return whether a store of so many bytes side by side passes the cache."""
        return self.passing and nbytes % tuning.row().vector_bytes == 0

    def device_launch(
        self,
        blocks: int,
        threads: int,
        otherwise: DeviceLaunch | None = None,
        min_blocks: int = 1,
        shared_bytes: int = 0,
        smaller: Callable[[], DeviceLaunch] | None = None,
    ) -> DeviceLaunch:
        """Return the finished kernel with its arguments.

        Parameters
        ----------
        blocks, threads : int
            Of the launch, and of a block.
        otherwise : DeviceLaunch, optional
            The launch for addresses that are not aligned.
        min_blocks : int, optional
            Blocks that a multiprocessor is to have room for.
        shared_bytes : int, optional
            Of the shared memory that the launch gives.
        smaller : callable, optional
            Returns a launch for a GPU that has less.
        """
        self.checks.report_bounds()
        kernel = run_passes(
            DeviceKernel(
                self.name,
                tuple(self.parameters.declared),
                self.builder.finish(),
                tuple(self.planned.comments),
                threads=threads,
                min_blocks=min_blocks,
                shared_bytes=shared_bytes,
                shared_divisions=tuning.row().shared_divisions,
                searches=self.device.searches,
            )
        )
        kernel = replace(kernel, tiered=compile_cost.is_long(kernel.body))
        aligned = tuple(
            (position, self.alignment[p.name])
            for position, p in enumerate(self.parameters.declared)
            if p.name in self.alignment
        )
        return DeviceLaunch(
            kernel, tuple(self.parameters.arguments), blocks, aligned, otherwise, smaller
        )
