"""Runs the programs, each in each library in a process of its own, and writes the table."""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.caches import cache_variables
from benchmarks.programs.catalogue import PROGRAMS
from benchmarks.programs.child import CLOCKS, PEERS
from benchmarks.programs.program import SIZES, Program

#: Seconds that the first run of a program may take more than NumPy's.
LONGEST_FIRST = 2.0


@dataclass(frozen=True)
class Measurement:
    """One program in one library at one size. Times are in seconds, memory in bytes.

    `median` is the least one where processor time was measured; `prepared` is the time of the
    import, and `first` that of the first run after it, with no compiled code on disk.
    """

    program: str
    size: str
    peer: str
    note: str = ""
    prepared: float = math.nan
    first: float = math.nan
    median: float = math.nan
    peak: int = 0
    counted: dict[str, int] = field(default_factory=dict)
    counted_later: dict[str, int] = field(default_factory=dict)


def measure(
    program: Program, size: str, peer: str, folder: Path, options: argparse.Namespace
) -> Measurement:
    """Return the measurement of a process; one that takes longer than the limit is ended."""
    limit = options.limit
    values = folder / f"{program.name}-{size}-{peer}.npz"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.programs.child"]
    command += [program.name, size, peer, str(options.seconds), str(values), options.clock]
    try:
        with _fresh_process(folder) as environment:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
                env=environment,
            )
    except subprocess.TimeoutExpired:
        return Measurement(program.name, size, peer, f"over {limit:.0f} s")
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        return Measurement(program.name, size, peer, reason[:120] or f"exit {done.returncode}")
    report: dict[str, Any] = json.loads(done.stdout)
    del report["runs"]
    note = _difference(program, values, folder, size)
    return Measurement(program.name, size, peer, note, **report)


@contextmanager
def _fresh_process(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the variables of a process: no compiled code on disk, and bytecode as installed."""
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as caches:
        variables = {**os.environ, **cache_variables(caches)}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        yield variables


def _difference(program: Program, values: Path, folder: Path, size: str) -> str:
    """Return the difference of a result from NumPy's, as text; empty if there is none."""
    reference = folder / f"{program.name}-{size}-numpy.npz"
    if values == reference or not reference.exists():
        return ""
    with np.load(values) as ours, np.load(reference) as theirs:
        if ours.files != theirs.files:
            return "another number of results"
        for name in theirs.files:
            mine, expected = ours[name], theirs[name]
            if mine.shape != expected.shape:
                return f"shape {mine.shape} instead of {expected.shape}"
            scale = np.max(np.abs(expected), initial=0)
            if mine.dtype.kind == "b":
                mine, expected = mine.astype("i1"), expected.astype("i1")
            error = np.max(np.abs(mine - expected), initial=0)
            if not error <= program.tolerance * max(scale, 1e-300):
                return f"differs by {error:.3g} of {scale:.3g}"
    return ""


def table(measurements: Sequence[Measurement]) -> str:
    """Return a table in Markdown: NumPy's time, and each library's speed as a multiple of it."""
    by_key = {(m.program, m.size, m.peer): m for m in measurements}
    peers = [peer for peer in PEERS if any(m.peer == peer for m in measurements)]
    others = [peer for peer in peers if peer != "numpy"]
    head = "| Program | Size | NumPy | " + " | ".join(f"{p} | first, s" for p in others)
    rule = "|---|---|---:" + "|---:" * (2 * len(others) + 2) + "|"
    lines = [head + " | kernels | kernels later |", rule]
    for program, size in dict.fromkeys((m.program, m.size) for m in measurements):
        base = by_key.get((program, size, "numpy"))
        if base is None or base.note:
            continue
        cells = [program, size, f"{base.median * 1e3:.2f} ms"]
        for peer in others:
            row = by_key.get((program, size, peer))
            if row is None or math.isnan(row.median):
                cells += [row.note if row is not None else "–", ""]
                continue
            ratio = base.median / row.median
            cells += [f"{ratio:.2f}x{' ' + row.note if row.note else ''}", f"{row.first:.2f}"]
        own = by_key.get((program, size, "lazyarr"))
        counted = own.counted if own is not None else {}
        later = own.counted_later if own is not None else {}
        cells += [str(counted.get("kernels", "–")), str(later.get("kernels", "–"))]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_means(by_key, others), *_first_runs(by_key, others)]) + "\n"


def _means(by_key: dict[tuple[str, str, str], Measurement], peers: list[str]) -> list[str]:
    lines = []
    for peer in peers:
        for size in SIZES:
            ratios = [
                base.median / row.median
                for (program, of_size, name), row in by_key.items()
                if name == peer and of_size == size and not math.isnan(row.median)
                if (base := by_key.get((program, size, "numpy"))) is not None and not base.note
            ]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                slow = sum(ratio < 1 for ratio in ratios)
                lines.append(
                    f"{peer}, {size}: geometric mean {mean:.2f}x NumPy over {len(ratios)}"
                    f" programs, least {min(ratios):.3f}x, {slow} slower than NumPy"
                )
    return lines


def _first_runs(by_key: dict[tuple[str, str, str], Measurement], peers: list[str]) -> list[str]:
    """Return a line for each library and size: how much longer its first runs take than NumPy's."""
    lines = []
    for peer in peers:
        for size in SIZES:
            more = {
                program: row.prepared + row.first - base.first
                for (program, of_size, name), row in by_key.items()
                if name == peer and of_size == size and not math.isnan(row.first)
                if (base := by_key.get((program, size, "numpy"))) is not None and not base.note
            }
            if more:
                longest = max(more, key=lambda program: more[program])
                over = sum(seconds > LONGEST_FIRST for seconds in more.values())
                lines.append(
                    f"{peer}, {size}: import and first run at most {more[longest]:.2f} s above"
                    f" NumPy's ({longest}), {over} of {len(more)} over {LONGEST_FIRST:.0f} s"
                )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs; the exit status is 1 if a value of lazyarr's was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks --cases programs")
    parser.add_argument("--programs", nargs="+", choices=[*PROGRAMS], default=[*PROGRAMS])
    parser.add_argument("--sizes", nargs="+", choices=[*SIZES], default=[*SIZES])
    parser.add_argument("--peers", nargs="+", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--seconds", type=float, default=1.0, help="of warm runs")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of one process")
    parser.add_argument(
        "--clock",
        choices=[*CLOCKS],
        default="wall",
        help="wall: medians; processor: least times of the processor, for a busy machine",
    )
    parser.add_argument("--output", type=Path, default=Path("benchmark-results"))
    options = parser.parse_args(arguments)
    peers = [
        peer
        for peer in options.peers
        if importlib.util.find_spec(peer.partition("_")[0]) is not None
    ]
    package = importlib.util.find_spec("lazyarr")
    for location in (package.submodule_search_locations or ()) if package is not None else ():
        compileall.compile_dir(location, quiet=2)  # as an installer does
    measurements = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in options.programs:
            for size in options.sizes:
                for peer in peers:
                    row = measure(PROGRAMS[name], size, peer, Path(folder), options)
                    measurements.append(row)
    options.output.mkdir(parents=True, exist_ok=True)
    text = table(measurements)
    (options.output / "programs.md").write_text(text)
    (options.output / "programs.json").write_text(
        json.dumps([asdict(row) for row in measurements], indent=1)
    )
    sys.stdout.write(text)
    wrong = [m for m in measurements if m.peer.startswith("lazyarr") and "differs" in m.note]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
