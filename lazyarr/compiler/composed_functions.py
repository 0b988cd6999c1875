"""Library functions that a device lacks, composed of kernels and of functions that it has.

Where NumPy's function would otherwise run on the host, the arrays go there and back. The values are
NumPy's; where sums are rounded, they are rounded in the device's order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.builders.gathers import from_start, gather_along
from lazyarr.compiler.matrix_chains import chained, power_of
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node, Op, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.histograms import counted, counted_between
from lazyarr.ops.library import Call, Slot, freeze, library_function, summed_at
from lazyarr.ops.plain_values import unless
from lazyarr.passes.rewrite import replace_nodes
from lazyarr.runtime.cuda import tuning

__all__ = ["compose_functions"]

#: A rule takes the call, and its arguments as NumPy's function does.
_Rule = Callable[..., Node | None]


def compose_functions(
    roots: Sequence[Node], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots with compositions in the place of functions that a device has not.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    is_library_step : callable
        Whether a library step on the device computes a node.
    final : dict of Node to Node
        What became of other nodes; brought up to date.
    """
    order = list(walk(tuple(roots)))
    chosen = {value for value in order if _is_better_composed(value, is_library_step)}
    if not chosen:
        return tuple(roots)
    return replace_nodes(roots, order, chosen, lambda old, moved: _composed(moved) or moved, final)


def _is_better_composed(value: Node, is_library_step: Callable[[Node], bool]) -> bool:
    """Whether the device lacks a function, and has all steps of its composition."""
    if value.op.kind is not Kind.LIBRARY or _rule_of(value) is None or is_library_step(value):
        return False
    composed = _composed(value)
    if composed is None:
        return False
    steps = walk((composed,), lambda x: x in value.src)
    return all(
        is_library_step(x) for x in steps if x.op.kind is Kind.LIBRARY and x not in value.src
    )


def _rule_of(value: Node) -> _Rule | None:
    function = value.op.calls
    return None if function is None else _RULES.get(function)


def _composed(value: Node) -> Node | None:
    """Return the composition of a call, of its shape and dtype; None if there is none."""
    rule, call = _rule_of(value), value.attr
    assert rule is not None
    assert isinstance(call, Call)
    args, keywords = call.arguments(value.src)
    return rule(value, *args, **keywords)


# ---------------------------------------------------------------- nodes


def _call(op: Op, sources: Sequence[Node], like: Node, shape: Shape, **keywords: Any) -> Node:
    """Return a call of a library function of arrays, with the dtype and the line of another node.

    Parameters
    ----------
    op : Op
        The function.
    sources : sequence of Node
        Its arguments by position.
    like : Node
        Has the dtype of the result.
    shape : tuple of int
        Of the result.
    **keywords : object
        Its keywords, none of which is an array.
    """
    named = tuple((key, freeze(x, lambda _: None)) for key, x in keywords.items())
    call = Call(tuple(Slot(k) for k in range(len(sources))), named)
    return node(op, tuple(sources), like.dtype, shape, call, like.origin)


def _apply(name: str, *operands: Any) -> Node:
    return build.elementwise(ELEMENTWISE[name], operands)


def _positions(function: Callable[..., Any], sources: Sequence[Node], **keywords: Any) -> Node:
    """Return a library function's positions, of the shape of its last source."""
    name = function.__name__
    shown = build.filled(0, build.INT64, ())
    return _call(library_function(name, function), sources, shown, sources[-1].shape, **keywords)


def _searched(vector: Node, values: Node, side: str) -> Node:
    """Return the positions at which values would keep a sorted vector sorted."""
    return _positions(np.searchsorted, (vector, values), side=side)


def _taken(vector: Node, places: Node) -> Node:
    """Return the elements of a vector at valid places."""
    flat = build.reshape(places, (places.size,))
    elements = from_start(gather_along(vector, flat, 0, flat.shape))
    return build.reshape(elements, places.shape)


def _part(vector: Node, start: int, stop: int) -> Node:
    """Return the elements of a vector from one position to another."""
    return build.view(vector, View((start,), ((1,),)), (stop - start,))


def _reversed(vector: Node) -> Node:
    return build.view(vector, View((vector.size - 1,), ((-1,),)), vector.shape)


# ---------------------------------------------------------------- functions


def _isin(
    value: Node, x: Node, others: Node, invert: bool = False, kind: str | None = None
) -> Node | None:
    common = np.promote_types(x.dtype, others.dtype)
    if kind_of(common) not in "biuf" or (
        kind_of(common) == "f" and not {kind_of(x.dtype), kind_of(others.dtype)} <= set("bf")
    ):
        return None  # whole numbers, compared as such
    x, others = build.cast(x, common), build.cast(others, common)
    count = index(others.size)
    flat = build.reshape(others, (count,))
    if not count:
        is_member = build.filled(False, value.dtype, x.shape)
    elif count <= tuning.row().compared_members:
        wide = build.expand_axes(x, (x.ndim,))
        is_member = build.reduce("any", (_apply("equal", wide, flat),), (x.ndim,), value.dtype)
    else:
        ordered = _call(library_function("sort", np.sort), (flat,), flat, flat.shape, axis=0)
        places = _apply("minimum", _searched(ordered, x, "left"), count - 1)
        is_member = _apply("equal", _taken(ordered, places), x)
    return _apply("logical_not", is_member) if invert else is_member


def _interp(
    value: Node,
    x: Node,
    xp: Node,
    fp: Node,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Node | None:
    """Compose a periodic interpolation, as NumPy does: of points in order and one beyond each end.

    Values beyond the points do not exist.
    """
    if not isinstance(period, (int, float)) or not period or xp.ndim != 1 or xp.shape != fp.shape:
        return None
    if "c" in {kind_of(array.dtype) for array in (x, xp, fp)}:
        return None
    length, count = abs(float(period)), xp.size
    x, xp = (_apply("remainder", build.cast(z, build.FLOAT64), length) for z in (x, xp))
    fp = build.cast(fp, value.dtype)
    order = _positions(np.argsort, (xp,), axis=0)
    xp, fp = _taken(xp, order), _taken(fp, order)
    first, last = (0, 1), (count - 1, count)
    below = _apply("subtract", _part(xp, *last), length)
    above = _apply("add", _part(xp, *first), length)
    points = build.concatenate([below, xp, above], 0)
    heights = build.concatenate([_part(fp, *last), fp, _part(fp, *first)], 0)
    return _call(library_function("interp", np.interp), (x, points, heights), value, value.shape)


def _windows_times(value: Node, longer: Node, taps: Node, mode: str) -> Node:
    """Return the sums of the products of all windows of a vector with another vector."""
    count = taps.size
    before = {"full": count - 1, "same": count // 2, "valid": 0}[mode]
    after = {"full": count - 1, "same": count - count // 2 - 1, "valid": 0}[mode]
    parts = [build.filled(0, longer.dtype, (before,))] if before else []
    parts.append(longer)
    parts += [build.filled(0, longer.dtype, (after,))] if after else []
    padded = build.concatenate(parts, 0) if len(parts) > 1 else longer
    shape = (padded.size - count + 1, count)
    windows = build.view(padded, View((0,), ((1, 1),)), shape)
    products = _apply("multiply", windows, build.broadcast_to(taps, shape))
    return build.reduce("sum", (products,), (1,), value.dtype)


def _convolve(value: Node, a: Node, v: Node, mode: str = "full") -> Node | None:
    if kind_of(value.dtype) not in "iufc" or a.dtype != value.dtype or v.dtype != value.dtype:
        return None
    longer, shorter = (a, v) if a.size >= v.size else (v, a)
    return _windows_times(value, longer, _reversed(shorter), mode)


def _correlate(value: Node, a: Node, v: Node, mode: str = "valid") -> Node | None:
    if kind_of(value.dtype) not in "iufc" or a.dtype != value.dtype or v.dtype != value.dtype:
        return None
    other = _apply("conjugate", v) if kind_of(v.dtype) == "c" else v
    if a.size >= v.size:
        return _windows_times(value, a, other, mode)
    return _reversed(_windows_times(value, other, a, mode))


def _counted(
    value: Node, values: Node, edges: Node, low: Any, high: Any, weights: Node | None = None
) -> Node | None:
    return _counted_between(value, values, edges, weights)


def _counted_between(
    value: Node, values: Node, edges: Node, weights: Node | None = None
) -> Node | None:
    """Compose a histogram: bins are looked up among the edges.

    Values outside of all bins have a weight of zero.
    """
    common = np.promote_types(values.dtype, edges.dtype)
    if not {kind_of(common), kind_of(value.dtype)} <= set("iuf") or edges.size < 2:
        return None
    values, edges = build.cast(values, common), build.cast(edges, common)
    bins = index(edges.size) - 1
    first, last = (build.reshape(_part(edges, at, at + 1), ()) for at in (0, bins))
    is_inside = _apply(
        "logical_and",
        _apply("greater_equal", values, first),
        _apply("less_equal", values, last),
    )
    places = _apply("subtract", _searched(edges, values, "right"), 1)
    places = _apply("minimum", _apply("maximum", places, 0), bins - 1)
    added = build.constant(1, build.FLOAT64) if weights is None else weights
    added = _apply("where", is_inside, build.cast(added, build.FLOAT64), 0.0)
    shown = build.filled(0.0, build.FLOAT64, ())
    call = Call((Slot(0), Slot(1), freeze(bins, lambda _: None)))
    op = library_function("summed_at", summed_at)
    sums = node(op, (added, places), shown.dtype, (bins,), call, value.origin)
    return build.cast(sums, value.dtype)


def _lexsort(value: Node, keys: Sequence[Node], axis: int = -1) -> Node | None:
    """Compose the order by several keys: a stable one by each, from the least important on."""
    if value.ndim != 1:
        return None
    order: Node | None = None
    for key in keys:
        if order is None:
            order = _positions(np.argsort, (key,), axis=0, kind="stable")
        else:
            again = _positions(np.argsort, (_taken(key, order),), axis=0, kind="stable")
            order = _taken(order, again)
    return order


def _multi_dot(value: Node, arrays: Sequence[Node]) -> Node | None:
    if any(array.dtype != value.dtype for array in arrays):
        return None
    return build.reshape(chained(list(arrays), value.origin), value.shape)


def _matrix_power(value: Node, a: Node, n: int) -> Node | None:
    if a.dtype != value.dtype or not isinstance(n, int) or not n:
        return None
    if n < 0:
        inverse = library_function("linalg.inv", np.linalg.inv)
        a, n = _call(inverse, (a,), value, value.shape), -n
    return power_of(a, n, value.origin)


def _choose(value: Node, places: Node, choices: Sequence[Node], mode: str = "raise") -> Node | None:
    """Compose a choice among a few arrays by comparisons, if positions cannot be invalid."""
    if mode not in ("wrap", "clip") or len(choices) > tuning.row().compared_members:
        return None
    count = len(choices)
    if mode == "wrap":
        places = _apply("remainder", places, count)
    else:
        places = _apply("minimum", _apply("maximum", places, 0), count - 1)
    result = build.cast(choices[-1], value.dtype)
    for k in range(count - 1):
        chosen = build.cast(choices[k], value.dtype)
        result = _apply("where", _apply("equal", places, k), chosen, result)
    return build.broadcast_to(result, value.shape)


def _argument_without_nan(name: str, worst: float) -> _Rule:
    """Return the rule of ``nanargmin`` or ``nanargmax``: NaN is worse than all other elements."""

    def compose(value: Node, a: Node, axis: int | None = None, **options: Any) -> Node | None:
        if kind_of(a.dtype) not in "biuf" or not a.size or not a.ndim:
            return None
        if axis is None:
            a, axis = build.reshape(a, (a.size,)), 0
        axes = (axis % a.ndim,)
        if kind_of(a.dtype) != "f":
            return build.reshape(build.reduce(name, (a,), axes, value.dtype), value.shape)
        is_missing = _apply("isnan", a)
        elements = _apply("where", is_missing, worst, a)
        places = build.reduce(name, (elements,), axes, value.dtype)
        are_all = build.reduce("all", (is_missing,), axes, build.BOOL)
        is_wrong = build.reduce("any", (are_all,), tuple(range(are_all.ndim)), build.BOOL)
        call = Call((Slot(0), Slot(1), "All-NaN slice encountered"))
        op = library_function("unless", unless)
        checked = node(op, (places, is_wrong), value.dtype, places.shape, call, value.origin)
        return build.reshape(checked, value.shape)

    return compose


_RULES: dict[Callable[..., Any], _Rule] = {
    np.choose: _choose,
    np.convolve: _convolve,
    np.correlate: _correlate,
    np.interp: _interp,
    np.isin: _isin,
    np.lexsort: _lexsort,
    np.nanargmax: _argument_without_nan("argmax", -np.inf),
    np.nanargmin: _argument_without_nan("argmin", np.inf),
    np.linalg.matrix_power: _matrix_power,
    np.linalg.multi_dot: _multi_dot,
    counted: _counted,
    counted_between: _counted_between,
}
"""The rules, by the function that a call runs on the host."""
