"""The order of axes in which elementwise values are computed beside convolutions.

Images whose channels are the second axis are moved axes of values whose channels are the last:
convolutions take and give these. What is computed of them element by element is computed, and
stored, in the order of the convolutions, and the axes of its result are moved instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.builders import build
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.convolution import CONVOLUTION, FILTERS

__all__ = ["order_axes"]

#: The axes of a value as they should lie in memory, the outermost first.
Order = tuple[int, ...]


def order_axes(roots: Sequence[Node], final: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the roots with elementwise values computed in the order that convolutions read.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    orders = _orders(order)
    for root in roots:
        orders.pop(root, None)  # it is stored as it is asked for
    chosen = {
        value
        for value, axes in orders.items()
        if value.op.kind in (Kind.ELEMENTWISE, Kind.CONCATENATE) and axes != _plain(value)
    }
    if not chosen:
        return tuple(roots)
    replaced: dict[Node, Node] = {}
    for value in order:
        moved = replace_sources(value, tuple([replaced[source] for source in value.src]))
        replaced[value] = _ordered(moved, orders[value]) if value in chosen else moved
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    return tuple(replaced[root] for root in roots)


def _plain(value: Node) -> Order:
    return tuple(range(value.ndim))


def _orders(order: Sequence[Node]) -> dict[Node, Order]:
    """Return the axis orders in which convolutions read values, directly or through operations."""
    orders: dict[Node, Order] = {}
    for value in reversed(order):
        if value.op in (CONVOLUTION, FILTERS):
            images = value.src[:1] if value.op is CONVOLUTION else value.src
            for source in images:
                orders.setdefault(source, _plain(source))
            continue
        axes = orders.get(value)
        if axes is None:
            continue
        if value.op.kind is Kind.VIEW:
            (source,) = value.src
            before = _before(value.attr, axes, source)
            if before is not None:
                orders.setdefault(source, before)
        elif value.op.kind in (Kind.ELEMENTWISE, Kind.CONCATENATE):
            for source in value.src:
                if source.ndim == value.ndim and (
                    source.shape == value.shape or value.op.kind is Kind.CONCATENATE
                ):
                    orders.setdefault(source, axes)
    return orders


def _before(index_map: object, axes: Order, source: Node) -> Order | None:
    """Return the order of a source in which a view of it is read; None where axes do not match."""
    assert isinstance(index_map, View)
    places = []
    for size, row in zip(source.shape, index_map.coefficients, strict=True):
        along = [k for k, step in enumerate(row) if step]
        if size == 1 and not along:
            places.append(-1)
        elif len(along) == 1:
            places.append(axes.index(along[0]))
        else:
            return None
    present = [place for place in places if place >= 0]
    if len(set(present)) != len(present):
        return None
    return tuple(sorted(range(source.ndim), key=lambda axis: places[axis]))


def _ordered(value: Node, axes: Order) -> Node:
    """Return a value as moved axes of one that is computed in another order of axes."""
    shape = tuple(value.shape[axis] for axis in axes)
    sources = []
    for source in value.src:
        if source.ndim == 0:
            sources.append(source)
            continue
        extent = list(shape)
        rows = []
        for axis, size in enumerate(source.shape):
            place = axes.index(axis + value.ndim - source.ndim)
            spread = size == 1 != shape[place]
            rows.append(tuple(int(k == place and not spread) for k in range(len(shape))))
            if value.op.kind is Kind.CONCATENATE:
                extent[place] = size
        index_map = View((0,) * source.ndim, tuple(rows))
        sources.append(build.view(source, index_map, tuple(extent)))
    attr = value.attr
    if value.op.kind is Kind.CONCATENATE:
        assert isinstance(attr, int)
        attr = axes.index(attr)
    inner = node(value.op, tuple(sources), value.dtype, shape, attr, value.origin)
    back = tuple(tuple(int(k == axis) for k in range(value.ndim)) for axis in axes)
    return build.view(inner, View((0,) * value.ndim, back), value.shape)
