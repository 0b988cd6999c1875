"""The largest flow equals the cheapest cut."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lazyarr.core.max_flow import END, START, FlowNetwork

VERTICES = 5


@given(
    st.lists(
        st.tuples(st.integers(0, VERTICES - 1), st.integers(0, VERTICES - 1), st.integers(0, 9)),
        max_size=12,
    )
)
def test_the_flow_is_the_cheapest_cut(edges: list[tuple[int, int, int]]) -> None:
    network = FlowNetwork(VERTICES)
    for start, end, capacity in edges:
        network.connect(start, end, capacity)
    flow, distance = network.saturate()

    def cut(side: set[int]) -> int:
        return sum(c for start, end, c in edges if start in side and end not in side)

    inner = range(2, VERTICES)
    sides = [
        {START, *chosen}
        for count in range(len(inner) + 1)
        for chosen in itertools.combinations(inner, count)
    ]
    assert flow == min(map(cut, sides))
    reached = {vertex for vertex in range(VERTICES) if distance[vertex] >= 0}
    assert START in reached and END not in reached and cut(reached) == flow
