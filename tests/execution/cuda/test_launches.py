"""Kernels that are queued one by one, by calls of an emulated driver that were made ready before.

The driver reads arguments where they lie, so what is tested is what the prepared memory holds.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import DeviceError
from lazyarr.execution.cuda.executor import CudaExecutor
from lazyarr.runtime.cuda import tuning
from tests.support.bfloat16 import BFLOAT16, needs_bfloat16
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.device_check import compare
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.gpu_launches import (
    KERNELS,
    Array,
    close,
    executable_of,
    on_gpu,
    one_by_one,
    opened,
    queued,
    several_kernels,
)
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(params=[None, 0, 1])
def device(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice(None if request.param is None else Random(request.param))
    yield from opened(emulated, monkeypatch)


@pytest.fixture
def prompt(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    """A device whose plans have their launches ready after one run."""
    use_row(monkeypatch, tuning, runs_before_ready=1)
    yield from opened(EmulatedDevice(), monkeypatch)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_agrees_with_numpy(expression: Expression, prompt: EmulatedDevice) -> None:
    first, second = expression.arrays(), expression.arrays(1)
    arguments = [la.asarray(array.copy(), device="cuda") for array in first]
    others = [la.asarray(array.copy(), device="cuda") for array in second]

    def lazy(leaves: list[Any]) -> tuple[Any, ...]:
        result = expression.function(la, *leaves)
        return result if isinstance(result, tuple) else (result,)

    executable = one_by_one(*lazy(arguments))
    for arrays, leaves in (
        (first, arguments),
        (first, arguments),
        (second, others),
        (first, arguments),
    ):
        before = prompt.ready_launches.launches
        persisted = la.persist(*lazy(leaves))
        result = persisted if isinstance(persisted, tuple) else (persisted,)
        with np.errstate(all="ignore"):
            expected = expression.function(np, *arrays)
        several = expected if isinstance(expected, tuple) else (expected,)
        for ours, theirs in zip(result, several, strict=True):
            compare(expression, np.array(ours), np.asarray(theirs))
    calls: list[Any] = [call for step in executable.plan.steps for call in step.calls]
    kernels = sum(call.blocks > 0 for call in calls)
    ready = executable.batch.launches is not None
    assert ready == (kernels > 0 and not len(executable.library))
    if ready:
        assert prompt.ready_launches.launches - before == kernels


def test_numbers_that_change_with_each_call(device: EmulatedDevice) -> None:
    jitted = la.jit(several_kernels)
    host, x = on_gpu(0)
    for k in range(20):
        close(jitted.persist(x, k + 0.5), several_kernels(host, k + 0.5))
    assert device.ready_launches.launches
    assert queued(device, lambda: jitted.persist(x, 99.5)) == KERNELS
    assert not device.replays


def test_a_number_that_repeats_later_becomes_a_graph(device: EmulatedDevice) -> None:
    jitted = la.jit(several_kernels)
    host, x = on_gpu(1)
    for k in range(60):
        jitted.persist(x, k + 0.5)
    for _ in range(6):
        close(jitted.persist(x, 1.25), several_kernels(host, 1.25))
    replays = device.replays
    assert replays >= 2
    assert queued(device, lambda: close(jitted.persist(x, 1.25), several_kernels(host, 1.25))) == 0
    assert device.replays == replays + 1
    # Numbers that change go on between, and take memory that a graph was made for.
    for k in range(40):
        close(jitted.persist(x, k + 0.75), several_kernels(host, k + 0.75))
        close(jitted.persist(x, 1.25), several_kernels(host, 1.25))


def test_numbers_that_come_in_turns_are_read_anew(device: EmulatedDevice) -> None:
    """A graph for each of them would be made again and again."""
    jitted = la.jit(several_kernels)
    host, x = on_gpu(1)
    for _ in range(8):
        jitted.persist(x, 1.5)
    graphs = len(device.main.graphs)
    assert graphs
    for iteration in range(200):
        number = iteration % 12 + 0.5
        close(jitted.persist(x, number), several_kernels(host, number))
    assert len(device.main.graphs) == graphs
    assert device.ready_launches.launches > 150 * KERNELS


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        ("f2", np.float16(1.5)),
        pytest.param(BFLOAT16, BFLOAT16.type(1.5), marks=needs_bfloat16),
        ("f4", np.float32(1.1)),
        ("f8", np.float64(1.1)),
        ("i1", np.int8(-7)),
        ("i2", np.int16(-700)),
        ("i8", np.int64(-(1 << 40) + 3)),
        ("u1", np.uint8(200)),
        ("u4", np.uint32(1 << 31)),
        ("u8", np.uint64((1 << 63) + 5)),
    ],
    ids=str,
)
def test_scalars_of_any_dtype(prompt: EmulatedDevice, dtype: str, number: Any) -> None:
    host = np.arange(1, 40).astype(dtype)
    x = la.asarray(host, device="cuda")
    for k in range(5):
        scalar = number + np.dtype(dtype).type(k)
        lazy = x * scalar + la.asarray(host, device="cuda")
        executable = one_by_one(lazy)
        count = queued(prompt, lambda lazy=lazy: la.persist(lazy))  # type: ignore[misc]
        assert count == int(k > 0)
        expected = host * scalar + host
        tolerance = 1e-2 if dtype == "f2" else 1e-6
        np.testing.assert_allclose(np.asarray(la.persist(lazy)), expected, rtol=tolerance)
    assert executable.batch.launches is not None


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i2", "i8"])
def test_numbers_of_any_kind(device: EmulatedDevice, dtype: str) -> None:
    """Complex ones are two arguments; of two numbers each goes where it belongs."""
    jitted = la.jit(lambda x, a, b: x * a - b)
    host = np.arange(1, 40).astype(dtype)
    x = la.asarray(host, device="cuda")
    kind = np.dtype(dtype).kind
    for k in range(12):
        a: Any = {"f": k + 0.5, "c": complex(k, -k - 0.5), "i": k - 3}[kind]
        b: Any = {"f": 2.25 - k, "c": k + 0.25, "i": 5}[kind]
        result = np.asarray(jitted.persist(x, a, b))
        tolerance = {"f2": 4e-3, "f4": 1e-6, "c8": 1e-6}.get(dtype, 1e-14)
        np.testing.assert_allclose(result, host * a - b, rtol=tolerance, atol=40 * tolerance)
    assert device.ready_launches.launches == 12 - 4


def test_leaves_and_results_that_move(device: EmulatedDevice) -> None:
    arguments = [on_gpu(k) for k in range(5)]
    one_by_one(several_kernels(arguments[0][1], 2.5))
    random = np.random.default_rng(2)
    kept: list[tuple[Any, Array, float]] = []
    for iteration in range(40):
        host, x = arguments[random.integers(len(arguments))]
        number = 1.5 + iteration % 7
        kept.append((la.persist(several_kernels(x, number)), host, number))
        if len(kept) > 6:
            kept.pop(random.integers(len(kept)))
    assert device.ready_launches.launches > 90
    for value, host, number in kept:
        close(value, several_kernels(host, number))
    places = {value._node.attr.device_array.address for value, _, _ in kept}
    assert len(places) == len(kept)


@pytest.mark.parametrize("shape", [(300, 70), (3, 70_000)], ids=str)
def test_values_and_scratch_that_are_stored_on_the_way(
    prompt: EmulatedDevice, shape: tuple[int, ...]
) -> None:
    """In one block, which is larger than the memory that graphs share, or is not."""
    host, x = on_gpu(12, shape)
    lazy = several_kernels(x, 2.5)
    plan = one_by_one(lazy).plan.memory
    assert plan.arena_bytes and plan.scratch_bytes
    own = plan.arena_bytes + plan.scratch_bytes
    assert (own > tuning.row().pad_bytes) == (shape[1] == 70_000)
    for iteration in range(4):
        assert queued(prompt, lambda: close(la.persist(lazy), several_kernels(host, 2.5))) == (
            len(executable_of(lazy).plan.steps) if iteration else 0
        )


def test_several_results(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x, n: (x + n, x.sum(axis=0) * n, x[::-1] * 2 - n))
    host, x = on_gpu(3)
    for k in range(12):
        n = k + 0.5
        result = jitted.persist(x, n)
        expected = host + n, host.sum(axis=0) * n, host[::-1] * 2 - n
        for ours, theirs in zip(result, expected, strict=True):
            close(ours, theirs)
    assert device.ready_launches.launches


def test_arrays_that_are_not_aligned(device: EmulatedDevice) -> None:
    jitted = la.jit(lambda x, n: x * n + 1)
    host = np.random.default_rng(4).random(1025).astype(np.float32)
    whole = la.asarray(host, device="cuda")
    array = whole.__cuda_array_interface__
    rest = {**array, "shape": (1024,), "strides": (4,)}

    def at(offset: int) -> Any:
        interface = rest | {"data": (array["data"][0] + offset, False)}
        return la.asarray(type("Other", (), {"__cuda_array_interface__": interface})())

    aligned, shifted = at(0), at(4)
    for k in range(12):
        for x, part in ((aligned, host[:-1]), (shifted, host[1:])):
            n = k + 0.5
            np.testing.assert_allclose(jitted.persist(x, n), part * np.float32(n) + 1, rtol=1e-6)
    assert queued(device, lambda: jitted.persist(aligned, 77.5)) == 1
    assert queued(device, lambda: jitted.persist(shifted, 77.5)) == 0


@pytest.mark.parametrize("fails", ["read", "launch"])
def test_a_launch_that_fails_is_an_error_and_keeps_no_memory(
    device: EmulatedDevice, fails: str
) -> None:
    host, x = on_gpu(5)
    jitted = la.jit(several_kernels)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    before = device.memory.info()
    launcher = device.ready_launches
    launcher.fail = lambda name: 719 if name == fails else 0
    for k in range(3):
        with pytest.raises(DeviceError, match="launch kernels: error 719") as caught:
            jitted.persist(x, k + 10.5)
        assert device.memory.info() == before
        del caught
        device.part()  # the chain that failed is given back
    assert launcher.depths.depth == 0
    assert launcher.chains_released == 3
    launcher.fail = None
    assert launcher.chains_created >= 3
    for number in (20.5, 12.5, 21.5):
        close(jitted.persist(x, number), several_kernels(host, number))
    assert queued(device, lambda: jitted.persist(x, 22.5)) == KERNELS
    assert device.memory.info() == before


def test_a_context_that_cannot_be_had_is_an_error(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, x = on_gpu(6)
    jitted = la.jit(several_kernels)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    before = device.memory.info()
    with monkeypatch.context() as patch:
        refusing = replace(device.launcher, push=lambda: 201)  # type: ignore[type-var]
        executables = {e for e in gc.get_objects() if type(e) is CudaExecutor and e.batch.launches}
        for executable in executables:
            patch.setattr(executable.batch.launches, "_launcher", refusing)
        with pytest.raises(DeviceError, match="error 201"):
            jitted.persist(x, 30.5)
        assert executables
    assert device.memory.info() == before
    close(jitted.persist(x, 30.5), several_kernels(host, 30.5))


def test_arguments_are_read_where_they_change(device: EmulatedDevice) -> None:
    host, x = on_gpu(14)
    other, y = on_gpu(15)
    jitted = la.jit(several_kernels)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    launcher = device.ready_launches

    def reads(array: Any, number: float, values: Array) -> int:
        before = launcher.reads
        close(jitted.persist(array, number), several_kernels(values, number))
        return launcher.reads - before

    # Memory comes in one of two orders alternately, and each has a chain of its own.
    assert [reads(x, k + 0.25, host) for k in range(4)] == [1] * 4  # the kernel that multiplies
    assert [reads(y, 3.25, other) for k in range(4)] == [KERNELS, KERNELS, 0, 0]
    assert [reads(x, 3.25, host) for k in range(4)][2:] == [0, 0]
    assert launcher.chains_created == 4
    arrays = [on_gpu(seed) for seed in range(20, 26)]
    for third, z in arrays:
        assert reads(z, 20.5, third) == KERNELS
    assert launcher.chains_created == 4


def test_chains_end_with_their_plan(device: EmulatedDevice) -> None:
    jitted = la.jit(several_kernels)
    _, x = on_gpu(16)
    for k in range(8):
        jitted.persist(x, k + 0.5)
    launcher = device.ready_launches
    assert launcher.chains_created == len(device.main.chains) > 0
    jitted.cache_clear()
    del jitted
    forget_plans()
    gc.collect()
    assert not device.main.chains
    device.part()
    assert launcher.chains_released == launcher.chains_created


def test_profiles_see_each_step(device: EmulatedDevice) -> None:
    _, x = on_gpu(7)
    lazy = several_kernels(x)
    one_by_one(lazy)
    for _ in range(8):
        la.persist(lazy)
    with la.profile() as timings:
        assert queued(device, lambda: la.persist(lazy)) == 0
    assert [len(run.steps) for run in timings.runs] == [KERNELS]
    assert queued(device, lambda: la.persist(lazy)) == KERNELS
