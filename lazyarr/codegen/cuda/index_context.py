"""Parameters and indices of a kernel, shared by all GPU templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.builder import DeviceBuilder
from lazyarr.codegen.cuda.launch import Ahead, Counter
from lazyarr.codegen.cuda.quotients import divided
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Access, Frame
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.schedule.index_terms import Term, position_of

__all__ = ["DeviceIndices", "power_of_two"]

DType = np.dtype[Any]
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
UINT32 = np.dtype(np.uint32)
FLOAT64 = np.dtype(np.float64)

#: Indices of int32 stay this far below its end, so that the last block may overshoot.
MARGIN = 1 << 24


class DeviceIndices(Lowering):
    """The state of lowering one group to one device kernel: parameters and indices.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    """

    reports = False

    def __init__(self, planned: PlannedGroup) -> None:
        super().__init__(planned, planned.group.name)
        self.index_dtype = self._index_dtype()
        self.device = DeviceBuilder(self.index_dtype)
        self.builder = self.device
        self._counters: Pointer | None = None
        #: Bytes of which addresses must be multiples, by the names of pointers.
        self.alignment: dict[str, int] = {}
        # Counters of neighbours: that of the first, and how far from it.
        self._neighbours: dict[Operand, tuple[Operand, int]] = {}

    def _index_dtype(self) -> DType:
        reach = self._points()
        places = [*self.accesses.values(), *(place for _, place in self.stores)]
        for place in places:
            steps = zip(self.domain, place.strides, strict=True)
            reach = max(reach, sum(max(size - 1, 0) * abs(stride) for size, stride in steps))
        for term in self.terms:
            if term.base is not None:
                # What is gathered from may be larger than the domain.
                source = self.terms[term.base].node
                steps = zip(source.shape, self.analysis.layout_strides[term.base], strict=True)
                whole = sum((size - 1) * abs(stride) for size, stride in steps)
                reach = max(reach, whole * self.accesses[term.base].unit)
        return INT32 if reach < 2**31 - MARGIN else INT64

    def _points(self) -> int:
        """Return the number of points that an index may count through."""
        return prod(self.domain)

    def integer(self, value: int) -> Literal:
        """Return an index of the source text."""
        return Literal(value, self.index_dtype)

    def number(self, key: object, value: int, prefix: str) -> Value:
        """Return the parameter that passes an index.

        Parameters
        ----------
        key : object
            What the parameter stands for; the same key has the same parameter.
        value : int
            The number.
        prefix : str
            Of the parameter's name.
        """
        return self.parameters.number(key, value, prefix, self.index_dtype)

    def real(self, key: object, value: float) -> Value:
        """Return the parameter that passes a float64.

        Parameters
        ----------
        key : object
            What the parameter stands for; the same key has the same parameter.
        value : float
            The number.
        """
        return self.parameters.number(key, value, "r", FLOAT64)

    def ahead(self, nbytes: int) -> Value:
        """Return the parameter that says how many pieces of so many bytes to fetch beforehand."""
        parameter = Value("ahead", self.index_dtype)
        self.parameters.add("ahead", parameter, Ahead(nbytes))
        return parameter

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64.

        Parameters
        ----------
        key : object
            What the parameter stands for; the same key has the same parameter.
        value : int
            The number.
        """
        return self.parameters.number(key, value, "c", INT64)

    def as_index(self, value: Value) -> Value:
        """Write the conversion of an int64 to the dtype of indices."""
        return self.builder.call("convert", value, dtype=self.index_dtype)

    def plus(self, a: Operand, c: Operand) -> Operand:
        """Write the sum of two indices.

        Parameters
        ----------
        a, c : Operand
            The indices.
        """
        if isinstance(a, Literal) and a.value == 0:
            return c
        if isinstance(c, Literal) and c.value == 0:
            return a
        return self.device.arithmetic("+", a, c)

    def times(self, a: Operand, factor: int) -> Operand:
        """Write an index times a number of the source text.

        Parameters
        ----------
        a : Operand
            The index.
        factor : int
            The number.
        """
        if isinstance(a, Literal):
            return self.integer(int(a.value) * factor)
        return a if factor == 1 else self.device.arithmetic("*", a, self.integer(factor))

    def least(self, a: Operand, c: Operand) -> Operand:
        """Write the smaller of two indices.

        Parameters
        ----------
        a, c : Operand
            The indices.
        """
        return self.device.arithmetic("min", a, c)

    def panel(
        self, linear: Operand, panels: int, width: Operand, fronts: Frame
    ) -> tuple[Operand, Operand, Operand]:
        """Write the panel of columns, its matrix, and where its row begins, from a number.

        Of a single matrix all is known but the panel.

        Parameters
        ----------
        linear : Operand
            The number among the panels of all matrices.
        panels : int
            Of one matrix.
        width : Operand
            Columns of a matrix.
        fronts : Frame
            The loops over matrices.
        """
        if not fronts.axes:
            return linear, self.integer(0), self.integer(0)
        count = self.number("panels", panels, "n")
        front, panel = divided(self, linear, panels, count)
        return panel, front, self.device.arithmetic("*", front, width)

    def decode(self, linear: Operand, frame: Frame) -> list[Operand]:
        """Write the counters of a frame for a linear index.

        Parameters
        ----------
        linear : Operand
            The index in C order.
        frame : Frame
            The loops.
        """
        if not frame.axes:
            return []
        counters: list[Operand] = []
        rest = linear
        for axis in reversed(frame.axes[1:]):
            size = self.number(("size", axis.axes), axis.size, "n")
            rest, counter = divided(self, rest, axis.size, size)
            counters.append(counter)
        counters.append(rest)
        return counters[::-1]

    def aligned(self, place: Access, dtype: DType, width: int) -> Pointer:
        """Return the pointer of an access by vectors: its address must be a multiple of their size.

        Parameters
        ----------
        place : Access
            How memory is stepped through.
        dtype : numpy.dtype
            Of its elements.
        width : int
            Elements of a vector.
        """
        pointer = self.parameters.pointer(place, dtype)
        self.alignment[pointer.name] = width * dtype.itemsize
        return pointer

    def counters(self, count: int) -> Pointer:
        """Return the parameter that passes counters which are 0 when the kernel starts."""
        if self._counters is None:
            pointer = Pointer("counters", UINT32, True)
            self.parameters.add("counters", pointer, Counter(count))
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
        neighbour, multiple = 0, tuning.row().vector_elements
        if offset:
            total, multiple = self.wide(("offset", id(term)), offset), 1
        for factor, axes, counter in self.position.moving(row):
            power = min(factor & -factor, tuning.row().vector_elements)
            if factor == 1 and counter in self._neighbours:
                counter, neighbour = self._neighbours[counter]
            else:
                multiple = min(multiple, power)
            if counter.dtype == INT32:
                counter = b.call("convert", counter, dtype=UINT32)
            step: Operand = b.call("convert", counter, dtype=INT64)
            if factor != 1:
                wide = self.wide(("factor", id(term), axes), factor // power)
                step = b.call("multiply", step, wide)
                if power != 1:
                    step = b.call("multiply", step, Literal(power, INT64))
            is_zero = isinstance(total, Literal) and total.value == 0
            total = step if is_zero else b.call("add", total, step)
        if not neighbour:
            return total
        return b.call("or" if neighbour < multiple else "add", total, Literal(neighbour, INT64))

    @contextmanager
    def instead(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Be elsewhere in all loops that are open, while the code of a body is written.

        Parameters
        ----------
        frame : Frame
            The loops that are open in the body.
        counters : sequence of Operand
            Their counters.
        """
        with self.position.outside(), self.inside(frame, counters):
            yield

    def below(self, a: Operand, c: Operand) -> Value:
        """Write whether an index is below another.

        Parameters
        ----------
        a, c : Operand
            The indices.
        """
        return self.builder.call("less", a, c)

    def part(self, key: object, dtype: DType, offset: int) -> Pointer:
        """Return scratch memory that other blocks see.

        Parameters
        ----------
        key : object
            What lies there.
        dtype : numpy.dtype
            Of its elements.
        offset : int
            In bytes.
        """
        return self.scratch(key, dtype, offset, False, True)

    def at(self, *terms: Operand) -> Index:
        """Return the index that is the sum of some values."""
        values = tuple((1, t) for t in terms if isinstance(t, Value))
        constant = sum(int(t.value) for t in terms if isinstance(t, Literal))
        return Index(constant, values)


def power_of_two(n: int) -> int:
    """Return the least power of two that is not below `n`.

    Examples
    --------
    >>> power_of_two(5), power_of_two(8), power_of_two(0)
    (8, 8, 1)
    """
    return 1 << max(0, n - 1).bit_length()
