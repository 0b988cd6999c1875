"""A linear map applied to a batch of vectors: graphs with one more axis, the first.

All rows of a Jacobian are one backward pass, of cotangents with an axis for the rows. What has no
form with such an axis is reported, and the rows are then built one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazyarr import fft, linalg
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import View
from lazyarr.core.source_location import attributed
from lazyarr.differentiation import scatter
from lazyarr.differentiation.markers import stopped
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.linalg.triangular import solve_triangular
from lazyarr.numpy_api.matrix_products import matmul
from lazyarr.ops.convolution import CONVOLUTION, FILTERS, convolution, filters, sliding_of
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.gather import Gathered
from lazyarr.ops.library import Call, freeze, thaw
from lazyarr.ops.markers import STOPPED
from lazyarr.ops.reduce import axes_of
from lazyarr.ops.triangular import FACTORS, INVERSE, SOLUTION

__all__ = ["NoBatchForm", "batched"]


class NoBatchForm(Exception):
    """An operation that does not take one more axis."""


def batched(roots: Sequence[Node], inputs: dict[Node, Node], count: int) -> list[Node]:
    """Return values for a batch of values of their inputs.

    Parameters
    ----------
    roots : sequence of Node
        The values.
    inputs : dict of Node to Node
        For each input the values that it takes, along a new first axis.
    count : int
        The length of that axis.

    Returns
    -------
    list of Node
        Each root with the new axis in front.

    Raises
    ------
    NoBatchForm
        An operation that depends on the inputs has no such form.
    """
    known = dict(inputs)
    for current in walk(roots, inputs.__contains__):
        if current in known or not any(source in known for source in current.src):
            continue
        rule = _RULES.get(current.op.kind)
        if rule is None or current.op.loop is not None:
            raise NoBatchForm(current.op.name)
        with attributed(current.origin):
            known[current] = rule(current, known, count)
    return [
        known[root] if root in known else build.broadcast_to(root, (count, *root.shape))
        for root in roots
    ]


def _whole(source: Node, known: dict[Node, Node], count: int) -> Node:
    """Return a source with the new axis, which it gets by broadcasting if it does not vary."""
    if source in known:
        return known[source]
    return build.broadcast_to(source, (count, *source.shape))


def _aligned(value: Node, ndim: int) -> Node:
    """Return a batched value whose other axes are as many as `ndim`, the missing ones in front."""
    missing = ndim - (value.ndim - 1)
    return build.expand_axes(value, tuple(range(1, 1 + missing))) if missing else value


def _elementwise(current: Node, known: dict[Node, Node], count: int) -> Node:
    src = tuple(
        _aligned(known[source], current.ndim) if source in known else source
        for source in current.src
    )
    shape = (count, *current.shape)
    return node(current.op, src, current.dtype, shape, current.attr, current.origin)


def _reduce(current: Node, known: dict[Node, Node], count: int) -> Node:
    src = tuple(_whole(source, known, count) for source in current.src)
    axes = tuple(axis + 1 for axis in axes_of(current))
    return node(current.op, src, current.dtype, (count, *current.shape), axes, current.origin)


def _along_axis(current: Node, known: dict[Node, Node], count: int) -> Node:
    assert isinstance(current.attr, int)
    src = tuple(_whole(source, known, count) for source in current.src)
    shape = (count, *current.shape)
    return node(current.op, src, current.dtype, shape, current.attr + 1, current.origin)


def _lifted(view: View) -> View:
    """Return an index map with one more axis in front, of source and result."""
    first = (1,) + (0,) * len(view.coefficients[0]) if view.coefficients else (1,)
    return View((0, *view.offsets), (first, *((0, *row) for row in view.coefficients)))


def _view(current: Node, known: dict[Node, Node], count: int) -> Node:
    view = current.attr
    assert isinstance(view, View)
    if not view.coefficients:
        view = View((0,), ((1,) + (0,) * current.ndim,))
    else:
        view = _lifted(view)
    return build.view(known[current.src[0]], view, (count, *current.shape))


def _reshape(current: Node, known: dict[Node, Node], count: int) -> Node:
    return build.reshape(known[current.src[0]], (count, *current.shape))


def _gather(current: Node, known: dict[Node, Node], count: int) -> Node:
    attr = current.attr
    assert isinstance(attr, Gathered)
    source, *indices = current.src
    places = [
        _aligned(known[index], current.ndim) if index in known else index for index in indices
    ]
    shape = (count, *current.shape)
    if source in known:
        axes = tuple(axis + 1 for axis in attr.axes)
        gathered = replace(attr, view=_lifted(attr.view), axes=axes)
        source = known[source]
    else:
        rows = tuple((0, *row) for row in attr.view.coefficients)
        gathered = replace(attr, view=View(attr.view.offsets, rows))
    return node(current.op, (source, *places), current.dtype, shape, gathered, current.origin)


def _marker(current: Node, known: dict[Node, Node], count: int) -> Node:
    if current.op is not STOPPED:
        raise NoBatchForm(current.op.name)
    return stopped(known[current.src[0]])


# ---------------------------------------------------------------- library operations


def _library(current: Node, known: dict[Node, Node], count: int) -> Node:
    rule = _LIBRARY.get(current.op.name)
    if rule is None:
        raise NoBatchForm(current.op.name)
    result: Node = rule(current, known, count)
    return build.reshape(result, (count, *current.shape))


def _matmul(current: Node, known: dict[Node, Node], count: int) -> Node:
    x, y = current.src
    left, right = known.get(x), known.get(y)
    if left is not None and right is None and x.ndim == 1 and y.ndim == 2:
        return as_node(matmul(LazyArray(left), LazyArray(y)))
    if right is not None and left is None and y.ndim == 1 and x.ndim == 2:
        return as_node(matmul(LazyArray(right), LazyArray(x).mT))
    ndim = max(x.ndim, y.ndim, 2)
    operands = []
    for source, value, is_left in ((x, left, True), (y, right, False)):
        wide = source if value is None else value
        if source.ndim == 1:
            wide = build.expand_axes(wide, (wide.ndim - 1 if is_left else wide.ndim,))
        operands.append(wide if value is None else _aligned(wide, ndim))
    return as_node(matmul(*map(LazyArray, operands)))


def _convolution(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Fold the new axis into an axis that the operation keeps apart; one by one if both have it.

    Images of a convolution are apart from each other, and so are outputs of filters; of the
    derivative by filters, channels and outputs. Filters of separate channels have no such axis.
    """
    images, other = current.src
    how = sliding_of(current)
    rule = convolution if current.op is CONVOLUTION else filters
    folds = current.op is CONVOLUTION and other not in known
    if (images in known and other in known) or (how.apart and not folds):

        def item(value: Node, k: int) -> Node:
            return _item(known[value], k) if value in known else value

        each = [
            build.expand_axes(rule(item(images, k), item(other, k), how), (0,))
            for k in range(count)
        ]
        return build.concatenate(each, 0)
    if other in known:
        value = rule(images, _folded(known[other], 4), how)
        return _unfolded(value, 3, count)
    if current.op is CONVOLUTION:
        shape = (count * images.shape[0], *images.shape[1:])
        return rule(build.reshape(known[images], shape), other, how)
    return _unfolded(rule(_folded(known[images], 4), other, how), 2, count)


def _item(value: Node, k: int) -> Node:
    """Return one element along the first axis."""
    rows = tuple(
        tuple(int(axis == j and n != 1) for j in range(value.ndim - 1))
        for axis, n in enumerate(value.shape[1:])
    )
    first = (0,) * (value.ndim - 1)
    view = View((k, *first), (first, *rows))
    return build.view(value, view, value.shape[1:])


def _folded(value: Node, axis: int) -> Node:
    """Return a value with its first axis folded into another one, as the slower part of it."""
    count, size = value.shape[0], value.shape[axis]
    order = (*range(1, axis), 0, *range(axis, value.ndim))
    moved = _permuted(value, order)
    shape = (*moved.shape[: axis - 1], count * size, *moved.shape[axis + 1 :])
    return build.reshape(moved, shape)


def _unfolded(value: Node, axis: int, count: int) -> Node:
    """Return a value with the slower part of an axis as its first axis."""
    size = value.shape[axis] // count
    apart = build.reshape(value, (*value.shape[:axis], count, size, *value.shape[axis + 1 :]))
    return _permuted(apart, (axis, *(k for k in range(apart.ndim) if k != axis)))


def _permuted(value: Node, order: tuple[int, ...]) -> Node:
    rows = tuple(
        tuple(int(order[j] == axis and n != 1) for j in range(value.ndim))
        for axis, n in enumerate(value.shape)
    )
    shape = tuple(value.shape[axis] for axis in order)
    return build.view(value, View((0,) * value.ndim, rows), shape)


def _scatter(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Add into rows of one vector: the positions of each row begin behind those before."""
    values, positions = current.src
    size = current.size
    first = build.elementwise(ELEMENTWISE["multiply"], (build.iota(count), size))
    first = build.expand_axes(first, tuple(range(1, values.ndim + 1)))
    place = known.get(positions, positions)
    places = build.elementwise(ELEMENTWISE["add"], (first, place))
    shape = (count, *values.shape)
    spread = build.broadcast_to(places, shape)
    return scatter.scatter_add(count * size, spread, _whole(values, known, count), (count, size))


def _stacked(function: Callable[..., Any]) -> Callable[..., Node]:
    """Return the rule of a function of matrices, which takes stacks of them."""

    def rule(current: Node, known: dict[Node, Node], count: int) -> Node:
        call = current.attr
        assert isinstance(call, Call)
        arrays = tuple(LazyArray(_whole(source, known, count)) for source in current.src)
        args, keywords = call.arguments(arrays)
        return as_node(function(*args, **keywords))

    return rule


def _solve(current: Node, known: dict[Node, Node], count: int) -> Node:
    a, b = current.src
    left = known.get(a, a)
    right = known.get(b, b)
    if b.ndim == 1:
        right = build.expand_axes(right, (right.ndim,))
    ndim = max(a.ndim, b.ndim, 2)
    if a in known:
        left = _aligned(left, ndim)
    if b in known:
        right = _aligned(right, ndim)
    return as_node(linalg.solve(LazyArray(left), LazyArray(right)))


def _triangular(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Return solutions of triangular systems; both operands have the axes of matrices."""
    ndim = max(source.ndim for source in current.src)
    a, b = (
        LazyArray(_aligned(known[source], ndim) if source in known else source)
        for source in current.src
    )
    call = current.attr
    assert isinstance(call, Call)
    return as_node(solve_triangular(a, b, **{key: thaw(x, ()) for key, x in call.keywords}))


def _of_matrices(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Return the values of a function of single matrices."""
    src = tuple(_whole(source, known, count) for source in current.src)
    shape = (count, *current.shape)
    return node(current.op, src, current.dtype, shape, current.attr, current.origin)


def _factored_solution(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Return solutions by factors, which have one axis less than right sides."""
    factors, b = current.src
    ndim = max(factors.ndim + 1, b.ndim)
    left = _aligned(known[factors], ndim - 1) if factors in known else factors
    right = _aligned(known[b], ndim) if b in known else b
    shape = (count, *current.shape)
    return node(current.op, (left, right), current.dtype, shape, current.attr, current.origin)


def _axis_moved(current: Node, known: dict[Node, Node], count: int) -> Node:
    """Return a function along axes, which are one further."""
    call = current.attr
    assert isinstance(call, Call)
    src = tuple(_whole(source, known, count) for source in current.src)
    keywords = []
    for key, value in call.keywords:
        plain = thaw(value, ())
        if key == "axis":
            plain = plain + 1
        elif key == "axes":
            plain = tuple(axis + 1 for axis in plain)
        keywords.append((key, freeze(plain, lambda value: None)))
    moved = replace(call, keywords=tuple(keywords))
    shape = (count, *current.shape)
    return node(current.op, src, current.dtype, shape, moved, current.origin)


_RULES: dict[Kind, Callable[..., Node]] = {
    Kind.ELEMENTWISE: _elementwise,
    Kind.REDUCE: _reduce,
    Kind.SCAN: _along_axis,
    Kind.CONCATENATE: _along_axis,
    Kind.VIEW: _view,
    Kind.RESHAPE: _reshape,
    Kind.GATHER: _gather,
    Kind.MARKER: _marker,
    Kind.LIBRARY: _library,
}
_LIBRARY: dict[str, Callable[..., Node]] = {
    "matmul": _matmul,
    CONVOLUTION.name: _convolution,
    FILTERS.name: _convolution,
    scatter.NAME: _scatter,
    "linalg.solve": _solve,
    "linalg.solve_triangular": _triangular,
    FACTORS.name: _of_matrices,
    INVERSE.name: _of_matrices,
    SOLUTION.name: _factored_solution,
    "linalg.inv": _stacked(linalg.inv),
    "linalg.cholesky": _stacked(linalg.cholesky),
    "linalg.det": _stacked(linalg.det),
    "sort": _axis_moved,
    "argsort": _axis_moved,
    "take_along_axis": _axis_moved,
}
_LIBRARY |= {
    f"fft.{name}": _axis_moved
    for name in fft.__all__
    if name.rstrip("n2") in ("fft", "ifft", "rfft", "irfft")
}
_LIBRARY |= dict.fromkeys([f"fft.{name}{fft.IN_SINGLE}" for name in fft.SINGLE], _axis_moved)
