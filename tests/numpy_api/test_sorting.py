"""Partitions: what they refuse is known without one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la


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
