"""The values to keep are a minimum cut: networkx finds none that is cheaper."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyarr.differentiation.minimum_cut import cheapest_values


@st.composite
def graphs(draw: st.DrawFn) -> tuple[dict[int, list[int]], dict[int, int], set[int], set[int]]:
    count = draw(st.integers(1, 12))
    operands = {
        k: draw(st.lists(st.integers(0, k - 1), max_size=3, unique=True)) if k else []
        for k in range(count)
    }
    cost = {k: draw(st.integers(0, 20)) for k in range(count)}
    given_ = draw(st.sets(st.integers(0, count - 1)))
    needed = draw(st.sets(st.integers(0, count - 1)))
    return operands, cost, given_, needed


def reaches(operands: dict[int, list[int]], kept: set[int], given_: set[int], value: int) -> bool:
    """Whether a value depends on a given one by a way on which nothing is kept."""
    if value in kept:
        return False
    return value in given_ or any(reaches(operands, kept, given_, x) for x in operands[value])


@settings(max_examples=200, deadline=None)
@given(graphs())
def test_as_cheap_as_networkx(
    graph: tuple[dict[int, list[int]], dict[int, int], set[int], set[int]],
) -> None:
    operands, cost, given_, needed = graph
    kept = cheapest_values(operands, cost, given_, needed)
    assert not any(reaches(operands, set(kept), given_, value) for value in needed)
    network = nx.DiGraph()
    network.add_nodes_from(["start", "end"])
    for value, sources in operands.items():
        network.add_edge((value, "in"), (value, "out"), capacity=cost[value])
        for source in sources:
            network.add_edge((source, "out"), (value, "in"))
    network.add_edges_from(("start", (value, "in")) for value in given_)
    network.add_edges_from(((value, "out"), "end") for value in needed)
    assert sum(cost[value] for value in kept) == nx.minimum_cut_value(network, "start", "end")


def test_long_chains_take_no_recursion() -> None:
    count = 20_000
    operands = {k: [k - 1] if k else [] for k in range(count)}
    cost = {k: 5 if k != 77 else 3 for k in range(count)}
    assert cheapest_values(operands, cost, [0], [count - 1]) == [77]


def test_what_cannot_be_stored() -> None:
    operands: dict[str, list[str]] = {"x": [], "y": ["x"]}
    assert cheapest_values(operands, {"y": 7}, ["x"], ["y"]) == ["y"]
    with pytest.raises(ValueError, match="cannot be stored"):
        cheapest_values(operands, {}, ["x"], ["y"])
