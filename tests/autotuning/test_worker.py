"""The thread that tunes: it takes its share and no more, and ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lazyarr.autotuning import tuning
from lazyarr.autotuning.tuning import Policy
from lazyarr.autotuning.worker import Worker

EAGER = Policy(share=float("inf"))


def _slices(done: list[int], count: int, seconds: float = 0.0) -> Iterator[None]:
    for number in range(count):
        time.sleep(seconds)
        done.append(number)
        yield


def test_jobs_are_done_in_turn_and_the_thread_ends() -> None:
    worker = Worker()
    done: list[int] = []
    with tuning.using(EAGER):
        worker.submit(_slices(done, 3))
        assert worker.wait(30)
        worker.submit(_slices(done, 2))
        assert worker.wait(30)
    assert done == [0, 1, 2, 0, 1]
    assert worker.wait(0)
    assert "lazyarr-tuning" not in [thread.name for thread in threading.enumerate()]


def test_work_is_no_more_than_its_share() -> None:
    begun = time.monotonic()
    worker = Worker()
    starts: list[tuple[float, float]] = []

    def slices() -> Iterator[None]:
        for _ in range(8):
            starts.append((worker.busy_seconds, time.monotonic() - begun))
            time.sleep(0.01)
            yield

    with tuning.using(Policy(share=0.1)):
        worker.submit(slices())
        assert worker.wait(60)
    # No slice begins before those behind it have been paid for.
    assert len(starts) == 8
    assert all(busy <= 0.1 * elapsed + 1e-3 for busy, elapsed in starts)


def test_a_job_that_fails_ends_the_thread_and_no_later_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: errors.append(args.exc_value))

    def fails() -> Iterator[None]:
        yield
        raise ZeroDivisionError

    worker = Worker()
    done: list[int] = []
    with tuning.using(EAGER):
        worker.submit(fails())
        assert worker.wait(30)
        worker.submit(_slices(done, 1))
        assert worker.wait(30)
    assert done == [0] and len(errors) == 1


def test_stopping_drops_jobs_and_waits_for_one_slice() -> None:
    worker = Worker()
    done: list[int] = []
    with tuning.using(EAGER):
        worker.submit(_slices(done, 1000, 0.01))
        while not done:
            time.sleep(0.001)
        worker.stop()
    assert worker.wait(0) and len(done) < 1000
    worker.submit(_slices(done, 1000))
    assert worker.wait(0)


PROGRAM = """
import os, sys, time
import numpy as np
import lazyarr as la
from lazyarr.autotuning import tuning, records
from lazyarr.autotuning.tuning import Policy
from lazyarr.autotuning.worker import WORKER

rules = Policy(hot_seconds=0.0, share=float("inf"), copy_share=float("inf"), rounds=200)
a, b = np.random.rand(40, 60, 70, 2), np.random.rand(70, 60, 40, 2)
function = la.jit(lambda a, b: a + b.transpose(2, 1, 0, 3) * 1.5)
expected = a + b.transpose(2, 1, 0, 3) * 1.5
with tuning.using(rules):
    for _ in range(20):
        assert (function(a, b) == expected).all()
    assert not WORKER.wait(0)
    if "fork" in sys.argv:
        child = os.fork()
        if not child:
            assert WORKER.wait(0)
            assert (la.evaluate(la.asarray(a) * 3 - 1) == a * 3 - 1).all()
            assert (function(a, b) == expected).all()
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert (function(a, b) == expected).all()
    print("right")
"""


@pytest.mark.parametrize("how", ["exit", "fork"])
def test_a_program_ends_and_forks_while_it_tunes(how: str, tmp_path: Path) -> None:
    if how == "fork" and not hasattr(os, "fork"):
        pytest.skip("no fork")
    environment = os.environ | {"LAZYARR_CACHE_DIR": str(tmp_path), "LAZYARR_TUNE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, how],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "right"), done.stderr
    assert not done.stderr


ORDER = """
import os, threading, time
import numpy as np
import lazyarr as la
from lazyarr.autotuning.worker import WORKER
from lazyarr.core.config import get_config
from lazyarr.loop_ir.source import Source

with la.config(immediate=0):
    la.evaluate(la.asarray(np.ones(10)) + 1)  # which imports the compiler
from lazyarr.runtime.cpu import compiler

begun = threading.Event()

def job():
    begun.set()
    time.sleep(0.2)  # in which the program forks
    text = "define void @kernel(i64 %begin, i64 %end) #0 {\\n  ret void\\n}\\n"
    compiler.compile_sources((Source("llvm", text, "kernel", ()),), get_config())
    yield

WORKER.submit(job())
begun.wait()
child = os.fork()
if not child:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_waits_for_a_slice_before_it_takes_the_locks_of_compilers(tmp_path: Path) -> None:
    environment = os.environ | {"LAZYARR_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ORDER],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
        env=environment,
    )
    assert done.stdout.strip() == "7"
