"""Memory, transfers and compilers on a real device."""

from __future__ import annotations

import gc
import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import CompileError, DeviceMemoryError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]


@pytest.mark.parametrize("n", [0, 1, (1 << 20) - 1, 1 << 20, (9 << 20) + 13, 50_000_001])
def test_transfers_of_every_size(n: int) -> None:
    host = np.random.default_rng(0).integers(0, 255, n).astype(np.uint8)
    x = la.asarray(host, device="cuda")
    host[:1] += 1  # it was copied
    host[:1] -= 1
    np.testing.assert_array_equal(x.compute(), host)


def test_uploads_may_be_overwritten_at_once() -> None:
    host = np.zeros(20 << 20, np.uint8)
    for iteration in range(10):
        host[:] = iteration
        x = la.persist(la.asarray(host) + np.uint8(1))
        host[:] = 99
        assert (x.compute() == iteration + 1).all()


def test_a_training_step_allocates_the_same_for_10_and_1000_runs(device: Any) -> None:
    rng = np.random.default_rng(0)
    w = la.asarray(rng.random((64, 128)).astype(np.float32), device="cuda")
    v = la.asarray(rng.random((128, 256)).astype(np.float32), device="cuda")

    def step(w: Any) -> Any:
        y = la.tanh(w @ v)
        loss = y - y.mean(axis=1, keepdims=True)
        return la.persist(w - 0.01 * (loss @ v.T) / (1 + abs(loss).max()))

    for _ in range(10):
        w = step(w)
    ten = device.memory.info().allocations
    for _ in range(990):
        w = step(w)
    assert device.memory.info().allocations == ten
    assert np.isfinite(w.compute()).all()


def test_memory_limit() -> None:
    array = la.persist(la.asarray(np.ones(1 << 20)) + 1)
    from lazyarr import cache

    gc.collect()  # nothing that is in use now is given back when memory is short
    cache.clear()
    now = cache.info().device.pool.held  # type: ignore[union-attr]
    with la.config(memory_limit=now + (4 << 20)):
        with pytest.raises(DeviceMemoryError, match="memory_limit"):
            la.persist(la.zeros((1 << 20,)) + la.asarray(np.ones(1)))
        la.persist(la.zeros((1 << 18,)) + la.asarray(np.ones(1)))
    assert array.compute()[0] == 2


def test_a_full_device_is_an_error_and_no_harm(device: Any) -> None:
    array = la.persist(la.zeros((1 << 22,)) + la.asarray(np.ones(1)))
    with pytest.raises(DeviceMemoryError, match="the device is full") as caught:
        la.persist(la.ones((1 << 40,), np.float64) * la.asarray(np.ones(1)))
    assert "test_memory_on_gpu.py" in str(caught.value), "which line holds most"
    assert array.compute()[0] == 1
    assert la.persist(la.asarray(np.ones(3)) + 1).compute()[0] == 2


def test_nvcc_compiles_the_same_kernels() -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    x = la.asarray(np.arange(1000.0))
    with la.config(cuda_compiler="nvcc", cache_dir="off"):
        np.testing.assert_array_equal(la.evaluate(x * 3 + 1), np.arange(1000.0) * 3 + 1)
    text = 'extern "C" __global__ void kernel(int n) {\n    unknown(n);\n}\n'
    source = Source("cuda", text, "kernel", ())
    for compiler in ("nvcc", "nvrtc"):
        with pytest.raises(CompileError) as caught:
            compile_cubin(source, compile_options("sm_90", "strict"), compiler)
        assert "2 |     unknown(n);" in str(caught.value)
        assert "undefined" in str(caught.value)
