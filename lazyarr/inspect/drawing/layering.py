"""Layered drawing of a DAG, first half: layers, and the order within each.

After Sugiyama, Tagawa and Toda (1981): longest-path layers, dummy vertices where an edge passes a
layer, and barycentre passes that keep the order with the fewest crossings. All edges of one net
(those that leave a vertex at one point) share their dummies, so that a value with many users is
one trunk with branches.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["FlatEdge", "Layered", "Link", "arrange"]

_PASSES = 12
_COUNTED_LINKS = 6000  # above, counting crossings costs more than it gives


@dataclass(frozen=True, slots=True)
class FlatEdge:
    """An edge between two vertices, with where it leaves and arrives off their centres."""

    source: int
    target: int
    leave: float = 0.0
    arrive: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A piece of an edge, from one layer to the next."""

    upper: int
    lower: int
    leave: float
    arrive: float


@dataclass(slots=True)
class Layered:
    """Vertices, dummies included, in ordered layers.

    Attributes
    ----------
    widths : list of float
        Of every vertex; a dummy has none.
    real : int
        Vertices below this number are real, the others are dummies.
    layers : list of list of int
        From left to right.
    links : list of Link
        Every piece of every edge, once.
    paths : list of tuple of int
        For each edge: source, dummies, target.
    """

    widths: list[float]
    real: int
    layers: list[list[int]]
    links: list[Link] = field(default_factory=list)
    paths: list[tuple[int, ...]] = field(default_factory=list)


def arrange(
    widths: Sequence[float],
    edges: Sequence[FlatEdge],
    first: Sequence[int] = (),
    last: Sequence[int] = (),
) -> Layered:
    """Assign layers, add dummies, and order the layers.

    Parameters
    ----------
    widths : sequence of float
        One a vertex.
    edges : sequence of FlatEdge
        Without cycles; an edge that closes one is left out of the layering.
    first, last : sequence of int
        Vertices to be put into the first and the last layer.
    """
    layer = _assign_layers(len(widths), edges, set(first), set(last))
    graph = _with_dummies(widths, edges, layer)
    _order(graph)
    return graph


def _assign_layers(
    count: int, edges: Sequence[FlatEdge], first: set[int], last: set[int]
) -> list[int]:
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for edge in edges:
        before[edge.target].append(edge.source)
        after[edge.source].append(edge.target)
    order = _topological(count, before, after)
    rank = {vertex: at for at, vertex in enumerate(order)}
    lowest = 1 if first else 0
    layer = [lowest] * count
    for vertex in order:
        above = [layer[source] + 1 for source in before[vertex] if rank[source] < rank[vertex]]
        layer[vertex] = 0 if vertex in first else max([lowest, *above])
    # Longest paths pull everything up; let what has slack sink to its users, so edges are short.
    for vertex in reversed(order):
        below = [layer[user] - 1 for user in after[vertex] if rank[user] > rank[vertex]]
        if below and vertex not in first and len(before[vertex]) <= len(after[vertex]):
            layer[vertex] = max(layer[vertex], min(below))
    if last:
        bottom = max([layer[v] + 1 for v in range(count) if v not in last], default=0)
        for vertex in last:
            layer[vertex] = max(bottom, 1)
    return layer


def _topological(
    count: int, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]
) -> list[int]:
    """Return a topological order; vertices on a cycle come in the order of their numbers."""
    waiting = [len(sources) for sources in before]
    ready = [vertex for vertex in range(count) if not waiting[vertex]]
    done = [False] * count
    order: list[int] = []
    following = 0
    while len(order) < count:
        if ready:
            vertex = heapq.heappop(ready)
        else:
            while done[following]:
                following += 1
            vertex = following
        if done[vertex]:
            continue
        done[vertex] = True
        order.append(vertex)
        for user in after[vertex]:
            waiting[user] -= 1
            if waiting[user] == 0 and not done[user]:
                heapq.heappush(ready, user)
    return order


def _with_dummies(
    widths: Sequence[float], edges: Sequence[FlatEdge], layer: Sequence[int]
) -> Layered:
    layers: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    graph = Layered(list(widths), len(widths), layers)
    trunks: dict[tuple[int, float], list[int]] = {}  # net -> its vertices, downwards
    for edge in edges:
        trunk = trunks.setdefault((edge.source, edge.leave), [edge.source])
        span = max(layer[edge.target] - layer[edge.source], 1)
        while len(trunk) < span:
            dummy = len(graph.widths)
            graph.widths.append(0.0)
            leave = edge.leave if len(trunk) == 1 else 0.0
            graph.links.append(Link(trunk[-1], dummy, leave, 0.0))
            trunk.append(dummy)
        leave = edge.leave if span == 1 else 0.0
        graph.links.append(Link(trunk[span - 1], edge.target, leave, edge.arrive))
        graph.paths.append((*trunk[:span], edge.target))
    depth = [*layer, *[0] * (len(graph.widths) - len(widths))]
    for trunk in trunks.values():
        for at, dummy in enumerate(trunk[1:], 1):
            depth[dummy] = layer[trunk[0]] + at
    for vertex in _depth_first(graph, depth):
        layers[depth[vertex]].append(vertex)
    return graph


def _depth_first(graph: Layered, depth: Sequence[int]) -> list[int]:
    """Return all vertices, each after its operands: neighbours start out side by side."""
    above: list[list[int]] = [[] for _ in graph.widths]
    has_user = [False] * len(graph.widths)
    for link in graph.links:
        above[link.lower].append(link.upper)
        has_user[link.upper] = True
    roots = [vertex for vertex in range(len(graph.widths)) if not has_user[vertex]]
    seen: set[int] = set()
    order: list[int] = []
    for root in [*roots, *range(len(graph.widths))]:
        stack = [(root, False)]
        while stack:
            vertex, entered = stack.pop()
            if entered:
                order.append(vertex)
            elif vertex not in seen:
                seen.add(vertex)
                stack.append((vertex, True))
                stack.extend((source, False) for source in reversed(above[vertex]))
    return order


def _order(graph: Layered) -> None:
    depth = {vertex: at for at, layer in enumerate(graph.layers) for vertex in layer}
    gaps: list[list[Link]] = [[] for _ in graph.layers]  # links from layer k to layer k + 1
    for link in graph.links:
        if depth[link.lower] == depth[link.upper] + 1:
            gaps[depth[link.upper]].append(link)
    is_counted = len(graph.links) <= _COUNTED_LINKS
    best = [list(layer) for layer in graph.layers]
    fewest = _crossings(graph, gaps) if is_counted else -1
    for number in range(_PASSES if is_counted else 4):
        if fewest == 0:
            break
        is_downward = number % 2 == 0
        count = len(graph.layers)
        for at in range(1, count) if is_downward else range(count - 2, -1, -1):
            _sort_layer(graph, at, gaps[at - 1] if is_downward else gaps[at], is_downward)
        if is_counted:
            crossings = _crossings(graph, gaps)
            if crossings < fewest:
                fewest, best = crossings, [list(layer) for layer in graph.layers]
    if is_counted:
        graph.layers[:] = best


def _positions(graph: Layered, at: int) -> dict[int, float]:
    return {vertex: float(position) for position, vertex in enumerate(graph.layers[at])}


def _fraction(graph: Layered, vertex: int, offset: float) -> float:
    """Return the position where an edge meets a vertex, from -0.5 at its left to 0.5."""
    width = graph.widths[vertex]
    return offset / width if width else 0.0


def _sort_layer(graph: Layered, at: int, links: Sequence[Link], is_downward: bool) -> None:
    fixed = _positions(graph, at - 1 if is_downward else at + 1)
    pulls: dict[int, list[float]] = {}
    for link in links:
        if is_downward:
            pull = fixed[link.upper] + _fraction(graph, link.upper, link.leave)
            pull -= 0.01 * _fraction(graph, link.lower, link.arrive)
            pulls.setdefault(link.lower, []).append(pull)
        else:
            pull = fixed[link.lower] + _fraction(graph, link.lower, link.arrive)
            pull -= 0.01 * _fraction(graph, link.upper, link.leave)
            pulls.setdefault(link.upper, []).append(pull)
    layer = graph.layers[at]
    placed = [vertex for vertex in layer if vertex in pulls]
    placed.sort(key=lambda vertex: sum(pulls[vertex]) / len(pulls[vertex]))
    # A vertex without neighbours on that side keeps its place.
    ordered = iter(placed)
    graph.layers[at] = [next(ordered) if vertex in pulls else vertex for vertex in layer]


def _crossings(graph: Layered, gaps: Sequence[Sequence[Link]]) -> int:
    total = 0
    for at, links in enumerate(gaps):
        if len(links) < 2:
            continue
        upper, lower = _positions(graph, at), _positions(graph, at + 1)
        ends = sorted(
            (
                upper[link.upper] + _fraction(graph, link.upper, link.leave),
                lower[link.lower] + _fraction(graph, link.lower, link.arrive),
            )
            for link in links
        )
        seen: list[float] = []
        for _, end in ends:
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return total
