"""The order of axes in which plans compute results."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.compiler.orders_of_results import orders_of_results
from lazyarr.core.config import get_config


def _orders(*results: Any) -> tuple[tuple[int, ...] | None, ...]:
    return orders_of_results([result._node for result in results], get_config())


def test_reductions_of_transposed_arrays_are_views() -> None:
    x = la.asarray(np.ones((20, 30, 40)))
    assert _orders((2 * x.transpose(2, 1, 0)).max(axis=1)) == ((1, 0),)
    assert _orders((2 * x.transpose(1, 2, 0)).sum(axis=2)) == (None,)
    assert _orders((2 * x).max(axis=1)) == (None,)


def test_views_of_what_is_computed() -> None:
    x = la.asarray(np.ones((20, 30, 40)))
    assert _orders((2 * x).max(axis=0).T, la.cumsum(x, axis=0).transpose(1, 2, 0)) == (
        (1, 0),
        (2, 0, 1),
    )
    # Parts of results, repeated elements and axes of their own.
    assert _orders((2 * x).max(axis=0)[::2].T, (2 * x).max(axis=0)[:, ::-1]) == (None, None)
    assert _orders((2 * x).max(axis=0)[None]) == (None,)
    # The second of two results of the same elements is a copy.
    assert _orders((2 * x).max(axis=0).T, (2 * x).max(axis=0)) == ((1, 0), None)
    # Arrays in memory are copied.
    assert _orders(x.T, (2 * x).T) == (None, (2, 1, 0))
