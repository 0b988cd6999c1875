"""Whole Jacobians: directional derivatives for the batch of all unit vectors."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.differentiation import markers
from lazyarr.differentiation.batching import NoBatchForm, batched
from lazyarr.differentiation.functions import replaced
from lazyarr.differentiation.modes import pull_back, push_forward
from lazyarr.graph.node import Node
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["columns", "rows"]


def rows(root: Node, variables: Sequence[Node]) -> list[Node]:
    """Return the Jacobians of a value with respect to variables, by reverse accumulation.

    One backward pass takes the unit vectors of the value as cotangents, along a new axis.

    Parameters
    ----------
    root : Node
        The value, of any shape and a floating-point dtype.
    variables : sequence of Node
        From :func:`lazyarr.differentiation.markers.variable`.

    Returns
    -------
    list of Node
        For each variable an array of the axes of the value followed by its own.
    """
    weight = markers.variable(build.filled(0, root.dtype, root.shape))
    shares = pull_back([root], variables, [LazyArray(weight)])
    results = []
    for share, variable in zip(shares, variables, strict=True):
        shape = (*root.shape, *variable.shape)
        if share is None:
            results.append(build.filled(0, variable.dtype, shape))
        else:
            results.append(build.reshape(_for_units(share._node, weight), shape))
    return results


def columns(root: Node, variables: Sequence[Node]) -> list[Node]:
    """Return the Jacobians of a value with respect to variables, by forward accumulation.

    One forward pass for each variable takes its unit vectors as tangents, along a new axis.

    Parameters
    ----------
    root : Node
        The value, of any shape and a floating-point dtype.
    variables : sequence of Node
        From :func:`lazyarr.differentiation.markers.variable`.

    Returns
    -------
    list of Node
        For each variable an array of the axes of the value followed by its own.
    """
    results = []
    for variable in variables:
        shape = (*root.shape, *variable.shape)
        direction = markers.variable(build.filled(0, variable.dtype, variable.shape))
        (tangent,) = push_forward([root], [variable], [LazyArray(direction)])
        if tangent is None:
            results.append(build.filled(0, root.dtype, shape))
            continue
        whole = _for_units(tangent._node, direction)
        # The axis of the directions goes last.
        axes = (*range(1, whole.ndim), 0)
        moved = build.view(whole, shapes.permute_view(axes), (*root.shape, variable.size))
        results.append(build.reshape(moved, shape))
    return results


def _for_units(value: Node, vector: Node) -> Node:
    """Return a value that is linear in a vector for each unit vector, along a new first axis."""
    count = vector.size
    if count == 0:
        return build.filled(0, value.dtype, (0, *value.shape))
    units = _units(vector)
    try:
        (applied,) = batched([value], {vector: units}, count)
    except NoBatchForm:
        parts = []
        for place in range(count):
            starts = (place, *(0 for _ in vector.shape))
            unit = build.view(
                units, shapes.slice_view(starts, (1,) * units.ndim), (1, *vector.shape)
            )
            (part,) = replaced([value], {vector: build.reshape(unit, vector.shape)})
            parts.append(build.expand_axes(part, (0,)))
        applied = build.concatenate(parts, 0)
    return applied


def _units(like: Node) -> Node:
    """Return all unit vectors of the shape of an array, along a new first axis."""
    places = build.iota(like.size)
    is_own = build.elementwise(
        ELEMENTWISE["equal"], (build.expand_axes(places, (1,)), build.expand_axes(places, (0,)))
    )
    return build.reshape(build.cast(is_own, like.dtype), (like.size, *like.shape))
