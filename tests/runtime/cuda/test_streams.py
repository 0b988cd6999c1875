"""Streams and their pools, on an emulated GPU whose streams run late and in any order."""

from __future__ import annotations

import gc
import shutil
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ArgumentError, DeviceMemoryError
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice, EmulatedEvent

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


def emulate(monkeypatch: pytest.MonkeyPatch, random: Random | None) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice(random)
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    yield from emulate(monkeypatch, None)


@pytest.fixture(params=range(6))
def late(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    yield from emulate(monkeypatch, Random(request.param))


def test_the_emulator_shows_what_is_not_ordered(late: EmulatedDevice) -> None:
    """Without events, what another stream computes would not be there yet."""
    late.driver.random = Random(1)
    first, second = la.stream(), la.stream()
    with first:
        x = la.persist(la.asarray(np.ones(50)) + 1)
    second._queue.after = lambda other, ticket: None  # type: ignore[method-assign]
    late.driver.progress = lambda stream: None  # type: ignore[method-assign]
    with second:
        assert not (la.evaluate(x * 1) == 2).all()


def test_arrays_cross_streams(late: EmulatedDevice) -> None:
    streams = [la.stream() for _ in range(3)]
    host = np.arange(100.0)
    x = la.asarray(host, device="cuda")
    expected = host
    random = Random(3)
    for k in range(40):
        with random.choice(streams):
            x = la.persist(2 * x - k)
        expected = 2 * expected - k
        if k % 5 == 0:
            x, expected = la.persist(x % 7), expected % 7
    np.testing.assert_array_equal(x.compute(), expected)


def test_events_are_used_again(device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """To end one, its context must be current, and marks are dropped in any thread."""
    emulated: list[EmulatedEvent] = []

    def event(flags: int = 0) -> EmulatedEvent:
        assert device.contexts.depth, "no context is current"
        emulated.append(EmulatedEvent(flags))
        return emulated[-1]

    monkeypatch.setattr(device.driver, "Event", event)
    streams = [la.stream() for _ in range(3)]
    host = np.arange(100.0)
    x = la.asarray(host, device="cuda")
    expected = host
    for iteration in range(60):
        with streams[iteration % 3]:
            x = la.persist(x * 2 % 97 + iteration)
        expected = expected * 2 % 97 + iteration
    np.testing.assert_array_equal(np.asarray(x), expected)
    assert 0 < len(emulated) <= 12


def test_memory_is_not_used_again_while_another_stream_reads_it(late: EmulatedDevice) -> None:
    maker, reader = la.stream(), la.stream()
    results = []
    for k in range(30):
        with maker:
            x = la.persist(la.asarray(np.full(64, float(k))) + 1)
        with reader:
            results.append(la.persist(x.sum()))
        del x  # the maker's pool may hand it out at once, and does in its next run
        gc.collect(0)
    for k, result in enumerate(results):
        assert result.compute() == 64 * (k + 1)


def test_graphs_belong_to_a_stream(late: EmulatedDevice) -> None:
    x = la.asarray(np.arange(30.0).reshape(5, 6), device="cuda")
    lazy = (x - x.mean(axis=0)).max(axis=1)
    expected = (x.compute() - x.compute().mean(axis=0)).max(axis=1)
    streams = [la.stream(), la.stream()]
    for _ in range(12):
        for stream in streams:
            with stream:
                np.testing.assert_array_equal(np.asarray(la.persist(lazy)), expected)
    assert late.replays >= 8
    info = la.cache.info().device
    assert [s.graphs for s in info.streams] == [0, 1, 1]


def test_threads_have_a_stream_each(late: EmulatedDevice) -> None:
    late.driver.random = None  # the emulator's own state is no matter for threads
    x = la.asarray(np.arange(1000.0), device="cuda")
    wrong: list[object] = []

    def work(number: int) -> None:
        with la.config(device="cuda"), la.stream():
            for k in range(10):
                result = la.evaluate((x * number + k).sum())
                if result != 499500 * number + 1000 * k:
                    wrong.append((number, k, result))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    result = la.cache.info().device
    assert result is not None
    assert 2 <= len(result.streams) <= 9
    assert sum(s.pool.held for s in result.streams) == result.pool.held


def test_a_stream_serves_again_with_its_memory(device: EmulatedDevice) -> None:
    host = np.ones(5000)
    for _ in range(5):
        with la.stream():
            la.evaluate(la.asarray(host) + 1)
    assert len(device.streams) == 2
    assert device.pool.info().allocations == 0
    assert device.memory.info().allocations == device.streams[1].pool.info().allocations == 2


def test_streams_nest_and_are_those_of_the_thread(device: EmulatedDevice) -> None:
    outer, inner = la.stream(), la.stream()
    seen: list[object] = []
    with outer:
        with inner, inner:
            assert device.stream() is inner._queue
        assert device.stream() is outer._queue
        thread = threading.Thread(target=lambda: seen.append(device.stream()))
        thread.start()
        thread.join()
    assert device.stream() is device.main
    assert seen == [device.main]


def test_other_libraries_streams_come_before_and_after(device: EmulatedDevice) -> None:
    class Other:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, 1234

    stream = la.stream(Other())
    assert stream.__cuda_stream__() == (0, 1234)
    with stream:
        x = la.persist(la.asarray(np.ones(3)) + 1)
    assert device.waited == [("for", 1234), ("let", 1234)]
    assert x.compute()[0] == 2
    assert la.stream(77).handle == 77
    for wrong in ("s", 1.5, -1, object(), True):
        with pytest.raises(ArgumentError, match="stream takes"):
            la.stream(wrong)
    with pytest.raises(ArgumentError, match="per-thread"):
        la.stream(2)
    newer = type("Newer", (), {"__cuda_stream__": lambda self: (1, 5)})()
    with pytest.raises(ArgumentError, match="unsupported version"):
        la.stream(newer)


def test_the_limit_holds_for_all_streams_together(device: EmulatedDevice) -> None:
    first, second = la.stream(), la.stream()
    with la.config(memory_limit="4MiB"):
        with first:
            array = la.persist(la.asarray(np.ones(200_000)) + 1)  # 1.6 MB, and as much for the copy
        with second:
            # What is idle in the first stream's pool serves.
            other = la.persist(la.asarray(np.ones(60_000)) + 1)
            with pytest.raises(DeviceMemoryError, match="memory_limit") as caught:
                la.persist(la.asarray(np.ones(300_000)) + 1)
        assert "1,600,000 bytes by" in str(caught.value)
    assert device.memory.info().held <= 4 << 20
    assert array.compute()[0] == other.compute()[0] == 2
    la.cache.clear()
    info = device.memory.info()
    assert info.held == info.in_use


def test_shared_arrays_of_a_stream_come_with_its_order(device: EmulatedDevice) -> None:
    stream = la.stream()
    with stream:
        x = la.persist(la.asarray(np.ones(3)) + 1)
    x.__dlpack__(stream=99)
    assert device.waited == [("let", 99)]
    with stream:
        y = la.from_dlpack(x)
    assert y.compute()[0] == 2


def test_jitted_functions_leave_results_on_the_device(device: EmulatedDevice) -> None:
    @la.jit
    def step(w: Any, x: Any, rate: float) -> Any:
        y = x @ w
        return {"w": w - rate * (x.T @ (y - y.mean())), "loss": (y * y).sum(), "rate": rate}

    rng = np.random.default_rng(0)
    host, x = rng.random((5, 3)), rng.random((8, 5))
    w, operand = la.asarray(host, device="cuda"), la.asarray(x, device="cuda")
    downloaded = device.downloaded
    for k in range(12):
        result = step.persist(w, operand, 0.01 * k)
        w = result["w"]
        assert type(w) is la.LazyArray and w.device == "cuda" and result["rate"] == 0.01 * k
        y = x @ host
        host = host - 0.01 * k * (x.T @ (y - y.mean()))
    assert device.downloaded == downloaded
    np.testing.assert_allclose(w.compute(), host, rtol=1e-12)
    np.testing.assert_allclose(result["loss"].compute(), (y * y).sum(), rtol=1e-12)
    assert step.cache_info().planned == 1
    # What is not computed yet is computed first, arrays of the host are brought there.
    again = step.persist(w + 0, x, 0.0)
    np.testing.assert_array_equal(again["w"].compute(), w.compute())
    with la.config(device="cpu"):
        here = step.persist(host, x, 0.0)["w"]
        assert here.device == "cpu"
        np.testing.assert_allclose(here.compute(), host, rtol=1e-12)


def test_what_a_loop_goes_on_with_is_stored_on_the_device(device: EmulatedDevice) -> None:
    host = np.linspace(0.5, 1.0, 12)
    x = la.asarray(host, device="cuda")
    stored = 0
    for iteration in range(12):
        host, x = np.cos(host), np.cos(x)
        if iteration % 2:
            largest = float(x.max())
        else:
            result = np.empty(())
            la.evaluate(x.max(), out=result)
            largest = float(result)
        np.testing.assert_allclose(largest, host.max(), rtol=1e-12)
        stored += x._node.stored is not None
        assert x.device == "cuda"
    assert stored == 6  # every second iteration
    np.testing.assert_allclose(np.asarray(x), host, rtol=1e-12)
