"""Loops whose iterations are more than elementwise: one plan, run again and again.

The first iteration compiles the plan; no expression grows with their number. Iterations are calls
(:mod:`lazyarr.control_flow.iteration`). Where runs are observed or bounded each is an evaluation:
the states of an iteration lie in one of two blocks of memory, and it writes the next ones into the
other.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.control_flow.body_trace import Traced, filled
from lazyarr.core.config import get_config, is_gpu
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Kind, Loop, Node, Op, node, replace_sources, walk
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze, packed_starts
from lazyarr.ops.loop import placeholder
from lazyarr.ops.movement import ARGUMENT
from lazyarr.runtime.host_memory_pool import pool

if TYPE_CHECKING:
    from lazyarr.control_flow.iteration import Iterations

__all__ = ["closed", "results"]

Array = np.ndarray[Any, Any]

_ops: weakref.WeakValueDictionary[tuple[str, Loop], Op] = weakref.WeakValueDictionary()


def results(traced: Traced, count: Node | None, where: Origin | None) -> list[Node]:
    """Return the last states of a loop as nodes.

    Parameters
    ----------
    traced : Traced
        The loop.
    count : Node or None
        The number of iterations, a scalar int64; None of a loop with a condition.
    where : tuple of (str, int) or None
        The user's line.

    Returns
    -------
    list of Node
        One for each state, of its shape and dtype.
    """
    loop, invariants, _ = closed(traced)
    src = (*(() if count is None else (count,)), *traced.initial, *invariants)
    name = "while_loop" if count is None else "fori_loop"
    if len(traced.states) == 1:
        (state,) = traced.states
        return [node(_op(name, loop), src, state.dtype, state.shape, None, where)]
    starts, total = packed_starts([s.nbytes for s in traced.states])
    whole = node(_op(name, loop), src, np.dtype(np.uint8), (total,), None, where)
    unpack = LIBRARY["unpack"]
    states = []
    for start, state in zip(starts, traced.states, strict=True):
        call = Call((Slot(0), *(freeze(x, _no_array) for x in (start, state.shape, state.dtype))))
        states.append(node(unpack, (whole,), state.dtype, state.shape, call, where))
    return states


def _no_array(value: object) -> None:
    """Say that an argument is no array."""


def closed(traced: Traced) -> tuple[Loop, tuple[Node, ...], tuple[Node, ...]]:
    """Return a loop over placeholders alone, outside values of its invariants, recorded values."""
    own = {*traced.states, traced.index}
    became: dict[Node, Node] = {
        s: placeholder("state", k, s.dtype, s.shape) for k, s in enumerate(traced.states)
    }
    became[traced.index] = placeholder("index", 0, traced.index.dtype)
    conditions = [] if traced.condition is None else [traced.condition]
    roots = [*traced.updates, *conditions, *traced.values]
    dependent: set[Node] = set()
    for current in walk(roots):
        if current in own or any(source in dependent for source in current.src):
            dependent.add(current)
    invariants: dict[Node, Node] = {}
    for current in walk(roots, stop=lambda n: n not in dependent):
        if current in became:
            continue
        if current in dependent:
            became[current] = replace_sources(current, tuple(became[s] for s in current.src))
        elif current.op.kind is Kind.CONSTANT:
            became[current] = current
        else:
            stands = placeholder("invariant", len(invariants), current.dtype, current.shape)
            became[current] = invariants[current] = stands
    loop = Loop(
        tuple(became[s] for s in traced.states),
        tuple(invariants.values()),
        became[traced.index] if traced.condition is None else None,
        tuple(became[u] for u in traced.updates),
        None if traced.condition is None else became[traced.condition],
    )
    return loop, tuple(invariants), tuple(became[value] for value in traced.values)


def _op(name: str, loop: Loop) -> Op:
    """Return the one op that runs a loop."""
    key = (name, loop)
    op = _ops.get(key)
    if op is None:
        op = _ops.setdefault(key, Op(name, Kind.LIBRARY, _runner(loop), loop=loop))
    return op


def _runner(loop: Loop) -> Callable[..., Array]:
    """Return the function that runs a loop and gives its state, or several in a block of bytes."""
    # Imported here: a function with a loop may be built and not run.
    from lazyarr.control_flow.iteration import Iterations
    from lazyarr.execution.cpu.small_calls import PackedLoop

    compiled = Iterations(partial(_following, loop))
    layout = _Layout(loop)
    width = len(loop.states)
    nothing = PackedLoop(np.empty(0, np.uint8))

    def evaluate(node: Node, *arrays: Array) -> Array:
        count, states, invariants = loop.split(arrays)
        iterations = None if count is None else int(count)
        begun: int = 0
        present: Sequence[Array] = states
        if iterations:
            packed = nothing
            if width > 1:  # a single state is a result of its own
                packed = PackedLoop(pool.bytes_of(layout.nbytes), layout.starts)
            operands = (*states, *invariants)
            begun, present = compiled.pack(iterations, operands, width, packed)
            if begun == iterations:
                return present[0] if width == 1 else packed.memory
        if is_gpu(get_config().device):
            last = _run_on_device(loop, iterations, states, invariants)
        else:
            computed = _run_compiled(loop, compiled, (begun, iterations), present, invariants)
            if computed is not None and len(loop.states) == 1:
                return computed[0]
            if computed is not None:
                last = _Block(layout, computed)
            else:
                last = _run(loop, iterations, states, invariants)
        return last.states[0] if len(loop.states) == 1 else last.whole

    return evaluate


class _Layout:
    """The places of all states in a block of bytes.

    Parameters
    ----------
    loop : Loop
        The loop.

    Attributes
    ----------
    nbytes : int
        Of the block.
    starts : tuple of int
        First byte of each state.
    states : tuple of (shape, dtype, int)
        Shape, dtype and first byte of each state.
    """

    __slots__ = ("nbytes", "starts", "states")

    def __init__(self, loop: Loop) -> None:
        starts, self.nbytes = packed_starts([s.nbytes for s in loop.states])
        self.states = tuple(
            (s.shape, s.dtype, start) for s, start in zip(loop.states, starts, strict=True)
        )
        self.starts = tuple(starts)


class _Block:
    """Memory for all states."""

    def __init__(self, layout: _Layout, values: Sequence[Array] = ()) -> None:
        self.whole = pool.bytes_of(layout.nbytes)
        self.states = [
            np.ndarray(shape, dtype, self.whole, start) for shape, dtype, start in layout.states
        ]
        for state, value in zip(self.states, values, strict=False):
            np.copyto(state, value)


def _following(loop: Loop, operands: Sequence[Node]) -> tuple[Node, ...]:
    """Return the next states, behind the condition if there is one, as nodes."""
    known = dict(zip((*loop.states, *loop.invariants), operands, strict=False))
    if loop.index is not None:
        known[loop.index] = operands[-1]
    return filled(loop.updates, known) if loop.condition is None else _with_condition(loop, known)


def _run_compiled(
    loop: Loop,
    compiled: Iterations,
    numbers: tuple[int, int | None],
    states: Sequence[Array],
    invariants: Sequence[Array],
) -> Sequence[Array] | None:
    """Return the last states; None if each iteration has to be an evaluation.

    Parameters
    ----------
    loop : Loop
        The loop.
    compiled : Iterations
        Its compiled body.
    numbers : (int, int or None)
        The first iteration, and the number of them; None of a loop with a condition.
    states, invariants : sequence of numpy.ndarray
        Of that iteration.
    """
    from lazyarr.compiler import pipeline
    from lazyarr.control_flow.iteration import last_states

    states = [np.asarray(state, order="C") for state in states]
    fixed = (*invariants, np.zeros((), np.int64))
    iteration = compiled.compiled((*states, *fixed))
    if iteration is None:
        return None
    begun, iterations = numbers
    if iterations is not None:
        return last_states(iteration, iterations, states, fixed, begun)
    assert loop.condition is not None
    leaves = map(build.leaf, (*states, *invariants))
    known = dict(zip((*loop.states, *loop.invariants), leaves, strict=True))
    going = pipeline.evaluate(filled((loop.condition,), known), reuse=False)[0]
    width = len(states)
    while going:
        operands = (*states, *fixed)
        endless = 0, sys.maxsize
        _, states, is_left = iteration.repeat(endless, operands, width, is_conditional=True)
        if not is_left:
            break
        *states, going = iteration((*states, *fixed))
    return states


def _run(
    loop: Loop, iterations: int | None, states: Sequence[Array], invariants: Sequence[Array]
) -> _Block:
    from lazyarr.compiler import pipeline

    layout = _Layout(loop)
    blocks = _Block(layout), _Block(layout)
    fixed = {n: build.leaf(array) for n, array in zip(loop.invariants, invariants, strict=True)}
    iteration = np.zeros((), np.int64)
    if loop.index is not None:
        fixed[loop.index] = build.leaf(iteration)
    for target, state in zip(blocks[0].states, states, strict=True):
        np.copyto(target, state)
    begin = [
        fixed | {n: build.leaf(a) for n, a in zip(loop.states, block.states, strict=True)}
        for block in blocks
    ]
    side = 0
    if iterations is not None:
        steps = [filled(loop.updates, known) for known in begin]
        for number in range(iterations):
            iteration[...] = number
            pipeline.evaluate(steps[side], blocks[1 - side].states, reuse=False)
            side = 1 - side
        return blocks[side]
    assert loop.condition is not None
    # An iteration also computes whether there is another one: the condition is part of its plan.
    steps = [_with_condition(loop, known) for known in begin]
    going = pipeline.evaluate(filled((loop.condition,), begin[0]), reuse=False)[0]
    while going:
        outs = [*blocks[1 - side].states, None]
        *_, going = pipeline.evaluate(steps[side], outs, reuse=False)
        side = 1 - side
    return blocks[side]


def _run_on_device(
    loop: Loop, iterations: int | None, states: Sequence[Array], invariants: Sequence[Array]
) -> _Block:
    """Run a loop whose states stay on a GPU from iteration to iteration."""
    fixed = dict(zip(loop.invariants, _persisted(map(build.leaf, invariants)), strict=True))
    present = _persisted(map(build.leaf, states))

    def known(number: int = 0) -> dict[Node, Node]:
        values = fixed | dict(zip(loop.states, present, strict=True))
        if loop.index is not None:
            data = np.asarray(number, np.int64).tobytes()
            values[loop.index] = node(ARGUMENT, (), np.dtype(np.int64), (), data)
        return values

    if iterations is not None:
        for number in range(iterations):
            present = _persisted(filled(loop.updates, known(number)))
    else:
        assert loop.condition is not None
        (going,) = _persisted(filled((loop.condition,), known()))
        while LazyArray(going):
            *present, going = _persisted(_with_condition(loop, known()))
    block = _Block(_Layout(loop))
    for target, state in zip(block.states, present, strict=True):
        np.copyto(target, np.asarray(LazyArray(state)))
    return block


def _persisted(nodes: Any) -> list[Node]:
    from lazyarr.arrays.evaluation import persist

    arrays = [LazyArray(n) for n in nodes]
    if not arrays:
        return []
    persisted = persist(*arrays)
    return [x._node for x in (persisted if isinstance(persisted, tuple) else (persisted,))]


def _with_condition(loop: Loop, known: dict[Node, Node]) -> tuple[Node, ...]:
    """Return the next states, and whether they ask for another iteration."""
    assert loop.condition is not None
    updates = filled(loop.updates, known)
    after = known | dict(zip(loop.states, updates, strict=True))
    return (*updates, *filled((loop.condition,), after))
