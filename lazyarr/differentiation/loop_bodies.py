"""One iteration of a loop as a function of arrays, and a loop as a node applies it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, broadcast_shapes
from lazyarr.differentiation import markers
from lazyarr.differentiation.modes import push_forward
from lazyarr.differentiation.rules import Application, spread, zeros
from lazyarr.errors import DifferentiationError
from lazyarr.graph.node import Loop, Node, node, replace_sources, walk
from lazyarr.ops.markers import unmarked

__all__ = ["LoopBody", "LoopCall", "put"]


class LoopBody:
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

    def known(
        self,
        states: Sequence[LazyArray],
        index: LazyArray | None,
        fixed: Sequence[LazyArray],
    ) -> dict[Node, Node]:
        """Return the values of the placeholders.

        Parameters
        ----------
        states, fixed : sequence of LazyArray
            The states and the invariants.
        index : LazyArray, optional
            The number of the iteration; None: the loop does not count.
        """
        loop = self.loop
        operands = [value._node for value in (*states, *fixed)]
        known = dict(zip((*loop.states, *loop.invariants), operands, strict=True))
        if loop.index is not None:
            assert index is not None
            known[loop.index] = build.cast(index._node, loop.index.dtype)
        return known

    def __call__(
        self,
        states: Sequence[LazyArray],
        index: LazyArray | None,
        fixed: Sequence[LazyArray],
    ) -> list[LazyArray]:
        """Return the next states."""
        known = self.known(states, index, fixed)
        return [LazyArray(x) for x in self.values(self.loop.updates, known)]

    def goes_on(self, states: Sequence[LazyArray], fixed: Sequence[LazyArray]) -> LazyArray:
        """Return whether there is another iteration.

        Parameters
        ----------
        states, fixed : sequence of LazyArray
            The states and the invariants.
        """
        assert self.loop.condition is not None
        known = self.known(states, None, fixed)
        return LazyArray(self.values((self.loop.condition,), known)[0])

    def values(self, roots: Sequence[Node], known: dict[Node, Node]) -> list[Node]:
        """Return values of the body.

        Parameters
        ----------
        roots : sequence of Node
            Nodes of the body.
        known : dict of Node to Node
            The values of placeholders, and of other nodes if these have others than the body gives
            them. Takes the values of all nodes under the roots on.
        """
        for current in walk(roots, known.__contains__):
            if current in known:
                continue
            src = tuple(known[source] for source in current.src)
            if self.shape is None:
                known[current] = replace_sources(current, src)
                continue
            shape = broadcast_shapes(*[x.shape for x in src]) if src else current.shape
            known[current] = node(
                current.op, src, current.dtype, shape, current.attr, current.origin
            )
        if self.shape is None:
            return [known[root] for root in roots]
        return [build.broadcast_to(known[root], self.shape) for root in roots]


class LoopCall:
    """A loop as a node applies it: its operands, and which of them derivatives flow through."""

    def __init__(self, at: Application, loop: Loop, shape: Shape | None) -> None:
        self.body = LoopBody(loop, shape)
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

    def pushed(
        self, tangents: Sequence[Any], values: Sequence[Node] = (), *, records: bool = False
    ) -> tuple[Any, Any]:
        """Return the first states with their tangents, and the function of an iteration of both.

        Parameters
        ----------
        tangents : sequence
            Of the operands of the node; None where one is zero.
        values : sequence of Node
            Floating-point values of the body.
        records : bool
            Whether the function also returns the tangents of these values.
        """
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
            known = self.body.known(
                put(states, self.moving, places), index, put(self.fixed, self.active, sources)
            )
            following = self.body.values(self.loop.updates, known)
            roots = [*[following[k] for k in self.moving], *self.body.values(values, known)]
            pushed = push_forward(roots, [*places, *sources], [*moved, *fixed])
            slopes = [zeros(x) if t is None else t for t, x in zip(pushed, roots, strict=True)]
            count = len(self.moving)
            carried = [LazyArray(x) for x in following], slopes[:count]
            return (carried, slopes[count:]) if records else carried

        return (self.states, starts), iteration


def put(values: Sequence[LazyArray], where: Sequence[int], nodes: Sequence[Node]) -> list[Any]:
    """Return values with others in some places.

    Parameters
    ----------
    values : sequence of LazyArray
        The values.
    where : sequence of int
        The places.
    nodes : sequence of Node
        What comes there.
    """
    replaced = list(values)
    for position, value in zip(where, nodes, strict=True):
        replaced[position] = LazyArray(value)
    return replaced
