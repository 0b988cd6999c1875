"""Kernels whose arguments change from call to call, on a real device."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.function_transforms.function import Jitted
from tests.execution.cuda.test_launches import close, on_gpu, several_kernels
from tests.support.tuned import tune

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def device(device: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # Kernels that are compiled once more are queued one by one until then.
    tune(monkeypatch, tuning, nvrtc_long=math.inf)
    forget_plans()
    yield device
    forget_plans()


def is_ready(jitted: Jitted[Any, Any]) -> bool:
    """Whether all plans of a function have kernels that read their arguments anew."""
    results = [launch for launches in jitted._tables.on_device[1].values() for launch in launches]
    plans: list[Any] = [launch._executor for launch in results]
    return bool(plans) and all(plan.batch.launches is not None for plan in plans)


def test_numbers_that_change_with_each_call() -> None:
    jitted = la.jit(several_kernels)
    host, x = on_gpu(0, (300, 70))
    for k in range(40):
        close(jitted.persist(x, k + 0.5), several_kernels(host, k + 0.5))
    assert is_ready(jitted)


def test_results_that_are_read_later() -> None:
    """What is queued keeps the numbers that it was queued with."""
    jitted = la.jit(several_kernels)
    host, x = on_gpu(1, (64, 64))
    kept = [(jitted.persist(x, k + 0.5), k + 0.5) for k in range(300)]
    for value, number in kept:
        close(value, several_kernels(host, number))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i2", "i8"])
def test_numbers_of_any_kind(dtype: str) -> None:
    jitted = la.jit(lambda x, a, b: x * a - b)
    host = np.arange(1, 400).astype(dtype)
    x = la.asarray(host, device="cuda")
    kind = np.dtype(dtype).kind
    for k in range(12):
        a: Any = {"f": k + 0.5, "c": complex(k, -k - 0.5), "i": k - 3}[kind]
        b: Any = {"f": 2.25 - k, "c": k + 0.25, "i": 5}[kind]
        result = np.asarray(jitted.persist(x, a, b))
        tolerance = {"f2": 4e-3, "f4": 1e-6, "c8": 1e-6}.get(dtype, 1e-14)
        np.testing.assert_allclose(result, host * a - b, rtol=tolerance, atol=400 * tolerance)
    assert is_ready(jitted)


def test_much_shared_memory() -> None:
    def softmax(x: Any, t: float) -> Any:
        e = np.exp(x * t - np.max(x * t, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    jitted = la.jit(softmax)
    host, x = on_gpu(2, (64, 12_000))
    for k in range(12):
        result = np.asarray(jitted.persist(x, 1 + k / 16))
        np.testing.assert_allclose(result, softmax(host, 1 + k / 16), rtol=1e-11)
    assert is_ready(jitted)


def test_arrays_that_move_and_are_not_aligned() -> None:
    jitted = la.jit(lambda x, n: x * n + 1)
    host = np.random.default_rng(3).random(1025).astype(np.float32)
    array = la.asarray(host, device="cuda")
    interface = array.__cuda_array_interface__
    for k in range(12):
        for first in (0, 1, 1, 0):
            place = interface["data"][0] + 4 * first, False
            part = {**interface, "shape": (1024,), "strides": (4,), "data": place}
            x = la.asarray(type("Other", (), {"__cuda_array_interface__": part})())
            expected = host[first : first + 1024] * np.float32(k + 0.5) + 1
            np.testing.assert_allclose(jitted.persist(x, k + 0.5), expected, rtol=1e-6)


def test_draws_of_jitted_functions_differ() -> None:
    jitted = la.jit(lambda x, generator: x + generator.random(x.shape))
    host, x = on_gpu(4, (100, 30))
    ours, theirs = la.random.default_rng(5), la.random.default_rng(5)
    for _ in range(12):
        result = np.asarray(jitted.persist(x, ours))
        expected = la.evaluate(theirs.random(host.shape), device="cpu") + host
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert is_ready(jitted)


@pytest.mark.parametrize("streams", [False, True])
def test_threads_use_one_plan_at_once(streams: bool) -> None:
    jitted = la.jit(several_kernels)
    several = la.jit(lambda x, n: (x + n, (x * n).sum(axis=1)))
    wrong: list[object] = []
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        host, x = on_gpu(seed, (64, 64))
        start.wait()
        kept: list[Any] = []
        for iteration in range(60):
            number = seed + iteration * 16 + 0.5
            kept.append((jitted.persist(x, number), *several.persist(x, number), number))
            if iteration % 10 == 9:
                for value, added, summed, n in kept:
                    np.testing.assert_allclose(value, several_kernels(host, n), 1e-9, 1e-8)
                    close(added, host + n)
                    np.testing.assert_allclose(summed, (host * n).sum(axis=1), rtol=1e-10)
                kept.clear()

    def run(seed: int) -> None:
        try:
            with la.config(device="cuda"):
                if streams:
                    with la.stream():
                        work(seed)
                else:
                    work(seed)
        except BaseException as error:
            wrong.append(error)
            start.abort()
            raise

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
