"""Time random members of families of array programs against other libraries.

    python -m benchmarks.families --seeds 0:300 [--peers numpy jax torch] [--largest 4e6]

Each seed is one member: a computation, shapes, axes, layouts and a dtype that nobody chose. Every
library computes it in a process of its own, in turn, round after round, and every result is
compared with NumPy's. The ratio is the time of the best other library over lazyarr's: of a jitted
function, since the others that compile are called so too, and of an expression that is built and
evaluated each time. The processors alone are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.__main__ import limit_threads, use_caches
from benchmarks.families.catalogue import FAMILIES, members
from benchmarks.families.member import Member

#: The ways in which lazyarr is called.
OWN = ("lazyarr_jit", "lazyarr")
OTHERS = ("numpy", "jax", "torch")
WORST = 10


@dataclass(frozen=True)
class Result:
    """One member: seconds by library, and what went wrong."""

    name: str
    formula: str
    seconds: dict[str, float]
    notes: dict[str, str]
    copy_rate: float  # bytes a second, read and written, in the same rounds
    moved: int  # bytes of inputs and result
    flops: float

    def ratio(self, own: str) -> float | None:
        """Return the time of the best other library over one of lazyarr's."""
        others = [s for peer, s in self.seconds.items() if peer not in OWN]
        mine = self.seconds.get(own)
        return min(others) / mine if others and mine else None

    def best(self) -> str:
        """Return the name of the best other library."""
        return min((s, peer) for peer, s in self.seconds.items() if peer not in OWN)[1]


def distribution(ratios: Iterable[float]) -> dict[str, float]:
    """Return the least ratio, the 5th percentile, the median and the geometric mean."""
    ordered = sorted(ratios)
    return {
        "least": ordered[0],
        "5th percentile": ordered[int(0.05 * len(ordered))],
        "median": statistics.median(ordered),
        "geometric mean": statistics.geometric_mean(ordered),
        "below 0.85": sum(ratio < 0.85 for ratio in ordered),
        "below 0.95": sum(ratio < 0.95 for ratio in ordered),
    }


def diagnosis(member: Member, result: Result, own: str) -> str:
    """Return a line on why a member takes its time: bytes, flops, share of copy, kernels."""
    import numpy as np

    import lazyarr as la

    arrays = member.arrays(0, np.dtype(member.dtypes[0]))
    explained = la.explain(member.compute(la, *map(la.asarray, arrays)))
    loops = ", ".join(dict.fromkeys(kernel.template for kernel in explained.kernels))
    calls = len(explained.library_calls)
    seconds = result.seconds[own]
    share = result.moved / seconds / result.copy_rate
    return (
        f"{result.moved / 1e6:.3g} MB, {result.flops / 1e6:.3g} Mflop, {seconds * 1e6:.4g} µs, "
        f"{share:.0%} of copy, {result.flops / seconds / 1e9:.3g} Gflop/s; "
        f"{len(explained.kernels)} kernels ({loops}), {calls} library calls"
    )


def report(results: Sequence[Result], chosen: Sequence[Member]) -> list[str]:
    """Return the lines of the report, in Markdown."""
    by_name = {member.name: member for member in chosen}
    lines = []
    for own in OWN:
        ratios = {r.name: ratio for r in results if (ratio := r.ratio(own)) is not None}
        if not ratios:
            continue
        lines += [f"## {own}: time of the best other library / its time", ""]
        lines += ["| families | members | least | 5th percentile | median | geometric mean |"]
        lines += ["|---|---:|---:|---:|---:|---:|"]
        groups = {"all": list(ratios.values())}
        for name, ratio in ratios.items():
            groups.setdefault(name.partition(":")[0], []).append(ratio)
        for group, values in groups.items():
            d = distribution(values)
            lines.append(
                f"| {group} | {len(values)} | {d['least']:.2f} | {d['5th percentile']:.2f} "
                f"| {d['median']:.2f} | {d['geometric mean']:.2f} |"
            )
        d = distribution(ratios.values())
        lines += ["", f"Below 0.95: {d['below 0.95']:.0f}; below 0.85: {d['below 0.85']:.0f}.", ""]
        lines += ["The worst:", ""]
        listed = {r.name: r for r in results}
        for name in sorted(ratios, key=lambda name: ratios[name])[:WORST]:
            result = listed[name]
            lines.append(
                f"- {ratios[name]:.2f} against {result.best()}: {name}, {result.formula}. "
                f"{diagnosis(by_name[name], result, own)}"
            )
        lines.append("")
    notes = [f"- {r.name} {peer}: {note}" for r in results for peer, note in r.notes.items()]
    return lines + (["## Notes", "", *notes] if notes else [])


def measure(
    chosen: Sequence[Member], peers: Sequence[str], threads: int, rounds: int
) -> list[Result]:
    """Return the results of members.

    Parameters
    ----------
    chosen : sequence of Member
        What is measured.
    peers : sequence of str
        Libraries, lazyarr's ways among them.
    threads, rounds : int
        Of each library, and of each member.
    """
    from benchmarks.measure import measure_case, open_stations

    results = []
    with open_stations(peers, threads) as (stations, versions):
        print("; ".join(f"{peer} {version}" for peer, version in versions.items()), flush=True)
        for member in chosen:
            (dtype,) = member.dtypes
            rows = list(measure_case(member, dtype, 0, stations, rounds, threads, memory=False))
            right = [row for row in rows if row.median and not row.note]
            results.append(
                Result(
                    member.name,
                    member.formula,
                    {row.peer: row.median for row in right if row.median},
                    {row.peer: row.note for row in rows if row.note},
                    max((row.copy_rate or 0.0 for row in rows), default=0.0),
                    next((row.moved for row in rows if row.moved), 0),
                    member.flops,
                )
            )
            ratio = results[-1].ratio("lazyarr_jit")
            shown = "–" if ratio is None else f"{ratio:.2f}"
            print(f"{shown:>7}  {member.name}  {member.formula}", flush=True)
    return results


def _seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure members and print the report; 1 if lazyarr was wrong or failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.families", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, default=range(100), metavar="A:B")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--peers", nargs="+", choices=OTHERS, default=list(OTHERS))
    parser.add_argument("--largest", type=float, default=4e6, help="elements of an operand")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, help="folder for families.md and families.json")
    options = parser.parse_args(arguments)
    limit_threads(options.threads)
    chosen = members(options.seeds, options.families, int(options.largest))
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        use_caches(folder)
        results = measure(chosen, [*OWN, *options.peers], options.threads, options.rounds)
        lines = report(results, chosen)
    from benchmarks.measure import machine

    where = machine(options.threads)
    setting = (
        f"{where['processor']}, {where['threads']} threads, Python {where['python']}; seeds "
        f"{options.seeds.start}:{options.seeds.stop}, operands of at most {options.largest:.3g} "
        f"elements, {(time.perf_counter() - begun) / 60:.0f} minutes."
    )
    title = ["# Random members of families", "", setting, ""]
    print("\n".join(lines))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "families.md").write_text("\n".join(title + lines) + "\n")
        (options.out / "families.json").write_text(
            json.dumps([asdict(r) for r in results], indent=1)
        )
    return int(any(peer in OWN for r in results for peer in r.notes))


if __name__ == "__main__":
    sys.exit(main())
