"""NumPy's test files that are run, and a run of one of them in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tests.conformance.left_out import FILES_LEFT_OUT, REFUSED, difference_of

__all__ = [
    "COLUMNS",
    "FILES",
    "ROOT",
    "files_of_numpy",
    "kind_of",
    "outcomes_of",
    "read_table",
    "reason_to_leave_out",
    "row_of",
    "table_of",
]

#: Numbers of tests in the order of ``COLUMNS``; None where they were not counted.
Row = tuple[int | None, ...]

NUMPY = Path(np.__file__).parent
ROOT = Path(__file__).parents[2]

#: Those of the committed table. Others can be named on the command line.
FILES = tuple(
    f"{package}/tests/test_{name}.py"
    for package, names in {
        "_core": "abc api argparse array_coercion arrayobject casting_floatingpoint_errors "
        "conversion_utils deprecations dlpack einsum errstate function_base getlimits half "
        "indexerrors indexing item_selection mem_overlap multiarray nep50_promotions numeric "
        "numerictypes overrides protocols regression scalar_methods shape_base ufunc umath "
        "umath_complex",
        "fft": "helper pocketfft",
        "lib": "array_utils arraypad arraysetops arrayterator function_base histograms "
        "index_tricks mixins nanfunctions packbits polynomial regression shape_base "
        "stride_tricks twodim_base type_check ufunclike",
        "linalg": "deprecations linalg regression",
        "polynomial": "chebyshev classes hermite hermite_e laguerre legendre polynomial polyutils "
        "symbol",
        "random": "generator_mt19937 generator_mt19937_regressions random randomstate "
        "randomstate_regression regression",
    }.items()
    for name in names.split()
)

#: Outcomes of the table, and what heads their columns.
COLUMNS = {
    "passed": "passed",
    "eager": "under eager()",
    "failed": "failed",
    "documented": "documented difference",
    "refused": "refused dtype",
    "left out": "not run",
}

_OPTIONS = "-q --tb=no -p no:cacheprovider -p tests.conformance.plugin -W default -n 0".split()


def files_of_numpy() -> list[str]:
    """Return all test files of NumPy's, below its folder."""
    return sorted(str(path.relative_to(NUMPY)) for path in NUMPY.rglob("tests/test_*.py"))


def reason_to_leave_out(file: str) -> str | None:
    """Return why a file is not run; None if no reason is known."""
    forms = FILES_LEFT_OUT.items()
    return next((reason for form, reason in forms if re.fullmatch(form, file)), None)


def _run(file: str, folder: Path, **variables: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the status of a run and what is noted of each test."""
    lines = folder / "outcomes"
    lines.write_text("", encoding="utf-8")
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(settings), "--rootdir", str(folder)]
    variables |= {"LAZYARR_OUTCOMES": str(lines), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [*command, *_OPTIONS, "-m", "not slow", str(NUMPY / file)],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        timeout=3600,
        check=False,
    )
    return ended.returncode, list(map(json.loads, lines.read_text(encoding="utf-8").splitlines()))


def outcomes_of(file: str, failures: list[dict[str, Any]] | None = None) -> Counter[str]:
    """Return the number of tests of a file by outcome.

    Parameters
    ----------
    file : str
        Below NumPy's folder.
    failures : list of dict, optional
        Takes what is noted of each test that failed: "test", "error", "code", the line of the test,
        and "at".

    Returns
    -------
    Counter
        Of the keys of ``COLUMNS``, each test once: "eager" are those that failed, and pass under
        :func:`lazyarr.eager`; "refused" those that failed by a dtype that lazyarr refuses;
        "documented" by a difference of docs/differences_from_numpy.md. "crashed" is 1 if the
        process ended early.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        status, entries = _run(file, folder)
        counts: Counter[str] = Counter(crashed=int(status not in (0, 1, 5)))
        failed = [entry for entry in entries if entry["outcome"] == "failed"]
        counts.update(entry["outcome"] for entry in entries if entry["outcome"] != "failed")
        again = folder / "again"
        again.write_text(json.dumps([entry["test"] for entry in failed]), encoding="utf-8")
        later = []
        if failed:
            _, later = _run(file, folder, LAZYARR_CONFORMANCE="eager", LAZYARR_ONLY=str(again))
    second = {entry["test"]: entry for entry in later}
    for first in failed:
        # Where the first message was that a warning is missing, the second says what it waits for.
        entry = second.get(first["test"], first)
        kinds = [kind_of(first), kind_of(entry)]
        kind = next((kind for kind in kinds if kind != "failed"), "failed")
        kind = "eager" if entry["outcome"] == "passed" else kind
        counts[kind] += 1
        if failures is not None and kind == "failed":
            failures.append({"file": file, **entry})
    return counts


def kind_of(entry: dict[str, Any]) -> str:
    """Return "refused", "documented" or "failed" for what is noted of a test that failed."""
    error, code = entry.get("error", ""), entry.get("code", "")
    if REFUSED.search(f"{error} {code}"):
        return "refused"
    return "failed" if difference_of(error, code, entry.get("test", "")) is None else "documented"


_NOTES = """
Each test is in one column. "under eager()": it waits for a warning or an error at the call, and
passes under `lazyarr.eager()`, which is there for that. "documented difference", "refused dtype":
it fails by what docs/differences_from_numpy.md says, as `tests/conformance/left_out.py` recognises
it; "not run": for the reasons given there. "–" was not counted: such a row is of a version before
these columns. Left out are these files:
"""


def row_of(count: Counter[str]) -> Row:
    """Return the row of a file's outcomes."""
    return tuple(count[name] for name in COLUMNS)


def table_of(rows: dict[str, Row]) -> str:
    """Return rows of files as a table in Markdown."""
    total = tuple(
        sum(number or 0 for number in column) for column in zip(*rows.values(), strict=True)
    )
    lines = [
        f"| {file} | " + " | ".join("–" if n is None else str(n) for n in row) + " |"
        for file, row in {**rows, "all": total}.items()
    ]
    head = "| file | " + " | ".join(COLUMNS.values()) + " |"
    rule = "|---" * (len(COLUMNS) + 1) + "|"
    others = [*_reasons(file for file in files_of_numpy() if file not in rows)]
    return "\n".join([f"NumPy {np.__version__}", "", head, rule, *lines, _NOTES, *others, ""])


def _reasons(files: Iterable[str]) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for file in files:
        reason = reason_to_leave_out(file)
        if reason is not None:
            by_reason.setdefault(reason, []).append(file)
    for reason, names in by_reason.items():
        folders = sorted({name.partition("/tests/")[0] for name in names})
        shown = names if len(names) <= 12 else [f"those of {', '.join(folders)}"]
        yield f"- {reason}: {', '.join(shown)}"


def read_table(text: str) -> dict[str, Row]:
    """Return the rows of a table of :func:`table_of` by file, and of "all"."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {
        file: tuple(None if number == "–" else int(number) for number in row)
        for file, *row in rows[1:]
    }
