"""The measurement: peers alternate in rounds, each in a process of its own.

A round runs each peer once and copies an array once with the same number of threads, so that what
the machine does to one it does to all, and the share of the copy rate compares like with like.
Peers wait for each other to come to rest, see :mod:`benchmarks.stations`.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.peers import PEERS
from benchmarks.stations import Measurement, Process, Station, sample

#: Seconds before each sample, beside the time that a process is waited for whose threads spin.
PAUSE = 0.02
#: No more rounds than these few once a peer has used this many seconds on one case.
LONGEST_PEER = 3.0
FEWEST_ROUNDS = 3


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


def measure_case(
    case: Case,
    dtype: str,
    size: int,
    stations: Sequence[Station | Process],
    repeats: int,
    threads: int,
    *,
    memory: bool = True,
    clock: str = "wall",
) -> Iterator[Measurement]:
    """Yield a measurement of `case` for each peer, and with `memory`, of its peak memory too.

    Times are of one of `benchmarks.stations.CLOCKS`. Of a peer with several stations the fastest
    counts.
    """
    results = [station.prepare(case.name, dtype, size) for station in stations]
    ready = [pair for pair in zip(stations, results, strict=True) if pair[1].first is not None]
    copy = Copy(threads)
    copy.run()
    copied: list[float] = []
    times: dict[int, list[float]] = {id(station): [] for station, _ in ready}
    spent = dict.fromkeys(times, 0.0)
    for number in range(repeats if ready else 0):
        time.sleep(PAUSE)
        copied.append(sample(copy.run, 1))
        # Each round starts with another peer, so that none always follows the same one.
        for station, _ in ready[number % len(ready) :] + ready[: number % len(ready)]:
            mine = times[id(station)]
            if spent[id(station)] < LONGEST_PEER or len(mine) < FEWEST_ROUNDS:
                time.sleep(PAUSE)
                begun = time.perf_counter()
                mine.append(station.sample(clock))
                spent[id(station)] += time.perf_counter() - begun
                station.rest()
    for station, measurement in ready:
        mine = times[id(station)]
        measurement.rounds = len(mine)
        measurement.median = statistics.median(mine)
        measurement.minimum = min(mine)
        measurement.copy_rate = copy.moved / statistics.median(copied)
    del copy
    best = _fastest(results)
    if memory and "small" not in case.tags:
        for station, measurement in ready:
            if measurement in best:
                measurement.planned_peak, measurement.peak = station.peak()
    for station in stations:
        station.clear()
    yield from best


def _place(measurement: Measurement) -> tuple[bool, bool, float]:
    median = measurement.median
    return median is None, bool(measurement.note), median or 0.0


def _fastest(measurement: Iterable[Measurement]) -> list[Measurement]:
    """Return of each peer the measurement with the least median.

    One with a note counts only if there is no other. What getting ready took is that of the peer's
    first station, since the others find the code that it compiled.
    """
    best: dict[str, Measurement] = {}
    firsts: dict[str, Measurement] = {}
    for one in measurement:
        firsts.setdefault(one.peer, one)
        other = best.setdefault(one.peer, one)
        if _place(one) < _place(other):
            best[one.peer] = one
    for peer, one in best.items():
        one.first, one.trace, one.compile = (
            firsts[peer].first,
            firsts[peer].trace,
            firsts[peer].compile,
        )
    return list(best.values())


@contextmanager
def open_stations(
    names: Iterable[str], threads: int
) -> Iterator[tuple[list[Process], dict[str, str]]]:
    """Start the processes of the peers that are installed, and end them afterwards.

    Yields
    ------
    stations : list of Process
        One for each way to run a peer, in order.
    versions : dict of str to str
        Of each peer, its version or why it is skipped.
    """
    stations: list[Process] = []
    versions = {}
    try:
        for name in names:
            version = PEERS[name].version()
            versions[name] = version or "skipped: not installed"
            if version is None:
                continue
            for way in PEERS[name].ways:
                station = Process(name, threads, way)
                stations.append(station)
                if station.refusal:
                    versions[name] = f"skipped: {station.refusal}"
                    stations.pop().close()
                    break
        yield stations, versions
    finally:
        for station in stations:
            station.close()


def machine(threads: int) -> dict[str, Any]:
    """Return the conditions of the measurement, as text."""
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
