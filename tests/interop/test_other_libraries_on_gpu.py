"""CuPy, PyTorch and JAX beside lazyarr in one process, on a real device."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]

SHAPES = [((6, 8), None), ((6, 8), "T"), ((), None), ((0, 3), None), ((100,), "step")]


def _viewed(x: Any, view: str | None) -> Any:
    return x.T if view == "T" else x[::2] if view == "step" else x


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64", "float16", "bool"])
@pytest.mark.parametrize(("shape", "view"), SHAPES)
def test_torch_gives_and_takes(shape: Any, view: Any, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    t = _viewed(torch.ones(shape, dtype=getattr(torch, dtype), device="cuda"), view)
    x = la.from_dlpack(t)
    if t.numel():
        assert x.__cuda_array_interface__["data"][0] == t.data_ptr()
    back = torch.from_dlpack(x)
    assert back.shape == t.shape and back.dtype == t.dtype
    assert back.numel() == 0 or back.data_ptr() == t.data_ptr()
    assert torch.equal(back, t)


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex128", "float16", "bool"])
@pytest.mark.parametrize(("shape", "view"), SHAPES)
def test_cupy_gives_and_takes(shape: Any, view: Any, dtype: str) -> None:
    cupy = pytest.importorskip("cupy")
    t = _viewed(cupy.ones(shape, dtype), view)
    x = la.from_dlpack(t)
    back = cupy.from_dlpack(x)
    assert back.dtype == t.dtype and back.shape == t.shape
    assert back.size == 0 or back.data.ptr == t.data.ptr
    assert (back == t).all()
    if t.size:  # CuPy takes no empty array by the interface
        assert cupy.asarray(la.asarray(t)).data.ptr == t.data.ptr


def test_jax_gives_and_takes() -> None:
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    j = jax.numpy.arange(20, dtype="float32").reshape(4, 5)
    x = la.from_dlpack(j)
    np.testing.assert_array_equal(la.evaluate(x * 2), np.asarray(j) * 2)
    y = la.persist(x + 1)
    back = jax.dlpack.from_dlpack(y)
    assert back.unsafe_buffer_pointer() == y.__cuda_array_interface__["data"][0]
    np.testing.assert_array_equal(np.asarray(back), np.asarray(j) + 1)


def test_streams_of_torch_are_ordered_with_ours() -> None:
    torch = pytest.importorskip("torch")
    side = torch.cuda.Stream()
    for iteration in range(20):
        with torch.cuda.stream(side):
            t = torch.zeros(1 << 22, device="cuda")
            for _ in range(20):
                t += 1
            x = la.from_dlpack(t)  # still being computed
        y = la.persist(x * 2)
        with torch.cuda.stream(side):
            back = torch.from_dlpack(y)  # still being computed
            total = (back - 40).abs().sum()
            del y
        del x, t
        other = la.persist(la.zeros(1 << 22, np.float32) + iteration)  # may want the same memory
        assert float(total) == 0
        del other, back


def test_streams_of_cupy_are_ordered_with_ours() -> None:
    cupy = pytest.importorskip("cupy")
    side = cupy.cuda.Stream(non_blocking=True)
    for _ in range(20):
        with side:
            t = cupy.zeros(1 << 22, "float32")
            for _ in range(20):
                t += 1
            x = la.from_dlpack(t)
            y = la.persist(x * 2)
            back = cupy.from_dlpack(y)
            assert float(abs(back - 40).sum()) == 0
            again = cupy.asarray(la.asarray(t) + 1)  # by the interface, which names the stream
            assert float(abs(again - 21).sum()) == 0


def test_memory_is_given_back_to_torch(device: Any) -> None:
    torch = pytest.importorskip("torch")

    def settle() -> int:
        gc.collect()
        device.synchronize()
        for _ in range(2):  # an evaluation gives back what the ones before it are done with
            la.persist(la.asarray(np.ones(3)) + 1)
            device.synchronize()
        return int(torch.cuda.memory_allocated())

    before = settle()
    for _ in range(5):
        t = torch.ones(1 << 20, device="cuda")
        y = la.persist(la.from_dlpack(t) * 2)
        del t, y
    assert settle() == before


def test_all_three_in_one_expression() -> None:
    torch = pytest.importorskip("torch")
    cupy = pytest.importorskip("cupy")
    t = torch.arange(1000, dtype=torch.float32, device="cuda")
    c = cupy.arange(1000, dtype="float32")
    total = la.persist((la.from_dlpack(t) + la.from_dlpack(c)).sum())
    assert float(torch.from_dlpack(total)) == 999 * 1000
    assert float(cupy.from_dlpack(total)) == 999 * 1000
    host = np.from_dlpack(total, device="cpu")
    assert float(host) == 999 * 1000
