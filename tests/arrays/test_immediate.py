"""Small values in memory: operations on them run at once, and mean what they mean otherwise."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.graph.node import walk
from tests.support.view_programs import run_program

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=16384, implicit="allow"):
        yield


def is_immediate(x: Any) -> bool:
    return x._array is not None


STEPS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: 3 - x,
    lambda x, y: x * 0.5,
    lambda x, y: x / (y * y + 1),
    lambda x, y: x**2 + abs(y),
    lambda x, y: -x,
    lambda x, y: np.sin(x) * np.exp(-y * y),
    lambda x, y: np.maximum(x, y),
    lambda x, y: np.where(x > y, x, 0),
    lambda x, y: x - x.mean(),
    lambda x, y: x + y.sum(axis=0),
    lambda x, y: x[::-1] + y,
    lambda x, y: x[1:].sum() + y,
    lambda x, y: np.roll(x, 1) + y,
    lambda x, y: x[:, None, 0] * y,
    lambda x, y: (x @ y.T)[:, :3] + y,
    lambda x, y: np.cumsum(x, axis=0) / 10,
    lambda x, y: x * (y > 0.5),
    lambda x, y: np.concatenate([x[:2], y[2:]]),
]


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(st.integers(0, len(STEPS) - 1), min_size=1, max_size=8),
    dtype=st.sampled_from(["f8", "f4", "i8", "c16", "u1"]),
    seed=st.integers(0, 100),
)
def test_values_are_numpys_bit_for_bit(steps: list[int], dtype: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (np.array(random.random((3, 3)) * 4).astype(dtype) for _ in range(2))
    theirs, ours = [a, b], [la.asarray(a), la.asarray(b)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number in steps:
            try:
                theirs.append(STEPS[number](theirs[-1], theirs[-2]))
            except TypeError:
                continue
            ours.append(STEPS[number](ours[-1], ours[-2]))
            assert (ours[-1].dtype, ours[-1].shape) == (theirs[-1].dtype, theirs[-1].shape)
        if all(map(is_immediate, ours)):
            np.testing.assert_array_equal(la.evaluate(ours[-1]), theirs[-1], strict=True)
        else:  # a floating-point exception was met, so kernels compute the rest
            np.testing.assert_allclose(la.evaluate(ours[-1]), theirs[-1], rtol=1e-5, atol=1e-4)


@settings(max_examples=1000, deadline=None, database=None)
@given(seed=st.integers(0, 2**63))
def test_views_and_writes(seed: int) -> None:
    run_program(seed, 8, lambda arrays: [np.asarray(array) for array in arrays])


def test_the_graph_is_still_shown() -> None:
    x = la.asarray(np.arange(6.0).reshape(2, 3))
    y = np.sin(x[0] + 1) * x.sum()
    assert is_immediate(y)
    assert [kernel.nodes for kernel in la.explain(y).kernels]
    names = {node["label"].split()[0] for _, node in la.to_networkx(y).nodes(data=True)}
    assert {"sin", "sum"} <= names and len(names) >= 6


OF_NDARRAYS: dict[str, Callable[[Any], Any]] = {
    "roll": lambda a: la.roll(a, 1),
    "where": lambda a: la.where(a > 2, 1.0, -1.0),
    "clip": lambda a: la.clip(a, 0, 2),
    "dot": lambda a: la.dot(a, a),
    "stack": lambda a: la.stack([a, a]),
    "rows": lambda a: la.vstack(a.reshape(2, 3)),
    "a list": lambda a: la.argmin([a, a]),
    "nonzero": lambda a: la.nonzero(a)[0],
    "median": lambda a: la.median(a),
}


@pytest.mark.parametrize("name", OF_NDARRAYS)
def test_the_graph_of_a_function_of_ndarrays_alone_is_shown(name: str) -> None:
    y = OF_NDARRAYS[name](np.arange(6.0))
    assert is_immediate(y)
    # The places of true elements are values in any case.
    assert (la.to_networkx(y).number_of_nodes() > 1) != (name == "nonzero")


def test_a_setting_leaves_everything_to_the_compiler() -> None:
    x = la.asarray(np.arange(4.0))
    with la.config(immediate=0):
        y = x + 1
        assert y._node.op.name == "add"
    assert is_immediate(y * 2)  # all of it is small, and computed together
    with la.config(implicit="raise"):
        assert (x + 1)._node.op.name == "add"
    with la.config(debug="nan"):  # which checks evaluations
        assert not is_immediate(y * 2)
    with pytest.raises(la.errors.ConfigError, match="immediate"):
        la.set_config(immediate=-1)


def test_large_arrays_wait() -> None:
    x = la.asarray(np.ones(2_000_000))
    assert (x + 1)._node.op.name == "add"
    assert x.sum()._node.op.name == "sum"
    with la.config(immediate=8):  # of cheap operations eight times that
        rows, columns = la.asarray(np.ones(8))[:, None], la.asarray(np.ones(8))
        assert is_immediate(rows + columns)
        assert not is_immediate((rows + columns)[:, :, None] + columns[:2])
        assert not is_immediate(np.hypot(rows, columns))


def test_a_large_result_of_small_operands_is_not_computed() -> None:
    def kinds(length: int) -> list[tuple[tuple[int, ...], str]]:
        column, row = la.asarray(np.ones((length, 1))), la.asarray(np.ones(length))
        results = column * row, np.add(column, row), la.maximum(column, row)
        return [(large.shape, large._node.op.kind.value) for large in results]

    kinds(3000)  # imports
    tracemalloc.start()
    try:
        assert kinds(4000) == [((4000, 4000), "elementwise")] * 3
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_product_with_a_small_result_is_computed_whatever_it_reads() -> None:
    rng = np.random.default_rng(0)
    large, vector = rng.random((700, 900)), rng.random(900)
    a, x = la.array(large), la.array(vector)
    y = a @ x
    assert y._array is not None
    np.testing.assert_array_equal(y, large @ vector)
    with la.config(threads=1):
        # How BLAS adds depends on its number of threads.
        np.testing.assert_allclose(a.T @ y, large.T @ (large @ vector), rtol=1e-12)
    assert (a.T @ a)._array is None


def test_wrapped_memory_is_never_written() -> None:
    given_array = np.arange(6.0)
    x = la.asarray(given_array)
    x[1:3] = 9
    x += 1
    view = x[::2]
    view *= 2
    np.testing.assert_array_equal(given_array, np.arange(6.0))
    np.testing.assert_array_equal(la.evaluate(x), [2, 10, 20, 4, 10, 6])
    values = np.asarray(x)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 5
    owned = la.evaluate(x)
    owned[0] = 77
    assert float(x[0]) == 2


def test_warnings_come_once_and_name_the_line() -> None:
    x = la.asarray(np.array([0.0, 1.0]))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(la.evaluate(1 / x), [np.inf, 1])
    assert [w.filename for w in seen] == [__file__]
    assert "divide by zero" in str(seen[0].message)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        la.evaluate(1 / x)


def test_errors_name_the_line() -> None:
    x = la.asarray(np.ones((2, 3)))
    for wrong in (lambda: x[5], lambda: x[0, 0, 0], lambda: x + np.ones(4), lambda: x + "a"):
        with pytest.raises((la.errors.LazyarrError, TypeError)) as caught:
            wrong()
        assert __file__ in str(caught.value) or "str" in str(caught.value)


def test_old_values_are_forgotten() -> None:
    x = la.asarray(np.ones(8))
    for _ in range(500):
        x = x * 1.0 + 1
    reachable = 0
    stack = [x]
    while stack:
        history = stack.pop()._history
        reachable += 1
        if isinstance(history, tuple):
            stack += [operand for operand in history if isinstance(operand, la.LazyArray)]
    assert reachable <= 1024
    wide = la.asarray(np.ones(16_000))
    for _ in range(20):
        wide = wide + 1
    assert wide._history is None
    total = (wide * 2.0).sum()
    assert total._history is None  # which would keep what it is the sum of
    assert all(node is wide._node for node in walk([wide._node]))


def test_functions_are_traced_and_differentiated_as_others() -> None:
    x = la.asarray(np.array([1.0, 2.0]))
    double = la.jit(lambda v: v * 2 + 1)
    np.testing.assert_array_equal(np.asarray(double(x)), [3, 5])
    gradient = la.grad(lambda v: (v * v).sum())(x)
    np.testing.assert_array_equal(np.asarray(gradient), [2, 4])


def test_exceptions_are_reported_where_they_are_met() -> None:
    x = la.asarray(np.array([0.0, 1.0]))
    with pytest.warns(RuntimeWarning, match="^divide by zero encountered in divide$") as seen:
        y = 1 / x
    assert is_immediate(y)
    assert [warning.filename for warning in seen] == [__file__]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in log"):
        np.log(x)
    with pytest.warns(RuntimeWarning, match="invalid value encountered in divide"):
        x /= x
    np.testing.assert_array_equal(np.asarray(x), [np.nan, 1.0])
    heard: list[str] = []
    with np.errstate(over="call", call=lambda kind, flag: heard.append(kind)):
        np.exp(la.asarray(np.array([1e4])))
    assert heard == ["overflow"]


def test_a_write_that_meets_an_exception_is_made_once() -> None:
    small = la.zeros(3, dtype="f4")
    with pytest.warns(RuntimeWarning, match="overflow"):
        small[:] = la.asarray(np.array([1.0, 1e300, 2.0]))
        values = np.asarray(small)
    np.testing.assert_array_equal(values, np.array([1, np.inf, 2], "f4"))


def test_expressions_are_written_through_views_in_memory() -> None:
    large = np.random.default_rng(0).random(100_000)
    for xp, big in ((np, large), (la, la.asarray(large))):
        u = xp.zeros((3, 4))
        column, row, flat = u.T[1], u[2], u.reshape(-1)
        u[0, 0] = big.max()
        row[1:3] = big[:2] * 2
        u += 1
        flat[5] = 9.0
        column *= 2
        if xp is np:
            expected = [x.copy() for x in (u, column, row, flat)]
        else:
            for array, other in zip((u, column, row, flat), expected, strict=True):
                np.testing.assert_array_equal(np.asarray(array), other)


def test_what_an_expression_has_taken_in_stays() -> None:
    small = la.asarray(np.arange(4.0)) + 0
    large = la.asarray(np.ones((10_000, 4)))
    both = (large * small).sum(axis=0)
    wide = np.broadcast_to(small, (10_000, 4))
    small[1:] = 7
    small += 1
    np.testing.assert_allclose(la.evaluate(both), np.arange(4.0) * 10_000)
    np.testing.assert_array_equal(np.asarray(wide)[5000], [1, 8, 8, 8])


def test_outputs_are_written_to() -> None:
    x, out = la.asarray(np.arange(3.0)), la.zeros(3)
    assert np.add(x, 1, out=out) is out
    np.sum(la.asarray(np.ones((2, 3))), 0, None, out)
    np.testing.assert_array_equal(np.asarray(out), [2, 2, 2])
    x.cumsum(0, None, out)
    np.testing.assert_array_equal(np.asarray(out), [0, 1, 3])


FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda xp, x: xp.roll(x, (1, -1), (0, 1)),
    lambda xp, x: xp.where(x > 2, x, -x),
    lambda xp, x: xp.concatenate([x, x[:1]]),
    lambda xp, x: xp.stack([x[0], x[1]], axis=1),
    lambda xp, x: xp.sum(x, axis=1, keepdims=True),
    lambda xp, x: xp.std(x, axis=0),
    lambda xp, x: xp.clip(x, 1, 3),
    lambda xp, x: xp.dot(x, x.T),
    lambda xp, x: xp.outer(x[0], x[1]),
    lambda xp, x: xp.zeros_like(x) + xp.eye(4)[:3],
    lambda xp, x: xp.split(x, 2, axis=1)[1],
    lambda xp, x: xp.nonzero(x > 2)[0],
    lambda xp, x: xp.argsort(x, axis=1),
    lambda xp, x: xp.diff(x),
    lambda xp, x: xp.linspace(0, 1, 4) + x,
    lambda xp, x: xp.arange(4) * x,
    lambda xp, x: xp.array(x)[x > 2],
    lambda xp, x: xp.tril(x),
    lambda xp, x: xp.median(x, axis=0),
    lambda xp, x: xp.full((3, 4), 2.5) * x,
]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_functions_are_numpys(dtype: str) -> None:
    array = (np.random.default_rng(3).random((3, 4)) * 5).astype(dtype)
    x = la.asarray(array)
    kernels = la.cache.info().plans.misses
    for function in FUNCTIONS:
        expected = function(np, array)
        for result in (function(la, x), function(np, x)):
            if isinstance(result, la.LazyArray):
                assert is_immediate(result)
            np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    assert la.cache.info().plans.misses == kernels


_OF_MIDDLE_SIZES = {
    "concatenate": lambda xp, x, a: xp.concatenate((x, x[:100])),
    "roll": lambda xp, x, a: xp.roll(x, 3),
    "sort": lambda xp, x, a: xp.sort(x),
    "diff": lambda xp, x, a: xp.diff(x),
    "std": lambda xp, x, a: x.std() + xp.std(a, axis=0),
    "pad": lambda xp, x, a: xp.pad(a, 1),
    "zeros": lambda xp, x, a: xp.zeros(20_000),
    "zeros_like": lambda xp, x, a: xp.zeros_like(a),
    "cumsum": lambda xp, x, a: x.cumsum(),
    "mean": lambda xp, x, a: a.mean(axis=1) * x.max(),
    "maximum": lambda xp, x, a: xp.maximum(a, 0.5, out=xp.ones_like(a)),
}


@pytest.mark.parametrize("name", _OF_MIDDLE_SIZES)
def test_what_numpy_computes_as_fast_runs_at_once(name: str) -> None:
    function = _OF_MIDDLE_SIZES[name]
    x = np.random.default_rng(5).random(20_000)
    mine = function(la, la.array(x), la.array(x.reshape(200, 100)))
    expected = function(np, x, x.reshape(200, 100))
    assert COMPILED is None or mine._array is not None
    # Where Python's form builds an expression, its kernel adds down columns in an order of its own.
    bound = 0 if mine._array is not None else 1e-14
    np.testing.assert_allclose(np.asarray(mine), expected, rtol=bound, atol=0)
    assert mine.dtype == expected.dtype


def test_a_whole_array_in_memory_is_written_to_another() -> None:
    u, x = la.array(np.zeros((100, 150))), np.random.default_rng(2).random((100, 150))
    view, before = u[3:5], u * 1
    u[:] = la.array(x)
    np.testing.assert_array_equal(np.asarray(u), x)
    np.testing.assert_array_equal(np.asarray(view), x[3:5])
    np.testing.assert_array_equal(np.asarray(before), 0)
