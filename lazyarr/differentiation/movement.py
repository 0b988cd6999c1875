"""Derivatives of views, reshapes and concatenations.

A view is an affine index map, so its transpose adds each element of the cotangent where the view
read it. It is built of sums, transposes and reshapes, and is zero outside a box; only a view that
reads elements in an irregular pattern takes a scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.shapes import Shape, View
from lazyarr.differentiation.boxes import Box, padded, sliced
from lazyarr.differentiation.rules import BY_OP, DISCRETE, Application, Cotangent, Rule, refused
from lazyarr.differentiation.scatter import scatter_add
from lazyarr.graph.node import Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import ARGUMENT, CONCATENATE, CONSTANT, IOTA, LEAF, RESHAPE, VIEW, WRITE

__all__ = ["transposed_view"]


def _moved(x: Node, axes: Sequence[int]) -> Node:
    """Return `x` with its axes in another order."""
    return build.view(x, shapes.permute_view(axes), tuple(x.shape[axis] for axis in axes))


class _Transpose:
    """A cotangent on its way from the shape of a view to that of its source.

    Attributes
    ----------
    value : Node
        The cotangent; its axes are those of `rows`' columns.
    rows : list of list of int
        For each axis of the source the coefficients of the axes of `value`.
    offsets : list of int
        Where each axis of the source begins.
    """

    def __init__(self, value: Node, view: View) -> None:
        self.value = value
        self.rows = [list(row) for row in view.coefficients]
        self.offsets = list(view.offsets)

    def sum_unused(self) -> None:
        """Sum over the axes along which the view repeats its source, and drop those of length 1."""
        used = [any(row[k] for row in self.rows) for k in range(self.value.ndim)]
        axes = tuple(k for k, is_used in enumerate(used) if not is_used)
        ones = [k for k, n in enumerate(self.value.shape) if n == 1 and used[k]]
        if axes:
            self.value = build.reduce("sum", (self.value,), axes, self.value.dtype)
        used_axes = [k for k in range(len(used)) if used[k]]
        self.rows = [[row[k] for k in used_axes] for row in self.rows]
        if ones:
            remaining = [j for j, k in enumerate(used_axes) if k not in ones]
            self.value = build.reshape(self.value, tuple(self.value.shape[j] for j in remaining))
            self.rows = [[row[j] for j in remaining] for row in self.rows]

    def turn_forward(self) -> None:
        """Reverse the axes that are read backwards."""
        for axis in range(self.value.ndim):
            factors = [row[axis] for row in self.rows if row[axis]]
            if factors and all(factor < 0 for factor in factors):
                last = self.value.shape[axis] - 1
                self.value = sliced(self.value, axis, last, last + 1, -1)
                for position, row in enumerate(self.rows):
                    self.offsets[position] += row[axis] * last
                    row[axis] = -row[axis]

    def is_regular(self) -> bool:
        """Whether every axis belongs to one axis of the source, and is read forwards."""
        for axis in range(self.value.ndim):
            factors = [row[axis] for row in self.rows if row[axis]]
            if len(factors) != 1 or factors[0] < 0:
                return False
        return True

    def steps(self) -> Shape:
        """Return the steps of source axes that one axis reads, and let it read neighbours."""
        steps = []
        for row in self.rows:
            axes = [k for k, factor in enumerate(row) if factor]
            alone = len(axes) == 1
            steps.append(row[axes[0]] if alone else 1)
            if alone:
                row[axes[0]] = 1
        return tuple(steps)

    def windows(self) -> list[int]:
        """Return axes without which the places of no two axes of a row overlap."""
        apart: list[int] = []
        for row in self.rows:
            axes = sorted((k for k, factor in enumerate(row) if factor), key=lambda k: row[k])
            while (count := _apart(axes, row, self.value.shape)) < len(axes):
                shortest = min(axes[: count + 1], key=lambda k: self.value.shape[k])
                axes.remove(shortest)
                apart.append(shortest)
        return sorted(apart)

    def merged(self, first: Sequence[int]) -> Node:
        """Return the cotangent with some axes first, and then one for each axis of the source.

        Parameters
        ----------
        first : sequence of int
            No other axes of a row may overlap.
        """
        order: list[int] = [*first]
        groups: list[list[tuple[int, int]]] = []  # for each source axis: (size, coefficient)
        for row in self.rows:
            axes = [k for k, factor in enumerate(row) if factor and k not in first]
            axes.sort(key=lambda k: -row[k])
            order += axes
            groups.append([(self.value.shape[k], row[k]) for k in axes])
        value = _moved(self.value, order)
        for axis, group in enumerate(groups, len(first)):
            value = _merge(value, axis, group)
        return value

    def summed_windows(self, first: Sequence[int]) -> Node:
        """Return the cotangent summed over the axes of windows.

        The elements at one place of all windows are a box of the source's axes, and its start is
        the place. With zeros around them the sum is one over a view, in which each element goes
        back by its place.

        Parameters
        ----------
        first : sequence of int
            The axes of windows.
        """
        value = self.merged(first)
        count = len(first)
        places = [self.value.shape[k] for k in first]
        sizes = [*places]
        offsets, coefficients = [0] * count, [[0] * value.ndim for _ in range(value.ndim)]
        for k in range(value.ndim):
            coefficients[k][k] = 1
        for axis, row in enumerate(self.rows, count):
            factors = [row[k] for k in first]
            reach = sum(factor * (size - 1) for factor, size in zip(factors, places, strict=True))
            sizes.append(value.shape[axis] + reach)
            offsets.append(reach)
            coefficients[axis][:count] = [-factor for factor in factors]
            value = padded(value, axis, reach, reach)
        view = View(tuple(offsets), tuple(map(tuple, coefficients)))
        value = build.view(value, view, tuple(sizes))
        return build.reduce("sum", (value,), tuple(range(count)), value.dtype)


def _apart(axes: Sequence[int], row: Sequence[int], shape: Shape) -> int:
    """Return the number of axes, of ascending coefficients, whose places do not overlap."""
    reach = 1
    for count, axis in enumerate(axes):
        if row[axis] < reach:
            return count
        reach += row[axis] * (shape[axis] - 1)
    return len(axes)


def _merge(value: Node, axis: int, group: list[tuple[int, int]]) -> Node:
    """Return `value` with the axes of a group, from `axis` on, as one axis of coefficient 1."""
    if not group:
        return build.expand_axes(value, (axis,))
    sizes = [size for size, _ in group]
    factors = [factor for _, factor in group]
    if factors[-1] != 1:
        # The gaps between the elements that the view reads become an axis of zeros.
        value = build.expand_axes(value, (axis + len(group),))
        sizes.append(1)
        factors.append(1)
    while len(sizes) > 1:
        inner = axis + len(sizes) - 1
        stride = factors[-2]
        value = padded(value, inner, 0, stride - sizes[-1])
        merged = sizes[-2] * stride
        value = build.reshape(value, (*value.shape[: inner - 1], merged, *value.shape[inner + 1 :]))
        sizes[-2:] = [merged]
        factors[-2:] = [1]
    return value


def transposed_view(cotangent: Node, view: View, shape: Shape) -> Node | Box:
    """Return the cotangent of the source of a view, or the box outside which it is zero.

    Parameters
    ----------
    cotangent : Node
        Of the result of the view.
    view : View
        The index map.
    shape : tuple of int
        Of the source.
    """
    if 0 in cotangent.shape or 0 in shape:
        return build.filled(0, cotangent.dtype, shape)
    diagonal = _on_diagonal(cotangent, view, shape)
    if diagonal is not None:
        return diagonal
    state = _Transpose(cotangent, view)
    state.sum_unused()
    state.turn_forward()
    if not state.is_regular():
        return _scattered(state, shape)
    windows = state.windows()
    steps = (1,) * len(shape) if windows else state.steps()
    value = state.summed_windows(windows) if windows else state.merged(())
    # Behind the last element of a strided axis its gap may reach beyond the source.
    for axis, (offset, size) in enumerate(zip(state.offsets, shape, strict=True)):
        beyond = offset + value.shape[axis] - size
        if beyond > 0:
            value = padded(value, axis, 0, -beyond)
    is_whole = value.shape == shape and steps == (1,) * len(shape)
    return value if is_whole else Box(value, tuple(state.offsets), steps)


def _on_diagonal(cotangent: Node, view: View, shape: Shape) -> Node | None:
    """Return the cotangent of the source of a diagonal; None of another view.

    Its elements are those at which two indices say so, so that nothing is added at places.
    """
    factors = [factor for row in view.coefficients for factor in row]
    if any(factor not in (0, 1) for factor in factors):
        return None
    if any(sum(row) != 1 for row in view.coefficients):
        return None
    axes = [row.index(1) for row in view.coefficients]
    twice = [axis for axis in set(axes) if axes.count(axis) == 2]
    if len(twice) != 1 or len(axes) != cotangent.ndim + 1:
        return None
    (common,) = twice
    rows = [k for k, axis in enumerate(axes) if axis == common]
    others = [k for k, axis in enumerate(axes) if axis != common]
    if any(view.offsets[k] or shape[k] != cotangent.shape[axes[k]] for k in others):
        return None
    first, second = rows
    length = cotangent.shape[common]
    # The diagonal as a row or as a column of the source: where the other index has no offset.
    along = first if length == shape[first] else second
    if length != shape[along] or view.offsets[along]:
        return None
    order = [along if axis == common else axes.index(axis) for axis in range(cotangent.ndim)]
    moved = build.view(
        cotangent,
        shapes.permute_view([order.index(k) for k in sorted(order)]),
        tuple(cotangent.shape[order.index(k)] for k in sorted(order)),
    )
    other = second if along == first else first
    expanded = build.expand_axes(moved, (other,))
    places = [
        build.expand_axes(build.iota(shape[k]), [j for j in range(len(shape)) if j != k])
        for k in (along, other)
    ]
    shifted = build.elementwise(ELEMENTWISE["add"], (places[0], view.offsets[other]))
    is_read = build.elementwise(ELEMENTWISE["equal"], (shifted, places[1]))
    zero = build.constant(0, cotangent.dtype)
    chosen = build.elementwise(ELEMENTWISE["where"], (is_read, expanded, zero))
    return build.broadcast_to(chosen, shape)


def _scattered(state: _Transpose, shape: Shape) -> Node:
    """Return the cotangent added element by element at the positions that the view reads."""
    steps = shapes.contiguous_strides(shape)
    ndim = state.value.ndim
    position: Node = build.constant(
        sum(offset * step for offset, step in zip(state.offsets, steps, strict=True)), build.INT64
    )
    for axis in range(ndim):
        factor = sum(row[axis] * step for row, step in zip(state.rows, steps, strict=True))
        along = build.elementwise(
            ELEMENTWISE["multiply"], (build.iota(state.value.shape[axis]), factor)
        )
        spread = build.expand_axes(along, [k for k in range(ndim) if k != axis])
        position = build.elementwise(ELEMENTWISE["add"], (position, spread))
    position = build.broadcast_to(position, state.value.shape)
    return scatter_add(prod(shape), position, state.value, shape)


def _view_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    attr = at.node.attr
    assert isinstance(attr, View)
    share = transposed_view(g._node, attr, at.node.src[0].shape)
    return [LazyArray(share) if isinstance(share, Node) else share]


def _view_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    attr = at.node.attr
    assert isinstance(attr, View)
    return None if t is None else LazyArray(build.view(t._node, attr, at.node.shape))


def _reshape_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [LazyArray(build.reshape(g._node, at.node.src[0].shape))]


def _reshape_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else LazyArray(build.reshape(t._node, at.node.shape))


def _concatenate_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    axis = at.node.attr
    assert isinstance(axis, int)
    cotangents: list[Cotangent] = []
    start = 0
    for source, needed in zip(at.node.src, at.needed, strict=True):
        size = source.shape[axis]
        cotangents.append(LazyArray(sliced(g._node, axis, start, size)) if needed else None)
        start += size
    return cotangents


def _concatenate_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    axis = at.node.attr
    assert isinstance(axis, int)
    parts = [
        build.filled(0, at.node.dtype, source.shape) if t is None else t._node
        for t, source in zip(tangents, at.node.src, strict=True)
    ]
    return LazyArray(
        node(CONCATENATE, tuple(parts), at.node.dtype, at.node.shape, axis, at.node.origin)
    )


BY_OP |= {
    VIEW: Rule(_view_vjp, _view_jvp),
    RESHAPE: Rule(_reshape_vjp, _reshape_jvp),
    CONCATENATE: Rule(_concatenate_vjp, _concatenate_jvp),
    LEAF: DISCRETE,
    CONSTANT: DISCRETE,
    ARGUMENT: DISCRETE,
    IOTA: DISCRETE,
    WRITE: refused("it stands in plans alone"),
}
