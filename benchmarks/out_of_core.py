"""``python -m benchmarks.out_of_core``: expressions over files larger than their memory.

The bound is the rate at which the file is read, measured in the same run by reading it in pieces
and doing nothing else. Caches of the system are dropped for the file before each run, as far as it
allows (``posix_fadvise``).
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la

COLUMNS = 500
Case = Callable[[Any, Any, Any], Any]

#: A case: the expression, and how often it reads the file at least.
CASES: dict[str, tuple[Case, int, bool]] = {
    "sum": (lambda x, w, b: x.sum(), 1, False),
    "moments": (lambda x, w, b: x.var(axis=0), 1, False),
    "rows": (lambda x, w, b: la.sqrt((x * x).sum(axis=1)).max(), 1, False),
    "map": (lambda x, w, b: la.sqrt(x) * 2 + 1, 1, True),
    "standardize": (lambda x, w, b: (x - x.mean(axis=0)) / x.std(axis=0), 2, True),
    "pairs": (lambda x, w, b: ((x[:, None] - b[None]) ** 2).sum(-1).min(axis=1).sum(), 1, False),
    "product": (lambda x, w, b: la.maximum(x @ w, 0).sum(axis=0), 1, False),
    "gram": (lambda x, w, b: x[:, :8].T @ x, 1, False),
}


class _Source:
    """An array in a file, read by slices of its first axis with no cache of its own."""

    def __init__(self, path: Path, shape: tuple[int, int], dtype: str) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._file = path.open("rb", buffering=0)

    def __getitem__(self, key: Any) -> np.ndarray[Any, Any]:
        start, stop, _ = key[0].indices(self.shape[0])
        row = self.shape[1] * self.dtype.itemsize
        self._file.seek(start * row)
        data = np.empty((stop - start, self.shape[1]), self.dtype)
        view, done = memoryview(data).cast("B"), 0
        while done < len(view):
            done += self._file.readinto(view[done:]) or 0
        return data

    def forget(self) -> None:
        """Let the system drop what it has cached of the file."""
        if hasattr(os, "posix_fadvise"):
            os.fsync(self._file.fileno())
            os.posix_fadvise(self._file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _seconds(run: Callable[[], object], source: _Source, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        source.forget()
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _read(source: _Source, rows: int) -> None:
    for start in range(0, source.shape[0], rows):
        source[slice(start, min(start + rows, source.shape[0])), :]


def main(arguments: list[str] | None = None) -> None:
    """Print a table: each expression's seconds, and how they compare with reading the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.out_of_core", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1024, help="of the file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="on the disk that is to be measured")
    options = parser.parse_args(arguments)
    rows = options.megabytes * 10**6 // (8 * COLUMNS)
    limit = options.megabytes * 10**6 // 4
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "x.bin"
        with path.open("wb") as file:
            for start in range(0, rows, 10_000):
                rng.random((min(10_000, rows - start), COLUMNS)).tofile(file)
        source = _Source(path, (rows, COLUMNS), "f8")
        weights, points = rng.random((COLUMNS, 16)), rng.random((8, COLUMNS))
        reading = _seconds(lambda: _read(source, 4096), source, options.rounds)
        print(
            f"{options.megabytes} MB of float64, {rows:,} rows of {COLUMNS}; max_memory "
            f"{limit / 1e6:,.0f} MB; reading alone {reading:.2f} s "
            f"({options.megabytes / reading / 1000:.2f} GB/s)\n"
        )
        print("| expression | passes | seconds | times the reading of its passes |")
        print("|---|---:|---:|---:|")
        for name, (function, passes, has_result) in CASES.items():
            x = la.from_array(source)
            root = function(x, la.asarray(weights), la.asarray(points))
            out = None
            if has_result:
                out = np.memmap(Path(folder) / "y.bin", "f8", "w+", shape=root.shape)

            def run(root: Any = root, out: Any = out) -> None:
                la.evaluate(root, out=out, max_memory=limit)

            run()  # compiled
            seconds = _seconds(run, source, options.rounds)
            # A result is written, too, at about the rate at which the file is read.
            bound = reading * (passes + has_result)
            print(f"| {name} | {passes} | {seconds:.2f} | {seconds / bound:.2f} |", flush=True)


if __name__ == "__main__":
    main()
