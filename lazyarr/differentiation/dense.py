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
            (whole,) = _for_units([share._node], weight)
            results.append(build.reshape(whole, shape))
    return results


def columns(roots: Sequence[Node], variables: Sequence[Node]) -> list[list[Node]]:
    """Return the Jacobians of values with respect to variables, by forward accumulation.

    One forward pass for each variable takes its unit vectors as tangents, along a new axis.

    Parameters
    ----------
    roots : sequence of Node
        The values, of any shapes and floating-point dtypes.
    variables : sequence of Node
        From :func:`lazyarr.differentiation.markers.variable`.

    Returns
    -------
    list of list of Node
        For each value, for each variable: an array of the axes of the value followed by those of
        the variable.
    """
    results: list[list[Node]] = [[] for _ in roots]
    for variable in variables:
        direction = markers.variable(build.filled(0, variable.dtype, variable.shape))
        tangents = push_forward(roots, [variable], [LazyArray(direction)])
        moving = [tangent._node for tangent in tangents if tangent is not None]
        wholes = iter(_for_units(moving, direction) if moving else ())
        for root, tangent, result in zip(roots, tangents, results, strict=True):
            shape = (*root.shape, *variable.shape)
            if tangent is None:
                result.append(build.filled(0, root.dtype, shape))
                continue
            whole = next(wholes)
            # The axis of the directions goes last.
            axes = (*range(1, whole.ndim), 0)
            moved = build.view(whole, shapes.permute_view(axes), (*root.shape, variable.size))
            result.append(build.reshape(moved, shape))
    return results


def _for_units(values: Sequence[Node], vector: Node) -> list[Node]:
    """Return values that are linear in a vector for each unit vector, along a new first axis."""
    count = vector.size
    if count == 0:
        return [build.filled(0, value.dtype, (0, *value.shape)) for value in values]
    units = _units(vector)
    try:
        return batched(values, {vector: units}, count)
    except NoBatchForm:
        pass
    parts: list[list[Node]] = []
    for place in range(count):
        starts = (place, *(0 for _ in vector.shape))
        unit = build.view(units, shapes.slice_view(starts, (1,) * units.ndim), (1, *vector.shape))
        at_place = replaced(values, {vector: build.reshape(unit, vector.shape)})
        parts.append([build.expand_axes(part, (0,)) for part in at_place])
    return [build.concatenate(list(column), 0) for column in zip(*parts, strict=True)]


def _units(like: Node) -> Node:
    """Return all unit vectors of the shape of an array, along a new first axis."""
    places = build.iota(like.size)
    is_own = build.elementwise(
        ELEMENTWISE["equal"], (build.expand_axes(places, (1,)), build.expand_axes(places, (0,)))
    )
    return build.reshape(build.cast(is_own, like.dtype), (like.size, *like.shape))
