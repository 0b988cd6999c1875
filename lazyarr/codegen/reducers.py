"""Reductions as kernels accumulate them.

Floating sums are taken in blocks of :data:`BLOCK` consecutive elements. Within a block the target
may keep several lanes; the blocks' sums are added in order with Knuth's two-sum, which keeps the
rounding error of every addition (Knuth, The Art of Computer Programming 2, 4.2.2). Sums of float32
and float16 are taken in float64. Which elements form a block depends on the shape alone, so the
result has the same bits for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Literal, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.loop_ir.reducer import Reducer, as_dtype
from lazyarr.schedule.index_terms import Term

Look = Callable[[Operand, Operand], None]
Search = Callable[[Look], None]

__all__ = [
    "BLOCK",
    "Accumulator",
    "Component",
    "components_of",
    "finish",
    "initial_state",
    "is_compensated",
    "merge_states",
    "reducer_of",
    "result_of",
    "step_state",
    "takes_blocks",
    "total_of",
]

DType = np.dtype[Any]
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)

#: Elements summed without compensation.
BLOCK = 256


@dataclass(frozen=True, slots=True)
class Component:
    """One number of a reduction's running state, as it is kept between kernels."""

    dtype: DType
    initial: bool | int | float


def reducer_of(term: Term) -> Reducer:
    """Return the reducer of a reduction or scan.

    Raises
    ------
    ContractError
        If kernels do not reduce it.
    """
    reducer = term.node.op.reducer
    if reducer is None:
        raise ContractError(f"{term.node.op.name} is not a reduction of kernels")
    return reducer


def components_of(term: Term) -> tuple[Component, ...]:
    """Return the state that a reduction keeps."""
    reducer = reducer_of(term)
    dtypes = reducer.state(register_dtype(term.source_dtype), register_dtype(term.dtype))
    if dtypes is None:
        raise ContractError(f"no kernel reduces {term.source_dtype} by {term.node.op.name}")
    return tuple(map(Component, dtypes, reducer.identity(dtypes)))


class Accumulator:
    """Emits the code of one reduction with its state in scalar variables.

    Parameters
    ----------
    builder : Builder
        Where to write.
    term : Term
        The reduction, or that of one part of complex numbers.
    blocked : bool
        Whether blocks are compensated. Without it, all elements of a pass are one block.
    """

    def __init__(self, builder: Builder, term: Term, blocked: bool) -> None:
        self.builder = builder
        self.term = term
        self.reducer = reducer_of(term)
        self.components = components_of(term)
        self.compensated = blocked and is_compensated(term)
        self.narrow = _sums_narrowly(term)
        literal = [builder.literal(c.initial, c.dtype) for c in self.components]
        self.totals = [builder.declare(self.reducer.name, initial) for initial in literal]
        self.lost: Value | None = None
        if self.compensated:
            self.lost = builder.declare("lost", literal[0])
        self.block: Value | None = None

    @property
    def positional(self) -> bool:
        """Whether the result is a position."""
        return self.reducer.is_positional

    @property
    def blocked(self) -> bool:
        """Whether elements are taken in blocks."""
        return self.compensated or self.positional or self.narrow

    def begin_block(self) -> None:
        """Start a block of elements."""
        if self.blocked:
            first = self.components[0]
            dtype = FLOAT32 if self.narrow else first.dtype
            literal = self.builder.literal(first.initial, dtype)
            self.block = self.builder.declare("part", literal)

    def update(self, value: Operand) -> None:
        """Take in one element."""
        b, primitive = self.builder, self.reducer.primitive
        if primitive is None:
            state = [b.snapshot(total) for total in self.totals]
            self._assign(self.reducer.step(b, state, [value]))
            return
        variable = self.block if self.block is not None else self.totals[0]
        same = as_dtype(b, value, variable.dtype)
        b.update(variable, primitive(variable.dtype), variable, same, reassociate=True)

    def end_block(self, search: Search) -> None:
        """Add the block to the total, keeping the rounding error of the addition.

        `search` writes a loop over the block again, to find where the block's best element is. It
        runs only for blocks that are better than all before.
        """
        if self.block is None:
            return
        part, self.block = self.block, None
        if self.narrow:
            self.update(self.builder.snapshot(part))
            return
        if not self.positional:
            self._two_sum(part)
            return
        b = self.builder
        best, place = self.totals
        extreme = b.snapshot(part)
        with b.when(self._is_better(extreme, b.snapshot(best))):
            far = b.literal(np.iinfo(np.int64).max, INT64)
            first = b.declare("place", far)

            def look(value: Operand, position: Operand) -> None:
                hit: Operand = b.call("equal", value, extreme)
                if kind_of(value.dtype) == "f":
                    both = b.call(
                        "and",
                        b.call("not_equal", value, value),
                        b.call("not_equal", extreme, extreme),
                    )
                    hit = b.call("or", hit, both)
                here = b.call("select", hit, position, far)
                b.update(first, "minimum", first, here)

            search(look)
            b.assign(best, extreme)
            b.assign(place, first)

    def merge(self, parts: list[Operand]) -> None:
        """Take in the state of a later part of the same reduction."""
        if self.lost is not None:
            self._two_sum(parts[0])
        elif self.positional:
            self._take_better(parts[0], parts[1])
        elif self.reducer.primitive is not None:
            self.update(parts[0])
        else:
            state = [self.builder.snapshot(total) for total in self.totals]
            self._assign(self.reducer.merge(self.builder, state, parts))

    def state(self) -> list[Operand]:
        """Return the finished state."""
        if self.lost is None:
            return list(self.totals)
        return [total_of(self.builder, [self.totals[0], self.lost])]

    def result(self) -> Operand:
        """Return the reduced value in the node's dtype."""
        state = self.state()
        if self.reducer.primitive is None:
            state = [self.builder.snapshot(total) for total in self.totals]
        return finish(self.builder, self.term, self.reducer.finish(self.builder, state))

    def _assign(self, state: Sequence[Operand]) -> None:
        for total, value in zip(self.totals, state, strict=True):
            self.builder.assign(total, value)

    def _two_sum(self, part: Operand) -> None:
        b = self.builder
        total, lost = self.totals[0], self.lost
        assert lost is not None and self.reducer.compensation is not None
        after, rest = self.reducer.compensation(b, b.snapshot(total), part)
        b.update(lost, "add", lost, rest)
        b.assign(total, after)

    def _take_better(self, value: Operand, position: Operand) -> None:
        """Keep the first best element; the first NaN beats everything, as in NumPy."""
        b = self.builder
        best, place = self.totals
        current = b.snapshot(best)
        better = self._is_better(value, current)
        b.update(place, "select", better, position, b.snapshot(place))
        b.update(best, "select", better, value, current)

    def _is_better(self, value: Operand, best: Operand) -> Operand:
        assert self.reducer.better is not None
        return self.reducer.better(self.builder, value, best)


def is_compensated(term: Term) -> bool:
    """Whether the sums of blocks are added with compensation."""
    return reducer_of(term).compensation is not None and term.source_dtype == FLOAT64


def takes_blocks(term: Term) -> bool:
    """Return whether the elements of long rows are taken in blocks.

    Parameters
    ----------
    term : Term
        The reduction.
    """
    return reducer_of(term).is_positional or is_compensated(term) or _sums_narrowly(term)


def _sums_narrowly(term: Term) -> bool:
    """Whether blocks are summed in float32 and added in float64, as in other matrix products."""
    source = term.node.src[0] if term.node.src else None
    return source is not None and source.op.allows_fma and term.source_dtype == FLOAT32


def initial_state(builder: Builder, term: Term) -> list[Operand]:
    """Return the state of no elements, with the compensation of compensated sums.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    term : Term
        The reduction.
    """
    state: list[Operand] = [builder.literal(c.initial, c.dtype) for c in components_of(term)]
    return [*state, *state] if is_compensated(term) else state


def step_state(
    builder: Builder, term: Term, state: Sequence[Operand], value: Operand, position: Operand
) -> Sequence[Operand]:
    """Write the state after one more element, without compensation.

    Parameters
    ----------
    builder : Builder
        Where to write.
    term : Term
        The reduction.
    state : sequence of Operand
        That of the elements before.
    value, position : Operand
        The element, and where it is along the reduced axes.
    """
    reducer = reducer_of(term)
    if _keeps_first(term):
        return reducer.step(builder, [as_dtype(builder, value, state[0].dtype)], state)
    element = [value, position] if reducer.is_positional else [value]
    return reducer.step(builder, state, element)


def merge_states(
    builder: Builder, term: Term, state: Sequence[Operand], later: Sequence[Operand]
) -> Sequence[Operand]:
    """Write the state after a later one.

    A state of two numbers for a compensated sum keeps what additions lose.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    term : Term
        The reduction.
    state : sequence of Operand
        That of the elements before.
    later : sequence of Operand
        That of the elements behind them; of a compensated sum only its first number is added.
    """
    b, reducer = builder, reducer_of(term)
    if reducer.compensation is not None and len(state) == 2:
        part = as_dtype(b, later[0], state[0].dtype)
        after, rest = reducer.compensation(b, state[0], part)
        return [after, b.call("add", state[1], rest)]
    if _keeps_first(term):
        return reducer.merge(b, [as_dtype(b, later[0], state[0].dtype)], state)
    return reducer.merge(b, state, later)


def _keeps_first(term: Term) -> bool:
    """Whether of two zeros the first is the extremum, which primitives take for their second one.

    NumPy's loops over float16 keep the first, those over float32 and float64 the last.
    """
    reducer = reducer_of(term)
    if term.source_dtype != np.float16 or reducer.is_positional:
        return False
    primitive = reducer.primitive
    return primitive is not None and primitive(FLOAT32) in ("minimum", "maximum")


def result_of(builder: Builder, term: Term, state: Sequence[Operand]) -> Operand:
    """Write a reduction's result, in the register dtype of its node, from a merged state.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    term : Term
        The reduction.
    state : sequence of Operand
        That of all elements.
    """
    if is_compensated(term):
        state = [total_of(builder, state)]
    return finish(builder, term, reducer_of(term).finish(builder, state))


def total_of(builder: Builder, state: Sequence[Operand]) -> Operand:
    """Write the result of a state of one number, or of a total and its compensation.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    state : sequence of Operand
        One number, or a float64 total and the sum of what its additions lost.
    """
    if len(state) == 1:
        return state[0]
    total, lost = state
    # An infinite total makes the lost part NaN; the total alone is right then.
    both = builder.call("add", total, lost)
    return builder.call("select", builder.call("equal", lost, lost), both, total)


def finish(builder: Builder, term: Term, value: Operand) -> Operand:
    """Return a reduction's final state in the register dtype of its result.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    term : Term
        The reduction.
    value : Operand
        The final state, of any dtype that converts to that of the result.
    """
    target = register_dtype(term.dtype)
    if value.dtype != target:
        value = builder.call("convert", value, dtype=target)
    if is_narrow(term.dtype) and isinstance(value, Value | Literal):
        value = builder.round_to(value, term.dtype)
    return value
