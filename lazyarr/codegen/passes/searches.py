"""Searches in one vector, side by side."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeVar

from lazyarr.codegen.passes.dead_code import values_assigned, values_read
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import For, If, Kernel, Let, Load, Statement, While
from lazyarr.loop_ir.threads import Arithmetic, Intrinsic, VectorLoad

__all__ = ["join_searches"]

K = TypeVar("K", bound=Kernel)

_NESTED = (For, While, If)
#: The algorithm whose calls are joined.
_SEARCH = "position_in"


def join_searches(kernel: K) -> K:
    """Search for the values of a block's elements side by side where they look in one vector.

    ::

        p = position_in(a, x); f(p); y = g(b); q = position_in(a, y)
            ->  y = g(b); p, q = position_in(a, x, y); f(p)

    A step of a bisection waits for the one before it; those of other values go on meanwhile, and
    what is left of the vector is counted once for all. Values are computed earlier for that where
    they are neither results of the searches themselves nor of variables that change.
    """
    if not isinstance(kernel, DeviceKernel):
        return kernel
    body = _block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _block(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Return the statements of a block; the same tuple if no searches are joined."""
    result = list(statements)
    for at, statement in enumerate(statements):
        if isinstance(statement, _NESTED):
            body = _block(statement.body)
            if body is not statement.body:
                result[at] = replace(statement, body=body)
    first: dict[object, Intrinsic] = {}
    for statement in statements:
        if not isinstance(statement, Intrinsic) or statement.name != _SEARCH:
            continue
        place, values = _parts(statement)
        key = (place, statement.constants)
        before = first.get(key)
        moved = None if before is None else _needed(result, before, statement)
        if before is None or moved is None:
            first[key] = statement
            continue
        first[key] = joined = Intrinsic(
            (*before.targets, *statement.targets),
            _SEARCH,
            (*before.args, *values),
            before.constants,
        )
        gone = {id(s) for s in (*moved, before, statement)}
        at = _position(result, before)
        result[at:] = [*moved, joined, *(s for s in result[at:] if id(s) not in gone)]
    same = len(result) == len(statements) and all(map(operator.is_, result, statements))
    return statements if same else tuple(result)


def _parts(search: Intrinsic) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the arguments that say where a search looks, and those that it looks for."""
    first = len(search.args) - len(search.targets)
    return search.args[:first], search.args[first:]


def _position(statements: Sequence[Statement], one: Statement) -> int:
    return next(k for k, statement in enumerate(statements) if statement is one)


def _needed(
    statements: Sequence[Statement], before: Intrinsic, search: Intrinsic
) -> list[Statement] | None:
    """Return the statements between two searches that compute what the second one looks for.

    None if they cannot be in front of the first.

    Parameters
    ----------
    statements : sequence of Statement
        Of the block.
    before, search : Intrinsic
        The searches.
    """
    begin, end = _position(statements, before), _position(statements, search)
    wanting = {value.name for value in values_read(search)}
    moved: list[Statement] = []
    for statement in reversed(statements[begin:end]):
        if not wanting.intersection([value.name for value in values_assigned(statement)]):
            continue
        if statement is before or not _may_move(statement):
            return None
        moved.append(statement)
        wanting.update([value.name for value in values_read(statement)])
    return moved[::-1]


def _may_move(statement: Statement) -> bool:
    """Whether a statement computes the same values earlier, if its operands are there."""
    if isinstance(statement, Load | VectorLoad):
        return not statement.pointer.written
    if isinstance(statement, Let):
        return statement.primitive != "copy"
    return isinstance(statement, Arithmetic)
