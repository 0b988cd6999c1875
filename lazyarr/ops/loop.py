"""Loops as operations: one iteration's effect on the states, as separate nodes.

A loop over elements is an elementwise op that is made when the user's loop is traced: one op for
each state that it gives. Its operands are the number of iterations (of a counted loop), the initial
states, and the values that stay the same. Equal loops are one op, so that plans and kernels serve
again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Loop, Node, Op, node, walk
from lazyarr.ops.fp_conditions import floating

__all__ = ["PLACEHOLDER", "loop_op", "placeholder"]

Array = np.ndarray[Any, Any]

#: Weight of a loop against other ops: computing it twice never pays.
COST = 10_000


def _no_value(node: Node, *arrays: Array) -> Array:
    raise ContractError("a placeholder has no value of its own")


PLACEHOLDER = Op("placeholder", Kind.PARAMETER, _no_value)


def placeholder(
    role: str, position: int, dtype: np.dtype[Any], shape: tuple[int, ...] = ()
) -> Node:
    """Return the node that stands for a state, an invariant or the index in a loop's body.

    Parameters
    ----------
    role : {"state", "invariant", "index"}
        What it stands for.
    position : int
        Its number among those of its role.
    dtype : numpy.dtype
        Of the value.
    shape : tuple of int, optional
        Of the value.
    """
    return node(PLACEHOLDER, (), dtype, shape, (role, position))


_ops: weakref.WeakValueDictionary[tuple[str, Loop, int], Op] = weakref.WeakValueDictionary()


def loop_op(name: str, loop: Loop, output: int) -> Op:
    """Return the elementwise op whose value is one state of a loop after its last iteration.

    Parameters
    ----------
    name : str
        Of the op, for users.
    loop : Loop
        The body.
    output : int
        Which state.
    """
    key = (name, loop, output)
    op = _ops.get(key)
    if op is None:
        new_op = Op(
            name,
            Kind.ELEMENTWISE,
            _evaluator(loop, output),
            cost=COST,
            faults=floating("invalid", "over"),
            loop=loop,
            output=output,
        )
        op = _ops.setdefault(key, new_op)
    return op


def _evaluator(loop: Loop, output: int) -> Callable[..., Array]:
    """Return the reference semantics: one iteration after another, each op with NumPy."""

    def evaluate(node: Node, *arrays: Array) -> Array:
        count, states, invariants = loop.split(arrays)
        fixed = dict(zip(loop.invariants, invariants, strict=True))
        if count is not None:
            for iteration in range(int(count)):
                values = _run(loop, states, fixed, iteration, loop.updates)
                states = tuple(values[n] for n in loop.updates)
        else:
            assert loop.condition is not None
            while True:
                going = _run(loop, states, fixed, 0, (loop.condition,))[loop.condition]
                if not going.any():
                    break
                values = _run(loop, states, fixed, 0, loop.updates)
                # Where the condition no longer holds, nothing changes any more.
                states = tuple(
                    np.where(going, values[new], old)
                    for new, old in zip(loop.updates, states, strict=True)
                )
        return np.array(np.broadcast_to(states[output], node.shape))

    return evaluate


def _run(
    loop: Loop,
    states: Iterable[Array],
    fixed: dict[Node, Array],
    iteration: int,
    roots: tuple[Node, ...],
) -> dict[Node, Array]:
    values = fixed | dict(zip(loop.states, states, strict=True))
    if loop.index is not None:
        values[loop.index] = np.asarray(iteration, loop.index.dtype)
    for step in walk(roots):
        if step not in values:
            values[step] = step.op.evaluate(step, *(values[s] for s in step.src))
    return values
