"""The native pool: every item once, whoever works, from any number of callers at once.

Most jobs here are Python functions that native code calls back: they can wait for each other, look
at their block, and call the pool themselves.
"""

from __future__ import annotations

import ctypes
import random
import struct
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads import native_pool
from lazyarr.runtime.cpu.threads.native_pool import NativePool
from lazyarr.runtime.cpu.threads.native_pool_layout import DESCRIPTOR, LONG, SLOTS
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import address_of
from tests.support.native_pools import CALLBACK, asleep, fall_asleep, run
from tests.support.parallel_for import parallel_for

pytestmark = pytest.mark.skipif(
    native_pool._native() is None, reason="no native pool on this system"
)


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("count", [1, 5, 6, 7, 300])
@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_every_item_is_done_once(team: NativePool, workers: int, count: int, chunk: int) -> None:
    times = [0] * count
    calls: list[tuple[int, int]] = []

    def work(begin: int, end: int, _: int) -> None:
        calls.append((begin, end))
        for item in range(begin, end):
            times[item] += 1

    run(team, work, count, threads=workers, chunk=chunk)
    assert times == [1] * count
    assert all(begin % chunk == 0 for begin, _ in calls)
    assert all(end % chunk == 0 or end == count for _, end in calls)


def test_short_jobs_are_cut_small_and_long_ones_large(team: NativePool) -> None:
    for count, sizes in ((40, {10}), (320, {10}), (3 * 320, {30}), (10**5, {80})):
        calls: list[tuple[int, int]] = []
        run(team, lambda b, e, _, calls=calls: calls.append((b, e)), count, threads=2, chunk=10)
        assert {end - begin for begin, end in calls if end < count} == sizes


def test_threads_work_at_the_same_time(team: NativePool) -> None:
    for _ in range(20):
        barrier = threading.Barrier(5, timeout=300)
        met = threading.local()

        def work(*_: int, met: threading.local = met, barrier: threading.Barrier = barrier) -> None:
            if not hasattr(met, "once"):
                met.once = True
                barrier.wait()

        run(team, work, 80, threads=5, chunk=1)


def forget_callbacks(pool: NativePool) -> None:
    """Let a pool forget the times of earlier callbacks: new ones may have their addresses."""
    pool._jobs.clear()


def test_a_short_job_wakes_nobody_unless_another_came_just_before(
    tally: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = native_pool.current_pool()
    assert alone is not None
    workers: set[int] = set()

    both = threading.Barrier(2, timeout=300)

    def meet(*_: int) -> None:
        if threading.get_ident() not in workers:
            workers.add(threading.get_ident())
            both.wait()

    def work(*_: int) -> None:
        workers.add(threading.get_ident())
        time.sleep(0.002)

    run(alone, meet, 80, threads=2, chunk=1)
    assert len(workers) == 2
    forget_callbacks(alone)
    fall_asleep(alone)
    time.sleep(0.05)  # longer ago than just before
    workers.clear()
    run(alone, work, tuning.row().worth_waking - 1, threads=2, chunk=1)
    assert workers == {threading.get_ident()}
    for _ in range(100):
        run(alone, lambda *_: None, 1, threads=2, chunk=1)
        run(alone, lambda *_: None, 2, threads=2, chunk=1)
        run(alone, work, tuning.row().worth_waking - 1, threads=2, chunk=1)
        if len(workers) == 2:
            break
    assert len(workers) == 2


@pytest.mark.parametrize(("nanoseconds", "expected"), [(LONG, 2), (LONG - 1, 1)])
def test_few_items_wake_others_if_they_are_known_to_take_long(
    nanoseconds: int, expected: int, tally: Function
) -> None:
    alone = native_pool.current_pool()
    assert alone is not None
    workers: set[int] = set()
    barrier = threading.Barrier(1, timeout=60)

    def work(*_: int) -> int:
        if threading.get_ident() not in workers:
            workers.add(threading.get_ident())
            barrier.wait()
        time.sleep(2e-9 * LONG)
        return 0

    entry = CALLBACK(work)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    assert address is not None
    run(alone, lambda *_: time.sleep(0.001), 80, threads=2, chunk=1)
    forget_callbacks(alone)
    fall_asleep(alone)
    time.sleep(0.05)  # longer ago than just before
    alone.run(address, bytes(8), 2, 2, 1, None)
    assert workers == {threading.get_ident()}
    assert asleep(alone) == alone.size
    time_of_job = ctypes.c_int64.from_buffer(
        alone._jobs[address, 1, 2, 2, 1, None], DESCRIPTOR["alone"]
    )
    assert time_of_job.value >= LONG  # it was noted
    time_of_job.value = nanoseconds
    workers.clear()
    barrier = threading.Barrier(expected, timeout=60)
    alone.run(address, bytes(8), 2, 2, 1, None)
    assert len(workers) == expected
    if expected == 1:
        assert asleep(alone) == alone.size


def test_no_more_threads_than_asked_for(team: NativePool) -> None:
    run(team, lambda *_: time.sleep(0.001), 40, threads=6, chunk=1)
    for allowed in (1, 2, 3):
        workers: set[int] = set()

        def work(begin: int, end: int, _: int, workers: set[int] = workers) -> None:
            workers.add(threading.get_ident())
            time.sleep(0.001)

        run(team, work, 40, threads=allowed, chunk=1)
        assert len(workers) <= allowed


def test_each_thread_has_its_own_scratch(team: NativePool) -> None:
    barrier = threading.Barrier(4, timeout=300)
    seen: dict[int, set[tuple[int, ...]]] = {}
    block = struct.pack("=4q", 7, 1000, -1, 5000)

    def work(begin: int, end: int, address: int) -> None:
        values = tuple((ctypes.c_int64 * 4).from_address(address))
        new = threading.get_ident() not in seen
        seen.setdefault(threading.get_ident(), set()).add(values)
        if new:
            barrier.wait()

    run(team, work, 50, threads=4, chunk=1, block=block, scratch=(64, (1, 3)))
    assert sorted(next(iter(values)) for values in seen.values()) == [
        (7, 1000 + 64 * slot, -1, 5000 + 64 * slot) for slot in range(4)
    ]
    assert all(len(values) == 1 for values in seen.values())
    assert block == struct.pack("=4q", 7, 1000, -1, 5000)


@pytest.mark.parametrize("workers", [1, 3])
def test_what_happened_anywhere_is_told(team: NativePool, workers: int) -> None:
    bits = {160: 1, 40: 2, 4: 4, 199: 1024}

    def work(begin: int, end: int, _: int) -> int:
        return sum(bit for item, bit in bits.items() if begin <= item < end)

    assert run(team, work, 200, threads=workers, chunk=1) == 1031
    assert run(team, work, 160, threads=workers, chunk=1) == 6
    assert run(team, lambda *_: 0, 200, threads=workers, chunk=1) == 0


def test_nested_use(team: NativePool) -> None:
    times = [0] * 64

    def outer(begin: int, end: int, _: int) -> None:
        def inner(first: int, last: int, _: int) -> None:
            for item in range(first, last):
                times[8 * begin + item] += 1

        run(team, inner, 8, threads=3, chunk=1)

    run(team, outer, 8, threads=4, chunk=1)
    assert times == [1] * 64


def test_more_callers_than_slots(team: NativePool) -> None:
    callers = SLOTS + 8
    barrier = threading.Barrier(callers, timeout=300)
    wrong: list[object] = []

    def call() -> None:
        times = [0] * 6
        met = threading.local()

        def work(begin: int, end: int, _: int) -> None:
            if begin == 0 and not hasattr(met, "once"):
                met.once = True
                barrier.wait()  # all callers have a job in flight
            times[begin] += 1

        run(team, work, 6, threads=2, chunk=1)
        if times != [1] * 6:
            wrong.append(times)

    together(callers, call)
    assert not wrong


def together(count: int, call: Callable[[], None]) -> None:
    """Run a function in some threads at once."""
    threads = [threading.Thread(target=call) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in threads)


def hammer(tally: Function, seconds: float, seed: int) -> int:
    """Run random jobs for a while; return how many were wrong."""
    chooser = random.Random(seed)
    wrong = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        count = chooser.choice([1, 2, 3, 17, 64, 255, 1000])
        counts = np.zeros(count, np.int64)
        block = tally.pack(address_of(counts), chooser.choice([1, 10, 100, 1000]))
        for repeat in range(1, 20):
            launch(
                tally,
                block,
                count,
                threads=chooser.choice([1, 2, 3, 4, 8]),
                chunk=chooser.choice([1, 2, 7, 100]),
            )
            wrong += not (counts == repeat).all()
        if chooser.random() < 0.02:
            time.sleep(0.0005)  # let them fall asleep
    return wrong


@pytest.mark.parametrize("seed", range(3))
def test_many_callers_many_jobs(tally: Function, seed: int) -> None:
    wrong: list[int] = []
    lock = threading.Lock()
    seeds = iter(range(100 * seed, 100 * seed + 8))

    def call() -> None:
        with lock:
            own = next(seeds)
        wrong.append(hammer(tally, 0.5, own))

    together(8, call)
    assert wrong == [0] * 8


def test_one_caller_with_pauses_of_about_a_spin(tally: Function) -> None:
    """Falling asleep and being called meet at every distance."""
    counts = np.zeros(64, np.int64)
    block = tally.pack(address_of(counts), 300)
    chooser = random.Random(5)
    for repeat in range(1, 3000):
        launch(tally, block, 64, threads=4, chunk=4)
        until = time.perf_counter() + chooser.uniform(20e-6, 80e-6)
        while time.perf_counter() < until:
            pass
        assert (counts == repeat).all()


def test_the_python_pool_does_the_same(tally: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyarr.runtime.cpu.threads.parallel_for.current_pool", lambda: None)
    before = native_pool.current_pool()
    assert before is not None
    size = before.size
    wrong: list[int] = []
    together(4, lambda: wrong.append(hammer(tally, 0.3, 1)))
    assert wrong == [0] * 4
    assert before.size == size


def test_scratch_through_the_python_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazyarr.runtime.cpu.threads.parallel_for.current_pool", lambda: None)
    seen = set()
    met = threading.local()
    barrier = threading.Barrier(3, timeout=300)

    class Fake(Function):
        def __init__(self) -> None:
            self.pack = struct.Struct("=2q").pack
            self.run = self.note

        def note(self, begin: int, end: int, block: bytes) -> int:
            seen.add(struct.unpack("=2q", block))
            if not hasattr(met, "once"):
                met.once = True
                barrier.wait()
            return 1 << (begin % 3)

    assert parallel_for(Fake(), 30, (5, 100), threads=3, chunk=1, scratch=(8, (1,))) == 7
    assert seen == {(5, 100), (5, 108), (5, 116)}
