"""The ends of processes whose pools work: by exit, by fork, in pools of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lazyarr.runtime.cpu.threads import native_pool
from tests.support.native_pools import subprocess_output

pytestmark = pytest.mark.skipif(
    native_pool._native() is None, reason="no native pool on this system"
)

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
