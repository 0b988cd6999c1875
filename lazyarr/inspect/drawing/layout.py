"""Layout of a drawing: positions of boxes and frames, and the route of each edge.

A cluster is laid out on its own, with a port at its top for every value that comes in and one at
its bottom for every value that goes out, and then is one large vertex of the outer layout. So
frames never overlap and hold their own vertices only. Layers are separated by gaps without boxes;
an edge bends only in a gap, and passes a layer straight down through room kept for it, so no edge
ever crosses a box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lazyarr.inspect.drawing.coordinates import place
from lazyarr.inspect.drawing.graph import Graph
from lazyarr.inspect.drawing.layering import FlatEdge, arrange

__all__ = ["Box", "Layout", "Point", "lay_out"]

Point = tuple[float, float]
Size = tuple[float, float]

PADDING = 16.0
HEADER = 44.0
_PORT = 6.0
_PAGE = 1600.0  # unconnected parts fill rows of this width


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, by its top left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a drawing's parts; y grows downwards.

    Attributes
    ----------
    boxes : mapping of str to Box
        By vertex key.
    frames : mapping of str to Box
        By cluster key.
    routes : tuple of tuple of Point
        For each edge of the graph. Every edge is vertical at every point of its route.
    width, height : float
        Of the whole.
    """

    boxes: Mapping[str, Box]
    frames: Mapping[str, Box]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


@dataclass(slots=True)
class _Flat:
    """A laid-out graph without clusters."""

    boxes: list[Box]
    routes: list[list[Point]]
    width: float
    height: float


def _lay_out_flat(
    sizes: Sequence[Size],
    edges: Sequence[FlatEdge],
    spread: Sequence[bool],
    first: Sequence[int] = (),
    last: Sequence[int] = (),
) -> _Flat:
    """Lay out one level: its unconnected parts side by side.

    `spread` says for each vertex whether arriving edges are to be spread along its top; else
    each arrives where its ``arrive`` says.
    """
    members = _components(len(sizes), edges)
    if len(members) <= 1:
        return _lay_out_connected(sizes, edges, spread, first, last)
    # Ports need a clear way up and down, so parts with ports are not stacked.
    limit = float("inf") if first or last else _PAGE
    boxes: list[Box | None] = [None] * len(sizes)
    routes: list[list[Point]] = [[] for _ in edges]
    x = y = width = row = 0.0
    inside = {vertex: at for at, part in enumerate(members) for vertex in part}
    edges_of: list[list[int]] = [[] for _ in members]
    for number, edge in enumerate(edges):
        edges_of[inside[edge.source]].append(number)
    for part, numbers in zip(members, edges_of, strict=True):
        local = {vertex: at for at, vertex in enumerate(part)}
        flat = _lay_out_connected(
            [sizes[vertex] for vertex in part],
            [
                replace(edge, source=local[edge.source], target=local[edge.target])
                for edge in (edges[number] for number in numbers)
            ],
            [spread[vertex] for vertex in part],
            [local[vertex] for vertex in first if vertex in local],
            [local[vertex] for vertex in last if vertex in local],
        )
        if x and x + flat.width > limit:
            x, y, row = 0.0, y + row + 50.0, 0.0
        for vertex, box in zip(part, flat.boxes, strict=True):
            boxes[vertex] = Box(box.x + x, box.y + y, box.width, box.height)
        for number, route in zip(numbers, flat.routes, strict=True):
            routes[number] = [(px + x, py + y) for px, py in route]
        width, row = max(width, x + flat.width), max(row, flat.height)
        x += flat.width + 40.0
    return _Flat([box for box in boxes if box is not None], routes, width, y + row)


def _components(count: int, edges: Sequence[FlatEdge]) -> list[list[int]]:
    """Return the connected parts, each in the order of its vertices."""
    parent = list(range(count))

    def find(vertex: int) -> int:
        while parent[vertex] != vertex:
            parent[vertex] = parent[parent[vertex]]
            vertex = parent[vertex]
        return vertex

    for edge in edges:
        parent[find(edge.source)] = find(edge.target)
    parts: dict[int, list[int]] = {}
    for vertex in range(count):
        parts.setdefault(find(vertex), []).append(vertex)
    return list(parts.values())


def _lay_out_connected(
    sizes: Sequence[Size],
    edges: Sequence[FlatEdge],
    spread: Sequence[bool],
    first: Sequence[int],
    last: Sequence[int],
) -> _Flat:
    """Lay out one connected part of a level."""
    graph = arrange([width for width, _ in sizes], edges, first, last)
    x = place(graph)
    heights = [
        max((sizes[v][1] for v in layer if v < graph.real), default=0.0) for layer in graph.layers
    ]
    depth = {vertex: at for at, layer in enumerate(graph.layers) for vertex in layer}
    reach = [0.0] * len(heights)
    for link in graph.links:
        across = abs(x[link.upper] + link.leave - x[link.lower] - link.arrive)
        reach[depth[link.upper]] = max(reach[depth[link.upper]], across)
    tops, y = [], 0.0
    for at, height in enumerate(heights):
        tops.append(y)
        y += height + (30.0 + min(50.0, 0.07 * reach[at]) if at + 1 < len(heights) else 0.0)
    boxes = []
    for vertex, (width, height) in enumerate(sizes):
        at = depth[vertex]
        top = tops[at] + (heights[at] - height) / 2
        boxes.append(Box(x[vertex] - width / 2, top, width, height))
    arrivals = _arrivals(edges, graph.paths, x, sizes, spread)
    routes = []
    for number, (edge, path) in enumerate(zip(edges, graph.paths, strict=True)):
        start, end = x[edge.source] + edge.leave, x[edge.target] + arrivals[number]
        source, target = boxes[edge.source], boxes[edge.target]
        route = [(start, source.y + source.height)]
        route.append((start, tops[depth[edge.source]] + heights[depth[edge.source]]))
        for dummy in path[1:-1]:
            at = depth[dummy]
            route += [(x[dummy], tops[at]), (x[dummy], tops[at] + heights[at])]
        route += [(end, tops[depth[edge.target]]), (end, target.y)]
        routes.append(route)
    width = max((box.x + box.width for box in boxes), default=0.0)
    return _Flat(boxes, routes, max([width, *x]), y)


def _arrivals(
    edges: Sequence[FlatEdge],
    paths: Sequence[tuple[int, ...]],
    x: Sequence[float],
    sizes: Sequence[Size],
    spread: Sequence[bool],
) -> list[float]:
    """Return each edge's distance from its target's centre, so that arrivals do not cross."""
    result = [edge.arrive for edge in edges]
    by_target: dict[int, list[tuple[float, int]]] = {}
    for number, (edge, path) in enumerate(zip(edges, paths, strict=True)):
        if spread[edge.target]:
            leave = edge.leave if path[-2] == edge.source else 0.0
            by_target.setdefault(edge.target, []).append((x[path[-2]] + leave, number))
    for target, arriving in by_target.items():
        arriving.sort()
        room = 0.3 * sizes[target][0]
        step = min(14.0, 2 * room / max(len(arriving) - 1, 1))
        for at, (start, number) in enumerate(arriving):
            offset = (at - (len(arriving) - 1) / 2) * step
            if len(arriving) == 1 and abs(start - x[target]) < room:
                offset = start - x[target]  # straight down, if that still meets the box
            result[number] = offset
    return result


@dataclass(slots=True)
class _Inside:
    """A laid-out cluster: its vertices, and the ports that values use to come and go."""

    flat: _Flat
    place: dict[str, int]
    ports_in: dict[str, int]  # by the key of the vertex outside
    ports_out: dict[str, int]  # by the key of the vertex inside
    routes: dict[tuple[str, str], int]
    size: Size


def lay_out(graph: Graph, sizes: Mapping[str, Size], frame_widths: Mapping[str, float]) -> Layout:
    """Lay out a graph.

    Parameters
    ----------
    graph : Graph
        What to draw.
    sizes : mapping of str to (float, float)
        Width and height of each vertex.
    frame_widths : mapping of str to float
        The least width of each cluster: that of its heading.
    """
    cluster_of = {vertex.key: vertex.cluster for vertex in graph.vertices}
    insides = {
        cluster.key: _lay_out_inside(graph, cluster.key, cluster_of, sizes, frame_widths)
        for cluster in graph.clusters
    }
    outer_names: dict[str, int] = {}
    outer_sizes: list[Size] = []
    spread: list[bool] = []
    for vertex in graph.vertices:  # in topological order, frames where their first vertex is
        name = vertex.cluster or vertex.key
        if name not in outer_names:
            outer_names[name] = len(outer_names)
            outer_sizes.append(insides[name].size if name in insides else sizes[vertex.key])
            spread.append(name not in insides)
    outer_edges: dict[FlatEdge, int] = {}
    crossing: dict[int, int] = {}  # edge of the graph -> outer edge
    for number, edge in enumerate(graph.edges):
        start, end = cluster_of[edge.source], cluster_of[edge.target]
        if start is not None and start == end:
            continue
        leave = 0.0 if start is None else _port_offset(insides[start], True, edge.source)
        arrive = 0.0 if end is None else _port_offset(insides[end], False, edge.source)
        flat = FlatEdge(
            outer_names[start or edge.source], outer_names[end or edge.target], leave, arrive
        )
        crossing[number] = outer_edges.setdefault(flat, len(outer_edges))
    outer = _lay_out_flat(outer_sizes, list(outer_edges), spread)
    boxes: dict[str, Box] = {}
    frames: dict[str, Box] = {}
    for cluster in graph.clusters:
        frame = outer.boxes[outer_names[cluster.key]]
        frames[cluster.key] = frame
        inside = insides[cluster.key]
        for key, at in inside.place.items():
            box = inside.flat.boxes[at]
            dx, dy = _shift(inside, frame)
            boxes[key] = Box(box.x + dx, box.y + dy, box.width, box.height)
    for vertex in graph.vertices:
        if vertex.cluster is None:
            boxes[vertex.key] = outer.boxes[outer_names[vertex.key]]
    routes = []
    for number, edge in enumerate(graph.edges):
        start, end = cluster_of[edge.source], cluster_of[edge.target]
        route: list[Point] = []
        if start is not None:
            target = edge.target if start == end else ""
            route += _inner_route(insides[start], frames[start], (edge.source, target))
        if number in crossing:
            route += outer.routes[crossing[number]]
            if end is not None:
                route += _inner_route(insides[end], frames[end], (edge.source, edge.target))
        routes.append(_simplified(route))
    return Layout(boxes, frames, tuple(routes), outer.width, outer.height)


def _lay_out_inside(
    graph: Graph,
    cluster: str,
    cluster_of: Mapping[str, str | None],
    sizes: Mapping[str, Size],
    frame_widths: Mapping[str, float],
) -> _Inside:
    place_of: dict[str, int] = {}
    flat_sizes: list[Size] = []
    for vertex in graph.vertices:
        if vertex.cluster == cluster:
            place_of[vertex.key] = len(flat_sizes)
            flat_sizes.append(sizes[vertex.key])
    spread = [True] * len(flat_sizes)
    ports_in: dict[str, int] = {}
    ports_out: dict[str, int] = {}
    edges: list[FlatEdge] = []
    routes: dict[tuple[str, str], int] = {}
    for edge in graph.edges:
        inside = cluster_of[edge.source] == cluster, cluster_of[edge.target] == cluster
        if not any(inside):
            continue
        name = edge.source, edge.target if inside[1] else ""
        if name in routes:
            continue
        if inside[0]:
            source = place_of[edge.source]
            target = place_of[edge.target] if inside[1] else len(flat_sizes)
            port = None if inside[1] else ports_out.setdefault(edge.source, target)
        else:
            source = port = ports_in.setdefault(edge.source, len(flat_sizes))
            target = place_of[edge.target]
        if port == len(flat_sizes):
            flat_sizes.append((_PORT, 0.0))
            spread.append(False)
        routes[name] = len(edges)
        edges.append(FlatEdge(source, target))
    flat = _lay_out_flat(
        flat_sizes, edges, spread, tuple(ports_in.values()), tuple(ports_out.values())
    )
    width = max(flat.width + 2 * PADDING, frame_widths[cluster])
    height = flat.height + HEADER + PADDING * (2 - bool(ports_in) - bool(ports_out))
    return _Inside(flat, place_of, ports_in, ports_out, routes, (width, height))


def _shift(inside: _Inside, frame: Box) -> Point:
    """Return the place of the origin of a cluster's own layout."""
    top = HEADER if inside.ports_in else HEADER + PADDING
    return frame.x + (frame.width - inside.flat.width) / 2, frame.y + top


def _port_offset(inside: _Inside, is_out: bool, key: str) -> float:
    """Return the distance of a port from the centre of its cluster."""
    box = inside.flat.boxes[(inside.ports_out if is_out else inside.ports_in)[key]]
    return box.x + box.width / 2 - inside.flat.width / 2


def _inner_route(inside: _Inside, frame: Box, name: tuple[str, str]) -> list[Point]:
    dx, dy = _shift(inside, frame)
    return [(x + dx, y + dy) for x, y in inside.flat.routes[inside.routes[name]]]


def _simplified(route: Sequence[Point]) -> tuple[Point, ...]:
    """Drop repeated points, and inner points of straight vertical runs."""
    kept: list[Point] = []
    for x, y in route:
        point = round(x, 1), round(y, 1)
        if kept and kept[-1] == point:
            continue
        if len(kept) >= 2 and kept[-2][0] == kept[-1][0] == point[0]:
            kept[-1] = point
        else:
            kept.append(point)
    return tuple(kept)
