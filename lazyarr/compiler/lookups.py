"""Lookups in sorted vectors: as library calls, or in the kernels that read the positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.gather import POSITION, Gathered
from lazyarr.ops.library import Call, Slot, freeze
from lazyarr.ops.lookups import (
    ASCENDING_BINS,
    INTERPOLATED,
    NARROW_SEARCHED,
    SEARCHED,
    narrow_positions,
)
from lazyarr.passes.rewrite import replace_nodes
from lazyarr.runtime.cuda import tuning
from lazyarr.schedule.groups import is_constant

__all__ = ["search_for_kernels", "write_lookups"]

#: Elements of vectors whose positions are ints in kernels, and what these add to them.
_MOST_SEARCHED = np.iinfo(np.int32).max // 2
_HALF = np.dtype(np.float16)
_SINGLE = np.dtype(np.float32)


def write_lookups(
    roots: Sequence[Node], has_kernel: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """``searchsorted(a, v) -> searched(a, v)``, ``digitize`` by that, and ``interp`` of float64.

    NumPy converts what it interpolates to float64; the kernel converts those elements of points and
    heights of float32 that it reads. The bins of ``digitize`` are put in ascending
    order; where they descend, positions count from the end.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    has_kernel : callable
        Whether a kernel computes a node of the new kinds.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    chosen = {x for x in order if x.op.calls in _RULES and _has_kernel(x, has_kernel)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda _, moved: _lookup(moved) or moved, final)


def _has_kernel(value: Node, has_kernel: Callable[[Node], bool]) -> bool:
    lookup = _lookup(value)
    steps = () if lookup is None else walk((lookup,), lambda x: x in value.src)
    return any(x.op in (SEARCHED, INTERPOLATED) and has_kernel(x) for x in steps)


def _lookup(value: Node) -> Node | None:
    """Return a call of NumPy's function as one of the new kinds; None if it is none."""
    call = value.attr
    assert isinstance(call, Call)
    args, keywords = call.arguments(value.src)
    return _RULES[value.op.calls](value, *args, **keywords)


def _searched(value: Node, a: Node, v: Node, side: str = "left", sorter: Any = None) -> Node | None:
    if sorter is not None or a.dtype != v.dtype:
        return None
    call = Call((Slot(0), Slot(1), freeze(side == "right", lambda _: None)))
    return node(SEARCHED, (a, v), value.dtype, value.shape, call, value.origin)


def _digitized(value: Node, x: Node, bins: Node, right: bool = False) -> Node | None:
    if x.dtype != bins.dtype or not bins.size:
        return None
    count = index(bins.size)
    only = Call((Slot(0),))
    ordered = node(ASCENDING_BINS, (bins,), bins.dtype, bins.shape, only, value.origin)
    call = Call((Slot(0), Slot(1), freeze(not right, lambda _: None)))
    places = node(SEARCHED, (ordered, x), value.dtype, value.shape, call, value.origin)
    first, last = (
        build.reshape(build.view(bins, View((at,), ((1,),)), (1,)), ()) for at in (0, count - 1)
    )
    falls = build.elementwise(ELEMENTWISE["greater"], (first, last))
    from_end = build.elementwise(ELEMENTWISE["subtract"], (count, places))
    return build.elementwise(ELEMENTWISE["where"], (falls, from_end, places))


def _interpolated(
    value: Node,
    x: Node,
    xp: Node,
    fp: Node,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Node | None:
    sides = (left, right)
    if period is not None or xp.ndim != 1 or xp.shape != fp.shape:
        return None
    if any(isinstance(side, (Node, complex, np.complexfloating)) for side in sides):
        return None
    if any(kind_of(array.dtype) not in "biuf" for array in (x, xp, fp)):
        return None
    table = _SINGLE if xp.dtype == fp.dtype == _SINGLE else build.FLOAT64
    sources = (build.cast(x, build.FLOAT64), build.cast(xp, table), build.cast(fp, table))
    ends = [None if side is None else float(side) for side in sides]
    call = Call((Slot(0), Slot(1), Slot(2), *(freeze(end, lambda _: None) for end in ends)))
    return node(INTERPOLATED, sources, value.dtype, value.shape, call, value.origin)


def search_for_kernels(
    roots: Sequence[Node], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with searches whose positions take little memory, or none.

    Where kernels alone read positions in a vector, those in a short vector are looked up by these,
    and others are as narrow as its length allows, since they are written to memory and read again.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    is_library_step : callable
        Whether a library step computes a node.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    searches = {x for x in order if x.op.calls is np.searchsorted}
    if not searches:
        return tuple(roots)
    others = {s for x in order if x.op.kind is not Kind.ELEMENTWISE for s in x.src}.union(roots)
    chosen = {x for x in searches if x not in others and is_library_step(x)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda _, moved: _for_kernels(moved), final)


def _for_kernels(value: Node) -> Node:
    """Return a search that only kernels read as they read it best."""
    call = value.attr
    assert isinstance(call, Call)
    args, keywords = call.arguments(value.src)
    a, v, side = _arguments_of_search(*args, **keywords)
    if a.size >= _MOST_SEARCHED:
        return value
    most = tuning.row().searched_in_kernels * a.dtype.itemsize
    if a.size <= most and _is_in_kernels(a):
        attr = Gathered(View((0,), ((0,) * value.ndim,)), (0,), side=side)
        return node(POSITION, (a, v), value.dtype, value.shape, attr, value.origin)
    dtype = narrow_positions(index(a.size))
    positions = node(NARROW_SEARCHED, value.src, dtype, value.shape, call, value.origin)
    return build.cast(positions, value.dtype)


def _is_in_kernels(a: Node) -> bool:
    """Whether kernels compare the elements of a vector where they lie."""
    return not is_constant(a) and kind_of(a.dtype) in "iuf" and a.dtype != _HALF


def _arguments_of_search(
    a: Node, v: Node, side: str = "left", sorter: Any = None
) -> tuple[Node, Node, str]:
    return a, v, side


_RULES: dict[Any, Callable[..., Node | None]] = {
    np.digitize: _digitized,
    np.interp: _interpolated,
    np.searchsorted: _searched,
}
"""By the function of NumPy's."""
