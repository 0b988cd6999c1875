"""Plans that a calibration has placed, run with the GPU emulated: values, copies, memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.request import Request
from lazyarr.core.config import MIXED, get_config
from lazyarr.errors import DeviceMemoryError
from lazyarr.execution.cuda.executor import CudaExecutor
from lazyarr.runtime.cuda import driver
from tests.support.calibrations import calibrated, machine
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

ITERATIONS = 60


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    # A processor so slow that small arrays go to the GPU.
    with calibrated(machine(addition=1e-6), monkeypatch):
        yield emulated


def _iterated(x: Any) -> Any:
    return la.fori_loop(ITERATIONS, lambda _, s: s * s - 0.25, x)


def _expected(x: np.ndarray) -> np.ndarray:
    for _ in range(ITERATIONS):
        x = x * x - 0.25
    return x


def _system() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((8, 8)) + 8 * np.eye(8), rng.random(8), rng.random((40, 8)) - 0.5


def _device_of(*expressions: Any) -> str:
    roots = tuple([x._node for x in expressions])
    return Request.unmarked(roots, get_config()).decided(roots).device


def test_a_plan_on_the_gpu_gives_what_the_processor_gives(device: EmulatedDevice) -> None:
    host = np.random.default_rng(1).random(500) - 0.5
    y = _iterated(la.asarray(host))
    assert _device_of(y) == "cuda"
    for _ in range(3):
        np.testing.assert_array_equal(la.evaluate(y), _expected(host))
    assert device.uploaded == 3 * host.nbytes
    out = np.empty(500)
    assert la.evaluate(_iterated(la.asarray(host)), out=out) is out
    np.testing.assert_array_equal(out, _expected(host))
    with la.config(device="cpu"):
        np.testing.assert_array_equal(la.evaluate(y), _expected(host))
    assert device.uploaded == 4 * host.nbytes


def test_parts_run_on_both_devices(device: EmulatedDevice) -> None:
    a, b, x = _system()
    solution = la.linalg.solve(la.asarray(a), la.asarray(b))
    y = _iterated(la.asarray(x) * solution)
    assert _device_of(y, solution) == MIXED
    expected = np.linalg.solve(a, b)
    for _ in range(3):
        values = la.evaluate(y, solution)
        np.testing.assert_array_equal(values[1], expected)
        np.testing.assert_array_equal(values[0], _expected(x * expected))
    outs = [np.empty_like(x), None]
    first, second = la.evaluate(y, solution, out=outs)
    assert first is outs[0]
    np.testing.assert_array_equal(first, values[0])
    np.testing.assert_array_equal(second, expected)


def test_the_gpus_part_is_computed_with_on_the_processor(device: EmulatedDevice) -> None:
    a, _, x = _system()
    rows = _iterated(la.asarray(x))
    y = la.linalg.solve(la.asarray(a), rows.sum(axis=0)) + 1
    assert _device_of(y) == MIXED
    for _ in range(2):
        expected = np.linalg.solve(a, la.evaluate(rows).sum(axis=0)) + 1
        np.testing.assert_allclose(la.evaluate(y), expected, rtol=1e-13)


def test_parts_of_one_array_are_joined(device: EmulatedDevice) -> None:
    a, b, x = _system()
    solution = la.linalg.solve(la.asarray(a), la.asarray(b))
    both = la.concatenate([solution, _iterated(la.asarray(x).reshape(-1))])
    y = _iterated(both)[::2]
    expected = np.concatenate([np.linalg.solve(a, b), _expected(x.reshape(-1))])
    np.testing.assert_array_equal(la.evaluate(y), _expected(expected)[::2])
    np.testing.assert_array_equal(la.evaluate(both), expected)


def test_persisted_results_stay_where_they_were_computed(device: EmulatedDevice) -> None:
    a, b, x = _system()
    solution = la.linalg.solve(la.asarray(a), la.asarray(b))
    y = _iterated(la.asarray(x) * solution)
    there, here = la.persist(y, solution)
    assert (there.device, here.device) == ("cuda", "cpu")
    before = device.uploaded
    # What is on the GPU is computed with there, small as it is.
    np.testing.assert_array_equal(la.evaluate(there + 1), _expected(x * np.linalg.solve(a, b)) + 1)
    assert device.uploaded == before


def test_traced_functions_are_placed(device: EmulatedDevice) -> None:
    a, b, x = _system()
    mixed = la.jit(lambda a, b, x: _iterated(x * la.linalg.solve(a, b)))
    whole = la.jit(_iterated)
    expected = _expected(x * np.linalg.solve(a, b))
    before = device.uploaded
    for _ in range(2):
        np.testing.assert_array_equal(mixed(a, b, x), expected)
        np.testing.assert_array_equal(whole(x), _expected(x))
    assert device.uploaded > before
    bound = whole.bind(x)
    np.testing.assert_array_equal(np.asarray(bound()), _expected(x))
    x += 0.125
    np.testing.assert_array_equal(np.asarray(bound()), _expected(x))
    bound = mixed.bind(a, b, x)
    np.testing.assert_array_equal(np.asarray(bound()), _expected(x * np.linalg.solve(a, b)))
    overwritten = la.jit(_iterated, donate=(0,))
    np.testing.assert_array_equal(overwritten(x.copy()), _expected(x))


def test_what_finds_no_room_on_the_gpu_runs_on_the_processor(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any) -> Any:
        raise DeviceMemoryError("no room")

    monkeypatch.setattr(CudaExecutor, "run", full)
    host = np.random.default_rng(1).random(500) - 0.5
    np.testing.assert_array_equal(la.evaluate(_iterated(la.asarray(host))), _expected(host))
    with la.config(device="cuda"), pytest.raises(DeviceMemoryError):
        la.evaluate(_iterated(la.asarray(host)))


def test_profiles_and_checks_of_placed_plans(device: EmulatedDevice) -> None:
    a, b, x = _system()
    y = _iterated(la.asarray(x) * la.linalg.solve(la.asarray(a), la.asarray(b)))
    with la.profile() as report:
        la.evaluate(y)
    assert "fori_loop" in str(report)
    with la.config(debug="nan"):
        assert _device_of(y) != MIXED
        np.testing.assert_array_equal(la.evaluate(y), _expected(x * np.linalg.solve(a, b)))


def test_results_that_later_expressions_begin_with(device: EmulatedDevice) -> None:
    """An expression that grows is computed from what an evaluation has stored."""
    a, b, x = _system()
    y = la.asarray(x)
    expected = x
    for _ in range(3):
        solution = la.linalg.solve(la.asarray(a), la.asarray(b))
        y = _iterated(y * solution)
        expected = _expected(expected * np.linalg.solve(a, b))
        assert float(y.sum()) == pytest.approx(expected.sum(), rel=1e-12)
    np.testing.assert_array_equal(la.evaluate(y), expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_computes_on_the_processor(device: EmulatedDevice) -> None:
    from lazyarr.placement import calibration
    from lazyarr.runtime import gpu_sight

    before = gpu_sight._in_sight[:]
    calibration._in_child()
    try:
        assert _device_of(_iterated(la.asarray(np.zeros(500)))) == "cpu"
    finally:
        gpu_sight._in_sight[:] = before
