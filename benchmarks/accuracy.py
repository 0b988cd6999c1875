"""The largest error of each mathematical function of kernels, over every float32 there is.

    python -m benchmarks.accuracy [--functions exp ...] [--stride 1] [--processes N] [--out FOLDER]

Kernels compute in float32 in strict numerics; the truth is the float64 function of NumPy, SciPy or
the C library, whose own error is some 10⁻⁹ of a unit here. Errors are in units in the last place
(ulp) of the float32 nearest to the truth; a NaN or an infinity at the wrong place counts as
infinitely wrong. With `--stride n` every n-th bit pattern is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.output import write_files

PATTERNS = 1 << 32
CHUNK = 1 << 20
Function = Callable[[Any], Any]


@dataclass
class Worst:
    """The largest error of one function, and where."""

    function: str
    ulps: float = 0.0
    argument: float = 0.0
    wrong: int = 0  # NaN or infinity on one side only
    wrong_argument: float = 0.0
    above_one: int = 0  # how many results are more than one ulp off
    count: int = 0

    def merge(self, other: Worst) -> None:
        """Take in what another part found."""
        if other.ulps > self.ulps:
            self.ulps, self.argument = other.ulps, other.argument
        if other.wrong and not self.wrong:
            self.wrong_argument = other.wrong_argument
        self.wrong += other.wrong
        self.above_one += other.above_one
        self.count += other.count


def _erfc(x: np.ndarray) -> np.ndarray:
    import scipy.special

    return np.asarray(scipy.special.erfc(x))


def _erf(x: np.ndarray) -> np.ndarray:
    import scipy.special

    return np.asarray(scipy.special.erf(x))


def _expit(x: np.ndarray) -> np.ndarray:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1 + small)


def functions() -> dict[str, tuple[Function, Function]]:
    """Return the results of kernels, and the float64 function that they are compared with."""
    names = (
        "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan "
        "sinh cosh tanh arcsinh arccosh arctanh cbrt sqrt"
    ).split()
    both: dict[str, tuple[Function, Function]] = {
        n: (getattr(la, n), getattr(np, n)) for n in names
    }
    both["erf"] = (la.special.erf, _erf)
    both["erfc"] = (la.special.erfc, _erfc)
    both["exp10"] = (la.special.exp10, lambda x: np.power(10.0, x))
    both["expit"] = (la.special.expit, _expit)
    return both


def _errors(got: Any, truth: Any) -> tuple[Any, Any]:
    """Return expressions: error in ulp, and whether one alone is NaN or infinite."""
    nearest = truth.astype(np.float32)
    same = (got == nearest) | (la.isnan(got) & la.isnan(nearest))
    # The spacing of float32 at the truth; below the normal numbers it stays the same.
    _, exponent = la.frexp(truth)
    unit = la.ldexp(np.float64(1.0), la.maximum(exponent, -125) - 24)
    error = la.where(same, 0.0, la.abs(got.astype(np.float64) - truth) / unit)
    # Where the truth rounds to infinity, the largest number is off by what lies between.
    finite = la.isfinite(got) & (la.abs(truth) < 2.0**128)
    wrong = ~same & ~finite
    return la.where(wrong, 0.0, error), wrong


def scan(name: str, start: int, stop: int, stride: int) -> Worst:
    """Return the largest error over the bit patterns from `start` to `stop`."""
    mine, truth = functions()[name]
    worst = Worst(name)
    with la.config(threads=1, numerics="strict"), np.errstate(all="ignore"):
        for begin in range(start, stop, CHUNK * stride):
            end = min(begin + CHUNK * stride, stop)
            bits = np.arange(begin, end, stride, dtype=np.uint64).astype(np.uint32)
            x = bits.view(np.float32)
            expected = truth(x.astype(np.float64))
            error, wrong = _errors(mine(la.asarray(x)), la.asarray(expected))
            error = la.where(la.isnan(error), 0.0, error)
            largest, place, many, bad, bad_place = la.evaluate(
                error.max(),
                error.argmax(),
                la.count_nonzero(error > 1),
                wrong.sum(),
                wrong.argmax(),
            )
            result = Worst(name, float(largest), float(x[place]), int(bad), float(x[bad_place]))
            result.above_one, result.count = int(many), x.size
            worst.merge(result)
    return worst


def parts(stride: int, pieces: int) -> Iterator[tuple[int, int]]:
    """Return ranges of bit patterns, multiples of the stride."""
    step = -(-PATTERNS // (pieces * stride)) * stride
    for start in range(0, PATTERNS, step):
        yield start, min(start + step, PATTERNS)


def _piece(stride: int, task: tuple[str, int, int]) -> Worst:
    return scan(*task, stride)


def table(result: list[Worst], heading: str) -> str:
    """Return the errors as Markdown."""
    lines = [heading, "", "| function | largest error, ulp | at | off by more than 1 ulp |"]
    lines.append("| --- | ---: | ---: | ---: |")
    for worst in result:
        share = worst.above_one / max(1, worst.count)
        error = f"{worst.ulps:.2f}"
        if worst.wrong:
            error = f"wrong at {worst.wrong} arguments, such as {worst.wrong_argument!r}"
        where = f"{worst.argument:.9g}"
        lines.append(f"| {worst.function} | {error} | {where} | {share:.2%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--functions", nargs="*", default=list(functions()))
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    arguments = parser.parse_args()

    from lazyarr.runtime.cpu import vector_math

    heading = (
        f"{PATTERNS // arguments.stride:,} arguments a function, strict numerics, "
        f"{vector_math.describe()}; {platform.platform()}, NumPy {np.__version__}"
    )
    pieces = 1 if arguments.stride > 1000 else 16
    collected = []
    begun = time.perf_counter()
    with ProcessPoolExecutor(arguments.processes) as pool:
        tasks = [
            (n, *part) for n in arguments.functions for part in parts(arguments.stride, pieces)
        ]
        results = pool.map(partial(_piece, arguments.stride), tasks)
        worst: dict[str, Worst] = {}
        for (name, *_), part in zip(tasks, results, strict=True):
            whole = worst.setdefault(name, Worst(name))
            whole.merge(part)
            if whole.count >= PATTERNS // arguments.stride:
                print(json.dumps(asdict(whole)), f"{time.perf_counter() - begun:.0f} s", flush=True)
                collected.append(whole)
    text = table(collected, heading)
    write_files(arguments.out, "accuracy_float32", text)
    print(text)
    sys.exit(any(worst.wrong or worst.ulps > 4 for worst in collected))


if __name__ == "__main__":
    main()
