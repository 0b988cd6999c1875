"""Traced functions of short kernels and library calls, in C: values, warnings and errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import mixed_calls
from lazyarr.execution.cpu.mixed_sequence import MixedSequence
from lazyarr.execution.cpu.small_calls import COMPILED
from lazyarr.execution.cpu.step_by_step import StepByStep

pytestmark = pytest.mark.skipif(COMPILED is None, reason="calls in C are of the compiled form")

Array = np.ndarray[Any, Any]


def square(xp: Any, x: Any) -> Any:
    return x.reshape(-1)[:9].reshape(3, 3) + 5 * xp.eye(3)


FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "sorted between kernels": lambda xp, x: xp.sort(x * 2, axis=0)[::-1] + 1,
    "a spectrum and back": lambda xp, x: xp.fft.irfft(xp.fft.rfft(x * 0.5) * 2, x.shape[-1]),
    "of one factorisation": lambda xp, x: xp.linalg.solve(square(xp, x), x.reshape(-1)[:3]) * 3,
    "several results": lambda xp, x: (xp.linalg.inv(square(xp, x)), xp.argsort(x, axis=0), x - 1),
    "a pack": lambda xp, x: xp.linalg.eigh(square(xp, x) + square(xp, x).T)[1] * 2,
    "nothing but a call": lambda xp, x: xp.partition(x, 1, axis=0),
    "of a strided part": lambda xp, x: xp.cumsum(xp.sort(x, axis=0)[1::2], axis=0),
    "one number": lambda xp, x: xp.linalg.det(square(xp, x)) + 1,
}


@pytest.fixture
def in_c(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each function adds whether its calls are in C."""
    seen: list[bool] = []
    form = mixed_calls.mixed_call

    def noting(*args: Any) -> Any:
        call = form(*args)
        seen.append(call is not None)
        return call

    monkeypatch.setattr(mixed_calls, "mixed_call", noting)
    return seen


def tuple_of(value: Any) -> tuple[Array, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_calls_return_what_python_s_form_returns(form: str, dtype: str, in_c: list[bool]) -> None:
    function = la.jit(lambda x: FORMS[form](la, x))
    x = np.random.default_rng(0).standard_normal((6, 4)).astype(dtype)
    first = tuple_of(function(x))  # which Python's form computes
    assert in_c == [True]
    for order in ("C", "F"):
        again = tuple_of(function(np.array(x, order=order)))  # type: ignore[call-overload]
        for value, expected in zip(again, first, strict=True):
            assert value.dtype == expected.dtype
            np.testing.assert_array_equal(value, expected)
            assert value.flags.owndata or value.base is not None
            assert not np.shares_memory(value, x)
    later = tuple_of(function(-x))
    numpys = tuple_of(FORMS[form](np, -x))
    rounding = 2e-3 if dtype == "f4" else 1e-9
    for value, expected in zip(later, numpys, strict=True):
        np.testing.assert_allclose(value, expected, rtol=rounding, atol=rounding)
    for value, expected in zip(again, first, strict=True):
        np.testing.assert_array_equal(value, expected)  # no later call has written there


@pytest.mark.parametrize("threads", [1, 3])
def test_middle_sized_arrays_are_divided_among_threads(threads: int, in_c: list[bool]) -> None:
    def compute(xp: Any, x: Any) -> Any:
        return xp.sort(x * 2, axis=0)[::-1] + 1, xp.sort(1 / x, axis=1) * x

    x = np.random.default_rng(0).standard_normal((130, 120))
    with la.config(threads=threads):
        function = la.jit(lambda x: compute(la, x))
        for factor in (1, 1, 2, 3):
            for value, expected in zip(function(x * factor), compute(np, x * factor), strict=True):
                np.testing.assert_array_equal(value, expected)
        x[3, 4] = 0
        assert warned(function, x) == warned(lambda x: compute(np, x), x) != []
    assert in_c == [True]


def test_an_array_that_is_captured_is_read_at_each_call(in_c: list[bool]) -> None:
    matrix, x = np.eye(3), np.arange(3.0)
    captured = la.asarray(matrix)
    function = la.jit(lambda x: la.linalg.solve(captured, x))
    for factor in (1, 2, 4):
        np.copyto(matrix, np.eye(3) * factor)
        np.testing.assert_array_equal(function(x), x / factor)
    assert in_c == [True]


def warned(function: Callable[[Array], Any], x: Array) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(x)
    return sorted(str(warning.message) for warning in caught)


def test_what_numpy_meets_and_kernels_report_is_warned_of(in_c: list[bool]) -> None:
    def compute(xp: Any, x: Any) -> Any:
        return xp.linalg.det(xp.sort(1 / x, axis=-1))

    function = la.jit(lambda x: compute(la, x))
    fine, zeros = 1 + np.arange(9.0).reshape(3, 3) ** 2, np.zeros((3, 3))
    for x in (fine, fine, zeros, fine * 1e-200, fine, -zeros):
        assert warned(function, x) == warned(lambda x: compute(np, x), x)
    assert in_c == [True]
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        function(zeros)
    with np.errstate(all="ignore"):
        assert warned(function, zeros) == []
    assert np.geterr()["divide"] == "warn"


def test_underflows_that_numpy_ignores_are_computed_once(in_c: list[bool]) -> None:
    function = la.jit(lambda x: la.linalg.det(x * 2) + 1)
    tiny = np.eye(3) * 1e-200
    function(tiny)
    with mock.patch.object(MixedSequence, "launch", side_effect=AssertionError("ran again")):
        assert function(tiny) == 1
        with np.errstate(under="warn"), pytest.raises(AssertionError, match="ran again"):
            function(tiny)
    with np.errstate(under="warn"):
        numpys = warned(lambda x: np.linalg.det(x * 2) + 1, tiny)
        assert warned(function, tiny) == numpys != []
    assert in_c == [True]


def test_errors_of_a_library_name_the_line(in_c: list[bool]) -> None:
    function = la.jit(lambda x: la.linalg.inv(x * 2) + 1)
    for _ in range(2):
        function(np.eye(3))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        function(np.zeros((3, 3)))
    assert "test_mixed_calls" in str(caught.value.__notes__)
    np.testing.assert_array_equal(function(np.eye(3)), np.eye(3) / 2 + 1)
    assert in_c == [True]


def test_a_result_of_another_shape_lies_in_the_memory_of_a_product(in_c: list[bool]) -> None:
    """The product is of one column, and what is added to it in its place is a vector."""
    matrix = np.random.default_rng(0).standard_normal((500, 30))

    def stepped(xp: Any, v: Any) -> Any:
        return (matrix.T @ (xp.asarray(matrix) @ v[:, None])).reshape(30) + 0.5 * v

    function = la.jit(lambda v: stepped(la, v))
    v = np.ones(30)
    for factor in (1, 1, 2, 3):
        value = function(v * factor)
        np.testing.assert_allclose(value, stepped(np, v * factor), rtol=1e-12)
        assert value.shape == (30,)
    assert in_c == [True]


def test_a_step_of_training_overwrites_its_parameters_in_c(in_c: list[bool]) -> None:
    def loss(weights: Any, x: Any, y: Any) -> Any:
        for weight in weights[:-1]:
            x = la.tanh(x @ weight)
        gram = weights[0].T @ weights[0]  # which NumPy computes
        return ((x @ weights[-1] - y) ** 2).mean() + (gram**2).mean()

    def step(weights: Any, count: Any, x: Any, y: Any) -> Any:
        value, slopes = la.value_and_grad(loss)(weights, x, y)
        moved = [w - s / (count + 1) for w, s in zip(weights, slopes, strict=True)]
        return value, moved, count + 1

    random = np.random.default_rng(0)
    shapes = [(9, 5), (9, 3), (5, 7), (7, 3)]
    x, y, *weights = (random.standard_normal(shape) for shape in shapes)
    keeping, donating = la.jit(step), la.jit(step, donate=(0, 1))
    saved, count = [w.copy() for w in weights], np.zeros(())
    own, own_count = [w.copy() for w in weights], np.zeros(())
    place = own_count.ctypes.data
    with mock.patch.object(StepByStep, "launch", side_effect=AssertionError("step by step")):
        for _ in range(4):
            expected, saved, count = keeping(saved, count, x, y)
            before = own
            value, own, own_count = donating(own, own_count, x, y)
            assert value == expected and count == own_count
            for mine, theirs in zip(own, saved, strict=True):
                np.testing.assert_array_equal(mine, theirs)
            with pytest.raises(la.errors.ArgumentError, match="donated to step"):
                la.asarray(before[0])
    assert own_count.ctypes.data == place
    assert in_c == [True, True]


@pytest.mark.parametrize("size", [3, 120])
def test_what_was_overwritten_is_restored_where_numpy_warns(size: int, in_c: list[bool]) -> None:
    """Of few bytes; more are overwritten where NumPy keeps account of what it meets."""

    def step(x: Any) -> Any:
        moved = x * 2
        return moved, la.linalg.det(moved)

    keeping, donating = la.jit(step), la.jit(step, donate=0)
    fine, huge = np.eye(size) / 2, np.eye(size) * 1e200
    for value in (fine, fine, huge, fine, huge):
        with warnings.catch_warnings(record=True) as expected_warnings:
            warnings.simplefilter("always")
            expected = keeping(value)
        donated = value.copy()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            moved, determinant = donating(donated)
        assert [str(w.message) for w in caught] == [str(w.message) for w in expected_warnings]
        assert bool(caught) == (value is huge)
        np.testing.assert_array_equal(moved, expected[0])
        assert determinant == expected[1]
        assert np.shares_memory(moved, donated)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            moved, determinant = donating.persist(la.asarray(value.copy()))
        np.testing.assert_array_equal(moved, expected[0])
        assert determinant == expected[1]
    assert in_c == [True, size == 3]


def test_a_library_that_fails_takes_the_donated_arguments(in_c: list[bool]) -> None:
    inverse = la.jit(lambda x: (x * 2, la.linalg.inv(x * 2)), donate=0)
    inverse(np.eye(3))
    singular = np.zeros((3, 3))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        inverse(singular)
    with pytest.raises(la.errors.ArgumentError, match="a call that failed"):
        la.asarray(singular)
    assert in_c == [True]


def powers(xp: Any, x: Any, between: Callable[[Any], Any] = lambda x: x) -> Any:
    """Return sums of logarithms along a loop whose body multiplies."""

    def body(_: Any, state: Any) -> Any:
        value, total = state
        return value @ (0.5 * xp.eye(3)), between(total) + xp.log(value).sum(axis=0)

    state = (x * 2, xp.zeros(3))
    if xp is la:
        return la.fori_loop(5, body, state)[1] + 1
    for k in range(5):
        state = body(k, state)
    return state[1] + 1


LOOPS: dict[str, Callable[[Any], Any]] = {
    "counted": lambda x: powers(la, x),
    "recorded": lambda x: la.grad(lambda x: powers(la, x).sum())(x),
    "conditional": lambda x: la.while_loop(lambda x: x.sum() < 1e3, lambda x: x @ x + x, x * 2) - 1,
    "nested": lambda x: la.fori_loop(2, lambda _, s: x * powers(la, x + s) ** 2, x * 0) * 2,
    "of many arrays": lambda x: la.fori_loop(
        3, lambda _, s: [s[0] @ (0.5 * la.eye(3)), *(v + s[0] for v in s[1:])], [x + 1] * 20
    )[-1],
}


@pytest.mark.parametrize("name", LOOPS)
def test_plans_with_loops_are_calls_in_c(name: str, in_c: list[bool]) -> None:
    function = la.jit(LOOPS[name])
    x = 1 + np.random.default_rng(0).random((3, 3))
    expected = [LOOPS[name](la.asarray(x * k)).compute() for k in (1, 2)]
    with mock.patch.object(StepByStep, "launch", side_effect=AssertionError("step by step")):
        np.testing.assert_allclose(function(x), expected[0], rtol=1e-13)
    in_c.clear()
    with mock.patch.object(MixedSequence, "launch", side_effect=AssertionError("ran again")):
        for _ in range(2):
            np.testing.assert_allclose(function(x), expected[0], rtol=1e-13)
            np.testing.assert_allclose(function(2 * x), expected[1], rtol=1e-13)
    assert not in_c


def test_what_a_loop_meets_is_warned_of_as_often_as_it_is_met() -> None:
    function = la.jit(lambda x: powers(la, x))
    fine, zeros = 1 + np.arange(9.0).reshape(3, 3) ** 2, np.zeros((3, 3))
    for x in (fine, fine, zeros, fine, -fine, zeros):
        assert warned(function, x) == warned(lambda x: powers(np, x), x)
    assert len(warned(function, zeros)) == 5
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        function(zeros)
    with np.errstate(all="ignore"):
        assert warned(function, zeros) == []


def test_underflows_in_a_loop_are_computed_once() -> None:
    function = la.jit(lambda x: la.fori_loop(9, lambda _, s: la.exp(-1e4 - s @ s), x) + 1)
    large = np.full((3, 3), 1e6)
    function(large)
    with mock.patch.object(MixedSequence, "launch", side_effect=AssertionError("ran again")):
        np.testing.assert_array_equal(function(large), np.ones((3, 3)))


def test_a_loop_whose_body_warns_in_python_is_run_once(in_c: list[bool]) -> None:
    def middle(x: Any) -> Any:
        return np.nanmedian(x) + x  # which warns of nothing but NaN

    function = la.jit(lambda x: powers(la, x, middle))
    x = np.eye(3) + 1
    with np.errstate(all="ignore"):
        numpys = warned(lambda x: powers(np, x * np.nan, middle), x)
    assert len(numpys) == 4
    for _ in range(3):
        assert warned(function, x) == []
        assert warned(function, x * np.nan) == numpys
    assert in_c == [False]
