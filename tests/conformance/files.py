"""NumPy's test files that are run, and a run of one of them in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

__all__ = ["FILES", "ROOT", "outcomes_of", "read_table", "table_of"]

NUMPY = Path(np.__file__).parent
ROOT = Path(__file__).parents[2]

#: Those of the committed table. Others can be named on the command line.
FILES = tuple(
    f"{package}/tests/test_{name}.py"
    for package, names in {
        "_core": "abc api argparse array_coercion arrayobject casting_floatingpoint_errors "
        "conversion_utils dlpack einsum errstate function_base getlimits half indexerrors "
        "indexing item_selection mem_overlap multiarray nep50_promotions numeric numerictypes "
        "overrides protocols regression scalar_methods shape_base ufunc umath umath_complex",
        "fft": "helper pocketfft",
        "lib": "arraypad arraysetops function_base histograms index_tricks nanfunctions packbits "
        "polynomial regression shape_base stride_tricks twodim_base type_check ufunclike",
        "linalg": "linalg regression",
        "polynomial": "classes polynomial polyutils",
        "random": "random randomstate",
    }.items()
    for name in names.split()
)

_OPTIONS = "-q --tb=no -p no:cacheprovider -p tests.conformance.plugin -W default -n 0".split()


def outcomes_of(file: str) -> Counter[str]:
    """Return the number of tests of a file by outcome.

    Parameters
    ----------
    file : str
        Below NumPy's folder.

    Returns
    -------
    Counter
        Of "passed", "failed", and "refused": those that failed by a dtype that lazyarr refuses.
        "crashed" is 1 if the process ended early.
    """
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "outcomes")
        lines.touch()
        settings = Path(folder, "pytest.ini")
        settings.write_text("[pytest]\n", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-c", str(settings), "--rootdir", folder]
        environment = {**os.environ, "LAZYARR_OUTCOMES": str(lines), "PYTHONPATH": str(ROOT)}
        ended = subprocess.run(
            [*command, *_OPTIONS, "-m", "not slow", str(NUMPY / file)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            timeout=3600,
            check=False,
        )
        counts: Counter[str] = Counter(crashed=int(ended.returncode not in (0, 1)))
        for line in lines.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            refused = "is not supported" in entry.get("error", "")
            failed = entry["outcome"] == "failed"
            counts["refused" if failed and refused else entry["outcome"]] += 1
    return counts


_HEAD = "| file | passed | failed | failed by a dtype that lazyarr refuses |"


def table_of(counts: dict[str, Counter[str]]) -> str:
    """Return the outcomes of files as a table in Markdown."""
    rows = {
        file: (count["passed"], count["failed"], count["refused"]) for file, count in counts.items()
    }
    rows["all"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    lines = [f"| {file} | " + " | ".join(map(str, row)) + " |" for file, row in rows.items()]
    return "\n".join([f"NumPy {np.__version__}", "", _HEAD, "|---|---|---|---|", *lines, ""])


def read_table(text: str) -> dict[str, int]:
    """Return the number of tests that passed, by file, from a table of :func:`table_of`."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if "| " in line]
    return {row[0]: int(row[1]) for row in rows[1:]}
