"""Bound calls of jitted functions, on an emulated GPU whose streams run late and in any order."""

from __future__ import annotations

import ctypes
import gc
import shutil
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ArgumentError
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

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


def normalised(x: Any, factor: float = 1.0) -> dict[str, Any]:
    y = x - x.mean(axis=0)
    return {"scaled": y / y.std(axis=0) * factor, "sums": y.sum(axis=1), "factor": factor}


def overwrite(device: EmulatedDevice, x: Any, host: np.ndarray[Any, Any]) -> None:
    """Write to an array on the GPU, as another library does that shares it."""
    device.synchronize()
    ctypes.memmove(x._node.attr.device_array.address, host.ctypes.data, host.nbytes)


def check(result: dict[str, Any], host: np.ndarray[Any, Any], factor: float) -> None:
    for name, value in normalised(host, factor).items():
        np.testing.assert_allclose(np.asarray(result[name]), value, rtol=1e-12, atol=1e-12)


def test_a_bound_call_computes_again_in_the_same_memory(device: EmulatedDevice) -> None:
    rng = np.random.default_rng(0)
    host = rng.random((9, 8))
    x = la.asarray(host, device="cuda")
    bound = la.jit(normalised).bind(x, 2.5)
    check(bound.results, host, 2.5)
    place = bound.results["scaled"]._on_device().address
    before = device.memory.info().allocations, device.launches
    for _ in range(5):
        host = rng.random((9, 8))
        overwrite(device, x, host)
        result = bound()
        assert result is bound.results
        check(result, host, 2.5)
        np.testing.assert_allclose(  # what is made of the results sees what they are now
            la.evaluate(result["sums"] + 1), normalised(host)["sums"] + 1, rtol=1e-12
        )
    assert result["scaled"]._on_device().address == place
    assert device.replays >= 6
    assert device.memory.info().allocations <= before[0] + 4  # of the evaluations in the loop


def test_one_kernel_is_a_graph_too(device: EmulatedDevice) -> None:
    x = la.asarray(np.arange(10.0), device="cuda")
    bound = la.jit(lambda x: x + 1).bind(x)
    before = device.replays
    np.testing.assert_array_equal(np.asarray(bound()), np.arange(10.0) + 1)
    assert device.replays == before + 1


def test_what_no_graph_can_hold_is_copied(device: EmulatedDevice) -> None:
    """Bounds of a gather are read back."""
    host, where = np.random.default_rng(0).random((6, 6)), np.array([0, 4, 2])
    x, i = la.asarray(host, device="cuda"), la.asarray(where, device="cuda")
    bound = la.jit(lambda x, i: x[i] * 2).bind(x, i)
    for k in range(1, 4):
        overwrite(device, x, k * host)
        np.testing.assert_array_equal(np.asarray(bound()), k * host[where] * 2)


@pytest.mark.parametrize("function", [lambda x: x @ x.T + 1, lambda x: np.linalg.inv(x) * 2])
@pytest.mark.parametrize("device", [None], indirect=True)  # libraries are emulated at once
def test_library_steps(device: EmulatedDevice, function: Any) -> None:
    host = np.random.default_rng(0).random((6, 6)) + 6 * np.eye(6)
    x = la.asarray(host, device="cuda")
    bound = la.jit(function).bind(x)
    for k in range(1, 4):
        overwrite(device, x, k * host)
        np.testing.assert_allclose(np.asarray(bound()), function(k * host), rtol=1e-12)


def test_bound_calls_follow_each_other_across_streams(device: EmulatedDevice) -> None:
    """What one writes another reads: neither early nor late, whatever runs first."""
    first, second = la.stream(), la.stream()
    x = la.asarray(np.zeros(64), device="cuda")
    with first:
        advance = la.jit(lambda x: x * 2 + 1).bind(x)
    with second:
        total = la.jit(lambda y: y.sum()).bind(advance.results)
    for k in range(1, 20):
        overwrite(device, x, np.full(64, float(k)))
        advance()
        with second:
            total()
            seen = la.persist(advance.results - 1)
        advance()
        np.testing.assert_array_equal(np.asarray(total.results), 64 * (2 * k + 1))
        np.testing.assert_array_equal(np.asarray(seen), 2.0 * k)


def test_arrays_of_another_stream_are_waited_for_each_time(device: EmulatedDevice) -> None:
    """What a bound call writes again is other values at the same place."""
    total = la.asarray(np.zeros(50), device="cuda")
    with la.stream():
        bound = la.jit(lambda x: x + 1).bind(total)
    written = bound.results
    captured = la.jit(lambda n: written * n)
    lazy = written * 2.5
    for iteration in range(12):
        overwrite(device, total, np.full(50, float(iteration)))
        bound()
        ours, theirs = la.persist(lazy), captured.persist(3.5)
        np.testing.assert_array_equal(np.asarray(ours), np.full(50, (iteration + 1) * 2.5))
        np.testing.assert_array_equal(np.asarray(theirs), np.full(50, (iteration + 1) * 3.5))
    assert device.replays > 12


def test_a_bound_call_keeps_its_memory_and_gives_it_back(device: EmulatedDevice) -> None:
    host = np.ones((64, 64))
    x = la.asarray(host, device="cuda")
    jitted = la.jit(lambda x: (x - x.mean(axis=0)) / x.std())
    jitted.persist(x)
    gc.collect()
    device.synchronize()
    before = device.memory.info().in_use
    bound = jitted.bind(x)
    in_use = device.memory.info().in_use
    assert in_use > before
    others = [la.persist(x + k) for k in range(10)]
    bound()
    for k, other in enumerate(others):
        np.testing.assert_array_equal(np.asarray(other), host + k)
    del bound, other, others
    gc.collect()
    device.part()
    assert device.memory.info().in_use == before


def test_what_cannot_be_bound(device: EmulatedDevice) -> None:
    with pytest.raises(ArgumentError, match="on the host"):
        la.jit(lambda x: x + 1).bind(np.ones(5))
    rng = la.random.default_rng(0)
    with pytest.raises(ArgumentError, match="draws random numbers"):
        la.jit(lambda x: x + rng.random(5)).bind(la.asarray(np.ones(5), device="cuda"))
    with pytest.raises(ArgumentError, match="inside a traced function"):
        la.jit(lambda x: la.jit(lambda y: y + 1).bind(x)())(np.ones(5))


def test_numbers_are_told_apart_by_their_bits(device: EmulatedDevice) -> None:
    x = la.asarray(np.ones(8), device="cuda")
    jitted = la.jit(lambda x, n: (x - x.min()) * n + x.sum() * 0 * n)
    for _ in range(6):
        for n in (1.5, 0.0, -0.0, float("nan"), 2.5, 1.5):
            result = np.asarray(jitted.persist(x, n))
            expected = np.zeros(8) * n + 8.0 * 0 * n
            np.testing.assert_array_equal(result, expected)
            np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


def test_graphs_given_up_are_not_replayed(device: EmulatedDevice) -> None:
    """More combinations of addresses than graphs are kept: the oldest go, also from notes."""
    host = np.random.default_rng(0).random((6, 5))
    x = la.asarray(host, device="cuda")
    expression = (x - x.mean(axis=0)) / x.std(axis=0)
    expected = (host - host.mean(axis=0)) / host.std(axis=0)
    kept: list[Any] = []
    for _ in range(60):
        kept.append(la.persist(expression))
        if len(kept) > 12:
            del kept[:11]
    for value in kept:
        np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-12)
