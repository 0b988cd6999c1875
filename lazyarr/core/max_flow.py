"""The largest flow of a network, and with it the cheapest cut.

By the theorem of Ford and Fulkerson a cut is as cheap as the largest flow, which Dinitz's
algorithm finds by blocking flows of shortest paths.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

__all__ = ["END", "START", "FlowNetwork"]

#: The vertices between which something flows.
START, END = 0, 1


class FlowNetwork:
    """Edges with capacities, each beside its reverse.

    Parameters
    ----------
    vertices : int
        Their number, :data:`START` and :data:`END` included.
    """

    def __init__(self, vertices: int) -> None:
        self.edges: list[list[int]] = [[] for _ in range(vertices)]
        self.target: list[int] = []
        self.left: list[int] = []

    def connect(self, start: int, end: int, capacity: int) -> None:
        """Add an edge.

        Parameters
        ----------
        start, end : int
            The vertices.
        capacity : int
            What can flow along it.
        """
        for one, other, amount in ((start, end, capacity), (end, start, 0)):
            self.edges[one].append(len(self.target))
            self.target.append(other)
            self.left.append(amount)

    def reached(self) -> list[int]:
        """Return the distance of each vertex from the start by edges that are not full, or -1."""
        distance = [-1] * len(self.edges)
        distance[START] = 0
        waiting = deque([START])
        while waiting:
            vertex = waiting.popleft()
            for edge in self.edges[vertex]:
                other = self.target[edge]
                if self.left[edge] and distance[other] < 0:
                    distance[other] = distance[vertex] + 1
                    waiting.append(other)
        return distance

    def saturate(self) -> tuple[int, list[int]]:
        """Send the maximum flow to the end; return it, and distances in the residual network."""
        flow = 0
        while (distance := self.reached())[END] >= 0:
            position = [0] * len(self.edges)
            while amount := self._push(distance, position):
                flow += amount
        return flow, distance

    def _push(self, distance: Sequence[int], position: list[int]) -> int:
        """Send flow along one shortest path, and return its amount; 0 if there is no path."""
        path: list[int] = []
        vertex = START
        while vertex != END:
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
