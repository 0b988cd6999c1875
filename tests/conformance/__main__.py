"""Run NumPy's test files with lazyarr in NumPy's place.

``python -m tests.conformance`` writes the table of outcomes; files named on the command line, such
as ``_core/tests/test_umath.py``, are run alone, and ``--update`` writes their rows of the table.
``--failures FILE`` writes what failed, most frequent first, and ``--processes N`` runs so many
files at once.
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.conformance.files import (
    NUMPY_SUITE,
    Suite,
    outcomes_of,
    read_table,
    row_of,
    table_of,
)


def _causes(failures: list[dict[str, Any]]) -> str:
    """Return failures grouped by message, numbers left out, with one test of each."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for entry in failures:
        message = " ".join(re.sub(r"0x[0-9a-f]+|\d+", "N", entry["error"]).split())[:120]
        groups.setdefault((entry["file"], message), []).append(entry)
    lines = []
    for (file, message), group in sorted(groups.items(), key=lambda item: -len(item[1])):
        entry = group[0]
        lines += [f"{len(group):5} {file} {message}", f"      {entry['test']}: {entry['code']}"]
    return "\n".join([*lines, ""])


def run(suite: Suite, table: Path, arguments: list[str]) -> None:
    """Run files of a suite, and write the table of their outcomes.

    Parameters
    ----------
    suite
        The files.
    table
        The table's path.
    arguments
        Of the command line.
    """
    parser = argparse.ArgumentParser(
        description=f"Run the test files of {suite.title} with lazyarr."
    )
    parser.add_argument("files", nargs="*", help="below the folder of tests")
    parser.add_argument("--failures", type=Path, help="a file for what failed, by cause")
    parser.add_argument("--processes", type=int, default=1, help="files that are run at once")
    parser.add_argument("--update", action="store_true", help="write the rows of these files")
    options = parser.parse_args(arguments)
    failures: list[dict[str, Any]] = []
    old = table.read_text(encoding="utf-8") if table.exists() else ""
    rows = read_table(old)
    files = options.files or suite.files
    with ThreadPoolExecutor(options.processes) as pool:
        for file, count in zip(
            files, pool.map(lambda file: outcomes_of(file, failures, suite), files), strict=True
        ):
            rows[file] = row_of(count, suite)
            sys.stdout.write(f"{file} {dict(count)}\n")
            sys.stdout.flush()
            if options.update or not options.files:  # at once, since a run may be stopped
                kept = {name: rows[name] for name in suite.files if name in rows}
                table.write_text(table_of(kept, suite), encoding="utf-8")
    if options.failures is not None:
        options.failures.write_text(_causes(failures), encoding="utf-8")


if __name__ == "__main__":
    run(NUMPY_SUITE, Path(__file__).with_name("outcomes.md"), sys.argv[1:])
