"""Rows of the scans: accumulations along one axis that keep it. attr is the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind, Node, Op
from lazyarr.loop_ir.reducer import Reducer
from lazyarr.ops.reduce import MAXIMUM, MINIMUM, PRODUCT, SUM

__all__ = ["SCAN", "scan_of"]

Array = np.ndarray[Any, Any]


def _accumulate(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        axis = node.attr
        assert isinstance(axis, int)
        return np.asarray(ufunc.accumulate(arrays[0], axis=axis, dtype=node.dtype))

    return evaluate


def _row(name: str, ufunc: np.ufunc, reducer: Reducer) -> Op:
    return Op(name, Kind.SCAN, _accumulate(ufunc), ufunc, reducer=reducer)


#: The first element stays what it is: only a negative zero leaves a negative zero alone.
RUNNING_SUM = replace(
    SUM, identity=lambda dtypes: tuple(-0.0 if kind_of(dtype) == "f" else 0 for dtype in dtypes)
)


SCAN: dict[str, Op] = {
    op.name: op
    for op in (
        _row("cumsum", np.add, RUNNING_SUM),
        _row("cumprod", np.multiply, PRODUCT),
        _row("cummax", np.maximum, MAXIMUM),
        _row("cummin", np.minimum, MINIMUM),
    )
}
"""Every scan by its name. The source has the dtype of the result."""


def scan_of(ufunc: np.ufunc) -> Op | None:
    """Return the scan that ``ufunc.accumulate`` is, or None."""
    return next((op for op in SCAN.values() if op.ufunc is ufunc), None)
