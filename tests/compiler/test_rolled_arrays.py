"""Rolled arrays that are read from one array with a halo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.rolled_arrays import read_from_halos
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.passes.simplify import simplify

Array = np.ndarray[Any, Any]


def _joined(roots: tuple[Node, ...]) -> list[Node]:
    return [value for value in walk(roots) if value.op.kind is Kind.CONCATENATE]


def _rewritten(*values: Any) -> tuple[Node, ...]:
    return read_from_halos(simplify(tuple(value._node for value in values)), {})


def _values(shape: tuple[int, ...]) -> Array:
    return np.random.default_rng(5).integers(0, 100, shape).astype(float)


def _neighbours(xp: Any, x: Any) -> Any:
    offsets = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return sum(xp.roll(x, places, (0, 1)) for places in offsets)


def test_eight_neighbours_have_one_copy() -> None:
    x = la.asarray(_values((400, 300)))
    roots = _rewritten(_neighbours(la, x * 2))
    assert [value.shape for value in _joined(roots) if value.attr == 0] == [(402, 302)]
    written = sum(kernel.bytes_written for kernel in la.explain(_neighbours(la, x * 2)).kernels)
    assert written < 2.1 * x.nbytes
    expected = _neighbours(np, _values((400, 300)) * 2)
    np.testing.assert_array_equal(_neighbours(la, x * 2).compute(), expected)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: la.roll(x, 1) * 2,  # one, which is a copy anyway
        lambda x: la.roll(x, 200) + la.roll(x, -200),  # by half of the array
        lambda x: la.concatenate([x[5:], x[:5]]) + la.concatenate([x[5:], x[1:6]]),
        lambda x: la.concatenate([x[5:], x[5:]])[:400] + la.concatenate([x[:5], x[:395]]),
    ],
)
def test_others_stay_as_they_are(build: Callable[[Any], Any]) -> None:
    value = build(la.asarray(_values((400,))))
    roots = simplify((value._node,))
    assert read_from_halos(roots, {}) == roots


def test_a_rolled_result_is_memory_of_its_own() -> None:
    x = la.asarray(_values((60, 50)))
    rolled, other = la.roll(x, 1, 0), la.roll(x, -2, 1)
    results = la.evaluate(rolled, other, rolled - other, la.roll(x, 3, 0) + other)
    numbers = _values((60, 50))
    first, second = np.roll(numbers, 1, 0), np.roll(numbers, -2, 1)
    expected = first, second, first - second, np.roll(numbers, 3, 0) + second
    for result, value in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, value)
        assert result.flags.owndata or result.base is not None
    assert not np.shares_memory(results[0], results[1])


def test_lengths_share_plans() -> None:
    def step(x: Any) -> Any:
        return la.roll(x, 1) + la.roll(x, -1) - 2 * x

    for length in (40_000, 40_010):
        step(la.asarray(_values((length,)))).compute()
    before = la.cache.info().plans.misses
    for length in range(40_020, 40_090, 10):
        x = _values((length,))
        expected = np.roll(x, 1) + np.roll(x, -1) - 2 * x
        np.testing.assert_array_equal(step(la.asarray(x)).compute(), expected)
    assert la.cache.info().plans.misses - before <= 2


def test_iterations_of_a_torus_agree() -> None:
    def run(xp: Any, x: Any) -> Any:
        for _ in range(4):
            x = x + 0.25 * (xp.roll(x, 1, 0) + xp.roll(x, -1, 0) - 2 * x)
            x = x - 0.5 * (x - xp.roll(xp.roll(x, 1, 1), 2, 0))
        return x

    x = _values((40, 30))
    np.testing.assert_array_equal(run(la, la.asarray(x)).compute(), run(np, x))
    np.testing.assert_array_equal(la.jit(lambda x: run(la, x))(x), run(np, x))


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(50,), (17, 12), (9, 8, 10), (2, 30), (1, 12), (12, 0)]),
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(-12, 12), st.sampled_from(["x", "2x", "view"])),
        min_size=2,
        max_size=5,
    ),
    st.booleans(),
)
def test_sums_of_rolled_arrays_agree(
    shape: tuple[int, ...], rolls: list[tuple[int, int, str]], twice: bool
) -> None:
    def run(xp: Any, x: Any) -> Any:
        bases = {"x": x, "2x": x * 2, "view": x[::-1]}
        total = x * 3
        for axis, places, name in rolls:
            part = xp.roll(bases[name], places, axis % len(shape))
            if twice:
                part = xp.roll(part, 1, 0) if part.size else part
            total = total + part
        return total, total.sum()

    x = _values(shape)
    with la.config(immediate=0):
        results = la.evaluate(*run(la, la.asarray(x)))
    for result, expected in zip(results, run(np, x), strict=True):
        np.testing.assert_array_equal(result, expected)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=5),
    st.integers(0, 4),
)
def test_results_that_are_rolled_twice_read_nothing_beyond_a_halo(
    rolls: list[tuple[int, int]], first: int
) -> None:
    def run(xp: Any, x: Any) -> list[Any]:
        parts = [xp.roll(xp.roll(x, down, 0), right, 1) for down, right in rolls]
        total = x * 3
        for part in parts:
            total = total + part * part
        return [total, *parts[first:]]

    x = _values((40, 30))
    with la.config(immediate=0):
        results = la.evaluate(*run(la, la.asarray(x)), la.asarray(x))
    for result, expected in zip(results, run(np, x), strict=False):
        np.testing.assert_array_equal(result, expected)
