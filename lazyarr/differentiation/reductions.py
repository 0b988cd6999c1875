"""Derivatives of reductions and scans."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.differentiation.boxes import padded, sliced
from lazyarr.differentiation.recurrences import recurrence
from lazyarr.differentiation.rules import BY_OP, DISCRETE, Application, Cotangent, Rule
from lazyarr.differentiation.scatter import scatter_add
from lazyarr.graph.node import Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.reduce import REDUCE, axes_of
from lazyarr.ops.scan import SCAN

__all__: list[str] = []


def _kept(value: LazyArray, axes: tuple[int, ...]) -> LazyArray:
    """Return a reduction with the reduced axes put back, of length one."""
    return LazyArray(build.expand_axes(value._node, axes))


def _over(value: LazyArray, axes: tuple[int, ...]) -> LazyArray:
    """Return the sum over axes, in the dtype of the value."""
    return LazyArray(
        build.reduce("sum", (value._node,), axes, value.dtype) if axes else value._node
    )


def _sum_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    expanded = build.expand_axes(g._node, axes_of(at.node))
    return [LazyArray(build.broadcast_to(expanded, at.node.src[0].shape))]


def _sum_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else _over(t, axes_of(at.node))


def _flat(x: Node, axes: tuple[int, ...]) -> Node:
    """Return `x` with the reduced axes merged into one, the last."""
    remaining = [k for k in range(x.ndim) if k not in axes]
    order = (*remaining, *axes)
    moved = build.view(x, shapes.permute_view(order), tuple(x.shape[k] for k in order))
    shape = (*(x.shape[k] for k in remaining), prod(x.shape[k] for k in axes))
    return build.reshape(moved, shape)


def _unflat(x: Node, axes: tuple[int, ...], shape: tuple[int, ...]) -> Node:
    """Undo :func:`_flat`."""
    remaining = [k for k in range(len(shape)) if k not in axes]
    order = [*remaining, *axes]
    wide = build.reshape(x, tuple(shape[k] for k in order))
    back = [order.index(k) for k in range(len(shape))]
    return build.view(wide, shapes.permute_view(back), shape)


def _scan(name: str, x: Node, axis: int) -> Node:
    return node(SCAN[name], (x,), x.dtype, x.shape, axis, None)


def _reversed(x: Node, axis: int) -> Node:
    return sliced(x, axis, x.shape[axis] - 1, x.shape[axis], -1) if x.shape[axis] else x


def _before(x: Node, axis: int) -> Node:
    """Return for each place along an axis the product of the elements before it."""
    size = x.shape[axis]
    ones = build.filled(1, x.dtype, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    if size == 1:
        return ones
    return build.concatenate([ones, _scan("cumprod", sliced(x, axis, 0, size - 1), axis)], axis)


def _other_factors(at: Application) -> LazyArray:
    """Return for each factor of a product the product of the others, also where some are 0."""
    source = at.node.src[0]
    axes = axes_of(at.node)
    if source.size == 0:
        return LazyArray(source)
    # Along one axis a scan takes elements where they are; several are one, behind the others.
    alone = len(axes) == 1
    lines = source if alone else _flat(source, axes)
    axis = axes[0] if alone else lines.ndim - 1
    behind = _reversed(_before(_reversed(lines, axis), axis), axis)
    others = build.elementwise(ELEMENTWISE["multiply"], (_before(lines, axis), behind))
    return LazyArray(others if alone else _unflat(others, axes, source.shape))


def _prod_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [_kept(g, axes_of(at.node)) * _other_factors(at)]


def _prod_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else _over(t * _other_factors(at), axes_of(at.node))


def _shares(at: Application) -> LazyArray:
    """Return the part of each element in an extremum: equal ones share it equally."""
    axes = axes_of(at.node)
    is_extreme = at.operand(0) == _kept(at.out, axes)
    winners = LazyArray(build.cast(is_extreme._node, at.node.dtype))
    return winners / _kept(_over(winners, axes), axes)


def _extremum_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [_kept(g, axes_of(at.node)) * _shares(at)]


def _extremum_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else _over(t * _shares(at), axes_of(at.node))


def _deviations(at: Application) -> LazyArray:
    """Return ``2 (x - total / n)``, the slope of the sum of squared deviations.

    The total is always the sum of x over the same axes. That the result depends on x through it
    too adds ``-2 sum(x - total / n) / n``, which is 0.
    """
    x, total = at.operands
    axes = axes_of(at.node)
    count = prod(at.node.src[0].shape[k] for k in axes)
    return 2.0 * (x - _kept(total, axes) / float(max(count, 1)))


def _deviation_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [_kept(g, axes_of(at.node)) * _deviations(at), None]


def _deviation_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    t = tangents[0]
    return None if t is None else _over(t * _deviations(at), axes_of(at.node))


# ---------------------------------------------------------------- scans


def _axis(at: Application) -> int:
    assert isinstance(at.node.attr, int)
    return at.node.attr


def _suffix_sums(x: Node, axis: int) -> Node:
    return _reversed(_scan("cumsum", _reversed(x, axis), axis), axis)


def _cumsum_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [LazyArray(_suffix_sums(g._node, _axis(at)))]


def _cumsum_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else LazyArray(_scan("cumsum", t._node, _axis(at)))


def _cumprod_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    """Multiply the product before each factor with a recurrence over the factors behind it."""
    axis = _axis(at)
    x = at.node.src[0]
    if x.size == 0:
        return [g]
    following = padded(x, axis, -1, 1)
    behind = LazyArray(recurrence(following, g._node, axis))
    return [behind * LazyArray(_preceding(at.node, axis))]


def _preceding(products: Node, axis: int) -> Node:
    """Return cumulative products moved on by one place, with a leading 1."""
    size = products.shape[axis]
    shape = (*products.shape[:axis], 1, *products.shape[axis + 1 :])
    ones = build.filled(1, products.dtype, shape)
    return build.concatenate([ones, sliced(products, axis, 0, size - 1)], axis)


def _positions(at: Application) -> Node:
    """Return the position in the source, in C order, of each running extremum.

    Among equal elements that is the last one.
    """
    axis = _axis(at)
    shape = at.node.shape
    steps = shapes.contiguous_strides(shape)
    multiply, add, where = (ELEMENTWISE[name] for name in ("multiply", "add", "where"))
    places = [
        build.expand_axes(build.iota(n), [j for j in range(len(shape)) if j != k])
        for k, n in enumerate(shape)
    ]
    is_new = build.elementwise(ELEMENTWISE["equal"], (at.node.src[0], at.node))
    newest = build.elementwise(where, (is_new, places[axis], 0))
    places[axis] = _scan("cummax", newest, axis)
    position = build.constant(0, build.INT64)
    for place, step in zip(places, steps, strict=True):
        position = build.elementwise(add, (position, build.elementwise(multiply, (place, step))))
    return build.broadcast_to(position, shape)


def _running_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [LazyArray(scatter_add(at.node.size, _positions(at), g._node, at.node.shape))]


def _running_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    if t is None:
        return None
    return t.reshape(-1)[LazyArray(_positions(at))]


BY_OP |= {
    REDUCE["sum"]: Rule(_sum_vjp, _sum_jvp),
    REDUCE["prod"]: Rule(_prod_vjp, _prod_jvp),
    REDUCE["min"]: Rule(_extremum_vjp, _extremum_jvp),
    REDUCE["max"]: Rule(_extremum_vjp, _extremum_jvp),
    REDUCE["sumsqdev"]: Rule(_deviation_vjp, _deviation_jvp),
    SCAN["cumsum"]: Rule(_cumsum_vjp, _cumsum_jvp),
    SCAN["cumprod"]: Rule(_cumprod_vjp),
    SCAN["cummax"]: Rule(_running_vjp, _running_jvp),
    SCAN["cummin"]: Rule(_running_vjp, _running_jvp),
}
BY_OP |= {REDUCE[name]: DISCRETE for name in ("any", "all", "argmin", "argmax")}
