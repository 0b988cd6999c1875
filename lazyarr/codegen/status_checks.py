"""Runtime checks: floating-point exceptions and bounds of indices, reported once a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from lazyarr.codegen.launch import Bounds, Status
from lazyarr.codegen.parameters import KernelParameters
from lazyarr.codegen.scalar import fallible, paired, possible_faults
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Kind, Node, WarningText
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.schedule.index_terms import Term

__all__ = ["CheckedKernel", "RuntimeChecks", "suspects"]

DType = np.dtype[Any]
INT64 = np.dtype(np.int64)
UINT64 = np.dtype(np.uint64)
#: By the bytes of a float, the integer with the same bits.
_WORDS: dict[int, DType] = {4: np.dtype(np.uint32), 8: UINT64}


class CheckedKernel(Protocol):
    """The code of one kernel while it is written, as runtime checks need it.

    Attributes
    ----------
    reports : bool
        Whether it reports the conditions of which NumPy warns.
    """

    reports: bool

    @property
    def builder(self) -> Builder:
        """The builder that statements are appended to."""

    @property
    def terms(self) -> Sequence[Term]:
        """The terms of the kernel, operands first."""

    @property
    def parameters(self) -> KernelParameters:
        """Its parameters."""

    def value(self, k: int) -> Operand:
        """Return the value of a term that was written."""

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64.

        Parameters
        ----------
        key : object
            What the parameter stands for; the same key has the same parameter.
        value : int
            The number.
        """

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""


class RuntimeChecks:
    """The runtime checks of one kernel, whose results it reports at its end.

    Parameters
    ----------
    low : CheckedKernel
        The kernel.
    """

    def __init__(self, low: CheckedKernel) -> None:
        self.low = low
        self._faults: dict[Status, Value] = {}
        #: Bits of differences of floats from themselves: 0 as long as all are finite.
        self._remainders: dict[tuple[Status, DType], Value] = {}
        #: The same of each lane, by their number.
        self._lane_remainders: dict[tuple[Status, DType, int], Pointer] = {}
        self._lanes: tuple[Value, int] | None = None
        self._farthest: dict[Bounds, Value] = {}
        self._selected = _under_selections(low.terms)
        self._suspects = suspects(low.terms) if low.reports else frozenset()

    def check_result(
        self, node: Node, result: Operand, operands: Sequence[Operand], going: Operand | None
    ) -> None:
        """Write the checks of a result for exceptions that no flag of the processor reports.

        Where `going` is false the result is not used, and there is nothing to check.

        Parameters
        ----------
        node : Node
            The elementwise node.
        result : Operand
            Its value; one part of a complex one.
        operands : sequence of Operand
            Its operands, a complex one as two values.
        going : Operand or None
            A bool: whether the result is used; None: it is.
        """
        for status, condition in self._conditions(node, result, operands):
            if going is not None:
                condition = self.low.builder.call("and", condition, going)
            self._remember(status, condition)

    def _conditions(
        self, node: Node, result: Operand, operands: Sequence[Operand]
    ) -> Iterator[tuple[Status, Operand]]:
        b, reports = self.low.builder, self.low.reports
        if reports and node.op.raises is not None:
            yield Status(node.op, Status.RAISED), node.op.raises(b, *operands)
        if (
            reports
            and node.op.emits_warning
            and isinstance(node.attr, WarningText)
            and node.attr.text
        ):
            yield Status(node.op, Status.WARNING, node), operands[-1]
        if (
            reports
            and node.op.raises_no_flag
            and kind_of(node.dtype) == "c"
            and possible_faults(node)
        ):
            yield Status(node.op, Status.SUSPECT), self._infinite_or_unknown(result)
        if reports and kind_of(node.dtype) not in "fc" and possible_faults(node):
            assert node.op.faults is not None
            arguments = paired(node, operands)
            for fault, condition in node.op.faults(b, result, *arguments).items():
                # Of elements that the user did not select there is nothing to say.
                kind = Status.SUSPECT if node in self._selected else fault
                yield Status(node.op, kind), condition

    def check_select(self, term: Term) -> None:
        """Write the check for suspect values among which an operation chooses.

        A target may compute a value only where it is chosen, or under a mask that hides its flags.
        """
        for k in self._suspects.intersection(term.args) if term.node.op.is_select else ():
            status = Status(self.low.terms[k].node.op, Status.SUSPECT)
            self._remember_remainder(status, self.low.value(k))

    def checks_selections(self, terms: Iterable[int]) -> bool:
        """Return whether terms choose among suspect values.

        Parameters
        ----------
        terms : iterable of int
            The terms.
        """
        chosen = (self.low.terms[k] for k in terms)
        return any(
            term.node.op.is_select and not self._suspects.isdisjoint(term.args) for term in chosen
        )

    @contextmanager
    def in_lanes(self, lane: Value, lanes: int) -> Iterator[None]:
        """Have each lane of a block record what it meets, so that none waits for the others.

        Parameters
        ----------
        lane : Value
            Which of them an element is.
        lanes : int
            How many there are.
        """
        self._lanes = lane, lanes
        yield
        self._lanes = None

    def _remember_remainder(self, status: Status, value: Operand) -> None:
        """Write code that records whether a value was ever infinite or NaN.

        A finite number less itself is 0, all bits of which are 0; other numbers give NaN. Vectors
        have these operations for all floats, but a maximum of integers of 64 bits only where they
        have 64 bytes, and comparisons give masks.
        """
        b = self.low.builder
        word = _WORDS[value.dtype.itemsize]
        if self._lanes is not None:
            self._remember_lane_remainder(status, value, *self._lanes)
            return
        seen = self._remainders.get((status, value.dtype))
        if seen is None:
            seen = b.declare_first("remainder", b.literal(0, word))
            self._remainders[status, value.dtype] = seen
        b.update(seen, "or", seen, self._remainder(value))

    def _remainder(self, value: Operand) -> Value:
        word = _WORDS[value.dtype.itemsize]
        return self.low.builder.call(
            "bitcast", self.low.builder.call("subtract", value, value), dtype=word
        )

    def _remember_lane_remainder(
        self, status: Status, value: Operand, lane: Value, lanes: int
    ) -> None:
        b, key = self.low.builder, (status, value.dtype, lanes)
        word = _WORDS[value.dtype.itemsize]
        if key not in self._lane_remainders:
            with b.first():
                self._lane_remainders[key] = remainders = b.local("remainders", word, lanes)
                end = Literal(lanes, INT64)
                with b.loop("l", Literal(0, INT64), end, AxisKind.LANES) as each:
                    b.store(remainders, Index(0, ((1, each),)), b.literal(0, word))
        remainders, place = self._lane_remainders[key], Index(0, ((1, lane),))
        seen = b.load(remainders, place)
        b.store(remainders, place, b.call("or", seen, self._remainder(value)))

    def _infinite_or_unknown(self, value: Operand) -> Value:
        b = self.low.builder
        size = b.call("absolute", value)
        return b.call("not", b.call("less", size, b.literal(np.inf, value.dtype)))

    def _remember(self, status: Status, condition: Operand) -> None:
        """Write code that records whether a condition was ever true."""
        b = self.low.builder
        seen = self._faults.get(status)
        if seen is None:
            seen = b.declare_first("bad", Literal(False, condition.dtype))
            self._faults[status] = seen
        b.update(seen, "or", seen, condition)

    def within(self, bounds: Bounds, size: int, index: Operand) -> Value:
        """Write the position of an index along an axis, and the check of its bounds.

        Parameters
        ----------
        bounds : Bounds
            The gather, and the axis of its source that is indexed.
        size : int
            Elements along that axis.
        index : Operand
            An int64; a negative one counts from the end.
        """
        b = self.low.builder
        extent = self.low.wide(("extent", bounds), size)
        zero = b.literal(0, INT64)
        behind = b.call("add", index, extent)
        index = b.call("select", b.call("less", index, zero), behind, index)
        # Seen without a sign, what is still negative lies beyond the end too.
        far = b.call("bitcast", index, dtype=UINT64)
        seen = self._farthest.get(bounds)
        if seen is None:
            seen = b.declare_first("far", b.literal(0, UINT64))
            self._farthest[bounds] = seen
        b.update(seen, "maximum", seen, far)
        inside = b.call("less", far, b.call("bitcast", extent, dtype=UINT64))
        return self.low.as_index(b.call("select", inside, index, zero))

    def report_faults(self) -> None:
        """Write the report of the conditions that were true; once a call, not once an element."""
        b = self.low.builder
        remainders = list(self._remainders.items())
        for (status, dtype, lanes), of_lanes in self._lane_remainders.items():
            together = b.declare("remainder", b.literal(0, of_lanes.dtype))
            with b.loop("l", Literal(0, INT64), Literal(lanes, INT64)) as lane:
                b.update(together, "or", together, b.load(of_lanes, Index(0, ((1, lane),))))
            remainders.append(((status, dtype), together))
        for (status, dtype), remainder in remainders:
            none = b.literal(0, _WORDS[dtype.itemsize])
            self._remember(status, b.call("not_equal", b.snapshot(remainder), none))
        for k, (status, seen) in enumerate(self._faults.items()):
            pointer = self.low.parameters.reported(f"status{k}", seen.dtype, status)
            with b.when(seen):
                b.store(pointer, Index(), seen)

    def report_bounds(self) -> None:
        """Write the report of the farthest index if it is too far; once a call."""
        b = self.low.builder
        for k, (bounds, seen) in enumerate(self._farthest.items()):
            pointer = self.low.parameters.reported(f"far{k}at", UINT64, bounds)
            size = bounds.node.src[0].shape[bounds.axis]
            extent = b.call("bitcast", self.low.wide(("extent", bounds), size), dtype=UINT64)
            farthest = b.snapshot(seen)
            with b.when(b.call("greater_equal", farthest, extent)):
                b.store(pointer, Index(), farthest)


def _under_selections(terms: Sequence[Term]) -> frozenset[Node]:
    """Return the nodes whose elements may be others than the user selected."""
    selected: set[int] = set()
    for k, term in enumerate(terms):
        if term.node.op.kind is Kind.ELEMENTWISE and not term.loaded:
            if term.node.op.selects or not selected.isdisjoint(term.args):
                selected.add(k)
    return frozenset(terms[k].node for k in selected)


def suspects(terms: Sequence[Term]) -> frozenset[int]:
    """Return the terms that may be infinite or NaN and that operations choose or leave out.

    What another operation takes in, whatever its other operands are, is computed of every element:
    the processor's flags say all of it.

    Parameters
    ----------
    terms : sequence of Term
        Those of a kernel, operands before users.
    """
    chosen: set[int] = set()
    used: set[int] = set()
    required: set[int] = set()
    for k in reversed(range(len(terms))):
        term = terms[k]
        for argument in term.args:
            if term.node.op.is_select and terms[argument].node is not term.node.src[0]:
                chosen.add(argument)
            elif term.node.op.loop is None and (k in required or k not in used):
                required.add(argument)
        used.update(term.args)
    return frozenset(
        k for k in chosen - required if not terms[k].loaded and fallible(terms[k].node)
    )
