"""Operations on repeated elements: the same numbers, and repetitions that take no memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import wrap
from lazyarr.graph.node import Kind, walk
from lazyarr.passes.repetitions import compute_before_merging


@pytest.fixture(autouse=True)
def lazily() -> Any:
    with la.config(immediate=0):
        yield


def _before(value: Any) -> Any:
    (root,) = compute_before_merging((value._node,), {})
    return root


def _random_value(random: np.random.Generator, xp: Any, arrays: list[Any]) -> Any:
    """An expression of repeated arrays and of others of the same shape, or broadcast to it."""
    count, axis = int(random.integers(1, 5)), int(random.integers(2))
    small, whole, row, column = arrays
    value = xp.repeat(small, count, axis)
    if random.random() < 0.3:
        value = xp.tile(small, (count, 1) if axis == 0 else (1, count))
    rows, columns = value.shape
    for _ in range(int(random.integers(1, 5))):
        match random.integers(6):
            case 0:
                value = value * whole[:rows, :columns]
            case 1:
                value = row[:columns] - value
            case 2:
                value = value + column[:rows]
            case 3:
                value = xp.where(value > 1, value, 2.0)
            case 4:
                value = xp.abs(value) * value
            case 5:
                value = value + xp.repeat(small, count, axis)
    return value if random.random() < 0.7 else value.sum(axis=int(random.integers(2)))


@pytest.mark.parametrize("seed", range(60))
def test_random_repetitions(seed: int) -> None:
    random = np.random.default_rng([seed, 7])
    rows, columns = (int(n) for n in random.integers(1, 7, 2))
    shapes = [(rows, columns), (4 * rows, 4 * columns), (4 * columns,), (4 * rows, 1)]
    arrays = [random.integers(-3, 4, shape).astype(np.float64) for shape in shapes]
    state = random.bit_generator.state
    expected = _random_value(random, np, arrays)
    random.bit_generator.state = state
    value = _random_value(random, la, [la.asarray(array) for array in arrays])
    root = _before(value)
    assert root.shape == expected.shape
    result = np.asarray(la.evaluate(wrap(root)))
    np.testing.assert_array_equal(result, expected)


def test_what_is_repeated_is_read_where_it_is() -> None:
    a, b = la.asarray(np.arange(6.0).reshape(2, 3)), la.asarray(np.arange(18.0).reshape(2, 9))
    root = _before(la.sqrt(la.repeat(a, 3, 1) * b) + la.asarray(np.arange(9.0)))
    assert root.op.kind is Kind.RESHAPE
    assert root.src[0].shape == (2, 3, 3)
    assert sum(x.op.kind is Kind.RESHAPE for x in walk((root,))) == 1


def test_other_reshapes_stay() -> None:
    a = la.asarray(np.arange(6.0).reshape(2, 3))
    value = (a.T.reshape(6) + 1)._node
    assert compute_before_merging((value,), {}) == (value,)
