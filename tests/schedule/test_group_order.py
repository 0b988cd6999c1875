"""Groups run in the order that holds the least memory."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.graph.node import Node
from lazyarr.inspect.program import analyse
from lazyarr.schedule.group_order import smallest_order


def _value(size: int) -> Node:
    return la.asarray(np.empty(size))._node


def test_what_frees_memory_goes_first() -> None:
    # 0 makes a, 1 makes b, 2 reads a, 3 reads b: as written, both are held at once.
    a, b = _value(1000), _value(1001)
    waits = [set(), set(), {0}, {1}]
    result = smallest_order([0, 1, 2, 3], waits, {a: {0}, b: {1}}, {a: {2}, b: {3}}, set())
    assert result in ([0, 2, 1, 3], [1, 3, 0, 2])
    # Results stay, so that nothing is gained.
    same = smallest_order([0, 1, 2, 3], waits, {a: {0}, b: {1}}, {a: {2}, b: {3}}, {a, b})
    assert same == [0, 1, 2, 3]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_every_order_respects_its_dependencies(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    values = [_value(data.draw(st.integers(1, 100)) + 200 * k) for k in range(count)]
    readers: dict[Node, set[int]] = {}
    waits: list[set[int]] = []
    for k in range(count):
        before = data.draw(st.sets(st.integers(0, k - 1), max_size=3)) if k else set()
        for other in before:
            readers.setdefault(values[other], set()).add(k)
        waits.append(before)
    writers = {value: {k} for k, value in enumerate(values)}
    order = smallest_order(list(range(count)), waits, writers, readers, {values[-1]})
    assert sorted(order) == list(range(count))
    place = {k: at for at, k in enumerate(order)}
    assert all(place[other] < place[k] for k in range(count) for other in waits[k])


def test_a_gradient_holds_one_cotangent_at_a_time() -> None:
    x = la.asarray(np.zeros((128, 64)))
    weights = [la.asarray(np.zeros((64, 64))) for _ in range(20)]

    def loss(weights: list[la.LazyArray]) -> la.LazyArray:
        y = x
        for w in weights:
            y = la.tanh(y @ w)
        return la.sum(y * y)

    value, gradient = la.value_and_grad(loss)(weights)
    plan = analyse(tuple(g._node for g in (value, *gradient))).plan
    results = sum(w.nbytes for w in weights)
    assert plan.peak_bytes < 20 * x.nbytes + results + 4 * x.nbytes
