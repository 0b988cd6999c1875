"""Minima and maxima of rows, and their positions, in lanes that all lines of a row share.

An extremum of floats takes a dozen cycles, since NaNs and the signs of zeros count, and each waits
for the one before: what a line leaves over from its vectors takes longer than all of them. Lanes of
a constant number hold an extremum each. A line is taken in blocks of as many elements, and the last
block begins so early that it is whole: what it takes in twice makes no difference to an extremum.
Neither does the order, so the result is that of any other loops. Where a position is asked for,
each lane has that of its first best element, and of equal ones the least is the row's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.reducers import Component, components_of, reducer_of
from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand, Pointer, Value
from lazyarr.loop_ir.reducer import as_dtype
from lazyarr.schedule.index_terms import Term

__all__ = ["ExtremumLanes", "are_in_lanes", "is_float_extremum", "lanes_of"]

_EXTREMA = ("minimum", "maximum")
INT64 = np.dtype(np.int64)
#: Of positions beside numbers of as many bytes, so that one comparison selects both.
_INTEGERS: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: INT64}


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


def _is_position(term: Term) -> bool:
    """Return whether a term is the position of an extremum of numbers of 4 or 8 bytes."""
    reducer = term.node.op.reducer
    if reducer is None or reducer.better is None:
        return False
    dtype = components_of(term)[0].dtype
    return kind_of(dtype) in "fiu" and dtype.itemsize in _INTEGERS


def are_in_lanes(group: GroupTerms, reductions: Iterable[int]) -> bool:
    """Return whether a pass of reductions is one of extrema and their positions in lanes.

    Parameters
    ----------
    group : GroupTerms
        The group.
    reductions : iterable of int
        The terms that the pass reduces.
    """
    terms = [group.terms[k] for k in reductions]
    return all(_is_position(term) or is_float_extremum(term) for term in terms)


def _lane_components(term: Term) -> tuple[Component, ...]:
    """Return the state of a lane: a number, and its position in the row where that is the result.

    A row that is reduced as a whole has far fewer than 2**31 elements.
    """
    value = components_of(term)[0]
    if not reducer_of(term).is_positional:
        return (value,)
    return value, Component(_INTEGERS[value.dtype.itemsize], 0)


def lanes_of(
    low: Lowering,
    reductions: Sequence[int],
    sinks: Iterable[int],
    length: int,
    lines: int,
    *,
    positions: bool = False,
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
    positions : bool, optional
        Whether positions of extrema count as extrema.
    """
    if not reductions or any(low.terms[k].node.op.loop is not None for k in low.needed(sinks)):
        return 0
    itemsize = 1
    for k in reductions:
        term = low.terms[k]
        if not (is_float_extremum(term) or (positions and _is_position(term))):
            return 0
        itemsize = max(itemsize, sum(part.dtype.itemsize for part in _lane_components(term)))
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
        Terms: minima and maxima, and positions of them.
    lanes : int
        Of each.
    """

    def __init__(self, low: Lowering, reductions: Sequence[int], lanes: int) -> None:
        self.low, self.lanes = low, lanes
        b = low.builder
        self.memory: dict[int, list[Pointer]] = {}
        for k in reductions:
            parts = _lane_components(low.terms[k])
            self.memory[k] = [b.local("lanes", part.dtype, lanes) for part in parts]
        with b.loop("l", low.integer(0), low.integer(lanes), AxisKind.LANES) as lane:
            for k, pointers in self.memory.items():
                parts = _lane_components(low.terms[k])
                for pointer, part in zip(pointers, parts, strict=True):
                    b.store(pointer, _at(lane), b.literal(part.initial, part.dtype))

    def take_line(
        self,
        length: int,
        size: Operand,
        place: Callable[[Operand], AbstractContextManager[None]],
        element: Callable[[], Mapping[int, Operand]],
        base: Operand | None = None,
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
        base : Operand, optional
            The position of the line's first element in the row, if that is not 0.
        """
        low, b = self.low, self.low.builder
        width = low.integer(self.lanes)
        count = low.number(("blocks", self.lanes), -(-length // self.lanes), "n")
        with b.loop("k", low.integer(0), count) as block:
            last = b.call("subtract", size, width)
            first = low.least(b.call("multiply", block, width), last)
            before = first if base is None else b.call("add", base, first)
            with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                with place(b.call("add", first, lane)):
                    for k, value in element().items():
                        if len(self.memory[k]) == 1:
                            self._take(k, lane, value)
                        else:
                            self._take_position(k, lane, value, (before, lane))

    def _take(self, k: int, lane: Value, value: Operand) -> None:
        b, (pointer,) = self.low.builder, self.memory[k]
        primitive = reducer_of(self.low.terms[k]).primitive
        assert primitive is not None
        best = b.declare("best", b.load(pointer, _at(lane)))
        same = as_dtype(b, value, best.dtype)
        b.update(best, primitive(best.dtype), best, same, reassociate=True)
        b.store(pointer, _at(lane), best)

    def _take_position(
        self, k: int, lane: Value, value: Operand, place: tuple[Operand, Operand]
    ) -> None:
        """Write the step of an element, whose position is a sum of two numbers."""
        b = self.low.builder
        dtype = self.memory[k][1].dtype
        position = b.call("add", *(b.call("convert", part, dtype=dtype) for part in place))
        state = [b.load(pointer, _at(lane)) for pointer in self.memory[k]]
        element = [as_dtype(b, value, state[0].dtype), position]
        self._store(k, lane, reducer_of(self.low.terms[k]).step(b, state, element))

    def _store(self, k: int, lane: Value, state: Sequence[Operand]) -> None:
        for pointer, part in zip(self.memory[k], state, strict=True):
            self.low.builder.store(pointer, _at(lane), part)

    def result(self, k: int) -> Value:
        """Write the extremum of all lanes, or its position.

        Parameters
        ----------
        k : int
            The reduction.
        """
        low, b, lanes = self.low, self.low.builder, self.memory[k]
        primitive = reducer_of(low.terms[k]).primitive
        assert primitive is not None
        if len(lanes) == 1:
            return self._joined(lanes[0], primitive(lanes[0].dtype))
        values, places = lanes
        dtype = places.dtype
        copy = b.local("lanes", values.dtype, self.lanes)
        width, far = low.integer(self.lanes), b.literal(np.iinfo(dtype).max, dtype)
        with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
            b.store(copy, _at(lane), b.load(values, _at(lane)))
        best = b.snapshot(self._joined(copy, primitive(values.dtype)))
        with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
            value = b.load(values, _at(lane))
            is_best: Operand = b.call("equal", value, best)
            if kind_of(values.dtype) == "f":
                are_nan = (b.call("not_equal", number, number) for number in (value, best))
                is_best = b.call("or", is_best, b.call("and", *are_nan))
            b.store(places, _at(lane), b.call("select", is_best, b.load(places, _at(lane)), far))
        place = b.snapshot(self._joined(places, "minimum"))
        return b.call("convert", place, dtype=INT64)

    def _joined(self, memory: Pointer, primitive: str) -> Value:
        """Write the reduction of all lanes by a primitive, in their memory."""
        low, b, width = self.low, self.low.builder, self.lanes
        while width % 2 == 0:
            # Half of the lanes with the other half: of each lane by itself the next would wait.
            width //= 2
            with b.loop("l", low.integer(0), low.integer(width), AxisKind.LANES) as lane:
                best = b.declare("best", b.load(memory, _at(lane)))
                other = b.load(memory, Index(width, ((1, lane),)))
                b.update(best, primitive, best, other, reassociate=True)
                b.store(memory, _at(lane), best)
        best = b.declare("best", b.load(memory, Index(0, ())))
        with b.loop("l", low.integer(1), low.integer(width)) as lane:
            b.update(best, primitive, best, b.load(memory, _at(lane)), reassociate=True)
        return best


def _at(lane: Value) -> Index:
    return Index(0, ((1, lane),))
