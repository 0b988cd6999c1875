"""Nodes that move values: views, shapes and joined arrays. Nothing is computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lazyarr.builders.values import check_size
from lazyarr.core import shapes
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.ops.movement import CONCATENATE, RESHAPE, VIEW

__all__ = ["broadcast_to", "concatenate", "expand_axes", "fitting", "in_order", "reshape", "view"]


def view(x: Node, index_map: View, shape: Shape) -> Node:
    """Return a view of `x`; a view of a view becomes one view, and the identity `x` itself.

    Parameters
    ----------
    x : Node
        The source.
    index_map : View
        From an index of the result to one of the source.
    shape : tuple of int
        Of the result.
    """
    if x.op is VIEW:
        inner = x.attr
        assert isinstance(inner, View)
        index_map = shapes.compose(inner, index_map, len(shape))
        x = x.src[0]
    if shape == x.shape and index_map == shapes.identity_view(len(shape)):
        return x
    return node(VIEW, (x,), x.dtype, shape, index_map, origin())


def broadcast_to(x: Node, shape: Shape) -> Node:
    """Return `x` broadcast to `shape`.

    Parameters
    ----------
    x : Node
        The value.
    shape : tuple of int
        Of the result.

    Raises
    ------
    ShapeError
        If it does not broadcast to that shape.
    """
    if x.shape == shape:
        return x
    pad = len(shape) - len(x.shape)
    if pad < 0 or any(old not in (1, new) for old, new in zip(x.shape, shape[pad:], strict=True)):
        if pad < 0 and not shape:
            text = "cannot broadcast a non-scalar to a scalar array"
        elif pad < 0:
            text = "input operand has more dimensions than allowed by the axis remapping"
        else:
            text = "operands could not be broadcast together with remapped shapes"
            text += " [original->remapped]"
        listed = f"{shapes.text_of(x.shape)}  and requested shape {shapes.text_of(shape)}"
        raise ShapeError(f"{text}: {listed}", origin=origin())
    check_size(shape, x.dtype)
    return view(x, shapes.broadcast_view(x.shape, shape), shape)


def reshape(x: Node, shape: Shape) -> Node:
    """Return `x` in C order with another shape of the same size.

    Parameters
    ----------
    x : Node
        The value.
    shape : tuple of int
        Of the result; of the same size.
    """
    if x.shape == shape:
        return x
    index_map = _reshape_view(x.shape, shape)
    if index_map is not None:
        return view(x, index_map, shape)
    if x.op is RESHAPE:
        return reshape(x.src[0], shape)
    return node(RESHAPE, (x,), x.dtype, shape, None, origin())


def in_order(x: Node, order: tuple[int, ...]) -> Node:
    """Return the same value, of which NumPy's array has its axes in an order of their own.

    Parameters
    ----------
    x : Node
        The value.
    order : tuple of int
        The axes as they lie in memory, the slowest first.
    """
    return node(RESHAPE, (x,), x.dtype, x.shape, order, origin())


def fitting(part: Node, shape: Shape, *, gathered: bool = False) -> Node:
    """Return a value that is written to an array, broadcast to the shape there.

    Parameters
    ----------
    part : Node
        The value; leading axes of length one may be too many.
    shape : tuple of int
        Of what is written to.
    gathered : bool
        Whether the elements there are chosen by index arrays, of which the message speaks.

    Raises
    ------
    ShapeError
        If it does not broadcast to the shape.
    """
    extra = 0
    while part.ndim - extra > len(shape) and part.shape[extra] == 1:
        extra += 1
    fitted = reshape(part, part.shape[extra:]) if extra else part
    try:
        return broadcast_to(fitted, shape)
    except ShapeError:
        value, target = shapes.text_of((part if gathered else fitted).shape), shapes.text_of(shape)
        raise ShapeError(
            f"shape mismatch: value array of shape {value} could not be broadcast to indexing "
            f"result of shape {target}"
            if gathered
            else f"could not broadcast input array from shape {value} into shape {target}",
            origin=origin(),
        ) from None


@lru_cache(4096)
def _reshape_view(shape: Shape, new_shape: Shape) -> View | None:
    return shapes.expand_view(shape, new_shape) or shapes.reshape_view(shape, new_shape)


def expand_axes(x: Node, axes: Sequence[int]) -> Node:
    """Return `x` with new axes of length one.

    Parameters
    ----------
    x : Node
        The value.
    axes : sequence of int
        The positions of the new axes in the result, not negative.
    """
    if not axes:
        return x
    remaining = iter(x.shape)
    shape = tuple(
        1 if axis in axes else next(remaining) for axis in range(len(x.shape) + len(axes))
    )
    return reshape(x, shape)


def _mismatch(first: Shape, at: int, shape: Shape, axis: int) -> str:
    """Return why an array, at a place in a list, does not fit the first one."""
    if len(first) != len(shape):
        return (
            "all the input arrays must have same number of dimensions, but the array at index 0 "
            f"has {len(first)} dimension(s) and the array at index {at} has {len(shape)} "
            "dimension(s)"
        )
    differing = [k for k in range(len(shape)) if k != axis and shape[k] != first[k]]
    k = differing[0]
    return (
        "all the input array dimensions except for the concatenation axis must match exactly, but "
        f"along dimension {k}, the array at index 0 has size {first[k]} and the array at index "
        f"{at} has size {shape[k]}"
    )


def concatenate(sources: Sequence[Node], axis: int) -> Node:
    """Return arrays joined along an axis; empty ones are left out.

    Parameters
    ----------
    sources : sequence of Node
        At least one; of one dtype, and of shapes that differ along `axis` alone.
    axis : int
        The axis, not negative.

    Raises
    ------
    ShapeError
        Their shapes differ on another axis.
    """
    first = sources[0]
    before, behind = first.shape[:axis], first.shape[axis + 1 :]
    for at, other in enumerate(sources):
        shape = other.shape
        if shape[:axis] != before or shape[axis + 1 :] != behind or len(shape) <= axis:
            raise ShapeError(_mismatch(first.shape, at, shape, axis), origin=origin())
    parts = tuple([source for source in sources if source.shape[axis]]) or (first,)
    if len(parts) == 1:
        return parts[0]
    total = sum([part.shape[axis] for part in parts])
    shape = (*before, total, *behind)
    check_size(shape, first.dtype)
    return node(CONCATENATE, parts, first.dtype, shape, axis, origin())
