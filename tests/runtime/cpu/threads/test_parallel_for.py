"""parallel_for with Python functions: every item once, whoever works."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from lazyarr.runtime.cpu.threads import python_pool
from tests.support.parallel_for import parallel_for


def run(code: str) -> str:
    """Return the output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Recorder:
    """Counts how often each item was done, and by whom."""

    def __init__(self, count: int, pause: float = 0.0) -> None:
        self.times = [0] * count
        self.workers: set[int] = set()
        self.calls: list[tuple[int, int]] = []
        self.pause = pause

    def __call__(self, begin: int, end: int, *args: float) -> None:
        self.workers.add(threading.get_ident())
        self.calls.append((begin, end))
        time.sleep(self.pause)
        for item in range(begin, end):
            self.times[item] += 1


@pytest.mark.parametrize("workers", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 5, 6, 7, 1000])
@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_every_item_is_done_once(workers: int, count: int, chunk: int) -> None:
    recorder = Recorder(count)
    parallel_for(recorder, count, (), threads=workers, chunk=chunk)
    assert recorder.times == [1] * count


@pytest.mark.parametrize("workers, count, chunk", [(1, 100, 10), (8, 10, 10), (8, 9, 10)])
def test_one_call_where_threads_do_not_pay(workers: int, count: int, chunk: int) -> None:
    recorder = Recorder(count)
    parallel_for(recorder, count, (), threads=workers, chunk=chunk)
    assert recorder.calls == [(0, count)]
    assert recorder.workers == {threading.get_ident()}


def test_threads_work_at_the_same_time() -> None:
    barrier = threading.Barrier(3, timeout=300)
    parallel_for(lambda *_: barrier.wait(), 3, (), threads=3, chunk=1)


def test_calls_are_multiples_of_the_chunk_and_shrink() -> None:
    recorder = Recorder(1005)
    parallel_for(recorder, 1005, (), threads=2, chunk=10)
    calls = sorted(recorder.calls)
    assert all(begin % 10 == 0 for begin, _ in calls)
    sizes = [end - begin for begin, end in calls]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (250, 5)
    assert len(sizes) < 30


def test_no_more_threads_than_asked_for() -> None:
    recorder = Recorder(40, pause=0.001)
    parallel_for(recorder, 40, (), threads=2, chunk=1)
    assert len(recorder.workers) <= 2


def test_each_thread_has_its_own_scratch() -> None:
    seen: dict[int, set[float]] = {}
    barrier = threading.Barrier(3, timeout=300)

    def work(begin: int, end: int, first: float, scratch: float, other: float) -> None:
        assert (first, other) == (7, scratch + 0.5)
        first_call = threading.get_ident() not in seen
        seen.setdefault(threading.get_ident(), set()).add(scratch)
        if first_call:
            barrier.wait()

    parallel_for(work, 30, (7, 1000, 1000.5), threads=3, chunk=1, scratch=(64, (1, 2)))
    assert sorted(min(values) for values in seen.values()) == [1000, 1064, 1128]
    assert all(len(values) == 1 for values in seen.values())


def test_inline_call_gets_the_first_scratch() -> None:
    seen = []
    parallel_for(
        lambda *args: seen.append(args), 5, (1000, 1), threads=1, chunk=1, scratch=(64, (0,))
    )
    assert seen == [(0, 5, 1000, 1)]


def test_first_error_reaches_the_caller_after_the_others_have_ended() -> None:
    inside: list[int] = []
    met: set[int] = set()
    barrier = threading.Barrier(2, timeout=300)

    def work(begin: int, end: int) -> None:
        inside.append(begin)
        if threading.get_ident() not in met:
            met.add(threading.get_ident())
            barrier.wait()
        if begin == 0:
            raise ValueError("item 0")
        time.sleep(0.02)
        inside.remove(begin)

    with pytest.raises(ValueError, match="item 0"):
        parallel_for(work, 1000, (), threads=2, chunk=1)
    assert inside == [0]


def test_an_error_in_a_helper_reaches_the_caller() -> None:
    caller = threading.get_ident()
    barrier = threading.Barrier(2, timeout=300)

    def work(begin: int, end: int) -> None:
        if begin < 2:
            barrier.wait()
        if threading.get_ident() != caller:
            raise KeyError(begin)

    with pytest.raises(KeyError):
        parallel_for(work, 2, (), threads=2, chunk=1)
    test_threads_work_at_the_same_time()


def test_nested_use() -> None:
    inner = Recorder(0)
    inner.times = [0] * 16

    def outer(begin: int, end: int) -> None:
        parallel_for(lambda b, e: inner(4 * begin + b, 4 * begin + e), 4, (), threads=4, chunk=1)

    parallel_for(outer, 4, (), threads=4, chunk=1)
    assert inner.times == [1] * 16


def test_many_callers_at_once() -> None:
    wrong: list[object] = []

    def call() -> None:
        for _ in range(50):
            recorder = Recorder(20)
            parallel_for(recorder, 20, (), threads=3, chunk=2)
            if recorder.times != [1] * 20:
                wrong.append(recorder.times)

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_helpers_are_kept() -> None:
    for _ in range(30):
        parallel_for(Recorder(8), 8, (), threads=2, chunk=1)
    helpers = [t for t in threading.enumerate() if t.name == "lazyarr-helper"]
    assert len(helpers) <= 7  # the widest call of these tests


def test_a_busy_crew_takes_on_waiting_work(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = python_pool._Pool()
    monkeypatch.setattr(python_pool, "_pool", pool)
    release = threading.Event()
    started = threading.Barrier(3, timeout=300)

    def hold(begin: int, end: int) -> None:
        started.wait()
        release.wait(300)

    first = threading.Thread(
        target=parallel_for, args=(hold, 2, ()), kwargs={"threads": 2, "chunk": 1}
    )
    first.start()
    started.wait()  # its caller and the only helper are inside
    done = []
    workers: set[int] = set()
    together = threading.Barrier(2, timeout=300)

    def work(begin: int, end: int) -> None:
        release.set()
        done.extend(range(begin, end))
        if threading.get_ident() not in workers:
            workers.add(threading.get_ident())
            together.wait()

    parallel_for(work, 200, (), threads=2, chunk=1)
    first.join()
    assert sorted(done) == list(range(200))
    assert len(workers) == 2
    assert pool._size == 1


def test_an_idle_crew_lets_the_interpreter_end() -> None:
    code = (
        "from tests.support.parallel_for import parallel_for\n"
        "parallel_for(lambda *_: None, 9, (), threads=3, chunk=1)\n"
        "print('end')"
    )
    assert run(code) == "end"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_child_has_its_own_threads() -> None:
    code = """
import os, threading, time, warnings
from tests.support.parallel_for import parallel_for
def together():
    barrier = threading.Barrier(2, timeout=300)
    parallel_for(lambda *_: barrier.wait(), 2, (), threads=2, chunk=1)
together()
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 and later: threads and fork
child = os.fork()
if child == 0:
    together()
    os._exit(7)
together()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run(code) == "7"
