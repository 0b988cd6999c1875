"""The process of a peer: libraries in one process disturb each other.

Threads of OpenMP that spin while they wait hold a processor that the next library needs, and two
libraries bring two sets of them. Configured to sleep instead, they may be woken on the processor of
the thread that calls, and then one waits for the other: Numba's sum took twice as long that way. So
a peer that has such threads runs in several ways, each in a process with the environment that asks
for it, and its fastest counts.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from benchmarks.cases import Arrays, Case, find_case
from benchmarks.memory import peak_of
from benchmarks.peers import PEERS, Peer

#: A sample shorter than this is made of several calls.
SHORTEST_SAMPLE = 5e-3
#: Seconds for which a process is watched for threads that spin, the part of them for which a
#: processor may work for one at rest, and after how many it is no longer waited for.
WATCHED = 5e-3
AT_REST = 0.1
LONGEST_REST = 0.5
#: A peer that takes more seconds than this to get ready and run once is left out of the case.
LONGEST_PREPARATION = 30
#: The largest difference from NumPy, relative to the largest result; of whole numbers none.
TOLERANCE = {
    "float64": 1e-9,
    "float32": 2e-3,
    "float16": 4e-3,
    "complex128": 1e-9,
    "complex64": 2e-3,
}


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
    way: str = ""  # the environment variables with which the peer was fastest

    @property
    def rate(self) -> float | None:
        """Bytes a second if each input were read once and the result written once."""
        return None if self.median is None or self.moved is None else self.moved / self.median


#: Seconds that pass, and seconds that processors work for all threads of a process.
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def sample(run: Callable[[], Any], calls: int, clock: str = "wall") -> float:
    """Return the seconds of one of some calls, by one of `CLOCKS`."""
    now = CLOCKS[clock]
    begun = now()
    for _ in range(calls):
        run()
    return (now() - begun) / calls


def _difference(expected: Any, result: Any) -> float:
    if isinstance(expected, list | tuple):
        if len(expected) != len(result):
            return float("inf")
        return max(_difference(*pair) for pair in zip(expected, result, strict=True))
    dtype = np.complex128 if np.iscomplexobj(expected) else np.float64
    expected, result = np.asarray(expected, dtype=dtype), np.asarray(result, dtype=dtype)
    if expected.shape != result.shape:
        return float("inf")
    largest = float(np.max(np.abs(expected)))
    return float(np.max(np.abs(expected - result))) / (largest or 1.0)


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
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


def _prepare(
    measurement: Measurement, peer: Peer, case: Case, arrays: Arrays, expected: Any
) -> Callable[[], Any] | None:
    """Prepare, run once and check `peer`; say in the note why it cannot."""
    begun = time.perf_counter()
    try:
        with time_limit(LONGEST_PREPARATION):
            prepared = peer.prepare(case, arrays)
            if prepared is None:
                return None  # it cannot express the case
            result = prepared.run()
    except Exception as error:  # noqa: BLE001 - a peer that fails is a result, not an accident
        measurement.note = (
            f"{type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}"
        )
        return None
    measurement.first = time.perf_counter() - begun
    measurement.trace, measurement.compile = prepared.trace, prepared.compile
    measurement.difference = _difference(expected, result)
    if not measurement.difference <= TOLERANCE.get(measurement.dtype, 0):
        measurement.note = f"WRONG by {measurement.difference:.1e}"
    return prepared.run


class Station:
    """A peer in this process, and the case that it is ready for."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._case: Case | None = None
        self._arrays: Arrays = ()
        self._run: Callable[[], Any] | None = None
        self._calls = 1

    def prepare(self, name: str, dtype: str, size: int) -> Measurement:
        """Get ready for a case, run it once and check it; `first` is None if that failed."""
        self._case = find_case(name)
        self._arrays = self._case.arrays(size, np.dtype(dtype))
        expected = self._case.expected(self._arrays)
        parts = expected if isinstance(expected, list | tuple) else (expected,)
        moved = sum(np.asarray(array).nbytes for array in (*self._arrays, *parts))
        measurement = Measurement(name, self.peer.name, dtype, size, moved=moved)
        self._run = _prepare(measurement, self.peer, self._case, self._arrays, expected)
        if self._run is not None:
            self.rest()  # NumPy has computed what is expected
            self._run()
            once = sample(self._run, 1)
            self._calls = max(1, min(1000, int(SHORTEST_SAMPLE / once)))
        return measurement

    def sample(self, clock: str = "wall") -> float:
        """Return the seconds of a call by one of `CLOCKS`, after one that wakes the threads."""
        assert self._run is not None
        gc.collect(0)
        self._run()
        return sample(self._run, self._calls, clock)

    def rest(self) -> None:
        """Wait until no thread of this process spins: OpenBLAS's do for up to 0.13 seconds."""
        until = time.perf_counter() + LONGEST_REST
        while time.perf_counter() < until:
            begun = time.process_time()
            time.sleep(WATCHED)
            if time.process_time() - begun < AT_REST * WATCHED:
                return

    def peak(self) -> tuple[int | None, int | None]:
        """Return the peak memory that the library plans, and that of a run."""
        assert self._run is not None and self._case is not None
        planned = self.peer.planned_peak(self._case, self._arrays)
        return planned, peak_of(self._run, self.peer.release)

    def clear(self) -> None:
        """Drop the case."""
        self._run, self._case, self._arrays = None, None, ()
        self.peer.release()


class Process:
    """A station in a process of its own.

    Parameters
    ----------
    name : str
        Of the peer.
    threads : int
        How many it may use.
    way : mapping
        Environment variables beyond those of this process.

    Attributes
    ----------
    refusal : str or None
        Why the peer cannot run.
    """

    def __init__(self, name: str, threads: int, way: Mapping[str, str]) -> None:
        self.name = name
        self.way = " ".join(f"{key}={value}" for key, value in way.items())
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, name, threads))
        with _environment(way):
            self._process.start()
        theirs.close()
        self.refusal: str | None = self._connection.recv()

    def prepare(self, name: str, dtype: str, size: int) -> Measurement:
        """See :meth:`Station.prepare`."""
        measurement: Measurement = self._ask("prepare", name, dtype, size)
        measurement.way = self.way
        return measurement

    def sample(self, clock: str = "wall") -> float:
        """See :meth:`Station.sample`."""
        seconds: float = self._ask("sample", clock)
        return seconds

    def rest(self) -> None:
        """See :meth:`Station.rest`."""
        self._ask("rest")

    def peak(self) -> tuple[int | None, int | None]:
        """See :meth:`Station.peak`."""
        result: tuple[int | None, int | None] = self._ask("peak")
        return result

    def clear(self) -> None:
        """See :meth:`Station.clear`."""
        self._ask("clear")

    def close(self) -> None:
        """End the process, and wait for that."""
        self._connection.close()
        self._process.join()

    def _ask(self, method: str, *arguments: Any) -> Any:
        try:
            self._connection.send((method, arguments))
            return self._connection.recv()
        except (EOFError, ConnectionError) as error:
            raise RuntimeError(f"the process of {self.name} ended during {method}") from error


@contextmanager
def _environment(way: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for what is started meanwhile."""
    before = {key: os.environ.get(key) for key in way}
    os.environ.update(way)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


def _serve(connection: Connection, name: str, threads: int) -> None:
    """Serve the other end's requests until it closes."""
    try:
        station = Station(PEERS[name](threads))
    except (ImportError, OSError, RuntimeError) as error:
        connection.send(str(error))
        return
    connection.send(None)
    while True:
        try:
            method, arguments = connection.recv()
        except EOFError:
            return
        connection.send(getattr(station, method)(*arguments))
