"""Traced loops whose iterations are elementwise, as nodes that kernels compute."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.scalar import covers
from lazyarr.control_flow.body_trace import Traced
from lazyarr.core import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, broadcast_view
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Kind, Loop, Node, node, walk
from lazyarr.ops.loop import loop_op, placeholder
from lazyarr.passes.canonicalize import is_special
from lazyarr.schedule.cost import base_of

__all__ = ["kernel_loops"]


def kernel_loops(traced: Traced, count: Node | None, where: Origin | None) -> list[Node] | None:
    """Return the last states as elementwise nodes, or None if the loop is not elementwise.

    States of one shape are one loop, which computes them together. A state that others do not
    need is left out of theirs.

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
    list of Node or None
        One node for each state, of its shape and dtype.
    """
    roots = traced.updates if traced.condition is None else (*traced.updates, traced.condition)
    dependent = _dependent(traced, roots)
    if not all(_is_elementwise(n) for n in dependent if n.op.kind is not Kind.PARAMETER):
        return None
    if any(kind_of(n.dtype) not in "biuf" for n in dependent):
        return None
    uses = [_states_below(traced, new, dependent) for new in traced.updates]
    shared = (
        set() if traced.condition is None else _states_below(traced, traced.condition, dependent)
    )
    loops: dict[Shape, tuple[Loop, dict[int, int], tuple[Node, ...]]] = {}
    results = []
    for k, state in enumerate(traced.states):
        if state.shape not in loops:
            group = {j for j, other in enumerate(traced.states) if other.shape == state.shape}
            fused = _loop(traced, _closure(group | shared, uses), dependent)
            if fused is None:
                return None
            loops[state.shape] = fused
        loop, positions, invariants = loops[state.shape]
        initial = tuple(traced.initial[j] for j in positions)
        src = (*(() if count is None else (count,)), *initial, *invariants)
        name = "while_loop" if count is None else "fori_loop"
        op = loop_op(name, loop, positions[k])
        result = node(op, src, state.dtype, state.shape, None, where)
        if not covers(result):
            return None
        results.append(result)
    return results


def _dependent(traced: Traced, roots: Sequence[Node]) -> dict[Node, None]:
    """Return the nodes that change from iteration to iteration, operands first."""
    own = {*traced.states, traced.index}
    dependent: dict[Node, None] = {}
    for current in walk(roots):
        if current in own or any(source in dependent for source in current.src):
            dependent[current] = None
    return dependent


def _is_elementwise(value: Node) -> bool:
    if value.op.kind is Kind.VIEW:
        source = value.src[0]
        fits = len(source.shape) <= len(value.shape)
        return fits and value.attr == broadcast_view(source.shape, value.shape)
    return value.op.kind is Kind.ELEMENTWISE


def _states_below(traced: Traced, root: Node, dependent: dict[Node, None]) -> set[int]:
    below = set(walk((root,), stop=lambda n: n not in dependent))
    return {k for k, state in enumerate(traced.states) if state in below}


def _closure(start: set[int], uses: Sequence[set[int]]) -> list[int]:
    reached: set[int] = set()
    waiting = list(start)
    while waiting:
        k = waiting.pop()
        if k not in reached:
            reached.add(k)
            waiting.extend(uses[k])
    return sorted(reached)


def _loop(
    traced: Traced, chosen: Sequence[int], dependent: dict[Node, None]
) -> tuple[Loop, dict[int, int], tuple[Node, ...]] | None:
    """Return the loop of some states, their positions in it, and its outside operands."""
    positions = {k: place for place, k in enumerate(chosen)}
    became: dict[Node, Node] = {}
    for k, place in positions.items():
        state = traced.states[k]
        became[state] = placeholder("state", place, state.dtype)
    index = placeholder("index", 0, traced.index.dtype)
    became[traced.index] = index
    invariants: dict[Node, Node] = {}
    roots = [traced.updates[k] for k in chosen]
    if traced.condition is not None:
        roots.append(traced.condition)
    for current in walk(roots, stop=lambda n: n not in dependent):
        if current in became:
            continue
        if current not in dependent:
            base = base_of(current)
            if base.op.kind is Kind.CONSTANT and is_special(base):
                became[current] = base
            else:
                outside = base if base.op.kind is Kind.CONSTANT else current
                stands = placeholder("invariant", len(invariants), current.dtype)
                became[current] = invariants.setdefault(outside, stands)
        elif current.op.kind is Kind.VIEW:
            became[current] = became[current.src[0]]
        else:
            src = tuple(became[s] for s in current.src)
            became[current] = node(current.op, src, current.dtype, (), current.attr, current.origin)
    counted = traced.condition is None
    loop = Loop(
        tuple(became[traced.states[k]] for k in chosen),
        tuple(invariants.values()),
        index if counted else None,
        tuple(became[traced.updates[k]] for k in chosen),
        None if traced.condition is None else became[traced.condition],
    )
    if len(loop.steps) > tuning.row().loop_steps:
        return None
    return loop, positions, tuple(invariants)
