"""Evaluations in the threads and processes of joblib and Dask: right, and not too many threads."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la

X = np.linspace(0, 1, 300_000)
SINES = float(np.sin(X).sum())
TASKS = Path("/proc/self/task")


@la.jit
def scaled_sum(x: np.ndarray, factor: float) -> np.ndarray:
    return np.sin(x).sum() * factor


def threads_here() -> int:
    return sum(1 for _ in TASKS.iterdir()) if TASKS.exists() else 0


def task(factor: int) -> tuple[float, float, int, int]:
    """Evaluate in both ways; return the values, the process, and how many threads it has."""
    lazy = float((np.sin(la.asarray(X)) * 1.0).sum()) * factor
    return lazy, float(scaled_sum(X, float(factor))), os.getpid(), threads_here()


def check(result: list[tuple[float, float, int, int]], workers: int, before: int) -> None:
    for factor, (lazy, jitted, _, threads) in enumerate(result):
        np.testing.assert_allclose([lazy, jitted], SINES * factor, rtol=1e-12)
        # Each evaluation runs in its caller and one pool of as many threads as processors.
        assert threads <= before + workers + (os.cpu_count() or 1) + 8


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_joblib(backend: str) -> None:
    joblib = pytest.importorskip("joblib")
    before = threads_here()  # other tests may have left some
    run = joblib.Parallel(n_jobs=4, backend=backend)
    check(run(joblib.delayed(task)(k) for k in range(16)), 4, before)


def test_dask_threads() -> None:
    dask = pytest.importorskip("dask")
    before = threads_here()
    tasks = [dask.delayed(task)(k) for k in range(32)]
    check(list(dask.compute(*tasks, scheduler="threads", num_workers=8)), 8, before)


def test_blocks_of_a_dask_array() -> None:
    blocks = pytest.importorskip("dask.array").from_array(X, chunks=30_000)
    jitted = la.jit(lambda x: np.cos(x) + 1)
    np.testing.assert_allclose(
        blocks.map_blocks(jitted, dtype="f8").compute(scheduler="threads"),
        np.cos(X) + 1,
        rtol=1e-14,
    )
