"""lazyarr.jit: structures of arguments and results, and what is refused."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, TracingError
from tests.support.jit_traces import counted

X = np.arange(12.0).reshape(3, 4)


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
        with pytest.raises(ArgumentError, match="not hashable"):
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
        with pytest.raises(ArgumentError, match=r"not an array, a number or\s+a container"):
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
        with pytest.raises(TracingError, match=r"test_structures\.py:\d+"):
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
            assert any("test_structures.py" in note for note in raised.value.__notes__)
