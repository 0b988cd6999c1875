"""Donated arrays of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]

SIZE = 4_000


def momentum(p: Any, g: Any, m: Any) -> Any:
    m = 0.9 * m + g
    return p - 0.1 * m, m


def test_on_a_gpu_donated_memory_goes_back_to_the_pool():
    random = np.random.default_rng(0)
    p, g, m = (random.standard_normal(SIZE) for _ in range(3))
    moved, velocity = momentum(p, g, m)
    expected = momentum(moved, g, velocity)
    step = la.jit(momentum, donate=(0, 2))
    arrays = [la.asarray(x, device="cuda") for x in (p, g, m)]
    first = step.persist(*arrays)
    with pytest.raises(ArgumentError, match="donated to momentum"):
        arrays[0].compute()
    second = step.persist(first[0], arrays[1], first[1])
    with pytest.raises(ArgumentError, match="donated to momentum"):
        step.persist(first[0], arrays[1], first[1])
    np.testing.assert_allclose(second[0].compute(), expected[0])
    np.testing.assert_allclose(second[1].compute(), expected[1])
