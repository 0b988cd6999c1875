"""Derivatives of loops.

Forward accumulation is one loop over states and tangents. Backward, the states at the beginning of
each iteration are stored, and a loop from the last iteration to the first passes the cotangents
through the nodes of one iteration. Both are loops as any other: another number of iterations
compiles nothing, and they are differentiable again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.control_flow import fori_loop, while_loop
from lazyarr.control_flow.body_trace import filled, trace
from lazyarr.control_flow.iteration import Iterations, iterate
from lazyarr.control_flow.replayed_loop import closed
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, broadcast_shapes
from lazyarr.differentiation import markers
from lazyarr.differentiation.loop_slices import array_cotangent, sliced_invariants
from lazyarr.differentiation.modes import pull_back, push_forward
from lazyarr.differentiation.rules import Application, Cotangent, Rule, fitted, spread, zeros
from lazyarr.errors import DifferentiationError
from lazyarr.graph.node import Kind, Loop, Node, node, walk
from lazyarr.numpy_api import joining
from lazyarr.numpy_api.library_calls import packed
from lazyarr.ops.markers import unmarked

__all__ = ["LOOP"]

Array = np.ndarray[Any, Any]
NOTHING: Mapping[Node, Node] = {}


class _Body:
    """One iteration of a loop, as a function of arrays.

    Attributes
    ----------
    loop : Loop
        The loop.
    shape : tuple of int, optional
        Of the states, of a loop over elements; its body is written in numbers. None: of another.
    """

    def __init__(self, loop: Loop, shape: Shape | None) -> None:
        self.loop = loop
        self.shape = shape

    def __call__(
        self,
        states: Sequence[LazyArray],
        index: LazyArray | None,
        fixed: Sequence[LazyArray],
        replaced: Mapping[Node, Node] = NOTHING,
    ) -> list[LazyArray]:
        """Return the next states; other values take the place of some of the body."""
        roots = self.loop.updates
        return [LazyArray(x) for x in self.applied(roots, states, index, fixed, replaced)]

    def goes_on(self, states: Sequence[LazyArray], fixed: Sequence[LazyArray]) -> LazyArray:
        """Return whether there is another iteration."""
        assert self.loop.condition is not None
        return LazyArray(self.applied((self.loop.condition,), states, None, fixed)[0])

    def following(self, operands: Sequence[Node]) -> tuple[Node, ...]:
        """Return the next states as nodes; the operands are states, invariants and the index."""
        loop = self.loop
        known = dict(zip((*loop.states, *loop.invariants), operands, strict=False))
        if loop.index is not None:
            known[loop.index] = build.cast(operands[-1], loop.index.dtype)
        return tuple(self._values(loop.updates, known))

    def applied(
        self,
        roots: Sequence[Node],
        states: Sequence[LazyArray],
        index: LazyArray | None,
        fixed: Sequence[LazyArray],
        replaced: Mapping[Node, Node] = NOTHING,
    ) -> Sequence[Node]:
        """Return values of the body.

        Parameters
        ----------
        roots : sequence of Node
            Nodes of the body.
        states, fixed : sequence of LazyArray
            The states and the invariants.
        index : LazyArray, optional
            The number of the iteration; None: the loop does not count.
        replaced : mapping of Node to Node, optional
            What takes the place of nodes of the body.
        """
        loop = self.loop
        known = {
            stands: value._node
            for stands, value in zip(
                (*loop.states, *loop.invariants), (*states, *fixed), strict=True
            )
        }
        if loop.index is not None:
            assert index is not None
            known[loop.index] = build.cast(index._node, loop.index.dtype)
        known.update(replaced)
        return self._values(roots, known)

    def _values(self, roots: Sequence[Node], known: dict[Node, Node]) -> Sequence[Node]:
        """Return values of the body for those of its placeholders."""
        if self.shape is None:
            return filled(roots, known)
        for current in walk(roots, known.__contains__):
            if current in known:
                continue
            src = tuple(known[source] for source in current.src)
            shape = broadcast_shapes(*[x.shape for x in src]) if src else current.shape
            known[current] = node(
                current.op, src, current.dtype, shape, current.attr, current.origin
            )
        return [build.broadcast_to(known[root], self.shape) for root in roots]


class _Call:
    """A loop as a node applies it: its operands, and which of them derivatives flow through."""

    def __init__(self, at: Application, loop: Loop, shape: Shape | None) -> None:
        self.body = _Body(loop, shape)
        self.loop = loop
        count, states, fixed = loop.split(at.node.src)
        self.count = count
        self.states = [
            LazyArray(x if shape is None else build.broadcast_to(x, shape)) for x in states
        ]
        self.fixed = [LazyArray(x) for x in fixed]
        first = len(at.node.src) - len(states) - len(fixed)
        needed = at.needed[first:]
        self.moving = [k for k, x in enumerate(states) if kind_of(x.dtype) in "fc"]
        self.active = [
            k for k, x in enumerate(fixed) if kind_of(x.dtype) in "fc" and needed[len(states) + k]
        ]
        self.leading = first

    def known_count(self, at: Application) -> int:
        """Return the number of iterations.

        Raises
        ------
        DifferentiationError
            It is not known.
        """
        count = self.constant_count()
        if count is None:
            counted = self.count is not None
            what = "fori_loop with a computed number of iterations" if counted else "while_loop"
            remedy = (
                "use fori_loop with a Python number of iterations, and lazyarr.where for those "
                "that are too many"
                if counted
                else "bound it: while_loop(..., limit=100)"
            )
            raise DifferentiationError(
                f"{what} cannot be differentiated in reverse mode: the number of iterations is "
                "not known",
                origin=at.node.origin,
                hint=f"{remedy}; lazyarr.jvp (forward mode) works",
            )
        return count

    def constant_count(self) -> int | None:
        """Return the number of iterations, if it is known now."""
        count = None if self.count is None else unmarked(self.count)
        if count is None or not isinstance(count.attr, bytes):
            return None
        return int(np.frombuffer(count.attr, count.dtype)[0])

    def pushed(self, at: Application, tangents: Sequence[Any]) -> tuple[Any, Any]:
        """Return the first states with their tangents, and the function of an iteration of both."""
        own_tangents = tangents[self.leading :]
        starts = [
            zeros(self.states[k]._node)
            if own_tangents[k] is None
            else spread(own_tangents[k], self.states[k]._node)
            for k in self.moving
        ]
        fixed = [own_tangents[len(self.states) + k] for k in self.active]

        def iteration(index: Any, carried: Any) -> Any:
            states, moved = carried
            places = [markers.variable(states[k]._node) for k in self.moving]
            sources = [markers.variable(self.fixed[k]._node) for k in self.active]
            inner, outside = (
                _put(states, self.moving, places),
                _put(self.fixed, self.active, sources),
            )
            following = self.body(inner, index, outside)
            roots = [following[k]._node for k in self.moving]
            moved_roots = push_forward(roots, [*places, *sources], [*moved, *fixed])
            return following, [
                zeros(root) if t is None else t for t, root in zip(moved_roots, roots, strict=True)
            ]

        return (self.states, starts), iteration


def _put(values: Sequence[LazyArray], where: Sequence[int], nodes: Sequence[Node]) -> list[Any]:
    """Return values with others in some places."""
    replaced = list(values)
    for position, value in zip(where, nodes, strict=True):
        replaced[position] = LazyArray(value)
    return replaced


def _shape_of(at: Application) -> Shape | None:
    return at.node.shape if at.node.op.kind is Kind.ELEMENTWISE else None


# ---------------------------------------------------------------- the states of all iterations


class _History:
    """The library function that gives the states at the beginning of each iteration."""

    __name__ = "fori_loop"

    def __init__(self, loop: Loop, shape: Shape | None) -> None:
        self._body = _Body(loop, shape)
        self._compiled = Iterations(self._body.following)
        self.rule = Rule(self._vjp, self._jvp)

    def __call__(self, count: Array, *operands: Array) -> list[Array]:
        states = operands[: len(self._body.loop.states)]
        histories = [np.empty((int(count), *x.shape), x.dtype) for x in states]
        places = range(len(states))
        iterate(self._compiled, self._body.following, operands, states, histories, places, False)
        return histories

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        call = _Call(at, self._body.loop, self._body.shape)
        return _reversed(at, call, [None] * len(call.states), cotangents)

    def _jvp(self, at: Application, tangents: Sequence[Any]) -> Any:
        call = _Call(at, self._body.loop, self._body.shape)
        initial, iteration = call.pushed(at, tangents)
        count = call.known_count(at)
        traced = trace(initial, iteration, None, count)
        loop, outside = closed(traced)
        whole = _states_of_iterations(loop, None, count, traced.initial, outside)
        state_tangents: list[LazyArray | None] = [None] * len(call.states)
        for k, t in zip(call.moving, whole[len(call.states) :], strict=True):
            state_tangents[k] = t
        return state_tangents


@lru_cache(maxsize=256)
def _history(loop: Loop, shape: Shape | None) -> _History:
    return _History(loop, shape)


def _states_of_iterations(
    loop: Loop,
    shape: Shape | None,
    count: int,
    states: Sequence[Node],
    fixed: Sequence[Node],
) -> tuple[LazyArray, ...]:
    """Return each state at the beginning of all iterations, along a new first axis."""
    outputs = [((count, *x.shape), x.dtype) for x in states]
    iterations = build.constant(count, build.INT64)
    operands = [LazyArray(x) for x in (iterations, *states, *fixed)]
    return packed(_history(loop, shape), operands, outputs)


def _reversed(
    at: Application,
    call: _Call,
    last: Sequence[LazyArray | None],
    during: Sequence[LazyArray | None] | None,
) -> Sequence[Cotangent]:
    """Return the cotangents of a loop's operands.

    Parameters
    ----------
    at : Application
        The node.
    call : _Call
        Its loop.
    last : sequence
        The cotangents of the last states; None where one is zero.
    during : sequence, optional
        The cotangents of the states at the beginning of each iteration.
    """
    count = call.known_count(at)
    operand_cotangents: list[Cotangent] = [None] * len(at.node.src)
    if not count:
        for k in call.moving:
            share = last[k]
            if share is not None:
                operand_cotangents[call.leading + k] = fitted(share, at.node.src[call.leading + k])
        return operand_cotangents
    nodes = [x._node for x in call.states]
    histories = _states_of_iterations(
        call.loop, call.body.shape, count, nodes, [x._node for x in call.fixed]
    )
    starts = [zeros(nodes[k]) if (share := last[k]) is None else share for k in call.moving]
    slices: dict[int, list[Node]] = {}
    if call.body.shape is None:
        slices = sliced_invariants(call.loop, call.active)
    whole = [k for k in call.active if k not in slices]
    values = [value for k in slices for value in slices[k]]
    sums = [zeros(call.fixed[k]._node) for k in whole]

    def iteration(i: Any, carried: Any) -> Any:
        cotangents, totals, _ = carried
        index = (count - 1) - i
        states = [history[index] for history in histories]
        places = [markers.variable(states[k]._node) for k in call.moving]
        sources = [markers.variable(call.fixed[k]._node) for k in whole]
        inner, outside = _put(states, call.moving, places), _put(call.fixed, whole, sources)
        parts = [markers.variable(x) for x in call.body.applied(values, inner, index, outside)]
        replaced = dict(zip(values, parts, strict=True))
        following = call.body(inner, index, outside, replaced)
        roots = [following[k]._node for k in call.moving]
        inputs = [*places, *sources, *parts]
        shares = [
            zeros(place) if share is None else share
            for share, place in zip(pull_back(roots, inputs, cotangents), inputs, strict=True)
        ]
        own = shares[: len(places)]
        if during is not None:
            for position, k in enumerate(call.moving):
                extra = during[k]
                if extra is not None:
                    own[position] = own[position] + extra[index]
        later = shares[len(own) : len(own) + len(whole)]
        return (
            own,
            [total + share for total, share in zip(totals, later, strict=True)],
            shares[len(own) + len(whole) :],
        )

    initial = starts, sums, [zeros(value) for value in values]
    if values:
        own, totals, stacks = _stacked(initial, iteration, count)
    else:
        (own, totals, _), stacks = fori_loop(count, iteration, initial), []
    for k, share in zip(call.moving, own, strict=True):
        operand_cotangents[call.leading + k] = fitted(share, at.node.src[call.leading + k])
    first = call.leading + len(call.states)
    for k, share in zip(whole, totals, strict=True):
        operand_cotangents[first + k] = share
    remaining = (stack[::-1] for stack in stacks)  # the loop goes from the last iteration back
    for k in slices:
        array = call.fixed[k]._node
        shares = [array_cotangent(array, next(remaining), x, call.loop) for x in slices[k]]
        operand_cotangents[first + k] = sum(shares[1:], start=shares[0])
    return operand_cotangents


class _Stacked:
    """The library function that gives the last states, and some states after each iteration."""

    __name__ = "fori_loop"

    def __init__(self, loop: Loop, kept: tuple[int, ...]) -> None:
        self._body = _Body(loop, None)
        self._kept = kept
        self._compiled = Iterations(self._body.following)
        self.rule = Rule(self._vjp, self._jvp)

    def __call__(self, count: Array, *operands: Array) -> list[Array]:
        states = operands[: len(self._body.loop.states)]
        stacks = [np.empty((int(count), *states[k].shape), states[k].dtype) for k in self._kept]
        body = self._body.following
        last = iterate(self._compiled, body, operands, states, stacks, self._kept, True)
        return [*last, *stacks]

    def _written_out(self, count: int, operands: Sequence[Node]) -> list[Node]:
        """Return the results as expressions that have derivatives."""
        loop, kept = self._body.loop, self._kept
        first, fixed = operands[: len(loop.states)], operands[len(loop.states) :]
        histories = _states_of_iterations(loop, None, count, first, fixed)
        index = LazyArray(build.constant(count - 1, build.INT64))
        last = self._body([x[count - 1] for x in histories], index, list(map(LazyArray, fixed)))
        stacks = [joining.concatenate([histories[k][1:], last[k][None]]) for k in kept]
        return [x._node for x in (*last, *stacks)]

    def _places(self, at: Application) -> tuple[list[int], list[Node], list[Node]]:
        """Return the operands with derivatives, variables in their places, and the results."""
        count = _Call(at, self._body.loop, None).known_count(at)
        active = [k for k, x in enumerate(at.node.src) if kind_of(x.dtype) in "fc"]
        operands = [markers.variable(x) if k in active else x for k, x in enumerate(at.node.src)]
        return active, [operands[k] for k in active], self._written_out(count, operands[1:])

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        active, places, roots = self._places(at)
        operand_cotangents: list[Cotangent] = [None] * len(at.node.src)
        for k, share in zip(active, pull_back(roots, places, cotangents), strict=True):
            operand_cotangents[k] = share
        return operand_cotangents

    def _jvp(self, at: Application, tangents: Sequence[Any]) -> Any:
        active, places, roots = self._places(at)
        return push_forward(roots, places, [tangents[k] for k in active])


@lru_cache(maxsize=256)
def _stacking(loop: Loop, kept: tuple[int, ...]) -> _Stacked:
    return _Stacked(loop, kept)


def _stacked(initial: Any, iteration: Any, count: int) -> tuple[Any, Any, list[LazyArray]]:
    """Return the last of two lists of states, and of a third those after each iteration."""
    traced = trace(initial, iteration, None, count)
    loop, outside = closed(traced)
    lengths = [len(part) for part in initial]
    kept = tuple(range(sum(lengths[:2]), sum(lengths)))
    outputs = [(x.shape, x.dtype) for x in traced.states]
    outputs += [((count, *traced.states[k].shape), traced.states[k].dtype) for k in kept]
    iterations = build.constant(count, build.INT64)
    operands = [LazyArray(x) for x in (iterations, *traced.initial, *outside)]
    results = packed(_stacking(loop, kept), operands, outputs)
    own = results[: lengths[0]]
    return own, results[lengths[0] : lengths[0] + lengths[1]], list(results[sum(lengths) :])


# ---------------------------------------------------------------- the rule


def _loop_vjp(at: Application, cotangent: Any) -> Sequence[Cotangent]:
    op = at.node.op
    assert op.loop is not None
    call = _Call(at, op.loop, _shape_of(at))
    last: list[Any] = [None] * len(call.states)
    if isinstance(cotangent, LazyArray):
        last[op.output] = cotangent
    else:
        last = list(cotangent)
    return _reversed(at, call, last, None)


def _loop_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    op = at.node.op
    assert op.loop is not None
    call = _Call(at, op.loop, _shape_of(at))
    initial, iteration = call.pushed(at, tangents)
    if call.count is None:
        _, moved = while_loop(
            lambda carried: call.body.goes_on(carried[0], call.fixed),
            lambda carried: iteration(None, carried),
            initial,
        )
    else:
        count = call.constant_count()
        iterations = LazyArray(call.count) if count is None else count
        _, moved = fori_loop(iterations, iteration, initial)
    state_tangents: list[LazyArray | None] = [None] * len(call.states)
    for k, t in zip(call.moving, moved, strict=True):
        state_tangents[k] = t
    is_block = op.kind is Kind.LIBRARY and len(call.states) > 1
    return state_tangents if is_block else state_tangents[op.output]


LOOP = Rule(_loop_vjp, _loop_jvp)
