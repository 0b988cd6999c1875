"""Adding values at positions that are computed: the transpose of a gather."""

from __future__ import annotations

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT32
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.shapes import Shape
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.ops.library import summed_at

__all__ = ["NAME", "scatter_add"]

NAME = "scatter_add"


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
    dtype = values.dtype
    if is_bfloat16(dtype):
        values = build.cast(values, FLOAT32)  # so that sums are rounded once
    sums = call_library(
        NAME, summed_at, (LazyArray(values), LazyArray(positions), size), (size,), values.dtype
    )
    return build.cast(as_node(sums.reshape(shape)), dtype)
