"""One plan for all lengths: bits, errors and warnings are those of a plan for the lengths alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans, plan_cache_info
from lazyarr.core import tuning

RANDOM = np.random.default_rng(5)
SQUARE = RANDOM.random((90, 90))
LINE = RANDOM.random(70_000)
NUMBERS = RANDOM.integers(0, 60, 300)

Program = Callable[[Any, Any, Any, Any, int, int], Any]

#: Programs of a matrix, a line, integers and two numbers up to 80.
PROGRAMS: dict[str, Program] = {
    "part": lambda xp, a, v, i, m, n: v[:n] * 2.5 + v[m : m + n],
    "steps": lambda xp, a, v, i, m, n: v[m : m + 4 * n : 4] - v[n : 3 * n : 2],
    "backwards": lambda xp, a, v, i, m, n: v[m : m + n][::-1] * v[:n],
    "block": lambda xp, a, v, i, m, n: a[:m, :n] + a[-m:, -n:],
    "transposed": lambda xp, a, v, i, m, n: a[:m, :n] * a[:n, :m].T,
    "rows": lambda xp, a, v, i, m, n: (a[:m, :n] * 1.5).sum(axis=1),
    "columns": lambda xp, a, v, i, m, n: a[:m, n:].sum(axis=0) / a[n:, :].max(axis=0)[n:],
    "all": lambda xp, a, v, i, m, n: (v[: 800 * n] * v[m : m + 800 * n]).sum(),
    "softmax": lambda xp, a, v, i, m, n: xp.exp(a[:m, :n]) / xp.exp(a[:m, :n]).sum(axis=1)[:, None],
    "variance": lambda xp, a, v, i, m, n: a[:m, :n].var(axis=0) + v[: 800 * n].var(),
    "extremes": lambda xp, a, v, i, m, n: v[: 9 * n].argmax() + a[:m, :n].argmin(axis=1),
    "point": lambda xp, a, v, i, m, n: a[m, 3] * a[3, n] + a[m] * a[:, n],
    "outer": lambda xp, a, v, i, m, n: v[:m, None] * v[None, :n] + v[n],
    "product": lambda xp, a, v, i, m, n: a[:m, :n] @ (a[:n, :m] @ v[:m]),
    "projection": lambda xp, a, v, i, m, n: a[:, m] - a[:, :n] @ (a[:, :n].T @ a[:, m]),
    "sorted": lambda xp, a, v, i, m, n: xp.sort(v[:n] * 2)[::-1] + v[m : m + n],
    "scan": lambda xp, a, v, i, m, n: xp.cumsum(v[:n] * 2) + a[:n, :m].sum(axis=1),
    "joined": lambda xp, a, v, i, m, n: xp.concatenate([v[:n] * 2, v[m : 2 * m] + 1]),
    "reshaped": lambda xp, a, v, i, m, n: (v[: m * n] * 2).reshape(m, n) + a[:m, :n],
    "flat": lambda xp, a, v, i, m, n: (a[:m, :n] * 2).reshape(-1) + v[: m * n],
    "gathered": lambda xp, a, v, i, m, n: v[i[:n]] * 2 + v[i[m : m + n] + m],
    "rows gathered": lambda xp, a, v, i, m, n: a[i[:n], :m] + v[:m],
    "counted": lambda xp, a, v, i, m, n: xp.arange(n) * v[:n] + xp.zeros(n),
    "repeated": lambda xp, a, v, i, m, n: xp.tile(v[:n], 3) + xp.repeat(v[:n], 3),
    "padded": lambda xp, a, v, i, m, n: xp.pad(v[:n], 2) * 3,
    "triangle": lambda xp, a, v, i, m, n: xp.tril(a[:n, :n]) + a[:n, :n].T,
    "complex": lambda xp, a, v, i, m, n: (v[:n] + 1j * v[m : m + n]) * 2j,
    "where": lambda xp, a, v, i, m, n: xp.where(v[:n] > 0.5, v[m : m + n], i[:n]),
}


def _lazily(name: str, m: int, n: int) -> Any:
    x = [la.asarray(array) for array in (SQUARE, LINE, NUMBERS)]
    with la.config(immediate=0):
        return la.evaluate(PROGRAMS[name](la, *x, m, n))


@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_a_plan_for_the_lengths(name: str) -> None:
    first = plan_cache_info()
    results = {}

    @settings(max_examples=30, deadline=None)
    @given(st.integers(1, 80), st.integers(1, 80))
    def check(m: int, n: int) -> None:
        results[m, n] = _lazily(name, m, n)

    check()
    last = plan_cache_info()
    if len(results) > 3 * tuning.row().patterns:
        assert last.filled > first.filled
    assert last.misses - first.misses <= 2 * tuning.row().patterns + 8
    for (m, n), result in list(results.items())[:8]:
        forget_plans()
        alone = _lazily(name, m, n)
        assert result.dtype == alone.dtype
        assert result.shape == alone.shape
        assert result.tobytes() == alone.tobytes(), (m, n)
        expected = PROGRAMS[name](np, SQUARE, LINE, NUMBERS, m, n)
        np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
def test_short_lengths_that_have_plans_of_their_own_leave_room_for_others(axis: int) -> None:
    x = la.asarray(RANDOM.random((120, 120)))

    def run(first: int, last: int) -> int:
        before = plan_cache_info()
        for k in range(first, last):
            la.evaluate(((x[:k] if axis == 0 else x[:, :k]) * 2).sum(axis=axis))
        return plan_cache_info().misses - before.misses

    with la.config(immediate=0):
        assert run(2, 40) <= 24  # of up to 16 elements each has a plan
        assert run(40, 110) <= 2


def test_a_loop_over_lengths_compiles_nothing_any_more() -> None:
    x = la.asarray(RANDOM.random((400, 30)))

    def run(first: int, last: int) -> None:
        for k in range(first, last):
            la.evaluate((x[:k] * x[k]).sum(axis=0) - x[k - 1 : k].mean())

    with la.config(immediate=0):
        run(2, 150)
        before = plan_cache_info()
        kernels = la.cache.info().kernels
        run(150, 390)
    after = plan_cache_info()
    loaded = la.cache.info().kernels
    assert after.misses - before.misses <= 1
    assert after.filled - before.filled >= 239
    assert (loaded.compiled, loaded.disk_hits) == (kernels.compiled, kernels.disk_hits)


def test_warnings_name_the_line_and_the_operation() -> None:
    x, y = la.asarray(np.ones(100)), la.asarray(np.r_[np.ones(90), np.zeros(10)])
    with la.config(immediate=0):
        for n in (20, 30, 40):
            la.evaluate(x[:n] / y[:n])
        for n in (95, 96):
            with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide") as seen:
                result = la.evaluate(x[:n] / y[:n])
            assert seen[0].filename == __file__
            assert np.isinf(result[90:]).all()
        with np.errstate(all="ignore"):
            la.evaluate(x[:97] / y[:97])
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            la.evaluate(x[:98] / y[:98])


def test_an_index_out_of_bounds_tells_the_size_of_its_axis() -> None:
    x, places = la.asarray(LINE), np.arange(50)
    with la.config(immediate=0):
        for n in (20, 30, 40):
            la.evaluate((x[:n] * 2)[la.asarray(places[:n]) + 0])
        with pytest.raises(IndexError, match="index 49 is out of bounds for axis 0 with size 45"):
            la.evaluate((x[:45] * 2)[la.asarray(places) + 0])


def test_runs_are_profiled() -> None:
    x = la.asarray(LINE)
    with la.config(immediate=0):
        for n in (200, 300, 400):
            la.evaluate(x[:n] * 2 + 1)
        with la.profile() as report:
            la.evaluate(x[:500] * 2 + 1)
        la.evaluate(x[:500] * 2 + 1)
    assert "500" in str(report) or report.to_dict()


def test_results_go_where_the_caller_wants_them() -> None:
    x = la.asarray(LINE)
    with la.config(immediate=0):
        for n in (200, 300, 400):
            out = np.empty(n)
            assert la.evaluate(x[:n] * 2 + 1, out=out) is out
            np.testing.assert_array_equal(out, LINE[:n] * 2 + 1)
            expression = x[:n] * 2 + 3
            for _ in range(3):
                np.testing.assert_array_equal(la.evaluate(expression), LINE[:n] * 2 + 3)


def test_work_is_counted() -> None:
    x = la.asarray(LINE)
    with la.config(immediate=0):
        for n in (201, 301, 401, 501):
            before = la.cache.info().work
            la.evaluate(x[:n] * 2.5 + 1.5)
            after = la.cache.info().work
            assert after.computed - before.computed == 2 * n
            assert after.eager - before.eager == 2 * n
