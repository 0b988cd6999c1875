"""Rewriting a kernel's statements by a rule."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeVar

from lazyarr.loop_ir.kernel import For, If, Kernel, Statement, While

__all__ = ["Rule", "rewritten"]

K = TypeVar("K", bound=Kernel)
Rule = Callable[[Statement], Sequence[Statement]]


def rewritten(kernel: K, rule: Rule) -> K:
    """Return a kernel each of whose statements a rule has replaced, inner ones first.

    Parameters
    ----------
    kernel : Kernel
        What is rewritten; itself if the rule changes nothing.
    rule : callable
        Returns the statements that take the place of one, ``[statement]`` to leave it.
    """
    body = _rewritten(kernel.body, rule)
    return kernel if body is kernel.body else dataclasses.replace(kernel, body=body)


def _rewritten(body: tuple[Statement, ...], rule: Rule) -> tuple[Statement, ...]:
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For | While | If):
            inner = _rewritten(statement.body, rule)
            if inner is not statement.body:
                statement = dataclasses.replace(statement, body=inner)
        result += rule(statement)
    same = len(result) == len(body) and all(map(_is, result, body))
    return body if same else tuple(result)


def _is(one: Statement, other: Statement) -> bool:
    return one is other
