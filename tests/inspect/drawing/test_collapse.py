"""Collapsing large graphs."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lazyarr.graph.node import Kind
from lazyarr.inspect.drawing.collapse import Item, collapse
from lazyarr.inspect.drawing.graph import node_graph
from tests.support import inspect_programs as make


def _edges(items, parts):
    home = {at: number for number, part in enumerate(parts) for at in part.items}
    return {
        (home[source], home[at])
        for at, item in enumerate(items)
        for source in item.sources
        if home[source] != home[at]
    }


def _random_items(seed, count, clusters=0):
    import random

    generator = random.Random(seed)
    items = [Item(Kind.LEAF, ()) for _ in range(3)]
    for at in range(3, count):
        sources = tuple({max(0, at - generator.choice((1, 1, 1, 2, 3, 40))) for _ in range(2)})
        cluster = at * clusters // count if clusters else None
        items.append(Item(Kind.ELEMENTWISE, sources, cluster))
    return items


def test_a_small_graph_is_left_alone():
    items = _random_items(0, 300)
    assert [part.items for part in collapse(items, {299}, 300)] == [(at,) for at in range(300)]


def test_the_inside_of_a_chain_becomes_one_box():
    graph = node_graph([make.chain(100)], "raw", limit=50)
    assert [vertex.title for vertex in graph.vertices] == [
        "input",
        "add(·, 1.0)",
        "… 98 more …",
        "add(·, 1.0)",
    ]
    assert [vertex.count for vertex in graph.vertices] == [1, 1, 98, 1]
    assert graph.vertices[-1].root
    assert graph.node_count == 101


def test_a_chain_of_100_000_nodes():
    graph = node_graph([make.chain(100_000)], "raw")
    assert sum(vertex.count for vertex in graph.vertices) == 100_001
    assert len(graph.vertices) == 4


def test_a_value_used_twice_is_not_inside_a_chain():
    middle = make.chain(100)
    ends = [make.apply(make.EXP, middle), make.apply(make.SUBTRACT, middle, make.constant(1.0))]
    graph = node_graph(ends, "raw", limit=50)
    assert len(graph.vertices) == 6
    users = [edge for edge in graph.edges if edge.source == graph.vertices[3].key]
    assert len(users) == 2


def test_operands_that_only_a_chain_uses_join_it_if_there_are_too_many():
    result = make.leaf(8)
    for _ in range(500):
        result = make.apply(make.ADD, result, make.leaf(8))
    graph = node_graph([result], "raw")
    assert len(graph.vertices) < 10
    assert sum(vertex.count for vertex in graph.vertices) == 1001


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("clusters", [0, 1, 2, 7, 200])
def test_any_graph_becomes_small_and_stays_acyclic(seed, clusters):
    items = _random_items(seed, 2000, clusters)
    parts = collapse(items, {1999}, 300)
    assert len(parts) <= 300
    assert sorted(at for part in parts for at in part.items) == list(range(2000))
    assert all(source < target for source, target in _edges(items, parts))
    # Clusters as boxes are acyclic too: each is one run of the order, but for what stands outside.
    order = [part.cluster for part in parts if part.cluster is not None]
    runs = [first for first, second in pairwise([*order, None]) if first != second]
    assert len(runs) == len(set(runs))


def test_results_are_never_hidden_by_a_chain():
    first = make.chain(50)
    second = first
    for _ in range(50):
        second = make.apply(make.ADD, second, make.constant(1.0))
    graph = node_graph([first, second], "raw", limit=20)
    assert [vertex.count for vertex in graph.vertices if vertex.root] == [1, 1]
