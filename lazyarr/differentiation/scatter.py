"""Adding values at positions that are computed: the transpose of a gather."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.core.shapes import Shape
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import call_library

__all__ = ["NAME", "scatter_add"]

Array = np.ndarray[Any, Any]
NAME = "scatter_add"


def _scatter_add(values: Array, positions: Array, size: int) -> Array:
    """Return a vector of sums: each value is added at its position.

    Values of one position are added in their order.
    """
    flat = positions.reshape(-1)
    if values.dtype == np.float64:
        return np.bincount(flat, weights=values.reshape(-1), minlength=size)
    result = np.zeros(size, values.dtype)
    np.add.at(result, flat, values.reshape(-1))
    return result


def scatter_add(size: int, positions: Node, values: Node, shape: Shape) -> Node:
    """Return zeros of a shape with values added at positions in C order.

    Parameters
    ----------
    size : int
        Number of elements of the result.
    positions : Node
        Integers from 0 to ``size - 1``, of the shape of the values.
    values : Node
        What is added.
    shape : tuple of int
        Of the result.
    """
    sums = call_library(
        NAME, _scatter_add, (LazyArray(values), LazyArray(positions), size), (size,), values.dtype
    )
    return as_node(sums.reshape(shape))
