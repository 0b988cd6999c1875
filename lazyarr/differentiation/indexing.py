"""Derivatives of operations that move elements by computed positions: gathers, writes, sorts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.shapes import View
from lazyarr.core.source_location import origin
from lazyarr.differentiation.rules import (
    BY_NAME,
    BY_OP,
    DISCRETE,
    Application,
    Cotangent,
    Rule,
    fitted,
    zeros,
)
from lazyarr.differentiation.scatter import NAME, add_rows, scatter_add
from lazyarr.errors import DifferentiationError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.sorting import argsort, take_along_axis
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.gather import GATHER, Gathered
from lazyarr.ops.library import LIBRARY, Call, Items, Scalar, Slot, thaw

__all__: list[str] = []


def _positions(at: Application) -> Node:
    """Return the position in the first source, in C order, of each element that a gather reads."""
    source, *indices = at.node.src
    attr = at.node.attr
    assert isinstance(attr, Gathered)
    ndim = at.node.ndim
    steps = shapes.contiguous_strides(source.shape)
    constant = sum(offset * step for offset, step in zip(attr.view.offsets, steps, strict=True))
    position = build.constant(constant, build.INT64)
    multiply, add = ELEMENTWISE["multiply"], ELEMENTWISE["add"]
    for axis in range(ndim):
        factor = sum(
            row[axis] * step for row, step in zip(attr.view.coefficients, steps, strict=True)
        )
        if factor:
            along = build.elementwise(multiply, (build.iota(at.node.shape[axis]), factor))
            along = build.expand_axes(along, [k for k in range(ndim) if k != axis])
            position = build.elementwise(add, (position, along))
    for axis, index in zip(attr.axes, indices, strict=True):
        size = source.shape[axis]
        negative = build.elementwise(ELEMENTWISE["less"], (index, 0))
        wrapped = build.elementwise(add, (index, size))
        index = build.elementwise(ELEMENTWISE["where"], (negative, wrapped, index))
        scaled = build.elementwise(multiply, (index, steps[axis]))
        position = build.elementwise(add, (position, scaled))
    return build.broadcast_to(position, at.node.shape)


def _leading(at: Application) -> int | None:
    """Return the axes of the places of a gather that reads whole rows; None if it does not.

    They are the first axes of the result, and those of the rows follow.
    """
    source, *indices = at.node.src
    attr = at.node.attr
    assert isinstance(attr, Gathered)
    leading = at.node.ndim - source.ndim + 1
    if attr.axes != (0,) or leading < 1:
        return None
    coefficients = np.eye(at.node.ndim, dtype=int)[leading:].tolist()
    whole = View((0,) * source.ndim, ((0,) * at.node.ndim, *map(tuple, coefficients)))
    (index,) = indices
    of_rows = (*at.node.shape[:leading], *[1] * (source.ndim - 1))
    is_whole = attr.view == whole and at.node.shape[leading:] == source.shape[1:]
    return leading if is_whole and index.shape == of_rows else None


def _gather_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    source = at.node.src[0]
    leading = _leading(at)
    if leading is not None:
        count = prod(at.node.shape[:leading])
        places = build.reshape(at.node.src[1], (count,))
        rows = build.reshape(g._node, (count, *source.shape[1:]))
        scattered = add_rows(source.shape, places, rows)
    else:
        scattered = scatter_add(source.size, _positions(at), g._node, source.shape)
    return [LazyArray(scattered), *[None] * (len(at.node.src) - 1)]


def _gather_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    t = tangents[0]
    if t is None:
        return None
    sources = (t._node, *at.node.src[1:])
    gathered = node(GATHER, sources, at.node.dtype, at.node.shape, at.node.attr, at.node.origin)
    return LazyArray(gathered)


def _scatter_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    values, positions = at.operands
    return [g[positions].reshape(values.shape), None]


def _scatter_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    t = tangents[0]
    if t is None:
        return None
    return LazyArray(scatter_add(at.node.size, at.node.src[1], t._node, at.node.shape))


# ---------------------------------------------------------------- library functions that move


def _numbered(at: Application, moving: frozenset[int]) -> tuple[Node, list[int | None]]:
    """Return the number of the source element of each result element, and the first of each source.

    The same function is called on the elements' numbers instead of the elements: those of all
    sources that it moves are counted one after another, and a number among the arguments is -1.

    Parameters
    ----------
    at : Application
        A library operation whose result is made of elements of some of its arguments.
    moving : frozenset of int
        The positions of these arguments.
    """
    call = at.node.attr
    assert isinstance(call, Call)
    sources = list(at.node.src)
    starts: list[int | None] = [None] * len(sources)
    total = 0

    def numbered(argument: Hashable) -> Hashable:
        nonlocal total
        match argument:
            case Slot(index):
                source = at.node.src[index]
                places = build.reshape(build.iota(source.size), source.shape)
                add = ELEMENTWISE["add"]
                sources[index] = build.elementwise(add, (places, total)) if total else places
                starts[index] = total
                total += source.size
                return argument
            case Items(items, is_list):
                return Items(tuple(map(numbered, items)), is_list)
            case _:
                return Scalar.of(-1)

    args = tuple(
        numbered(argument) if position in moving else argument
        for position, argument in enumerate(call.args)
    )
    changed = Call(args, call.keywords)
    numbers = node(at.node.op, tuple(sources), build.INT64, at.node.shape, changed, at.node.origin)
    return numbers, starts


def _moving(*positions: int) -> Rule:
    """Return the rule of a library function that moves elements of the arguments at positions."""
    moving = frozenset(positions)

    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        places, starts = _numbered(at, moving)
        total = sum(
            source.size
            for source, start in zip(at.node.src, starts, strict=True)
            if start is not None
        )
        # What came from a number is added behind the rest, and dropped.
        where = LazyArray(places)
        where = LazyArray(
            build.elementwise(ELEMENTWISE["where"], ((where < 0)._node, total, where._node))
        )
        sums = LazyArray(scatter_add(total + 1, where._node, g._node, (total + 1,)))
        cotangents: list[Cotangent] = []
        for source, start, needed in zip(at.node.src, starts, at.needed, strict=True):
            if start is None or not needed:
                cotangents.append(None)
            else:
                part = sums[start : start + source.size].reshape(source.shape)
                cotangents.append(fitted(part, source))
        return cotangents

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        places, starts = _numbered(at, moving)
        parts = [
            (
                build.filled(0, at.node.dtype, (source.size,))
                if t is None
                else build.reshape(build.cast(t._node, at.node.dtype), (source.size,))
            )
            for source, start, t in zip(at.node.src, starts, tangents, strict=True)
            if start is not None
        ]
        # A number among the arguments has the place -1, which is that of this zero.
        parts.append(build.filled(0, at.node.dtype, (1,)))
        return LazyArray(build.concatenate(parts, 0))[LazyArray(places)]

    return Rule(vjp, jvp)


def _axis_of(at: Application) -> int:
    call = at.node.attr
    assert isinstance(call, Call)
    return int(thaw(dict(call.keywords)["axis"], ()))


def _order(at: Application) -> LazyArray:
    return argsort(at.operand(0), axis=_axis_of(at), stable=True)


def _sort_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    axis = _axis_of(at)
    return [take_along_axis(g, argsort(_order(at), axis=axis, stable=True), axis=axis)]


def _sort_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    (t,) = tangents
    return None if t is None else take_along_axis(t, _order(at), axis=_axis_of(at))


# ---------------------------------------------------------------- additions at places


def _addition(at: Application) -> tuple[np.ufunc, Any, int | None]:
    """Return the ufunc of an ``at``, the indices, and the source that is added, if there is one."""
    call = at.node.attr
    assert isinstance(call, Call)
    ufunc, _, indices, *values = call.args
    if ufunc is not np.add and ufunc is not np.subtract:
        raise DifferentiationError(
            f"{getattr(ufunc, '__name__', 'ufunc')}.at cannot be differentiated: only add.at and "
            "subtract.at are supported",
            origin=origin(),
        )
    value = values[0]
    index: Any = thaw(indices, at.operands)  # type: ignore[arg-type]
    return ufunc, index, value.index if isinstance(value, Slot) else None


def _added_at_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    ufunc, index, position = _addition(at)
    cotangents: list[Cotangent] = [None] * len(at.node.src)
    cotangents[0] = g
    if position is not None and at.needed[position]:
        rows = g[index] if ufunc is np.add else -g[index]
        cotangents[position] = fitted(rows, at.node.src[position])
    return cotangents


def _added_at_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    ufunc, index, position = _addition(at)
    start, added = tangents[0], None if position is None else tangents[position]
    if added is None:
        return start
    target = zeros(at.node) if start is None else start
    values = LazyArray(build.cast(added._node, at.node.dtype))
    arguments = ufunc, target, index, values
    return LazyArray(library_node(LIBRARY["scatter"], arguments, {}, at.node.shape, at.node.dtype))


# ---------------------------------------------------------------- others of the library


def _nonempty_vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
    return [g, None]


def _nonempty_jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
    return tangents[0]


BY_OP[GATHER] = Rule(_gather_vjp, _gather_jvp)
BY_NAME[NAME] = Rule(_scatter_vjp, _scatter_jvp)
BY_NAME |= {
    "getitem": _moving(0),
    "setitem": _moving(0, 1),
    "compress": _moving(0),
    "put": _moving(0, 2),
    "place": _moving(0, 2),
    "put_along_axis": _moving(0, 2),
    "fill_diagonal": _moving(0, 1),
    "insert": _moving(0, 2),
    "choose": _moving(1),
    "take_along_axis": _moving(0),
    "sort": Rule(_sort_vjp, _sort_jvp),
    "scatter": Rule(_added_at_vjp, _added_at_jvp),
    "nonempty": Rule(_nonempty_vjp, _nonempty_jvp),
    "round": DISCRETE,
}
