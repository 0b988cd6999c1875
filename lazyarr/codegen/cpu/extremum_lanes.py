"""Minima and maxima of rows of many lines, in lanes that all lines share.

An extremum of floats takes a dozen cycles, since NaNs and the signs of zeros count, and each waits
for the one before: what a line leaves over from its vectors takes longer than all of them. Lanes of
a constant number hold an extremum each. A line is taken in blocks of as many elements, and the last
block begins so early that it is whole: what it takes in twice makes no difference to an extremum.
Neither does the order, so the result is that of any other loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.reducers import components_of, reducer_of
from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.reducer import as_dtype
from lazyarr.schedule.index_terms import Term

__all__ = ["ExtremumLanes", "is_float_extremum", "lanes_of"]

_EXTREMA = ("minimum", "maximum")


def is_float_extremum(term: Term) -> bool:
    """Return whether a term is the least or the largest floating-point number, and nothing else.

    Parameters
    ----------
    term : Term
        A reduction.
    """
    reducer, dtype = reducer_of(term), components_of(term)[0].dtype
    if reducer.is_positional or reducer.primitive is None or kind_of(dtype) != "f":
        return False
    return reducer.primitive(dtype) in _EXTREMA


def lanes_of(
    low: Lowering, reductions: Sequence[int], sinks: Iterable[int], length: int, lines: int
) -> int:
    """Return the number of lanes for a pass along lines; 0 if it is no pass of extrema alone.

    Parameters
    ----------
    low : Lowering
        The kernel.
    reductions : sequence of int
        The terms that the pass reduces.
    sinks : iterable of int
        The terms whose values it takes.
    length, lines : int
        Elements of a line, and lines of a row.
    """
    if not reductions or any(low.terms[k].node.op.loop is not None for k in low.needed(sinks)):
        return 0
    itemsize = 1
    for k in reductions:
        if not is_float_extremum(low.terms[k]):
            return 0
        itemsize = max(itemsize, components_of(low.terms[k])[0].dtype.itemsize)
    row = tuning.row()
    least, lanes = (nbytes // itemsize for nbytes in (row.least_lane_bytes, row.most_lane_bytes))
    if lines < row.lines_of_lanes:
        # The same for a length alone and among those that a plan serves: one code for both.
        while lanes > least and length < row.lane_blocks * lanes:
            lanes //= 2
        return lanes if length >= lanes else 0
    if type(length) is not int:  # of a plan that serves many
        return least if length >= least else 0
    if length < least:
        return length if length > 1 else 0
    while lanes > least and -(-length // lanes) * lanes > row.lane_excess * length:
        lanes //= 2
    while lanes > length:
        lanes //= 2
    return lanes


class ExtremumLanes:
    """The lanes of the extrema of one pass.

    Parameters
    ----------
    low : Lowering
        The kernel.
    reductions : sequence of int
        Terms: minima and maxima.
    lanes : int
        Of each.
    """

    def __init__(self, low: Lowering, reductions: Sequence[int], lanes: int) -> None:
        self.low, self.lanes = low, lanes
        b = low.builder
        self.memory: dict[int, Pointer] = {}
        for k in reductions:
            component = components_of(low.terms[k])[0]
            self.memory[k] = b.local("lanes", component.dtype, lanes)
        with b.loop("l", low.integer(0), low.integer(lanes), AxisKind.LANES) as lane:
            for k, pointer in self.memory.items():
                component = components_of(low.terms[k])[0]
                b.store(pointer, _at(lane), b.literal(component.initial, component.dtype))

    def take_line(
        self,
        length: int,
        size: Operand,
        place: Callable[[Operand], AbstractContextManager[None]],
        element: Callable[[], Mapping[int, Operand]],
    ) -> None:
        """Write the loops over a line.

        Parameters
        ----------
        length : int
            Its elements, no fewer than there are lanes.
        size : Operand
            The same as a value.
        place : callable
            Gives the counters of the line's frame for a position.
        element : callable
            Writes the value that the present element gives to each reduction.
        """
        low, b = self.low, self.low.builder
        width = low.integer(self.lanes)
        count = low.number(("blocks", self.lanes), -(-length // self.lanes), "n")
        with b.loop("k", low.integer(0), count) as block:
            last = b.call("subtract", size, width)
            first = low.least(b.call("multiply", block, width), last)
            with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                with place(b.call("add", first, lane)):
                    for k, value in element().items():
                        self._take(k, lane, value)

    def _take(self, k: int, lane: Value, value: Operand) -> None:
        b, pointer = self.low.builder, self.memory[k]
        best = b.declare("best", b.load(pointer, _at(lane)))
        self._update(k, best, value)
        b.store(pointer, _at(lane), best)

    def _update(self, k: int, best: Value, value: Operand) -> None:
        primitive = reducer_of(self.low.terms[k]).primitive
        assert primitive is not None
        same = as_dtype(self.low.builder, value, best.dtype)
        self.low.builder.update(best, primitive(best.dtype), best, same, reassociate=True)

    def result(self, k: int) -> Value:
        """Write the extremum of all lanes.

        Parameters
        ----------
        k : int
            The reduction.
        """
        low, b = self.low, self.low.builder
        memory, width = self.memory[k], self.lanes
        while width % 2 == 0:
            # Half of the lanes with the other half: of each lane by itself the next would wait.
            width //= 2
            with b.loop("l", low.integer(0), low.integer(width), AxisKind.LANES) as lane:
                self._take(k, lane, b.load(memory, Index(width, ((1, lane),))))
        component = components_of(low.terms[k])[0]
        best = b.declare("best", b.literal(component.initial, component.dtype))
        with b.loop("l", low.integer(0), low.integer(width)) as lane:
            self._update(k, best, b.load(memory, _at(lane)))
        return best


def _at(lane: Value) -> Index:
    return Index(0, ((1, lane),))
