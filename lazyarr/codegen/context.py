"""What every loop template shares: parameters, loads, stores and the code of terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen import inner_loops, shared_tuning
from lazyarr.codegen.launch import (
    Address,
    Argument,
    Bounds,
    Flags,
    Launch,
    Number,
    Scalar,
    Scratch,
)
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis, collapse
from lazyarr.codegen.passes import run_passes
from lazyarr.codegen.reducers import Accumulator
from lazyarr.codegen.scalar import expand, fallible
from lazyarr.codegen.status_checks import Notices
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Kernel, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.ops.gather import Gathered
from lazyarr.schedule.fusion import Group, layout_of
from lazyarr.schedule.index_terms import Term, levels, parts_of, position_of, sink_view
from lazyarr.schedule.memory import Plan, access

__all__ = ["Lowering"]

DType = np.dtype[Any]
INT64 = np.dtype(np.int64)


class Lowering:
    """The state of lowering one group to one kernel; templates drive it.

    Parameters
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    name : str
        Of the kernel.
    """

    #: Whether kernels tell what they met of which NumPy warns.
    reports = True

    def __init__(self, group: Group, plan: Plan, layouts: dict[Node, Any], name: str) -> None:
        assert group.trace is not None
        self.group = group
        self.plan = plan
        self.name = name
        self.terms = group.trace.terms
        self.level = levels(group.trace)
        dear = [term for term in self.terms if term.node.op.cost > 2]
        self._divisors = {self.terms[k].node for term in dear for k in term.args}
        self.domain = group.domain
        ndim = len(group.domain)
        self.builder = Builder()
        self.begin = Value("begin", INT64)
        self.end = Value("end", INT64)
        self.parameters: list[Pointer | Value] = []
        self.arguments: list[Argument] = []
        self._by_key: dict[object, Pointer | Value] = {}
        self.notices = Notices(self)
        self._values: list[dict[int, Operand]] = [{}]
        self.frames: list[tuple[Frame, tuple[Operand, ...]]] = []
        self.accesses: dict[int, Access] = {}
        self.layout_strides: dict[int, tuple[int, ...]] = {}  # of all that is loaded, by term
        for k, term in enumerate(self.terms):
            if term.loaded:
                layout = layout_of(term.node, layouts)
                assert layout is not None
                offset, strides = access(layout, term.view, ndim)
                self.layout_strides[k] = layout.strides
                unit = len(parts_of(term.node))
                self.accesses[k] = Access.of_part(layout.owner, offset, strides, unit, term.part)
        first = len(group.members)
        self.stores: list[tuple[int, Access]] = []
        for sink, output in zip(group.trace.sinks[first:], group.outputs, strict=True):
            view = sink_view(output.node, self.domain, group.reduced)
            offset, strides = access(output.layout, view, ndim)
            for part, k in enumerate(sink):
                place = Access.of_part(output.layout.owner, offset, strides, len(sink), part)
                self.stores.append((k, place))
        self.written = {self._memory(place.owner) for _, place in self.stores}

    def _memory(self, owner: object) -> object:
        """Return what identifies the bytes behind a stored value."""
        if isinstance(owner, Node):
            return self.plan.home.get(owner, owner)
        return owner

    # -- loop structure ----------------------------------------------------------------------

    def step_patterns(self, which: Iterable[int] | None = None) -> list[tuple[int, ...]]:
        """Return the strides of all accesses and index generators among some terms."""
        chosen = range(len(self.terms)) if which is None else which
        patterns = []
        for k in chosen:
            base = self.terms[k].base
            if base is not None:
                patterns.append(self.accesses[base].strides)
            if k in self.accesses:
                patterns.append(self.accesses[k].strides)
            elif self.terms[k].node.op.kind is Kind.GENERATE:
                patterns.append(position_of(self.terms[k], self.domain)[1])
        patterns += [a.strides for k, a in self.stores if which is None or k in set(chosen)]
        return patterns

    def frame(self, axes: Iterable[int], which: Iterable[int] | None = None) -> Frame:
        """Return the merged loops over some axes, for all terms or only for some."""
        return collapse(self.domain, axes, self.step_patterns(which))

    @contextmanager
    def inside(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Give the loop counters of a frame while the code of a body is written."""
        self.frames.append((frame, tuple(counters)))
        self._values.append({})
        try:
            yield
        finally:
            self.frames.pop()
            self._values.pop()

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget the values computed inside when the block ends."""
        self._values.append({})
        try:
            yield
        finally:
            self._values.pop()

    def decode(self, linear: Operand, frame: Frame) -> list[Operand]:
        """Write the counters of a frame for a linear index."""
        b = self.builder
        if not frame.axes:
            return []
        counters: list[Operand] = []
        rest = linear
        for axis in reversed(frame.axes[1:]):
            size = self.number(("size", axis.axes), axis.size, "n")
            counters.append(b.call("remainder", rest, size))
            rest = b.call("divide", rest, size)
        counters.append(rest)
        return counters[::-1]

    def least(self, a: Operand, c: Operand) -> Operand:
        """Write the smaller of two integers."""
        return self.builder.call("minimum", a, c)

    def integer(self, value: int) -> Literal:
        """Return an int64 of the source text."""
        return Literal(value, INT64)

    # -- parameters --------------------------------------------------------------------------

    def number(self, key: object, value: int, prefix: str) -> Value:
        """Return the parameter that passes an integer."""
        found = self._by_key.get(key)
        if found is None:
            count = sum(p.name.startswith(prefix) for p in self.parameters)
            found = self._add(key, Value(f"{prefix}{count}", INT64), Number(value))
        assert isinstance(found, Value)
        return found

    def pointer(self, place: Access, dtype: DType) -> Pointer:
        """Return the parameter that passes the address of an access."""
        owner = place.owner
        memory = self._memory(owner)
        offset = place.offset * dtype.itemsize
        key = ("pointer", memory, offset, dtype)
        found = self._by_key.get(key)
        if found is None:
            assert isinstance(owner, Node)
            written = memory in self.written
            prefix = "out" if written else "in"
            count = sum(p.name.startswith(prefix) for p in self.parameters)
            found = self._add(
                key, Pointer(f"{prefix}{count}", dtype, written), Address(owner, offset)
            )
        assert isinstance(found, Pointer)
        return found

    def scratch(self, key: object, dtype: DType, offset: int, own: bool, write: bool) -> Pointer:
        """Return the parameter that passes an address in scratch memory."""
        found = self._by_key.get(("scratch", key))
        if found is None:
            count = sum(p.name.startswith("tmp") for p in self.parameters)
            found = self._add(
                ("scratch", key), Pointer(f"tmp{count}", dtype, write), Scratch(offset, own)
            )
        assert isinstance(found, Pointer)
        return found

    def _add(self, key: object, parameter: Pointer | Value, argument: Argument) -> Pointer | Value:
        self._by_key[key] = parameter
        self.parameters.append(parameter)
        self.arguments.append(argument)
        return parameter

    # -- terms -------------------------------------------------------------------------------

    def needed(self, sinks: Iterable[int], known: Iterable[int] = ()) -> list[int]:
        """Return the terms that `sinks` need, in order, without entering the `known` ones."""
        stop = set(known)
        seen: set[int] = set()
        stack = list(sinks)
        while stack:
            k = stack.pop()
            if k not in seen:
                seen.add(k)
                if k not in stop:
                    stack.extend(self.terms[k].args)
        return sorted(seen)

    def spans(self, k: int, axes: Iterable[int]) -> bool:
        """Whether a term's own index map moves along any of the axes."""
        rows = self.terms[k].view.coefficients
        return any(row[axis] for axis in axes for row in rows)

    def put(self, k: int, value: Operand) -> None:
        """Make `value` the value of a term in the current scope."""
        self._values[-1][k] = value

    def get(self, k: int) -> Operand | None:
        """Return a term's value if it was written in a scope that is still open."""
        for scope in reversed(self._values):
            if k in scope:
                return scope[k]
        return None

    def write(self, wanted: Iterable[int]) -> None:
        """Write the code of terms; their operands come first or are known."""
        for k in wanted:
            if self.get(k) is None:
                self.put(k, self._write(k))

    def value(self, k: int) -> Operand:
        """Return the value of a term that was written."""
        found = self.get(k)
        if found is None:
            raise ContractError(f"term {k} ({self.terms[k].node}) is used before it is written")
        return found

    def _write(self, k: int) -> Operand:
        term = self.terms[k]
        node = term.node
        if term.loaded:
            place = self.accesses[k]
            return self.builder.load(self.pointer(place, term.dtype), self.index(place))
        match node.op.kind:
            case Kind.CONSTANT:
                return self._constant(term)
            case Kind.PARAMETER:
                return self._scalar(term, Scalar(node, term.part))
            case Kind.GENERATE:
                values = [self._counter(term), *(self.value(a) for a in term.args)]
                made = expand(self.builder, node, values)
                assert made is not None
                return made
            case Kind.ELEMENTWISE:
                result = self.compute(node, [self.value(a) for a in term.args], part=term.part)
                self.notices.of_choice(term)
                return result
            case Kind.GATHER:
                return self._gather(term)
            case _:
                raise ContractError(f"{node} cannot be computed inside a kernel")

    def compute(
        self, node: Node, operands: Sequence[Operand], going: Operand | None = None, part: int = 0
    ) -> Operand:
        """Write one element of a constant or an elementwise node, given its operands.

        Where `going` is false the value is not used, and there is nothing to warn of.
        """
        b = self.builder
        if node.op.kind is Kind.CONSTANT:
            assert isinstance(node.attr, bytes)
            scalar = np.frombuffer(node.attr, node.dtype)[0].item()
            return b.literal(scalar, register_dtype(node.dtype))
        if node.op.loop is not None:
            return inner_loops.write_loop(self, node.op.loop, operands)[node.op.output]
        result = expand(b, node, operands, part)
        assert result is not None
        self.notices.of_result(node, result, operands, going)
        return result

    def _gather(self, term: Term) -> Operand:
        """Write the load of an element whose place is computed."""
        assert term.base is not None
        pointer = self.pointer(self.accesses[term.base], term.dtype)
        return self.builder.load(pointer, self.gathered_index(term))

    def gathered_index(self, term: Term) -> Index:
        """Write the place of what a gather reads, and the checks of its bounds."""
        assert term.base is not None and isinstance(term.node.attr, Gathered)
        place = self.accesses[term.base]
        source = self.terms[term.base].node
        steps = self.layout_strides[term.base]
        found = self.index(place)
        terms = list(found.terms)
        for axis, k in zip(term.node.attr.axes, term.args, strict=True):
            bounds = Bounds(term.node, axis)
            where = self.notices.within(bounds, source.shape[axis], self.value(k))
            stride = steps[axis] * place.unit
            factor: int | Value = stride
            if stride != place.unit:
                key = ("stride", self._memory(place.owner), source, axis)
                factor = self.number(key, stride, "d")
            if stride:
                terms.append((factor, where))
        return Index(found.constant, tuple(terms))

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64."""
        return self.number(key, value, "n")

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""
        return value

    def told(self, name: str, dtype: DType, what: Argument) -> Pointer:
        """Return the parameter that passes where the kernel tells something."""
        pointer = Pointer(name, dtype, True)
        self._add(what, pointer, what)
        return pointer

    def report_bounds(self) -> None:
        """Write code that tells of indices out of bounds."""
        self.notices.report_bounds()

    def _constant(self, term: Term) -> Operand:
        """Return a constant, as an argument where that costs nothing: others use the code then.

        Integers stay in the code of dear operations: division by a known one is cheap.
        """
        node, dtype = term.node, term.dtype
        assert isinstance(node.attr, bytes)
        scalar = np.frombuffer(node.attr, dtype)[term.part].item()
        if dtype.kind == "f" or (dtype.kind in "iu" and node not in self._divisors):
            return self._scalar(term, Number(scalar))
        return self.builder.literal(scalar, register_dtype(dtype))

    def _scalar(self, term: Term, argument: Argument) -> Value:
        key = (term.node, term.part)
        found = self._by_key.get(key)
        if found is None:
            count = sum(p.name.startswith("s") for p in self.parameters)
            found = self._add(key, Value(f"s{count}", register_dtype(term.dtype)), argument)
        assert isinstance(found, Value)
        return found

    def _counter(self, term: Term) -> Operand:
        """Write the position of a generated element: an affine function of the counters."""
        b = self.builder
        offset, row = position_of(term, self.domain)
        total: Operand = self.integer(0)
        if offset:
            total = self.number(("offset", id(term)), offset, "a")
        for axis, counter in self._moving(row):
            factor = axis.stride(row)
            step = counter
            if factor != 1:
                value = self.number(("factor", id(term), axis.axes), factor, "a")
                step = b.call("multiply", counter, value)
            is_zero = isinstance(total, Literal)
            total = step if is_zero else b.call("add", total, step)
        return total

    def _moving(self, strides: Sequence[int]) -> Iterator[tuple[LoopAxis, Operand]]:
        for frame, counters in self.frames:
            for axis, counter in zip(frame.axes, counters, strict=True):
                if axis.stride(strides):
                    yield axis, counter

    def index(self, place: Access) -> Index:
        """Return the index of an access for the current loop counters."""
        terms: list[tuple[int | Value, Value]] = []
        constant = 0
        for axis, counter in self._moving(place.strides):
            stride = axis.stride(place.strides)
            if isinstance(counter, Literal):
                constant += stride * int(counter.value)
                continue
            factor: int | Value = stride
            if stride != place.unit:
                key = ("stride", self._memory(place.owner), place.offset, place.strides, axis.axes)
                factor = self.number(key, stride, "d")
            terms.append((factor, counter))
        if constant:
            raise ContractError("a loop counter is a constant other than zero")
        return Index(place.part, tuple(terms))

    def store(self, k: int, place: Access) -> None:
        """Write a term's value to where an output lies."""
        dtype = self.terms[k].dtype
        self.builder.store(self.pointer(place, dtype), self.index(place), self.value(k))

    # -- finishing ---------------------------------------------------------------------------

    def kernel(self, comments: Sequence[str]) -> Kernel:
        """Return the finished kernel."""
        self.notices.report_faults()
        self.report_bounds()
        flags = None
        if any(fallible(term.node) for term in self.terms if not term.loaded):
            flags = self.told("flags", np.dtype(np.int32), Flags())
        kernel = Kernel(
            self.name, tuple(self.parameters), self.builder.finish(), tuple(comments), flags=flags
        )
        return run_passes(kernel)

    def grain(self) -> int:
        """Return how many elements are worth handing to another thread, a multiple of 1024.

        The time of one is estimated, as measured on processors with 512-bit vectors, to within a
        factor of two for most kernels.
        """
        widest = max(self.terms[k].dtype.itemsize for k, _ in self.stores)
        arithmetic = moved = 0
        for term in self.terms:
            if term.loaded:
                moved += term.dtype.itemsize
            elif term.args:
                arithmetic += term.node.op.cost
                widest = max(widest, term.dtype.itemsize)
        moved += sum(self.terms[k].dtype.itemsize for k, _ in self.stores)
        time = max(
            shared_tuning.row().byte_ns * moved,
            shared_tuning.row().addition_ns * arithmetic * widest / 8,
        )
        return max(1, round(shared_tuning.row().task_ns / max(time, 1e-3) / 1024)) * 1024

    def launch(self, count: int, chunk: int, comments: Sequence[str]) -> Launch:
        """Return the finished kernel with its arguments."""
        return Launch(
            self.kernel(comments), tuple(self.arguments), count, max(1, min(chunk, max(count, 1)))
        )

    def accumulator(self, k: int, blocked: bool) -> Accumulator:
        """Return the accumulator of a reduction term."""
        return Accumulator(self.builder, self.terms[k], blocked)
