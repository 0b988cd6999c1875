"""``profile``: where the time of evaluations went."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from lazyarr.compiler.counters import WorkInfo, work_info
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import ArgumentError
from lazyarr.inspect.labels import bytes_text, origin_text, seconds_text
from lazyarr.inspect.sections import Section, html_of, lines_of
from lazyarr.runtime.run_log import RunRecord, StepRecord, listen

__all__ = ["Profile", "profile"]

_STEPS = 40  # of a printed evaluation; the records have all
_RUNS = 20


class Profile:
    """The evaluations inside a ``with`` block, in the order in which they ended.

    Attributes
    ----------
    runs : list of RunRecord
        One an evaluation, filled while the block runs.
    """

    def __init__(self) -> None:
        self._begun = self._ended = WorkInfo(0, 0)
        self.runs: list[RunRecord] = []
        self._listening: AbstractContextManager[None] | None = None

    def __enter__(self) -> Profile:
        self._begun = work_info()
        self._listening = listen(self.runs.append)
        self._listening.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listening is not None:
            self._listening.__exit__(kind, error, trace)
            self._listening = None
            self._ended = work_info()

    @property
    def seconds(self) -> float:
        """Time in steps, tracing and compiling, or of the whole calls where that is known."""
        return sum(map(_total_seconds, self.runs))

    @property
    def compiled(self) -> int:
        """Kernels compiled."""
        return sum(run.compiled for run in self.runs)

    @property
    def compile_seconds(self) -> float:
        """Time spent in compiling and loading kernels."""
        return sum(run.compile_seconds for run in self.runs)

    @property
    def measured_peak(self) -> int:
        """The largest measured peak of any evaluation, in bytes."""
        return max((run.measured_peak for run in self.runs), default=0)

    @property
    def work(self) -> WorkInfo:
        """Elements computed, and those that NumPy would have; of all threads of the process."""
        ended = self._ended if self._listening is None else work_info()
        begun = self._begun
        return WorkInfo(ended.computed - begun.computed, ended.eager - begun.eager)

    def __str__(self) -> str:
        return "\n".join(lines_of(self._sections()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_of(self._sections())

    def _sections(self) -> list[Section]:
        """Return the parts of the report."""
        count = len(self.runs)
        head = f"{count} evaluation{'' if count == 1 else 's'} in {seconds_text(self.seconds)}"
        head += f", {self.compiled} kernel{'' if self.compiled == 1 else 's'} compiled in "
        sentences = [(head + seconds_text(self.compile_seconds),)]
        if self.runs:
            work = self.work
            sentences.append((f"{work.computed:,} elements computed; eager NumPy: {work.eager:,}",))
        sections = [Section("", (), sentences)]
        if count > 1:
            sections += _totals(self.runs)
        for number, run in enumerate(self.runs[:_RUNS]):
            sections.append(_run_section(number, run))
        if count > _RUNS:
            sections.append(Section("", (), [(f"… {count - _RUNS:,} more evaluations …",)]))
        return sections

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dictionaries, ready for JSON."""
        return {
            "seconds": self.seconds,
            "compiled": self.compiled,
            "compile_seconds": self.compile_seconds,
            "elements_computed": self.work.computed,
            "elements_eager": self.work.eager,
            "lines": [
                {"origin": None if line is None else list(line), "evaluations": n, "seconds": time}
                for line, (n, time) in _by_line(self.runs)
            ],
            "kernels": [
                {
                    "name": name,
                    "origin": None if line is None else list(line),
                    "runs": total.runs,
                    "seconds": total.seconds,
                    "bytes": total.moved,
                }
                for (name, line), total in _by_kernel(self.runs)
            ],
            "runs": [
                {
                    "seconds": _total_seconds(run),
                    "trace_seconds": run.trace_seconds,
                    "compiled": run.compiled,
                    "compile_seconds": run.compile_seconds,
                    "planned_peak": run.planned_peak,
                    "measured_peak": run.measured_peak,
                    "origin": None if run.origin is None else list(run.origin),
                    "steps": [
                        {
                            "name": step.name,
                            "kind": step.kind,
                            "seconds": step.seconds,
                            "bytes_read": step.bytes_read,
                            "bytes_written": step.bytes_written,
                        }
                        for step in run.steps
                    ],
                }
                for run in self.runs
            ],
        }


def profile(*misplaced: object) -> Profile:
    """Record the evaluations inside a ``with`` block, of this thread or task.

    Returns
    -------
    Profile
        Prints the totals of several evaluations, by the user's line and by kernel, and one table
        an evaluation: time, bytes and GB/s of each step, kernels compiled, and planned and
        measured peak memory.

    Examples
    --------
    >>> with profile() as timings:
    ...     pass
    >>> print(timings)
    0 evaluations in 0 µs, 0 kernels compiled in 0 µs
    """
    if misplaced:
        raise ArgumentError(
            f"profile() takes no {type(misplaced[0]).__name__}: it records a with block",
            origin=origin(),
            hint="with lazyarr.profile() as p: lazyarr.evaluate(x); for one array lazyarr.explain",
        )
    return Profile()


def _total_seconds(run: RunRecord) -> float:
    steps = sum(step.seconds for step in run.steps)
    return run.seconds or steps + run.trace_seconds + run.compile_seconds


class _Total:
    """The total time of a kernel over its runs."""

    __slots__ = ("moved", "runs", "seconds")

    def __init__(self) -> None:
        self.runs = self.moved = 0
        self.seconds = 0.0

    def add(self, step: StepRecord) -> None:
        """Take in one run of it."""
        self.runs += 1
        self.seconds += step.seconds
        self.moved += step.bytes_read + step.bytes_written


def _by_line(runs: Sequence[RunRecord]) -> list[tuple[Origin | None, tuple[int, float]]]:
    """Return the user's lines that asked for values, with evaluations and time, longest first."""
    lines: dict[Origin | None, tuple[int, float]] = {}
    for run in runs:
        count, seconds = lines.get(run.origin, (0, 0.0))
        lines[run.origin] = count + 1, seconds + _total_seconds(run)
    return sorted(lines.items(), key=lambda item: -item[1][1])


def _by_kernel(
    runs: Sequence[RunRecord],
) -> list[tuple[tuple[str, Origin | None], _Total]]:
    """Return the steps, by name and by the line that asked for them, longest first."""
    kernels: dict[tuple[str, Origin | None], _Total] = {}
    for run in runs:
        for step in run.steps:
            kernels.setdefault((step.name, run.origin), _Total()).add(step)
    return sorted(kernels.items(), key=lambda item: -item[1].seconds)


def _totals(runs: Sequence[RunRecord]) -> list[Section]:
    """Return the time of several evaluations, totalled by the user's line and by kernel."""
    total = sum(map(_total_seconds, runs))
    lines = [
        (origin_text(line) or "unknown", f"{count:,}", *_share(seconds, total))
        for line, (count, seconds) in _by_line(runs)[:_RUNS]
    ]
    kernels = [
        (name, origin_text(line), f"{own.runs:,}", *_share(own.seconds, total), _rate(own))
        for (name, line), own in _by_kernel(runs)[:_RUNS]
    ]
    line_head = ("line", "evaluations", "time", "share")
    kernel_head = ("step", "asked for at", "runs", "time", "share", "GB/s")
    return [
        Section("by line", line_head, lines, "lrrr"),
        Section("by kernel", kernel_head, kernels, "llrrrr"),
    ]


def _rate(total: _Total) -> str:
    """Return the rate at which a kernel moved bytes."""
    if not (total.seconds and total.moved):
        return ""
    return f"{total.moved / total.seconds / 1e9:.1f}"


def _run_section(number: int, run: RunRecord) -> Section:
    where = origin_text(run.origin)
    total = _total_seconds(run)
    steps = sum(step.seconds for step in run.steps)
    rows = [_step_row(step, total) for step in run.steps[:_STEPS]]
    if len(run.steps) > _STEPS:
        rest = sum(step.seconds for step in run.steps[_STEPS:])
        rows.append((f"… {len(run.steps) - _STEPS:,} more", "", *_share(rest, total), "", "", ""))
    rows.append(("tracing", "", *_share(run.trace_seconds, total), "", "", ""))
    kernels = f"{run.compiled} compiled" if run.compiled else "none compiled"
    rows.append(("compiling", kernels, *_share(run.compile_seconds, total), "", "", ""))
    other = total - steps - run.trace_seconds - run.compile_seconds
    if run.seconds and other > 0:
        rows.append(("other", "", *_share(other, total), "", "", ""))
    return Section(
        f"evaluation {number}{f' at {where}' if where else ''}: {seconds_text(total)}; "
        f"peak memory: {bytes_text(run.planned_peak)} planned, "
        f"{bytes_text(run.measured_peak)} measured",
        ("step", "kind", "time", "share", "reads", "writes", "GB/s"),
        rows,
        "llrrrrr",
    )


def _share(seconds: float, total: float) -> tuple[str, str]:
    return seconds_text(seconds), f"{seconds / total:.0%}" if total else ""


def _step_row(step: StepRecord, total: float) -> tuple[str, ...]:
    moved = step.bytes_read + step.bytes_written
    rate = f"{moved / step.seconds / 1e9:.1f}" if step.seconds and moved else ""
    return (
        step.name,
        step.kind,
        *_share(step.seconds, total),
        bytes_text(step.bytes_read),
        bytes_text(step.bytes_written),
        rate,
    )
