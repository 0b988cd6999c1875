"""Expressions of very many nodes: no recursion, and no step that takes quadratic time."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.own_process import run_in_own_process

NODES = 100_000


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Bound the CPU time of a block: the wall time depends on who else uses the machine."""
    started = time.process_time()
    yield
    took = time.process_time() - started
    assert took < seconds, f"took {took:.1f} s"


def chain(x: Any, nodes: int) -> Any:
    for _ in range(nodes // 2):
        x = x * 0.999 + 0.1
    return x


def seconds_to_explain(y: Any) -> tuple[float, Any]:
    """Return the CPU time of an explanation, and the explanation."""
    started = time.process_time()
    explanation = la.explain(y)
    return time.process_time() - started, explanation


def explained_in_linear_time(y: Any, start: Any) -> Any:
    """Return the explanation of a chain, which takes about ten times as long as that of a tenth.

    A step in which pairs of nodes count, and which takes as long as all others, makes that 18
    times. Seconds depend on the machine, and on what others do there: twice as many were counted.
    """
    la.explain(chain(la.asarray(start), 100))  # imports
    ratios = []
    for k in range(3):  # a busy machine may slow the one and not the other
        before, _ = seconds_to_explain(chain(la.asarray(start + k), NODES // 10))
        whole, explanation = seconds_to_explain(y)
        after, _ = seconds_to_explain(chain(la.asarray(start - k), NODES // 10))
        ratios.append(whole / max(before, after))
        if ratios[-1] < 17:
            return explanation
    raise AssertionError(f"it takes {ratios} times as long as a tenth of it")


def test_a_chain_of_a_hundred_thousand_nodes() -> None:
    run_in_own_process(check_a_chain_of_many_nodes)


def check_a_chain_of_many_nodes() -> None:
    start = np.linspace(0.0, 1.0, 1000)
    x = la.asarray(start)
    with at_most(5), la.config(implicit="raise"):  # nothing of it is computed meanwhile
        y = chain(x, NODES)
    with at_most(0.5):  # the garbage collector may look at all nodes in it
        assert len(repr(y)) < 500
    with at_most(20):
        result = la.evaluate(y)
    np.testing.assert_array_equal(result, chain(start, NODES))
    with at_most(2):
        again = la.evaluate(y)
    np.testing.assert_array_equal(again, result)
    explanation = explained_in_linear_time(y, start)
    assert len(str(explanation)) < 20_000
    assert len(explanation.kernels) > NODES // 200
    # Buffers alternate: never more than the value read and the value written.
    assert explanation.peak_bytes <= 2 * start.nbytes + 4096
    node = weakref.ref(y._node)
    del explanation
    with at_most(3):
        del y
        gc.collect()
    assert node() is None


@pytest.mark.parametrize("nodes", [3 * sys.getrecursionlimit()])
@pytest.mark.parametrize(
    "step",
    [
        lambda x, k: -x,
        lambda x, k: x.T,
        lambda x, k: x[::-1],
        lambda x, k: np.sort(x, axis=k % 2),
        lambda x, k: np.concatenate([x[1:], x[:1]]),
        lambda x, k: x.astype(np.float32 if k % 2 else np.float64),
        lambda x, k: x.reshape(16, 4) if k % 2 else x.T.reshape(8, 8),
    ],
    ids=["negative", "transpose", "flip", "sort", "roll", "cast", "reshape"],
)
def test_nothing_recurses(step: Callable[[Any, int], Any], nodes: int) -> None:
    start = np.random.default_rng(0).random((8, 8))
    lazy: Any = la.asarray(start)
    eager: Any = start
    for k in range(nodes // 3 * 2):
        lazy, eager = step(lazy, k), step(eager, k)
    repr(lazy)
    with at_most(20):
        np.testing.assert_array_equal(la.evaluate(lazy), eager)


def rows(x: Any) -> Any:
    for _ in range(60):
        x = np.exp(x[1:].sum(axis=0) * 1e-3 + x * 0.01) * 0.5 + x * 0.1
    return x


def flips(x: Any) -> Any:
    for _ in range(400):
        x = (x[::-1].T + x) * 0.5
    return x


def means(x: Any) -> Any:
    for _ in range(100):
        x = x - x.mean(axis=0) * 0.1
    return x


def products(x: Any) -> Any:
    for _ in range(300):
        x = np.tanh(x @ x * 0.1) + np.sort(x, axis=0)
    return x


def many(x: Any) -> Any:
    parts = [x * (0.1 * k + 0.3) for k in range(1000)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part.sum(axis=0)
    return total


@pytest.mark.parametrize("build", [rows, flips, means, products, many])
def test_values_read_in_many_ways_are_planned_in_linear_time(build: Callable[[Any], Any]) -> None:
    start = np.random.default_rng(1).random((8, 8))
    with at_most(20):
        result = la.evaluate(build(la.asarray(start)))
    np.testing.assert_allclose(result, build(start), rtol=1e-9)


def test_many_results_at_once() -> None:
    x = la.asarray(np.arange(100.0))
    results = [x * (k + 0.5) for k in range(1000)]
    with at_most(20):
        values = la.evaluate(*results)
    for k, value in enumerate(values):
        np.testing.assert_array_equal(value, np.arange(100.0) * (k + 0.5))
