"""The error of the cost model, and the gain of tuning, on members of the families.

    python -m benchmarks.schedules --seeds 0:120 [--largest 1e6] [--out benchmarks/results]

Each member is planned, and each of its plans runs on one thread and is timed; the error of the
model is predicted over measured. Then tuning tries the candidates of its kernels as `lazyarr tune`
does, on that member's own arrays. The gain is the time of a run as lazyarr cuts it over the time
as it is cut afterwards, both in turn; 1 where nothing was faster.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.__main__ import limit_threads
from benchmarks.families.catalogue import FAMILIES, members
from benchmarks.families.member import Member
from benchmarks.measure import machine
from benchmarks.output import write_files
from lazyarr.autotuning import records, tuning
from lazyarr.autotuning.tuning import BEFOREHAND
from lazyarr.compiler import pipeline
from lazyarr.core.frozen import replace

#: Seconds below which a plan is not timed: its kernels are not what it takes.
LEAST = 20e-6
ROUNDS = 25


@dataclass(frozen=True)
class Measured:
    """One member: seconds of its plan, predicted and measured, and what tuning made of it."""

    name: str
    formula: str
    templates: str
    predicted: float
    measured: float
    gain: float
    choices: tuple[str, ...]

    @property
    def family(self) -> str:
        """The family of the member."""
        return self.name.partition(":")[0]

    @property
    def error(self) -> float:
        """Predicted over measured time."""
        return self.predicted / self.measured


def _least_seconds(function: Any, rounds: int) -> float:
    """Return the least time of a call; of this thread alone, so that others' work is not in it."""
    seconds = []
    for _ in range(rounds):
        begun = time.thread_time()
        function()
        seconds.append(time.thread_time() - begun)
    return min(seconds)


def measure(member: Member) -> Measured | None:
    """Return the times of a member; None if it is too small, or has other steps than kernels."""
    arrays = member.arrays(0, np.dtype(member.dtypes[0]))
    lazy = [la.asarray(array) for array in arrays]
    result = member.compute(la, *lazy)
    if not isinstance(result, la.LazyArray):
        return None
    explained = la.explain(result)
    if explained.library_calls or not explained.kernels:
        return None
    predicted = sum(kernel.candidates[0].predicted for kernel in explained.kernels)
    executor, bindings = pipeline.prepare((result._node,), la.get_config())
    _, again = executor.repeat(bindings)
    measured = _least_seconds(again, ROUNDS)
    if measured < LEAST:
        return None
    rules = replace(BEFOREHAND, rounds=ROUNDS)
    with tuning.using(rules), records.collecting() as kept, la.config(tune=True):
        executor, bindings = pipeline.prepare((result._node,), la.get_config())
        executor.repeat(bindings)
    gain = 1.0
    for record in kept:
        gain *= record.gain
    return Measured(
        member.name,
        member.formula,
        ", ".join(dict.fromkeys(kernel.template for kernel in explained.kernels)),
        predicted,
        measured,
        gain,
        tuple(record.choice for record in kept if record.choice),
    )


def _by_family(rows: Sequence[Measured]) -> Iterator[tuple[str, list[Measured]]]:
    yield "all", list(rows)
    for family in dict.fromkeys(row.family for row in rows):
        yield family, [row for row in rows if row.family == family]


def report(rows: Sequence[Measured]) -> list[str]:
    """Return the tables, in Markdown."""
    lines = ["## Predicted over measured time", ""]
    lines += ["| families | plans | least | median | most | within a factor of 2 |"]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    for family, own in _by_family(rows):
        errors = sorted(row.error for row in own)
        near = sum(0.5 <= error <= 2 for error in errors) / len(errors)
        lines.append(
            f"| {family} | {len(own)} | {errors[0]:.2f} | {statistics.median(errors):.2f} "
            f"| {errors[-1]:.2f} | {near:.0%} |"
        )
    lines += ["", "## What tuning gains", ""]
    lines += ["| families | plans | cut otherwise | geometric mean | most |"]
    lines += ["|---|---:|---:|---:|---:|"]
    for family, own in _by_family(rows):
        gains = [row.gain for row in own]
        changed = sum(bool(row.choices) for row in own)
        mean = statistics.geometric_mean(gains)
        lines.append(f"| {family} | {len(own)} | {changed} | {mean:.3f} | {max(gains):.2f} |")
    lines += ["", "The largest gains:", ""]
    for row in sorted(rows, key=lambda row: -row.gain)[:10]:
        if row.choices:
            lines.append(
                f"- {row.gain:.2f}: {row.name}, {row.formula}; {row.templates}: "
                f"{', '.join(row.choices)}"
            )
    return lines


def _seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure members and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedules", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, default=range(120), metavar="A:B")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--largest", type=float, default=1e6, help="elements of an operand")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder for schedules.md")
    options = parser.parse_args(arguments)
    limit_threads(options.threads)
    rows = []
    with la.config(cache_dir="off", threads=options.threads, tune=False):
        for member in members(options.seeds, options.families, int(options.largest)):
            with np.errstate(all="ignore"):
                row = measure(member)
            if row is not None:
                rows.append(row)
                print(f"{row.error:6.2f} {row.gain:6.2f}  {row.name}  {row.formula}", flush=True)
    lines = report(rows)
    print("\n".join(lines))
    if options.out:
        where = machine(options.threads)
        setting = (
            f"`python -m benchmarks.schedules --seeds {options.seeds.start}:{options.seeds.stop} "
            f"--largest {options.largest:.3g}` on {where['processor']} "
            f"({os.cpu_count()} processors), {options.threads} thread, Python {where['python']}."
        )
        title = [
            "# The cost model, and tuning",
            "",
            setting,
            "",
        ]
        write_files(options.out, "schedules", "\n".join(title + lines) + "\n")


if __name__ == "__main__":
    main()
