"""Rewriting a kernel's statements by a rule."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import For, If, Kernel, Statement, While

__all__ = ["NO_OPERANDS", "Rule", "rewritten"]

K = TypeVar("K", bound=Kernel)
Rule = Callable[[Statement], Sequence[Statement]]

#: The fields of statements that hold no operands; any other may.
NO_OPERANDS = frozenset(("target", "targets", "variable", "pointer", "body", "kind", "primitive"))


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
    return kernel if body is kernel.body else replace(kernel, body=body)


def _rewritten(
    body: tuple[Statement, ...], rule: Rule, kinds: tuple[type[Any], ...]
) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For | While | If):
            inner = _rewritten(statement.body, rule, kinds)
            if inner is not statement.body:
                statement = replace(statement, body=inner)
        if isinstance(statement, kinds):
            result += rule(statement)
        else:
            result.append(statement)
    same = len(result) == len(body) and all(map(operator.is_, result, body))
    return body if same else tuple(result)
