"""Counters of single lines of a script."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from linecache import getline
from pathlib import Path
from typing import Any

__all__ = ["LibraryCall", "LineReport"]


@dataclass
class LibraryCall:
    """Runs of one operation by a library in place of a kernel.

    Attributes
    ----------
    count : int
        How often it ran.
    seconds : float
        What that took.
    bytes : int
        What it read and wrote.
    """

    count: int = 0
    seconds: float = 0.0
    bytes: int = 0


@dataclass
class LineReport:
    """The counters of one line of the script.

    Attributes
    ----------
    file, line : str and int
        Where it is.
    seconds, eager_seconds : float
        Time of the steps that compute what the line wrote, and NumPy's for the same operations.
    bytes, eager_bytes : int
        What they read and wrote, and what NumPy's operations do.
    evaluations : int
        Evaluations that the line asked for.
    evaluated_bytes : int
        What these moved, whatever line wrote it.
    overhead_seconds : float
        Time of these outside of steps, tracing and compiling.
    fused : Counter of (str, tuple)
        Kernels that end in a value of the line: name, and operations with their lines; and runs.
    library : dict of (str, str) to LibraryCall
        By operation and reason, steps that no kernel does.
    forced : Counter of (str, str)
        What asked for a value too early, and why it could not wait.
    retraced : Counter of (str, str, str)
        Functions that were traced again, the guard that failed and a hint.
    compiled : int
        Kernels compiled when the line asked.
    compile_seconds : float
        Time of that, and of tracing.
    advice : list of str
        What to change.
    """

    file: str
    line: int
    seconds: float = 0.0
    eager_seconds: float = 0.0
    bytes: int = 0
    eager_bytes: int = 0
    evaluations: int = 0
    evaluated_bytes: int = 0
    overhead_seconds: float = 0.0
    fused: Counter[tuple[str, tuple[tuple[str, int], ...]]] = field(default_factory=Counter)
    library: dict[tuple[str, str], LibraryCall] = field(default_factory=dict)
    forced: Counter[tuple[str, str]] = field(default_factory=Counter)
    retraced: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    compiled: int = 0
    compile_seconds: float = 0.0
    advice: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The line itself."""
        return getline(self.file, self.line).strip()

    @property
    def place(self) -> str:
        """The name of the file and the number of the line."""
        return f"{Path(self.file).name}:{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dictionaries."""
        return {
            "file": self.file,
            "line": self.line,
            "text": self.text,
            "seconds": self.seconds,
            "eager_seconds": self.eager_seconds,
            "bytes_moved": self.bytes,
            "eager_bytes": self.eager_bytes,
            "evaluations": self.evaluations,
            "evaluated_bytes": self.evaluated_bytes,
            "overhead_seconds": self.overhead_seconds,
            "fused": [
                {"kernel": name, "operations": [list(op) for op in operations], "runs": runs}
                for (name, operations), runs in self.fused.items()
            ],
            "library": [
                {
                    "operation": operation,
                    "reason": reason,
                    "runs": call.count,
                    "seconds": call.seconds,
                    "bytes_moved": call.bytes,
                }
                for (operation, reason), call in self.library.items()
            ],
            "forced": [
                {"by": by, "why": why, "count": count} for (by, why), count in self.forced.items()
            ],
            "retraced": [
                {"function": name, "guard": guard, "hint": hint, "count": count}
                for (name, guard, hint), count in self.retraced.items()
            ],
            "compiled": self.compiled,
            "compile_seconds": self.compile_seconds,
            "advice": self.advice,
        }
