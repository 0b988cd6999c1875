"""Runs that may be repeated: donated memory that they overwrite is copied within the plan's."""

from __future__ import annotations

import warnings
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.core.addresses import ALIGNMENT
from lazyarr.execution import tuning
from lazyarr.execution.cpu.small_calls import COMPILED
from lazyarr.execution.fp_errors.status import Reports


def step(*arrays: Any) -> Any:
    """Return arrays that are overwritten before a library's call, which may warn."""
    moved = [x * 2 for x in arrays]
    return moved, la.linalg.det(moved[0])


def aligned(nbytes: int) -> int:
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


@settings(max_examples=15, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=4), dtype=st.sampled_from(["f4", "f8"])
)
def test_copies_are_a_part_of_the_planned_peak(sizes: list[int], dtype: str) -> None:
    arrays = [np.eye(n, dtype=dtype) for n in sizes]
    keeping = la.jit(step)
    donating = la.jit(step, donate=tuple(range(len(arrays))))
    results = sum(x.nbytes for x in arrays)
    copies = sum(aligned(x.nbytes) for x in arrays)
    peak = donating.explain(*arrays).peak_bytes
    own = keeping.explain(*arrays).peak_bytes - results
    assert peak == own + copies
    with la.profile() as profile:
        donating(*[x.copy() for x in arrays])
    assert [(run.planned_peak, run.measured_peak) for run in profile.runs] == [(peak, peak)]
    huge = [x * (1e30 if dtype == "f4" else 1e200) for x in arrays]
    for values in (arrays, huge, arrays):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = keeping(*values)
            taken = [x.copy() for x in values]
            donated = donating(*taken)
        for one, other in zip(donated[0], expected[0], strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(donated[1:], expected[1:])
        assert all(map(np.shares_memory, donated[0], taken))


def test_more_than_may_be_copied_is_not() -> None:
    n = int((tuning.row().copied_bytes // 8 + 1) ** 0.5) + 1
    x = np.eye(n)
    donating, keeping = la.jit(step, donate=0), la.jit(step)
    assert donating.explain(x).peak_bytes == keeping.explain(x).peak_bytes - x.nbytes
    (moved,), _ = donating(x)
    assert np.shares_memory(moved, x)


def test_nothing_is_copied_where_no_library_raises() -> None:
    """BLAS multiplies as kernels are launched."""

    def move(x: Any, y: Any) -> Any:
        moved = x * 2
        return moved, moved @ y

    x = np.ones((70, 70))
    donating, keeping = la.jit(move, donate=0), la.jit(move)
    assert donating.explain(x, x).peak_bytes == keeping.explain(x, x).peak_bytes - x.nbytes


@pytest.mark.parametrize("size", [3, 50])
def test_small_calls_copy_within_their_memory(size: int) -> None:
    """The third call is in C, and overflows."""
    donating = la.jit(step, donate=0)
    for factor in (1, 1, 1e200, 1):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            (moved,), *_ = donating(np.eye(size) * factor)
        np.testing.assert_array_equal(moved, np.eye(size) * factor * 2)
        assert bool(caught) == (factor == 1e200)


@pytest.mark.skipif(COMPILED is None, reason="calls in C are of the compiled form")
@pytest.mark.parametrize("loops", [False, True])
def test_ignored_underflows_ask_nothing_of_python(loops: bool) -> None:
    """Those that a program asks for are warned of, as before."""
    import lazyarr.execution.cpu.mixed_calls  # noqa: F401 - enters NumPy's error state

    def masked(x: Any) -> Any:
        return la.exp(x - 1e4) + 1

    def function(x: Any) -> Any:
        return la.fori_loop(4, lambda _, s: masked(s[::-1]), x) if loops else masked(x)

    fast = la.jit(function)
    x = np.arange(6.0)
    for _ in range(3):
        np.testing.assert_array_equal(fast(x), np.ones(6))
    with mock.patch.object(Reports, "is_silent", side_effect=AssertionError("reported")):
        np.testing.assert_array_equal(fast(x), np.ones(6))
        with np.errstate(under="warn"), pytest.raises(AssertionError, match="reported"):
            fast(x)
    with np.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow"):
        fast(x)
    with np.errstate(all="ignore"):
        fast(x + np.inf)
    with pytest.warns(RuntimeWarning, match="overflow"):
        fast(x + 2e4)
