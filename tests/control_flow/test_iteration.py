"""Iterations as compiled calls: what a loop of plans runs."""

from __future__ import annotations

import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.builders import build
from lazyarr.compiler import pipeline
from lazyarr.control_flow import iteration
from lazyarr.control_flow.iteration import Iteration, Iterations
from lazyarr.execution.cpu import small_calls
from lazyarr.ops.elementwise import ELEMENTWISE

Array = np.ndarray[Any, Any]
MATRIX = np.random.default_rng(0).standard_normal((6, 6)) / 3


def powers(count: int, x: Any) -> Any:
    return la.fori_loop(count, lambda i, x: x @ MATRIX + i, x)


def eager(count: int, x: Array) -> Array:
    for i in range(count):
        x = x @ MATRIX + i
    return x


def refuse(*args: Any, **keywords: Any) -> Any:
    raise AssertionError("an iteration is an evaluation of its own")


def test_iterations_are_no_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    step = la.jit(lambda x: powers(50, x))
    x = np.ones((2, 6))
    expected = eager(50, x)
    np.testing.assert_array_equal(step(x), expected)
    monkeypatch.setattr(pipeline, "evaluate", refuse)
    monkeypatch.setattr(pipeline, "prepare", refuse)
    np.testing.assert_array_equal(step(x), expected)


def test_derivatives_are_no_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    step = la.jit(la.grad(lambda x: powers(20, x).sum()))
    x = np.ones((2, 6))
    expected = np.array(step(x))
    monkeypatch.setattr(pipeline, "evaluate", refuse)
    monkeypatch.setattr(pipeline, "prepare", refuse)
    np.testing.assert_array_equal(step(x), expected)


@pytest.mark.parametrize("layout", ["C", "F", "broadcast", "reversed"])
def test_layouts_of_first_states(layout: str) -> None:
    x = np.arange(12.0).reshape(2, 6)
    if layout == "F":
        x = np.asfortranarray(x)
    elif layout == "broadcast":
        x = np.broadcast_to(x[:1], (2, 6))
    elif layout == "reversed":
        x = x[::-1, ::-1]
    np.testing.assert_array_equal(powers(5, x).compute(), eager(5, x))
    np.testing.assert_array_equal(powers(5, x * 2).compute(), eager(5, x * 2))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_results_are_memory_of_their_own(count: int) -> None:
    x, y = np.ones((2, 6)), np.zeros((2, 6))
    whole = la.jit(lambda x, y: la.fori_loop(count, lambda i, x: x.sum(0) * 0 + y, x))
    swapped = la.jit(
        lambda x, y: la.fori_loop(count, lambda i, s: (s[1], s[0].sum() * s[0]), (x, y))
    )
    for _ in range(3):
        result = whole(x, y)
        assert not (np.shares_memory(result, x) or np.shares_memory(result, y))
        for result in swapped(x, y):
            assert not (np.shares_memory(result, x) or np.shares_memory(result, y))
    assert (x == 1).all() and not y.any()


def test_equal_arguments_are_several() -> None:
    step = la.jit(lambda x, y: la.fori_loop(4, lambda i, s: (s[0] @ s[1], s[1] + y), (x, y)))
    x = MATRIX.copy()
    y = np.eye(6)

    def expected(x: Array, y: Array) -> Array:
        first, second = x, y
        for _ in range(4):
            first, second = first @ second, second + y
        return first

    np.testing.assert_array_equal(step(x, x)[0], expected(x, x))
    np.testing.assert_array_equal(step(x, y)[0], expected(x, y))


def test_many_threads() -> None:
    step = la.jit(lambda x: powers(30, x))
    inputs = [np.full((2, 6), k / 7) for k in range(8)]
    with ThreadPoolExecutor(4) as threads:
        for x, result in zip(inputs * 4, threads.map(step, inputs * 4), strict=True):
            np.testing.assert_array_equal(result, eager(30, x))


def test_observed_and_bounded_runs_evaluate() -> None:
    iterations = Iterations(lambda nodes: (build.elementwise(ELEMENTWISE["sin"], tuple(nodes)),))
    x = np.eye(3)
    assert isinstance(iterations.compiled([x]), Iteration)
    with la.config(max_memory=1 << 20):
        assert iterations.compiled([x]) is None
        np.testing.assert_array_equal(
            powers(5, np.ones((2, 6))).compute(), eager(5, np.ones((2, 6)))
        )
    with la.config(debug="nan"):
        assert iterations.compiled([x]) is None


def test_errors_name_the_line() -> None:
    labels = la.asarray(np.array([0, 9]))
    values = np.ones((3, 4))
    loop = la.jit(lambda v: la.fori_loop(2, lambda i, v: v + v[labels].sum(), v))
    for _ in range(3):
        with pytest.raises(la.errors.IndexingError, match=r"test_iteration\.py"):
            loop(values)


def test_small_values_of_a_body_are_not_computed_at_once() -> None:
    """The body is built anew over placeholders, which have no values."""
    x = np.random.default_rng(0).standard_normal((20, 8, 16)).astype(np.float32)
    w = np.eye(16, dtype=np.float32)

    def loss(x: Any) -> Any:
        return la.fori_loop(20, lambda i, h: la.tanh(h @ w + x[i]), x[0] * 0).sum()

    value, slope = la.jit(la.value_and_grad(loss))(x)
    lazy = la.value_and_grad(loss)(x)
    np.testing.assert_allclose(value, lazy[0], rtol=1e-6)
    np.testing.assert_allclose(slope, lazy[1], rtol=1e-5, atol=1e-7)


@pytest.mark.skipif(small_calls.COMPILED is None, reason="loops in C")
def test_loops_are_one_call_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of states alone, of states and values that are recorded, and with a condition."""
    loops = [
        la.jit(lambda x: la.fori_loop(40, lambda i, s: (s[1], la.tanh(s[0] @ MATRIX + i)), (x, x))),
        la.jit(la.grad(lambda x: la.tanh(powers(40, x)).sum())),
        la.jit(lambda x: la.while_loop(lambda x: x.sum() < 1e6, lambda x: x @ MATRIX + x**2, x)),
    ]
    x = np.ones((2, 6))
    with la.config(debug="nan"):  # each iteration is an evaluation
        expected = [loop(x) for loop in loops]
    for loop in loops:
        loop(x)
    calls: list[int] = []
    call = Iteration.__call__

    def noted(self: Iteration, operands: Any) -> Any:
        calls.append(1)
        return call(self, operands)

    monkeypatch.setattr(Iteration, "__call__", noted)
    for loop, values in zip(loops, expected, strict=True):
        for one, other in zip(np.atleast_1d(loop(x)), np.atleast_1d(values), strict=True):
            np.testing.assert_array_equal(one, other)
    assert not calls


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("limit", [20, 60])
def test_iterations_that_warn_go_on(limit: int) -> None:
    """A product overflows in the middle of the loop: NumPy's warning, and its numbers."""
    grow = np.eye(6) * 1e9

    def body(i: Any, x: Any) -> Any:
        return la.sort(x, axis=-1) @ grow

    x = np.arange(12.0).reshape(2, 6)
    expected = x
    with warnings.catch_warnings(record=True) as theirs:
        warnings.simplefilter("always")
        for _ in range(limit):
            expected = np.sort(expected, axis=-1) @ grow
    step = la.jit(lambda x: la.fori_loop(limit, body, x))
    for _ in range(3):
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            np.testing.assert_array_equal(step(x), expected)
        assert {str(w.message) for w in ours} == {str(w.message) for w in theirs}


def nested(count: int, x: Any) -> Any:
    """Loops of loops, with states of several dtypes, and numbers that overflow."""

    def outer(i: Any, s: Any) -> Any:
        x, total, n = s
        x = la.fori_loop(2, lambda j, x: la.sort(x, axis=-1) @ GROW + j, x)
        return x, total + la.log(la.abs(x[0, 0]) + 1).astype(np.float32), n + i

    zero = np.zeros((), np.float32)
    x, total, n = la.fori_loop(count, outer, (x, zero, np.zeros((), np.int64)))
    return x.sum() + total + n


GROW = np.eye(6) * 1e40


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_loops_in_blocks_of_bytes_agree_with_iterations(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Those that meet a fault in the middle go on from there, with what they have recorded."""

    def runs() -> list[tuple[list[bytes], set[str]]]:
        step = la.jit(lambda x: la.value_and_grad(lambda x: nested(count, x))(x))
        results = []
        for _ in range(3):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                values = [np.asarray(value).tobytes() for value in step(np.ones((2, 6)))]
            results.append((values, {str(w.message) for w in seen}))
        return results

    packed = runs()

    def none(call: Any, count: int, operands: Any, width: int, packed: Any) -> Any:
        return 0, operands[:width]

    monkeypatch.setattr(iteration, "packed_loop", none)
    assert packed == runs()


@pytest.mark.skipif(small_calls.COMPILED is None, reason="loops in C")
def test_nested_loops_are_one_call_each(monkeypatch: pytest.MonkeyPatch) -> None:
    step = la.jit(la.grad(lambda x: la.tanh(powers_of_powers(x)).sum()))
    x = np.ones((2, 6))
    expected = np.array(step(x))
    monkeypatch.setattr(Iteration, "__call__", refuse)
    monkeypatch.setattr(Iteration, "repeat", refuse)
    np.testing.assert_array_equal(step(x), expected)


def powers_of_powers(x: Any) -> Any:
    return la.fori_loop(4, lambda i, x: powers(3, x) / 2, x)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_long_loops_are_interrupted() -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    step = la.jit(lambda count, x: powers(count, x))
    step(3, np.ones((2, 6)))
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            step(10**9, np.ones((2, 6)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(step(3, np.ones((2, 6))), eager(3, np.ones((2, 6))))


@pytest.mark.parametrize("change", ["dtype", "shape", "order", "settings"])
def test_a_loop_is_called_for_other_operands_than_before(change: str) -> None:
    """The compiled iteration of the call before is that of its operands and settings alone."""

    def body(_: Any, x: Any) -> Any:
        return la.tanh(x @ x.T @ x) + 1

    def expected(x: Array) -> Array:
        for _ in range(5):
            x = np.tanh(x @ x.T @ x) + 1
        return x

    x = np.random.default_rng(0).standard_normal((4, 6))
    other = {
        "dtype": x.astype(np.float32),
        "shape": x[:3].copy(),
        "order": np.asfortranarray(x),
        "settings": x + 1,
    }[change]
    loop = la.fori_loop(5, body, la.asarray(x))  # one loop node: its iterations are compiled once
    function = la.jit(lambda x: la.fori_loop(5, body, x))
    np.testing.assert_allclose(loop.compute(), expected(x), rtol=1e-12)
    for _ in range(3):
        for value in (x, other):
            with la.config(threads=1 if change == "settings" and value is other else 2):
                result = function(value)
            assert result.dtype == value.dtype
            np.testing.assert_allclose(result, expected(value), rtol=1e-5)
