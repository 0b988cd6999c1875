"""NumPy's own tests pass with lazyarr in NumPy's place, as many as the committed table says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from tests.conformance.files import FILES, outcomes_of, read_table, table_of
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
    passed = read_table(TABLE)
    assert passed.keys() - {"all"} == set(FILES)
    assert passed["all"] == sum(passed[file] for file in FILES)
    counts = {file: Counter(passed=3, failed=2, refused=1) for file in FILES}
    assert read_table(table_of(counts)) == {**dict.fromkeys(FILES, 3), "all": 3 * len(FILES)}


@pytest.mark.host
@pytest.mark.slow
@pytest.mark.skipif(f"NumPy {np.__version__}\n" not in TABLE, reason="a table of another NumPy")
@pytest.mark.parametrize("file", FILES)
def test_as_many_tests_pass(file: str) -> None:
    outcomes = outcomes_of(file)
    assert not outcomes["crashed"]
    assert outcomes["passed"] >= read_table(TABLE)[file], outcomes
