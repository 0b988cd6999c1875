"""Equal values computed once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import (
    Call,
    Declare,
    For,
    If,
    Index,
    Kernel,
    Let,
    Load,
    Operand,
    Pointer,
    Statement,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.rewriting import NO_OPERANDS
from lazyarr.loop_ir.threads import Arithmetic, Intrinsic

__all__ = ["eliminate_common_subexpressions", "without_common_subexpressions"]

K = TypeVar("K", bound=Kernel)

#: The algorithms whose results depend on their operands alone.
_PURE = frozenset({"philox", "position_in", "quotient_of_index"})

_NESTED = (For, While, If)
_CHANGES = (Declare, Update)


def eliminate_common_subexpressions(kernel: K) -> K:
    """Compute a value once where it is computed again while it is still known.

    ::

        t = f(a); ...; u = f(a); g(u)  ->  t = f(a); ...; g(t)

    A value is known to the end of its block, and within the blocks in there. Loads count if the
    kernel does not write that memory, and mutable variables as long as they are not updated.
    """
    body = without_common_subexpressions(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def without_common_subexpressions(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return statements that compute equal values once; the same tuple if they do already."""
    return _Elimination().block(body)


class _Elimination:
    """The values that are known at a place in a kernel, and those that others stand for."""

    def __init__(self) -> None:
        self.known: dict[object, tuple[Value, ...]] = {}
        self.instead: dict[str, Value] = {}
        self.dropped: list[str] = []
        #: How often each mutable variable was updated so far, a number more for every loop.
        self.updates: dict[str, int] = {}

    def block(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Return the statements of a block without those whose values are known."""
        added: list[object] = []
        dropped = len(self.dropped)
        result: list[Statement] | None = None
        for position, statement in enumerate(statements):
            new = self._statement(statement, added)
            if new is not statement and result is None:
                result = list(statements[:position])
            if result is not None and new is not None:
                result.append(new)
        for key in added:
            del self.known[key]
        while len(self.dropped) > dropped:
            del self.instead[self.dropped.pop()]
        return statements if result is None else tuple(result)

    def _statement(self, statement: Statement, added: list[object]) -> Statement | None:
        """Return a statement that reads known values; None if its own value is known.

        `added` takes the keys that are known from here to the end of the block.
        """
        if self.instead:
            statement = self._substituted(statement)
        targets: tuple[Value, ...]
        if isinstance(statement, Let):
            primitive, target = statement.primitive, statement.target
            if primitive == "copy":
                return statement
            key: object = (primitive, target.dtype.char, *map(self._identity, statement.args))
            targets = (target,)
        elif isinstance(statement, Load):
            if statement.pointer.written:
                return statement
            key = (statement.pointer.name, *self._place(statement.index))
            targets = (statement.target,)
        elif isinstance(statement, Arithmetic):
            sides = self._identity(statement.left), self._identity(statement.right)
            key = (Arithmetic, statement.operator, *sides)
            targets = (statement.target,)
        elif isinstance(statement, _NESTED):
            return self._nested(statement)
        elif isinstance(statement, _CHANGES):
            name = statement.variable.name
            self.updates[name] = self.updates.get(name, 0) + 1
            return statement
        elif isinstance(statement, Call):
            args = map(self._identity, statement.args)
            key = (statement.function, statement.raised, *args)
            targets = (statement.target,)
        elif isinstance(statement, Intrinsic) and statement.name in _PURE:
            key = (statement.name, statement.constants, *map(self._part, statement.args))
            targets = statement.targets
        else:
            return statement
        known = self.known.setdefault(key, targets)
        if known is targets:
            added.append(key)
            return statement
        for target, value in zip(targets, known, strict=True):
            self.instead[target.name] = value
            self.dropped.append(target.name)
        return None

    def _nested(self, statement: For | While | If) -> Statement:
        """Return a statement whose body computes equal values once."""
        loops = not isinstance(statement, If)
        if loops and self.updates:
            # What the body updates is another value each time that it begins.
            for name in _updated(statement.body):
                self.updates[name] = self.updates.get(name, 0) + 1
        body = self.block(statement.body)
        return statement if body is statement.body else replace(statement, body=body)

    def _identity(self, operand: Operand) -> object:
        """Return the key of an operand: its name, or a literal's text, for 0.0 equals -0.0."""
        if isinstance(operand, Value):
            name = operand.name
            return (name, self.updates[name]) if name in self.updates else name
        return repr(operand.value), operand.dtype.char

    def _place(self, index: Index) -> Iterator[object]:
        """Yield the parts of the key of an index."""
        yield index.constant
        for factor, value in index.terms:
            yield factor.name if isinstance(factor, Value) else factor
            yield self._identity(value)

    def _part(self, part: Operand | Pointer) -> object:
        return part if isinstance(part, Pointer) else self._identity(part)

    def _substituted(self, statement: Statement) -> Statement:
        """Return a statement that reads the values that stand for others."""
        instead = self.instead
        if isinstance(statement, Let):
            for operand in statement.args:
                if isinstance(operand, Value) and operand.name in instead:
                    args = self._value(statement.args)
                    return Let(statement.target, statement.primitive, args)
            return statement
        if isinstance(statement, Arithmetic):
            left, right = self._value(statement.left), self._value(statement.right)
            if left is statement.left and right is statement.right:
                return statement
            return Arithmetic(statement.target, statement.operator, left, right)
        changes = {}
        for name in set(statement.__match_args__) - NO_OPERANDS:
            before = getattr(statement, name)
            after = self._value(before)
            if after is not before:
                changes[name] = after
        return replace(statement, **changes) if changes else statement

    def _value(self, part: Any) -> Any:
        """Return part of a statement with the values that stand for others."""
        if isinstance(part, Value):
            return self.instead.get(part.name, part)
        if isinstance(part, tuple):
            parts = tuple(map(self._value, part))
            return part if all(map(_is, parts, part)) else parts
        if isinstance(part, Index):
            terms, constant = self._value(part.terms), self._value(part.constant)
            same = terms is part.terms and constant is part.constant
            return part if same else Index(constant, terms)
        return part


def _is(one: object, other: object) -> bool:
    return one is other


def _updated(body: tuple[Statement, ...]) -> Iterator[str]:
    """Yield the names of the variables that a body updates."""
    for statement in body:
        if isinstance(statement, Update):
            yield statement.variable.name
        elif isinstance(statement, _NESTED):
            yield from _updated(statement.body)
