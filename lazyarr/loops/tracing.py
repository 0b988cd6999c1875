"""Seeing once what a loop's body does: it is called with placeholders for the states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, as_node
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.ir import Node, node
from lazyarr.loops.containers import Structure, describe, flatten, unflatten
from lazyarr.loops.index import LoopIndex
from lazyarr.ops.loops import PLACEHOLDER
from lazyarr.origin import origin
from lazyarr.simplify import simplify
from lazyarr.values import dataclass

__all__ = ["Traced", "trace"]

DType = np.dtype[Any]
Function = Callable[..., Any]

INT64 = np.dtype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Traced:
    """A loop as it was traced.

    Attributes
    ----------
    initial : tuple of Node
        The first states.
    states : tuple of Node
        What stood for them in the body.
    index : Node
        What stood for the number of the turn.
    updates : tuple of Node
        The next states, simplified.
    condition : Node or None
        Whether there is another turn, of the present states; None in a counted loop.
    structure : Structure or None
        The containers of the state.
    """

    initial: tuple[Node, ...]
    states: tuple[Node, ...]
    index: Node
    updates: tuple[Node, ...]
    condition: Node | None
    structure: Structure | None

    def rebuild(self, leaves: Sequence[LazyArray]) -> Any:
        """Return the containers of the state around other arrays."""
        return unflatten(self.structure, leaves)


class _Trace:
    """One call of a body; its placeholders are those of no other call."""


def trace(init: Any, body: Function, condition: Function | None) -> Traced:
    """Call a loop's body, and its condition, with placeholders.

    A Python number among the first states takes the dtype that the body gives it, as far as
    NumPy would let it next to an array.
    """
    leaves, structure = flatten(init)
    if not leaves:
        raise ArgumentError("a loop needs at least one array as its state", origin=origin())
    initial = [as_node(leaf) for leaf in leaves]
    weak = [type(leaf) in (bool, int, float, complex) for leaf in leaves]
    while True:
        traced = _trace(initial, structure, body, condition)
        changed = False
        for k, (state, new) in enumerate(zip(initial, traced.updates, strict=True)):
            if weak[k] and new.dtype != state.dtype:
                wanted = build.promote(type(leaves[k])(0), new)
                if wanted == new.dtype and np.can_cast(state.dtype, wanted, "same_kind"):
                    initial[k] = build.constant(leaves[k], wanted)
                    weak[k] = False
                    changed = True
        if not changed:
            break
    for k, (state, new) in enumerate(zip(traced.initial, traced.updates, strict=True)):
        _check(k, len(leaves), state, new)
    simplified = simplify(
        traced.updates if traced.condition is None else (*traced.updates, traced.condition)
    )
    return Traced(
        traced.initial,
        traced.states,
        traced.index,
        simplified[: len(leaves)],
        None if traced.condition is None else simplified[-1],
        structure,
    )


def _trace(
    initial: Sequence[Node],
    structure: Structure | None,
    body: Function,
    condition: Function | None,
) -> Traced:
    here = _Trace()
    where = origin()
    states = tuple(
        node(PLACEHOLDER, (), s.dtype, s.shape, (here, "state", k), where)
        for k, s in enumerate(initial)
    )
    index = node(PLACEHOLDER, (), INT64, (), (here, "index", 0), where)

    def present() -> Any:
        return unflatten(structure, [LazyArray(state) for state in states])

    going = None
    if condition is not None:
        found = condition(present())
        if flatten(found)[1] is not None:
            raise ArgumentError("the condition of a loop must be one array", origin=origin())
        going = as_node(found)
    new, got = flatten(body(LoopIndex(index), present()))
    if got != structure:
        raise ArgumentError(
            f"the body of a loop was given {describe(structure)} and returned {describe(got)}",
            origin=where,
            hint="return the same containers of as many arrays",
        )
    return Traced(
        tuple(initial), states, index, tuple(as_node(leaf) for leaf in new), going, structure
    )


def _check(position: int, count: int, state: Node, new: Node) -> None:
    """Refuse a turn that changes a state's shape or dtype."""
    which = "the state" if count == 1 else f"state {position}"
    where = new.origin or origin()
    if new.shape != state.shape:
        raise ShapeError(
            f"a turn of a loop changes the shape of {which} from {state.shape} to {new.shape}",
            origin=where,
            hint="begin with an array of the final shape: lazyarr.broadcast_to(x, shape)",
        )
    if new.dtype != state.dtype:
        raise DTypeError(
            f"a turn of a loop changes the dtype of {which} from {state.dtype} to {new.dtype}",
            origin=where,
            hint=f"begin with .astype({new.dtype.name!r}), or convert back at the end of the body",
        )
