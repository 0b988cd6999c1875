"""How it is measured: every peer in turn, round after round, in one process.

A round runs each peer once and copies an array once with the same number of threads, so that what
the machine does to one it does to all, and the share of the copy rate compares like with like.
"""

from __future__ import annotations

import gc
import os
import platform
import signal
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Arrays, Case
from benchmarks.memory import peak_of
from benchmarks.peers import PEERS, Peer

#: A sample shorter than this is made of several calls.
SHORTEST_SAMPLE = 5e-3
#: No more rounds than these few once a peer has used this many seconds on one case.
LONGEST_PEER = 3.0
FEWEST_ROUNDS = 3
#: A peer that takes more seconds than this to get ready and run once is left out of the case.
LONGEST_PREPARATION = 30
#: The largest difference from NumPy, relative to the largest result; of whole numbers none.
TOLERANCE = {"float64": 1e-9, "float32": 2e-3, "float16": 4e-3}


@dataclass
class Measurement:
    """One peer on one case. Times in seconds, memory in bytes."""

    case: str
    peer: str
    dtype: str
    size: int
    median: float | None = None
    minimum: float | None = None
    rounds: int = 0
    first: float | None = None  # prepare and the first run
    trace: float | None = None
    compile: float | None = None
    moved: int | None = None  # inputs read once and the result written once
    copy_rate: float | None = None  # bytes a second, read and written, in the same rounds
    peak: int | None = None  # beyond the inputs, the result included
    planned_peak: int | None = None  # what lazyarr's plan says
    difference: float | None = None  # from NumPy's result, relative to its largest value
    note: str = ""

    @property
    def rate(self) -> float | None:
        """Bytes a second if each input were read once and the result written once."""
        return None if self.median is None or self.moved is None else self.moved / self.median


class Copy:
    """A copy between two warm arrays by several threads: the most that memory gives."""

    def __init__(self, threads: int, nbytes: int = 160_000_000) -> None:
        source = np.ones(nbytes // 16)
        target = np.ones_like(source)
        self.moved = source.nbytes + target.nbytes
        self._parts = list(
            zip(np.array_split(target, threads), np.array_split(source, threads), strict=True)
        )
        self._pool = ThreadPoolExecutor(threads)

    def run(self) -> None:
        """Copy once."""
        list(self._pool.map(lambda pair: np.copyto(*pair), self._parts))


def _sample(run: Callable[[], Any], calls: int) -> float:
    begun = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - begun) / calls


def _difference(expected: Any, found: Any) -> float:
    expected, found = np.asarray(expected, dtype=np.float64), np.asarray(found, dtype=np.float64)
    if expected.shape != found.shape:
        return float("inf")
    largest = float(np.max(np.abs(expected)))
    return float(np.max(np.abs(expected - found))) / (largest or 1.0)


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in what takes longer, where there are alarm signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TimeoutError(f"not ready within {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def measure_case(
    case: Case,
    dtype: str,
    size: int,
    peers: Iterable[Peer],
    repeats: int,
    threads: int,
    *,
    memory: bool = True,
) -> Iterator[Measurement]:
    """Yield a measurement of `case` for each of `peers`; with `memory`, of its peak memory too."""
    arrays = case.arrays(size, np.dtype(dtype))
    expected = case.compute(np, *arrays)
    moved = sum(array.nbytes for array in arrays) + np.asarray(expected).nbytes
    measurements: list[Measurement] = []
    runs: list[tuple[Measurement, Callable[[], Any], int]] = []
    by_name = {peer.name: peer for peer in peers}
    for peer in by_name.values():
        found = Measurement(case.name, peer.name, dtype, size, moved=moved)
        measurements.append(found)
        run = _prepare(found, peer, case, arrays, expected)
        if run is not None:
            once = _sample(run, 1)
            runs.append((found, run, max(1, min(1000, int(SHORTEST_SAMPLE / once)))))
    copy = Copy(threads)
    copy.run()
    copied: list[float] = []
    times: dict[str, list[float]] = {found.peer: [] for found, _, _ in runs}
    for number in range(repeats):
        copied.append(_sample(copy.run, 1))
        # Each round starts with another peer, so that none always follows the same one.
        for found, run, calls in runs[number % len(runs) :] + runs[: number % len(runs)]:
            spent = sum(times[found.peer]) * calls
            if spent < LONGEST_PEER or len(times[found.peer]) < FEWEST_ROUNDS:
                gc.collect(0)
                times[found.peer].append(_sample(run, calls))
    for found, _, _ in runs:
        found.rounds = len(times[found.peer])
        found.median = statistics.median(times[found.peer])
        found.minimum = min(times[found.peer])
        found.copy_rate = copy.moved / statistics.median(copied)
    del copy
    if memory and "small" not in case.tags:
        for found, run, _ in runs:
            peer = by_name[found.peer]
            found.planned_peak = peer.planned_peak(case, arrays)
            found.peak = peak_of(run, peer.release)
    yield from measurements


def _prepare(
    found: Measurement, peer: Peer, case: Case, arrays: Arrays, expected: Any
) -> Callable[[], Any] | None:
    """Prepare, run once and check `peer`; say in the note why it cannot."""
    begun = time.perf_counter()
    try:
        with _limited(LONGEST_PREPARATION):
            prepared = peer.prepare(case, arrays)
            if prepared is None:
                return None  # it cannot express the case
            result = prepared.run()
    except Exception as error:  # noqa: BLE001 - a peer that fails is a result, not an accident
        found.note = (
            f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"
        )
        return None
    found.first = time.perf_counter() - begun
    found.trace, found.compile = prepared.trace, prepared.compile
    found.difference = _difference(expected, result)
    if not found.difference <= TOLERANCE.get(found.dtype, 0):
        found.note = f"WRONG by {found.difference:.1e}"
    return prepared.run


def available_peers(names: Iterable[str], threads: int) -> tuple[list[Peer], dict[str, str]]:
    """Return the peers that are installed, and each one's version or why it is skipped."""
    peers: list[Peer] = []
    versions = {}
    for name in names:
        version = PEERS[name].version()
        if version is None:
            versions[name] = "skipped: not installed"
            continue
        try:
            peers.append(PEERS[name](threads))
        except (ImportError, OSError, RuntimeError) as error:
            versions[name] = f"skipped: {error}"
        else:
            versions[name] = version
    return peers, versions


def machine(threads: int) -> dict[str, Any]:
    """Return what a reader must know to judge the figures."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((x.partition(":")[2].strip() for x in lines if "model name" in x), model)
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "threads": threads,
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "system": platform.platform(),
        "python": platform.python_version(),
    }
