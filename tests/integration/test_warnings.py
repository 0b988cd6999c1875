"""NumPy's warnings: integer division, ``np.errstate``, and what is silent by design."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
INTEGERS = [np.dtype(code) for code in "bBhHiIlLqQ"]


def caught(function: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a value and the texts of the warnings on the way to it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        value = function()
    assert all(issubclass(w.category, RuntimeWarning) for w in found)
    return value, sorted({str(w.message) for w in found})


def both(function: Callable[..., Any], *arrays: Array) -> None:
    """Check that lazyarr's values and warnings are NumPy's."""
    wanted, expected = caught(lambda: function(*arrays))
    found, warned = caught(lambda: la.evaluate(function(*map(la.asarray, arrays))))
    np.testing.assert_array_equal(found, wanted)
    assert warned == expected


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("function", [np.floor_divide, np.remainder, np.fmod])
def test_division_by_zero_warns_as_numpy_does(
    function: Callable[..., Any], dtype: np.dtype[Any]
) -> None:
    a = np.arange(1, 101).astype(dtype)
    b = np.arange(100).astype(dtype)
    both(function, a, b)  # one zero
    both(function, a, b + np.ones((), dtype))  # none
    both(function, a, np.zeros(100, dtype))


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.kind == "i"], ids=str)
@pytest.mark.parametrize("function", [np.floor_divide, np.remainder, np.fmod])
def test_the_least_number_by_minus_one(function: Callable[..., Any], dtype: np.dtype[Any]) -> None:
    a = np.full(5, np.iinfo(dtype).min, dtype)
    both(function, a, np.array([1, -1, 2, -1, 3], dtype))
    both(function, a, np.array([1, -1, 0, -1, 3], dtype))
    both(function, a + np.ones((), dtype), np.full(5, -1, dtype))


def test_python_numbers_as_divisors() -> None:
    a = np.arange(10)
    both(lambda x: x // 0, a)
    both(lambda x: x % 0, a)
    both(lambda x: x // 3, a)
    both(lambda x: 7 // x, a)
    both(lambda x: 7 // (x + 1), a)
    both(lambda x: x // 0, np.arange(0))


def test_integer_reciprocal() -> None:
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = np.reciprocal(np.array([1, 2, 0, -1]))
    x = la.asarray(np.array([1, 2, 0, -1]))
    value, warned = caught(lambda: la.evaluate(np.reciprocal(x)))
    np.testing.assert_array_equal(value, wanted)
    assert warned == [
        "divide by zero encountered in reciprocal",
        "invalid value encountered in reciprocal",
    ]


def test_divmod_warns_for_both_of_its_results() -> None:
    x = la.asarray(np.arange(5))
    _, warned = caught(lambda: la.evaluate(*np.divmod(x, 0)))
    assert warned == [
        "divide by zero encountered in floor_divide",
        "divide by zero encountered in remainder",
    ]


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y: x // y,
        lambda x, y: (x // y).sum(),
        lambda x, y: (x // y).sum(axis=0),
        lambda x, y: (x // y).sum(axis=1),
        lambda x, y: (x // y).max(axis=1)[:, None] + x,
        lambda x, y: np.sqrt(np.abs(x // y)),
        lambda x, y: np.concatenate([x // y, x]),
        lambda x, y: (x // y).argmax(),
        lambda x, y: (x // y)[1:, ::2],
        lambda x, y: x.sum(axis=0) // y[0],
        lambda x, y: x.sum() // y,
        lambda x, y: x[:3, :3] @ (x // y)[:3],
    ],
)
@pytest.mark.parametrize("shape", [(20, 30), (300, 300), (3, 50_000)])
def test_every_loop_template_notices_one_zero(
    build: Callable[..., Any], shape: tuple[int, int]
) -> None:
    a = np.arange(1, 1 + shape[0] * shape[1]).reshape(shape)
    zero = np.ones(shape, int)
    zero[0, -1] = zero[-1, -2] = 0
    x, y = la.asarray(a), la.asarray(zero)
    _, warned = caught(lambda: la.evaluate(build(x, y)))
    assert warned == ["divide by zero encountered in floor_divide"]
    _, warned = caught(lambda: la.evaluate(build(x, la.asarray(zero + 1))))
    assert warned == []


def test_one_warning_an_evaluation_at_the_users_line() -> None:
    x = la.asarray(np.arange(200_000))
    expression = x // (x % 7)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            la.evaluate(expression, expression + 1)
        assert [str(w.message) for w in found] == ["divide by zero encountered in floor_divide"]
        assert found[0].filename == __file__
        source = inspect.getsource(test_one_warning_an_evaluation_at_the_users_line)
        first = test_one_warning_an_evaluation_at_the_users_line.__code__.co_firstlineno
        assert "x // (x % 7)" in source.splitlines()[found[0].lineno - first]


def test_implicit_evaluation_warns_at_the_users_line_too() -> None:
    x = la.asarray(np.arange(5))
    with pytest.warns(RuntimeWarning, match="floor_divide") as found:
        float((x // x).sum())
    assert found[0].filename == __file__


def test_errstate_decides_when_it_is_evaluated() -> None:
    x = la.asarray(np.arange(5))
    y = 1 // x
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(la.evaluate(y), [0, 1, 0, 0, 0])
    with np.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in floor_div"):
            la.evaluate(y)
    with np.errstate(all="ignore", divide="warn"), pytest.warns(RuntimeWarning):
        la.evaluate(y)
    with np.errstate(all="raise", divide="ignore"):
        la.evaluate(y)


def test_errstate_calls_prints_and_logs(capfd: pytest.CaptureFixture[str]) -> None:
    y = 1 // la.asarray(np.arange(5))
    called: list[tuple[str, int]] = []
    with np.errstate(divide="call", call=lambda kind, flag: called.append((kind, flag))):
        la.evaluate(y)
    assert called == [("divide by zero", 1)]

    class Log:
        lines: list[str] = []  # noqa: RUF012 - one test, one list

        def write(self, line: str) -> None:
            self.lines.append(line)

    with np.errstate(divide="log", call=Log()):
        la.evaluate(y)
    assert len(Log.lines) == 1 and "divide by zero" in Log.lines[0]
    with np.errstate(divide="print"):
        la.evaluate(y)
    assert "divide by zero" in capfd.readouterr().err


def test_raising_leaves_nothing_behind() -> None:
    from lazyarr.runtime.pool import pool

    x = la.asarray(np.arange(200_000))
    y = x // (x % 7)
    before = pool.info().in_use
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        la.evaluate(y)
    assert pool.info().in_use == before


def test_where_and_dead_code() -> None:
    a = np.arange(5)
    x = la.asarray(a)
    # NumPy divides before where() chooses, and so does a kernel.
    both(lambda v: np.where(v > 0, 10 // v, 0), a)
    unused = x // 0
    assert caught(lambda: la.evaluate(x + 1))[1] == []
    del unused


def test_only_kernels_that_divide_integers_carry_the_check() -> None:
    x = la.asarray(np.arange(1.0, 9.0))
    for expression in (x // 2.0, x / 0.0, x % 3.0, np.exp(x), x.sum()):
        assert "status" not in "".join(k.source for k in la.explain(expression).kernels)
    n = la.asarray(np.arange(8))
    assert "status" in la.explain(n // 3 + n).kernels[0].source
