"""CuPy's own tests are run with lazyarr in CuPy's place; the committed table has their outcomes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conformance.cupy.files import FILES, suite_of
from tests.conformance.files import ROOT, files_of, kind_of, read_table, reason_to_leave_out, row_of

pytestmark = pytest.mark.host

TABLE = Path(__file__).with_name("outcomes.md").read_text(encoding="utf-8")

_PROGRAM = """
from pathlib import Path
import numpy as np
import lazyarr as la
from tests.conformance.cupy.names import CUDA_ALONE, put_in

put_in(Path({folder!r}), {library})
import cupy
from cupy import cuda, testing
from cupy.exceptions import AxisError

assert testing.with_requires("numpy<2.0", "scipy") == ("scipy",)
assert type(cupy.ones(2)) is type({library}.ones(2)) is cupy.ndarray
assert type(cupy.asnumpy(cupy.ones(2))) is np.ndarray
assert cupy.get_array_module(cupy.ones(2)) is {module} and AxisError is np.exceptions.AxisError
assert not cuda.runtime.is_hip
try:
    cuda.Device(0)
except NotImplementedError as error:
    assert str(error) == CUDA_ALONE + " cupy.cuda.Device"
else:
    raise AssertionError
"""


def _sources(folder: Path) -> Path:
    (folder / "cupy/testing").mkdir(parents=True)
    text = "def with_requires(*requirements):\n    return requirements\n"
    (folder / "cupy/testing/__init__.py").write_text(text, encoding="utf-8")
    (folder / "cupy/_version.py").write_text("__version__ = '1.2'\n", encoding="utf-8")
    (folder / "tests/cupy_tests/core_tests").mkdir(parents=True)
    (folder / "tests/cupy_tests/core_tests/test_raw.py").write_text("", encoding="utf-8")
    return folder


@pytest.mark.parametrize(("library", "module"), [("la", "cupy"), ("np", "np")])
def test_the_modules_that_stand_in(tmp_path: Path, library: str, module: str) -> None:
    folder = str(_sources(tmp_path))
    program = _PROGRAM.format(folder=folder, library=library, module=module)
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_files_are_run_or_left_out_for_a_reason(tmp_path: Path) -> None:
    suite = suite_of(_sources(tmp_path))
    assert suite.title == "CuPy 1.2"
    (raw,) = files_of(suite)
    assert raw == "core_tests/test_raw.py"
    assert reason_to_leave_out(raw, suite) is not None
    assert [file for file in FILES if reason_to_leave_out(file, suite) is not None] == []


def test_the_table_counts_each_file_once(tmp_path: Path) -> None:
    rows = read_table(TABLE)
    assert rows.keys() - {"all"} <= set(FILES)
    suite = suite_of(_sources(tmp_path))
    width = len(row_of(Counter(), suite))
    total = [
        sum(row[place] or 0 for file, row in rows.items() if file != "all")
        for place in range(width)
    ]
    assert list(rows["all"]) == total


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("NotImplementedError: CUDA alone has cupy.cuda.Device", "left out"),
        ("Different types of errors\n\ncupy\nlazyarr.errors.ArgumentError: x\n", "documented"),
        ("Different types of errors\n\ncupy\nlazyarr.errors.ShapeError: x\n", "failed"),
        ("ArgumentError: f takes bools, integers and floats, got complex64", "documented"),
        ("DTypeError: dtype object is not supported", "refused"),
        ("AssertionError: Arrays are not equal", "failed"),
    ],
)
def test_failures_are_told_apart(tmp_path: Path, error: str, kind: str) -> None:
    suite = suite_of(_sources(tmp_path))
    assert kind_of({"error": error}, suite) == kind
    assert suite.left_out.kind_of_theirs({"error": "no attribute 'get'"}, kind) == kind
    assert suite.left_out.kind_of_theirs({"error": "TypeError"}, kind) == "theirs"
