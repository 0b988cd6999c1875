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

from tests.conformance.files import FILES, outcomes_of, read_table, row_of, table_of

TABLE = Path(__file__).with_name("outcomes.md")


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


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", help="below NumPy's folder")
    parser.add_argument("--failures", type=Path, help="a file for what failed, by cause")
    parser.add_argument("--processes", type=int, default=1, help="files that are run at once")
    parser.add_argument("--update", action="store_true", help="write the rows of these files")
    options = parser.parse_args()
    failures: list[dict[str, Any]] = []
    rows = read_table(TABLE.read_text(encoding="utf-8"))
    files = options.files or FILES
    with ThreadPoolExecutor(options.processes) as pool:
        for file, count in zip(
            files, pool.map(lambda file: outcomes_of(file, failures), files), strict=True
        ):
            rows[file] = row_of(count)
            sys.stdout.write(f"{file} {dict(count)}\n")
            sys.stdout.flush()
    if options.failures is not None:
        options.failures.write_text(_causes(failures), encoding="utf-8")
    if options.update or not options.files:
        TABLE.write_text(table_of({file: rows[file] for file in FILES}), encoding="utf-8")


if __name__ == "__main__":
    main()
