"""The pool: arrays keep their memory, dropped memory is reused, counts are exact."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from lazyarr.runtime.host_memory_pool import SMALL, Pool, _size_class, address_of

FLOAT64 = np.dtype(np.float64)
BYTE = np.dtype(np.uint8)


@pytest.mark.parametrize("nbytes", [0, 1, 63, 1000, SMALL - 1, SMALL, 1 << 20, (1 << 22) + 8])
def test_blocks_are_aligned_and_counted(nbytes: int) -> None:
    pool = Pool()
    block = pool.allocate(nbytes)
    assert block.address % 64 == 0
    assert block.nbytes == nbytes
    assert pool.info().in_use == pool.info().peak == nbytes
    array = block.array((nbytes,), BYTE)
    array[:] = 7
    assert array.flags.writeable and array.flags.c_contiguous
    assert nbytes == 0 or address_of(array) == block.address
    del block
    assert pool.info().in_use == nbytes
    del array
    assert pool.info().in_use == 0
    assert pool.info().peak == nbytes


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3, 4)])
def test_arrays_of_every_dtype_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    kind = np.dtype(dtype)
    array = Pool().allocate(int(np.prod(shape)) * kind.itemsize).array(shape, kind)
    assert type(array) is np.ndarray
    assert (array.dtype, array.shape) == (kind, shape)
    array[...] = 1
    assert (array == 1).all()


@pytest.mark.parametrize("nbytes", [SMALL - 8, SMALL, 1 << 20])
def test_zeroed_memory_is_zero_when_its_pages_are_reused(nbytes: int) -> None:
    pool = Pool()
    for _ in range(3):
        array = pool.zeroed(nbytes).array((nbytes // 8,), FLOAT64)
        assert not array.any()
        array[:] = 7
        del array
    assert pool.info().mappings <= 1


def test_arrays_at_offsets_share_a_block() -> None:
    block = Pool().allocate(SMALL)
    first, second = block.array((8,), FLOAT64), block.array((8,), FLOAT64, 64)
    first[:], second[:] = 1, 2
    assert block.array((16,), FLOAT64).tolist() == [1.0] * 8 + [2.0] * 8


@pytest.mark.parametrize("nbytes", [8000, 800_000])
def test_any_view_keeps_the_memory(nbytes: int) -> None:
    pool = Pool()
    array = pool.allocate(nbytes).array((nbytes // 8,), FLOAT64)
    array[:] = np.arange(nbytes // 8)
    view = array.reshape(-1, 10).T[::2, 1:]
    expected = view.copy()
    buffer = memoryview(array[::3])
    del array
    other = pool.allocate(nbytes).array((nbytes // 8,), FLOAT64)
    other[:] = -1
    assert (view == expected).all()
    del view, other
    assert pool.info().in_use == nbytes
    del buffer
    assert pool.info().in_use == 0


def test_dropped_pages_are_reused() -> None:
    pool = Pool()
    first = pool.allocate(1_000_000)
    address = first.address
    del first
    assert pool.allocate(1_010_000).address == address
    assert pool.info().mappings == 1


def test_a_larger_request_gets_new_pages() -> None:
    pool = Pool()
    pool.allocate(1_000_000)
    pool.allocate(2_000_000)
    pool.allocate(900_000)
    assert pool.info().mappings == 2


def test_mappings_begin_at_different_places_of_a_page() -> None:
    # Or a slice that is copied from one to the other waits for each of its stores.
    pool = Pool()
    blocks = [pool.allocate(nbytes) for nbytes in (100_000, 400_000, 3 << 20) for _ in range(3)]
    places = [block.address % 4096 for block in blocks]
    assert len({*places}) == len(blocks)
    assert all(place % 64 == 0 for place in places)
    for block in blocks:
        block.array((block.nbytes,), np.dtype("u1"))[...] = 1  # all of it is mapped


def test_page_count_stays_flat() -> None:
    pool = Pool()
    kept = [pool.allocate(400_000) for _ in range(3)]
    counts = set()
    for _ in range(1000):
        kept.append(pool.allocate(400_000))
        del kept[0]
        counts.add((pool.info().pages, pool.info().mappings))
    assert len(counts) == 1


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_resident_memory_stays_flat() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    pool = Pool()

    def step() -> None:
        pool.allocate(3 << 20).array((3 << 20,), BYTE)[:] = 1
        pool.allocate(70_000).array((70_000,), BYTE)[:] = 1

    for _ in range(10):
        step()
    before = resident()
    for _ in range(1000):
        step()
    assert resident() - before < 2 << 20


def test_idle_memory_is_bounded_and_the_oldest_goes_first() -> None:
    pool = Pool(idle_limit=3 << 20)
    blocks = [pool.allocate(1 << 20) for _ in range(5)]
    addresses = [block.address for block in blocks]
    while blocks:
        del blocks[0]
    info = pool.info()
    assert info.idle == info.held == 3 << 20
    again = [pool.allocate(1 << 20) for _ in range(3)]
    assert {block.address for block in again} == set(addresses[2:])


def test_trim_frees_what_is_idle_only() -> None:
    pool = Pool()
    kept = pool.allocate(1 << 20)
    pool.allocate(1 << 21)
    pool.trim()
    assert pool.info().held == 1 << 20
    assert pool.info().in_use == kept.nbytes


def test_release_gives_back_at_once_and_only_once() -> None:
    pool = Pool()
    block = pool.allocate(1 << 20)
    pool.release(block)
    assert (pool.info().in_use, pool.info().idle) == (0, 1 << 20)
    pool.release(block)
    del block
    assert (pool.info().in_use, pool.info().idle) == (0, 1 << 20)


def test_release_leaves_living_arrays_alone() -> None:
    pool = Pool()
    block = pool.allocate(1 << 20)
    array = block.array((1 << 20,), BYTE)
    pool.release(block)
    del block
    assert pool.info().in_use == 1 << 20
    del array
    assert pool.info().in_use == 0


def test_peak_can_be_measured_anew() -> None:
    pool = Pool()
    pool.allocate(1000)
    kept = pool.allocate(300)
    pool.reset_peak()
    assert pool.info().peak == kept.nbytes
    pool.allocate(5)
    assert pool.info().peak == 305


def test_counts_are_exact_with_many_threads() -> None:
    pool = Pool()

    def work(seed: int) -> None:
        random = np.random.default_rng(seed)
        kept = []
        for nbytes in random.integers(0, 4 * SMALL, 300).tolist():
            array = pool.allocate(nbytes).array((nbytes,), BYTE)
            array[:] = seed
            kept.append(array)
            if len(kept) > 5:
                oldest = kept.pop(0)
                assert (oldest == seed).all()

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    info = pool.info()
    assert info.in_use == 0
    assert info.idle == info.held <= pool.idle_limit


def test_blocks_that_die_in_the_collector_come_back() -> None:
    pool = Pool()
    for _ in range(20):
        cycle: list[object] = [pool.allocate(1 << 20)]
        cycle.append(cycle)
        del cycle
    gc.collect()
    assert pool.info().in_use == 0
    assert pool.info().idle == pool.info().held


def test_a_finaliser_may_allocate_while_the_lists_change() -> None:
    pool = Pool()
    pool.allocate(1 << 20)
    pool._inside = True  # as inside `_take`, when the collector runs someone's __del__
    with pool._lock:
        block = pool.allocate(1 << 20)
        del block
    pool._inside = False
    assert pool.info().in_use == 0
    assert pool.info().mappings == 2
    assert pool.info().idle == 2 << 20


def test_more_than_the_system_has_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        Pool().allocate(1 << 60)


@pytest.mark.parametrize("nbytes", [SMALL, SMALL + 1, 100_000, 12_345_678, (1 << 40) + 1])
def test_size_classes_waste_little(nbytes: int) -> None:
    assert nbytes <= _size_class(nbytes) <= nbytes * 9 // 8 + 4096
    assert _size_class(nbytes) % 4096 == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_child_does_not_write_into_its_parent() -> None:
    code = """
import os, numpy as np
from lazyarr.runtime.host_memory_pool import pool
x = pool.allocate(1 << 20).array((1 << 20,), np.dtype("uint8"))
x[:] = 1
with pool._lock:  # as if another thread held it
    child = os.fork()
    if child == 0:
        x[:] = 2
        y = pool.allocate(1 << 20).array((1 << 20,), np.dtype("uint8"))
        y[:] = 3
        os._exit(int(x.sum() == 2 << 20))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), x.sum() == 1 << 20)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.split() == ["1", "True"], done.stderr


def test_address_of_views() -> None:
    base = np.arange(24).reshape(2, 3, 4)
    for view in (base, base[1], base[:, ::-1], base.T, base[1:, 2, 3:], np.float32(3)[None]):
        assert address_of(view) == view.ctypes.data


def test_an_interrupted_finaliser_loses_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool()

    def interrupted(self: Pool, lease: object) -> None:
        raise KeyboardInterrupt

    for nbytes in (100, 1 << 20):
        block = pool.allocate(nbytes)
        with monkeypatch.context() as patch:
            patch.setattr(Pool, "_give_back", interrupted)
            patch.setattr(sys, "unraisablehook", lambda unraisable: None)
            del block
        assert pool.info().in_use == 0
    assert pool.info().idle == pool.info().held


def test_a_result_that_comes_again_has_the_memory_of_the_last_one() -> None:
    pool = Pool()
    shape, dtype = (300, 100), np.dtype(np.float64)
    first = pool.result(240_000, shape, dtype)
    address, mappings = address_of(first), pool.info().mappings
    del first
    for _ in range(5):
        array = pool.result(240_000, shape, dtype)
        assert address_of(array) == address and array.shape == shape and array.dtype == dtype
        assert pool.info().in_use == 240_000
        del array
    assert pool.info().in_use == 0
    assert pool.info().mappings == mappings


def test_a_result_in_use_keeps_its_memory() -> None:
    pool = Pool()
    shape, dtype = (30_000,), np.dtype(np.float64)
    first = pool.result(240_000, shape, dtype)
    view = first[5:10]
    first[:] = 1.0
    del first
    others = [pool.result(240_000, shape, dtype) for _ in range(3)]
    for number, other in enumerate(others):
        other[:] = 2.0 + number
    assert view.tolist() == [1.0] * 5
    assert [other[0] for other in others] == [2.0, 3.0, 4.0]
    assert pool.info().in_use == 4 * 240_000
    del view, other, others
    assert pool.info().in_use == 0


def test_results_count_until_they_are_dropped() -> None:
    pool = Pool()
    for size in (30_000, 40_000, 50_000, 60_000, 70_000, 80_000):
        pool.result(8 * size, (size,), np.dtype(np.float64))
    pool.reset_peak()
    assert pool.info().in_use == pool.info().peak == 0
    pool.result(240_000, (30_000,), np.dtype(np.float64))
    block = pool.allocate(100_000)
    assert pool.info().peak == 240_000 and pool.info().in_use == 100_000
    pool.result(240_000, (30_000,), np.dtype(np.float64))
    pool.trim()
    assert pool.info().held >= 100_000 and pool.info().idle == 0
    pool.release(block)


def test_threads_have_results_of_their_own() -> None:
    pool = Pool()
    shape, dtype = (30_000,), np.dtype(np.int64)

    def fill(number: int) -> bool:
        right = True
        for step in range(300):
            array = pool.result(240_000, shape, dtype)
            array.fill(1000 * number + step)
            right &= bool((array == 1000 * number + step).all())
        return right

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(fill, range(4)))
    assert pool.info().in_use == 0


def test_a_bfloat16_result_is_of_its_dtype() -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    pool = Pool()
    for _ in range(2):
        array = pool.result(200_000, (100_000,), np.dtype(bfloat16))
        assert array.dtype == bfloat16 and array.shape == (100_000,)
