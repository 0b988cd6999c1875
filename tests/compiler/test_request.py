"""Requests: which expressions share a plan, and what they are bound to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans, plan_cache_info
from lazyarr.compiler.request import Request
from lazyarr.core.config import get_config


def plans() -> int:
    return plan_cache_info().misses


def grid(*shape: int) -> np.ndarray[Any, Any]:
    return np.arange(math.prod(shape), dtype=np.float64).reshape(shape)


def test_an_element_is_read_by_one_plan_wherever_it_is() -> None:
    host = grid(30, 5)
    x = la.asarray(host)
    float(x[0, 0] * 2)
    before = plans()
    for i in range(30):
        assert float(x[i, 3] * 2) == host[i, 3] * 2
        assert float(x[-i, i % 5] * 2) == host[-i, i % 5] * 2
    assert plans() == before


@pytest.mark.parametrize(
    "window",
    [
        lambda x, k: x[k : k + 7],
        lambda x, k: x[k + 20 : k : -3],
        lambda x, k: x[k : k + 14 : 2, 1],
        lambda x, k: x[k : k + 4, ::-1].T,
        lambda x, k: np.diagonal(x, k - 30),
        lambda x, k: x[k][:, None],
    ],
)
def test_a_window_is_read_by_one_plan_wherever_it_begins(window: Any) -> None:
    host = grid(60, 60)
    x = la.asarray(host)
    la.evaluate(np.sqrt(window(x, 30)).sum())
    sizes = {window(host, 30).size}
    before = plans()
    for k in range(25, 36):
        np.testing.assert_array_equal(la.evaluate(np.sqrt(window(x, k))), np.sqrt(window(host, k)))
        sizes.add(window(host, k).size)
    assert plans() - before <= len(sizes)


SLICES = st.builds(
    slice,
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(-9, 9),
    st.none() | st.sampled_from([-3, -2, -1, 1, 2, 3]),
)
KEYS = st.tuples(SLICES | st.integers(-6, 5), SLICES | st.integers(-7, 6))


@settings(deadline=None)
@given(KEYS, st.sampled_from(["C", "F", "strided"]), st.booleans())
def test_values_are_those_of_the_window(key: Any, layout: str, again: bool) -> None:
    host = np.asarray(grid(6, 7), order="F" if layout == "F" else "C")
    if layout == "strided":
        host = grid(12, 21)[::2, ::-3]
    x = la.asarray(host)
    value = x[key] * 3 + (x.sum() if again else 1)  # with another reader there is no window
    expected = host[key] * 3 + (host.sum() if again else 1)
    np.testing.assert_array_equal(la.evaluate(value), expected)
    np.testing.assert_array_equal(la.evaluate(value), expected)


def test_memory_is_read_as_it_is_when_asked_for() -> None:
    host = grid(10)
    value = la.asarray(host)[3:6] * 2
    for k in range(5):
        host[:] = k
        np.testing.assert_array_equal(la.evaluate(value), np.full(3, 2.0 * k))


def test_a_view_of_what_others_read_too_keeps_its_place() -> None:
    x = la.asarray(grid(10))
    roots = ((x[1:] - x[:-1])._node,)
    request = Request.of(roots, get_config())
    assert [leaf.shape for leaf in request.bindings.leaves] == [(10,)]
    alone = Request.of(((x[1:] * 2)._node,), get_config())
    assert [leaf.shape for leaf in alone.bindings.leaves] == [(9,)]


def test_a_kept_request_serves_other_settings_and_survives_forgotten_plans() -> None:
    host = grid(10)
    value = la.asarray(host)[2:] + 1
    for _ in range(4):
        la.evaluate(value)
    with la.config(threads=1):
        np.testing.assert_array_equal(la.evaluate(value), host[2:] + 1)
    forget_plans()
    before = plans()
    np.testing.assert_array_equal(la.evaluate(value), host[2:] + 1)
    assert plans() == before + 1
    first, second = la.evaluate(value, value * 2)
    np.testing.assert_array_equal(second, 2 * first)


def test_a_request_kept_for_several_results_is_not_that_of_one() -> None:
    x = la.asarray(grid(3000))
    first, second = x + 1.5, x * 3.0
    for _ in range(4):
        la.evaluate(first, second)
    assert isinstance(first._node.memo, Request)
    expected, out = grid(3000) + 1.5, np.empty(3000)
    for result in (la.evaluate(first), la.evaluate(first, out=out), out, la.persist(first), first):
        np.testing.assert_array_equal(np.asarray(result), expected)
    pair = la.evaluate(first, second)
    np.testing.assert_array_equal(pair, [expected, grid(3000) * 3.0])


def test_loops_over_windows_store_what_comes_again() -> None:
    host = grid(50)
    x, expected = la.asarray(host)[1:] / 50, host[1:] / 50
    before = la.cache.info().work
    for _ in range(20):
        x, expected = np.cos(x), np.cos(expected)
        assert float(x.max()) == pytest.approx(expected.max(), rel=1e-12)
    work = la.cache.info().work
    assert work.computed - before.computed <= 2 * (work.eager - before.eager)


def test_a_request_for_several_roots_does_not_serve_the_first_alone() -> None:
    x = np.arange(64.0)
    lazy = la.asarray(x)
    first, second = la.sqrt(lazy) + 1, lazy.sum() * 2
    for _ in range(3):
        la.evaluate(first, second)
    result = la.evaluate(first)
    np.testing.assert_array_equal(result, np.sqrt(x) + 1)
    assert la.persist(first).shape == result.shape == x.shape
    np.testing.assert_array_equal(la.evaluate(first, second)[1], x.sum() * 2)
