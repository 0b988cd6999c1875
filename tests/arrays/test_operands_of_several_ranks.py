"""Functions of three operands in memory whose numbers of axes differ, in every order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

SHAPES: list[tuple[int, ...]] = [(), (1,), (4,), (3, 1), (1, 4), (2, 3, 4)]


@pytest.mark.parametrize("shapes", list(itertools.product(SHAPES, repeat=3)), ids=str)
def test_operands_of_several_ranks(shapes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(sum(map(len, shapes)))
    condition, x, y = (rng.integers(0, 3, shape) for shape in shapes)
    lazy = [la.array(array) for array in (condition, x, y)]
    for name in ("where", "clip"):
        expected = getattr(np, name)(condition, x, y)
        value = getattr(la, name)(*lazy)
        assert (value.dtype, value.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(value.compute(), expected)
