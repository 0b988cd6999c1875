"""Plans whose kernels are compiled in two tiers, on an emulated GPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice, EmulatedStream

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    emulated.kernels.tiers = True
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


def moments(x: Any) -> Any:
    """Two kernels."""
    return (x - x.mean(axis=0)) * x.std()


@pytest.fixture
def example() -> tuple[np.ndarray[Any, Any], Any]:
    host = np.random.default_rng(1).random((9, 8))
    return host, la.asarray(host, device="cuda")


def close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)


def test_what_runs_once_is_compiled_once(device: EmulatedDevice, example: Any) -> None:
    host, x = example
    close(la.persist(moments(x)), moments(host))
    assert not device.kernels.compile_requests
    close(la.persist(moments(x)), moments(host))
    assert device.kernels.compile_requests == list(device.kernels.functions.values())


def test_graphs_of_the_first_tier_are_replaced(device: EmulatedDevice, example: Any) -> None:
    """A graph has machine code, not a function whose code may be replaced."""
    host, x = example
    lazy = moments(x)

    def run() -> None:
        for _ in range(8):
            close(la.persist(lazy), moments(host))

    run()
    assert device.captures == 1 and device.replays == 6
    assert len(device.kernels.compile_requests) == len(device.kernels.functions) > 1
    *others, last = device.kernels.compile_requests
    device.kernels.optimize(others)
    run()
    assert device.captures == 1 and device.replays == 14
    device.kernels.optimize([last])
    run()
    assert device.captures == 2 and device.replays == 22
    run()
    assert device.captures == 2


def test_a_graph_that_is_recorded_while_kernels_are_replaced_is_not_used_again(
    device: EmulatedDevice, example: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, x = example
    lazy = moments(x)
    plain = EmulatedStream.capture

    def capture(self: EmulatedStream, queue: Any) -> Any:
        graph = plain(self, queue)
        device.kernels.optimize(device.kernels.compile_requests)
        return graph

    monkeypatch.setattr(EmulatedStream, "capture", capture)
    for _ in range(8):
        close(la.persist(lazy), moments(host))
    assert device.captures == 2 and device.replays == 6


def test_launches_that_wait_for_numbers_alone_are_of_the_second_tier(
    device: EmulatedDevice, example: Any
) -> None:
    host, x = example
    numbers = la.jit(lambda x, a: moments(x) * a)
    for optimized in (False, True):
        for iteration in range(8):
            close(numbers.persist(x, iteration + 0.5), moments(host) * (iteration + 0.5))
        assert bool(device.ready_launches.functions) is optimized
        assert not device.captures
        device.kernels.optimize(device.kernels.compile_requests)


def test_a_bound_call_waits_for_the_second_tier(device: EmulatedDevice, example: Any) -> None:
    host, x = example
    bound = la.jit(moments).bind(x)
    assert device.kernels.functions
    assert not any(function.baseline for function in device.kernels.functions.values())
    replays = device.replays
    close(bound(), moments(host))
    assert device.replays == replays + 1


def test_profiles_are_of_the_second_tier(device: EmulatedDevice, example: Any) -> None:
    host, x = example
    with la.profile() as timings:
        close(la.persist(moments(x)), moments(host))
    assert not any(function.baseline for function in device.kernels.functions.values())
    assert timings.runs[0].steps


def test_a_kernel_for_addresses_as_they_come_has_tiers_too(device: EmulatedDevice) -> None:
    host = np.random.default_rng(1).random(101)
    whole = la.asarray(host, device="cuda")
    interface = whole.__cuda_array_interface__
    place = {
        **interface,
        "shape": (100,),
        "strides": (8,),
        "data": (interface["data"][0] + 8, False),
    }
    shifted = la.asarray(type("Other", (), {"__cuda_array_interface__": place})())
    interface = {**interface, "shape": (100,), "strides": (8,)}
    aligned = la.asarray(type("Other", (), {"__cuda_array_interface__": interface})())
    function = la.jit(lambda x: x * 2 + 1)

    def runs(x: Any, part: np.ndarray[Any, Any]) -> int:
        """Return the number of replays among some runs."""
        before = device.replays
        for _ in range(6):
            close(function.persist(x), part * 2 + 1)
        return device.replays - before

    assert runs(aligned, host[:-1]) > 0
    device.kernels.optimize(device.kernels.compile_requests)
    assert runs(aligned, host[:-1]) > 0
    captures = device.captures
    assert runs(shifted, host[1:]) > 0
    assert device.captures == captures + 1
    _, other = device.kernels.functions.values()
    assert other.baseline and device.kernels.compile_requests[-1] is other
    device.kernels.optimize([other])
    assert runs(shifted, host[1:]) > 0
    assert runs(aligned, host[:-1]) > 0
    assert device.captures == captures + 3
