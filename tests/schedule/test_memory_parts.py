"""Values that a loop or another function of several results returns lie in its one block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

STEPS, ROWS, WIDTH = 8, 16, 24
#: Bytes of one state of a loop.
STATE = ROWS * WIDTH * 8


def some(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape) * 0.1


def loss(w: Any, x: Any) -> Any:
    return (la.fori_loop(STEPS, lambda i, x: la.tanh(x @ w), x) ** 2).sum()


def peaks(function: Any, *arguments: Any) -> list[tuple[int, int]]:
    """Return planned and measured peak of the runs of a call, that of the call itself last."""
    with la.profile() as profile:
        function(*arguments)
    return [(run.planned_peak, run.measured_peak) for run in profile.runs]


def test_recorded_states_are_counted_once() -> None:
    """The states that a loop records for its derivative are read where it writes them."""
    w, x = some(WIDTH, WIDTH), some(ROWS, WIDTH, seed=1)
    step = la.jit(la.value_and_grad(loss))
    step(w, x)
    recorded = STEPS * STATE
    # Products and operands of their derivatives, one state for each iteration, and the last state.
    assert recorded < step.explain(w, x).peak_bytes < 2 * recorded + 8 * STATE
    *_, last = peaks(step, w, x)
    assert last == (step.explain(w, x).peak_bytes,) * 2


def test_the_peak_of_each_iteration_is_exact() -> None:
    """Results in memory of the caller's are left out of both."""
    w, x = some(WIDTH, WIDTH), some(ROWS, WIDTH, seed=1)
    step = la.jit(la.value_and_grad(loss))
    step(w, x)
    runs = peaks(step, w, x)
    assert len(runs) == 2 * STEPS + 1
    assert all(planned == measured for planned, measured in runs)


def test_a_result_is_no_part_of_a_block() -> None:
    """The other states would stay in memory as long as it, and all can be written to."""
    x = some(200, 30)

    def two(x: Any) -> Any:
        y = x.T @ x
        return la.fori_loop(3, lambda i, s: (s[0] @ y, s[1] + s[0]), (y, y))

    function = la.jit(two)
    for _ in range(3):
        first, second = function(x)
        assert not np.shares_memory(first, second)
        assert {first.nbytes, second.nbytes} == {30 * 30 * 8}
        assert first.base is None or first.base.nbytes <= 30 * 30 * 8
        first[:] = 0
    np.testing.assert_allclose(function(x)[1], la.jit(lambda x: two(x)[1])(x))
