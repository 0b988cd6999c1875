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

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Literal, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term

Look = Callable[[Operand, Operand], None]
Search = Callable[[Look], None]

__all__ = [
    "BLOCK",
    "PARTWISE",
    "Accumulator",
    "Component",
    "components_of",
    "finish",
    "initial_state",
    "is_better",
    "is_compensated",
    "lattice",
    "merge_states",
    "result_of",
    "total_of",
    "two_sum",
]

DType = np.dtype[Any]
FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)

#: Elements summed without compensation.
BLOCK = 256
#: What combines complex numbers part by part.
PARTWISE = frozenset({"add"})


@dataclass(frozen=True, slots=True)
class Component:
    """One number of a reduction's running state, as it is kept between kernels."""

    dtype: DType
    initial: bool | int | float


def _limits(dtype: DType, largest: bool) -> bool | int | float:
    if dtype.kind == "f":
        return np.inf if largest else -np.inf
    if dtype.kind == "b":
        return largest
    info = np.iinfo(dtype)
    return int(info.max) if largest else int(info.min)


def components_of(term: Term) -> tuple[Component, ...]:
    """Return the state that a reduction keeps."""
    combine = term.node.op.combine
    source = register_dtype(term.source_dtype)
    wide = FLOAT64 if source.kind == "f" else register_dtype(term.dtype)
    match combine:
        case "add" | "deviation":
            return (Component(wide, 0),)
        case "multiply":
            return (Component(wide, 1),)
        case "minimum" | "maximum":
            return (Component(source, _limits(source, combine == "minimum")),)
        case "or" | "and":
            return (Component(np.dtype(np.bool_), combine == "and"),)
        case "argminimum" | "argmaximum":
            return (
                Component(source, _limits(source, combine == "argminimum")),
                Component(INT64, 0),
            )
        case _:
            raise ContractError(f"{term.node.op.name} is not a reduction of kernels")


class Accumulator:
    """Emits the code of one reduction with its state in scalar variables.

    Parameters
    ----------
    builder : Builder
        Where to write.
    term : Term
        The reduction, or that of one part of complex numbers.
    blocked : bool
        Whether blocks are compensated. Without it, all elements of a sweep are one block.
    """

    def __init__(self, builder: Builder, term: Term, blocked: bool) -> None:
        self.builder = builder
        self.term = term
        self.components = components_of(term)
        self.combine = str(term.node.op.combine)
        self.compensated = blocked and is_compensated(term)
        literal = [builder.literal(c.initial, c.dtype) for c in self.components]
        prefix = {"add": "sum", "deviation": "dev", "multiply": "prod"}.get(self.combine, "best")
        if self.combine in ("or", "and"):
            prefix = "any" if self.combine == "or" else "all"
        self.totals = [builder.declare(prefix, initial) for initial in literal]
        self.lost: Value | None = None
        if self.compensated:
            self.lost = builder.declare("lost", literal[0])
        self.block: Value | None = None

    @property
    def positional(self) -> bool:
        """Whether the result is a position."""
        return self.combine in ("argminimum", "argmaximum")

    @property
    def blocked(self) -> bool:
        """Whether elements are taken in blocks."""
        return self.compensated or self.positional

    def begin_block(self) -> None:
        """Start a block of elements."""
        if self.blocked:
            first = self.components[0]
            literal = self.builder.literal(first.initial, first.dtype)
            self.block = self.builder.declare("part", literal)

    def update(self, value: Operand) -> None:
        """Take in one element."""
        b = self.builder
        variable = self.block if self.block is not None else self.totals[0]
        if self.combine in ("add", "deviation", "multiply"):
            primitive = "multiply" if self.combine == "multiply" else "add"
            wide = b.call("convert", value, dtype=variable.dtype)
            b.update(variable, primitive, variable, wide, reassociate=True)
        else:
            primitive = lattice(self.combine, value.dtype)
            b.update(variable, primitive, variable, value, reassociate=True)

    def end_block(self, search: Search) -> None:
        """Add the block to the total, keeping what the addition loses.

        `search` writes a loop over the block again, to find where the block's best element is. It
        runs only for blocks that are better than all before.
        """
        if self.block is None:
            return
        part, self.block = self.block, None
        if not self.positional:
            self._two_sum(part)
            return
        b = self.builder
        best, place = self.totals
        found = b.snapshot(part)
        with b.when(is_better(b, self.term, found, b.snapshot(best))):
            far = b.literal(np.iinfo(np.int64).max, INT64)
            first = b.declare("place", far)

            def look(value: Operand, position: Operand) -> None:
                hit: Operand = b.call("equal", value, found)
                if value.dtype.kind == "f":
                    both = b.call(
                        "and",
                        b.call("not_equal", value, value),
                        b.call("not_equal", found, found),
                    )
                    hit = b.call("or", hit, both)
                here = b.call("select", hit, position, far)
                b.update(first, "minimum", first, here)

            search(look)
            b.assign(best, found)
            b.assign(place, first)

    def merge(self, parts: list[Operand]) -> None:
        """Take in the state of a later part of the same reduction."""
        if self.lost is not None:
            self._two_sum(parts[0])
        elif self.positional:
            self._take_better(parts[0], parts[1])
        else:
            self.update(parts[0])

    def state(self) -> list[Operand]:
        """Return the finished state."""
        if self.lost is None:
            return list(self.totals)
        return [total_of(self.builder, [self.totals[0], self.lost])]

    def result(self) -> Operand:
        """Return the reduced value in the node's dtype."""
        final = self.state()[-1]
        return finish(self.builder, self.term, final)

    def _two_sum(self, part: Operand) -> None:
        b = self.builder
        total, lost = self.totals[0], self.lost
        assert lost is not None
        after, rest = two_sum(b, b.snapshot(total), part)
        b.update(lost, "add", lost, rest)
        b.assign(total, after)

    def _take_better(self, value: Operand, position: Operand) -> None:
        """Keep the first best element; the first NaN beats everything, as in NumPy."""
        b = self.builder
        best, place = self.totals
        held = b.snapshot(best)
        better = is_better(b, self.term, value, held)
        b.update(place, "select", better, position, b.snapshot(place))
        b.update(best, "select", better, value, held)


def is_compensated(term: Term) -> bool:
    """Whether the sums of blocks are added with what each addition loses."""
    return term.node.op.combine in ("add", "deviation") and term.source_dtype == FLOAT64


def initial_state(builder: Builder, term: Term) -> list[Operand]:
    """Return the state of no elements; of compensated sums with what additions lost."""
    state: list[Operand] = [builder.literal(c.initial, c.dtype) for c in components_of(term)]
    return [*state, *state] if is_compensated(term) else state


def merge_states(
    builder: Builder, term: Term, state: Sequence[Operand], new: Sequence[Operand]
) -> list[Operand]:
    """Write the state after a later one, or after one more element and its position.

    A state of two numbers for a compensated sum keeps what additions lose.
    """
    b = builder
    match term.node.op.combine:
        case "add" | "deviation" | "multiply" as combine:
            value = b.call("convert", new[0], dtype=state[0].dtype)
            if combine == "multiply":
                return [b.call("multiply", state[0], value)]
            if len(state) == 1:
                return [b.call("add", state[0], value)]
            after, rest = two_sum(b, state[0], value)
            return [after, b.call("add", state[1], rest)]
        case "argminimum" | "argmaximum":
            better = is_better(b, term, new[0], state[0])
            pairs = zip(new, state, strict=True)
            return [b.call("select", better, one, other) for one, other in pairs]
        case combine:
            return [b.call(lattice(str(combine), new[0].dtype), state[0], new[0])]


def result_of(builder: Builder, term: Term, state: Sequence[Operand]) -> Operand:
    """Write a reduction's result, in the register dtype of its node, from a merged state."""
    final = total_of(builder, state) if is_compensated(term) else state[-1]
    return finish(builder, term, final)


def lattice(combine: str, dtype: DType) -> str:
    """Return the primitive of a minimum or maximum; of bools it is one of logic."""
    name = combine.removeprefix("arg")
    if dtype.kind == "b":
        return {"minimum": "and", "maximum": "or"}.get(name, name)
    return name


def two_sum(builder: Builder, total: Operand, part: Operand) -> tuple[Value, Value]:
    """Write ``total + part``, and what that addition loses."""
    b = builder
    after = b.call("add", total, part)
    virtual = b.call("subtract", after, total)
    first = b.call("subtract", total, b.call("subtract", after, virtual))
    return after, b.call("add", first, b.call("subtract", part, virtual))


def total_of(builder: Builder, state: Sequence[Operand]) -> Operand:
    """Write what a state of one number, or of a total and what was lost, amounts to."""
    if len(state) == 1:
        return state[0]
    total, lost = state
    # An infinite total makes the lost part NaN; the total alone is right then.
    both = builder.call("add", total, lost)
    return builder.call("select", builder.call("equal", lost, lost), both, total)


def finish(builder: Builder, term: Term, value: Operand) -> Operand:
    """Return a reduction's final state in the register dtype of its result."""
    target = register_dtype(term.dtype)
    if value.dtype != target:
        value = builder.call("convert", value, dtype=target)
    if term.dtype == np.float16 and isinstance(value, Value | Literal):
        value = builder.call("round_half", value)
    return value


def is_better(builder: Builder, term: Term, value: Operand, held: Operand) -> Operand:
    """Write whether `value` replaces `held` as the first best element."""
    b = builder
    left, right = value, held
    if value.dtype.kind == "b":
        byte = np.dtype(np.uint8)
        left, right = b.call("convert", value, dtype=byte), b.call("convert", held, dtype=byte)
    relation = "greater" if term.node.op.combine == "argmaximum" else "less"
    better: Operand = b.call(relation, left, right)
    if value.dtype.kind == "f":
        unordered = b.call("not_equal", value, value)
        ordered = b.call("equal", held, held)
        better = b.call("or", better, b.call("and", unordered, ordered))
    return better
