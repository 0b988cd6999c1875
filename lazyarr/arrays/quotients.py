"""Quotients and remainders together, of numbers in memory by NumPy's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.immediate import limit
from lazyarr.arrays.native import (
    REFUSED,
    exceptions,
    new_array,
    note_exceptions,
    report,
    state,
)
from lazyarr.arrays.operators import defers_to
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.tracing import running

__all__ = ["divided"]


def divided(x: Any, other: Any, reflected: bool) -> Any:
    """Return quotient and remainder, as of ``divmod``.

    NumPy warns of numbers by another name than of arrays.

    Parameters
    ----------
    x : LazyArray
        An operand.
    other : object
        The other one.
    reflected : bool
        Whether `x` is the right operand.
    """
    if defers_to(other):
        return NotImplemented
    both = (other, x) if reflected else (x, other)
    left, right = [_number_of(value, type(x)) for value in both]
    if running or not limit() or left is None or right is None:
        return np.divmod(*both)
    token = note_exceptions()
    try:
        results = divmod(left, right)
    except REFUSED:
        results = ()
    finally:
        state.reset(token)
    if len(results) != 2:
        return np.divmod(*both)
    ops = ELEMENTWISE["floor_divide"], ELEMENTWISE["remainder"]
    if exceptions:
        report(ops[0], divmod, left, right)
    past = sum([value._past for value in both if type(value) is type(x)])
    pairs = zip(ops, results, strict=True)
    return tuple([new_array(type(x), result, (op, *both), past) for op, result in pairs])


def _number_of(value: Any, kind: type[Any]) -> Any:
    """Return the number of Python's or NumPy's that an operand is or has in memory, else None."""
    memory = value._array if type(value) is kind else value
    return memory if isinstance(memory, (float, int, np.generic)) else None
