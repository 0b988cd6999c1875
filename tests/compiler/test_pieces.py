"""Long expressions are computed in pieces of one form: NumPy's bits, few plans, nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.pieces import last_piece
from lazyarr.compiler.plan_cache import plan_cache_info
from lazyarr.core import tuning
from lazyarr.graph.node import Leaf, Node, fresh_leaf, walk
from lazyarr.ops.movement import LEAF
from tests.support.tuning_rows import use_row

ARRAY = np.random.default_rng(4).random((70, 80))


def _decay(xp: Any, x: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * 0.9 + x
    return y


def _two_states(xp: Any, x: Any, count: int) -> Any:
    u, v = x, x * 2
    for _ in range(count):
        change = u - 0.1 * v
        v = v * 0.3 + 0.3 * xp.sqrt(u * u + 1)
        u = change * 0.4 + v[::-1] * 0.4
    return u


def _normalised(xp: Any, x: Any, count: int) -> Any:
    for _ in range(count):
        x = x / (x.sum(axis=1)[:, None] + 1) + x.T[:1, :1]
    return x


def _paths(xp: Any, x: Any, count: int) -> Any:
    for k in range(count):
        x = xp.minimum(x, x[:, k, None] + x[None, k, :])
    return x


SQUARE = np.random.default_rng(6).random((420, 420))
#: Loops with turns enough for several pieces.
LOOPS = [(_decay, ARRAY, 1200), (_two_states, ARRAY, 500), (_normalised, ARRAY, 400)]
LOOPS += [(_paths, SQUARE, 420)]


@pytest.mark.parametrize(("loop", "array", "count"), LOOPS)
def test_a_long_loop_is_planned_a_few_turns_at_a_time(
    loop: Callable[..., Any], array: Any, count: int
) -> None:
    x = la.asarray(array)

    def run(count: int) -> tuple[Any, int]:
        before = plan_cache_info().misses
        return la.evaluate(loop(la, x, count)), plan_cache_info().misses - before

    with la.config(immediate=0):
        run(count // 2)
        before = la.cache.info().work
        result, plans = run(count)
        after = la.cache.info().work
    assert plans <= 4
    assert after.computed - before.computed <= 2 * (after.eager - before.eager)
    np.testing.assert_allclose(result, loop(np, array, count), rtol=1e-9)


def test_bits_are_those_of_the_whole_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    x = la.asarray(ARRAY)
    with la.config(immediate=0):
        in_pieces = la.evaluate(_two_states(la, x, 140))
        use_row(monkeypatch, tuning, expression_nodes=10**9)
        whole = la.evaluate(_two_states(la, la.asarray(ARRAY.copy()), 140))
    assert in_pieces.tobytes() == whole.tobytes()


def test_pieces_are_short_and_store_what_later_ones_read() -> None:
    with la.config(immediate=0):
        root = _two_states(la, la.asarray(ARRAY), 200)._node
    sizes = []

    def compute(values: tuple[Node, ...]) -> list[Node]:
        assert len(values) <= 6
        sizes.append(len(list(walk(values))))
        return [
            fresh_leaf(LEAF, v.dtype, v.shape, Leaf(np.zeros(v.shape, v.dtype)), None)
            for v in values
        ]

    (last,) = last_piece((root,), list(walk((root,))), compute)
    sizes.append(len(list(walk((last,)))))
    assert len(sizes) >= 3
    assert max(sizes) <= 3 * tuning.row().piece_nodes


def test_a_long_state_that_is_asked_of_in_each_turn_is_stored() -> None:
    with la.config(immediate=0):
        x, expected = _decay(la, la.asarray(ARRAY.copy()), 600), _decay(np, ARRAY, 600)
        before = la.cache.info().work
        for _ in range(6):
            assert np.isclose(float(x.sum()), expected.sum())
            x, expected = x * 0.5 + 1, expected * 0.5 + 1
        after = la.cache.info().work
    assert after.computed - before.computed <= 2 * (after.eager - before.eager)


def test_an_expression_is_computed_from_memory_as_it_then_is() -> None:
    array = ARRAY.copy()
    with la.config(immediate=0):
        y = _decay(la, la.asarray(array), 600)
        for factor in (1.0, 3.0, 5.0):
            array[:] = ARRAY * factor
            np.testing.assert_array_equal(la.evaluate(y), _decay(np, array, 600))


def test_a_derivative_of_a_long_loop_depends_on_its_argument() -> None:
    gradient = la.grad(lambda x: _decay(la, x, 600).sum())(la.asarray(ARRAY))
    slope = np.float64(1.0)
    for _ in range(600):
        slope = slope * 0.9 + 1
    np.testing.assert_allclose(gradient, np.full(ARRAY.shape, slope), rtol=1e-12)


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - y.mean(axis=0),
    lambda x, y: x[::-1] + y,
    lambda x, y: np.abs(x) + y.max(),
]
STEPS = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 30), st.integers(0, 30), st.booleans()),
    min_size=3,
    max_size=14,
)


@settings(max_examples=25, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_nothing_is_computed_more_than_twice_in_whatever_order_it_is_asked_for(
    steps: list[tuple[Any, int, int, bool]], random: Any
) -> None:
    array = np.linspace(0.1, 0.9, 600).reshape(20, 30)
    with la.config(immediate=0):
        before = la.cache.info().work
        lazy, eager = [la.asarray(array.copy())], [array]
        for operation, left, right, ask in steps:
            a, b = left % len(lazy), right % len(lazy)
            lazy.append(operation(lazy[a], lazy[b]))
            eager.append(operation(eager[a], eager[b]))
            if ask:
                np.testing.assert_allclose(np.asarray(lazy[-1]), eager[-1], rtol=1e-9)
        asked = list(range(1, len(lazy)))
        random.shuffle(asked)
        for k in asked:
            np.testing.assert_allclose(la.evaluate(lazy[k] * 1.5), eager[k] * 1.5, rtol=1e-9)
        after = la.cache.info().work
    assert after.computed - before.computed <= 2 * (after.eager - before.eager)
