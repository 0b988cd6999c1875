"""Plans that run again as graphs, on an emulated GPU whose streams run late and in any order."""

from __future__ import annotations

import inspect
import shutil
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import get_config
from lazyarr.errors import DeviceError, DeviceMemoryError
from lazyarr.runtime.cuda import driver, tuning
from lazyarr.runtime.cuda.memory_pool import DevicePool, size_class
from tests.support.cuda_emulator import EmulatedDevice, EmulatedGraph

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(params=[None, 0, 1, 2])
def device(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice(None if request.param is None else Random(request.param))
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


def three(x: Any, number: float = 1.0) -> Any:
    """Three kernels, with values that are stored on the way."""
    y = x - x.mean(axis=0)
    z = y / y.std(axis=0)
    return z.max() * number + z.T


def close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)


def on_gpu(seed: int, shape: tuple[int, ...] = (9, 8)) -> tuple[np.ndarray[Any, Any], Any]:
    host = np.random.default_rng(seed).random(shape)
    return host, la.asarray(host, device="cuda")


def test_what_graphs_store_on_their_way_shares_memory(device: EmulatedDevice) -> None:
    """They run one after another; kernels that are queued one by one have memory of their own."""
    arguments = [on_gpu(k) for k in range(3)]
    lazy = [three(x) for _, x in arguments]
    for iteration in range(8):
        for k, (host, x) in enumerate(arguments):
            again = la.persist(lazy[k])
            anew = la.persist(three(x, iteration + 0.5))
            close(again, three(host))
            close(anew, three(host, iteration + 0.5))
    assert device.replays
    assert device.main._pad is not None


def test_what_does_not_fit_the_pad_has_memory_of_its_own(device: EmulatedDevice) -> None:
    # Two numbers of each column are stored on the way.
    host, x = on_gpu(0, (3, tuning.row().pad_bytes // 16 + 1))
    lazy = three(x)
    for _ in range(5):
        close(la.persist(lazy), three(host))
    assert device.replays
    assert device.main._pad is None


def test_calls_of_jitted_functions_replay_for_arrays_that_are_where_they_were(
    device: EmulatedDevice,
) -> None:
    jitted = la.jit(three)
    pairs = [on_gpu(k) for k in range(2)]
    for _ in range(7):
        results = [jitted.persist(x, 1.5) for _, x in pairs]
        for value, (host, _) in zip(results, pairs, strict=True):
            close(value, three(host, 1.5))
        del results, value
    before, launches = device.replays, device.launches
    results = [jitted.persist(x, 1.5) for _, x in pairs]
    assert device.replays == before + 2
    for value, (host, _) in zip(results, pairs, strict=True):
        close(value, three(host, 1.5))
    assert device.launches > launches
    assert jitted.cache_info().traced == 1


def test_equal_numbers_that_are_not_the_same_do_not_replay_each_other(
    device: EmulatedDevice,
) -> None:
    divided = la.jit(lambda x, number: x / number)
    x = la.asarray(np.ones(5), device="cuda")
    with np.errstate(divide="ignore"):
        for _ in range(6):
            for number in (0.0, -0.0, 2.0, 2, True):
                result = np.asarray(divided.persist(x, number))
                np.testing.assert_array_equal(result, np.ones(5) / np.float64(number))


def test_another_stream_does_the_work_itself(device: EmulatedDevice) -> None:
    jitted = la.jit(three)
    host, x = on_gpu(3)
    for _ in range(6):
        jitted.persist(x, 1.5)
    with la.stream():
        for _ in range(6):
            result = jitted.persist(x, 1.5)
            assert result._node.attr.device_array.queue is not device.main
            close(result, three(host, 1.5))
    result = jitted.persist(x, 1.5)
    assert result._node.attr.device_array.queue is device.main
    close(result, three(host, 1.5))


def test_other_settings_take_another_plan(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x, number: la.sqrt(x) * number)
    host, x = on_gpu(4)
    for numerics in ("strict", "fast", "strict"):
        with la.config(numerics=numerics):
            for _ in range(6):
                close(jitted.persist(x, 2.5), np.sqrt(host) * 2.5)
    assert jitted.cache_info().launches == 2


def test_profiles_see_what_would_be_replayed(device: EmulatedDevice) -> None:
    jitted = la.jit(three)
    _, x = on_gpu(5)
    for _ in range(6):
        jitted.persist(x, 1.5)
    with la.profile() as timings:
        jitted.persist(x, 1.5)
    assert timings.runs


def test_results_that_are_kept_are_not_overwritten(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x, number: x * number)
    random = np.random.default_rng(7)
    host = random.random((9, 8))
    x = la.asarray(host, device="cuda")
    lazy = x * 3.0
    kept: list[tuple[Any, float]] = []
    for iteration in range(80):
        number = 3.0 if iteration < 40 else 1.5 + iteration % 2
        kept += (la.persist(lazy), 3.0), (jitted.persist(x, number), number)
        for _ in range(random.integers(3)):
            kept.pop(random.integers(len(kept)))
    places = {value._node.attr.device_array.address for value, _ in kept}
    assert len(places) == len(kept)
    for value, number in kept:
        np.testing.assert_array_equal(np.asarray(value), host * number)
    assert device.replays
    assert device.ready_launches.launches


def test_several_results_replay_together(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x: (x + 1, x.sum(axis=0), x[::-1] * 2))
    host, x = on_gpu(8)
    expected = host + 1, host.sum(axis=0), host[::-1] * 2
    for _ in range(20):
        before = device.replays
        result = jitted.persist(x)
        for k in range(3):
            close(result[k], expected[k])
    assert device.replays == before + 1


def test_a_state_that_is_handed_on_replays(device: EmulatedDevice) -> None:
    """Results of two sizes alternately, each made of the one before."""
    step = la.jit(lambda x: 0.5 * (x + 2 / x))
    total = la.jit(lambda x: x.sum(axis=0))
    host = np.random.default_rng(9).random((9, 8)) + 1
    x = la.asarray(host, device="cuda")
    for _ in range(12):
        x = step.persist(x)
        host = 0.5 * (host + 2 / host)
        result = total.persist(x)
    before = device.replays
    x = step.persist(x)
    result = total.persist(x)
    assert device.replays == before + 2
    close(result, (0.5 * (host + 2 / host)).sum(axis=0))


def test_plans_and_graphs_that_are_forgotten_are_made_anew(device: EmulatedDevice) -> None:
    jitted = la.jit(three)
    host, x = on_gpu(10)
    lazy = three(x)
    for forget in (False, True, False, True, False):
        for _ in range(6):
            close(la.persist(lazy), three(host))
            close(jitted.persist(x, 1.5), three(host, 1.5))
        before = device.replays
        close(la.persist(lazy), three(host))
        assert device.replays == before + 1
        if forget:
            forget_plans()
            close(la.persist(lazy), three(host))
            assert device.replays == before + 1
        else:
            executable: Any = pipeline.prepare((lazy._node,), get_config())[0]
            executable.graphs.forget()


def test_a_limit_of_memory_holds_for_replays(device: EmulatedDevice) -> None:
    host, x = on_gpu(11)
    lazy = x + 1
    for _ in range(6):
        la.persist(lazy)
    limit = device.memory.info().held
    assert limit
    with la.config(memory_limit=limit):
        for _ in range(4):
            la.persist(lazy)
        kept = []
        with pytest.raises(DeviceMemoryError, match="memory_limit") as caught:
            while True:
                kept.append(la.persist(lazy))
        assert kept
        assert __file__ in str(caught.value)
        for value in kept:
            close(value, host + 1)
        value = None
        kept.clear()
        del caught
        close(la.persist(lazy), host + 1)
    assert device.memory.info().held <= limit


def test_a_launch_that_fails_is_an_error_and_keeps_no_memory(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, x = on_gpu(12)
    lazy = three(x)
    for _ in range(6):
        la.persist(lazy)
    before, replays = device.memory.info(), device.replays
    with monkeypatch.context() as patch:
        patch.setattr(EmulatedGraph, "launch", lambda graph: 719)
        for _ in range(3):
            with pytest.raises(DeviceError, match="error 719"):
                la.persist(lazy)
    assert device.memory.info() == before
    close(la.persist(lazy), three(host))
    assert device.replays == replays + 1


def test_results_name_the_line_that_asked_for_them(device: EmulatedDevice) -> None:
    jitted = la.jit(three)
    several = la.jit(lambda x: (x + 1, x + 2))
    _, x = on_gpu(13)
    lazy = three(x)
    for _ in range(6):
        line = inspect.currentframe().f_lineno  # type: ignore[union-attr]
        results = [
            la.persist(lazy),
            lazy.persist(),
            la.persist(lazy, lazy + 1)[0],
            jitted.persist(x, 1.5),
            several.persist(x)[1],
        ]
        for k, value in enumerate(results):
            assert value._node.origin == (__file__, line + 2 + k)


def test_threads_share_a_stream_and_its_pad(device: EmulatedDevice) -> None:
    jitted = la.jit(three)
    wrong: list[object] = []

    def work(seed: int) -> None:
        try:
            with la.config(device="cuda"):
                host, x = on_gpu(seed)
                lazy = three(x)
                for iteration in range(12):
                    close(la.persist(lazy), three(host))
                    number = 1.5 + iteration % 2
                    close(jitted.persist(x, number), three(host, number))
        except BaseException as error:
            wrong.append(error)
            raise

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_blocks_are_reused_all_together_or_not_at_all(device: EmulatedDevice) -> None:
    pool: DevicePool = device.pool
    requests = tuple((size_class(n), n, None) for n in (300, 5000))
    assert pool.reuse(requests) is None
    first = pool.allocate(300)
    del first
    before = pool.info()
    assert pool.reuse(requests) is None
    assert pool.info() == before
    second = pool.allocate_all(requests)
    addresses = [block.address for block in second]
    del second
    allocated = pool.reuse(requests)
    assert allocated is not None and [block.address for block in allocated] == addresses
    assert pool.info().in_use == sum(size for size, _, _ in requests)
