"""What every loop template shares: parameters, loads, stores and the code of terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen import inner_loops
from lazyarr.codegen.gathers import gathered_index
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import (
    Flags,
    Launch,
    Number,
    Scalar,
    Scratch,
)
from lazyarr.codegen.loop_nest import Access, Frame, LoopPosition
from lazyarr.codegen.parameters import KernelParameters
from lazyarr.codegen.passes import run_passes
from lazyarr.codegen.scalar import expand, fallible
from lazyarr.codegen.status_checks import Notices
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Kernel, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.index_terms import Term, position_of
from lazyarr.schedule.memory import Plan

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
        self.group = group
        self.name = name
        self.analysis = GroupTerms(group, layouts)
        self.terms = self.analysis.terms
        self.domain = group.domain
        self.accesses = self.analysis.accesses
        self.stores = self.analysis.stores
        dear = [term for term in self.terms if term.node.op.cost > 2]
        self._divisors = {self.terms[k].node for term in dear for k in term.args}
        self.builder = Builder()
        self.begin = Value("begin", INT64)
        self.end = Value("end", INT64)
        self.parameters = KernelParameters(self.analysis, plan)
        self.notices = Notices(self)
        self._values: list[dict[int, Operand]] = [{}]
        self.position = LoopPosition()

    # -- loop structure ----------------------------------------------------------------------

    def frame(self, axes: Iterable[int], which: Iterable[int] | None = None) -> Frame:
        """Return the merged loops over some axes, for all terms or only for some.

        Parameters
        ----------
        axes : iterable of int
            Axes of the domain, outermost first.
        which : iterable of int, optional
            The terms that the loops are for; default: all.
        """
        return self.analysis.frame(axes, which)

    @contextmanager
    def inside(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Give the loop counters of a frame while the code of a body is written."""
        with self.position.inside(frame, counters), self.scope():
            yield

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
        """Return the parameter that passes an integer.

        Parameters
        ----------
        key : object
            What it stands for; the same key has the same parameter.
        value : int
            The number.
        prefix : str
            Of the parameter's name.
        """
        return self.parameters.number(key, value, prefix, INT64)

    def scratch(self, key: object, dtype: DType, offset: int, own: bool, write: bool) -> Pointer:
        """Return the parameter that passes an address in scratch memory.

        Parameters
        ----------
        key : object
            What lies there.
        dtype : numpy.dtype
            Of its elements.
        offset : int
            In bytes.
        own : bool
            Whether every worker has such memory of its own.
        write : bool
            Whether the kernel writes there.
        """
        return self.parameters.scratch(key, dtype, Scratch(offset, own), write)

    # -- terms -------------------------------------------------------------------------------

    def needed(self, sinks: Iterable[int], known: Iterable[int] = ()) -> list[int]:
        """Return the terms that `sinks` need, in order, without entering the `known` ones.

        Parameters
        ----------
        sinks : iterable of int
            Terms; they are among the result.
        known : iterable of int
            Terms whose operands are not needed.
        """
        return self.analysis.needed(sinks, known)

    def spans(self, k: int, axes: Iterable[int]) -> bool:
        """Whether a term's own index map moves along any of the axes.

        Parameters
        ----------
        k : int
            The term.
        axes : iterable of int
            Axes of the domain.
        """
        return self.analysis.spans(k, axes)

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
            return self.builder.load(self.parameters.pointer(place, term.dtype), self.index(place))
        match node.op.kind:
            case Kind.CONSTANT:
                return self._constant(term)
            case Kind.PARAMETER:
                return self.parameters.scalar(term, Scalar(node, term.part))
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
                assert term.base is not None
                pointer = self.parameters.pointer(self.accesses[term.base], term.dtype)
                return self.builder.load(pointer, gathered_index(self, term))
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

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64."""
        return self.number(key, value, "n")

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""
        return value

    def _constant(self, term: Term) -> Operand:
        """Return a constant, as an argument where that costs nothing: others use the code then.

        Integers stay in the code of dear operations: division by a known one is cheap.
        """
        node, dtype = term.node, term.dtype
        assert isinstance(node.attr, bytes)
        scalar = np.frombuffer(node.attr, dtype)[term.part].item()
        if dtype.kind == "f" or (dtype.kind in "iu" and node not in self._divisors):
            return self.parameters.scalar(term, Number(scalar))
        return self.builder.literal(scalar, register_dtype(dtype))

    def _counter(self, term: Term) -> Operand:
        """Write the position of a generated element: an affine function of the counters."""
        b = self.builder
        offset, row = position_of(term, self.domain)
        total: Operand = self.integer(0)
        if offset:
            total = self.number(("offset", id(term)), offset, "a")
        for factor, axes, counter in self.position.moving(row):
            step = counter
            if factor != 1:
                value = self.number(("factor", id(term), axes), factor, "a")
                step = b.call("multiply", counter, value)
            is_zero = isinstance(total, Literal)
            total = step if is_zero else b.call("add", total, step)
        return total

    def index(self, place: Access) -> Index:
        """Return the index of an access for the current loop counters."""
        terms: list[tuple[int | Value, Value]] = []
        constant = 0
        for stride, axes, counter in self.position.moving(place.strides):
            if isinstance(counter, Literal):
                constant += stride * int(counter.value)
                continue
            factor: int | Value = stride
            if stride != place.unit:
                memory = self.parameters.memory(place.owner)
                key = ("stride", memory, place.offset, place.strides, axes)
                factor = self.number(key, stride, "d")
            terms.append((factor, counter))
        if constant:
            raise ContractError("a loop counter is a constant other than zero")
        return Index(place.part, tuple(terms))

    def store(self, k: int, place: Access) -> None:
        """Write a term's value to where an output lies."""
        dtype = self.terms[k].dtype
        self.builder.store(self.parameters.pointer(place, dtype), self.index(place), self.value(k))

    # -- finishing ---------------------------------------------------------------------------

    def launch(self, count: int, chunk: int, comments: Sequence[str]) -> Launch:
        """Return the finished kernel with its arguments.

        Parameters
        ----------
        count : int
            Work items.
        chunk : int
            Work items that are worth handing to another thread.
        comments : sequence of str
            Lines for the reader above the kernel.
        """
        self.notices.report_faults()
        self.notices.report_bounds()
        flags = None
        if any(fallible(term.node) for term in self.terms if not term.loaded):
            flags = self.parameters.reported("flags", np.dtype(np.int32), Flags())
        parameters = tuple(self.parameters.declared)
        arguments = tuple(self.parameters.arguments)
        body = self.builder.finish()
        kernel = run_passes(Kernel(self.name, parameters, body, tuple(comments), flags=flags))
        return Launch(kernel, arguments, count, max(1, min(chunk, max(count, 1))))
