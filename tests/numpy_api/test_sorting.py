"""Partitions, refused without being computed, and sorts from the largest element on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.values import assert_same


@pytest.mark.parametrize("name", ["partition", "argpartition"])
def test_places_are_looked_at_without_a_partition(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, lengths = getattr(np, name), []

    def counted(a: Any, *args: Any, **keywords: Any) -> Any:
        lengths.append(len(a))
        return function(a, *args, **keywords)

    with la.config(immediate=0):
        x = la.zeros(5000)
        getattr(la, name)(x, 3)  # the operation is made once, and calls NumPy's function
        monkeypatch.setattr(np, name, counted)
        for places in (3, -5000, [0, 4999, -1], np.int32(7), np.array([2, 5], "u1")):
            getattr(la, name)(x, places)
    assert max(lengths) == 1


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize("places", [9, -10, [0, 9], 1.5, [[1]], "a"])
def test_places_that_numpy_refuses_are_refused(name: str, places: Any) -> None:
    with pytest.raises(Exception) as expected:
        getattr(np, name)(np.zeros(9), places)
    with pytest.raises(type(expected.value)):
        getattr(la, name)(la.asarray(np.zeros(9)) + 1, places)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", ["f8", "f2", "i4", "u1", "?", "c16"])
def test_descending(dtype: str, immediate: int) -> None:
    """As by NumPy 2.5, whichever is installed: NaN last, and equal elements in their order."""
    x = np.array([[3, 0, 1, 0, 7, 3], [2, 2, 5, 0, 1, 2]]).astype(dtype)
    if x.dtype.kind in "fc":
        x[0, 1], x[1, 3] = np.nan, -0.0
    places = np.stack([sorted(range(6), key=lambda k, row=row: _last_if_nan(row[k])) for row in x])
    with la.config(immediate=immediate):
        lazy = la.asarray(x)
        ordered = [la.argsort(lazy, stable=True, descending=True), lazy.argsort(1, descending=True)]
        assert la.argsort(lazy, descending=False).tolist() == np.argsort(x).tolist()
        values = la.sort(lazy, axis=1, descending=True)
        lazy = la.array(x)
        lazy.sort(descending=True)
    np.testing.assert_array_equal(ordered[0], places)
    np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(ordered[1]), 1), values)
    for result in (values, lazy):
        assert_same(result, np.take_along_axis(x, places, 1))


def _last_if_nan(value: Any) -> tuple[bool, float]:
    return (True, 0.0) if value != value else (False, -float(np.real(value)))


def test_descending_sorts_have_derivatives() -> None:
    weights = np.arange(3.0)
    slopes = la.grad(lambda v: (la.sort(v, descending=True) * weights).sum())
    assert slopes(la.asarray([1.0, 3.0, 2.0])).tolist() == [2.0, 0.0, 1.0]
