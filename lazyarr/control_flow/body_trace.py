"""Tracing of a loop's body: it is called once, with placeholders for the states.

Each iteration draws its random numbers anew, as a loop of Python's would. So the number of a draw
is that of the iteration's first plus its place among the draws of an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.control_flow.loop_index import LoopIndex
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.loop import PLACEHOLDER
from lazyarr.ops.markers import VARIABLE
from lazyarr.passes.simplify import simplify
from lazyarr.tracing import Scope, Source, Symbol, inside
from lazyarr.tracing.pytree import (
    LEAF,
    NUMBERS,
    Structure,
    Unknown,
    arranged,
    describe,
    flatten_arrays,
    unflatten,
)

__all__ = ["Traced", "filled", "trace"]

Function = Callable[..., Any]

INT64 = np.dtype(np.int64)
UINT64 = np.dtype(np.uint64)


@dataclass(frozen=True, eq=False, slots=True)
class Traced:
    """A loop as it was traced.

    Attributes
    ----------
    initial : tuple of Node
        The first states.
    states : tuple of Node
        Their placeholders in the body.
    index : Node
        The placeholder of the iteration's number.
    updates : tuple of Node
        The next states, simplified.
    condition : Node or None
        Whether there is another iteration, of the present states; None in a counted loop.
    structure : Structure
        The containers of the state.
    values : tuple of Node
        What else of an iteration is recorded, simplified.
    """

    initial: tuple[Node, ...]
    states: tuple[Node, ...]
    index: Node
    updates: tuple[Node, ...]
    condition: Node | None
    structure: Structure
    values: tuple[Node, ...] = ()

    def rebuild(self, leaves: Sequence[LazyArray]) -> Any:
        """Return the containers of the state around other arrays."""
        return unflatten(self.structure, iter(leaves))


class _Iteration(Scope):
    """One call of a body, on behalf of all iterations; its placeholders are those of no other call.

    Attributes
    ----------
    drawn : list
        Of each draw the source, its place among the source's draws of an iteration, and the
        placeholders of its number and key.
    taken : dict of Source to int
        The number of draws of each source in an iteration.
    """

    def __init__(self) -> None:
        self.drawn: list[tuple[Source, int, Node, Node]] = []
        self.taken: dict[Source, int] = {}

    def draw(self, source: Source, count: int) -> tuple[Node, Node]:
        """Return placeholders; a generator made in the body gives the same in each iteration."""
        if source.scope is self:
            return source.constants(count)
        k = len(self.drawn)
        number, key = (
            node(PLACEHOLDER, (), UINT64, (), (self, role, k), origin())
            for role in ("number", "key")
        )
        place = self.taken.get(source, 0)
        self.taken[source] = place + count
        self.drawn.append((source, place, number, key))
        return number, key

    def resolved(self, iterations: int | None, index: Node) -> dict[Node, Node]:
        """Take the draws of all iterations; return number and key of each draw in one of them.

        Parameters
        ----------
        iterations : int, optional
            Their number; None if it is not known.
        index : Node
            The number of the iteration.
        """
        if self.drawn and iterations is None:
            raise ArgumentError(
                "random numbers cannot be drawn in a loop whose number of iterations is not known: "
                "the state of the generator after the loop would not be known either",
                origin=self.drawn[0][2].origin,
                hint="draw before the loop if all iterations share the numbers, or use fori_loop "
                "with a "
                "Python number of iterations",
            )
        first = {
            source: source.draw((iterations or 0) * count) for source, count in self.taken.items()
        }
        draws: dict[Node, Node] = {}
        for source, place, number, key in self.drawn:
            begin, draws[key] = first[source]
            iteration = build.cast(index, UINT64)
            gone = build.elementwise(ELEMENTWISE["multiply"], (iteration, self.taken[source]))
            at = build.elementwise(ELEMENTWISE["add"], (begin, gone))
            draws[number] = build.elementwise(ELEMENTWISE["add"], (at, place))
        return draws


def trace(
    init: Any,
    body: Function,
    condition: Function | None,
    iterations: int | None = None,
    *,
    records: bool = False,
) -> Traced:
    """Call a loop's body, and its condition, with placeholders.

    A Python number among the first states takes the dtype that the body gives it, as far as
    NumPy would let it next to an array.

    Parameters
    ----------
    init : array_like or container
        The first state.
    body, condition : callable
        ``body(index, state)`` and ``condition(state)`` of the loop.
    iterations : int, optional
        The number of iterations, if it is known.
    records : bool, optional
        Whether the body returns a pair of the next state and a list of arrays to record.
    """
    leaves, structure = flatten_arrays(init, "the first state of a loop")
    if not leaves:
        raise ArgumentError("a loop needs at least one array as its state", origin=origin())
    initial = [as_node(leaf) for leaf in leaves]
    weak = [_python_type(leaf) for leaf in leaves]
    while True:
        traced, iteration = _trace(initial, structure, body, condition, records)
        changed = False
        for k, (state, new) in enumerate(zip(initial, traced.updates, strict=True)):
            kind = weak[k]
            if kind is not None and new.dtype != state.dtype:
                promoted = build.promote(kind(0), new)
                if promoted == new.dtype and np.can_cast(state.dtype, promoted, "same_kind"):
                    initial[k] = build.constant(leaves[k], promoted)
                    weak[k] = None
                    changed = True
        if not changed:
            break
    for k, (state, new) in enumerate(zip(traced.initial, traced.updates, strict=True)):
        _check(k, len(leaves), state, new)
    conditions = () if traced.condition is None else (traced.condition,)
    roots = (*traced.updates, *conditions, *traced.values)
    whole = filled(roots, iteration.resolved(iterations, traced.index))
    whole = _without_variables(whole, (*traced.states, traced.index))
    simplified = simplify(whole, keeps_markers=True)
    return Traced(
        traced.initial,
        traced.states,
        traced.index,
        simplified[: len(leaves)],
        simplified[len(leaves)] if conditions else None,
        structure,
        simplified[len(leaves) + len(conditions) :],
    )


def _trace(
    initial: Sequence[Node],
    structure: Structure,
    body: Function,
    condition: Function | None,
    records: bool,
) -> tuple[Traced, _Iteration]:
    here = _Iteration()
    where = origin()
    states = tuple(
        node(PLACEHOLDER, (), s.dtype, s.shape, (here, "state", k), where)
        for k, s in enumerate(initial)
    )
    index = node(PLACEHOLDER, (), INT64, (), (here, "index", 0), where)

    def present() -> Any:
        return unflatten(structure, iter([LazyArray(state) for state in states]))

    going = None
    with inside(here):
        if condition is not None:
            (*tests,), single = flatten_arrays(condition(present()), "what the condition returns")
            if single != LEAF:
                raise ArgumentError("the condition of a loop must be one array", origin=origin())
            going = as_node(tests[0])
        result = body(LoopIndex(index), present())
        following, recorded = result if records else (result, ())
        new, got = flatten_arrays(following, "the result of the body")
    try:
        new = list(arranged(structure, got, iter(new)))
    except Unknown:
        raise ArgumentError(
            f"the body of a loop received {describe(structure)} and returned {describe(got)}",
            origin=where,
            hint="return the same containers with the same number of arrays",
        ) from None
    updates = tuple(as_node(leaf) for leaf in new)
    values = tuple(as_node(value) for value in recorded)
    return Traced(tuple(initial), states, index, updates, going, structure, values), here


def _python_type(value: Any) -> type | None:
    """Return the type of a Python number, known or not; None of anything else."""
    kind = value.kind if type(value) is Symbol else type(value)
    return kind if kind in NUMBERS else None


def filled(roots: Sequence[Node], known: dict[Node, Node]) -> tuple[Node, ...]:
    """Return nodes with values in the places of placeholders.

    Parameters
    ----------
    roots : sequence of Node
        The values of a body.
    known : dict of Node to Node
        The value of each placeholder.

    Returns
    -------
    tuple of Node
        One for each root.
    """
    if not known:
        return tuple(roots)
    became = dict(known)
    for current in walk(roots):
        if current not in became:
            became[current] = replace_sources(current, tuple(became[s] for s in current.src))
    return tuple(became[root] for root in roots)


def _without_variables(roots: Sequence[Node], inside: Sequence[Node]) -> tuple[Node, ...]:
    """Return a body whose own values are no inputs of a derivative any more.

    A derivative within the body is finished when the body is. What comes from outside may be
    an input of one that is not.
    """
    became: dict[Node, Node] = {}
    dependent = set(inside)
    for current in walk(roots):
        if current in dependent or not any(source in dependent for source in current.src):
            became[current] = current
            continue
        dependent.add(current)
        src = tuple(became[source] for source in current.src)
        became[current] = src[0] if current.op is VARIABLE else replace_sources(current, src)
        dependent.add(became[current])
    return tuple(became[root] for root in roots)


def _check(position: int, count: int, state: Node, new: Node) -> None:
    """Refuse an iteration that changes a state's shape or dtype."""
    which = "the state" if count == 1 else f"state {position}"
    where = new.origin or origin()
    if new.shape != state.shape:
        raise ShapeError(
            f"an iteration of a loop changes the shape of {which} "
            f"from {state.shape} to {new.shape}",
            origin=where,
            hint="begin with an array of the final shape: lazyarr.broadcast_to(x, shape)",
        )
    if new.dtype != state.dtype:
        raise DTypeError(
            f"an iteration of a loop changes the dtype of {which} "
            f"from {state.dtype} to {new.dtype}",
            origin=where,
            hint=f"begin with .astype({new.dtype.name!r}), or convert back at the end of the body",
        )
