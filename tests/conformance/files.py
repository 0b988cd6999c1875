"""NumPy's test files that are run, and a run of one of them in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.conformance import left_out

__all__ = [
    "COLUMNS",
    "FILES",
    "NUMPY_SUITE",
    "ROOT",
    "Suite",
    "files_of",
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
        "_core": "abc api argparse array_coercion array_interface arrayobject arrayprint "
        "casting_floatingpoint_errors conversion_utils datetime defchararray deprecations dlpack "
        "dtype einsum errstate finfo function_base getlimits half indexerrors indexing "
        "item_selection longdouble mem_overlap memmap multiarray nditer nep50_promotions numeric "
        "numerictypes overrides print protocols records regression scalar_ctors scalar_methods "
        "scalarbuffer scalarinherit scalarmath scalarprint shape_base stringdtype strings ufunc "
        "umath umath_accuracy umath_complex unicode",
        "fft": "helper pocketfft",
        "lib": "_iotools array_utils arraypad arraysetops arrayterator format function_base "
        "histograms index_tricks io loadtxt mixins nanfunctions packbits polynomial recfunctions "
        "regression shape_base stride_tricks twodim_base type_check ufunclike utils",
        "linalg": "deprecations linalg regression",
        "ma": "arrayobject core extras mrecords old_ma regression subclassing",
        "matrixlib": "defmatrix interaction masked_matrix matrix_linalg multiarray numeric "
        "regression",
        "polynomial": "chebyshev classes hermite hermite_e laguerre legendre polynomial polyutils "
        "printing symbol",
        "random": "direct generator_mt19937 generator_mt19937_regressions random randomstate "
        "randomstate_regression regression seed_sequence smoke",
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


@dataclass(frozen=True)
class Suite:
    """Test files of a library, and what is known of them.

    Parameters
    ----------
    title
        The library and its version, which heads the table.
    folder
        Files are named below it.
    files
        Those of the table.
    left_out
        A module with what is not run and what failures mean, such as `tests.conformance.left_out`.
    columns
        Outcomes of the table, and what heads their columns.
    notes
        What stands below the table.
    options
        Of pytest, beside those of all suites.
    variables
        Of the environment.
    again
        Variables of a run of what failed with what lazyarr stands for in lazyarr's place; what
        fails there too is "theirs". None if there is no such run.
    absent
        What errors say of names that the library alone has: their tests are "left out".
    """

    title: str
    folder: Path
    files: tuple[str, ...]
    left_out: ModuleType
    columns: Mapping[str, str]
    notes: str
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    again: Mapping[str, str] | None = None
    absent: str | None = None


def files_of(suite: Suite) -> list[str]:
    """Return all test files of a suite, below its folder."""
    paths = suite.folder.rglob("test_*.py")
    tests = (path for path in paths if path.parent.name.endswith("tests"))
    return sorted(str(path.relative_to(suite.folder)) for path in tests)


def reason_to_leave_out(file: str, suite: Suite) -> str | None:
    """Return why a file is not run; None if no reason is known.

    Parameters
    ----------
    file
        Below the suite's folder.
    suite
        The files that it is one of.
    """
    forms = suite.left_out.FILES_LEFT_OUT.items()
    return next((reason for form, reason in forms if re.fullmatch(form, file)), None)


def _run(
    file: str, folder: Path, suite: Suite, variables: Mapping[str, str]
) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the status of a run and what is noted of each test by its name."""
    lines = folder / "outcomes"
    lines.write_text("", encoding="utf-8")
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(settings), "--rootdir", str(folder)]
    ended = subprocess.run(
        [*command, *_OPTIONS, *suite.options, "-m", "not slow", str(suite.folder / file)],
        cwd=ROOT,
        env={
            **os.environ,
            "LAZYARR_OUTCOMES": str(lines),
            "LAZYARR_SUITE": str(suite.folder),
            "LAZYARR_LEFT_OUT": suite.left_out.__name__,
            "PYTHONPATH": str(ROOT),
            **suite.variables,
            **variables,
        },
        capture_output=True,
        timeout=3600,
        check=False,
    )
    entries = map(json.loads, lines.read_text(encoding="utf-8").splitlines())
    return ended.returncode, {entry["test"]: entry for entry in entries}


def outcomes_of(
    file: str, failures: list[dict[str, Any]] | None = None, suite: Suite | None = None
) -> Counter[str]:
    """Return the number of tests of a file by outcome.

    Parameters
    ----------
    file : str
        Below the suite's folder.
    failures : list of dict, optional
        Takes what is noted of each test that failed: "test", "error", "code", the line of the test,
        and "at".
    suite : Suite, optional
        NumPy's if it is not given.

    Returns
    -------
    Counter
        Of the keys of the suite's columns, each test once: "eager" are those that failed, and pass
        under :func:`lazyarr.eager`; "refused" those that failed by a dtype that lazyarr refuses;
        "documented" by a difference of docs/differences_from_numpy.md; "theirs" those that NumPy
        fails, too. "crashed" is 1 if the process ended early.
    """
    suite = suite or NUMPY_SUITE
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        status, entries = _run(file, folder, suite, {})
        counts: Counter[str] = Counter(crashed=int(status not in (0, 1, 5)))
        failed = [entry for entry in entries.values() if entry["outcome"] == "failed"]
        counts.update(entry["outcome"] for entry in entries.values())
        counts["failed"] = 0
        again = folder / "again"
        again.write_text(json.dumps([entry["test"] for entry in failed]), encoding="utf-8")
        only = {"LAZYARR_ONLY": str(again)}
        second, theirs = {}, {}
        if failed:
            _, second = _run(file, folder, suite, {**only, "LAZYARR_CONFORMANCE": "eager"})
        if failed and suite.again is not None:
            _, theirs = _run(file, folder, suite, {**only, **suite.again})
    for first in failed:
        # Where the first message was that a warning is missing, the second says what it waits for.
        entry = second.get(first["test"], first)
        kinds = [kind_of(first, suite), kind_of(entry, suite)]
        kind = next((kind for kind in kinds if kind != "failed"), "failed")
        other = theirs.get(first["test"], {"outcome": "passed"})
        if entry["outcome"] == "passed":
            kind = "eager"
        elif other["outcome"] == "failed" and kind != "left out":
            kind = suite.left_out.kind_of_theirs(other, kind)
        counts[kind] += 1
        if failures is not None and kind == "failed":
            failures.append({"file": file, **entry})
    return counts


def kind_of(entry: dict[str, Any], suite: Suite) -> str:
    """Return "refused", "documented", "left out" or "failed" for a test that failed.

    Parameters
    ----------
    entry
        What the plugin noted.
    suite
        The files that the test is of.
    """
    error, code, rules = entry.get("error", ""), entry.get("code", ""), suite.left_out
    if suite.absent is not None and suite.absent in error:
        return "left out"
    if rules.REFUSED.search(f"{error} {code}"):
        return "refused"
    known = rules.difference_of(error, code, entry.get("test", ""))
    return "failed" if known is None else "documented"


_NOTES = """
Each test is in one column. "under eager()": it waits for a warning or an error at the call, and
passes under `lazyarr.eager()`, which is there for that. "documented difference", "refused dtype":
it fails by what docs/differences_from_numpy.md says, as `tests/conformance/left_out.py` recognises
it; "not run": for the reasons given there. "–" was not counted: such a row is of a version before
these columns. Left out are these files:
"""


NUMPY_SUITE = Suite(f"NumPy {np.__version__}", NUMPY, FILES, left_out, COLUMNS, _NOTES)


def row_of(count: Counter[str], suite: Suite) -> Row:
    """Return the row of a file's outcomes.

    Parameters
    ----------
    count
        The number of tests by outcome.
    suite
        The files that it is one of.
    """
    return tuple(count[name] for name in suite.columns)


def table_of(rows: dict[str, Row], suite: Suite) -> str:
    """Return rows of files as a table in Markdown.

    Parameters
    ----------
    rows
        By file.
    suite
        The files.
    """
    total = tuple(
        sum(number or 0 for number in column) for column in zip(*rows.values(), strict=True)
    )
    lines = [
        f"| {file} | " + " | ".join("–" if n is None else str(n) for n in row) + " |"
        for file, row in {**rows, "all": total}.items()
    ]
    head = "| file | " + " | ".join(suite.columns.values()) + " |"
    rule = "|---" * (len(suite.columns) + 1) + "|"
    others = [*_reasons((file for file in files_of(suite) if file not in rows), suite)]
    return "\n".join([suite.title, "", head, rule, *lines, suite.notes, *others, ""])


def _reasons(files: Iterable[str], suite: Suite) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for file in files:
        reason = reason_to_leave_out(file, suite)
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
