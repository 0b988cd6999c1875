"""Results that NumPy gives as views of what it has made: arrays of lazyarr have it, and no copy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.comparison import bits

Array = np.ndarray[Any, Any]

_FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda np, x: np.nonzero(x),
    lambda np, x: np.where(x),
    lambda np, x: np.where(x > 1)[0],
    lambda np, x: np.flatnonzero(x),
    lambda np, x: np.argwhere(x),
    lambda np, x: x.nonzero(),
    lambda np, x: np.tile(x, 2),
    lambda np, x: np.tile(x, (3, 1)),
    lambda np, x: np.kron(x, x[:1]),
    lambda np, x: np.unique(x, return_index=True, return_inverse=True),
    lambda np, x: np.insert(x, 0, 3),
    lambda np, x: np.resize(x, (3, 4)),
    lambda np, x: np.indices(x.shape),
    lambda np, x: np.meshgrid(x, x[:2]),
]


def _flat(value: Any) -> list[Any]:
    return [y for x in value for y in _flat(x)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("seed", range(2))
def test_random_members_are_arrays_of_their_own(seed: int) -> None:
    draw = random.Random(seed)
    with la.config(immediate=4096, implicit="allow"):
        for function in _FUNCTIONS:
            shape = draw.choice([(7,), (1,), (4, 3), (2, 3, 4)])
            dtype = draw.choice(["?", "u1", "i8", "f4", "f8", "c16"])
            values = np.random.default_rng(seed).integers(0, 3, shape).astype(dtype)
            expected = _flat(function(np, values))
            results = _flat(function(la, la.array(values)))
            again = _flat(function(la, la.array(values)))
            for mine, theirs, other in zip(results, expected, again, strict=True):
                assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
                assert mine.flags.writeable or not theirs.flags.writeable
                if mine.ndim and mine.size and mine.flags.writeable:
                    shown = np.asarray(mine)
                    view = mine[:1]
                    mine[...] = 0  # which neither shows what was taken before nor another result
                    assert not np.asarray(view).any()
                    assert bits(shown.copy()) == bits(np.ascontiguousarray(theirs))
                assert bits(np.asarray(other).copy()) == bits(np.ascontiguousarray(theirs))


def test_places_are_not_copied() -> None:
    with la.config(immediate=4096, implicit="allow"):
        x = la.array(np.arange(100) % 3)
        for places in (la.flatnonzero(x), la.nonzero(x)[0], la.where(x)[0]):
            memory = places._array
            assert memory.base is None and memory.flags.owndata and memory.shape == (66,)
