"""Forked children evaluate, whatever the parent was doing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import walk

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

SECONDS = 60


def in_child(function: Callable[[], bool]) -> None:
    """Run `function` in a forked child; fail if it is false, raises, crashes or hangs."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python warns of forking beside threads; that it works is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if function() else 2
        except BaseException:  # noqa: BLE001 - the child must not go on as a second test run
            traceback.print_exc()
        finally:
            os._exit(status)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, f"the child ended with {status}"
            return
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def known(x: Any) -> Any:
    return np.exp(x) * 2 + x.sum(axis=0)


def test_known_expression_in_a_child() -> None:
    a = np.random.default_rng(0).random((700, 500))
    expected = la.evaluate(known(la.asarray(a)))
    in_child(lambda: np.array_equal(la.evaluate(known(la.asarray(a))), expected))
    np.testing.assert_array_equal(la.evaluate(known(la.asarray(a))), expected)


def test_new_expression_in_a_child() -> None:
    a = np.random.default_rng(0).random((700, 500))
    la.evaluate(known(la.asarray(a)))

    def new() -> bool:
        x = la.asarray(a)
        pid = os.getpid() % 1000 + 7.5
        y = np.arctan(x * pid).max(axis=1) - np.log1p(x).min(axis=1) * np.cosh(x[:, 0])
        expected = np.arctan(a * pid).max(axis=1) - np.log1p(a).min(axis=1) * np.cosh(a[:, 0])
        return bool(np.allclose(la.evaluate(y), expected))

    in_child(new)


def test_results_of_the_parent_stay_its_own() -> None:
    x = la.asarray(np.arange(100_000.0))
    result = la.evaluate(x + 1)

    def change() -> bool:
        result[...] = -1
        return bool((la.evaluate(x + 1) == np.arange(100_000.0) + 1).all())

    in_child(change)
    np.testing.assert_array_equal(result, np.arange(100_000.0) + 1)


def test_fork_while_other_threads_evaluate() -> None:
    a = np.random.default_rng(0).random((400, 400))
    expected = la.evaluate(known(la.asarray(a)))
    stop = threading.Event()
    wrong: list[str] = []

    def busy() -> None:
        while not stop.is_set():
            if not np.array_equal(la.evaluate(known(la.asarray(a))), expected):
                wrong.append("wrong")

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            in_child(lambda: np.array_equal(la.evaluate(known(la.asarray(a))), expected))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong


def _total(n: int) -> float:
    return float(la.evaluate(known(la.asarray(np.full((n, n), 0.5))).sum()))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_process_pools_of_the_standard_library(method: str) -> None:
    expected = [float(known(np.full((n, n), 0.5)).sum()) for n in (10, 20, 300)]
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as executor:
        np.testing.assert_allclose(list(executor.map(_total, (10, 20, 300))), expected)


def test_a_loop_in_a_child_stores_what_comes_again() -> None:
    def loop() -> bool:
        x, expected = la.asarray(np.linspace(0.5, 1.0, 12)), np.linspace(0.5, 1.0, 12)
        for _ in range(9):
            x, expected = np.cos(x), np.cos(expected)
            assert np.isclose(float(x.max()), expected.max())
        # Of nine cosines the last ones are left: values that came again were stored.
        return len(list(walk((x._node,)))) <= 4

    assert loop()
    in_child(loop)
