"""Joins of many small arrays in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.fixture(autouse=True, params=[0, 4096])
def small_arrays(request: pytest.FixtureRequest) -> Any:
    """Operations on small arrays run at once, or not."""
    with la.config(immediate=request.param, implicit="allow"):
        yield


@pytest.mark.parametrize("count", [2, 40, 100])
@pytest.mark.parametrize("size", [3, 500, 20_000])
def test_joins_are_those_of_numpy_whatever_lies_in_memory(count: int, size: int) -> None:
    rows = [np.random.default_rng(k).random((2, size)) for k in range(count)]
    parts = [la.array(row) * 2.0 if k % 3 else la.asarray(row) for k, row in enumerate(rows)]
    rows = [row * 2.0 if k % 3 else row for k, row in enumerate(rows)]
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(
            la.concatenate(parts, axis=axis), np.concatenate(rows, axis=axis)
        )
        np.testing.assert_array_equal(la.stack(parts, axis=axis), np.stack(rows, axis=axis))


def test_what_numpy_refuses_is_refused() -> None:
    parts = [la.array(np.ones(3)) for _ in range(50)]
    with pytest.raises(ValueError):
        la.concatenate([*parts, la.array(np.ones((2, 2)))])
    with pytest.raises(ValueError):
        la.stack([*parts, la.array(np.ones(4))])
    with pytest.raises(ValueError):
        la.concatenate(parts, axis=2)


def test_a_join_is_no_view_of_its_parts() -> None:
    parts = [la.array(np.ones(3)) for _ in range(50)]
    joined = la.concatenate(parts)
    parts[0][0] = 7.0
    np.testing.assert_array_equal(joined, np.ones(150))
