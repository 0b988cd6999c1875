"""The pool of a device's memory, without a device."""

from __future__ import annotations

import gc
import importlib.util

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import DeviceError
from lazyarr.runtime.device_memory import DevicePool, array_at, extent


class Fake:
    """A device that counts."""

    def __init__(self, total: int = 1 << 40) -> None:
        self.total = total
        self.live: dict[int, int] = {}
        self.calls = 0

    def allocate(self, nbytes: int) -> int:
        if sum(self.live.values()) + nbytes > self.total:
            return 0
        self.calls += 1
        address = self.calls << 32
        self.live[address] = nbytes
        return address

    def free(self, address: int) -> None:
        del self.live[address]

    def upload(self, address: int, host: object) -> None: ...
    def download(self, host: object, address: int) -> None: ...
    def synchronize(self) -> None: ...


def test_blocks_are_used_again() -> None:
    driver = Fake()
    pool = DevicePool(driver)
    for _ in range(1000):
        block = pool.allocate(12_345)
        other = pool.allocate(3_000_000)
        del block, other
        gc.collect(0)
    assert driver.calls == 2
    info = pool.info()
    assert (info.in_use, info.allocations) == (0, 2)
    assert info.held == sum(driver.live.values())


def test_idle_memory_is_given_back_before_giving_up() -> None:
    driver = Fake(total=10 << 20)
    pool = DevicePool(driver)
    first = pool.allocate(6 << 20)
    del first
    second = pool.allocate(9 << 20)
    assert second.nbytes == 9 << 20
    with pytest.raises(DeviceError, match="no 4,194,304 bytes left"):
        pool.allocate(4 << 20)


def test_limit_is_hard() -> None:
    pool = DevicePool(Fake(), limit=1 << 20)
    held = pool.allocate(1 << 20)
    with pytest.raises(DeviceError, match="1,048,576 are in use"):
        pool.allocate(1)
    del held
    assert pool.allocate(1).address


def test_closing_frees_what_is_held() -> None:
    driver = Fake()
    pool = DevicePool(driver)
    block = pool.allocate(100)
    pool.close()
    assert not driver.live
    del block
    assert pool.info().in_use >= 0


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[:, ::2], np.s_[1:, 1:], np.s_[:0]])
def test_extent_covers_what_a_view_touches(view: object) -> None:
    base = np.arange(24.0).reshape(4, 6)
    array = base[view]
    low, high = extent(array.shape, array.strides, array.itemsize)
    first = array.__array_interface__["data"][0]
    start, stop = np.lib.array_utils.byte_bounds(array) if array.size else (first, first)
    assert (first + low, first + high) == (start, stop)


def test_interface_of_an_array() -> None:
    array = array_at(256, (2, 3), np.dtype("f4"), (12, 4), None, Fake())
    interface = array.__cuda_array_interface__
    assert interface["data"] == (256, False)
    assert interface["typestr"] == "<f4"


@pytest.mark.skipif(importlib.util.find_spec("pycuda") is not None, reason="PyCUDA is installed")
def test_without_pycuda_the_error_says_what_to_install() -> None:
    with la.config(device="cuda"), pytest.raises(DeviceError, match="PyCUDA") as caught:
        la.evaluate(la.asarray(np.arange(3.0)) + 1)
    assert "pip install" in str(caught.value)
