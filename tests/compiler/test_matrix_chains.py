"""The order in which several matrices are multiplied."""

from __future__ import annotations

import itertools
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr.compiler.matrix_chains import _splits


def _cost(sizes: tuple[int, ...], splits: dict[tuple[int, int], int]) -> int:
    def between(start: int, stop: int) -> int:
        if stop - start == 1:
            return 0
        middle = splits[start, stop]
        product = sizes[start] * sizes[middle] * sizes[stop]
        return between(start, middle) + between(middle, stop) + product

    return between(0, len(sizes) - 1)


def _least(sizes: tuple[int, ...]) -> float:
    """Return the fewest multiplications, of all orders."""
    if len(sizes) == 2:
        return 0
    least = inf
    for k in range(1, len(sizes) - 1):
        rest = (*sizes[:k], *sizes[k + 1 :])
        least = min(least, sizes[k - 1] * sizes[k] * sizes[k + 1] + _least(rest))
    return least


@given(st.lists(st.integers(1, 9), min_size=3, max_size=7))
def test_no_order_has_fewer_multiplications(sizes: list[int]) -> None:
    assert _cost(tuple(sizes), _splits(sizes)) == _least(tuple(sizes))


@pytest.mark.parametrize("sizes", list(itertools.permutations([2, 3, 50, 4])))
def test_chains_of_three(sizes: tuple[int, ...]) -> None:
    assert _cost(sizes, _splits(sizes)) == _least(sizes)
