"""Averages with weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64
from lazyarr.core.axis_numbers import list_axes, normalize_axes, normalize_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, ShapeError
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import node
from lazyarr.numpy_api.moments import mean
from lazyarr.numpy_api.reduction_arguments import Axis
from lazyarr.numpy_api.reductions import sum
from lazyarr.ops.markers import WEIGHT, is_differentiated
from lazyarr.tracing import current, running

__all__ = ["average"]


def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: Any = False,
) -> Any:
    """Return the weighted mean over axes.

    Parameters
    ----------
    a : array_like
        Input.
    axis : int or tuple of int, optional
        Default: all axes.
    weights : array_like, optional
        Of the shape of `a`, or of its `axis` alone; default: all one.
    returned : bool
        Also return the sum of the weights.
    keepdims : bool
        Keep the axes, with length one.

    Returns
    -------
    LazyArray, or tuple of two
        The mean, and the sum of weights if `returned`.

    Raises
    ------
    ZeroDivisionError
        If weights sum to zero: at the call where the sum is known, as it is under
        :func:`lazyarr.eager`, and else when the average is evaluated on a processor.
    """
    x = as_lazy(a)
    with build.located():
        listed = () if axis is None else list_axes(axis)
        if len({normalize_axis(each, x.ndim, "axis: axis") for each in listed}) < len(listed):
            raise AxisError("repeated axis in `axis` argument", origin=origin())
        axes = normalize_axes(axis, x.ndim)
    if weights is None:
        result = mean(x, axes, keepdims=keepdims)
        if not result.size:
            raise ZeroDivisionError("division by zero")  # as NumPy's: elements for each mean
        total = build.filled(build.size_over(x.shape, axes), result.dtype, result.shape)
        return (result, wrap(total)) if returned else result
    w = as_lazy(weights)
    loop = build.promote(x._node, w._node)
    if kind_of(x.dtype) in "iub":
        loop = np.result_type(loop, FLOAT64)
    if x.shape != w.shape:
        if axis is None:
            raise ArgumentError(
                "Axis must be specified when shapes of a and weights differ.", origin=origin()
            )
        # Axes of weights go with the axes in the order in which these are named.
        named = [k % x.ndim for k in list_axes(axis)]
        if w.shape != tuple(x.shape[k] for k in named):
            raise ShapeError(
                "Shape of weights must be consistent with shape of a along specified axis.",
                origin=origin(),
            )
        w = w.transpose([int(k) for k in np.argsort(named)])
        w = w.reshape(tuple(n if k in axes else 1 for k, n in enumerate(x.shape)))
        w = wrap(build.broadcast_to(w._node, x.shape))
    scale = sum(w, axis=axes, dtype=loop, keepdims=keepdims)
    if scale.size and (not w.size or _is_known_to_be_zero(scale)):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    total = scale._node
    divisor = wrap(node(WEIGHT, (total,), total.dtype, total.shape, None, origin()))
    products = x.astype(loop, copy=False) * w.astype(loop, copy=False)
    result = sum(products, axis=axes, dtype=loop, keepdims=keepdims) / divisor
    return (result, scale) if returned else result


def _is_known_to_be_zero(total: LazyArray) -> bool:
    """Return whether a sum is known to be zero: in memory, or where calls are computed."""
    trace = current()
    if is_differentiated((total._node,)):
        return False
    if trace is not None and trace.computes_calls:
        total = persist(total)
    elif running:
        return False
    memory = memory_of(total)
    known = total._node.attr if memory is None and not total._node.src else None
    if isinstance(known, Leaf) and known.is_on_host:
        memory = known.array
    return memory is not None and not np.all(memory)
