"""Run NumPy's test files with lazyarr in NumPy's place.

``python -m tests.conformance`` writes the table of outcomes; files named on the command line, such
as ``_core/tests/test_umath.py``, are run alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.files import FILES, outcomes_of, table_of

TABLE = Path(__file__).with_name("outcomes.md")

if __name__ == "__main__":
    counts = {}
    for file in sys.argv[1:] or FILES:
        counts[file] = outcomes_of(file)
        sys.stdout.write(f"{file} {dict(counts[file])}\n")
        sys.stdout.flush()
    if not sys.argv[1:]:
        TABLE.write_text(table_of(counts), encoding="utf-8")
