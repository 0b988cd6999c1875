"""``checkpoint``: values that are computed again in the backward pass instead of stored."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.shapes import View
from lazyarr.core.source_location import origin
from lazyarr.differentiation import markers
from lazyarr.differentiation.functions import name_of, taken_apart
from lazyarr.differentiation.modes import pull_back, push_forward
from lazyarr.differentiation.rules import Application, Cotangent
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.markers import RECOMPUTED, VARIABLE
from lazyarr.tracing.pytree import unflatten

__all__ = ["checkpoint"]


def checkpoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose values in between are computed again in the backward pass.

    Without it, what a derivative needs of the forward pass is stored until then. With it only the
    arguments are stored: the memory of a chain of n such functions is that of their arguments and
    of one function's values, for the time of one more forward pass (Chen et al., "Training Deep
    Nets with Sublinear Memory Cost", 2016). Values and derivatives are the same.

    Parameters
    ----------
    fun : callable
        Takes arrays, or containers of them, and returns such. Arrays that it captures from outside
        are differentiated too, and are computed again from the inputs of the differentiated
        function; pass them as arguments to have them stored.

    Returns
    -------
    callable
        Takes the arguments of `fun`.

    Examples
    --------
    >>> import lazyarr as la
    >>> layer = la.checkpoint(lambda x, w: la.tanh(x @ w))
    >>> w = la.asarray([[0.5, 0.0], [0.0, 0.5]])
    >>> la.grad(lambda x: layer(layer(x, w), w).sum())(la.zeros(2)).compute()
    array([0.25, 0.25])
    """
    if not callable(fun):
        raise ArgumentError(
            f"checkpoint takes a function, got {type(fun).__name__}", origin=origin()
        )
    name = name_of(fun)

    @functools.wraps(fun)
    def checkpointed(*args: Any, **keywords: Any) -> Any:
        arguments = taken_apart((args, keywords), f"an argument of {name}")
        result = fun(*args, **keywords)
        values = taken_apart(result, f"what {name} returns")
        floating = [value for value in values.nodes if value.dtype.kind in "fc"]
        if not floating:
            return result
        inputs = dict.fromkeys(source for source in arguments.nodes if source.dtype.kind in "fc")
        captured = [
            source
            for source in walk(floating, lambda x: x in inputs or x.op is VARIABLE)
            if source.op is VARIABLE and source not in inputs
        ]
        sources = [*inputs, *captured]
        rule = markers.Joint(_recomputed_vjp, len(floating), _jvp)
        marked = iter(markers.joint(floating, sources, rule))
        leaves = [next(marked) if value.dtype.kind in "fc" else value for value in values.nodes]
        return unflatten(values.structure, iter([LazyArray(leaf) for leaf in leaves]))

    return checkpointed


def _recomputed_vjp(at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
    count = len(cotangents)
    values, sources = at.node.src[:count], at.node.src[count:]
    first = next(cotangent for cotangent in cotangents if cotangent is not None)
    shares = pull_back(_again(values, sources, first._node), sources, cotangents)
    # Two arguments may be one array: its cotangent is that of both.
    return [
        None if source in sources[:position] else share
        for position, (source, share) in enumerate(zip(sources, shares, strict=True))
    ]


def _jvp(at: Application, tangents: Sequence[Any], count: int) -> Sequence[LazyArray | None]:
    """Pass tangents through the function's own nodes: forward accumulation stores nothing."""
    return push_forward(at.node.src[:count], at.node.src[count:], tangents[count:])


def _again(values: Sequence[Node], sources: Sequence[Node], cotangent: Node) -> list[Node]:
    """Return values made once more of the same sources, after a cotangent is known.

    Equal nodes are one object, whose value would be stored until then. So what is computed of
    the sources first takes one of them together with a number of the cotangent: it is another
    node, and computed later. Views compute nothing.
    """
    begin = _number_of(cotangent)
    own = set(sources)
    became: dict[Node, Node] = {source: source for source in sources}
    depends: set[Node] = set(sources)
    for current in walk(values, became.__contains__):
        if current in became:
            continue
        if not any(source in depends for source in current.src):
            became[current] = current
            continue
        depends.add(current)
        src = tuple(became[source] for source in current.src)
        if current.op.kind is Kind.VIEW and current.src[0] in own:
            own.add(current)
        elif src == current.src:
            place = next(k for k, source in enumerate(src) if source in own)
            src = (*src[:place], _after(src[place], begin), *src[place + 1 :])
        became[current] = node(
            current.op, src, current.dtype, current.shape, current.attr, current.origin
        )
    return [became[value] for value in values]


def _number_of(value: Node) -> Node:
    """Return the first element of an array."""
    starts = View((0,) * value.ndim, ((),) * value.ndim)
    return build.view(value, starts, ())


def _after(value: Node, number: Node) -> Node:
    return node(RECOMPUTED, (value, number), value.dtype, value.shape, None, value.origin)
