"""Layered drawing of a DAG, second half: coordinates.

Each layer in turn is put as near as it can be to where its neighbours pull it. Within a layer that
is a quadratic problem with an order constraint, so isotonic regression solves it exactly (pool
adjacent violators: Barlow, Bartholomew, Bremner and Brunk 1972).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lazyarr.core.frozen import dataclass
from lazyarr.inspect.drawing.layering import Layered, Link

__all__ = ["place"]

_ROUNDS = 10
#: A drawing this many times as wide as its widest layer drifts to one side, as chains of equal
#: lopsided pieces do; then every vertex is pulled to the middle a little.
_DRIFT = 1.5
_PULL = 0.1

Neighbours = Sequence[Sequence[tuple[Link, float]]]


def _gap(graph: Layered, left: int, right: int) -> float:
    dummies = (left >= graph.real) + (right >= graph.real)
    return (26.0, 20.0, 14.0)[dummies]


def _separation(graph: Layered, left: int, right: int) -> float:
    return (graph.widths[left] + graph.widths[right]) / 2 + _gap(graph, left, right)


def _weight(graph: Layered, link: Link) -> float:
    dummies = (link.upper >= graph.real) + (link.lower >= graph.real)
    return (1.0, 2.0, 8.0)[dummies]


def place(graph: Layered) -> list[float]:
    """Return the x of every vertex's centre; the leftmost edge of all is at 0."""
    centred = [0.0] * len(graph.widths)
    above: list[list[tuple[Link, float]]] = [[] for _ in centred]
    below: list[list[tuple[Link, float]]] = [[] for _ in centred]
    for link in graph.links:
        weight = _weight(graph, link)
        above[link.lower].append((link, weight))
        below[link.upper].append((link, weight))
    widest = 0.0
    for layer in graph.layers:
        for left, right in pairwise(layer):
            centred[right] = centred[left] + _separation(graph, left, right)
        if layer:
            middle = (centred[layer[0]] + centred[layer[-1]]) / 2
            widest = max(widest, 2 * middle + graph.widths[layer[0]])
            for vertex in layer:
                centred[vertex] -= middle
    x = _settled(graph, centred, above, below, 0.0)
    if max(x) - min(x) > _DRIFT * widest:
        x = _settled(graph, centred, above, below, _PULL)
    _straighten(graph, x, above, below)
    left_edge = min((x[v] - graph.widths[v] / 2 for v in range(len(x))), default=0.0)
    return [value - left_edge for value in x]


def _settled(
    graph: Layered, centred: Sequence[float], above: Neighbours, below: Neighbours, pull: float
) -> list[float]:
    """Return coordinates after all rounds; `pull` is how strongly layers keep to the middle."""
    x = list(centred)
    for round_ in range(_ROUNDS):
        is_last = round_ >= _ROUNDS - 4
        for layer in graph.layers:
            _settle(graph, layer, x, _Forces(above, below if is_last else None, centred, pull))
        for layer in reversed(graph.layers):
            _settle(graph, layer, x, _Forces(above if is_last else None, below, centred, pull))
    return x


@dataclass(frozen=True, eq=False, slots=True)
class _Forces:
    """The neighbours and the middle that pull at the vertices of a layer.

    Attributes
    ----------
    above, below : mapping, optional
        The links of each vertex to the layers above and below; None: they do not pull.
    centred : sequence of float
        The coordinate of each vertex with its layer in the middle.
    to_middle : float
        The weight of that coordinate.
    """

    above: Neighbours | None
    below: Neighbours | None
    centred: Sequence[float]
    to_middle: float


def _settle(graph: Layered, layer: Sequence[int], x: list[float], forces: _Forces) -> None:
    """Move one layer to where its forces pull it, keeping order and distances."""
    targets = []
    weights = []
    above, below = forces.above, forces.below
    for vertex in layer:
        total, pull = forces.to_middle, forces.to_middle * forces.centred[vertex]
        for link, weight in above[vertex] if above is not None else ():
            pull += weight * (x[link.upper] + link.leave - link.arrive)
            total += weight
        for link, weight in below[vertex] if below is not None else ():
            pull += weight * (x[link.lower] + link.arrive - link.leave)
            total += weight
        targets.append(pull / total if total else x[vertex])
        weights.append(total or 0.05)
    shifts = [0.0]
    for left, right in pairwise(layer):
        shifts.append(shifts[-1] + _separation(graph, left, right))
    centres = [target - shift for target, shift in zip(targets, shifts, strict=False)]
    for vertex, value, shift in zip(layer, _isotonic(centres, weights), shifts, strict=False):
        x[vertex] = value + shift


def _isotonic(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the non-decreasing sequence nearest to `values` in weighted least squares."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        mean, total, length = value, weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_total, other_length = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total += other_total
            length += other_length
        blocks.append((mean, total, length))
    return [mean for mean, _, length in blocks for _ in range(length)]


def _straighten(graph: Layered, x: list[float], above: Neighbours, below: Neighbours) -> None:
    """Give the dummies of each trunk one x for as long a run as their neighbours allow."""
    around: dict[int, tuple[int | None, int | None]] = {}
    for layer in graph.layers:
        for at, vertex in enumerate(layer):
            left = layer[at - 1] if at else None
            around[vertex] = left, layer[at + 1] if at + 1 < len(layer) else None

    def room(vertex: int) -> tuple[float, float]:
        left, right = around[vertex]
        low = float("-inf") if left is None else x[left] + _separation(graph, left, vertex)
        high = float("inf") if right is None else x[right] - _separation(graph, vertex, right)
        return low, max(low, high)

    def finish(run: list[int], low: float, high: float) -> None:
        mean = sum(x[vertex] for vertex in run) / len(run)
        start, end = above[run[0]][0][0], below[run[-1]]
        wishes = [x[start.upper] + start.leave]
        wishes += [x[link.lower] + link.arrive for link, _ in end]
        near = [wish for wish in wishes if low <= wish <= high and abs(wish - mean) < 80]
        chosen = near[0] if near else min(max(mean, low), high)
        for vertex in run:
            x[vertex] = chosen

    for vertex in range(graph.real, len(x)):
        if above[vertex][0][0].upper >= graph.real:
            continue  # not the first dummy of its trunk
        run, (low, high) = [vertex], room(vertex)
        current = vertex
        while True:
            lower = [link.lower for link, _ in below[current] if link.lower >= graph.real]
            if not lower:
                break
            current = lower[0]
            new_low, new_high = room(current)
            if max(low, new_low) > min(high, new_high):
                finish(run, low, high)
                run, low, high = [], float("-inf"), float("inf")
            run.append(current)
            low, high = max(low, new_low), min(high, new_high)
        finish(run, low, high)
