"""Long jobs of the native pool: they come back to Python, and interrupts end them."""

from __future__ import annotations

import ctypes
import threading
import time

import pytest

from lazyarr.runtime.cpu.threads import native_pool
from lazyarr.runtime.cpu.threads.native_pool import NativePool
from lazyarr.runtime.cpu.threads.native_pool_layout import (
    OWNER,
    RANGES,
    RESULT_BITS,
    SLOT_AT,
    SLOT_SIZE,
    SLOTS,
)
from tests.support.native_pools import TALLY, run, subprocess_output

pytestmark = pytest.mark.skipif(
    native_pool._native() is None, reason="no native pool on this system"
)


def test_a_long_job_comes_back_to_python(monkeypatch: pytest.MonkeyPatch, team: NativePool) -> None:
    monkeypatch.setattr(team, "_call_ns", 2_000_000)
    returns: list[int] = []
    native = team._run

    def counted(*args: object) -> int:
        answer: int = native(*args)  # type: ignore[arg-type]
        returns.append(answer >> RESULT_BITS)
        return answer

    monkeypatch.setattr(team, "_run", counted)
    for workers in (1, 3):
        returns.clear()
        times = [0] * 40

        def work(begin: int, end: int, _: int, times: list[int] = times) -> int:
            time.sleep(0.001)
            for item in range(begin, end):
                times[item] += 1
            return 1 << (begin % 5)

        assert run(team, work, 40, threads=workers, chunk=1) == 31
        assert times == [1] * 40
        assert len(returns) > 2
        assert all(returns[:-1]) and returns[-1] == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupted_job_is_given_up(
    monkeypatch: pytest.MonkeyPatch, team: NativePool, workers: int
) -> None:
    """Wherever the interrupt comes between two calls; else the slots would run out."""
    monkeypatch.setattr(team, "_call_ns", 1_000_000)
    native = team._run

    def interrupted(*args: object) -> int:
        answer: int = native(*args)  # type: ignore[arg-type]
        if answer >> RESULT_BITS:
            raise KeyboardInterrupt
        return answer

    done: list[int] = []

    def work(begin: int, end: int, _: int) -> None:
        done.extend(range(begin, end))
        time.sleep(0.0005)

    for _ in range(2 * SLOTS):
        with monkeypatch.context() as patched:
            patched.setattr(team, "_run", interrupted)
            done.clear()
            with pytest.raises(KeyboardInterrupt):
                run(team, work, 100, threads=workers, chunk=1)
        assert len(done) == len(set(done)) < 100
    taken = [
        slot
        for slot in range(SLOTS)
        if ctypes.c_int64.from_address(team._address + SLOT_AT + slot * SLOT_SIZE + OWNER).value
    ]
    assert not taken


@pytest.mark.parametrize("count", [8, 64, 1000])
@pytest.mark.parametrize("workers", [2, 5])
def test_each_thread_begins_in_a_range_of_its_own(
    team: NativePool, count: int, workers: int
) -> None:
    barrier = threading.Barrier(workers, timeout=300)
    firsts: dict[int, tuple[int, int]] = {}

    def work(begin: int, end: int, _: int) -> None:
        if threading.get_ident() not in firsts:
            firsts[threading.get_ident()] = (begin, end)
            barrier.wait()

    run(team, work, count, threads=workers, chunk=1)
    (part,) = {end - begin for begin, end in firsts.values()}
    parts = -(-count // part)
    starts = {k * parts // workers * part for k in range(workers)}
    assert {begin for begin, _ in firsts.values()} == starts


def test_more_threads_than_ranges(team: NativePool) -> None:
    times = [0] * 500

    def work(begin: int, end: int, _: int) -> None:
        for item in range(begin, end):
            times[item] += 1
        time.sleep(0.001)

    run(team, work, 500, threads=RANGES + 6, chunk=1)
    assert times == [1] * 500


def test_ctrl_c_ends_a_long_kernel() -> None:
    """A kernel of half a minute in one launch: the interrupt comes through within a second."""
    code = f"""
import os, signal, threading, time
import numpy as np
from lazyarr.core.config import Config
from lazyarr.runtime.cpu import compiler as cpu
from lazyarr.runtime.host_memory_pool import address_of
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu.threads.parallel_for import launch
source = Source("llvm", {TALLY.text!r}, "kernel", (
    Parameter("counts", np.dtype(np.int64), True), Parameter("work", np.dtype(np.int64), False)))
function = cpu.compile_sources((source,), Config(cache_dir="off"))[0]
counts = np.zeros(100_000, np.int64)
# What a shell starts in the background ignores interrupts, and hands that down.
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt():
    while not counts.any():  # on a busy machine the kernel may begin late
        time.sleep(0.001)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
begun = time.monotonic()
try:
    block = function.pack(address_of(counts), 1_000_000)
    launch(function, block, counts.size, threads=2, chunk=2)
except KeyboardInterrupt:
    taken = time.monotonic() - begun
    assert taken < 10, taken
    before = counts.copy()
    time.sleep(0.1)
    assert (counts == before).all(), "a worker is still writing"
    assert counts.max() == 1 and 0 < counts.sum() < counts.size
    print("interrupted")
"""
    assert subprocess_output(code) == "interrupted"


def test_idle_workers_take_no_time() -> None:
    code = """
import time
import numpy as np, lazyarr as la
x = la.asarray(np.ones(1_000_000))
with la.config(threads=4):
    for _ in range(20):
        la.evaluate(x * 2 + 1)
taken = []
for _ in range(3):  # a busy machine may keep workers from falling asleep
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(1.0)
    taken.append(time.process_time() - before)
    if taken[-1] < 0.01:
        break
print(min(taken))
"""
    assert float(subprocess_output(code)) < 0.01
