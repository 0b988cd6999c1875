"""Run CuPy's test files with lazyarr in CuPy's place.

``python -m tests.conformance.cupy FOLDER`` writes the table of outcomes; the other arguments are
those of ``python -m tests.conformance``. FOLDER holds CuPy's sources, as its release on PyPI
unpacks: `tests/cupy_tests` is run, and `cupy/testing` is imported. That of a release from 14 on,
put over an older one, compares dtypes beside NumPy 2, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.__main__ import run
from tests.conformance.cupy.files import suite_of

if __name__ == "__main__":
    run(suite_of(Path(sys.argv[1])), Path(__file__).with_name("outcomes.md"), sys.argv[2:])
