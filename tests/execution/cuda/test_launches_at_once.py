"""Kernels that are queued one by one, from several streams, threads and calls at once."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.gpu_launches import (
    KERNELS,
    close,
    on_gpu,
    opened,
    queued,
    several_kernels,
)

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(params=[None, 0, 1])
def device(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice(None if request.param is None else Random(request.param))
    yield from opened(emulated, monkeypatch)


def test_streams_have_launches_of_their_own(device: EmulatedDevice) -> None:
    jitted = la.jit(several_kernels)
    host, x = on_gpu(8)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    results = []
    for iteration in range(3):
        with la.stream():
            for k in range(5):
                number = iteration * 5 + k + 0.25
                assert (
                    queued(device, lambda n=number: results.append(jitted.persist(x, n))) == KERNELS
                )  # type: ignore[misc]
        results.append(jitted.persist(x, 70.0 + iteration))
    numbers = [0.25 + k for k in range(15)]
    for iteration in range(3):
        numbers.insert(5 + 6 * iteration, 70.0 + iteration)
    for value, number in zip(results, numbers, strict=True):
        close(value, several_kernels(host, number))
    queues = {value._node.attr.device_array.queue for value in results}
    assert len(queues) >= 2


def test_threads_use_one_plan_at_once(device: EmulatedDevice) -> None:
    jitted = la.jit(several_kernels)
    several = la.jit(lambda x, n: (x + n, (x * n).sum(axis=1)))
    wrong: list[object] = []
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        try:
            with la.config(device="cuda"):
                host, x = on_gpu(seed)
                start.wait()
                for iteration in range(25):
                    number = seed + iteration * 16 + 0.5
                    close(jitted.persist(x, number), several_kernels(host, number))
                    added, summed = several.persist(x, number)
                    close(added, host + number)
                    close(summed, (host * number).sum(axis=1))
        except BaseException as error:
            wrong.append(error)
            raise

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert device.ready_launches.launches > 500


def test_calls_that_overlap_have_memory_of_their_own(device: EmulatedDevice) -> None:
    """A call lets the GIL go: what another thread queues meanwhile must not change its numbers."""
    jitted = la.jit(several_kernels)
    host, x = on_gpu(9)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    launcher = device.ready_launches
    entered: list[Any] = []

    def between(name: str) -> int:
        launcher.fail = None
        other = threading.Thread(target=lambda: entered.append(jitted.persist(x, 1000.5)))
        with la.config(device="cuda"):
            other.start()
            other.join()
        return 0

    launcher.fail = between
    # The driver of the first call is entered before it reads the numbers of the first.
    result = jitted.persist(x, 2000.5)
    assert len(entered) == 1
    close(result, several_kernels(host, 2000.5))
    close(entered[0], several_kernels(host, 1000.5))


@pytest.mark.parametrize("without", ["launcher", "handle"])
def test_a_driver_that_does_not_tell_is_asked_by_pycuda(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch, without: str
) -> None:
    if without == "launcher":
        device.launcher = None
    else:
        monkeypatch.setattr(device, "handle_of", lambda function, threads: 0)
    jitted = la.jit(several_kernels)
    host, x = on_gpu(10)
    for k in range(12):
        close(jitted.persist(x, k + 0.5), several_kernels(host, k + 0.5))
    assert device.launches == 12 * KERNELS
    assert device.ready_launches.launches == 0


def test_draws_of_jitted_functions_differ(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x, generator: x + generator.random(x.shape))
    host, x = on_gpu(11)
    ours, theirs = la.random.default_rng(5), la.random.default_rng(5)
    for _ in range(10):
        result = np.asarray(jitted.persist(x, ours))
        expected = la.evaluate(theirs.random(host.shape), device="cpu") + host
        np.testing.assert_allclose(result, expected, rtol=1e-12)
    assert device.ready_launches.launches
