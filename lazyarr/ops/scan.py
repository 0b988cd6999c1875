"""Rows of the scans: what accumulates along one axis and keeps it. attr is the axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.graph.node import Kind, Node, Op

__all__ = ["SCAN", "scan_of"]

Array = np.ndarray[Any, Any]


def _accumulate(ufunc: np.ufunc) -> Callable[..., Array]:
    def evaluate(node: Node, *arrays: Array) -> Array:
        axis = node.attr
        assert isinstance(axis, int)
        return np.asarray(ufunc.accumulate(arrays[0], axis=axis, dtype=node.dtype))

    return evaluate


def _row(name: str, ufunc: np.ufunc, combine: str) -> Op:
    return Op(name, Kind.SCAN, _accumulate(ufunc), ufunc, combine=combine)


SCAN: dict[str, Op] = {
    op.name: op
    for op in (
        _row("cumsum", np.add, "add"),
        _row("cumprod", np.multiply, "multiply"),
        _row("cummax", np.maximum, "maximum"),
        _row("cummin", np.minimum, "minimum"),
    )
}
"""Every scan by its name. The source has the dtype of the result."""


def scan_of(ufunc: np.ufunc) -> Op | None:
    """Return the scan that ``ufunc.accumulate`` is, or None."""
    return next((op for op in SCAN.values() if op.ufunc is ufunc), None)
