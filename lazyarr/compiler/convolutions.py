"""Convolutions on their way to a device: its kernels, or products of matrices of windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from lazyarr.builders import build
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.convolution import CONVOLUTION, FILTERS, Sliding, filter_parts, sliding_of
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu import tuning

__all__ = ["legalize_convolutions"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))


def legalize_convolutions(
    roots: Sequence[Node],
    has_kernel: Callable[[Node], bool],
    final: dict[Node, Node],
    *,
    in_parts: bool = True,
) -> tuple[Node, ...]:
    """Return the roots with convolutions as a device has them.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    has_kernel : callable
        Whether the device has a kernel for a convolution, or for its derivative by filters. The
        others become products of matrices.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    in_parts : bool, optional
        Whether the device's kernels take dense operands, and derivatives by filters as sums over
        parts of the images; else they take any strides, and add by themselves.
    """
    order = list(walk(tuple(roots)))
    if not any(value.op in (CONVOLUTION, FILTERS) for value in order):
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for value in order:
        moved = replace_sources(value, tuple([replaced[source] for source in value.src]))
        if value.op in (CONVOLUTION, FILTERS):
            if not has_kernel(value):
                moved = _written_out(moved)
            elif in_parts:
                moved = _of_kernel(moved)
        replaced[value] = moved
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _of_kernel(value: Node) -> Node:
    """Return the node as kernels take it: its second operand dense, filters as sums over parts."""
    images, other = value.src
    value = replace_sources(value, (images, _dense(other)))
    outputs = value.shape[-1]
    if 1 < outputs <= tuning.row().convolution_planes and not sliding_of(value).apart:
        return build.concatenate([_of_kernel(_of_output(value, k)) for k in range(outputs)], 3)
    if value.op is CONVOLUTION:
        return value
    count = images.shape[0]
    parts = next(k for k in range(tuning.row().convolution_parts, 0, -1) if k <= count)
    # They take no more memory than what they are made of.
    while parts > 1 and parts * value.size > images.size + other.size:
        parts //= 2
    return build.reduce("sum", (filter_parts(value, parts),), (0,), value.dtype)


def _of_output(value: Node, k: int) -> Node:
    """Return the part of a convolution, or of its derivative by filters, that is of one output."""
    images, other = value.src
    starts, steps = (0, 0, 0, k), (1,) * other.ndim
    one = _slice(other, starts, steps, (*other.shape[:-1], 1))
    return node(
        value.op, (images, one), value.dtype, (*value.shape[:-1], 1), value.attr, value.origin
    )


def _dense(value: Node) -> Node:
    """Return a value that lies in C order: a copy, unless a kernel or a library computes it."""
    base = value
    while base.op.kind is Kind.RESHAPE:
        base = base.src[0]
    if base.op.kind not in (Kind.VIEW, Kind.PARAMETER, Kind.CONSTANT):
        return value
    return node(ELEMENTWISE["cast"], (value,), value.dtype, value.shape, None, value.origin)


def _written_out(value: Node) -> Node:
    """Return the node as a product of the matrix of windows."""
    how = sliding_of(value)
    images, other = value.src
    channels, outputs = images.shape[-1], other.shape[-1]
    depth = prod(how.taps) * channels
    windows = _window_parts(images, how)
    rows = prod(windows[0].shape[:-1])
    if how.apart:
        return _sums_of_taps(value, windows)
    matrix = windows[0] if len(windows) == 1 else build.concatenate(windows, 3)
    matrix = build.reshape(matrix, (rows, depth))
    if value.op is CONVOLUTION:
        product = _matmul(matrix, build.reshape(other, (depth, outputs)))
    else:
        columns = build.view(matrix, View((0, 0), ((0, 1), (1, 0))), (depth, rows))
        product = _matmul(columns, build.reshape(other, (rows, outputs)))
    return build.reshape(product, value.shape)


def _sums_of_taps(value: Node, windows: list[Node]) -> Node:
    """Return a convolution of separate channels, or its derivative by filters, as sums."""
    other, multiply = value.src[1], ELEMENTWISE["multiply"]
    channels = other.shape[-1]
    if value.op is CONVOLUTION:
        taps = build.reshape(other, (len(windows), channels))
        terms = [
            build.elementwise(multiply, (window, _row(taps, k))) for k, window in enumerate(windows)
        ]
        total = terms[0]
        for term in terms[1:]:
            total = build.elementwise(ELEMENTWISE["add"], (total, term))
        return total
    products = [build.elementwise(multiply, (window, other)) for window in windows]
    sums = [build.reduce("sum", (product,), (0, 1, 2), value.dtype) for product in products]
    rows = [build.reshape(total, (1, channels)) for total in sums]
    return build.reshape(build.concatenate(rows, 0), value.shape)


def _row(matrix: Node, k: int) -> Node:
    """Return a row of a matrix."""
    columns = matrix.shape[1]
    return build.view(matrix, View((k, 0), ((0,), (int(columns != 1),))), (columns,))


def _matmul(left: Node, right: Node) -> Node:
    shape = (left.shape[0], right.shape[1])
    return node(_MATMUL, (left, right), left.dtype, shape, _OPERANDS, left.origin)


def _window_parts(images: Node, how: Sliding) -> list[Node]:
    """Return, for each element of a window, the array of that element of all windows."""
    wide = images
    for axis in (1, 2):
        wide = _fitted(_apart(wide, axis, how.spread[axis - 1]), axis, how)
    count, channels = images.shape[0], images.shape[-1]
    down, across = how.taps
    return [
        _slice(
            wide,
            (0, p * how.gap[0], q * how.gap[1], 0),
            (1, *how.stride, 1),
            (count, *how.windows, channels),
        )
        for p in range(down)
        for q in range(across)
    ]


def _slice(value: Node, starts: Shape, steps: Shape, shape: Shape) -> Node:
    rows = tuple(
        tuple(step if axis == k and shape[axis] != 1 else 0 for k in range(len(shape)))
        for axis, step in enumerate(steps)
    )
    return build.view(value, View(starts, rows), shape)


def _zeros(value: Node, axis: int, count: int) -> Node:
    shape = tuple(count if k == axis else n for k, n in enumerate(value.shape))
    return build.filled(0, value.dtype, shape)


def _apart(value: Node, axis: int, spread: int) -> Node:
    """Return a value with zeros between its elements along an axis, and behind the last."""
    if spread == 1:
        return value
    shape = value.shape
    single = build.reshape(value, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    joined = build.concatenate([single, _zeros(single, axis + 1, spread - 1)], axis + 1)
    return build.reshape(joined, (*shape[:axis], shape[axis] * spread, *shape[axis + 1 :]))


def _fitted(value: Node, axis: int, how: Sliding) -> Node:
    """Return a value with zeros, or less of it, so that the windows cover all of an axis."""
    low, reach = how.low[axis - 1], how.reach[axis - 1]
    start, stop = max(-low, 0), min(value.shape[axis], reach - low)
    shape = tuple(max(stop - start, 0) if k == axis else n for k, n in enumerate(value.shape))
    if shape[axis] == 0:
        return _zeros(value, axis, reach)
    starts = tuple(start if k == axis else 0 for k in range(value.ndim))
    inner = value if shape == value.shape else _slice(value, starts, (1,) * value.ndim, shape)
    before, after = max(low, 0), reach - max(low, 0) - shape[axis]
    parts = [_zeros(value, axis, before)] if before else []
    parts.append(inner)
    parts += [_zeros(value, axis, after)] if after else []
    return build.concatenate(parts, axis) if len(parts) > 1 else inner
