"""Layout: no boxes overlap, frames hold their own, and edges keep off boxes."""

from __future__ import annotations

import random

import pytest

from lazyarr.inspect.drawing.coordinates import _isotonic, place
from lazyarr.inspect.drawing.graph import fused_graph, node_graph
from lazyarr.inspect.drawing.layering import FlatEdge, arrange
from lazyarr.inspect.drawing.svg import lay_out_graph
from tests.support import inspect_programs as make


def _random_dag(seed, count=60):
    generator = random.Random(seed)
    nodes = [make.leaf(100) for _ in range(5)]
    for _ in range(count):
        op = generator.choice([make.ADD, make.SUBTRACT, make.MULTIPLY])
        nodes.append(make.apply(op, *generator.choices(nodes[-12:], k=2)))
    used = {id(source) for node in nodes for source in node.src}
    return [node for node in nodes if id(node) not in used]


GRAPHS = {
    "stencil": lambda: node_graph([make.stencil()], "raw"),
    "black_scholes": lambda: node_graph(make.black_scholes(), "raw"),
    "chain": lambda: node_graph([make.chain(1000)], "raw"),
    "fused": lambda: fused_graph(make.layer_program()),
    "parts": lambda: fused_graph(make.parts_program()),
    "many": lambda: fused_graph(make.many_program(12)),
    "one": lambda: node_graph([make.leaf(3)], "raw"),
    **{f"random{k}": lambda k=k: node_graph(_random_dag(k), "raw") for k in range(6)},
    **{f"wide{k}": lambda k=k: node_graph(_random_dag(k, 250), "raw") for k in range(2)},
}


@pytest.fixture(params=GRAPHS, name="drawn")
def _drawn(request):
    graph = GRAPHS[request.param]()
    return graph, lay_out_graph(graph)


def _overlap(a, b):
    return (
        a.x < b.x + b.width - 0.01
        and b.x < a.x + a.width - 0.01
        and a.y < b.y + b.height - 0.01
        and b.y < a.y + a.height - 0.01
    )


def _contains(outer, inner):
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width + 0.01
        and inner.y + inner.height <= outer.y + outer.height + 0.01
    )


def test_everything_has_a_place_on_the_page(drawn):
    graph, layout = drawn
    assert set(layout.boxes) == {vertex.key for vertex in graph.vertices}
    assert set(layout.frames) == {cluster.key for cluster in graph.clusters}
    assert len(layout.routes) == len(graph.edges)
    for box in (*layout.boxes.values(), *layout.frames.values()):
        assert box.x >= -0.01 and box.x + box.width <= layout.width + 0.01
        assert box.y >= -0.01 and box.y + box.height <= layout.height + 0.01
    for route in layout.routes:
        assert all(-1 <= x <= layout.width + 1 for x, _ in route)


def test_no_boxes_overlap(drawn):
    _, layout = drawn
    boxes = list(layout.boxes.values())
    for at, box in enumerate(boxes):
        assert not any(_overlap(box, other) for other in boxes[:at])
    frames = list(layout.frames.values())
    for at, frame in enumerate(frames):
        assert not any(_overlap(frame, other) for other in frames[:at])


def test_frames_hold_their_own_vertices_and_no_others(drawn):
    graph, layout = drawn
    for vertex in graph.vertices:
        box = layout.boxes[vertex.key]
        for key, frame in layout.frames.items():
            assert _contains(frame, box) if key == vertex.cluster else not _overlap(frame, box)


def test_edges_run_downwards_from_box_to_box(drawn):
    graph, layout = drawn
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        source, target = layout.boxes[edge.source], layout.boxes[edge.target]
        assert route[0][1] == pytest.approx(source.y + source.height, abs=0.1)
        assert route[-1][1] == pytest.approx(target.y, abs=0.1)
        assert source.x <= route[0][0] <= source.x + source.width
        assert target.x <= route[-1][0] <= target.x + target.width
        heights = [y for _, y in route]
        assert heights == sorted(heights)


def test_edges_cross_no_box(drawn):
    graph, layout = drawn
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        for key, box in layout.boxes.items():
            if key in (edge.source, edge.target):
                continue
            for x, y in _points(route):
                inside = box.x < x < box.x + box.width and box.y < y < box.y + box.height
                assert not inside, (edge, key)


def _points(route, steps=6):
    """Points of a route as it is drawn: with vertical tangents, so smooth in y."""
    (x, y), *rest = route
    for next_x, next_y in rest:
        middle = (y + next_y) / 2
        for k in range(steps + 1):
            t = k / steps
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            yield (a + b) * x + (c + d) * next_x, a * y + (b + c) * middle + d * next_y
        x, y = next_x, next_y


def test_a_straight_chain_is_drawn_straight():
    layout = lay_out_graph(node_graph([make.chain(20)], "raw"))
    centres = {round(box.x + box.width / 2, 3) for box in layout.boxes.values()}
    assert len(centres) == 1
    assert all(len(route) == 2 for route in layout.routes)


def test_two_crossed_edges_are_uncrossed():
    graph = arrange([10.0] * 4, [FlatEdge(0, 3), FlatEdge(1, 2)])
    upper, lower = graph.layers
    assert [upper.index(0), upper.index(1)] == [lower.index(3), lower.index(2)]


def test_inputs_stand_just_above_their_user():
    graph = arrange([10.0] * 5, [FlatEdge(0, 1), FlatEdge(1, 2), FlatEdge(3, 2), FlatEdge(2, 4)])
    depth = {vertex: at for at, layer in enumerate(graph.layers) for vertex in layer}
    assert depth[3] == depth[2] - 1


def test_edges_of_one_vertex_share_their_dummies():
    edges = [FlatEdge(0, 1), FlatEdge(1, 2), FlatEdge(2, 3), FlatEdge(0, 2), FlatEdge(0, 3)]
    graph = arrange([10.0] * 4, edges)
    assert len(graph.widths) - graph.real == 2


def test_a_cycle_does_not_hang():
    graph = arrange([10.0] * 3, [FlatEdge(0, 1), FlatEdge(1, 2), FlatEdge(2, 0)])
    assert sorted(v for layer in graph.layers for v in layer if v < 3) == [0, 1, 2]
    assert len(place(graph)) == len(graph.widths)


def test_isotonic_regression_is_the_weighted_least_squares_one():
    assert _isotonic([1.0, 3.0, 2.0], [1.0, 1.0, 1.0]) == [1.0, 2.5, 2.5]
    assert _isotonic([3.0, 1.0], [3.0, 1.0]) == [2.5, 2.5]
    assert _isotonic([1.0, 2.0], [1.0, 1.0]) == [1.0, 2.0]
