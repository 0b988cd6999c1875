"""Reports of measurements: JSON, a table, a plot."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES
from benchmarks.stations import Measurement

Rows = list[list[str]]

_EXPLANATION = (
    "All peers ran in turn, round after round, each in a process of its own and after a pause in "
    "which its predecessor's threads went to sleep; Numba and PyTorch in three, with different "
    "settings of OpenMP, of which the fastest counts. GB/s counts each input read once and the "
    "result written once; *of copy* is its share of the rate at which as many threads "
    "copied an array in the same rounds. Peak memory is that of one more run, beyond the inputs, "
    "the result included. No code was compiled before: every cache folder was empty."
)


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds * 1e3:.1f}" if seconds >= 1e-3 else f"{seconds * 1e3:.3f}"


def _megabytes(count: int | None) -> str:
    return "–" if count is None else f"{count / 1e6:.1f}"


class Report:
    """The measurements of one run.

    Parameters
    ----------
    measurements : sequence of Measurement
        What was measured.
    machine, versions : mapping
        Where, and of what.
    cold : mapping
        Of each peer, the seconds of import, first and second call in a fresh process.
    """

    def __init__(
        self,
        measurements: Sequence[Measurement],
        machine: Mapping[str, Any],
        versions: Mapping[str, str],
        cold: Mapping[str, Mapping[str, float]],
    ) -> None:
        self.measurements = measurements
        self.machine = machine
        self.versions = versions
        self.cold = cold
        self.peers = list(dict.fromkeys(m.peer for m in measurements))
        self._measured = {(m.case, m.dtype, m.peer): m for m in measurements}

    def _groups(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((m.case, m.dtype) for m in self.measurements))

    def times(self) -> tuple[list[str], Rows]:
        """Return a table of median times, with each peer's ratio to lazyarr."""
        header = ["case", "dtype", *(f"{peer}, ms" for peer in self.peers)]
        rows = []
        for case, dtype in self._groups():
            row = [case, dtype]
            own = self._measured.get((case, dtype, "lazyarr"))
            for peer in self.peers:
                result = self._measured[case, dtype, peer]
                text = _milliseconds(result.median)
                if result.note.startswith("WRONG"):
                    text = "wrong"
                elif own and own.median and result.median and peer != "lazyarr":
                    text += f" ({result.median / own.median:.2f}×)"
                row.append(text)
            rows.append(row)
        return header, rows

    def details(self) -> tuple[list[str], Rows]:
        """Return a table of what else was measured of each peer."""
        header = (
            "case dtype peer min,ms first,ms trace,ms compile,ms GB/s of_copy peak,MB planned,MB"
        ).split()
        rows = []
        for m in self.measurements:
            if m.median is None:
                continue
            share = m.rate / m.copy_rate if m.rate and m.copy_rate else None
            rows.append(
                [
                    m.case,
                    m.dtype,
                    m.peer,
                    _milliseconds(m.minimum),
                    _milliseconds(m.first),
                    _milliseconds(m.trace),
                    _milliseconds(m.compile),
                    f"{m.rate / 1e9:.2f}" if m.rate else "–",
                    f"{share:.0%}" if share else "–",
                    _megabytes(m.peak),
                    _megabytes(m.planned_peak),
                ]
            )
        return [name.replace(",", ", ").replace("_", " ") for name in header], rows

    def means(self) -> tuple[list[str], Rows]:
        """Return a table of geometric means of how many times as fast lazyarr is."""
        header = ["", "rows", "NumPy", "best peer", "best peer but Numba", "rows behind a peer"]
        own = [peer for peer in self.peers if peer.startswith("lazyarr")]
        chosen = [(peer, [peer]) for peer in own]
        if len(own) > 1:
            chosen.append(("the faster of them", own))
        rows = []
        for label, mine in chosen:
            ratios: dict[str, list[float]] = {"numpy": [], "best": [], "generated": []}
            behind = []
            for case, dtype in self._groups():
                least = self._least(case, dtype, mine)
                if least is None or "small" in CASES[case].tags:
                    continue
                others = {
                    "numpy": ["numpy"],
                    "best": [peer for peer in self.peers if peer not in own],
                    "generated": [p for p in self.peers if p not in own and p != "numba"],
                }
                for key, peers in others.items():
                    theirs = self._least(case, dtype, peers)
                    if theirs is not None:
                        ratios[key].append(theirs / least)
                if ratios["best"] and ratios["best"][-1] < 1:
                    behind.append(f"{case} {dtype} {ratios['best'][-1]:.2f}×")
            if ratios["best"]:
                means = [
                    f"{statistics.geometric_mean(result):.2f}×" if result else "–"
                    for result in ratios.values()
                ]
                rows.append([label, str(len(ratios["best"])), *means, ", ".join(behind) or "none"])
        return header, rows

    def _least(self, case: str, dtype: str, peers: Sequence[str]) -> float | None:
        """Return the least median of some peers whose results are right."""
        result = (self._measured.get((case, dtype, peer)) for peer in peers)
        right = [m.median for m in result if m and m.median and not m.note.startswith("WRONG")]
        return min(right, default=None)

    def cold_calls(self) -> tuple[list[str], Rows]:
        """Return a table of the first calls in fresh processes."""
        columns = {
            "import": "import, ms",
            "first": "first call, ms",
            "second": "second call, ms",
            "start": "process start to result, ms",
            "processor": "of it processor time, ms",
            "new": "new expression, warm process, ms",
        }
        rows = [
            [peer, *(_milliseconds(times[key]) if key in times else "–" for key in columns)]
            for peer, times in self.cold.items()
        ]
        return ["peer", *columns.values()], rows

    def notes(self) -> list[str]:
        """Return a line for each thing that was not measured or not right."""
        return [f"{m.case} {m.dtype} {m.peer}: {m.note}" for m in self.measurements if m.note]

    def print(self) -> None:
        """Print the tables to the terminal."""
        from rich.console import Console
        from rich.table import Table

        console = Console()
        if not console.is_terminal:
            console = Console(width=160)
        for title, (header, rows) in self._tables():
            table = Table(title=title, title_justify="left", title_style="bold")
            for index, name in enumerate(header):
                table.add_column(name, justify="left" if index < 1 else "right", no_wrap=True)
            for row in rows:
                table.add_row(*row)
            console.print(table)
        for note in self.notes():
            console.print(note, markup=False)

    def _tables(self) -> list[tuple[str, tuple[list[str], Rows]]]:
        tables = []
        if self.measurements:
            tables.append(("Median time (time ratio to lazyarr)", self.times()))
            means = self.means()
            if means[1]:
                tables.append(("Geometric means of the ratios, small arrays apart", means))
            tables.append(("Details", self.details()))
        if self.cold:
            tables.append(("First call of an expression that nobody has seen", self.cold_calls()))
        return tables

    def write(self, folder: Path) -> list[Path]:
        """Write results.json, results.md and, with matplotlib, results.png; return the paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / "results.json", folder / "results.md"]
        paths[0].write_text(json.dumps(self._data(), indent=1) + "\n")
        paths[1].write_text(self._markdown())
        if self.measurements and self._plot(folder / "results.png"):
            paths.append(folder / "results.png")
        return paths

    def _data(self) -> dict[str, Any]:
        return {
            "machine": dict(self.machine),
            "versions": dict(self.versions),
            "measurements": [asdict(m) for m in self.measurements],
            "cold": {peer: dict(times) for peer, times in self.cold.items()},
        }

    def _markdown(self) -> str:
        machine = self.machine
        where = (
            f"{machine['processor']}, {machine['threads']} of {machine['processors']} processors, "
            f"{machine['memory_bytes'] / 2**30:.0f} GiB; {machine['system']}; "
            f"Python {machine['python']}. Measured in {machine['seconds'] / 60:.0f} minutes."
        )
        versions = "; ".join(f"{peer} {version}" for peer, version in self.versions.items())
        lines = ["# Benchmark results", "", where, "", versions + ".", "", _EXPLANATION]
        for title, (header, rows) in self._tables():
            lines += ["", f"## {title}", ""]
            lines += [_row(header), _row(["---", *["---:"] * (len(header) - 1)])]
            lines += [_row(row) for row in rows]
        lines += ["", "## Cases", ""]
        lines += [f"- {name}: {CASES[name].formula}" for name, _ in self._groups()]
        if self.notes():
            lines += ["", "## Notes", "", *(f"- {note}" for note in self.notes())]
        return "\n".join(lines) + "\n"

    def _plot(self, path: Path) -> bool:
        try:
            import matplotlib as mpl
        except ImportError:
            return False
        mpl.use("Agg")
        import matplotlib.pyplot as plt

        # Cases with dtypes of their own are lines of the first panel.
        own = dict.fromkeys((m.case, m.dtype) for m in self.measurements if CASES[m.case].dtypes)
        shared = [m for m in self.measurements if (m.case, m.dtype) not in own]
        dtypes = list(dict.fromkeys(m.dtype for m in shared)) or [""]
        cases = list(dict.fromkeys(m.case for m in shared))
        lines = [[(case, dtype) for case in cases] for dtype in dtypes]
        lines[0] += own
        figure, axes = plt.subplots(
            1,
            len(dtypes),
            figsize=(6.5 * len(dtypes), 1.5 + 0.55 * len(lines[0])),
            squeeze=False,
            sharey=True,
            layout="constrained",
        )
        others = [peer for peer in self.peers if peer != "numpy"]
        height = 0.8 / max(1, len(others))
        for axis, dtype, those in zip(axes[0], dtypes, lines, strict=True):
            for number, peer in enumerate(others):
                positions, values = self._speeds(those, peer)
                axis.barh(
                    [p + (number - (len(others) - 1) / 2) * height for p in positions],
                    [value - 1 for value in values],
                    height,
                    left=1,
                    label=peer,
                )
            axis.axvline(1, color="black", linewidth=1)
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_title(dtype)
            axis.set_xlabel("times as fast as NumPy")
            axis.grid(axis="x", alpha=0.3, which="both")
        names = [*cases, *(f"{case} {dtype}" for case, dtype in own)]
        axes[0][0].set_yticks(range(len(names)), names)
        axes[0][0].invert_yaxis()
        axes[0][-1].legend()
        figure.savefig(path, dpi=130)
        plt.close(figure)
        return True

    def _speeds(self, lines: Sequence[tuple[str, str]], peer: str) -> tuple[list[int], list[float]]:
        positions, values = [], []
        for position, (case, dtype) in enumerate(lines):
            base = self._measured.get((case, dtype, "numpy"))
            result = self._measured.get((case, dtype, peer))
            if base and result and base.median and result.median:
                positions.append(position)
                values.append(base.median / result.median)
        return positions, values


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
