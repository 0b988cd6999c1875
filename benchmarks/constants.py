"""Processor time beside tuning constants of the CPU, each with smaller and larger values.

``python -m benchmarks.constants [NAME ...]`` prints, for each constant, the processor time of a
workload under each value as a ratio to that of the constant's own. Values are timed alternately on
one thread, and the least time of each counts. Of what plans are made of, planning itself is timed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.compiler import targets
from lazyarr.core import tuning as core_tuning
from lazyarr.core.frozen import replace
from lazyarr.core.tuning_table import TuningTable
from lazyarr.runtime.cpu import tuning as cpu_tuning
from lazyarr.runtime.cpu.blas_threads import limited
from lazyarr.schedule.fusion import fuse

#: Alternations of all values.
ROUNDS = 5


def _random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def _attention(queries: int, heads: int = 1, **keywords: Any) -> Callable[[], Any]:
    q, k, v = (_random(heads, queries, 64) for _ in range(3))
    return lambda: la.evaluate(la.nn.attention(la.asarray(q), k, v, **keywords))


def _convolution() -> Callable[[], Any]:
    images, filters = _random(4, 32, 64, 64), _random(32, 32, 3, 3)
    return lambda: la.evaluate(la.nn.conv2d(la.asarray(images), filters, padding=1))


def _rolled(step: int) -> Callable[[], Any]:
    """Return the sum of a matrix rolled in four directions between its axes."""
    field = _random(1000, 1000)
    steps = [(a, b) for a in (-step, step) for b in (-step, step)]

    def run() -> Any:
        x = la.asarray(field)
        return la.evaluate(sum(la.roll(x, places, (0, 1)) for places in steps) - x)

    return run


def _with_row(
    table: TuningTable[Any], name: str, run: Callable[[], Any]
) -> Callable[[Any], Callable[[], Any]]:
    """Return the workload of each value of a constant."""

    def of_value(value: Any) -> Callable[[], Any]:
        def under_value() -> Any:
            with table.using(replace(table.row(), **{name: value})):
                return run()

        return under_value

    return of_value


def _planning(name: str, groups: int) -> Callable[[Any], Callable[[], Any]]:
    """Return the planning of matrix products in two chains, and of what is added to each."""
    matrix = la.asarray(_random(4, 4))
    chains = [matrix, matrix + 1]
    for number in range(groups // 4):
        chains = [chain @ matrix + number for chain in chains]
    roots = tuple(chain._node for chain in chains)

    def of_value(value: int) -> Callable[[], Any]:
        target = replace(targets.CPU, costs=replace(targets.CPU.costs, **{name: value}))
        return lambda: fuse(roots, target)

    return of_value


#: By the name of a constant: its values, its own first, and the workload under one of them.
CONSTANTS: dict[str, tuple[Sequence[Any], Callable[[], Callable[[Any], Callable[[], Any]]]]] = {
    "attention_block": (
        (512, 64, 128, 256, 1024),
        lambda: lambda value: _attention(2048, block=value),
    ),
    "attention_direct": (
        (1024, 512, 2048),
        lambda: _with_row(core_tuning.TABLE, "attention_direct", _attention(1024)),
    ),
    "attention_direct of 2048": (
        (1024, 2048),
        lambda: _with_row(core_tuning.TABLE, "attention_direct", _attention(2048)),
    ),
    "attention_queries": (
        (256, 32, 128, 512, 1024),
        lambda: _with_row(core_tuning.TABLE, "attention_queries", _attention(2048)),
    ),
    "convolution_patch_bytes": (
        (160_000, 20_000, 40_000, 80_000, 320_000, 640_000),
        lambda: _with_row(cpu_tuning.TABLE, "convolution_patch_bytes", _convolution()),
    ),
    "convolution_slab_bytes": (
        (24_000, 3_000, 6_000, 12_000, 48_000, 96_000),
        lambda: _with_row(cpu_tuning.TABLE, "convolution_slab_bytes", _convolution()),
    ),
    "halo_part of 200 places": (
        (4, 8),
        lambda: _with_row(core_tuning.TABLE, "halo_part", _rolled(200)),
    ),
    "halo_part of 400 places": (
        (4, 2),
        lambda: _with_row(core_tuning.TABLE, "halo_part", _rolled(400)),
    ),
    "halo_axes": ((2, 1), lambda: _with_row(core_tuning.TABLE, "halo_axes", _rolled(1))),
    "searched_groups": ((64, 16, 256, 1024), lambda: _planning("searched_groups", 1000)),
    "reordered_groups": ((1024, 0), lambda: _planning("reordered_groups", 1000)),
}


def _least_seconds(runs: Sequence[Callable[[], Any]]) -> list[float]:
    """Return the least processor time of each of several functions, called alternately."""
    least = [float("inf")] * len(runs)
    for run in runs:
        run()  # compiles
    for _ in range(ROUNDS):
        for number, run in enumerate(runs):
            started = time.process_time()
            run()
            least[number] = min(least[number], time.process_time() - started)
    return least


def main(names: Sequence[str]) -> None:
    """Print the ratios of the constants of these names, or of all."""
    with la.config(threads=1, immediate=0), limited(1):
        for name, (values, workload) in CONSTANTS.items():
            if names and name.split()[0] not in names:
                continue
            of_value = workload()
            seconds = _least_seconds([of_value(value) for value in values])
            ratios = ", ".join(
                f"{value}: {each / seconds[0]:.2f}"
                for value, each in zip(values, seconds, strict=True)
            )
            print(f"{name}: {seconds[0] * 1e3:.2f} ms; {ratios}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
