"""Loops whose iterations are one plan, run again and again."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import plan_cache_info
from lazyarr.graph import node
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.host_memory_pool import pool


def eager(n: int, body: Any, state: Any) -> Any:
    for i in range(n):
        state = body(i, state)
    return state


def heat(i: Any, u: Any) -> Any:
    new = u.copy()
    new[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return new


def normalised(i: Any, x: Any) -> Any:
    return x / x.sum() + i


def rolled(i: Any, state: Any) -> Any:
    x, y = state
    return np.roll(y, 1), x + y


@pytest.mark.parametrize("n", [0, 1, 2, 5, 100])
def test_stencil(n: int) -> None:
    u = np.random.default_rng(0).random(50)
    np.testing.assert_array_equal(la.evaluate(la.fori_loop(n, heat, u)), eager(n, heat, u))


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_reduction_in_the_body(backend: str) -> None:
    x = np.arange(1.0, 9.0)
    with la.config(backend=backend):
        np.testing.assert_allclose(
            la.evaluate(la.fori_loop(6, normalised, x)), eager(6, normalised, x), rtol=1e-13
        )


def test_states_that_change_places() -> None:
    x, y = np.arange(6), np.arange(6)[::-1]
    for n in (1, 2, 3):
        ours = la.evaluate(*la.fori_loop(n, rolled, (x, y)))
        for a, b in zip(ours, eager(n, rolled, (x, y)), strict=True):
            np.testing.assert_array_equal(a, b)


def test_matrix_product() -> None:
    rng = np.random.default_rng(0)
    a, v = rng.random((30, 30)), rng.random(30)

    def step(i: Any, v: Any) -> Any:
        w = a @ v
        return w / np.sqrt((w * w).sum())

    np.testing.assert_allclose(
        la.evaluate(la.fori_loop(20, step, v)), eager(20, step, v), rtol=1e-12
    )


def test_states_that_are_transposed_views() -> None:
    """The next iteration reads C order, whatever the order of what a product gives."""
    x, w = np.arange(8.0).reshape(2, 4), np.arange(16.0).reshape(4, 4) % 5
    expected = x
    for iterations in range(4):
        loop = la.fori_loop(iterations, lambda i, s: (w @ s.T).T, x)
        np.testing.assert_array_equal(loop, expected)
        expected = (w @ expected.T).T


def test_rows_chosen_by_the_index() -> None:
    table = np.random.default_rng(0).random((7, 5))
    lazy = la.asarray(table)
    ours = la.fori_loop(7, lambda i, x: x * 0.5 + lazy[i], np.zeros(5))
    np.testing.assert_array_equal(
        la.evaluate(ours), eager(7, lambda i, x: x * 0.5 + table[i], np.zeros(5))
    )


def test_complex_states() -> None:
    z = np.random.default_rng(0).random(20) * 1j
    ours = la.fori_loop(5, lambda i, z: z * z + (0.1 + 0.2j), z)
    np.testing.assert_allclose(la.evaluate(ours), eager(5, lambda i, z: z * z + (0.1 + 0.2j), z))


def test_elementwise_loop_inside() -> None:
    u = np.random.default_rng(0).random(40)

    def step(i: Any, u: Any) -> Any:
        return la.fori_loop(3, lambda j, v: v * 0.5 + j, u[::-1])

    def numpy(i: Any, u: Any) -> Any:
        return eager(3, lambda j, v: v * 0.5 + j, u[::-1])

    np.testing.assert_array_equal(la.evaluate(la.fori_loop(4, step, u)), eager(4, numpy, u))


def test_outer_expressions_are_computed_once_and_around() -> None:
    u, w = np.random.default_rng(0).random((2, 40))
    lazy = la.sin(la.asarray(w))
    array = la.evaluate(lazy)
    ours = la.fori_loop(5, lambda i, u: u[::-1] * lazy, la.asarray(u) + 1).sum()
    np.testing.assert_allclose(
        la.evaluate(ours), eager(5, lambda i, u: u[::-1] * array, u + 1).sum(), rtol=1e-14
    )


def test_more_turns_compile_nothing_and_take_no_more_memory() -> None:
    u = np.random.default_rng(0).random(200_000)
    la.evaluate(la.fori_loop(3, heat, u))
    gc.collect()
    compiled, in_use = compiler.info().compiled, pool.info().held
    plans = plan_cache_info().misses
    nodes = node.count_nodes()
    la.evaluate(la.fori_loop(200, heat, u))
    la.evaluate(la.fori_loop(50, heat, u[::2].copy()[:150_000]))
    gc.collect()
    assert compiler.info().compiled == compiled
    assert pool.info().held <= in_use + 4 * u.nbytes
    assert plan_cache_info().misses <= plans + 2
    assert node.count_nodes() <= nodes + 200


def test_explain_says_what_it_is() -> None:
    report = la.explain(la.fori_loop(50, heat, np.ones(100)))
    (fallback,) = report.fallbacks
    assert "plan of its own for each iteration" in fallback.reason
    assert report.eager.operations == 50 * 6
    assert report.bytes_moved == 50 * 1600


def test_visualize_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "loop.dot"
    la.visualize(la.fori_loop(2, heat, np.ones(100)) * 2, str(path))
    assert "fori_loop" in path.read_text()


def test_errors_of_a_turn_name_the_users_line() -> None:
    a = np.eye(3)

    def solve(i: Any, x: Any) -> Any:
        return la.linalg.inv(x - i * a) + a

    with pytest.raises(np.linalg.LinAlgError) as caught:
        la.evaluate(la.fori_loop(2, solve, np.zeros((3, 3))))
    assert any("test_replayed_loop.py" in note for note in caught.value.__notes__)


def test_inputs_stay_as_they_are() -> None:
    u = np.random.default_rng(0).random(30)
    before = u.copy()
    for n in (0, 1, 4):
        got = la.evaluate(la.fori_loop(n, heat, u))
        got[:] = 5
    np.testing.assert_array_equal(u, before)
