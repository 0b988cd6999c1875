"""Threads that read an array while others let it have other memory: nobody reads what was freed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

#: What elements are; memory that was freed has other bits.
MOST = 9.0
WRITERS, SECONDS = 3, 0.35

READS: dict[str, Callable[[Any], Any]] = {
    "row": lambda a: a[1],
    "part": lambda a: a[1:, ::2],
    "element": lambda a: a[1, 2],
    "mask": lambda a: a[np.ones(a.shape, bool)],
    "index": lambda a: a[[1, 0]],
    "transposed": lambda a: a.T,
    "interface": lambda a: np.asarray(a),
    "interface of a view": lambda a: np.asarray(a[1]),
    "copy": lambda a: np.array(a[1:]),
    "operator": lambda a: a[1] - 0.0,
    "operator of two": lambda a: a[:1] + 0.0 * a[1:2],
    "negative": lambda a: -(-a[1:]),
    "function": lambda a: la.abs(a[1]),
    "ufunc": lambda a: np.abs(a),
    "reduction": lambda a: a[1].max(),
    "reduction along an axis": lambda a: a.max(axis=0),
    "scan": lambda a: la.maximum.accumulate(a[1]),
    "method": lambda a: a.clip(0, MOST),
    "sorted": lambda a: la.sort(a[1]),
    "joined": lambda a: la.concatenate([a[0], a[1]]),
    "chosen": lambda a: la.where(a[0] > 4, a[0], a[1]),
    "product": lambda a: a[:1].min(axis=0) @ np.eye(1, a.shape[1])[0],
    "iteration": lambda a: next(iter(a)),
    "number": lambda a: float(a[0, 0]),
    "output": lambda a: la.add(a[0], 0.0, out=la.zeros(a.shape[1])),
    "in place": lambda a: _in_place(a[0].copy(), a[1]),
    "write": lambda a: _written(la.zeros(a.shape), a[1]),
    "write under a mask": lambda a: _under(la.zeros(a.shape[1]), a[0] >= 0, a[1]),
}


def _in_place(x: Any, y: Any) -> Any:
    x *= 0.0
    x += y
    return x


def _written(x: Any, y: Any) -> Any:
    x[0] = y
    x[1:, 1:] = y[1:]
    return x


def _under(x: Any, mask: Any, y: Any) -> Any:
    x[mask] = y[0]
    return x


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Let Python switch between threads wherever it may."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("columns", [40, 3000])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_elements_are_of_this_array(
    read: Callable[[Any], Any], columns: int, frequent_switches: None
) -> None:
    array = la.zeros((3, columns))
    done = threading.Event()

    def write(seed: int) -> None:
        # Each thread has settings of its own, which are asked for by Python's code.
        with la.config(implicit="allow", immediate=4000 + seed):
            rng = np.random.default_rng(seed)
            while not done.is_set():
                seen = array + 1.0  # so that the next write lets the array have other memory
                array[rng.integers(3), rng.integers(columns) :] = float(rng.integers(MOST))
                array[...] = np.full((3, columns), float(rng.integers(MOST)))
                assert 1 <= float(seen[0, 0]) <= MOST + 1

    def look(seed: int) -> None:
        with la.config(implicit="allow", immediate=4000 + seed):
            while not done.is_set():
                values = np.asarray(read(array))
                assert values.min() >= 0
                assert values.max() <= MOST

    with ThreadPoolExecutor(2 * WRITERS) as pool:
        threads = [pool.submit(write, k) for k in range(WRITERS)]
        threads += [pool.submit(look, 100 + k) for k in range(WRITERS)]
        timer = threading.Timer(SECONDS, done.set)
        timer.start()
        try:
            for thread in threads:
                thread.result()
        finally:
            done.set()
            timer.cancel()
