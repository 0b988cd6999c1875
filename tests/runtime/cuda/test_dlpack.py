"""DLPack capsules, on the host's memory."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.runtime.cuda import dlpack


def _bfloat16() -> np.dtype[Any]:
    return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)


@pytest.mark.parametrize("versioned", [True, False])
def test_bfloat16_has_a_code_of_its_own(versioned: bool) -> None:
    """NumPy exports and takes no bfloat16: the capsules are ours on both sides."""
    x = np.arange(12).reshape(3, 4).astype(_bfloat16())[:, ::2]

    class Foreign(Exporter):
        dtype = x.dtype

    taken = la.from_dlpack(Foreign(x, versioned=versioned))
    assert taken.dtype == x.dtype
    np.testing.assert_array_equal(taken.compute(), x)
    lazy = la.asarray(x) * 2
    np.testing.assert_array_equal(la.from_dlpack(lazy).compute(), x * 2)
    again = dlpack.take(lazy.__dlpack__(max_version=(1, 0)))
    assert (again.dtype, again.shape) == (x.dtype, x.shape)
    assert again.on_host().tobytes() == (x * 2).tobytes()


def test_interfaces_without_a_name_for_bfloat16_are_not_offered() -> None:
    x = la.ones(3, dtype=_bfloat16()) + 1
    assert not hasattr(x, "__array_interface__")
    assert np.asarray(x).dtype == _bfloat16()


class Exporter:
    """An object whose capsules are ours, of host memory."""

    def __init__(self, array: Any, *, versioned: bool = True, read_only: bool = False) -> None:
        self.array = array
        self.versioned = versioned
        self.read_only = read_only

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CPU, 0)

    def __dlpack__(self, *, max_version: Any = None, **ignored: Any) -> Any:
        array = self.array
        return dlpack.export(
            array.__array_interface__["data"][0],
            array.shape,
            tuple(step // array.itemsize for step in array.strides),
            array.dtype,
            array,
            device=(dlpack.CPU, 0),
            max_version=max_version if self.versioned else None,
            read_only=self.read_only,
        )


X = np.arange(24.0).reshape(4, 6)


@pytest.mark.parametrize(
    "array",
    [X, X.T, X[1:, ::2], X[::-1], np.array(3, np.float32), np.zeros((0, 3)), X > 3]
    + [X.astype(name) for name in ("i1", "i8", "u2", "f2", "f4", "c8", "c16")],
    ids=lambda a: f"{a.dtype}{a.shape}{a.strides}",
)
@pytest.mark.parametrize("versioned", [True, False])
def test_numpy_takes_what_we_give(array: Any, versioned: bool) -> None:
    result = np.from_dlpack(Exporter(array, versioned=versioned))
    np.testing.assert_array_equal(result, array)
    assert result.dtype == array.dtype
    if array.size:
        assert np.shares_memory(result, array)


def test_we_take_what_numpy_gives() -> None:
    for array in (X, X.T[1:], np.arange(3, dtype=np.int16), np.zeros((2, 0)), np.array(5.0)):
        taken = dlpack.take(array.__dlpack__())
        assert taken.shape == array.shape
        assert taken.dtype == array.dtype
        if array.size:
            assert taken.address == array.__array_interface__["data"][0]
            assert taken.strides == tuple(s // array.itemsize for s in array.strides)


def test_read_only_memory_says_so() -> None:
    result = np.from_dlpack(Exporter(X, read_only=True))
    assert not result.flags.writeable
    taken = dlpack.take(Exporter(X, read_only=True).__dlpack__(max_version=(1, 0)))
    assert taken.read_only


def test_memory_is_given_back_once() -> None:
    before = dlpack.exports()
    result = np.from_dlpack(Exporter(X.copy()))
    assert dlpack.exports() == before + 1
    view = result[1:]
    del result
    assert dlpack.exports() == before + 1
    del view
    gc.collect()
    assert dlpack.exports() == before


def test_a_capsule_nobody_takes_is_given_back() -> None:
    before = dlpack.exports()
    for version in (None, (1, 0)):
        capsule = Exporter(X).__dlpack__(max_version=version)
        assert dlpack.exports() == before + 1
        del capsule
        assert dlpack.exports() == before


def test_other_threads_may_give_back() -> None:
    before = dlpack.exports()
    arrays = [np.from_dlpack(Exporter(X)) for _ in range(50)]
    threads = [threading.Thread(target=arrays.clear) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert dlpack.exports() == before


def test_a_capsule_is_taken_once() -> None:
    before = dlpack.exports()
    capsule = Exporter(X).__dlpack__()
    returned: list[Any] = []
    taken = dlpack.take(capsule, returned.append)
    with pytest.raises(ArgumentError, match="not consumed before"):
        dlpack.take(capsule)
    del capsule
    assert dlpack.exports() == before + 1
    del taken
    gc.collect()
    (give_back,) = returned  # once no queued work needs it
    assert dlpack.exports() == before + 1
    give_back()
    assert dlpack.exports() == before


def test_dtypes_numpy_lacks_are_refused_and_given_back() -> None:
    before = dlpack.exports()
    capsule = Exporter(X).__dlpack__()
    place = dlpack._pointer(capsule, b"dltensor")
    dlpack._Managed.from_address(place).tensor.dtype.code = 4  # bfloat16
    with pytest.raises(DTypeError, match="code 4"):
        dlpack.take(capsule)
    gc.collect()
    assert dlpack.exports() == before


def test_results_reach_numpy_without_a_copy() -> None:
    y = la.persist(la.asarray(X) + 1)
    result = np.from_dlpack(y)
    np.testing.assert_array_equal(result, X + 1)
    assert not result.flags.writeable or not np.shares_memory(result, np.asarray(y))
    assert la.from_dlpack(y) is y
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(torch.from_dlpack(la.asarray(X) * 2).numpy(), X * 2)
    t = torch.arange(6.0)
    z = la.from_dlpack(t)
    t[0] = 9
    assert la.evaluate(z + 0)[0] == 9
    assert la.evaluate(la.from_dlpack(t, copy=True) + 0)[0] == 9
