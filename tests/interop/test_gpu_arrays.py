"""Arrays shared with other libraries, and memory, with the GPU emulated on the CPU."""

from __future__ import annotations

import ctypes
import gc
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ArgumentError, DeviceMemoryError
from lazyarr.runtime.cuda import dlpack, driver
from lazyarr.runtime.cuda.device_array import array_at
from lazyarr.runtime.cuda.memory_pool import size_class
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


class Other:
    """An array of another library; its memory is ours to watch."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.streams: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, *, stream: Any = None, **keywords: Any) -> Any:
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, **keywords)


def test_round_trip_shares_memory(device: EmulatedDevice) -> None:
    x = la.persist(la.asarray(np.arange(12.0).reshape(3, 4)) * 2)
    assert x.__dlpack_device__() == (2, 0)
    other = Other(x)
    y = la.from_dlpack(other)
    assert other.streams == [device.main.handle]
    assert y.__cuda_array_interface__["data"] == x.__cuda_array_interface__["data"]
    np.testing.assert_array_equal(la.evaluate(y + 1), np.arange(12.0).reshape(3, 4) * 2 + 1)


def test_takers_streams_wait(device: EmulatedDevice) -> None:
    x = la.persist(la.asarray(np.arange(3.0)) + 1)
    device.waited.clear()
    for stream in (None, 1, -1):
        x.__dlpack__(stream=stream)
    assert device.waited == []
    x.__dlpack__(stream=1234)
    assert device.waited == [("let", 1234)]
    with pytest.raises(BufferError, match="ambiguous"):
        x.__dlpack__(stream=0)


def test_givers_streams_are_waited_for(device: EmulatedDevice) -> None:
    interface = la.persist(la.asarray(np.arange(3.0)) + 1).__cuda_array_interface__
    for stream in (None, 1, 99):
        other = type("Other", (), {"__cuda_array_interface__": interface | {"stream": stream}})()
        la.asarray(other)
    assert device.waited == [("for", None), ("for", 1), ("for", 99)]


def test_foreign_memory_is_given_back_when_nothing_needs_it(device: EmulatedDevice) -> None:
    before = dlpack.exports()
    host = np.arange(30.0) + 1
    stored_dtype = array_at(host.ctypes.data, (30,), host.dtype, (8,), host, device.main)
    y = la.from_dlpack(Other(stored_dtype))
    z = la.persist(y * 2)
    del y
    gc.collect()
    assert dlpack.exports() == before + 1  # queued work may still read it
    la.persist(la.asarray(np.arange(3.0)) + 1)
    forget_plans()
    gc.collect()
    device.part()
    assert dlpack.exports() == before
    np.testing.assert_array_equal(la.evaluate(z), (np.arange(30.0) + 1) * 2)


def test_shared_blocks_wait_for_all_streams_before_they_serve_again(
    device: EmulatedDevice,
) -> None:
    x = la.persist(la.asarray(np.arange(1000.0)) + 1)
    capsule = x.__dlpack__()
    del x, capsule
    gc.collect()
    device.waited.clear()
    la.persist(la.asarray(np.arange(1000.0)) + 1)
    assert ("all", None) in device.waited


def test_host_copies_only_if_asked(device: EmulatedDevice) -> None:
    x = la.persist(la.asarray(np.arange(6.0)) + 1)
    result = np.from_dlpack(x, device="cpu")
    np.testing.assert_array_equal(result, np.arange(6.0) + 1)
    with pytest.raises(BufferError, match="copy"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError, match="cannot be exported"):
        x.__dlpack__(dl_device=(3, 0))
    copied = la.from_dlpack(Other(x), copy=True)
    assert copied.__cuda_array_interface__["data"] != x.__cuda_array_interface__["data"]
    np.testing.assert_array_equal(la.evaluate(copied - 1), np.arange(6.0))


def test_views_zero_sizes_and_scalars(device: EmulatedDevice) -> None:
    for host in (np.zeros((0, 3)), np.array(7.0), np.arange(12.0).reshape(3, 4).T):
        x = la.persist(la.asarray(host) + 1)
        y = la.from_dlpack(Other(x))
        np.testing.assert_array_equal(np.asarray(y), host + 1)


def test_arrays_move_between_devices(device: EmulatedDevice) -> None:
    host = np.arange(1000.0)
    x = la.asarray(host, device="cuda")
    assert x.device == "cuda"
    assert la.asarray(x, device="cuda") is x
    before = device.uploaded
    for _ in range(3):
        np.testing.assert_array_equal(la.evaluate(x * 2), host * 2)
    assert device.uploaded == before
    y = (x + 1).to_device("cpu")
    with la.config(device="cpu"):
        assert y.device == "cpu"
        np.testing.assert_array_equal(la.evaluate(y), host + 1)
        z = la.asarray(host).to_device("cuda")
        assert z.device == "cuda"
        with pytest.raises(ArgumentError, match="no device 'tpu'"):
            y.to_device("tpu")


def test_explain_counts_what_crosses_the_bus(device: EmulatedDevice) -> None:
    host = np.ones((100, 10))
    x = la.asarray(host)
    report = la.explain(x + 1)
    assert report.bus_bytes == host.nbytes
    assert "asarray(x, device=" in str(report)
    array = la.asarray(host, device="cuda")
    assert la.explain(array + 1).bus_bytes == 0


def test_memory_limit_is_hard_and_says_who_holds_what(device: EmulatedDevice) -> None:
    with la.config(memory_limit="3MiB"):
        array = la.persist(la.asarray(np.ones(90_000)) + 1)
        with pytest.raises(DeviceMemoryError) as caught:
            la.persist(la.asarray(np.ones((250_000,))) * 2)
    message = str(caught.value)
    assert "memory_limit is 3,145,728 bytes" in message
    assert "720,000 bytes by" in message and "test_gpu_arrays.py" in message
    assert isinstance(caught.value, MemoryError)
    del array
    with la.config(memory_limit="4MiB"):
        la.persist(la.asarray(np.ones((250_000,))) * 2)
    assert device.pool.info().held <= 4 << 20


@pytest.mark.parametrize("make", [la.ones, la.zeros, la.arange, lambda n: la.zeros(n) + 2])
def test_what_does_not_fit_says_which_line_asks(make: Any, device: EmulatedDevice) -> None:
    with la.config(memory_limit="1MB"), pytest.raises(DeviceMemoryError) as info:
        la.persist(make(1_000_000))
    assert info.value.origin is not None and info.value.origin[0] == __file__


def test_counters_of_reductions_are_within_the_limit(device: EmulatedDevice) -> None:
    x = la.asarray(np.ones(100_000), device="cuda")
    with la.config(memory_limit="1.2MB"), pytest.raises(DeviceMemoryError, match="262,144"):
        la.persist(x.sum())
    before = device.memory.info().in_use
    assert float(la.persist(x.sum())) == 100_000
    gc.collect()
    assert device.memory.info().in_use == before + (1 << 18)


def test_cache_info_counts_the_device(device: EmulatedDevice) -> None:
    import lazyarr.cache

    la.persist(la.asarray(np.ones(100)) + 1)
    info = lazyarr.cache.info().device
    assert info is not None
    assert info.pool.allocations >= 1
    assert info.name == "emulated"


def test_allocations_of_a_training_step_do_not_grow(device: EmulatedDevice) -> None:
    rng = np.random.default_rng(0)
    w = la.asarray(rng.random((8, 12)).astype(np.float32), device="cuda")
    v = la.asarray(rng.random((12, 40)).astype(np.float32), device="cuda")

    def step(w: Any) -> Any:
        y = la.tanh(w @ v)
        loss = y - y.mean(axis=1, keepdims=True)
        return la.persist(w - 0.01 * (loss @ v.T) / (1 + abs(loss).max()))

    for _ in range(10):
        w = step(w)
    allocations = device.pool.info().allocations
    for _ in range(100):
        w = step(w)
    assert device.pool.info().allocations == allocations


def test_sigmoid_layer_is_one_product_and_one_kernel(device: EmulatedDevice) -> None:
    rng = np.random.default_rng(0)
    w, v, b = rng.random((8, 12)), rng.random((12, 40)), rng.random((8, 1))
    mask = rng.random((8, 40)) < 0.5
    arrays = [la.asarray(x, device="cuda") for x in (w, v, b, mask)]
    y = (1 / (1 + la.exp(-(arrays[0] @ arrays[1] + arrays[2])))) * arrays[3]
    report = la.explain(y)
    assert (len(report.kernels), len(report.library_calls), report.fallbacks) == (1, 1, ())
    assert report.library_calls[0].reason == "cuBLAS"
    np.testing.assert_allclose(la.evaluate(y), mask / (1 + np.exp(-(w @ v + b))), rtol=1e-12)


def test_singular_matrices_say_so_with_the_line(device: EmulatedDevice) -> None:
    x = la.linalg.inv(la.asarray(np.ones((3, 3))))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        la.evaluate(x)
    assert "test_gpu_arrays.py" in caught.value.__notes__[0]
    for name, message in (("cholesky", "not positive definite"),):
        with pytest.raises(np.linalg.LinAlgError, match=message):
            la.evaluate(getattr(la.linalg, name)(la.asarray(-np.eye(3))))


def test_integers_stay_on_the_host_and_are_listed(device: EmulatedDevice) -> None:
    x = la.asarray(np.arange(9).reshape(3, 3))
    (step,) = la.explain(x @ x).fallbacks
    assert step.reason == "cuBLAS has no int64; goes to the host and back"
    np.testing.assert_array_equal(
        la.evaluate(x @ x), np.arange(9).reshape(3, 3) @ np.arange(9).reshape(3, 3)
    )


def test_fast_numerics_allow_tensor_cores(device: EmulatedDevice) -> None:
    x = la.asarray(np.ones((4, 4), np.float32))
    seen: list[int] = []
    blas = device.libraries.module("cublas")
    whole = blas.gemm_ex_64
    blas.gemm_ex_64 = lambda *args: (seen.append(args[-2]), whole(*args))
    la.evaluate(x @ x)
    with la.config(numerics="fast"):
        la.evaluate(x @ x)
    assert seen == [68, 77]


def test_plans_of_transforms_are_kept(device: EmulatedDevice) -> None:
    x = la.asarray(np.ones((4, 16)))
    for _ in range(3):
        la.evaluate(la.fft.fft(x))
    assert device.libraries.plans == 1
    for n in range(2, 80):
        la.evaluate(la.fft.fft(x, n))
    assert device.libraries.plans == 64


def test_explain_says_what_waits(device: EmulatedDevice) -> None:
    x = la.asarray(np.arange(10.0), device="cuda")
    i = la.asarray(np.array([3, 1]), device="cuda")
    report = la.explain(x[i] + 1)
    (waited,) = report.waits
    assert waited.op.name == "gather"
    assert "test_gpu_arrays.py" in str(report)
    assert "out of bounds is read back" in str(report)
    assert not la.explain(x[2:] + 1).waits
    before = device.uploaded
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(la.persist(x[i] + 1)), [4.0, 2.0])
    assert device.uploaded == before
    with pytest.raises(IndexError, match="out of bounds"):
        la.evaluate(x[i + 8])


def test_expressions_run_where_their_arrays_are(device: EmulatedDevice) -> None:
    host = np.arange(6.0)
    with la.config(device="auto"):
        x, y = la.asarray(host, device="cuda"), la.asarray(host)
        assert (x.device, (x + 1).device, (y + 1).device) == ("cuda", "cuda", "cpu")
        before = device.info().compiled, device.downloaded
        mixed = la.persist(x * y)
        assert mixed.device == "cuda" and device.downloaded == before[1]
        np.testing.assert_array_equal(la.evaluate(mixed.sum()), (host * host).sum())
        assert device.info().compiled > before[0]
        assert "__global__" in la.explain(x + y).kernels[0].source
        assert la.explain(x + y).bus_bytes == host.nbytes

        here = la.persist(y * 2)
        assert here.device == "cpu" and isinstance(la.evaluate(here), np.ndarray)
        assert "__global__" not in la.explain(y * 2).kernels[0].source
        moved = (x * 3).to_device("cpu")
        assert moved.device == "cpu"
        np.testing.assert_array_equal(la.evaluate(moved), host * 3)

        launched = device.info().compiled
        with la.config(device="cpu"):  # unless asked to run elsewhere
            assert (x + 1).device == "cpu" and x.device == "cuda"
            np.testing.assert_array_equal(la.evaluate(la.sqrt(x + 7)), np.sqrt(host + 7))
        assert device.info().compiled == launched


def test_traced_functions_run_where_their_arguments_are(device: EmulatedDevice) -> None:
    seen = []

    def function(x: Any) -> Any:
        seen.append(x.device)
        return la.fori_loop(0, 3, lambda _, s: s / s.sum(), x) + closed

    host = np.arange(1.0, 5.0)
    with la.config(device="auto"):
        x = la.asarray(host, device="cuda")
        closed = la.asarray(1.0)
        jitted = la.jit(function)
        assert jitted.persist(x).device == "cuda"
        assert isinstance(jitted(host), np.ndarray)
        assert seen == ["cuda", "cpu"]
        np.testing.assert_allclose(jitted.persist(x).compute(), jitted(host))
        closed = x
        assert la.jit(lambda y: y + x).persist(host).device == "cuda"
        assert "__global__" in la.jit(lambda y: y + 1).explain(x).kernels[0].source
        assert la.jit(lambda y, z: y + z).persist(host, x).device == "cuda"
        bound = la.jit(lambda y: y + 1).bind(x)
        assert bound.results.device == "cuda"


@pytest.mark.parametrize("order", ["C", "F", "strided", "turned"])
def test_whole_arrays_cross_the_bus_without_kernels(order: str, device: EmulatedDevice) -> None:
    host = np.arange(24.0).reshape(4, 6)
    host = {"C": host, "F": np.asfortranarray(host), "strided": host[::2, ::3], "turned": host.T}[
        order
    ]
    for value in (host, host[:0], np.float16(2) * host, host > 3):
        array = la.asarray(value, device="cuda")
        once_more = la.persist(la.asarray(value))
        assert device.memory.info().in_use <= 2 * size_class(max(value.nbytes, 1))
        for result in (array.compute(), once_more.compute(), array.to_device("cpu").compute()):
            np.testing.assert_array_equal(result, value)
            assert (
                result.dtype == value.dtype and result.flags.writeable and result.flags.c_contiguous
            )
        out = np.zeros_like(value)
        assert la.evaluate(array, out=out) is out
        np.testing.assert_array_equal(out, value)
        first, second = la.evaluate(array, la.asarray(value))
        np.testing.assert_array_equal(first, value)
        np.testing.assert_array_equal(second, value)
        assert not np.shares_memory(second, value)
    assert device.info().compiled == 0


def test_what_does_not_fit_is_not_sent(device: EmulatedDevice) -> None:
    with la.config(memory_limit="1MB"), pytest.raises(DeviceMemoryError, match="1,600,000") as info:
        la.asarray(np.zeros(200_000), device="cuda")
    assert info.value.origin is not None and info.value.origin[0] == __file__
    assert device.memory.info().in_use == 0


def test_copies_of_shared_memory_are_new_each_time(device: EmulatedDevice) -> None:
    """Another library may have written it meanwhile."""
    array = la.persist(la.asarray(np.zeros(5)))
    shared = la.from_dlpack(Other(array))
    address = array.__cuda_array_interface__["data"][0]
    memory = np.ctypeslib.as_array((ctypes.c_double * 5).from_address(address))
    early = []
    for number in (0.0, 7.0, 8.0):
        memory[...] = number
        for x in (array, shared):
            early.append(np.asarray(x))
            for result in (early[-1], x.compute(), la.evaluate(la.sqrt(x * x), device="cpu")):
                np.testing.assert_array_equal(result, np.full(5, number))
            np.testing.assert_array_equal(la.evaluate(la.cumsum(x), device="cpu")[-1], 5 * number)
            with la.config(device="cpu"):
                np.testing.assert_array_equal(la.linalg.eigvals(la.diag(x)), np.full(5, number))
    assert [result[0] for result in early] == [0, 0, 7, 7, 8, 8]
    alone = la.persist(la.asarray(np.zeros(5)))
    assert np.shares_memory(np.asarray(alone), np.asarray(alone))  # nobody else writes it


def test_what_another_library_refuses_is_given_back() -> None:
    """NumPy drops the capsule while its error is already set."""
    y = la.asarray(np.arange(5.0), device="cuda")
    before = dlpack.exports()
    # NumPy's message is lost, as no Python function can leave an error as it found it.
    with pytest.raises((RuntimeError, SystemError)):
        np.from_dlpack(y)
    assert dlpack.exports() == before
