"""``checkpoint``: values that are computed again in the backward pass instead of stored.

Which ones is decided where the cotangents come in. The function's values and what its derivative
needs of them are one graph, in which each value costs its bytes if it is stored and a product or
another call of a library must not be computed twice. A minimum cut of that graph is what to store.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import View
from lazyarr.core.source_location import RecomputedOrigin, origin
from lazyarr.differentiation import markers
from lazyarr.differentiation.functions import name_of, tree_of
from lazyarr.differentiation.minimum_cut import cheapest_values
from lazyarr.differentiation.modes import pull_back, push_forward
from lazyarr.differentiation.rules import Application, Cotangent
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.markers import RECOMPUTED, VARIABLE
from lazyarr.tracing.pytree import unflatten

__all__ = ["checkpoint", "computed_after"]


def checkpoint(fun: Callable[..., Any], *, everything: bool = False) -> Callable[..., Any]:
    """Return a function whose values in between are computed again in the backward pass.

    Without it, what a derivative needs of the forward pass is stored until then. With it the
    fewest bytes are stored from which the rest can be computed without a product, a reduction or
    another expensive operation being done twice. Values and derivatives are the same.

    Parameters
    ----------
    fun : callable
        Takes arrays, or containers of them, and returns such. Arrays that it captures from outside
        are differentiated too, and are computed again from the inputs of the differentiated
        function; pass them as arguments to have them stored.
    everything : bool, optional
        Whether to store the arguments alone: the memory of a chain of n such functions is that of
        their arguments and of one function's values, for the time of one more forward pass (Chen
        et al., "Training Deep Nets with Sublinear Memory Cost", 2016).

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
        arguments = tree_of((args, keywords), f"an argument of {name}")
        result = fun(*args, **keywords)
        values = tree_of(result, f"what {name} returns")
        floating = [value for value in values.nodes if kind_of(value.dtype) in "fc"]
        if not floating:
            return result
        inputs = dict.fromkeys(
            source for source in arguments.nodes if kind_of(source.dtype) in "fc"
        )
        captured = [
            source
            for source in walk(floating, lambda x: x in inputs or x.op is VARIABLE)
            if source.op is VARIABLE and source not in inputs
        ]
        sources = [*inputs, *captured]
        vjp = _of_arguments if everything else _of_fewest_bytes
        rule = markers.GroupRule(vjp, len(floating), _jvp)
        marked = iter(markers.with_rule(floating, sources, rule))
        leaves = [next(marked) if kind_of(value.dtype) in "fc" else value for value in values.nodes]
        return unflatten(values.structure, iter([LazyArray(leaf) for leaf in leaves]))

    return checkpointed


def _of_arguments(at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
    """Compute all values again of the arguments."""
    return _BackwardPass(at, cotangents).after(())


def _of_fewest_bytes(
    at: Application, cotangents: Sequence[LazyArray | None]
) -> Sequence[Cotangent]:
    """Compute values again of the arguments and of the cheapest others."""
    backward = _BackwardPass(at, cotangents)
    return backward.after(backward.cheapest())


def _jvp(at: Application, tangents: Sequence[Any], count: int) -> Sequence[LazyArray | None]:
    """Pass tangents through the function's own nodes: forward accumulation stores nothing."""
    return push_forward(at.node.src[:count], at.node.src[count:], tangents[count:])


class _BackwardPass:
    """The cotangents of a function's arguments, and which of their nodes belong to which pass.

    Parameters
    ----------
    at : Application
        The function's values, and then its arguments.
    cotangents : sequence of LazyArray
        Of the values.
    """

    def __init__(self, at: Application, cotangents: Sequence[LazyArray | None]) -> None:
        count = len(cotangents)
        self._values, self._sources = at.node.src[:count], at.node.src[count:]
        self._shares = pull_back(self._values, self._sources, cotangents)
        ends = [cotangent._node for cotangent in cotangents if cotangent is not None]
        self._begin = _number_of(ends[0])
        there = set(self._sources)
        self._forward = {x for x in walk(self._values, there.__contains__) if x not in there}
        #: What depends on a cotangent.
        self._backward = set(ends)
        #: What is made of the arguments alone, with those of its operands that are.
        self._operands: dict[Node, list[Node]] = {source: [] for source in self._sources}
        #: What nodes of the backward pass read of that.
        self._needed: dict[Node, None] = {}
        roots = [share._node for share in self._shares if share is not None]
        self._order = [
            current
            for current in walk((*self._values, *roots), {*there, *ends}.__contains__)
            if current not in there and current not in self._backward
        ]
        for current in self._order:
            own = [source for source in current.src if source in self._operands]
            if any(source in self._backward for source in current.src):
                self._backward.add(current)
                self._needed.update(dict.fromkeys(own))
            elif own:
                self._operands[current] = own

    def cheapest(self) -> list[Node]:
        """Return the values to store beside arguments and results, which others store anyway.

        A minimum cut between the arguments, with what is too expensive to be computed twice, and
        what the backward pass reads.
        """
        cost = dict.fromkeys((*self._sources, *self._values), 0)
        begin = list(self._sources)
        for current in self._operands:
            if current not in self._forward:
                continue  # it belongs to the derivative alone
            if current.op.kind not in _ALIASES:
                cost.setdefault(current, current.nbytes)
            if current.op.kind in _EXPENSIVE or current.op.loop is not None:
                begin.append(current)
        kept = cheapest_values(self._operands, cost, begin, self._needed)
        return [value for value in kept if value not in self._sources]

    def after(self, kept: Sequence[Node]) -> list[LazyArray | None]:
        """Return the cotangents of the arguments, made of these and of values kept.

        Equal nodes are one object, whose value would be stored until then. So what is computed of
        what is there takes one of these together with a number of the cotangent: it is another
        node, and computed later. Views compute nothing.
        """
        own = {*self._sources, *kept}
        became: dict[Node, Node] = {value: value for value in own}
        for current in self._order:
            if current in became:
                continue
            src = tuple([became.get(source, source) for source in current.src])
            if current not in self._operands or current not in self._forward:
                became[current] = replace_sources(current, src)
                continue
            if current.op.kind is Kind.VIEW and current.src[0] in own:
                own.add(current)
            elif src == current.src:
                place = next(k for k, source in enumerate(src) if source in own)
                src = (*src[:place], _after(src[place], self._begin), *src[place + 1 :])
            line = None if current.origin is None else RecomputedOrigin(current.origin)
            became[current] = node(
                current.op, src, current.dtype, current.shape, current.attr, line
            )
        shares = [
            None if share is None else LazyArray(became.get(share._node, share._node))
            for share in self._shares
        ]
        # Two arguments may be one array: its cotangent is that of both.
        return [
            None if source in self._sources[:position] else share
            for position, (source, share) in enumerate(zip(self._sources, shares, strict=True))
        ]


#: Kinds of nodes that compute nothing: they are made again rather than stored.
_ALIASES = frozenset((Kind.VIEW, Kind.RESHAPE, Kind.MARKER))
#: Kinds of nodes that are not computed twice.
_EXPENSIVE = frozenset((Kind.LIBRARY, Kind.REDUCE, Kind.SCAN))


def computed_after(value: LazyArray, other: LazyArray) -> LazyArray:
    """Return a value whose consumers are computed after another value, and not shared.

    Parameters
    ----------
    value : LazyArray
        The value.
    other : LazyArray
        Of at least one element.
    """
    return wrap(_after(as_node(value), _number_of(as_node(other))))


def _number_of(value: Node) -> Node:
    """Return the first element of an array."""
    starts = View((0,) * value.ndim, ((),) * value.ndim)
    return build.view(value, starts, ())


def _after(value: Node, number: Node) -> Node:
    return node(RECOMPUTED, (value, number), value.dtype, value.shape, None, value.origin)
