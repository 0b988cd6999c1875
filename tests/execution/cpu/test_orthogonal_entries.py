"""QR factors that calls in C compute have NumPy's bits, whatever the matrices are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import orthogonal_entries
from lazyarr.execution.cpu.entry_blocks import Place, Row

Array = np.ndarray[Any, Any]


def matrices(name: str) -> Array:
    rng = np.random.default_rng(3)
    match name:
        case "zeros":
            return np.zeros((4, 3))
        case "negative zeros":
            return np.full((3, 4), -0.0)
        case "not a number":
            return np.where(np.eye(5, 3) > 0, np.nan, rng.standard_normal((5, 3)))
        case "infinite":
            return np.where(np.eye(3, 5) > 0, np.inf, rng.standard_normal((3, 5)))
        case "dependent columns":
            return np.outer(rng.standard_normal(6), rng.standard_normal(4))
        case "one element":
            return np.array([[-2.0]])
        case "long":
            return rng.standard_normal((200, 3))
        case "wide":
            return rng.standard_normal((3, 200))
    return rng.standard_normal((2, 70, 70))


NAMES = ["zeros", "negative zeros", "not a number", "infinite", "dependent columns"]
NAMES += ["one element", "long", "wide", "many rows"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_bits_are_those_of_numpy(name: str, mode: str) -> None:
    x = matrices(name)
    factors = la.jit(lambda x: la.linalg.qr(x, mode=mode))
    expected = np.linalg.qr(x, mode=mode)  # type: ignore[call-overload]
    for _ in range(3):
        values = factors(x)
        pairs = [(values, expected)] if mode == "r" else zip(values, expected, strict=True)
        for value, other in pairs:
            assert np.asarray(value).tobytes() == np.ascontiguousarray(other).tobytes()


def test_triangles_of_many_rows_have_no_entries() -> None:
    """Each row is an entry, and NumPy's own function takes as long as so many of them."""

    def loop_call(*_: object) -> Row:
        raise AssertionError("no loop is asked for")

    x = Place.in_order((0, 0), np.dtype(np.float64), (65, 65))
    assert orthogonal_entries.orthogonal_entries({}, x, (x, x), lambda _: (0, 0), loop_call) is None
