"""Loops with a condition: one for all elements, or one for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.runtime.cpu import compiler
from tests.support.program_interpreter import run_program

Array = np.ndarray[Any, Any]
BACKENDS = ("llvm", "numba")


def each(cond: Any, body: Any, state: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the states after a loop with a condition for each element, one element at a time."""
    outs = tuple(np.empty_like(s) for s in state)
    for index in np.ndindex(state[0].shape):
        array = tuple(s[index] for s in state)
        with np.errstate(all="ignore"):
            while cond(array):
                array = body(array)
        for out, value in zip(outs, array, strict=True):
            out[index] = value
    return outs


def escape(limit: int, c: Any) -> tuple[Any, Any]:
    def cond(s: Any) -> Any:
        return (s[0] * s[0] + s[1] * s[1] <= 4) & (s[2] < limit)

    def body(s: Any) -> Any:
        x, y, k = s
        return x * x - y * y + c, 2 * x * y + 0.1, k + 1

    return cond, body


def collatz(s: Any) -> Any:
    x, k = s
    return np.where(x % 2 == 0, x // 2, 3 * x + 1), k + 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 31, 64, 1000])
def test_each_element_takes_its_own_turns(size: int, backend: str) -> None:
    x = np.random.default_rng(0).integers(1, 100, size)
    zero = np.zeros(size, np.int64)
    with la.config(backend=backend):
        ours = la.evaluate(*la.while_loop(lambda s: s[0] != 1, collatz, (x, zero)))
    for a, b in zip(ours, each(lambda s: s[0] != 1, collatz, (x, zero)), strict=True):
        np.testing.assert_array_equal(a, b)


@settings(max_examples=25, deadline=None)
@given(
    shape=st.sampled_from([(), (1,), (5,), (40, 3), (3, 40), (0,)]),
    limit=st.integers(0, 20),
    dtype=st.sampled_from(["f4", "f8"]),
    seed=st.integers(0, 9),
)
def test_escape_times(shape: tuple[int, ...], limit: int, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-2, 2, (2, *shape)).astype(dtype)
    k = np.zeros(shape, np.int32)
    c = dtype and np.dtype(dtype).type(0.25)
    cond, body = escape(limit, c)
    ours = la.evaluate(*la.while_loop(cond, body, (x, y, k)))
    for a, b in zip(ours, each(cond, body, (x, y, k)), strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


@pytest.mark.parametrize("shape", [(), (3,), (20, 2), (2, 20)])
def test_kernels_keep_the_rules(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).integers(1, 20, shape)
    zero = np.zeros(shape, np.int64)
    lazy = la.while_loop(lambda s: s[0] != 1, collatz, (la.asarray(x), la.asarray(zero)))
    (total, iterations), _ = run_program((lazy[1].sum()._node, lazy[1]._node))
    _, expected = each(lambda s: s[0] != 1, collatz, (np.asarray(x), zero))
    np.testing.assert_array_equal(iterations, expected)
    assert total == expected.sum()


def test_one_kernel_with_what_is_around_it() -> None:
    x = np.random.default_rng(0).uniform(0, 50, 3000)
    lazy = la.while_loop(lambda v: v >= 1, lambda v: v * 0.5, la.asarray(x) + 1)
    report = la.explain((lazy * 2).sum())
    assert len(report.kernels) == 1 and report.kernels[0].bytes_read == 24_000
    array = each(lambda s: s[0] >= 1, lambda s: (s[0] * 0.5,), (x + 1,))[0]
    np.testing.assert_array_equal(la.evaluate(lazy * 2), array * 2)


def test_other_limits_compile_nothing() -> None:
    def count(limit: int, size: int) -> Any:
        x = np.ones(size)
        return la.evaluate(
            *la.while_loop(lambda s: s[1] < limit, lambda s: (s[0] * 2, s[1] + 1), (x, x * 0))
        )

    count(3, 500)
    before = compiler.info().compiled
    assert (count(7, 400)[0] == 2.0**7).all()
    assert compiler.info().compiled == before


def test_threads_do_not_change_bits() -> None:
    x = np.random.default_rng(0).uniform(0, 1e6, 50_001)
    lazy = la.while_loop(lambda v: v > 1, lambda v: la.sqrt(v) - 0.1, x)
    results = []
    for threads in (1, 2, 7):
        with la.config(threads=threads):
            results.append(la.evaluate(lazy))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_elements_that_are_done_make_no_warning() -> None:
    x = np.array([3, 2, 1])
    # 6 // x would divide by zero in the iteration after the last.
    ours = la.while_loop(lambda v: v > 0, lambda v: v - 1 + 0 * (6 // v), x)
    np.testing.assert_array_equal(la.evaluate(ours), [0, 0, 0])


# -- one condition for all -------------------------------------------------------------------------


def test_condition_of_numbers_stays_in_the_kernel() -> None:
    x = np.random.default_rng(0).random(300)
    count, ours = la.while_loop(
        lambda s: s[0] < 5, lambda s: (s[0] + 1, s[1] * 0.5 + s[0]), (0, la.asarray(x))
    )
    expected = x
    for i in range(5):
        expected = expected * 0.5 + i
    np.testing.assert_array_equal(la.evaluate(ours), expected)
    assert la.evaluate(count) == 5
    assert not la.explain(ours).fallbacks


def test_all_elements_go_on_while_any_does() -> None:
    x = np.array([1.0, 10.0, 100.0])
    ours = la.while_loop(lambda v: (v > 1).any(), lambda v: v * 0.5, x)
    expected, iterations = x, 0
    while (expected > 1).any():
        expected, iterations = expected * 0.5, iterations + 1
    np.testing.assert_array_equal(la.evaluate(ours), expected)


def test_relaxation_until_it_settles() -> None:
    u = np.zeros((12, 12))
    u[0] = 1

    def step(u: Any) -> Any:
        inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        new = u.copy()
        new[1:-1, 1:-1] = inner
        return new

    def body(s: Any) -> Any:
        new = step(s[0])
        return new, abs(new - s[0]).max(), s[2] + 1

    ours = la.while_loop(lambda s: s[1] > 1e-6, body, (u, np.inf, 0))
    state = (u, np.inf, 0)
    while state[1] > 1e-6:
        state = body(state)
    got = la.evaluate(*ours)
    np.testing.assert_array_equal(got[0], state[0])
    assert got[1] == state[1] and got[2] == state[2]


def test_condition_that_fails_at_once() -> None:
    x = np.ones(4)
    np.testing.assert_array_equal(
        la.evaluate(la.while_loop(lambda v: (v > 5).any(), lambda v: v[::-1], x)), x
    )
    np.testing.assert_array_equal(la.evaluate(la.while_loop(lambda v: v > 5, lambda v: v, x)), x)


# -- what is refused -----------------------------------------------------------------------------


def test_condition_is_bool() -> None:
    with pytest.raises(DTypeError, match="must be bool, got float64") as caught:
        la.while_loop(lambda v: v.sum(), lambda v: v, np.ones(3))
    assert "test_while_loop.py" in str(caught.value)


def test_condition_has_the_shape_of_the_states() -> None:
    with pytest.raises(ShapeError, match=r"condition has shape \(3,\), the states \(3,\), \(\)"):
        la.while_loop(lambda s: s[0] > 0, lambda s: s, (np.ones(3), 1))


def test_condition_for_each_element_needs_an_elementwise_body() -> None:
    with pytest.raises(ArgumentError, match="elementwise") as caught:
        la.while_loop(lambda v: v > 0, lambda v: v[::-1] - 1, np.ones(3))
    assert "test_while_loop.py" in str(caught.value)


def test_condition_is_one_array() -> None:
    with pytest.raises(ArgumentError, match="must be one array"):
        la.while_loop(lambda v: (v > 0, v > 1), lambda v: v, np.ones(3))
