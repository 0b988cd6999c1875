"""NumPy's own tests pass with lazyarr in NumPy's place, as many as the committed table says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from tests.conformance.files import (
    FILES,
    NUMPY_SUITE,
    files_of,
    kind_of,
    outcomes_of,
    read_table,
    reason_to_leave_out,
    row_of,
    table_of,
)
from tests.conformance.substitution import load, substituted

TABLE = Path(__file__).with_name("outcomes.md").read_text(encoding="utf-8")

_MODULE = """
import numpy as np
import numpy._core.umath as ncu
from numpy import linalg, zeros
from numpy.testing import assert_equal, assert_raises

BEFORE = np.zeros(3)

def values():
    return np.zeros(3), ncu.sin(np.ones(2)), linalg.norm(zeros(2)), np.errstate

def check():
    assert_equal(np.arange(3), [0, 1, 2])
    assert_equal(np.sum(np.ones(2)), 2.0)
    assert_raises(ValueError, np.reshape, np.ones(3), (2, 2))
    assert_equal(np.arange(3), [0, 1, 3])
"""


@pytest.mark.host
def test_names_are_those_of_lazyarr_while_a_test_runs(tmp_path: Path) -> None:
    path = tmp_path / "test_module.py"
    path.write_text(_MODULE, encoding="utf-8")
    module = load(path, "test_module")
    assert type(module.BEFORE) is np.ndarray
    with substituted("values"):
        *arrays, errstate = module.values()
        assert [type(array) for array in arrays] == [la.LazyArray] * 3
        assert errstate is np.errstate
        with pytest.raises(AssertionError, match="not equal"):
            module.check()


@pytest.mark.host
def test_the_table_has_each_file_and_is_read_as_written() -> None:
    rows = read_table(TABLE)
    assert rows.keys() - {"all"} == set(FILES)
    assert rows["all"][0] == sum(rows[file][0] or 0 for file in FILES)
    assert all(row[0] is not None for row in rows.values())
    counted = row_of(Counter(passed=3, failed=2, refused=1), NUMPY_SUITE)
    rows = dict.fromkeys(FILES, counted) | {FILES[0]: (4, None, 5, None, 6, None)}
    again = read_table(table_of(rows, NUMPY_SUITE))
    assert again.pop("all")[:3] == (3 * len(FILES) + 1, 0, 2 * len(FILES) + 3)
    assert again == rows


@pytest.mark.host
def test_each_file_of_numpys_is_run_or_left_out_for_a_reason() -> None:
    for file in files_of(NUMPY_SUITE):
        assert (file in FILES) != (reason_to_leave_out(file, NUMPY_SUITE) is not None), file


@pytest.mark.host
@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        ("DTypeError: dtype object is not supported", "", "refused"),
        ("ArgumentError: expected an array, got str", "np.array('a')", "refused"),
        ("ArgumentError: expected an array, got DuckArray", "np.sin(x)", "failed"),
        ("AssertionError: ", "assert_(isinstance(res, bool))", "documented"),
        ("AttributeError: 'LazyArray' object has no attribute 'ctypes'", "", "documented"),
        ("AssertionError: Arrays are not equal", "assert_equal(x, y)", "failed"),
        ("ShapeError: an inhomogeneous shape after 1", "np.array([1, [2]], dtype=t)", "refused"),
        ("ShapeError: an inhomogeneous shape after 1", "np.array([1, [2]])", "failed"),
    ],
)
def test_failures_are_told_apart(error: str, code: str, kind: str) -> None:
    assert kind_of({"error": error, "code": code}, NUMPY_SUITE) == kind


@pytest.mark.host
def test_failures_are_told_apart_by_the_names_of_tests() -> None:
    failures = {"::TestSizeOf::test_view": "documented", "::TestOther::test_view": "failed"}
    failures |= {"::TestBroadcast::test_poisson[2]": "documented", "::test_poisson": "failed"}
    for test, kind in failures.items():
        assert kind_of({"error": "AssertionError: ", "code": "", "test": test}, NUMPY_SUITE) == kind


@pytest.mark.host
def test_a_run_counts_each_test_once() -> None:
    failures: list[dict[str, object]] = []
    counts = outcomes_of("_core/tests/test_getlimits.py", failures)
    assert counts["passed"] + counts["failed"] >= 17
    assert not counts["crashed"]
    assert len(failures) == counts["failed"]


@pytest.mark.host
@pytest.mark.slow
@pytest.mark.skipif(f"NumPy {np.__version__}\n" not in TABLE, reason="a table of another NumPy")
@pytest.mark.parametrize("file", FILES)
def test_as_many_tests_pass(file: str) -> None:
    outcomes = outcomes_of(file)
    assert not outcomes["crashed"]
    row = read_table(TABLE)[file]
    # A row without counts of these is older than what sets them apart from what passes.
    apart = outcomes["eager"] + outcomes["left out"] if None in row else 0
    assert outcomes["passed"] + apart >= (row[0] or 0), outcomes
