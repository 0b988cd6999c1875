"""Derivatives of loops.

Forward accumulation is one loop over states and tangents. Backward, a loop from the last iteration
to the first passes the cotangents through the nodes of one iteration. The forward loop records what
that reads: the states at the beginning of each iteration, and values that are not computed twice.
Both are loops as any other: another number of iterations compiles nothing, and they are
differentiable again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.control_flow import fori_loop, while_loop
from lazyarr.control_flow.body_trace import filled, trace
from lazyarr.control_flow.iteration import Iterations, iterate
from lazyarr.control_flow.loops import iteration_count, last_state
from lazyarr.control_flow.replayed_loop import closed
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import Shape
from lazyarr.differentiation.backward_iteration import BackwardIteration, Seed
from lazyarr.differentiation.loop_bodies import LoopBody, LoopCall
from lazyarr.differentiation.loop_slices import array_cotangent
from lazyarr.differentiation.products import Product, summed
from lazyarr.differentiation.rules import Application, Cotangent, Rule, fitted, zeros
from lazyarr.execution.cpu.small_calls import PackedLoop, Records
from lazyarr.graph.node import Kind, Loop, Node
from lazyarr.numpy_api.library_calls import packed
from lazyarr.ops.library import packed_starts
from lazyarr.ops.loop_records import LoopRecord
from lazyarr.runtime.host_memory_pool import pool

__all__ = ["LOOP"]

Array = np.ndarray[Any, Any]

# ---------------------------------------------------------------- values of all iterations


class _Packing(NamedTuple):
    """The places of a loop's results in one block of bytes.

    Attributes
    ----------
    key : tuple
        The number of iterations and the shapes of the states, on which it depends.
    nbytes : int
        Of the block.
    starts : tuple of int
        The first byte of each state.
    stacks : tuple of (int, int, int)
        As of :class:`PackedLoop`.
    views : tuple of (int, shape, dtype)
        First byte, shape and dtype of each result.
    """

    key: tuple[Any, ...]
    nbytes: int
    starts: tuple[int, ...]
    stacks: tuple[tuple[int, int, int], ...]
    views: tuple[tuple[int, Shape, np.dtype[Any]], ...]


class _Record(LoopRecord):
    """The library function that gives the last states, and values of each iteration.

    Parameters
    ----------
    loop : Loop
        The loop.
    shape : tuple of int, optional
        Of the states, of a loop over elements.
    values : tuple of Node
        Nodes of the body. A placeholder of a state stands for the state at the beginning.
    is_backward : bool
        Whether the first iteration is recorded last.
    """

    __name__ = "fori_loop"

    def __init__(
        self, loop: Loop, shape: Shape | None, values: tuple[Node, ...], is_backward: bool
    ) -> None:
        self.loop = loop
        self.values = values
        self.is_backward = is_backward
        self.rule = Rule(self._vjp, self._jvp)
        self._body = LoopBody(loop, shape)
        self._computed = [value for value in values if value not in loop.states]
        self._compiled = Iterations(self._following)
        self._places = [loop.states.index(v) if v in loop.states else None for v in values]
        #: Of the last run.
        self._layout: _Packing | None = None

    def _following(self, operands: Sequence[Node]) -> tuple[Node, ...]:
        """Return the next states and recorded values; the index is the last operand."""
        loop = self.loop
        known = dict(zip((*loop.states, *loop.invariants), operands, strict=False))
        if loop.index is not None:
            known[loop.index] = build.cast(operands[-1], loop.index.dtype)
        return tuple(self._body.values((*loop.updates, *self._computed), known))

    def outputs(self, count: int, states: Sequence[Any]) -> list[tuple[Shape, np.dtype[Any]]]:
        """Return shape and dtype of each result.

        Parameters
        ----------
        count : int
            The number of iterations.
        states : sequence of array
            The first states.
        """
        shape = self._body.shape
        kinds = [(x.shape, x.dtype) for x in states]
        return kinds + [
            ((count, *(value.shape if shape is None else shape)), value.dtype)
            for value in self.values
        ]

    def __call__(self, *arrays: Array) -> Array:
        """Run the loop; return the results as one array of bytes."""
        first, *operands = arrays
        count, width = int(first), len(self.loop.states)
        layout = self._laid_out(count, operands[:width])
        whole = pool.bytes_of(layout.nbytes)
        place = PackedLoop(whole, layout.starts, layout.stacks, self.is_backward)
        begun, last = self._compiled.pack(count, tuple(operands), width, place)
        if begun < count or not count:
            views: list[Array] = [
                np.ndarray(shape, dtype, whole, start) for start, shape, dtype in layout.views
            ]
            places = [place for *_, place in layout.stacks]
            stacks = tuple(zip(views[width:], places, strict=True))
            records = Records(stacks, self.is_backward)
            rest = (*last, *operands[width:])
            last = iterate(self._compiled, self._following, rest, width, records, begun)
            for view, state in zip(views, last, strict=False):
                np.copyto(view, state)
        return whole

    def _laid_out(self, count: int, states: Sequence[Array]) -> _Packing:
        """Return the places of the results of so many iterations."""
        key = (count, *[x.shape for x in states])
        layout = self._layout  # read once: other threads may run the loop
        if layout is None or layout.key != key:
            outputs = self.outputs(count, states)
            sizes = [prod(shape) * dtype.itemsize for shape, dtype in outputs]
            starts, total = packed_starts(sizes)
            width = len(states)
            stacks = [
                (start, prod(shape[1:]) * dtype.itemsize, -1 if place is None else place)
                for start, (shape, dtype), place in zip(
                    starts[width:], outputs[width:], self._places, strict=True
                )
            ]
            views = [(start, *output) for start, output in zip(starts, outputs, strict=True)]
            layout = _Packing(key, total, tuple(starts[:width]), tuple(stacks), tuple(views))
            self._layout = layout
        return layout

    def _call(self, at: Application) -> LoopCall:
        return LoopCall(at, self.loop, self._body.shape)

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        call = self._call(at)
        width = len(call.states)
        seeds = [
            Seed(value, cotangent, self.is_backward)
            for value, cotangent in zip(self.values, cotangents[width:], strict=True)
            if cotangent is not None and kind_of(value.dtype) in "fc"
        ]
        return _reversed(at, call, cotangents[:width], seeds)

    def _jvp(self, at: Application, tangents: Sequence[Any]) -> Any:
        call = self._call(at)
        moving = [k for k, value in enumerate(self.values) if kind_of(value.dtype) in "fc"]
        initial, iteration = call.pushed(tangents, [self.values[k] for k in moving], records=True)
        count = call.known_count(at)
        (_, moved), stacks = _recorded(initial, iteration, count, is_backward=self.is_backward)
        width = len(call.states)
        results: list[LazyArray | None] = [None] * (width + len(self.values))
        for k, t in zip(call.moving, moved, strict=True):
            results[k] = t
        for k, t in zip(moving, stacks, strict=True):
            results[width + k] = t
        return results


@lru_cache(maxsize=256)
def _record(
    loop: Loop, shape: Shape | None, values: tuple[Node, ...], is_backward: bool
) -> _Record:
    return _Record(loop, shape, values, is_backward)


def _results(
    record: _Record, count: int, operands: Sequence[Node]
) -> tuple[list[LazyArray], list[LazyArray]]:
    """Return last states and recorded values; the number of iterations is the first operand."""
    width = len(record.loop.states)
    outputs = record.outputs(count, operands[1 : 1 + width])
    results = packed(record, [LazyArray(x) for x in operands], outputs)
    return list(results[:width]), list(results[width:])


def _recorded(
    initial: Any, iteration: Any, count: int, *, is_backward: bool
) -> tuple[Any, list[LazyArray]]:
    """Return the last state of a loop, and values of each iteration.

    Parameters
    ----------
    initial : container
        The first state.
    iteration : callable
        ``iteration(index, state)`` returns the next state and a list of arrays.
    count : int
        The number of iterations.
    is_backward : bool
        Whether the first iteration is recorded last.
    """
    traced = trace(initial, iteration, None, count, records=True)
    number = iteration_count(count)
    if not traced.values:
        return last_state(traced, number), []
    # A state that no iteration changes is an invariant.
    pairs = list(zip(traced.states, traced.updates, strict=True))
    changing = [k for k, (state, new) in enumerate(pairs) if new is not state]
    part = replace(
        traced,
        initial=tuple(traced.initial[k] for k in changing),
        states=tuple(traced.states[k] for k in changing),
        updates=tuple(traced.updates[k] for k in changing),
    )
    loop, outside, values = closed(part)
    outside = filled(outside, dict(zip(traced.states, traced.initial, strict=True)))
    record = _record(loop, None, values, is_backward)
    last, stacks = _results(record, count, (number, *part.initial, *outside))
    states = [LazyArray(x) for x in traced.initial]
    for k, state in zip(changing, last, strict=True):
        states[k] = state
    return traced.rebuild(states), stacks


# ---------------------------------------------------------------- backward


def _reversed(
    at: Application, call: LoopCall, last: Sequence[LazyArray | None], seeds: Sequence[Seed]
) -> Sequence[Cotangent]:
    """Return the cotangents of a loop's operands.

    Parameters
    ----------
    at : Application
        The node.
    call : LoopCall
        Its loop.
    last : sequence
        The cotangents of the last states; None where one is zero.
    seeds : sequence of Seed
        The cotangents of values of each iteration.
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
    assert call.count is not None
    operands = (call.count, *nodes, *[x._node for x in call.fixed])

    def stacks_of(values: tuple[Node, ...]) -> Mapping[Node, LazyArray]:
        if not values:
            return {}
        record = _record(call.loop, call.body.shape, values, False)
        return dict(zip(values, _results(record, count, operands)[1], strict=True))

    backward = BackwardIteration(call, count, seeds, stacks_of)
    starts = [zeros(nodes[k]) if (share := last[k]) is None else share for k in call.moving]
    sums = [zeros(call.fixed[k]._node) for k in backward.whole]
    (own, totals), stacks = _recorded((starts, sums), backward, count, is_backward=True)
    for k, share in zip(call.moving, own, strict=True):
        operand_cotangents[call.leading + k] = fitted(share, at.node.src[call.leading + k])
    first = call.leading + len(call.states)
    for place, (k, total) in enumerate(zip(backward.whole, totals, strict=True)):
        operand_cotangents[first + k] = _total(backward, place, total, stacks)
    for k, values in backward.slices.items():
        array = call.fixed[k]._node
        shares = [
            array_cotangent(array, stacks[backward.slice_places[value]], value, call.loop)
            for value in values
        ]
        operand_cotangents[first + k] = sum(shares[1:], start=shares[0])
    return operand_cotangents


def _total(
    backward: BackwardIteration, place: int, total: LazyArray, stacks: Sequence[LazyArray]
) -> LazyArray:
    """Return the cotangent of an invariant: the sum of all iterations' shares."""
    products = []
    for pair in backward.products[place]:
        arrays = [backward.stacks[x] if isinstance(x, Node) else stacks[x] for x in pair]
        first, second = [build.reshape(x._node, (prod(x.shape[:-1]), x.shape[-1])) for x in arrays]
        products.append(Product(first, second))
    if not products:
        return total
    product = LazyArray(summed(products))
    return total + product if backward.has_sum[place] else product


# ---------------------------------------------------------------- the rule


def _shape_of(at: Application) -> Shape | None:
    return at.node.shape if at.node.op.kind is Kind.ELEMENTWISE else None


def _loop_vjp(at: Application, cotangent: Any) -> Sequence[Cotangent]:
    op = at.node.op
    assert op.loop is not None
    call = LoopCall(at, op.loop, _shape_of(at))
    last: list[Any] = [None] * len(call.states)
    if isinstance(cotangent, LazyArray):
        last[op.output] = cotangent
    else:
        last = list(cotangent)
    return _reversed(at, call, last, ())


def _loop_jvp(at: Application, tangents: Sequence[Any]) -> Any:
    op = at.node.op
    assert op.loop is not None
    call = LoopCall(at, op.loop, _shape_of(at))
    initial, iteration = call.pushed(tangents)
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
