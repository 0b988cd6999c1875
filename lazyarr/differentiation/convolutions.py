"""Derivatives of convolutions, which are linear in images and in filters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.shapes import View
from lazyarr.core.source_location import origin
from lazyarr.differentiation.rules import BY_NAME, Application, Cotangent, Rule
from lazyarr.graph.node import Node
from lazyarr.ops.convolution import (
    CONVOLUTION,
    FILTERS,
    convolution,
    filters,
    sliding_of,
    transposed,
)

__all__: list[str] = []


def _reversed(weights: Node, *, apart: bool) -> Node:
    """Return filters with their taps in reverse order, and outputs for inputs unless apart."""
    down, across, channels, outputs = weights.shape
    rows = (
        (-1 if down != 1 else 0, 0, 0, 0),
        (0, -1 if across != 1 else 0, 0, 0),
        *(((0, 0, 1, 0), (0, 0, 0, 1)) if apart else ((0, 0, 0, 1), (0, 0, 1, 0))),
    )
    ends = (channels, outputs) if apart else (outputs, channels)
    return build.view(weights, View((down - 1, across - 1, 0, 0), rows), (down, across, *ends))


def _by_images(like: Node, weights: Node, cotangent: Node, at: Application) -> LazyArray:
    how = transposed(sliding_of(at.node), (like.shape[1], like.shape[2]))
    taps = _reversed(weights, apart=how.apart)
    return LazyArray(convolution(cotangent, taps, how, origin()))


def _convolution_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    images, weights = at.node.src
    how = sliding_of(at.node)
    return [
        _by_images(images, weights, g._node, at) if at.needed[0] else None,
        LazyArray(filters(images, g._node, how, origin())) if at.needed[1] else None,
    ]


def _filters_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    images, cotangent = at.node.src
    how = sliding_of(at.node)
    return [
        _by_images(images, g._node, cotangent, at) if at.needed[0] else None,
        LazyArray(convolution(images, g._node, how, origin())) if at.needed[1] else None,
    ]


def _bilinear(build_node: Any) -> Any:
    """Return the forward rule of a node that is linear in each of its two operands."""

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        total: LazyArray | None = None
        for position, tangent in enumerate(tangents):
            if tangent is not None:
                operands = list(at.node.src)
                operands[position] = tangent._node
                share = LazyArray(build_node(*operands, sliding_of(at.node), origin()))
                total = share if total is None else total + share
        return total

    return jvp


BY_NAME |= {
    CONVOLUTION.name: Rule(_convolution_vjp, _bilinear(convolution)),
    FILTERS.name: Rule(_filters_vjp, _bilinear(filters)),
}
