"""Measurements of members, and the report on them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.families.member import Member

__all__ = ["OTHERS", "OWN", "Result", "plan_text", "report"]

#: The ways in which lazyarr is called.
OWN = ("lazyarr_jit", "lazyarr")
OTHERS = ("numpy", "numexpr", "jax", "torch")
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
    plan: str = ""  # templates of lazyarr's kernels and their tilings, where known

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


def plan_of(member: Member) -> str:
    """Return the kernels of a member on the processor, in a few words."""
    import lazyarr as la

    arrays = member.arrays(0, np.dtype(member.dtypes[0]))
    result = member.compute(la, *map(la.asarray, arrays))
    return plan_text(la.explain(*result) if isinstance(result, tuple) else la.explain(result))


def plan_text(explained: Any) -> str:
    """Return the templates of kernels, with their tilings, and the number of library calls."""
    kernels = [
        f"{kernel.template} ({kernel.tiling})" if kernel.tiling else kernel.template
        for kernel in explained.kernels
    ]
    calls = len(explained.library_calls)
    return f"{len(kernels)} kernels ({', '.join(kernels)}), {calls} library calls"


def diagnosis(member: Member, result: Result, own: str) -> str:
    """Return a line on why a member takes its time: bytes, flops, share of copy, kernels."""
    seconds = result.seconds[own]
    share = result.moved / seconds / result.copy_rate
    return (
        f"{result.moved / 1e6:.3g} MB, {result.flops / 1e6:.3g} Mflop, {seconds * 1e6:.4g} µs, "
        f"{share:.0%} of copy, {result.flops / seconds / 1e9:.3g} Gflop/s; "
        f"{result.plan or plan_of(member)}"
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
