"""The pool of a device's memory, without a device."""

from __future__ import annotations

import gc
import importlib.util
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from random import Random

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.addresses import extent
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda.deferred_reports import DeferredReports
from lazyarr.runtime.cuda.device_array import DeviceBlock, array_at
from lazyarr.runtime.cuda.memory_pool import DevicePool, size_class


class Fake:
    """A device that counts."""

    def __init__(self, total: int = 1 << 40) -> None:
        self.total = total
        self.live: dict[int, int] = {}
        self.calls = 0
        self.waits = 0
        self.deferred = DeferredReports(lambda: 1)

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

    def synchronize_all(self) -> None:
        self.waits += 1

    def current(self) -> AbstractContextManager[None]:
        return nullcontext()


class Reader:
    """Another stream that has used a block, and the place where it is done with it."""

    done = False

    def mark(self) -> Reader:
        return self

    def query(self) -> bool:
        return self.done


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
    with pytest.raises(DeviceError, match="cannot allocate 4,194,304 bytes"):
        pool.allocate(4 << 20)


def test_limit_is_hard() -> None:
    pool = DevicePool(Fake(), limit=1 << 20)
    array = pool.allocate(1 << 20)
    with pytest.raises(DeviceError, match="1,048,576 are in use"):
        pool.allocate(1)
    del array
    assert pool.allocate(1).address


def test_closing_frees_what_is_held() -> None:
    driver = Fake()
    pool = DevicePool(driver)
    block = pool.allocate(100)
    pool.close()
    assert not driver.live
    del block
    assert pool.info().in_use >= 0


def test_what_is_dropped_after_closing_is_not_handed_out() -> None:
    pool = DevicePool(Fake())
    request = (size_class(100), 100, None)
    first, second = pool.allocate(100), pool.allocate(100)
    third = pool.allocate(100)
    third.shared = True
    del first
    pool.close()
    del second, third
    assert pool.exchange(request) is None
    assert pool.reuse([request]) is None


def test_a_block_is_exchanged_for_one_like_it() -> None:
    driver = Fake()
    pool = DevicePool(driver)
    request = (size_class(1000), 1000, ("here.py", 3))
    assert pool.exchange(request) is None
    first, other = pool.allocate(600), pool.allocate(5000)
    assert pool.exchange(request) is None
    address, before = first.address, pool.info()
    del first
    second = pool.exchange(request)
    assert second is not None
    assert (second.address, second.nbytes) == (address, 1000)
    assert pool.exchange(request) is None
    assert pool.info() == before
    with pytest.raises(DeviceError, match=r"1,000 bytes by here\.py:3"):
        pool.allocate(100, limit=1)
    assert other.address != address


def test_what_others_may_still_use_is_not_exchanged() -> None:
    driver = Fake()
    pool = DevicePool(driver)
    request = (size_class(100), 100, None)
    reader = Reader()
    seen, read = pool.allocate(100), pool.allocate(100)
    seen.shared = True
    read.readers = (reader,)
    seen_at, read_at = seen.address, read.address
    del seen, read
    assert pool.exchange(request) is None
    assert pool.reuse([request]) is None
    assert pool.info().in_use == 0
    allocated = pool.allocate(100)
    assert allocated.address == seen_at  # once all libraries were waited for
    assert driver.waits == 1
    reader.done = True
    assert pool.allocate(100).address == read_at


@pytest.mark.parametrize("seed", range(5))
def test_counters_are_exact_whatever_is_exchanged(seed: int) -> None:
    random = Random(seed)
    pools = [DevicePool(Fake())]
    pools.append(DevicePool(Fake(), pools[0].memory))
    live: list[tuple[int, int, DeviceBlock]] = []
    peaks = [0, 0]
    for _ in range(2000):
        which, action = random.randrange(2), random.random()
        pool = pools[which]
        if action < 0.45 and live:
            live.pop(random.randrange(len(live)))
        elif action < 0.5:
            assert pool.info().in_use == sum(size for k, size, _ in live if k == which)
            assert pool.info().peak == peaks[which]
        elif action < 0.52:
            pool.memory.trim()
        else:
            sizes = [random.choice((256, 512, 1024, 4096)) for _ in range(random.randint(1, 2))]
            requests = [(size, size, None) for size in sizes]
            allocated = pool.reuse(requests) if action < 0.8 else pool.allocate_all(requests)
            for size, block in zip(sizes, allocated or (), strict=False):
                assert not any(k == which and b.address == block.address for k, _, b in live)
                live.append((which, size, block))
            allocated = block = None
            peaks[which] = max(peaks[which], sum(size for k, size, _ in live if k == which))
    info = pools[0].memory.info()
    assert info.in_use == sum(size for _, size, _ in live)
    assert max(peaks) <= info.peak <= sum(peaks)


def test_no_block_has_two_owners_in_threads() -> None:
    pool = DevicePool(Fake())
    requests = [(size_class(n), n, None) for n in (100, 1000)]
    owned: set[int] = set()
    wrong: list[object] = []
    ends = time.monotonic() + 0.5

    def work(seed: int) -> None:
        random = Random(seed)
        try:
            while time.monotonic() < ends:
                some = random.sample(requests, random.randint(1, 2))
                allocated = pool.reuse(some) or pool.allocate_all(some)
                for block in allocated:
                    assert block.address not in owned
                    owned.add(block.address)
                if random.random() < 0.1:
                    pool.info()
                for block in allocated:
                    owned.remove(block.address)
                del block, allocated
        except BaseException as error:
            wrong.append(error)
            raise

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    info = pool.info()
    assert info.in_use == 0
    assert info.allocations <= 8  # two of each thread


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
