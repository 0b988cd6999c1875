"""Derivatives of the methods of ufuncs, from the slopes of the ufuncs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.source_location import origin
from lazyarr.differentiation.boxes import padded, sliced
from lazyarr.differentiation.computed import known
from lazyarr.differentiation.elementwise import SLOPES
from lazyarr.differentiation.markers import stopped
from lazyarr.differentiation.recurrences import recurrence
from lazyarr.differentiation.rules import (
    BY_NAME,
    BY_OP,
    DISCRETE,
    Application,
    Cotangent,
    Rule,
    fitted,
)
from lazyarr.differentiation.scatter import add_rows
from lazyarr.errors import DifferentiationError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import movement, reduction_arguments, reductions, selection, slicing
from lazyarr.numpy_api.ufunc_methods import METHODS
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE
from lazyarr.ops.library import Call, thaw

__all__: list[str] = []


def _slopes(ufunc: np.ufunc, method: str, out: Node, x: Node, y: Node) -> tuple[Node, Node]:
    """Return the partial derivatives of a ufunc of two operands."""
    ops = BY_UFUNC.get(ufunc, ())
    if len(ops) != 1 or (ops[0].name not in SLOPES and BY_OP.get(ops[0]) is not DISCRETE):
        raise DifferentiationError(
            f"{ufunc.__name__}.{method} cannot be differentiated: lazyarr has no rule for the "
            "derivative of the ufunc",
            origin=origin(),
        )
    one = LazyArray(build.filled(1, out.dtype, out.shape))
    values = [LazyArray(value) for value in (out, x, y)]
    partial: list[Node] = []
    for slope in SLOPES.get(ops[0].name, (_zero, _zero)):
        share = slope(one, *values)
        partial.append(_zero(one)._node if share is None else fitted(share, out)._node)
    first, second = partial
    return first, second


def _zero(one: LazyArray, *operands: LazyArray) -> LazyArray:
    return LazyArray(build.filled(0, one.dtype, one.shape))


def _accumulate_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Let ``r[k] = f(r[k - 1], x[k])``: a cotangent passes on by the slope of the first operand."""
    call = at.node.attr
    assert isinstance(call, Call)
    ufunc: Any = call.args[0]
    out, source = at.node, at.node.src[0]
    axis = normalize_axis(thaw(dict(call.keywords)["axis"], ()), out.ndim)
    size = out.shape[axis]
    if size < 2:
        return [fitted(g, source)]
    x = build.cast(source, out.dtype)
    before, here = sliced(out, axis, 0, size - 1), sliced(x, axis, 1, size - 1)
    after = sliced(out, axis, 1, size - 1)
    over_before, over_here = _slopes(ufunc, "accumulate", after, before, here)
    total = recurrence(padded(over_before, axis, 0, 1), g._node, axis)
    first = build.filled(1, out.dtype, (*out.shape[:axis], 1, *out.shape[axis + 1 :]))
    slopes = build.concatenate([first, over_here], axis)
    share = build.elementwise(ELEMENTWISE["multiply"], (total, slopes))
    return [fitted(LazyArray(share), source)]


def _reduced(ufunc: np.ufunc, array: LazyArray, **options: Any) -> LazyArray:
    """Return the last element of an accumulation; of ``logaddexp`` a sum of exponentials."""
    axes = reduction_arguments.axes_of(options.get("axis"), array.ndim)
    keepdims = bool(options.get("keepdims"))
    if options.get("dtype") is not None:
        array = array.astype(options["dtype"])
    if options.get("where") is not None:
        if ufunc.identity is None:
            raise DifferentiationError(
                f"{ufunc.__name__}.reduce cannot be differentiated: where= is not supported",
                origin=origin(),
            )
        array = as_lazy(selection.where(options["where"], array, ufunc.identity))
    initial = options.get("initial")
    if ufunc is np.logaddexp and initial is None:
        return _log_of_sum(array, axes, keepdims=keepdims)
    remaining = [k for k in range(array.ndim) if k not in axes]
    lengths = tuple(array.shape[k] for k in remaining)
    lines = movement.transpose(array, [*remaining, *axes]).reshape(
        *lengths, prod(array.shape[k] for k in axes)
    )
    if initial is not None:
        start = as_lazy(initial).astype(lines.dtype)
        start = movement.broadcast_to(start, (*lengths, 1))
        lines = LazyArray(build.concatenate([start._node, lines._node], lines.ndim - 1))
    if not lines.shape[-1]:
        result = LazyArray(build.filled(0, array.dtype, lengths))
    else:
        result = METHODS["accumulate"](ufunc, lines, -1)[..., -1]
    return LazyArray(build.expand_axes(result._node, axes)) if keepdims else result


def _log_of_sum(array: LazyArray, axes: tuple[int, ...], *, keepdims: bool) -> LazyArray:
    most = reductions.max(array, axis=axes, keepdims=True)
    finite = apply(ELEMENTWISE["isfinite"], (most,))
    shift = LazyArray(stopped(selection.where(finite, most, 0.0)._node))
    total = reductions.sum(apply(ELEMENTWISE["exp"], (array - shift,)), axis=axes, keepdims=True)
    logarithm = apply(ELEMENTWISE["log"], (total,)) + shift
    return logarithm if keepdims else movement.squeeze(logarithm, axes)


def _reduced_at(
    ufunc: np.ufunc, array: LazyArray, indices: Any, axis: int = 0, dtype: Any = None
) -> LazyArray:
    """Return the reductions of slices: from each index to the next, of one element if that is less.

    A sum of many slices is one scatter of the elements of all.
    """
    if dtype is not None:
        array = array.astype(dtype)
    starts = known(indices).astype(np.int64)
    stops = np.append(starts[1:], array.shape[axis])
    stops = np.where(stops > starts, stops, starts + 1)
    if ufunc is np.add:
        lengths = stops - starts
        ends = np.cumsum(lengths)
        offset = np.repeat(ends - lengths - starts, lengths)
        elements = np.arange(ends[-1] if ends.size else 0) - offset
        rows = movement.moveaxis(slicing.take(array, elements, axis=axis), axis, 0)
        places = build.leaf(np.repeat(np.arange(starts.size), lengths))
        shape = (starts.size, *rows.shape[1:])
        return movement.moveaxis(LazyArray(add_rows(shape, places, rows._node)), 0, axis)
    front = (slice(None),) * normalize_axis(axis, array.ndim)
    parts = [
        METHODS["reduce"](ufunc, array[(*front, slice(start, stop))], axis, keepdims=True)._node
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    if not parts:
        return array[(*front, slice(0, 0))]
    return LazyArray(build.concatenate(parts, len(front)))


BY_NAME |= {
    "accumulate": Rule(_accumulate_vjp),
    "reduce": Rule(compose=_reduced),
    "reduceat": Rule(compose=_reduced_at),
}
