"""Rows of the reductions. Sources have the loop dtype already; attr is the axes that go."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.graph.node import Kind, Node, Op
from lazyarr.loop_ir.reducer import Reducer, by_primitive, extreme_of, positional, two_sum

__all__ = ["MAXIMUM", "MINIMUM", "PRODUCT", "REDUCE", "SUM"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
FLOAT64 = np.dtype(np.float64)


def axes_of(node: Node) -> tuple[int, ...]:
    """Return the reduced axes of a reduction node."""
    assert isinstance(node.attr, tuple)
    return node.attr


def _typed(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        if is_bfloat16(node.dtype):
            # The loops of ml_dtypes would round after each element.
            wide = ufunc.reduce(arrays[0].astype(FLOAT64), axis=axes_of(node))
            return np.asarray(wide).astype(node.dtype)
        return np.asarray(ufunc.reduce(arrays[0], axis=axes_of(node), dtype=node.dtype))

    return evaluate


def _plain(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        return np.asarray(ufunc.reduce(arrays[0], axis=axes_of(node)))

    return evaluate


def _position(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return the position in C order over the reduced axes, which are moved last and merged."""

    def evaluate(node: Node, *arrays: Array) -> Array:
        (array,) = arrays
        axes = axes_of(node)
        kept = [axis for axis in range(array.ndim) if axis not in axes]
        merged = array.transpose(*kept, *axes).reshape(
            *(array.shape[axis] for axis in kept), prod(array.shape[axis] for axis in axes)
        )
        return np.asarray(function(merged, axis=-1), dtype=node.dtype)

    return evaluate


def _sum_of_squared_deviations(node: Node, *arrays: Array) -> Array:
    """Return ``sum((x - total / n)**2)``, where `total` is the sum of x over the same axes."""
    array, total = arrays
    axes = axes_of(node)
    count = prod(array.shape[axis] for axis in axes)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.expand_dims(total, axes) / node.dtype.type(count)
    deviation = np.asarray(array - mean)
    # Within its memory: NumPy frees that of a second temporary, and clears its pages each time.
    squares = np.multiply(deviation, deviation, out=deviation)
    add: Any = np.add  # its stubs differ between releases
    return np.asarray(add.reduce(squares, axis=axes, dtype=node.dtype))


def _wide(source: DType, result: DType) -> DType:
    """Return float64 for floats, and for integers the dtype of the result."""
    return FLOAT64 if kind_of(source) == "f" else result


def _of_source(source: DType, result: DType) -> DType:
    return source


def _bool(source: DType, result: DType) -> DType:
    return np.dtype(np.bool_)


#: How kernels accumulate: the rows below and those of ``ops/scan.py`` share these.
SUM = by_primitive(
    "sum",
    "add",
    _wide,
    lambda dtype: 0,
    compensation=two_sum,
    partwise=True,
    warnings=frozenset({"over", "invalid"}),
)
PRODUCT = by_primitive(
    "prod",
    "multiply",
    _wide,
    lambda dtype: 1,
    warnings=frozenset({"over", "under", "invalid"}),
)
MINIMUM = by_primitive(
    "best",
    "minimum",
    _of_source,
    lambda dtype: extreme_of(dtype, largest=True),
    of_bools="and",
    ordered=False,
)
MAXIMUM = by_primitive(
    "best",
    "maximum",
    _of_source,
    lambda dtype: extreme_of(dtype, largest=False),
    of_bools="or",
    ordered=False,
)
ANY = by_primitive("any", "or", _bool, lambda dtype: False, ordered=False)
ALL = by_primitive("all", "and", _bool, lambda dtype: True, ordered=False)
ARGMIN = positional("best", "minimum", "and", "less", largest=True)
ARGMAX = positional("best", "maximum", "or", "greater", largest=False)
DEVIATION = by_primitive(
    "dev",
    "add",
    _wide,
    lambda dtype: 0,
    compensation=two_sum,
    centred=True,
    warnings=frozenset({"over", "invalid"}),
)


def _row(
    name: str,
    evaluate: Callable[..., Array],
    reducer: Reducer,
    ufunc: np.ufunc | None = None,
    identity: object = None,
    cost: int = 1,
    code_size: int = 8,
) -> Op:
    """Return one row.

    Parameters
    ----------
    name : str
        The public name.
    evaluate : callable
        ``evaluate(node, *arrays)``: what the reduction means, in NumPy.
    reducer : Reducer
        How kernels accumulate it.
    ufunc : numpy.ufunc, optional
        The one whose ``reduce`` it is.
    identity : object, optional
        NumPy's result for no elements; None where that is an error.
    cost : int, optional
        Of one element, in additions.
    code_size : int, optional
        Of the code: that of loops over elements, chunks and threads.
    """
    return Op(
        name,
        Kind.REDUCE,
        evaluate,
        ufunc,
        cost=cost,
        commutative=ufunc is not None,
        identity=identity,
        reducer=reducer,
        code_size=code_size,
    )


REDUCE: dict[str, Op] = {
    op.name: op
    for op in (
        _row("sum", _typed(np.add), SUM, np.add, 0),
        _row("prod", _typed(np.multiply), PRODUCT, np.multiply, 1),
        _row("min", _plain(np.minimum), MINIMUM, np.minimum),
        _row("max", _plain(np.maximum), MAXIMUM, np.maximum),
        _row("any", _plain(np.logical_or), ANY, np.logical_or, False),
        _row("all", _plain(np.logical_and), ALL, np.logical_and, True),
        _row("argmin", _position(np.argmin), ARGMIN, code_size=18),
        _row("argmax", _position(np.argmax), ARGMAX, code_size=18),
        _row("sumsqdev", _sum_of_squared_deviations, DEVIATION, cost=3, code_size=18),
    )
}
"""Every reduction by its name."""
