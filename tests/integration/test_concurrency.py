"""Many threads at once, interrupts and failures: nothing leaks, dies or changes an input."""

from __future__ import annotations

import ctypes
import gc
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.host_memory_pool import pool

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]


def work(seed: int, rounds: int) -> list[str]:
    """Evaluate expressions of several templates, some of them new to the process."""
    random = np.random.default_rng(seed)
    wrong = []
    for iteration in range(rounds):
        n = int(random.integers(50, 400))
        a, b = random.random((n, n)), random.random((n, n))
        x, y = la.asarray(a), la.asarray(b)
        number = float(random.random())
        pairs = [
            (np.exp(x * number) + y, np.exp(a * number) + b),
            (((x - y) ** 2).sum(axis=1), ((a - b) ** 2).sum(axis=1)),
            (x - x.mean(axis=0), a - a.mean(axis=0)),
            (np.tanh(x @ y), np.tanh(a @ b)),
            (x.var(), a.var()),
        ]
        for _ in range(seed + iteration):
            pairs[0] = (np.sqrt(pairs[0][0] + 0.5), np.sqrt(pairs[0][1] + 0.5))
        result = la.evaluate(*(lazy for lazy, _ in pairs))
        for k, (value, (_, expected)) in enumerate(zip(result, pairs, strict=True)):
            if not np.allclose(value, expected, rtol=1e-10, atol=1e-12):
                wrong.append(f"seed {seed}, iteration {iteration}, expression {k}")
    return wrong


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_eight_threads_at_once(threads: int) -> None:
    la.set_config(threads=threads)
    try:
        gc.collect()
        before = pool.info().in_use
        with ThreadPoolExecutor(8) as executor:
            for wrong in executor.map(work, range(8), [6] * 8):
                assert not wrong
        gc.collect()
        assert pool.info().in_use == before
    finally:
        la.set_config(threads=0)


def test_one_expression_from_eight_threads() -> None:
    x = la.asarray(np.random.default_rng(0).random((300, 300)))
    y = np.exp(x @ x * 0.01) + x.sum(axis=1)
    expected = la.evaluate(y)
    start = threading.Barrier(8)

    def ask(_: int) -> bool:
        start.wait()
        return all(np.array_equal(la.evaluate(y), expected) for _ in range(10))

    with ThreadPoolExecutor(8) as executor:
        assert all(executor.map(ask, range(8)))


def test_one_new_kernel_is_compiled_once_for_all_threads() -> None:
    x = la.asarray(np.random.default_rng(0).random(1000))
    y = x
    for k in range(11):
        y = np.cbrt(y + 0.37 * k) * np.arctan(y - 0.11)
    before = la.cache.info().kernels.compiled
    start = threading.Barrier(8)

    def ask(_: int) -> Array:
        start.wait()
        return la.evaluate(y)

    with ThreadPoolExecutor(8) as executor:
        results = list(executor.map(ask, range(8)))
    assert all(np.array_equal(result, results[0]) for result in results)
    assert la.cache.info().kernels.compiled - before <= len(la.explain(y).kernels)


@pytest.mark.lazy
def test_building_the_same_nodes_in_many_threads_gives_the_same_nodes() -> None:
    x = la.asarray(np.arange(10.0))
    start = threading.Barrier(8)

    def build(_: int) -> list[Any]:
        start.wait()
        return [np.sin(x * (k + 0.5)) for k in range(200)]

    with ThreadPoolExecutor(8) as executor:
        built = list(executor.map(build, range(8)))
    for others in built[1:]:
        for mine, theirs in zip(built[0], others, strict=True):
            assert mine._node is theirs._node


def test_settings_belong_to_their_thread() -> None:
    seen: dict[str, int] = {}
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait()
        seen["other"] = la.get_config().threads
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with la.config(threads=7):
        inside.set()
        done.wait()
        seen["own"] = la.get_config().threads
    thread.join()
    assert seen == {"own": 7, "other": la.get_config().threads}


# -- failures -----------------------------------------------------------------------------------


def _alive() -> bool:
    """Whether evaluation on all threads still works, and is right."""
    a = np.random.default_rng(3).random((500, 500))
    return bool(np.allclose(la.evaluate(np.exp(la.asarray(a)) + 1), np.exp(a) + 1))


@pytest.mark.lazy
def test_a_failing_step_leaks_nothing() -> None:
    a = np.random.default_rng(1).random((300, 300))
    kept = a.copy()
    x = la.asarray(a)
    index = (np.floor(x) + 300).astype(np.int64)  # known to be wrong only when computed
    expression = np.exp(np.take(np.exp(x), index[0], axis=0)) + x
    gc.collect()
    before = pool.info().in_use
    for _ in range(3):
        with pytest.raises(IndexError):
            la.evaluate(expression)
    gc.collect()
    assert pool.info().in_use == before
    np.testing.assert_array_equal(a, kept)
    assert _alive()


def test_singular_matrix_leaks_nothing_and_names_the_line() -> None:
    x = la.asarray(np.zeros((200, 200)))
    gc.collect()
    before = pool.info().in_use
    with pytest.raises(np.linalg.LinAlgError) as caught:
        la.evaluate(np.linalg.inv(np.exp(x) @ x) + 1)
    assert any("test_concurrency.py:" in note for note in caught.value.__notes__)
    del caught
    gc.collect()
    assert pool.info().in_use == before
    assert _alive()


# Python reports an exception from a finaliser, where no one can catch it.
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_interrupts_leak_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupt long evaluations at many moments."""
    # An interrupt may come while a block is being freed. pytest would keep such an exception until
    # the end of the test, and with it a frame that holds the block.
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: None)

    class Interrupt(Exception):
        pass

    def interrupt(number: int, frame: object) -> None:
        raise Interrupt

    a = np.random.default_rng(1).random((1500, 1500))
    kept = a.copy()
    x = la.asarray(a)
    expression = np.exp(np.sin(x) * np.cos(x)).sum(axis=0) + np.tanh(x - x.mean(axis=0))
    expected = la.evaluate(expression)
    whole = float("inf")
    for _ in range(5):
        # The shortest of several: where others use the machine, one alone may take far longer
        # than what is interrupted below.
        started = time.perf_counter()
        la.evaluate(expression)
        whole = min(whole, time.perf_counter() - started)
    gc.collect()
    before = pool.info().in_use
    old = signal.signal(signal.SIGALRM, interrupt)
    hits = 0
    try:
        # Where the clock and the work drift apart some interrupts miss: then there are more.
        for k in range(30 * 20):
            if k >= 30 and hits > 5:
                break
            try:
                signal.setitimer(signal.ITIMER_REAL, max(whole * (k % 30 + 1) / 30, 1e-4))
                try:
                    la.evaluate(expression)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupt:
                hits += 1
    finally:
        signal.signal(signal.SIGALRM, old)
    assert hits > 5
    gc.collect()
    assert pool.info().in_use == before
    np.testing.assert_array_equal(a, kept)
    np.testing.assert_array_equal(la.evaluate(expression), expected)
    assert _alive()


def test_keyboard_interrupt_in_a_worker_thread_does_not_kill_the_helpers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Python swallows an interrupt that comes in a finaliser: then there is another one.
    swallowed = threading.Event()
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: swallowed.set())
    x = la.asarray(np.random.default_rng(1).random((1200, 1200)))
    expression = np.exp(np.sin(x) * 1.5) + np.tanh(x)
    expected = la.evaluate(expression)
    ready = threading.Event()
    outcome: list[str] = []

    def loop() -> None:
        ready.set()
        try:
            while True:
                la.evaluate(expression)
        except KeyboardInterrupt:
            outcome.append("interrupted")

    thread = threading.Thread(target=loop)
    thread.start()
    ready.wait()
    time.sleep(0.1)
    assert thread.ident is not None
    swallowed.set()
    while thread.is_alive():
        if swallowed.is_set():
            swallowed.clear()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
            )
        thread.join(0.1)
    assert outcome == ["interrupted"]
    np.testing.assert_array_equal(la.evaluate(expression), expected)
    assert _alive()
