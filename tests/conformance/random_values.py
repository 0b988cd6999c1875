"""Values of random expressions and programs, compared with NumPy's in large numbers.

``python -m tests.conformance.random_values`` goes on until a million values of each way to compute
them were compared, and writes the table of outcomes; ``--values N`` asks for another number,
``--seed S`` draws the programs of another run.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from tests.support.drawing import Program
from tests.support.program_interpreter import run_program as interpreted
from tests.support.programs import Choose, check, draw_program, small_kernels
from tests.support.targets import emulate_where_there_is_none
from tests.support.view_programs import run_program as run_views

__all__ = ["WAYS", "compared_values"]

TABLE = Path(__file__).with_name("random_values.md")
#: The shapes of the inputs of large expressions.
LARGE = [(100_000,), (99_991,), (317, 211), (3, 31_001), (25_003, 4), (40, 50, 47), (2, 49_999)]
THREADS = (1, 2, 7)


def _small(choose: Choose) -> Program:
    return draw_program(choose, limit=64, steps=12)


def _large(choose: Choose) -> Program:
    return draw_program(choose, limit=100_000, steps=10, shapes=LARGE)


def _compare(program: Program, results: list[Any], what: str) -> int:
    for value, got in zip(program.roots, results, strict=True):
        check(value, got, what, program)
    return sum(got.size for got in results)


def _by_interpreter(choose: Choose) -> int:
    program = _small(choose)
    with small_kernels(choose):
        results, _ = interpreted(tuple(value.lazy._node for value in program.roots))
    return _compare(program, results, "loop IR")


def _by_kernels(draw: Callable[[Choose], Program], backend: str) -> Callable[[Choose], int]:
    def run(choose: Choose) -> int:
        threads = THREADS[choose(len(THREADS))]
        program = draw(choose)
        with la.config(threads=threads, backend=backend):
            results = pipeline.evaluate(tuple(value.lazy._node for value in program.roots))
        return _compare(program, results, f"{backend}, {threads} threads")

    return run


def _by_emulated_gpu(choose: Choose) -> int:
    program = _small(choose)
    with pytest.MonkeyPatch.context() as patch, la.config(device="cuda"):
        emulate_where_there_is_none(patch)
        results = pipeline.evaluate(tuple(value.lazy._node for value in program.roots))
    return _compare(program, results, "CUDA, emulated")


def _programs(most: int) -> Callable[[Choose], int]:
    def run(choose: Choose) -> int:
        count = 0

        def values_of(arrays: list[Any]) -> list[Any]:
            nonlocal count
            values = [np.asarray(array) for array in arrays]
            count += sum(value.size for value in values)
            return values

        with la.config(immediate=most):
            run_views(choose(2**62), 8, values_of, small=most == 0)
        return count

    return run


_SMALL = "expressions of up to 64 elements"
_VIEWS = "programs of views and writes, operations on"
#: By name, a function that draws one expression or program and returns how many values it compared,
#: and what part of the asked number it has to reach: some ways take long for a value.
WAYS: dict[str, tuple[Callable[[Choose], int], float]] = {
    f"{_SMALL}, the loop IR interpreted": (_by_interpreter, 0.1),
    "expressions of up to 100,000 elements, LLVM, 1, 2 or 7 threads": (
        _by_kernels(_large, "llvm"),
        10.0,
    ),
    f"{_SMALL}, LLVM, 1, 2 or 7 threads": (_by_kernels(_small, "llvm"), 0.01),
    f"{_SMALL}, Numba, 1, 2 or 7 threads": (_by_kernels(_small, "numba"), 0.002),
    f"{_SMALL}, CUDA C in the emulator": (_by_emulated_gpu, 0.002),
    f"{_VIEWS} 20 elements at once": (_programs(20), 1.0),
    f"{_VIEWS} 4,096 elements at once": (_programs(4096), 1.0),
}


@contextmanager
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compared_values(way: str, values: int, seed: int) -> tuple[int, int]:
    """Compare random expressions or programs until enough of their values are.

    Parameters
    ----------
    way : str
        A key of ``WAYS``.
    values : int
        How many values to compare at least.
    seed : int
        Of the first expression; the following ones have the numbers after it.

    Returns
    -------
    tuple of (int, int)
        The number of expressions or programs, and of values. All were equal.

    Raises
    ------
    AssertionError
        If a value is not NumPy's; a note says the seed.
    """
    run, _ = WAYS[way]
    programs = compared = 0
    while compared < values:
        number = seed + programs
        try:
            with _quiet():
                compared += run(random.Random(number).randrange)
        except BaseException as error:
            error.add_note(f"{way}: seed {number}")
            raise
        programs += 1
    return programs, compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=secrets.randbits(40))
    options = parser.parse_args()
    arguments = f"--values {options.values} --seed {options.seed}"
    lines = [
        "# Values of random expressions and programs that were compared with NumPy's",
        "",
        f"`python -m tests.conformance.random_values {arguments}`",
        "",
        "Every value was equal, within the bound of its error where a kernel has its own order.",
        "",
        "| Way | Expressions or programs | Values | Seconds |",
        "| --- | ---: | ---: | ---: |",
    ]
    for way, (_, part) in WAYS.items():
        began = time.perf_counter()
        programs, compared = compared_values(way, int(options.values * part), options.seed)
        took = time.perf_counter() - began
        lines.append(f"| {way} | {programs:,} | {compared:,} | {took:,.0f} |")
        sys.stdout.write(lines[-1] + "\n")
        sys.stdout.flush()
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
