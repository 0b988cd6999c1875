"""lazyarr.jit: what is traced, when it is traced again, and what is refused."""

from __future__ import annotations

import dataclasses
import enum
import functools
import gc
import inspect
import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, ShapeError, TracingError
from lazyarr.runtime import run_log

X = np.arange(12.0).reshape(3, 4)


def counted(function: Callable[..., Any], **options: Any) -> tuple[Any, list[int]]:
    """Return a jitted function, and a list that grows whenever the function itself runs."""
    runs: list[int] = []

    def counting(*args: Any, **keywords: Any) -> Any:
        runs.append(1)
        return function(*args, **keywords)

    counting.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return la.jit(counting, **options), runs


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


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass(frozen=True)
class Model:
    weight: Any
    name: str

    @la.jit
    def __call__(self, x):
        return x * self.weight


class Mode(enum.Enum):
    ADD = 1
    SUBTRACT = 2


class Plain:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    @la.jit(static_argnames="self")
    def scaled(self, x):
        return x * self.factor

    @la.jit
    def refused(self, x):
        return x


class TestStructures:
    def test_containers_go_in_and_come_out(self):
        def function(point, table, *rest, scale):
            return Point([point.x * scale], {"sum": table["a"] + table["b"][0]}), rest, None, "s"

        f, runs = counted(function)
        for size in (3, 4):
            a = np.arange(float(size))
            args = (Point(a, 1), OrderedDict(a=a, b=[a + 1]), a, (a,))
            got, want = f(*args, scale=2.0), function(*args, scale=2.0)
            assert type(got[0]) is Point
            np.testing.assert_array_equal(got[0].x[0], want[0].x[0])
            np.testing.assert_array_equal(got[0].y["sum"], want[0].y["sum"])
            np.testing.assert_array_equal(got[1][1][0], a)
            assert got[2:] == (None, "s")
        assert len(runs) == 1

    def test_dataclasses(self):
        for weight in (2.0, 3.0, np.arange(4.0)):
            np.testing.assert_array_equal(Model(weight, "m")(X), X * weight)

    def test_a_dataclass_comes_back(self):
        f = la.jit(lambda m, x: dataclasses.replace(m, weight=m.weight + x.sum()))
        got = f(Model(np.ones(2), "name"), X)
        assert isinstance(got, Model) and got.name == "name"
        np.testing.assert_array_equal(got.weight, np.ones(2) + X.sum())

    def test_strings_enumerations_and_none_choose_the_trace(self):
        def function(x, mode, name=None):
            return (x + 1 if mode is Mode.ADD else x - 1) * (2 if name == "double" else 1)

        f, runs = counted(function)
        for _ in range(2):
            for mode in Mode:
                for name in (None, "double"):
                    np.testing.assert_array_equal(f(X, mode, name), function(X, mode, name))
                    np.testing.assert_array_equal(f(X, mode, name=name), function(X, mode, name))
        assert len(runs) == 8

    def test_results_are_fresh(self):
        constant = np.arange(3.0)
        f = la.jit(lambda x: (x, x, constant, np.zeros(2)))
        first, second = f(X), f(X)
        for array in (*first, *second):
            assert array.flags.writeable
            array += 1
        assert not np.shares_memory(first[0], first[1])
        np.testing.assert_array_equal(X, np.arange(12.0).reshape(3, 4))
        np.testing.assert_array_equal(constant, np.arange(3.0))
        np.testing.assert_array_equal(f(X)[3], np.zeros(2))

    def test_containers_given_are_not_changed(self):
        def function(items):
            items.append(items[0] * 2)
            return items

        arguments = [X]
        assert len(la.jit(function)(arguments)) == 2
        assert len(arguments) == 1

    def test_the_same_array_twice_and_overlapping_ones(self):
        f = la.jit(lambda x, y: x * 2 + y)
        base = np.arange(10.0)
        for x, y in ((base, base), (base[1:], base[:-1]), (base[::-1], base), (base, base + 1)):
            np.testing.assert_array_equal(f(x, y), x * 2 + y)

    def test_no_arguments_and_no_arrays(self):
        assert la.jit(lambda: 3)() == 3
        assert la.jit(lambda s: s + 1)(2) == 3
        np.testing.assert_array_equal(la.jit(lambda: la.arange(3))(), np.arange(3))

    def test_static_arguments(self):
        def function(x, axis, mode="sum"):
            return getattr(np, mode)(x, axis=axis)

        for options in (
            {"static_argnums": (1, 2)},
            {"static_argnames": ("axis", "mode")},
            {"static_argnums": -1, "static_argnames": "axis"},
        ):
            f, runs = counted(function, **options)
            for _ in range(2):
                for axis in (0, 1, (0, 1), None):
                    np.testing.assert_allclose(f(X, axis, "mean"), X.mean(axis))
                    np.testing.assert_allclose(f(X, axis=axis), X.sum(axis))
            assert len(runs) == 8

    def test_static_values_are_told_apart_exactly(self):
        f = la.jit(lambda x, s: x * 1 if type(s) is int else x / s, static_argnums=1)
        np.testing.assert_array_equal(f(X, 2), X)
        np.testing.assert_array_equal(f(X, 2.0), X / 2)
        g = la.jit(lambda x, s: x * math.copysign(1, s[0]), static_argnums=1)
        np.testing.assert_array_equal(g(X, (0.0,)), X)
        np.testing.assert_array_equal(g(X, (-0.0,)), -X)

    def test_what_is_no_static_argument(self):
        with pytest.raises(ArgumentError, match="static_argnames"):
            la.jit(lambda x: x, static_argnames="y")
        with pytest.raises(ArgumentError, match="static_argnums"):
            la.jit(lambda x: x, static_argnums=3)
        with pytest.raises(ArgumentError, match="hashed"):
            la.jit(lambda x, y: x, static_argnums=1)(X, [1])

    def test_methods(self):
        two, three = Plain(2.0), Plain(3.0)
        for _ in range(2):
            np.testing.assert_array_equal(two.scaled(X), X * 2)
            np.testing.assert_array_equal(three.scaled(X), X * 3)
        assert "multiply" in str(two.scaled.explain(X))
        with pytest.raises(ArgumentError, match="Plain"):
            two.refused(X)

    @pytest.mark.parametrize("value", [object(), {1, 2}, Plain(1.0)])
    def test_what_is_no_argument_or_result(self, value: object):
        with pytest.raises(ArgumentError, match=r"neither array, number nor\s+container"):
            la.jit(lambda x: X)(value)
        with pytest.raises(ArgumentError, match="returns an object of type"):
            la.jit(lambda x: value)(X)

    def test_objects_that_are_no_numbers_at_all(self):
        with pytest.raises(la.errors.DTypeError):
            la.jit(lambda x: x)(np.array([object()]))

    def test_other_array_types(self):
        f = la.jit(lambda x: x + 1)
        x = np.arange(3.0)
        for operand in (np.float32(2), x.astype(">f8"), memoryview(x).cast("B").cast("d"), x.data):
            if isinstance(operand, memoryview):
                operand = np.asarray(operand)
            np.testing.assert_array_equal(f(operand), np.asarray(operand) + 1)

    def test_unaligned_arrays_after_aligned_ones(self):
        for function in (lambda x: x + 1, lambda x: np.sort(x[0]) + x.sum()):
            f = la.jit(function)
            raw = np.zeros(X.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(X.shape)
            raw[...] = X
            for x in (X, raw, X.T, raw.T, X[:, ::2], raw[:, ::2], raw[::-1]):
                for _ in range(2):
                    np.testing.assert_array_equal(f(x), function(x))


class TestRefusals:
    @pytest.mark.parametrize(
        "ask",
        [
            lambda x: bool(x.sum() > 0),
            lambda x: float(x.sum()),
            lambda x: int(x.sum()),
            lambda x: x.sum().item(),
            lambda x: x.tolist(),
            lambda x: np.asarray(x),
            lambda x: la.evaluate(x),
            lambda x: x.compute(),
            lambda x: la.persist(x),
            lambda x: np.unique(x),
            lambda x: x[x > 0],
            lambda x: x.nonzero(),
            lambda x: 1.0 in x,
            lambda x: np.add(x, 1, out=np.zeros(X.shape)),
            lambda x: [row for row in x if row.sum() > 0],
            lambda x: range(5)[x.astype(int)[0, 0]],
        ],
    )
    def test_values_are_not_there(self, ask: Callable[..., Any]):
        f = la.jit(ask)
        with pytest.raises(TracingError, match=r"test_function\.py:\d+"):
            f(X)
        # Nothing is left behind.
        np.testing.assert_array_equal(la.jit(lambda x: x + 1)(X), X + 1)
        assert float(la.asarray(X).sum()) == X.sum()

    def test_the_message_says_what_to_do(self):
        def function(x):
            if x.sum() > 0:
                return x
            return -x

        with pytest.raises(TracingError, match=r"bool\(x\).*(?s:.)*where"):
            la.jit(function)(X)

    def test_values_of_other_arrays_are_there(self):
        weight = la.asarray(np.arange(3.0))
        f = la.jit(lambda x: x * float(weight.sum()) if weight.sum() > 0 else x)
        np.testing.assert_array_equal(f(X), X * 3)

    def test_arrays_and_numbers_that_escape(self):
        kept: list[Any] = []

        def function(x, s):
            kept[:] = [x * 2, s * 2]
            return x

        la.jit(function)(X, 2.0)
        with pytest.raises(TracingError):
            la.evaluate(kept[0])
        with pytest.raises(TracingError):
            float(kept[0].sum())
        with pytest.raises(TracingError):
            float(kept[1])
        with pytest.raises(TracingError):
            la.jit(lambda x: x + kept[0])(X)

    def test_errors_of_the_function_pass_through(self):
        def function(x):
            raise KeyError("mine")

        f = la.jit(function)
        for _ in range(2):
            with pytest.raises(KeyError, match="mine"):
                f(X)

    def test_errors_of_library_calls_name_the_line(self):
        f = la.jit(lambda x: np.linalg.inv(x) + 1)
        np.testing.assert_allclose(f(np.eye(2)), np.eye(2) + 1)
        for size in (2, 3):
            with pytest.raises(np.linalg.LinAlgError) as raised:
                f(np.zeros((size, size)))
            assert any("test_function.py" in note for note in raised.value.__notes__)


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
