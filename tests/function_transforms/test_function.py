"""lazyarr.jit: what is traced, when it is traced again, and functions within functions."""

from __future__ import annotations

import functools
import gc
import inspect
import math
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ShapeError
from lazyarr.runtime import run_log
from tests.support.jit_traces import counted

X = np.arange(12.0).reshape(3, 4)


class TestTracing:
    def test_other_contents_sizes_and_numbers_do_not_trace_again(self):
        f, runs = counted(lambda x, s: x * s + x.sum())
        for size in (1, 5, 3, 1000):
            for number in (2.0, 0.0, -1.5, math.nan):
                x = np.arange(float(size))
                np.testing.assert_array_equal(f(x, number), x * number + x.sum())
        assert len(runs) == 1

    def test_other_sizes_do_not_compile_again(self):
        f = la.jit(lambda x: np.tanh(x) * 3.25 + 1.125)
        f(np.ones(10))
        compiled = la.cache.info().kernels.compiled
        for size in (2, 100, 100_000):
            f(np.ones(size))
        assert la.cache.info().kernels.compiled == compiled

    def test_other_layouts_do_not_trace_again(self):
        f, runs = counted(lambda x: x - 1)
        for x in (X, X[::-1], X[:, ::2], X.T, np.broadcast_to(X[0], (5, 4))):
            np.testing.assert_array_equal(f(x), x - 1)
        assert len(runs) == 1

    @pytest.mark.parametrize(
        "other",
        [X.astype("f4"), X.ravel(), X > 1, 2.0, np.float64(2), [X], (X,), {"x": X}],
        ids=lambda x: type(x).__name__,
    )
    def test_other_types_trace_again(self, other: Any):
        f, runs = counted(lambda x: la.asarray(x if not isinstance(x, (list, tuple, dict)) else 1))
        f(X)
        f(other)
        f(other)
        assert len(runs) == 2

    def test_functions_of_lazyarr_may_look_at_sizes(self):
        def function(x):
            return (
                la.mean(x),
                x.var(axis=0),
                np.linalg.norm(x),
                la.linalg.norm(x),
                x.reshape(-1),
                x[1:, ::-1],
                np.concatenate([x, x]),
                la.special.expit(x),
            )

        f, runs = counted(function)
        for x in (X, X[:2], X[:, :1], np.ones((7, 9))):
            got = f(x)
            assert len(got) == 8
            np.testing.assert_allclose(got[1], x.var(axis=0))
            np.testing.assert_array_equal(got[4], x.reshape(-1))
            np.testing.assert_array_equal(got[5], x[1:, ::-1])
            np.testing.assert_array_equal(got[6], np.concatenate([x, x]))
        assert len(runs) == 1

    @pytest.mark.parametrize(
        "look",
        [
            lambda x: x.shape[0],
            len,
            lambda x: x.size,
            lambda x: x.nbytes,
            np.shape,
            np.size,
            la.size,
            lambda x: len(list(x)),
        ],
    )
    def test_looking_at_a_size_traces_for_each_size(self, look: Callable[..., int]):
        f, runs = counted(lambda x: x * look(x))
        for size in (4, 7, 4, 7):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x), x * look(la.asarray(x)))
            y = np.arange(2.0 * size)[::2]
            np.testing.assert_array_equal(f(y), y * look(la.asarray(y)))
        assert len(runs) == 2

    @pytest.mark.parametrize("in_thread", [False, True])
    def test_sizes_of_arrays_that_hold_no_argument_count(self, in_thread: bool):
        def function(x):
            zeros = np.zeros_like(x)
            zeros[...] = 1
            results: list[int] = []
            if in_thread:
                thread = threading.Thread(target=lambda: results.append(zeros.size))
                thread.start()
                thread.join()
            else:
                results.append(zeros.size)
            return x * results[0]

        f = la.jit(function)
        for size in (1, 3, 4):
            np.testing.assert_array_equal(f(np.ones(size)), np.full(size, float(size)))

    def test_sizes_read_in_another_thread_count(self):
        def function(x):
            results: list[int] = []
            thread = threading.Thread(target=lambda: results.append(x.shape[0]))
            thread.start()
            thread.join()
            return x * results[0]

        f, runs = counted(function)
        for size in (3, 4):
            np.testing.assert_array_equal(f(np.ones(size)), np.full(size, float(size)))
        assert len(runs) == 2

    def test_arrays_made_in_another_thread_are_not_lost(self):
        def function(x):
            created: list[Any] = []
            thread = threading.Thread(target=lambda: created.append(x[1:] * x.sum()))
            thread.start()
            thread.join()
            return created[0] + 1

        f = la.jit(function)
        for size in (3, 6):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x), x[1:] * x.sum() + 1)

    def test_an_axis_that_comes_and_goes_with_the_size(self):
        f, _ = counted(lambda x: np.squeeze(x) * 2 if np.squeeze(x).ndim == 1 else np.squeeze(x))
        for shape in ((3, 1), (3, 2), (1, 1), (4, 1)):
            x = np.arange(float(math.prod(shape))).reshape(shape)
            want = np.squeeze(x) * 2 if np.squeeze(x).ndim == 1 else np.squeeze(x)
            np.testing.assert_array_equal(f(x), want)

    def test_an_error_that_depends_on_sizes_may_be_caught(self):
        def function(x, y):
            try:
                return x + y
            except ShapeError:
                return x * 2

        f = la.jit(function)
        np.testing.assert_array_equal(f(np.ones(3), np.ones(4)), np.full(3, 2.0))
        np.testing.assert_array_equal(f(np.ones(4), np.ones(4) * 4), np.full(4, 5.0))
        np.testing.assert_array_equal(f(np.ones(5), np.ones(4)), np.full(5, 2.0))

    def test_a_shape_that_does_not_fit_later_is_an_error_at_the_line(self):
        f, runs = counted(lambda x, y: x + y)
        f(np.ones(3), np.ones(3))
        with pytest.raises(ShapeError, match=r"test_function\.py"):
            f(np.ones(3), np.ones(4))
        f(np.ones(4), np.ones(1))
        assert len(runs) == 2

    def test_closures_over_traced_arrays_are_not_replayed_with_old_sizes(self):
        f = la.jit(lambda x: np.apply_along_axis(lambda row: row, 0, np.ones(2)) + x[:1] * x.sum())
        for size in (2, 5):
            x = np.arange(float(size))
            np.testing.assert_array_equal(f(x), np.ones(2) + x[:1] * x.sum())

    def test_captured_arrays_are_read_at_each_call(self):
        weight = np.ones(3)
        f = la.jit(lambda x: x * weight)
        np.testing.assert_array_equal(f(np.arange(3.0)), np.arange(3.0))
        weight[:] = 2
        np.testing.assert_array_equal(f(np.arange(3.0)), np.arange(3.0) * 2)

    def test_settings_are_followed(self):
        f = la.jit(lambda x: x * 2)
        with la.config(backend="numba"):
            np.testing.assert_array_equal(f(X), X * 2)
        with la.config(max_memory=1), pytest.raises(MemoryError):
            f(X)
        np.testing.assert_array_equal(f(X), X * 2)

    def test_the_number_of_traces_is_bounded(self):
        f = la.jit(lambda x: x * len(x))
        with la.config(hints=False):
            for size in range(1, 100):
                f(np.ones(size))
        assert f.cache_info().traces <= 64
        assert len(f.cache_info().retraces) <= 64
        assert f.cache_info().launches <= 256
        np.testing.assert_array_equal(f(np.ones(1)), np.ones(1))

    def test_arguments_are_not_kept_alive(self):
        f = la.jit(lambda x: x + 1)
        x = np.ones(5)
        gone = weakref.ref(x)
        f(x)
        f(x)
        del x
        gc.collect()
        assert gone() is None


class TestNumbers:
    def test_numbers_are_weak(self):
        f = la.jit(lambda x, s: (x * s, x + (s + 1)))
        x = X.astype("f4")
        for number in (2.0, 3, True):
            for got in f(x, number):
                assert got.dtype == np.float32

    def test_arithmetic_of_numbers_stays_open(self):
        def function(x, s, n):
            return x * (s**2 + 1 / s - abs(-s) % 3) + (n // 2 << 1), s > 1, -n, n & 3

        f, runs = counted(function)
        for s, n in ((2.0, 5), (0.5, 8), (-3.25, 11)):
            got = f(X, s, n)
            want = function(X, s, n)
            np.testing.assert_array_equal(got[0], want[0])
            assert got[1:] == want[1:]
            assert list(map(type, got[1:])) == list(map(type, want[1:]))
        assert len(runs) == 1

    def test_control_flow_on_a_number_traces_for_each_outcome(self):
        f, runs = counted(lambda x, s: x + 1 if s > 0 else x - 1)
        for s in (1.0, 2.0, -1.0, 3.0, -2.0):
            np.testing.assert_array_equal(f(X, s), X + 1 if s > 0 else X - 1)
        assert len(runs) == 2

    @pytest.mark.parametrize(
        ("function", "numbers"),
        [
            (lambda x, n: sum([x * k for k in range(n)], x), (1, 2, 3)),
            (lambda x, n: x.sum(axis=n), (0, 1, 0)),
            (lambda x, n: x[n], (0, 1, -1)),
            (lambda x, n: x[:n], (0, 1, 2)),
            (lambda x, n: x.reshape(n, -1), (1, 2, 3)),
            (lambda x, n: x * math.sin(n), (1, 2, 3)),
            (lambda x, n: x * round(n), (1.5, 2.5, 3.25)),
            (lambda x, n: x * {1: 5.0, 2: 6.0}[n], (1, 2, 1)),
            (lambda x, n: x * float(f"{n}"), (1.5, 2.0, -0.0)),
            (lambda x, n: x.astype(np.int64) ** n, (1, 2, 3)),
            (lambda x, n: x.astype(np.int8) < n, (1, 300, -300)),
            (lambda x, n: x * np.array([n, 1.0, 2.0, n]), (1, 2.5, 3)),
            (lambda x, n: np.full((3, 4), n) + x, (1, 2.5, 3)),
            (lambda x, n: x * divmod(n, 2)[1], (1, 2, 3)),
            (lambda x, n: x * n.real, (1.5, 2.5, 2.5)),
            (lambda x, n: x * 2**n, (2, -1, 0)),
            (lambda x, n: x * (n is not None) * isinstance(n, int), (2, 1.5, True)),
        ],
    )
    def test_whatever_looks_at_a_number_sees_the_right_one(self, function, numbers):
        f = la.jit(function)
        for _ in range(2):
            for n in numbers:
                np.testing.assert_allclose(f(X, n), np.asarray(function(X, n)))

    def test_zero_and_minus_zero_are_different_numbers(self):
        f = la.jit(lambda x, s: x * math.copysign(1, s))
        np.testing.assert_array_equal(f(X, 0.0), X)
        np.testing.assert_array_equal(f(X, -0.0), -X)

    def test_integers_that_do_not_fit(self):
        f = la.jit(lambda x, n: x + n)
        x = np.ones(3, np.int8)
        np.testing.assert_array_equal(f(x, 100), x + 100)
        for _ in range(2):
            with pytest.raises(OverflowError):
                f(x, 300)
        np.testing.assert_array_equal(f(x, -100), x + -100)

    def test_errors_of_numbers_are_raised(self):
        f = la.jit(lambda x, s: x * (1 / s))
        np.testing.assert_array_equal(f(X, 2.0), X * 0.5)
        with pytest.raises(ZeroDivisionError):
            f(X, 0.0)

    def test_numbers_with_arrays_of_numpy(self):
        f = la.jit(lambda s: (np.ones(2, "f4") * s, np.sin(s), np.float64(3) - s, s + np.ones(2)))
        for s in (0.5, 2.0):
            got = f(s)
            assert got[0].dtype == np.float32
            np.testing.assert_allclose(got[1], np.sin(s))
            np.testing.assert_array_equal(got[2], 3 - s)
            np.testing.assert_array_equal(got[3], np.ones(2) + s)

    def test_complex_numbers(self):
        f, runs = counted(lambda x, s: x * s + s)
        for s in (1j, 2 - 1j):
            np.testing.assert_array_equal(f(X, s), X * s + s)
        assert len(runs) == 1

    @pytest.mark.parametrize("code", "bBhHiIlLefd")
    def test_every_dtype_takes_numbers(self, code: str):
        f = la.jit(lambda x, s: x + s)
        x = np.arange(5).astype(code)
        for s in (1, 3, 100):
            got = f(x, s)
            assert got.dtype == code
            np.testing.assert_array_equal(got, x + s)

    def test_a_number_that_is_too_large_for_half_or_single_becomes_infinite(self):
        for code in "ef":
            f = la.jit(lambda x, s: x * s)
            x = np.ones(3, code)
            for s in (2.0, 1e39):
                with np.errstate(all="ignore"):
                    np.testing.assert_array_equal(f(x, s), x * s)


class TestComposition:
    def test_lazy_arguments_give_lazy_results(self):
        f = la.jit(lambda x, s: (x * s, [x.sum()]))
        x = la.asarray(X)
        got = f(x + 1, 2.0)
        assert isinstance(got[0], la.LazyArray) and isinstance(got[1][0], la.LazyArray)
        np.testing.assert_array_equal(la.evaluate(got[0]), (X + 1) * 2)
        mixed = la.jit(lambda x, y: x + y)(x, X)
        assert isinstance(mixed, la.LazyArray)

    def test_jitted_functions_call_jitted_functions(self):
        inner, inner_runs = counted(lambda x, s: x * s)
        outer, outer_runs = counted(lambda x, s: inner(x, s + 1) + inner(np.ones(1), s))
        for size in (3, 5):
            for s in (1.0, 2.0):
                x = np.arange(float(size))
                np.testing.assert_array_equal(outer(x, s), x * (s + 1) + s)
        assert len(outer_runs) == 1 and len(inner_runs) == 2
        assert len(outer.lower(X, 1.0)) == 1

    def test_inner_functions_may_capture_arrays_of_outer_ones(self):
        def function(x):
            @la.jit
            def inner(y):
                return x[:1] * y

            return inner(np.arange(3.0))

        f = la.jit(function)
        for size in (2, 4):
            np.testing.assert_array_equal(f(np.full(size, 2.0)), np.arange(3.0) * 2)

    def test_recursion(self):
        @la.jit(static_argnums=1)
        def power(x, n):
            return x if n == 1 else x * power(x, n - 1)

        np.testing.assert_array_equal(power(X, 4), X**4)

    def test_it_wraps_the_function(self):
        @la.jit
        def documented(x, y=2):
            """Documented."""
            return x * y

        assert documented.__doc__ == "Documented."
        assert documented.__name__ == "documented"
        assert list(inspect.signature(documented).parameters) == ["x", "y"]
        assert "documented" in repr(documented)
        np.testing.assert_array_equal(documented(X), X * 2)
        np.testing.assert_array_equal(documented(y=X, x=3), X * 3)

    def test_looking_inside(self):
        f = la.jit(lambda x, s: (x * s).sum(axis=1))
        report = f.explain(X, 2.0)
        assert len(report.kernels) == 1
        assert "test_function.py" in str(report)
        (root,) = f.lower(X, 2.0)
        assert root.shape == (3,)
        la.visualize(root)
        f(X, 2.0)
        info = f.cache_info()
        assert (info.traces, info.launches, info.traced, info.planned) == (1, 1, 1, 1)
        f.cache_clear()
        assert f.cache_info().traces == 0
        np.testing.assert_array_equal(f(X, 2.0), (X * 2).sum(axis=1))

    def test_profiles_see_calls(self):
        f = la.jit(lambda x: x + 1)
        f(X)
        runs: list[run_log.RunRecord] = []
        with run_log.listen(runs.append):
            f(X)
        assert len(runs) == 1

    def test_integer_faults_warn_as_ever(self):
        f = la.jit(lambda x, y: x // y)
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            f(np.ones(3, int), np.zeros(3, int))

    def test_eight_threads_at_once(self):
        f, runs = counted(lambda x, s: np.tanh(x * s) + x.sum())
        gate = threading.Barrier(8)
        errors: list[BaseException] = []

        def work(k: int) -> None:
            try:
                gate.wait()
                for iteration in range(200):
                    x = np.full(3 + iteration % 5, float(k))
                    np.testing.assert_allclose(f(x, 0.5), np.tanh(x * 0.5) + x.sum())
            except BaseException as error:  # noqa: BLE001
                errors.append(error)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert len(runs) == 1


def test_bound_calls_compute_again_in_the_same_memory() -> None:
    x = np.arange(4.0)
    bound = la.jit(lambda x, n: {"y": x * n, "n": n}).bind(x, 3.0)
    first = bound.results["y"]
    np.testing.assert_array_equal(np.asarray(first), [0.0, 3.0, 6.0, 9.0])
    x += 1
    assert bound() is bound.results
    np.testing.assert_array_equal(np.asarray(first), [3.0, 6.0, 9.0, 12.0])
    assert bound.results["n"] == 3.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(first)[0] = 1


def test_bound_calls_of_what_has_no_arrays() -> None:
    assert la.jit(lambda n: n + 1).bind(2)() == 3


def test_methods_are_persisted_and_bound() -> None:
    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @functools.partial(la.jit, static_argnums=0)
        def scaled(self, x: Any) -> Any:
            return x * self.factor

    model, x = Model(3.0), np.arange(3.0)
    np.testing.assert_array_equal(np.asarray(model.scaled.persist(x)), x * 3)
    np.testing.assert_array_equal(np.asarray(model.scaled.bind(x)()), x * 3)
