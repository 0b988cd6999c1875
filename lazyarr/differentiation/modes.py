"""Reverse and forward accumulation over a graph. Neither recurses, and both are linear in nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import (
    BackwardOrigin,
    Origin,
    TangentOrigin,
    attributed,
    attributing,
)
from lazyarr.differentiation import boxes, markers, products
from lazyarr.differentiation.boxes import Box
from lazyarr.differentiation.functions import replaced
from lazyarr.differentiation.products import Product
from lazyarr.differentiation.rules import Application, Member, Rule, fitted, zeros
from lazyarr.differentiation.table import refusal, rule_of
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import Call
from lazyarr.ops.markers import Derivation

__all__ = ["dependents", "pull_back", "push_forward"]

_ADD = ELEMENTWISE["add"]


def dependents(roots: Sequence[Node], inputs: Sequence[Node]) -> list[Node]:
    """Return the nodes under `roots` through which derivatives flow, operands first.

    These are the inputs, and what is made of them in floating-point numbers.
    """
    active: dict[Node, None] = dict.fromkeys(inputs)
    seen: set[Node] = set(active)
    stack: list[tuple[Node, bool]] = [(root, False) for root in roots]
    while stack:
        current, entered = stack.pop()
        through = current.src if current.op.kind is not Kind.MARKER else markers.through(current)
        if entered:
            if any(source in active for source in through):
                active[current] = None
        elif current not in seen:
            seen.add(current)
            if markers.carries(current):
                stack.append((current, True))
                stack.extend([(source, False) for source in reversed(through)])
    return list(active)


def _line(kind: type[Any], origin: Origin | None) -> Origin | None:
    """Return an origin that says that a node belongs to a derivative."""
    if origin is None or isinstance(origin, kind):
        return origin
    line: Origin = kind(origin)
    return line


def _add(first: LazyArray | None, second: LazyArray) -> LazyArray:
    if first is None:
        return second
    return LazyArray(build.elementwise(_ADD, (first._node, second._node)))


def pull_back(
    roots: Sequence[Node],
    inputs: Sequence[Node],
    cotangents: Sequence[LazyArray | None],
    apart: dict[Node, list[Product]] | None = None,
) -> list[LazyArray | None]:
    """Return the cotangents of inputs; None where a root does not depend on one.

    Parameters
    ----------
    roots : sequence of Node
        What is differentiated.
    inputs : sequence of Node
        With respect to what.
    cotangents : sequence of LazyArray
        One for each root, of its shape and dtype; None counts as zero.
    apart : dict of Node to list of Product, optional
        Inputs; their lists take the products in their cotangents on, which are left out of the
        sums.

    Raises
    ------
    DifferentiationError
        An operation in between has no derivative.
    """
    order = dependents(roots, inputs)
    active = set(order)
    gathered: dict[Node, Any] = {}
    deferred: dict[Node, tuple[Origin | None, list[Box | Product]]] = {}
    for root, cotangent in zip(roots, cotangents, strict=True):
        if root in active and cotangent is not None:
            gathered[root] = _add(gathered.get(root), cotangent)
    ends = set(inputs)
    results: dict[Node, LazyArray | None] = {}
    depths: dict[Node, int] = {}  # the longest way from a root
    with attributing() as attribute:
        for current in reversed(order):
            cotangent = gathered.pop(current, None)
            if current in deferred:
                line, shares = deferred.pop(current)
                attribute(line)
                if apart is not None and current in apart:
                    apart[current] += [share for share in shares if isinstance(share, Product)]
                    shares = [share for share in shares if isinstance(share, Box)]
                for total in _sums(shares, current.shape):
                    cotangent = _add(cotangent, total)
            if current in ends:
                results[current] = cotangent
                continue
            if cotangent is None:
                continue
            src = current.src
            application = Application(current, tuple([source in active for source in src]))
            line = _line(BackwardOrigin, current.origin)
            attribute(line)
            depth = depths.get(current, 0)
            for source, share in zip(src, _cotangents(application, cotangent), strict=True):
                if share is None or source not in active:
                    continue
                depths[source] = max(depths.get(source, 0), depth + 1)
                if isinstance(share, Member):
                    members = gathered.setdefault(source, {})
                    members[share.position] = _add(members.get(share.position), share.value)
                elif isinstance(share, Box | Product):
                    if isinstance(share, Product):
                        share = replace(share, depth=depth)
                    deferred.setdefault(source, (line, []))[1].append(share)
                else:
                    gathered[source] = _add(gathered.get(source), share)
    return [results.get(node) for node in inputs]


def _sums(shares: Sequence[Box | Product], shape: Shape) -> list[LazyArray]:
    """Return the sum of boxes, and that of products, if there are any."""
    parts = [share for share in shares if isinstance(share, Box)]
    terms = [share for share in shares if isinstance(share, Product)]
    sums = [boxes.summed(parts, shape)] if parts else []
    if terms:
        sums.append(products.summed(terms))
    return [LazyArray(total) for total in sums]


def _cotangents(application: Application, cotangent: Any) -> Sequence[Any]:
    """Return the cotangents of an operation's sources."""
    rule = rule_of(application.node)
    if isinstance(cotangent, dict):
        cotangent = [cotangent.get(k) for k in range(markers.width(application.node))]
    if rule.compose is not None:
        roots, places = _composed(application, rule.compose)
        outer = [cotangent] if len(roots) == 1 else cotangent
        pulled = pull_back(roots, [x for x in places if x is not None], outer)
        shares = iter(_without_variables(pulled, application, places, outer))
        return [None if place is None else next(shares) for place in places]
    if rule.vjp is not None:
        return rule.vjp(application, cotangent)
    return _transposed_jvp(application, rule, cotangent)


def _composed(
    application: Application, compose: Callable[..., Any]
) -> tuple[list[Node], list[Node | None]]:
    """Return the value of a library operation made of others, and its sources as variables.

    Sources that are no floating-point numbers are none.
    """
    attribute = application.node.attr
    call = attribute.call if isinstance(attribute, Derivation) else attribute
    assert isinstance(call, Call)
    sources = application.node.src
    places = [markers.variable(x) if kind_of(x.dtype) in "fc" else None for x in sources]
    arrays = tuple(LazyArray(place or x) for place, x in zip(places, sources, strict=True))
    args, keywords = call.arguments(arrays)
    result = compose(*args, **keywords)
    if isinstance(attribute, Derivation):
        parts = result if isinstance(result, tuple) else (result,)
        part = parts[attribute.position] if attribute.position < len(parts) else None
        if part is None:
            raise refusal(application.node, "the derivative of this result is not known to lazyarr")
        empty = not application.node.size  # such as the residuals of an exact solution
        result = zeros(application.node) if empty else fitted(part, application.node)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    return [value._node for value in results], places


def _without_variables(
    results: Sequence[LazyArray | None],
    application: Application,
    places: Sequence[Node | None],
    known: Sequence[LazyArray | None],
) -> list[LazyArray | None]:
    """Return derivatives through a composed value in terms of its sources, not of variables.

    The search ends at the sources and at what is `known`, the cotangents or tangents that came
    from outside, so that it is no longer than the composed value.
    """
    became = {value._node: value._node for value in known if value is not None}
    became |= {source: source for source in application.node.src}
    became |= {
        place: source
        for place, source in zip(places, application.node.src, strict=True)
        if place is not None
    }
    nodes = iter(replaced([x._node for x in results if x is not None], became))
    return [None if x is None else LazyArray(next(nodes)) for x in results]


def _transposed_jvp(application: Application, rule: Rule, cotangent: Any) -> Sequence[Any]:
    """Return the cotangents that the nodes of a forward rule have when they are transposed."""
    assert rule.jvp is not None
    tangents = [
        _stand_in(source.shape, source.dtype) if needed else None
        for source, needed in zip(application.node.src, application.needed, strict=True)
    ]
    result = rule.jvp(application, tangents)
    if result is None:
        return [None] * len(tangents)
    results, outer = (
        ([result], [cotangent]) if isinstance(result, LazyArray) else (result, cotangent)
    )
    pairs = [(r, g) for r, g in zip(results, outer, strict=True) if r is not None and g is not None]
    places = [t._node for t in tangents if t is not None]
    pulled = iter(pull_back([r._node for r, _ in pairs], places, [g for _, g in pairs]))
    shares = [None if t is None else next(pulled) for t in tangents]
    _check_linear(shares, places)
    return shares


def _transposed_vjp(application: Application, rule: Rule, tangents: Sequence[Any]) -> Any:
    """Return the tangent that the nodes of a backward rule have when they are transposed."""
    assert rule.vjp is not None
    block = application.node
    count = markers.width(block)
    if count:
        kinds = markers.kinds(block)
        stand_ins = [
            _stand_in(shape, dtype) if kind_of(dtype) in "fc" else None for shape, dtype in kinds
        ]
        shares = rule.vjp(application, stand_ins)
    else:
        stand_ins = [_stand_in(block.shape, block.dtype)]
        shares = rule.vjp(application, stand_ins[0])
    pairs = [
        (share._node, t)
        for share, t in zip(shares, tangents, strict=True)
        if isinstance(share, LazyArray) and t is not None
    ]
    places = [u._node for u in stand_ins if u is not None]
    pulled = iter(pull_back([root for root, _ in pairs], places, [t for _, t in pairs]))
    results = [None if u is None else next(pulled) for u in stand_ins]
    _check_linear(results, places)
    return results if count else results[0]


def _stand_in(shape: Shape, dtype: np.dtype[Any]) -> LazyArray:
    """Return a tangent or cotangent that nodes are linear in."""
    return LazyArray(markers.variable(build.filled(0, dtype, shape)))


def _check_linear(results: Sequence[LazyArray | None], stand_ins: Sequence[Node]) -> None:
    """Check that a transposed map no longer depends on its original input."""
    roots = [result._node for result in results if result is not None]
    wrong = set(stand_ins)
    if any(current in wrong for current in walk(roots)):
        raise ContractError("a differentiation rule is not linear in its tangent")


def push_forward(
    roots: Sequence[Node],
    inputs: Sequence[Node],
    tangents: Sequence[LazyArray | None],
) -> list[LazyArray | None]:
    """Return the tangents of roots; None where a root does not depend on an input.

    Parameters
    ----------
    roots : sequence of Node
        What is differentiated.
    inputs : sequence of Node
        With respect to what.
    tangents : sequence of LazyArray
        One for each input, of its shape and dtype; None counts as zero.
    """
    known: dict[Node, Any] = {
        node: t for node, t in zip(inputs, tangents, strict=True) if t is not None
    }
    ends = set(inputs)
    for current in dependents(roots, inputs):
        if current in ends:
            continue
        incoming = [known.get(source) for source in current.src]
        if all(t is None for t in incoming):
            continue
        application = Application(current, tuple([t is not None for t in incoming]))
        with attributed(_line(TangentOrigin, current.origin)):
            tangent = _tangent(application, incoming)
        if tangent is not None:
            known[current] = tangent
    return [known.get(root) for root in roots]


def _tangent(application: Application, tangents: Sequence[Any]) -> Any:
    rule = rule_of(application.node)
    if rule.compose is not None:
        roots, places = _composed(application, rule.compose)
        pairs = [(x, t) for x, t in zip(places, tangents, strict=True) if x is not None]
        forward = push_forward(roots, [x for x, _ in pairs], [t for _, t in pairs])
        results = _without_variables(forward, application, places, tangents)
        return results[0] if len(roots) == 1 else results
    own = application.node.attr
    if isinstance(own, markers.GroupRule) and own.jvp is not None:
        return own.jvp(application, tangents, own.count)
    push: Callable[..., Any] | None = rule.jvp
    if push is not None:
        return push(application, tangents)
    return _transposed_vjp(application, rule, tangents)
