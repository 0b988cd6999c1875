"""Adding values at positions that are computed: the transpose of a gather."""

from __future__ import annotations

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT32
from lazyarr.core.dtypes import is_narrow
from lazyarr.core.shapes import Shape
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import call_library, library_node
from lazyarr.ops.library import LIBRARY, summed_at

__all__ = ["NAME", "add_rows", "scatter_add"]

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
    if is_narrow(dtype):
        values = build.cast(values, FLOAT32)  # so that sums are rounded once
    sums = call_library(
        NAME, summed_at, (LazyArray(values), LazyArray(positions), size), (size,), values.dtype
    )
    return build.cast(as_node(sums.reshape(shape)), dtype)


def add_rows(shape: Shape, places: Node, rows: Node) -> Node:
    """Return zeros of a shape with rows added at places along the first axis.

    Parameters
    ----------
    shape : tuple of int
        Of the result.
    places : Node
        A vector of integers; negative ones count from the end.
    rows : Node
        What is added: one row of the result's for each place.
    """
    dtype = rows.dtype
    if is_narrow(dtype):
        rows = build.cast(rows, FLOAT32)  # so that sums are rounded once
    zeros = build.filled(0, rows.dtype, shape)
    arguments = (np.add, LazyArray(zeros), LazyArray(places), LazyArray(rows))
    return build.cast(library_node(LIBRARY["scatter"], arguments, {}, shape, rows.dtype), dtype)
