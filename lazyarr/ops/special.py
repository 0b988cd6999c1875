"""Rows of the elementwise table that NumPy lacks: SciPy's names, without needing SciPy."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lazyarr.graph.node import Node
from lazyarr.ops.table import Argument, Array, Resolved, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["ROWS"]


def _scipy_or(name: str, without_scipy: Callable[[Array], Array]) -> Callable[..., Array]:
    """Return ``scipy.special.<name>``, or the other function where SciPy is missing."""

    def evaluate(node: Node, *arrays: Array) -> Array:
        try:
            scipy_special = importlib.import_module("scipy.special")
        except ImportError:
            return without_scipy(arrays[0])
        function: Callable[[Array], Array] = getattr(scipy_special, name)
        return np.asarray(function(arrays[0]))

    return evaluate


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """Return a function that calls a scalar one for every element, in float64."""
    over_objects = np.frompyfunc(function, 1, 1)

    def apply(x: Array) -> Array:
        return np.asarray(over_objects(x.astype(np.float64))).astype(x.dtype)

    return apply


_each_erfc = _each(math.erfc)


def _erfc(node: Node, *arrays: Array) -> Array:
    # SciPy's loses up to 150 ulp in the tail; the C library does not.
    return _each_erfc(arrays[0])


def expit(x: Array) -> Array:
    """Return the logistic function ``1 / (1 + exp(-x))``, without overflow."""
    small = np.exp(-np.abs(x))
    return np.asarray(np.where(x >= 0, np.ones_like(x), small) / (1 + small))


def logit(x: Array) -> Array:
    """Return ``log(x / (1 - x))``, accurate near one half too."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # x / (1 - x) is 1 + (2 x - 1) / (1 - x), and 2 x - 1 is exact for x >= 1/4.
        near = np.log1p((2 * x - 1) / (1 - x))
        return np.asarray(np.where(x < 0.25, np.log(x / (1 - x)), near))


def exp10(x: Array) -> Array:
    """Return ten to the power of x."""
    return np.asarray(np.power(x.dtype.type(10), x))


def _rule(operands: tuple[Argument, ...]) -> Resolved:
    """Compute dtypes that fit in float32 in it, all others in float64, as SciPy does."""
    (operand,) = operands
    if isinstance(operand, np.dtype):
        for loop in (np.dtype(np.float32), np.dtype(np.float64)):
            if np.can_cast(operand, loop):
                return (loop,), loop
    elif operand is not complex:
        return (np.dtype(np.float64),), np.dtype(np.float64)
    raise TypeError("no complex loop")


def _expand_erf(builder: Builder, x: Operand) -> Value:
    return builder.call("erf", x)


def _expand_erfc(builder: Builder, x: Operand) -> Value:
    return builder.call("erfc", x)


def _expand_exp10(builder: Builder, x: Operand) -> Value:
    # C has no exp10 of its own.
    return builder.call("pow", builder.literal(10.0, x.dtype), x)


def _expand_expit(builder: Builder, x: Operand) -> Value:
    """``(1 if x >= 0 else t) / (1 + t)`` with ``t = exp(-|x|)``, which cannot overflow."""
    one = builder.literal(1.0, x.dtype)
    small = builder.call("exp", builder.call("negative", builder.call("absolute", x)))
    positive = builder.call("greater_equal", x, builder.literal(0.0, x.dtype))
    share = builder.call("select", positive, one, small)
    return builder.call("divide", share, builder.call("add", one, small))


def _expand_logit(builder: Builder, x: Operand) -> Value:
    """``log(x / (1 - x))`` below one quarter, ``log1p((2 x - 1) / (1 - x))`` above."""
    one = builder.literal(1.0, x.dtype)
    rest = builder.call("subtract", one, x)
    excess = builder.call("subtract", builder.call("add", x, x), one)
    near = builder.call("log1p", builder.call("divide", excess, rest))
    far = builder.call("log", builder.call("divide", x, rest))
    small = builder.call("less", x, builder.literal(0.25, x.dtype))
    return builder.call("select", small, far, near)


ROWS = (
    elementwise(
        "erf", expand=_expand_erf, evaluate=_scipy_or("erf", _each(math.erf)), rule=_rule, cost=20
    ),
    elementwise("erfc", expand=_expand_erfc, evaluate=_erfc, rule=_rule, cost=20),
    elementwise(
        "exp10",
        expand=_expand_exp10,
        evaluate=_scipy_or("exp10", exp10),
        rule=_rule,
        cost=40,
    ),
    elementwise(
        "expit", expand=_expand_expit, evaluate=_scipy_or("expit", expit), rule=_rule, cost=20
    ),
    elementwise(
        "logit", expand=_expand_logit, evaluate=_scipy_or("logit", logit), rule=_rule, cost=40
    ),
)
