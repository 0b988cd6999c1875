"""Streams, threads, forks and ends of processes on a real device."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]


def test_eight_threads_with_a_stream_each(device: Any) -> None:
    host = np.arange(1 << 20, dtype=np.float64)
    x = la.asarray(host, device="cuda")
    total = host.sum()
    wrong: list[object] = []

    def work(number: int) -> None:
        try:
            with la.config(device="cuda"), la.stream():
                arrays = []
                for k in range(100):
                    y = la.persist(x * number + k)  # the same memory comes again and again
                    arrays.append(la.persist(y.sum()))
                    if k % 10 == 0:
                        matrix = la.persist((x[:4096] * number).reshape(64, 64))
                        product = la.evaluate(matrix @ matrix)
                        own = (host[:4096] * number).reshape(64, 64)
                        np.testing.assert_allclose(product, own @ own, rtol=1e-12)
                for k, result in enumerate(arrays):
                    expected = total * number + k * host.size
                    np.testing.assert_allclose(result.compute(), expected, rtol=1e-14)
        except BaseException as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    figures = la.cache.info().device
    assert figures is not None
    assert len(figures.streams) >= 2
    assert sum(s.pool.held for s in figures.streams) == figures.pool.held


def test_arrays_wander_between_streams_and_threads() -> None:
    streams = [la.stream() for _ in range(4)]
    host = np.arange(300_000) % 97
    x = la.asarray(host, device="cuda")
    expected = host
    for k in range(200):
        with streams[k * 7 % 4]:
            x = la.persist((x * 3 + k) % 1009)
        expected = (expected * 3 + k) % 1009
    np.testing.assert_array_equal(x.compute(), expected)


def test_another_librarys_stream_is_ordered_with() -> None:
    torch = pytest.importorskip("torch")
    side = torch.cuda.Stream()
    stream = la.stream(side)
    assert stream.__cuda_stream__() == side.__cuda_stream__()
    with torch.cuda.stream(side):
        t = torch.zeros(1 << 24, device="cuda")
        for _ in range(20):
            t += 1  # queued, and not waited for
            with stream:
                u = la.persist(la.asarray(t) * 2)
            t += torch.as_tensor(u, device="cuda") - 2 * t
    side.synchronize()
    assert bool((t == 20).all())


def test_graphs_replay_in_their_stream() -> None:
    x = la.asarray(np.arange(12.0).reshape(3, 4), device="cuda")
    lazy = (x - x.mean(axis=0)).max(axis=1)
    expected = np.array([-4.0, 0.0, 4.0])
    for stream in (la.stream(), la.stream()):
        with stream:
            for _ in range(10):
                np.testing.assert_array_equal(la.persist(lazy).compute(), expected)


PROLOGUE = """
    import os, sys, threading, time
    import numpy as np, lazyarr as la
    la.set_config(device="cuda")
    x = la.asarray(np.arange(1e6), device="cuda")
"""
ENDS = {
    "live arrays": """
        y = la.persist(x * 2)
        w = la.persist(x[:10000].reshape(100, 100) @ x[:10000].reshape(100, 100))
        with la.stream() as s:
            z = la.persist(y + 1)
    """,
    "at once": "",
    "daemon threads that compute": """
        def work():
            with la.stream():
                k = 0.0
                while True:
                    k += 1
                    la.persist(x * k + 1)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
    """,
    "daemon threads that bring large arrays back": """
        big = la.asarray(np.ones(8_000_000), device="cuda")
        def work():
            while True:
                la.evaluate(big * 2)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
    """,
    "a forked child": """
        import warnings
        warnings.simplefilter("ignore")
        la.evaluate(x + 1)
        child = os.fork()
        if not child:
            try:
                la.evaluate(x + 1)
            except la.errors.DeviceError as error:
                assert "forked" in str(error) and "spawn" in str(error)
                here = la.evaluate(la.asarray(np.arange(3.0)) + 1, device="cpu")
                os._exit(int(here[0] != 1))
            os._exit(9)
        assert os.waitpid(child, 0)[1] == 0
        assert la.evaluate(x + 1)[1] == 2
    """,
    "an exception": "raise SystemExit(0)",
}
#: Processes that end, or fork, before their GPU is open.
EARLY_ENDS = {
    "at once": "",
    "an exception": "raise SystemExit(0)",
    "a forked child": """
        import warnings
        warnings.simplefilter("ignore")
        child = os.fork()
        if not child:
            try:
                la.evaluate(la.asarray(np.ones(3)) + 1)
            except la.errors.DeviceError as error:
                assert "forked" in str(error) and "spawn" in str(error)
                os._exit(0)
            os._exit(9)
        assert os.waitpid(child, 0)[1] == 0
    """,
    "a first evaluation": """
        np.testing.assert_array_equal(la.evaluate(la.asarray(np.ones(3)) + 1), [2, 2, 2])
    """,
}


@pytest.mark.parametrize("end", ENDS)
def test_processes_end_cleanly(end: str) -> None:
    run_process(textwrap.dedent(PROLOGUE) + textwrap.dedent(ENDS[end]))


@pytest.mark.parametrize("end", EARLY_ENDS)
def test_processes_end_cleanly_while_the_gpu_is_opened(end: str) -> None:
    prologue = """
    import os
    import numpy as np, lazyarr as la
    from lazyarr.runtime.cuda import driver as cuda
    la.set_config(device="cuda")
    cuda.begin_opening()
    """
    run_process(textwrap.dedent(prologue) + textwrap.dedent(EARLY_ENDS[end]))


def run_process(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
