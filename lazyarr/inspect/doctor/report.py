"""The report on a script: an entry for each line, and totals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from lazyarr.inspect.doctor.advice import advice_of
from lazyarr.inspect.doctor.lines import LineReport
from lazyarr.inspect.drawing.style import SANS
from lazyarr.inspect.labels import bytes_text, seconds_text
from lazyarr.inspect.sections import Section, html_of, lines_of

__all__ = ["Report"]

_STYLE = (
    f"body{{font:14px/1.5 {SANS};margin:24px;max-width:1400px}}"
    "th{border-bottom:1px solid #999}h4{margin:24px 0 4px}p{margin:4px 0}"
)


class Report:
    """The report on a script; prints as text, and as HTML in notebooks.

    Parameters
    ----------
    script : str
        Its path.
    arguments : sequence of str
        Of the script.
    lines : sequence of LineReport
        One for each line that did something.
    seconds : float
        Wall time of the whole script, what the doctor measured of NumPy left out.
    failure : str
        The exception that ended the script, if one did.
    unmeasured : int
        Plans that NumPy did not run for comparison, as their arrays are not in host memory or an
        operation failed.
    children_seconds : float
        Processor time of the processes that the script started and waited for.
    at_once : int
        The most elements of operations that run at once in NumPy, and are not listed.
    names_lazyarr : bool
        Whether the script's text contains lazyarr's name.
    """

    def __init__(
        self,
        script: str,
        arguments: Sequence[str],
        lines: Sequence[LineReport],
        seconds: float,
        failure: str = "",
        unmeasured: int = 0,
        children_seconds: float = 0.0,
        at_once: int = 0,
        names_lazyarr: bool = True,
    ) -> None:
        self.script = script
        self.arguments = tuple(arguments)
        self.lines = tuple(sorted(lines, key=lambda entry: (entry.file, entry.line)))
        self.seconds = seconds
        self.failure = failure
        self.unmeasured = unmeasured
        self.children_seconds = children_seconds
        self.at_once = at_once
        self.names_lazyarr = names_lazyarr
        for entry in self.lines:
            entry.advice = advice_of(entry)

    def _sum(self, name: str) -> Any:
        return sum(getattr(entry, name) for entry in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dictionaries, ready for JSON."""
        totals = ("evaluations", "compiled", "compile_seconds", "eager_seconds", "eager_bytes")
        return {
            "script": self.script,
            "arguments": list(self.arguments),
            "failure": self.failure,
            "seconds": self.seconds,
            "lazyarr_seconds": self._sum("seconds") + self._sum("overhead_seconds"),
            "bytes_moved": self._sum("bytes"),
            **{name: self._sum(name) for name in totals},
            "unmeasured_plans": self.unmeasured,
            "children_seconds": self.children_seconds,
            "elements_computed_at_once": self.at_once,
            "lines": [entry.to_dict() for entry in self.lines],
        }

    def __str__(self) -> str:
        return "\n".join(lines_of(self.sections()))

    def _repr_html_(self) -> str:
        return html_of(self.sections())

    def html(self) -> str:
        """Return the report as a page that loads nothing from anywhere."""
        title = escape(f"lazyarr doctor: {Path(self.script).name}")
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{_STYLE}</style></head><body><h1>{title}</h1>\n"
            f"{html_of(self.sections())}</body></html>\n"
        )

    def sections(self) -> list[Section]:
        """Return the parts of the report."""
        sections = [Section("", (), [(text,) for text in self._summary()])]
        sections += filter(
            lambda section: section.rows,
            (
                self._costs(),
                self._fusions(),
                self._libraries(),
                self._evaluations(),
                self._traces(),
                self._advice(),
            ),
        )
        return sections

    def _summary(self) -> list[str]:
        ours = self._sum("seconds") + self._sum("overhead_seconds")
        moved, eager = self._sum("bytes"), self._sum("eager_bytes")
        count, compiled = self._sum("evaluations"), self._sum("compiled")
        numpy = self._eager_text(self._sum("eager_seconds"))
        if self.unmeasured and self._sum("eager_seconds"):
            numpy += " without the plans that were not timed"
        compiling = seconds_text(self._sum("compile_seconds"))
        texts = [
            f"{Path(self.script).name} took {seconds_text(self.seconds)}.",
            f"{count} evaluations in {seconds_text(ours)}; in eager NumPy: {numpy}.",
            f"{bytes_text(moved)} moved; eager NumPy: {bytes_text(eager)}.",
            f"{compiled} kernels compiled; tracing and compiling took {compiling}.",
        ]
        if not self.lines:
            texts.append("Nothing was evaluated.")
        if not self.lines and not self.names_lazyarr:
            texts.append(
                f"{Path(self.script).name} does not import lazyarr: with `import lazyarr as np` in "
                "place of `import numpy as np`, its arrays are LazyArrays, and this report has its "
                "lines."
            )
        elif self.at_once:
            texts.append(
                "Not listed: operations that run immediately in NumPy. These are operations on up "
                f"to {self.at_once} elements in memory (more for cheap operations) and functions "
                "without a lazy form; with LAZYARR_IMMEDIATE=0 the operations become expressions."
            )
        if self.children_seconds:
            texts.append(
                f"Not listed: what other processes evaluated, which took "
                f"{seconds_text(self.children_seconds)} of processor time; run the doctor on a "
                "script that does this work in one process."
            )
        if self.unmeasured:
            texts.append(
                f"Not timed in NumPy: {self.unmeasured} plans, whose arrays are on a GPU or are "
                "read piece by piece, or whose operations fail in NumPy."
            )
        if self.failure:
            texts.append(f"The script ended with {self.failure}")
        return texts

    def _eager_text(self, seconds: float) -> str:
        """Return a time of NumPy as text; none may be that of plans that were not timed."""
        return seconds_text(seconds) if seconds or not self.unmeasured else "not timed"

    def _costs(self) -> Section:
        rows = [
            (
                entry.place,
                seconds_text(entry.seconds),
                self._eager_text(entry.eager_seconds),
                bytes_text(entry.bytes),
                bytes_text(entry.eager_bytes),
                entry.text[:60],
            )
            for entry in self.lines
            if entry.seconds or entry.eager_seconds
        ]
        header = ("line", "time", "NumPy", "moved", "NumPy", "")
        return Section("time and bytes, by the line that wrote the result", header, rows, "lrrrrl")

    def _fusions(self) -> Section:
        rows = [
            (
                entry.place,
                name,
                str(runs),
                ", ".join(
                    f"{op} ({line})" if line != entry.line else op for op, line in operations
                ),
            )
            for entry in self.lines
            for (name, operations), runs in entry.fused.items()
        ]
        header = ("line", "kernel", "runs", "operations fused (and their lines)")
        return Section("kernels", header, rows, "llrl")

    def _libraries(self) -> Section:
        rows = [
            (
                entry.place,
                operation,
                str(call.count),
                seconds_text(call.seconds),
                bytes_text(call.bytes),
                reason,
            )
            for entry in self.lines
            for (operation, reason), call in entry.library.items()
        ]
        header = ("line", "operation", "runs", "time", "moved", "why no kernel does it")
        return Section("library calls", header, rows, "llrrrl")

    def _evaluations(self) -> Section:
        rows = []
        for entry in self.lines:
            asked = entry.evaluations - sum(entry.forced.values())
            if asked:
                rows.append((entry.place, str(asked), "the script", "it asked for the values"))
            rows += [
                (entry.place, str(count), by, why) for (by, why), count in entry.forced.items()
            ]
        header = ("line", "times", "asked by", "why")
        return Section("evaluations", header, rows, "lrll")

    def _traces(self) -> Section:
        rows = [
            (entry.place, f"traced again {count} ×", f"{name}: {guard}")
            for entry in self.lines
            for (name, guard, _), count in entry.retraced.items()
        ]
        rows += [
            (entry.place, f"{entry.compiled} compiled", seconds_text(entry.compile_seconds))
            for entry in self.lines
            if entry.compiled
        ]
        return Section("traced and compiled", ("line", "what", "why or how long"), rows)

    def _advice(self) -> Section:
        rows = [(entry.place, text) for entry in self.lines for text in entry.advice]
        return Section("what to change", ("line", "advice"), rows)
