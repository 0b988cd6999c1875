"""Expressions that come again: their plans run in C, and give what Python's form gives."""

from __future__ import annotations

import gc
import itertools
import sys
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import recognition
from lazyarr.compiler.plan_cache import PLANS
from lazyarr.execution.cpu.known_plans import COMPILED

pytestmark = pytest.mark.skipif(COMPILED is None, reason="known plans are of the compiled form")

rng = np.random.default_rng(0)
N = 50_000

FORMS: dict[str, Callable[..., Any]] = {
    "sum of two": lambda x, y, s: x + y,
    "twice the same": lambda x, y, s: x + x,
    "scalars": lambda x, y, s: (x * s + y) * (s + 0.25) - s,
    "special constants": lambda x, y, s: x * 2 + 1 - 0.5 * y,
    "reduction": lambda x, y, s: (x * y).sum(),
    "several kernels": lambda x, y, s: (x - x.mean()) / (np.sqrt(y).sum() + s),
    "slices": lambda x, y, s: x[1:-1] * s + y[2:],
    "one view": lambda x, y, s: y[5:1000] * 3 + s,
    "reshaped": lambda x, y, s: (x.reshape(-1, 10) + y.reshape(-1, 10)[::-1]).sum(axis=0),
    "columns": lambda x, y, s: (x.reshape(10, -1) * s).max(axis=1),
    "integers": lambda x, y, s: (x * 100).astype(np.int32) // 7 % 11,
    "comparisons": lambda x, y, s: (x > y) & (x < s),
    "where": lambda x, y, s: np.where(x > y, x, s),
    "scan": lambda x, y, s: np.cumsum(x) * s,
    "complex": lambda x, y, s: (x + y * 1j) * (s + 2j),
    "joined": lambda x, y, s: np.concatenate([x, y * s]),
    "counted": lambda x, y, s: x * np.arange(N) + s,
    "many numbers": lambda x, y, s: sum((x * (s + k / 7) for k in range(80)), y),
    "many leaves": lambda x, y, s: sum((x * la.asarray(np.full(1, s + k)) for k in range(80)), y),
    "float32": lambda x, y, s: x.astype(np.float32) * s + y.astype(np.float32),
}


@pytest.fixture(autouse=True)
def plain() -> Any:
    """Leave small arrays expressions, too."""
    with la.config(immediate=0, tune=False):
        yield


def _knows(counted: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the evaluations that a known plan does."""
    known = recognition.recognised

    def counting(*args: Any) -> Any:
        answer = known(*args)
        if isinstance(answer, list):
            counted.append(answer)
        return answer

    monkeypatch.setattr("lazyarr.compiler.pipeline.recognised", counting)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("threads", [1, 2])
def test_values_are_those_of_the_first_evaluation(
    name: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, counted = FORMS[name], list[Any]()
    _knows(counted, monkeypatch)
    with la.config(threads=threads):
        for iteration in range(6):
            x, y, s = rng.random(N), rng.random(N) + 0.5, 1.25 + iteration
            result = la.evaluate(form(la.asarray(x), la.asarray(y), s))
            with la.config(max_memory=1 << 40):  # whose plans are never known
                expected = la.evaluate(form(la.asarray(x), la.asarray(y), s))
            assert result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected)
            assert result.flags.writeable and not np.shares_memory(result, x)
    # Kernels of complex numbers are looked at for exceptions by Python.
    assert len(counted) >= 3 or name == "complex"


def test_expressions_of_many_nodes_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[Any]()
    _knows(counted, monkeypatch)
    start = rng.random(300)

    def steps(x: Any) -> Any:
        for _ in range(60):
            x = 0.5 * (x[1:] + x[:-1]) * (1.0 - 0.001 * x[1:])
        return x

    with la.config(optimize=False):
        results = [np.asarray(steps(la.asarray(start * k))) for k in (1.0, 2.0, 3.0, 0.5)]
    assert len(counted) == 2
    for k, result in zip((1.0, 2.0, 3.0, 0.5), results, strict=True):
        np.testing.assert_allclose(result, steps(start * k), rtol=1e-12)


def test_which_leaves_are_the_same_is_part_of_what_is_known() -> None:
    arrays = [rng.random(N) for _ in range(3)]
    for iteration, places in enumerate(itertools.product(range(3), repeat=4)):
        a, b, c, d = (arrays[k] for k in places)
        lazy = [la.asarray(array) for array in arrays]
        w, x, y, z = (lazy[k] for k in places)
        result = la.evaluate((w * 1.5 + x) * (y - z))
        np.testing.assert_array_equal(result, (a * 1.5 + b) * (c - d), err_msg=str(iteration))


def test_several_results_and_a_root_below_another() -> None:
    for _ in range(5):
        x = rng.random(N)
        lazy = la.asarray(x)
        twice = lazy * 2.25
        results = la.evaluate(twice + 1, twice, twice.sum())
        np.testing.assert_array_equal(results[0], x * 2.25 + 1)
        np.testing.assert_array_equal(results[1], x * 2.25)
        np.testing.assert_allclose(results[2], (x * 2.25).sum(), rtol=1e-14)


def test_warnings_name_the_line_of_this_evaluation() -> None:
    for iteration in range(5):
        x = la.asarray(np.full(N, float(iteration > 3)))
        divisor = la.asarray(np.zeros(N))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = x / divisor
            result = la.evaluate(value)
        (warning,) = caught
        assert str(warning.message).startswith("divide" if iteration > 3 else "invalid")
        assert warning.filename == __file__
        assert np.isinf(result).all() if iteration > 3 else np.isnan(result).all()
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            la.evaluate(la.asarray(np.ones(N)) / divisor)
        with np.errstate(all="ignore"):
            la.evaluate(la.asarray(np.ones(N)) / divisor)


def test_strides_and_lengths_are_part_of_what_is_known() -> None:
    base = rng.random((300, 300))
    views = [base, base.T, base[::2], base[:, ::3], base[::-1], base[:7], base[5:12]]
    for _ in range(4):
        for view in views:
            result = la.evaluate(la.asarray(view) * 1.75 + 3)
            np.testing.assert_array_equal(result, view * 1.75 + 3)


def test_settings_that_change_are_obeyed() -> None:
    x = rng.random(N)
    for _ in range(4):
        la.evaluate(la.asarray(x) * 3.5)
    with la.profile() as report:
        la.evaluate(la.asarray(x) * 3.5)
    assert len(report.runs) == 1
    with la.config(max_memory=1000), pytest.raises(la.errors.MemoryLimitError):
        la.evaluate(la.asarray(rng.random((N, 2))).sum(axis=1) @ la.asarray(x)[:, None] * 3.5)
    la.cache.clear()
    misses = PLANS.misses
    np.testing.assert_array_equal(la.evaluate(la.asarray(x) * 3.5), x * 3.5)
    assert PLANS.misses == misses + 1


def test_known_plans_are_tuned_once_they_are_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Any] = []
    _knows(counted, monkeypatch)
    with la.config(tune=True):
        for iteration in range(400):
            x = rng.random(N)
            result = la.evaluate(np.sqrt(la.asarray(x)) * (iteration + 0.25) - 0.125)
            np.testing.assert_array_equal(result, np.sqrt(x) * (iteration + 0.25) - 0.125)
    assert len(counted) > 200


def test_work_is_counted_and_what_comes_again_is_stored() -> None:
    for iteration in range(5):
        x = la.asarray(rng.random(N))
        root = np.sqrt(x)
        before = la.cache.info().work
        la.evaluate(root.max())
        la.evaluate(root.min())
        after = la.cache.info().work
        assert root._node.stored is not None, iteration
        assert after.computed - before.computed == 4 * N
        assert after.eager - before.eager == 3 * N


def test_nothing_is_kept_alive() -> None:
    x = rng.random(N)
    for _ in range(4):
        lazy = la.asarray(x.copy())
        value = lazy * 2.5 - 1
        la.evaluate(value)
    nodes = [weakref.ref(lazy._node), weakref.ref(value._node)]
    del lazy, value
    gc.collect()
    assert [node() for node in nodes] == [None, None]


def test_many_threads_at_once() -> None:
    def work(seed: int) -> bool:
        own = np.random.default_rng(seed)
        with la.config(immediate=0, tune=False):
            for _ in range(60):
                x, y = own.random(N), own.random(N)
                result = la.evaluate(la.asarray(x) * 1.5 - la.asarray(y) / 3)
                if not np.array_equal(result, x * 1.5 - y / 3):
                    return False
        return True

    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(work, range(8)))


def test_random_expressions() -> None:
    """Differential: random DAGs, each form evaluated several times of other leaves."""
    own = np.random.default_rng(7)
    operations: list[Callable[..., Any]] = [
        lambda a, b: a + b,
        lambda a, b: a - b * 0.5,
        lambda a, b: np.maximum(a, b),
        lambda a, b: a * b[::-1],
        lambda a, b: np.where(a > b, a, 1.25),
        lambda a, b: abs(a) + b.max(),
        lambda a, b: -a / (b * b + 1),
    ]
    for _ in range(25):
        size = int(own.integers(1, 6000))
        steps = [
            (operations[int(own.integers(len(operations)))], *own.integers(0, 2 + k, 2))
            for k in range(int(own.integers(1, 12)))
        ]
        for _ in range(4):
            leaves = [own.random(size) - 0.5 for _ in range(2)]
            ours: list[Any] = [la.asarray(leaf) for leaf in leaves]
            theirs: list[Any] = list(leaves)
            for operation, i, j in steps:
                ours.append(operation(ours[i], ours[j]))
                theirs.append(operation(theirs[i], theirs[j]))
            np.testing.assert_array_equal(la.evaluate(ours[-1]), theirs[-1])


@pytest.mark.parametrize("name", FORMS)
def test_persist_recognises_what_evaluate_recognises(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    form, counted, persisted = FORMS[name], list[Any](), 0
    _knows(counted, monkeypatch)
    for iteration in range(6):
        x, y, s = rng.random(N), rng.random(N) + 0.5, 1.25 + iteration
        before = len(counted)
        value = la.persist(form(la.asarray(x), la.asarray(y), s))
        persisted += len(counted) - before
        with la.config(max_memory=1 << 40):  # whose plans are never known
            expected = la.evaluate(form(la.asarray(x), la.asarray(y), s))
        assert value.dtype == expected.dtype
        assert not np.asarray(value).flags.writeable
        np.testing.assert_array_equal(la.evaluate(value), expected)
        np.testing.assert_array_equal(la.evaluate(value + 1), expected + 1)
    # Kernels of complex numbers are looked at for exceptions by Python.
    assert persisted >= 3 or name == "complex"


def test_persist_of_several_values_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = list[Any]()
    _knows(counted, monkeypatch)
    for _ in range(6):
        x = rng.random(N)
        lazy = la.asarray(x)
        first, second = la.persist(lazy + 1, (lazy * 2).sum())
        np.testing.assert_array_equal(la.evaluate(first), x + 1)
        np.testing.assert_allclose(la.evaluate(second), (x * 2).sum())
    assert len(counted) >= 3


def test_kernels_of_one_thread_are_launched_without_python() -> None:
    x = la.asarray(rng.random(300_000))
    calls: list[str] = []
    with la.config(threads=1):
        for _ in range(4):
            result = (x * 3 + 1).compute()
        sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
        try:
            again = (x * 3 + 1).compute()
        finally:
            sys.setprofile(None)
    assert again.tobytes() == result.tobytes()
    assert "recognised" in calls
    assert "launch" not in calls
