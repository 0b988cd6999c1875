"""Rewriting a kernel's statements by a rule, and the values that they read."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from lazyarr.loop_ir.kernel import For, If, Index, Kernel, Statement, Value, While

__all__ = ["Rule", "operand_fields", "rewritten", "values_read"]

K = TypeVar("K", bound=Kernel)
Rule = Callable[[Statement], Sequence[Statement]]


def rewritten(kernel: K, rule: Rule, kinds: tuple[type[Any], ...]) -> K:
    """Return a kernel some of whose statements a rule has replaced, inner ones first.

    Parameters
    ----------
    kernel : Kernel
        What is rewritten; itself if the rule changes nothing.
    rule : callable
        Returns the statements that take the place of one, ``[statement]`` to leave it.
    kinds : tuple of type
        The classes of the statements that the rule is asked about.
    """
    body = _rewritten(kernel.body, rule, kinds)
    return kernel if body is kernel.body else dataclasses.replace(kernel, body=body)


def _rewritten(
    body: tuple[Statement, ...], rule: Rule, kinds: tuple[type[Any], ...]
) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For | While | If):
            inner = _rewritten(statement.body, rule, kinds)
            if inner is not statement.body:
                statement = dataclasses.replace(statement, body=inner)
        if isinstance(statement, kinds):
            result += rule(statement)
        else:
            result.append(statement)
    same = len(result) == len(body) and all(map(operator.is_, result, body))
    return body if same else tuple(result)


_OTHERS = frozenset(("target", "targets", "variable", "pointer", "body", "kind", "primitive"))
_fields: dict[type, tuple[str, ...]] = {}


def operand_fields(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of a class of statements that may hold operands.

    Parameters
    ----------
    kind : type
        A member of :data:`lazyarr.loop_ir.kernel.Statement`.
    """
    names = _fields.get(kind)
    if names is None:
        names = tuple(f.name for f in dataclasses.fields(kind) if f.name not in _OTHERS)
        _fields[kind] = names
    return names


def values_read(statement: Statement) -> Iterator[Value]:
    """Yield the values that a statement reads itself, those in its body excepted.

    Parameters
    ----------
    statement : Statement
        Any; of a loop and a branch, its bounds and its condition.
    """
    stack = [getattr(statement, name) for name in operand_fields(type(statement))]
    while stack:
        part = stack.pop()
        if isinstance(part, Value):
            yield part
        elif isinstance(part, tuple):
            stack += part[::-1]
        elif isinstance(part, Index):
            stack += (part.constant, part.terms)
