"""Values that nothing reads, left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeVar

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import (
    For,
    If,
    Index,
    Kernel,
    Let,
    Load,
    Statement,
    Store,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.rewriting import NO_OPERANDS

__all__ = ["eliminate_dead_code", "values_assigned", "values_read"]

K = TypeVar("K", bound=Kernel)


def eliminate_dead_code(kernel: K) -> K:
    """Remove values that are computed or loaded and not read.

    ::

        t = f(a); u = g(a); h(u)  ->  u = g(a); h(u)

    An operation says all faults that it can meet where a kernel asks for one, for example. Calls
    of functions and variables that change stay, read or not.
    """
    body = _block(kernel.body, set())
    return kernel if body is kernel.body else replace(kernel, body=body)


def _block(statements: tuple[Statement, ...], read: set[str]) -> tuple[Statement, ...]:
    """Return the statements of a block, from the last to the first, without dead code.

    A value is read behind the statement that makes it or not at all. `read` has the names of those
    that are read behind the block, and takes those of the block.
    """
    result: list[Statement] = []
    for statement in reversed(statements):
        if isinstance(statement, Let | Load) and statement.target.name not in read:
            continue
        if isinstance(statement, For | While | If):
            body = _block(statement.body, read)
            if body is not statement.body:
                statement = replace(statement, body=body)
        read.update([value.name for value in values_read(statement)])
        result.append(statement)
    if len(result) == len(statements) and all(
        new is old for new, old in zip(reversed(result), statements, strict=True)
    ):
        return statements
    return tuple(reversed(result))


def values_read(statement: Statement) -> list[Value]:
    """Return the values that a statement reads itself, those in its body excepted.

    Parameters
    ----------
    statement : Statement
        Any; of a loop and a branch, its bounds and its condition.
    """
    # Most statements are of four kinds, whose fields need not be looked up.
    stack: list[object]
    if isinstance(statement, Let | Update):
        stack = [*statement.args]
    elif isinstance(statement, Load):
        stack = [statement.index]
    elif isinstance(statement, Store):
        stack = [statement.value, statement.index]
    else:
        names = statement.__match_args__
        stack = [getattr(statement, name) for name in names if name not in NO_OPERANDS]
    read: list[Value] = []
    while stack:
        part = stack.pop()
        if isinstance(part, Value):
            read.append(part)
        elif isinstance(part, tuple):
            stack += part
        elif isinstance(part, Index):
            stack.append(part.constant)
            stack += itertools.chain.from_iterable(part.terms)
    return read


def values_assigned(statement: Statement) -> Iterator[Value]:
    """Yield the values and variables that a statement assigns, those in its body included.

    Parameters
    ----------
    statement : Statement
        Any.
    """
    for name in ("target", "variable"):
        value = getattr(statement, name, None)
        if value is not None:
            yield value
    yield from getattr(statement, "targets", ())
    for inner in getattr(statement, "body", ()):
        yield from values_assigned(inner)
