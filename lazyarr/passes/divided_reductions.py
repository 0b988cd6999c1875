"""Reductions over axes that lie apart, of which the last are short: in two steps.

In ``x.min(axis=(0, 2))`` of an array of 500 × 400 × 3, neighbouring elements in memory are three at
a time, and those of one result lie apart. Reduced down the columns first, all that is read together
lies side by side, and the few results of each column are reduced in a second step.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.core.shapes import Shape, View, contiguous_strides, view_strides
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["Limits", "divide_reductions"]

_CAST = ELEMENTWISE["cast"]
_FLOAT64 = np.dtype(np.float64)


class Limits(Protocol):
    """The sizes from which on two steps are faster, of a family of processors."""

    @property
    def divided_bytes(self) -> int:
        """Of the reduced elements side by side at the end, at most."""

    @property
    def divided_columns(self) -> int:
        """Other elements beside each other for each of these, at least."""

    @property
    def divided_rows(self) -> int:
        """Elements of one result of the first step, at least."""

    @property
    def divided_least(self) -> int:
        """Bytes of all elements, at least."""


def divide_reductions(
    roots: tuple[Node, ...], final: dict[Node, Node], limits: Limits
) -> tuple[Node, ...]:
    """Return the roots with some reductions in two steps.

    Whether a sum of floats is divided follows from its shape and dtype, as its bits do. The sum
    that deviations from a mean take, in the kernel that computes both, never is. Other reductions
    are divided where what they reduce lies in memory in the order of its axes, and no kernel
    reduces it as a whole.

    Parameters
    ----------
    roots : tuple of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    limits : Limits
        From which sizes on.
    """
    order = list(walk(roots))
    candidates: dict[Node, tuple[int, ...]] = {}
    whole: set[tuple[Node, object]] = set()
    for value in order:
        last = _last_axes(value, limits) if value.op.kind is Kind.REDUCE else ()
        if last and _has_steps(value):
            candidates[value] = last
        elif last:
            whole.add((value.src[0], value.attr))
    chosen = {
        value: last
        for value, last in candidates.items()
        if _is_sum_of_floats(value)
        or ((value.src[0], value.attr) not in whole and _lies_in_order(value.src[0]))
    }
    if not chosen:
        return roots
    deviations = {x for x in order if _is_centred(x) and x.src[1] in chosen}
    undivided: dict[Node, Node] = {}

    def rewritten(old: Node, moved: Node) -> Node:
        if old in deviations:
            return replace_sources(moved, (moved.src[0], undivided[old.src[1]]))
        undivided[old] = moved
        return _divided(moved, chosen[old])

    return replace_nodes(roots, order, chosen.keys() | deviations, rewritten, final)


def _last_axes(value: Node, limits: Limits) -> tuple[int, ...]:
    """Return the short axes at the end that a second step reduces; none if that does not pay."""
    axes, source = value.attr, value.src[0]
    shape = source.shape
    if not isinstance(axes, tuple) or any(type(size) is not int for size in shape):
        return ()
    start = len(shape)
    while start and (start - 1 in axes or shape[start - 1] == 1):
        start -= 1
    last = tuple([axis for axis in axes if axis >= start])
    first = [axis for axis in axes if axis < start]
    if not last or not first:
        return ()
    short, itemsize = prod(shape[start:]), source.dtype.itemsize
    columns = prod(shape[max(first) + 1 :])
    pays = (
        1 < short <= limits.divided_bytes // itemsize
        and columns >= limits.divided_columns * short
        and prod([shape[axis] for axis in first]) >= limits.divided_rows
        and source.size * itemsize >= limits.divided_least
    )
    return last if pays else ()


def _lies_in_order(value: Node) -> bool:
    """Return whether no array that a value is computed of lies in memory in another order."""
    stack, seen = [value], {value}
    while stack:
        current = stack.pop()
        if isinstance(current.attr, View) and current.size == value.size:
            within = contiguous_strides(current.src[0].shape)
            _, strides = view_strides(current.attr, within, current.ndim)
            steps = [n for n, size in zip(strides, current.shape, strict=True) if size != 1]
            if steps[-1] != 1 or steps != sorted(steps, reverse=True):
                return False
        if current.op.kind is Kind.ELEMENTWISE:
            fresh = [source for source in current.src if source not in seen]
            seen.update(fresh)
            stack += fresh
    return True


def _has_steps(value: Node) -> bool:
    """Return whether reducing some axes and then the others is the same."""
    reducer = value.op.reducer
    if reducer is None or reducer.is_positional or _is_centred(value):
        return False
    is_exact = not reducer.ordered or kind_of(value.dtype) in "biu"
    return is_exact or _is_sum_of_floats(value)


def _is_centred(value: Node) -> bool:
    return value.op.reducer is not None and value.op.reducer.centred


def _is_sum_of_floats(value: Node) -> bool:
    reducer = value.op.reducer
    if reducer is None or reducer.compensation is None or _is_centred(value):
        return False
    return kind_of(value.dtype) == "f" and not is_bfloat16(value.dtype)


def _divided(value: Node, last: Sequence[int]) -> Node:
    """Return a reduction in two steps; sums of floats are kept in float64 between them."""
    (source,), axes = value.src, value.attr
    assert isinstance(axes, tuple)
    first = tuple([axis for axis in axes if axis not in last])
    is_wide = _is_sum_of_floats(value)
    if is_wide:
        source = _cast(source, _FLOAT64)
    dtype = _FLOAT64 if is_wide else value.dtype
    partial = node(value.op, (source,), dtype, _without(source.shape, first), first, value.origin)
    rest = tuple([axis - sum(k < axis for k in first) for axis in last])
    result = node(value.op, (partial,), dtype, value.shape, rest, value.origin)
    return _cast(result, value.dtype) if is_wide else result


def _without(shape: Shape, axes: Sequence[int]) -> Shape:
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def _cast(value: Node, dtype: np.dtype[Any]) -> Node:
    if value.dtype == dtype:
        return value
    return node(_CAST, (value,), dtype, value.shape, None, value.origin)
