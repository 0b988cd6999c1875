"""The native pool: every item once, whoever works, from any number of callers at once.

Most jobs here are Python functions that native code calls back: they can wait for each other, look
at their block, and call the pool themselves.
"""

from __future__ import annotations

import ctypes
import os
import random
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler, tuning
from lazyarr.runtime.cpu.threads import native_pool
from lazyarr.runtime.cpu.threads.native_pool import NativePool
from lazyarr.runtime.cpu.threads.native_pool_ir import ENTRY, pool_text
from lazyarr.runtime.cpu.threads.native_pool_layout import (
    OWNER,
    RANGES,
    RESULT_BITS,
    SLOT_AT,
    SLOT_SIZE,
    SLOTS,
)
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import address_of
from tests.support.parallel_for import parallel_for

pytestmark = pytest.mark.skipif(
    native_pool._native() is None, reason="no native pool on this system"
)

INT64 = np.dtype(np.int64)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

#: Adds one to the count of each item, atomically, after some arithmetic.
TALLY = Source(
    "llvm",
    """
define void @kernel(i64 %begin, i64 %end, ptr %counts, i64 %work) #0 {
entry:
  %any = icmp slt i64 %begin, %end
  br i1 %any, label %items, label %done
items:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %after ]
  br label %loop
loop:
  %k = phi i64 [ 0, %items ], [ %k.next, %loop ]
  %v = phi i64 [ %i, %items ], [ %v.next, %loop ]
  %x = mul i64 %v, 6364136223846793005
  %v.next = add i64 %x, 1442695040888963407
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %work
  br i1 %more, label %loop, label %after
after:
  call void asm sideeffect "", "r"(i64 %v.next)  ; so that the arithmetic is done
  %at = getelementptr i64, ptr %counts, i64 %i
  %old = atomicrmw add ptr %at, i64 1 monotonic
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %end
  br i1 %i.more, label %items, label %done
done:
  ret void
}
""",
    "kernel",
    (Parameter("counts", INT64, True), Parameter("work", INT64, False)),
)


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> compiler.Function:
    folder = tmp_path_factory.mktemp("cache")
    return compiler.compile_sources((TALLY,), Config(cache_dir=str(folder)))[0]


def build(architecture: str, steering: bool) -> NativePool:
    """Return a pool whose text is that of another system."""
    text = pool_text(architecture, time.CLOCK_MONOTONIC, steering)
    source = Source("llvm", text, ENTRY, (Parameter("places", INT64, True),))
    return NativePool(native_pool._bind(compiler.load_support(source, Config(cache_dir="off"))))


@pytest.fixture(params=["here", "plain"], scope="module")
def team(request: pytest.FixtureRequest) -> Iterator[NativePool]:
    """A pool as it is here, and one without instructions to pause or functions to steer."""
    if request.param == "here":
        team = native_pool.current_pool()
        assert team is not None
        yield team
    else:
        team = build("none", False)
        yield team
        team.close()


def run(
    team: NativePool,
    work: Callable[[int, int, int], int | None],
    count: int,
    *,
    threads: int,
    chunk: int,
    block: bytes = b"\0" * 8,
    scratch: tuple[int, tuple[int, ...]] | None = None,
) -> int:
    """Let a pool call ``work(begin, end, address of the block)``; raise what it raises."""
    errors: list[BaseException] = []

    def call(begin: int, end: int, address: int) -> int:
        try:
            return work(begin, end, address) or 0
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)
            return 0

    entry = CALLBACK(call)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    assert address is not None
    result = team.run(address, block, count, threads, chunk, scratch)
    if errors:
        raise errors[0]
    return result


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


def test_a_short_job_wakes_nobody_unless_another_came_just_before(
    tally: compiler.Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = native_pool.current_pool()
    assert alone is not None
    workers: set[int] = set()

    def work(*_: int) -> None:
        workers.add(threading.get_ident())
        time.sleep(0.002)

    run(alone, work, 80, threads=2, chunk=1)
    assert len(workers) == 2
    time.sleep(0.05)
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


def hammer(tally: compiler.Function, seconds: float, seed: int) -> int:
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
def test_many_callers_many_jobs(tally: compiler.Function, seed: int) -> None:
    wrong: list[int] = []
    lock = threading.Lock()
    seeds = iter(range(100 * seed, 100 * seed + 8))

    def call() -> None:
        with lock:
            own = next(seeds)
        wrong.append(hammer(tally, 0.5, own))

    together(8, call)
    assert wrong == [0] * 8


def test_one_caller_with_pauses_of_about_a_spin(tally: compiler.Function) -> None:
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


def test_the_python_pool_does_the_same(
    tally: compiler.Function, monkeypatch: pytest.MonkeyPatch
) -> None:
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

    class Fake(compiler.Function):
        def __init__(self) -> None:
            self.entry = "fake"
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


# -- time and signals ---------------------------------------------------------------------------


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
threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
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


def subprocess_output(code: str, timeout: float = 600) -> str:
    """Return the output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()


def test_idle_workers_take_no_time() -> None:
    code = """
import time
import numpy as np, lazyarr as la
x = la.asarray(np.ones(1_000_000))
with la.config(threads=4):
    for _ in range(20):
        la.evaluate(x * 2 + 1)
time.sleep(0.05)
before = time.process_time()
time.sleep(1.0)
print(time.process_time() - before)
"""
    assert float(subprocess_output(code)) < 0.01


# -- the ends of processes ----------------------------------------------------------------------

EVALUATE = """
import os, sys, threading, time, warnings
import numpy as np, lazyarr as la
a = np.arange(400_000.0)
x = la.asarray(a)
def right(threads=3):
    with la.config(threads=threads):
        return bool((la.evaluate(x * 2 + 1) == a * 2 + 1).all())
"""


@pytest.mark.parametrize(
    "ending",
    [
        "assert right()\nprint('end')",
        # At once, while workers still spin.
        "for _ in range(50): right()\nprint('end', flush=True)\nsys.exit(0)",
        "import atexit\natexit.register(lambda: print('end' if right() else 'wrong'))\nright()",
        """
def later():
    time.sleep(0.2)
    print('end' if right() else 'wrong')
threading.Thread(target=later).start()
right()""",
        "assert right()\nprint('end', flush=True)\nos._exit(0)",
    ],
    ids=["idle", "spinning", "atexit", "thread", "_exit"],
)
def test_the_interpreter_ends(ending: str) -> None:
    for _ in range(3):
        assert subprocess_output(EVALUATE + ending, 60) == "end"


def test_the_interpreter_ends_while_a_daemon_evaluates() -> None:
    ending = """
def forever():
    while True:
        right()
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.2)
print('end')
"""
    for _ in range(5):
        assert subprocess_output(EVALUATE + ending, 60) == "end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_forks_while_others_evaluate() -> None:
    ending = """
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and later: threads and fork
assert right()  # Python's own locks of modules being imported do not survive a fork
stop = threading.Event()
def forever():
    while not stop.is_set():
        assert right()
others = [threading.Thread(target=forever) for _ in range(3)]
for other in others:
    other.start()
codes = set()
for k in range(20):
    child = os.fork()
    if child == 0:
        code = 0 if all(right(n) for n in (1, 2, 5)) else 1
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if right() else 1)
        code |= os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1])
        os._exit(code)
    codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for other in others:
    other.join()
print(codes, right())
"""
    assert subprocess_output(EVALUATE + ending) == "{0} True"


def test_inside_pools_of_threads_and_processes(tmp_path: Path) -> None:
    script = tmp_path / "pools.py"
    script.write_text(
        EVALUATE
        + """
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import multiprocessing
def task(n):
    return right(n % 5 + 1)
def tasks(n):
    with ThreadPoolExecutor(4) as pool:
        return all(pool.map(task, range(n)))
if __name__ == "__main__":
    assert tasks(40)
    for method in ("fork", "spawn", "forkserver"):
        if method not in multiprocessing.get_all_start_methods():
            continue
        context = multiprocessing.get_context(method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                assert all(pool.map(tasks, [6] * 4))
    print("end")
"""
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "end"), done.stderr
