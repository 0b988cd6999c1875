"""Lists in lists, deeper than arrays have axes: NumPy's error, whoever walks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


def _in_itself() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def _deep(depth: int) -> list[Any]:
    items: list[Any] = [1.0]
    for _ in range(depth):
        items = [items]
    return items


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda m, x: m.array(x),
    "array of a dtype": lambda m, x: m.array([x], dtype=float),
    "asarray": lambda m, x: m.asarray(x, "i4"),
    "sum": lambda m, x: m.sum(x),
    "median": lambda m, x: m.median(x),
    "add": lambda m, x: m.add(m.ones(3), x),
    "dot": lambda m, x: m.dot(m.ones(3), x),
    "where": lambda m, x: m.where(m.ones(3) > 0, x, 1),
    "setitem": lambda m, x: m.ones(3).__setitem__(slice(None), x),
}


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("items", [_in_itself(), _deep(200)], ids=["in itself", "deep"])
@pytest.mark.parametrize("name", CALLS)
def test_too_deep_lists_are_refused(name: str, items: list[Any], limit: int) -> None:
    with pytest.raises(ValueError, match="sequence"):
        CALLS[name](np, items)
    with la.config(immediate=limit), pytest.raises(ValueError, match="sequence"):
        CALLS[name](la, items)


def test_lists_of_as_many_axes_as_numpy_has() -> None:
    x = la.array(_deep(31))
    assert (x.ndim, float(x.sum())) == (32, 1.0)
