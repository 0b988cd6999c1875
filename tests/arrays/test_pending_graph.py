"""Loops that never ask for a value: nodes and bytes of what is pending stay bounded."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import pending_graph
from lazyarr.graph import node, pressure
from lazyarr.graph.node import walk
from lazyarr.graph.pressure import PRESSURE


def _nodes(array: Any) -> int:
    return sum(1 for _ in walk((array._node,), lambda value: value.stored is not None))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave small arrays expressions, too, and let no node of other tests count."""
    gc.collect()
    node.look_at_nodes()
    monkeypatch.setattr(pending_graph, "_watch", pending_graph._Watch())
    monkeypatch.setattr(PRESSURE, "nodes", False)
    PRESSURE.update()
    with la.config(immediate=0):
        yield


def test_a_loop_without_questions_is_bounded_and_compiles_no_more() -> None:
    start, step = np.linspace(0, 1, 40), np.linspace(1, 2, 40)
    x, y, expected = la.asarray(start), la.asarray(step), start
    longest, later = 0, None
    for iteration in range(20_000):
        x, expected = x * 0.5 + y, expected * 0.5 + step
        if iteration % 500 == 499:
            longest = max(longest, _nodes(x))
        if iteration == 12_000:
            later = la.cache.info()
    info = la.cache.info()
    assert longest <= 3 * pressure.MOST_NODES
    assert later is not None
    assert info.plans.misses == later.plans.misses
    np.testing.assert_array_equal(x.compute(), expected)


def test_two_states_are_stored_together() -> None:
    x, v = la.asarray(np.linspace(0, 1, 20)), la.asarray(np.zeros(20))
    a, b = np.linspace(0, 1, 20), np.zeros(20)
    work, longest = la.cache.info().work, 0
    for iteration in range(5000):
        v, b = v - 0.01 * x, b - 0.01 * a
        x, a = x + 0.01 * v, a + 0.01 * b
        if iteration % 500 == 499:
            longest = max(longest, _nodes(x), _nodes(v))
    assert longest <= 3 * pressure.MOST_NODES
    np.testing.assert_array_equal(x.compute(), a)
    np.testing.assert_array_equal(v.compute(), b)
    info = la.cache.info().work
    assert info.computed - work.computed <= 2 * (info.eager - work.eager)


def test_a_list_of_the_states_of_a_loop_is_computed_once() -> None:
    x, array = la.asarray(np.linspace(0, 1, 20)), np.linspace(0, 1, 20)
    work = la.cache.info().work
    states, expected = [], []
    for _ in range(2500):
        x, array = x * 0.5 + 1, array * 0.5 + 1
        states.append(x)
        expected.append(array)
    for state, theirs in zip(states[::97], expected[::97], strict=True):
        np.testing.assert_array_equal(state.compute(), theirs)
    info = la.cache.info().work
    assert info.computed - work.computed <= 2 * (info.eager - work.eager)


@pytest.fixture
def few_bytes(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Let a few megabytes of wrapped arrays be many."""
    most = PRESSURE.nbytes + (1 << 21)
    monkeypatch.setattr(PRESSURE, "most_bytes", most)
    monkeypatch.setattr(pending_graph, "_MANY_BYTES", 1 << 14)
    monkeypatch.setattr(pending_graph, "_left", lambda: 0)
    yield most
    monkeypatch.undo()
    PRESSURE.update()


def test_a_sum_of_new_arrays_lets_them_go(few_bytes: int) -> None:
    total, largest = la.zeros(8192), 0
    for number in range(500):
        total = total + la.asarray(np.full(8192, float(number))) * 2
        largest = max(largest, PRESSURE.nbytes)
    assert largest < few_bytes + (1 << 22)
    np.testing.assert_array_equal(total.compute(), np.full(8192, 499.0 * 500))


def test_numbers_of_new_arrays_let_them_go(few_bytes: int) -> None:
    means, peaks, largest = [], [], 0
    for number in range(200):
        data = la.asarray(np.full(8192, float(number)))
        means.append(data.mean())
        peaks.append(abs(data - 300).max())
        largest = max(largest, PRESSURE.nbytes)
    assert largest < few_bytes + (1 << 18)
    assert [float(mean) for mean in means] == list(range(200))
    assert [float(peak) for peak in peaks] == [300.0 - number for number in range(200)]


def test_nothing_is_computed_early_while_there_is_memory(
    few_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_graph, "_left", lambda: 1 << 40)
    kept = [la.asarray(np.full(8192, float(number))) for number in range(100)]
    assert PRESSURE.nbytes > few_bytes
    means = [data.mean() for data in kept]
    assert all(_nodes(mean) > 1 for mean in means)
    rows = kept[0] - means[0]
    assert len(la.explain(rows, rows.std()).results) == 2
    np.testing.assert_array_equal(la.evaluate(*means), np.arange(100.0))


def test_what_is_left_is_asked_for_when_arrays_have_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = [5, 7]
    name = "lazyarr.runtime.available_memory.available_bytes"
    monkeypatch.setattr(name, lambda: answers.pop(0))
    monkeypatch.setattr(pending_graph._watch, "asked_at", -1 << 40)
    monkeypatch.setattr(pending_graph._watch, "left", 0)
    assert pending_graph._left() == 5 and pending_graph._left() == 5
    monkeypatch.setattr(PRESSURE, "nbytes", PRESSURE.nbytes + (1 << 30))
    assert pending_graph._left() == 7


def test_nothing_is_computed_where_the_settings_forbid_it() -> None:
    with la.config(implicit="raise"):
        x = la.asarray(np.zeros(4))
        for _ in range(9000):
            x = x + 1
        assert _nodes(x) > 9000
    # What is pending is large: the next array of the loop is computed.
    for _ in range(9000):
        x = x + 1
    assert _nodes(x) <= 3 * pressure.MOST_NODES
    np.testing.assert_array_equal(x.compute(), np.full(4, 18000.0))


def test_what_is_differentiated_stays_an_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [0]
    pending = pending_graph._pending

    def counted(*arguments: Any) -> Any:
        looks[0] += 1
        return pending(*arguments)

    monkeypatch.setattr(pending_graph, "_pending", counted)

    def repeated(x: Any) -> Any:
        for _ in range(3000):
            x = x * 1.0001 + 0.0
        return x.sum()

    gradient = la.grad(repeated)(la.asarray(np.ones(3)))
    np.testing.assert_allclose(np.asarray(gradient), np.full(3, 1.0001**3000), rtol=1e-9)
    assert looks[0] <= 3000 // 4, "each look walks the expression"


def test_a_value_of_a_derivative_that_stays_leaves_others_bounded() -> None:
    kept: list[Any] = []

    def raising(x: Any) -> Any:
        kept.append(x * 2.0)
        raise ValueError

    x = la.asarray(np.zeros(4))
    with pytest.raises(ValueError):
        la.grad(raising)(x)
    for _ in range(6000):
        x = x + 1
    assert _nodes(x) <= 3 * pressure.MOST_NODES
    assert kept
