"""The code generation context of loop templates: parameters, loads, stores and term code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from lazyarr.codegen import inner_loops
from lazyarr.codegen.group_terms import GroupTerms, PlannedGroup
from lazyarr.codegen.launch import (
    Flags,
    Launch,
    Number,
    Scalar,
)
from lazyarr.codegen.loop_nest import Access
from lazyarr.codegen.lowering_state import LoweringState
from lazyarr.codegen.passes import run_passes
from lazyarr.codegen.scalar import expand, fallible
from lazyarr.codegen.status_checks import RuntimeChecks
from lazyarr.core.dtypes import kind_of
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.kernel import Index, Kernel, Literal, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term, position_of

__all__ = ["Lowering"]

INT64 = np.dtype(np.int64)


class Lowering(LoweringState):
    """The state of lowering one group to one kernel; templates drive it.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    name : str
        Of the kernel.
    """

    #: Whether kernels report the conditions of which NumPy warns.
    reports = True

    def __init__(self, planned: PlannedGroup, name: str) -> None:
        super().__init__(GroupTerms(planned.group, planned.layouts), planned.plan)
        self.planned = planned
        self.group = planned.group
        self.name = name
        expensive = [term for term in self.terms if term.node.op.cost > 2]
        self._divisors = {self.terms[k].node for term in expensive for k in term.args}
        self.begin = Value("begin", INT64)
        self.end = Value("end", INT64)
        self.checks = RuntimeChecks(self)

    # -- terms -------------------------------------------------------------------------------

    def write(self, terms: Iterable[int]) -> None:
        """Write the code of terms; their operands come first or are known."""
        for k in terms:
            if self.get(k) is None:
                self.put(k, self._write(k))

    def _write(self, k: int) -> Operand:
        term = self.terms[k]
        node = term.node
        if term.loaded:
            place = self.accesses[k]
            anchor = self.anchors.get(k, place)
            apart = 0
            if anchor is not place:
                apart = place.offset + place.part - anchor.offset - anchor.part
            pointer = self.parameters.pointer(anchor, term.dtype)
            return self.builder.load(pointer, self.index(anchor, apart))
        match node.op.kind:
            case Kind.CONSTANT:
                return self._constant(term)
            case Kind.PARAMETER:
                scalar = self.parameters.scalar(term, Scalar(node, term.part))
                self.builder.invariants.add(scalar)
                return scalar
            case Kind.GENERATE:
                values = [self._counter(term), *(self.value(a) for a in term.args)]
                generated = expand(self.builder, node, values)
                assert generated is not None
                return generated
            case Kind.ELEMENTWISE:
                result = self.compute(node, [self.value(a) for a in term.args], part=term.part)
                self.checks.check_select(term)
                return result
            case Kind.GATHER:
                # Imported here: few expressions gather.
                from lazyarr.codegen.gathers import gathered_index, is_search, searched_position

                assert term.base is not None
                elements = self.terms[term.base].dtype
                pointer = self.parameters.pointer(self.accesses[term.base], elements)
                if is_search(term):
                    return searched_position(self, term, pointer)
                return self.builder.load(pointer, gathered_index(self, term))
            case _:
                raise ContractError(f"{node} cannot be computed inside a kernel")

    def compute(
        self, node: Node, operands: Sequence[Operand], going: Operand | None = None, part: int = 0
    ) -> Operand:
        """Write one element of a constant or an elementwise node, given its operands.

        Where `going` is false the value is not used, and there is nothing to warn of.

        Parameters
        ----------
        node : Node
            A constant, or an elementwise node.
        operands : sequence of Operand
            Its operands, a complex one as two values.
        going : Operand, optional
            A bool: whether the value is used; default: it is.
        part : int, optional
            Of a complex result, the part to return: 0 real, 1 imaginary.
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
        self.checks.check_result(node, result, operands, going)
        return result

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""
        return value

    def _constant(self, term: Term) -> Operand:
        """Return a constant, as an argument where that costs nothing: others use the code then.

        Integers stay in the code of expensive operations: division by a known one is cheap.
        """
        node, dtype = term.node, term.dtype
        assert isinstance(node.attr, bytes)
        scalar = np.frombuffer(node.attr, dtype)[term.part].item()
        if kind_of(dtype) == "f" or (kind_of(dtype) in "iu" and node not in self._divisors):
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
            is_zero = isinstance(total, Literal) and total.value == 0
            total = step if is_zero else b.call("add", total, step)
        return total

    def index(self, place: Access, apart: int = 0) -> Index:
        """Return the index of an access for the current loop counters.

        Parameters
        ----------
        place : Access
            The access.
        apart : int
            Elements to go on from there.
        """
        terms: list[tuple[int | Value, Value]] = []
        constant = 0
        for stride, axes, counter in self.position.moving(place.strides):
            if isinstance(counter, Literal):
                constant += stride.__index__() * int(counter.value) if counter.value else 0
                continue
            factor: int | Value = stride
            if self.literal_strides and abs(stride) <= self.literal_strides * place.unit:
                factor = stride.__index__()
            elif stride != place.unit:
                memory = self.parameters.memory(place.owner)
                key = ("stride", memory, place.offset, place.strides, axes)
                factor = self.number(key, stride, "d")
            terms.append((factor, counter))
        return Index(place.part + constant + apart, tuple(terms))

    def store(self, k: int, place: Access) -> None:
        """Write a term's value to where an output lies.

        Parameters
        ----------
        k : int
            The term; its value was written.
        place : Access
            Where the output lies, in elements of the term's dtype.
        """
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
        self.checks.report_faults()
        self.checks.report_bounds()
        flags = None
        if any(fallible(term.node) for term in self.terms if not term.loaded):
            flags = self.parameters.reported("flags", np.dtype(np.int32), Flags())
        parameters = tuple(self.parameters.declared)
        arguments = tuple(self.parameters.arguments)
        body = self.builder.finish()
        kernel = run_passes(Kernel(self.name, parameters, body, tuple(comments), flags=flags))
        return Launch(kernel, arguments, count, max(1, min(chunk, max(count, 1))))
