"""The cheapest set of values from which all that is needed can be computed: a minimum cut.

By the theorem of Ford and Fulkerson a cut is as cheap as the largest flow, which Dinitz's
algorithm finds by blocking flows of shortest paths.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

__all__ = ["cheapest_values"]

ValueT = TypeVar("ValueT", bound=Hashable)

_START, _END = 0, 1


class _Network:
    """Edges with capacities, each beside its reverse."""

    def __init__(self, vertices: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(vertices)]
        self.target: list[int] = []
        self.left: list[int] = []

    def connect(self, start: int, end: int, capacity: int) -> None:
        """Add an edge."""
        for one, other, amount in ((start, end, capacity), (end, start, 0)):
            self.edges[one].append(len(self.target))
            self.target.append(other)
            self.left.append(amount)

    def reached(self) -> list[int]:
        """Return the distance of each vertex from the start by edges that are not full, or -1."""
        distance = [-1] * len(self.edges)
        distance[_START] = 0
        waiting = deque([_START])
        while waiting:
            vertex = waiting.popleft()
            for edge in self.edges[vertex]:
                other = self.target[edge]
                if self.left[edge] and distance[other] < 0:
                    distance[other] = distance[vertex] + 1
                    waiting.append(other)
        return distance

    def saturate(self) -> tuple[int, list[int]]:
        """Send as much as can flow to the end; return it, and the distances by what is left."""
        flow = 0
        while (distance := self.reached())[_END] >= 0:
            position = [0] * len(self.edges)
            while amount := self._push(distance, position):
                flow += amount
        return flow, distance

    def _push(self, distance: Sequence[int], position: list[int]) -> int:
        """Send what one shortest path takes, and return it; 0 if there is no path."""
        path: list[int] = []
        vertex = _START
        while vertex != _END:
            edges = self.edges[vertex]
            while position[vertex] < len(edges):
                edge = edges[position[vertex]]
                other = self.target[edge]
                if self.left[edge] and distance[other] == distance[vertex] + 1:
                    path.append(edge)
                    vertex = other
                    break
                position[vertex] += 1
            else:
                if not path:
                    return 0
                # A dead end: go back, and past the edge that led here.
                vertex = self.target[path.pop() ^ 1]
                position[vertex] += 1
        amount = min(self.left[edge] for edge in path)
        for edge in path:
            self.left[edge] -= amount
            self.left[edge ^ 1] += amount
        return amount


def cheapest_values(
    operands: Mapping[ValueT, Sequence[ValueT]],
    cost: Mapping[ValueT, int],
    sources: Iterable[ValueT],
    needed: Iterable[ValueT],
) -> list[ValueT]:
    """Return the values to store so that all needed ones can be computed, at the least cost.

    Parameters
    ----------
    operands : mapping of object to sequence of object
        Of each value those that it is computed of.
    cost : mapping of object to int
        Of storing a value; values without a cost cannot be stored.
    sources : iterable of object
        Values that are there at first, and that can be used later only if they are stored.
    needed : iterable of object
        What must be stored, or computed of stored values.

    Returns
    -------
    list of object
        In the order of `operands`.

    Raises
    ------
    ValueError
        If a needed value depends on a source through values that cannot be stored.

    Examples
    --------
    A chain of which the value in the middle is small:

    >>> operands = {"x": [], "small": ["x"], "y": ["small"], "z": ["y"]}
    >>> cheapest_values(operands, {"x": 8, "small": 2, "y": 8}, ["x"], ["y", "z"])
    ['small']
    """
    numbers = {value: 2 * k + 2 for k, value in enumerate(operands)}
    # More than all values together, so no cut of it is the cheapest.
    endless = sum(cost.values()) + 1
    network = _Network(2 * len(numbers) + 2)
    for value, number in numbers.items():
        network.connect(number, number + 1, cost.get(value, endless))
        for operand in operands[value]:
            network.connect(numbers[operand] + 1, number, endless)
    for value in sources:
        network.connect(_START, numbers[value], endless)
    for value in needed:
        network.connect(numbers[value] + 1, _END, endless)
    flow, distance = network.saturate()
    if flow >= endless:
        raise ValueError("what is needed depends on values that cannot be stored")
    return [v for v, number in numbers.items() if distance[number] >= 0 > distance[number + 1]]
