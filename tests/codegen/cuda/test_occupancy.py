"""Reductions and scans on a GPU say for how many blocks a multiprocessor should have room."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.device_sources import cuda_sources

LENGTH = 1 << 26


def min_blocks(result: Any) -> int:
    """Return the blocks per multiprocessor that the kernel of a result asks for: 1 by default."""
    match = re.search(r"__launch_bounds__\((\d+)(?:, (\d+))?\)", cuda_sources([result])[0].text)
    assert match is not None
    return int(match[2] or 1)


def rows(count: int, dtype: str, shape: tuple[int, ...] = (LENGTH,)) -> list[Any]:
    return [la.asarray(np.empty(shape, dtype)) for _ in range(count)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_several_arrays_let_loads_overlap(dtype: str) -> None:
    x, y, z = rows(3, dtype)
    assert min_blocks(x.sum()) == 1
    assert min_blocks((x * y).sum()) == 3
    assert min_blocks(((x - y) ** 2 * z).sum()) == 3
    assert min_blocks((x * 2 + x).max()) == 1
    assert min_blocks(x.std()) == 3


def test_functions_and_short_rows_want_threads() -> None:
    x, y = rows(2, "float64")
    assert min_blocks((x / (x + y)).sum()) == 1
    assert min_blocks(la.sin(x * y).sum()) == 1
    x, y = rows(2, "float32", (4, 1 << 20))
    assert min_blocks((x * y).sum(1)) == 1
    x, y = rows(2, "float16")
    assert min_blocks((x * y).sum()) == 1  # eight elements of each are loads enough


def test_columns_of_one_array_want_more_blocks_than_those_of_several() -> None:
    shape = (8192, 8192)
    x, y = rows(2, "float32", shape)
    assert min_blocks(x.sum(0)) == 8
    assert min_blocks((x * x[0]).sum(0)) == 8  # a row that all share is no load
    assert min_blocks((x * y).sum(0)) == 4
    assert min_blocks(x.std(0)) == 4
    assert min_blocks(la.tan(x * y).sum(0)) == 1
    x, y = rows(2, "float64", shape)
    assert min_blocks(x.sum(0)) == 1
    assert min_blocks((x - y).max(0)) == 4
    (x,) = rows(1, "float16", shape)
    assert min_blocks(x.mean(0)) == 4


def test_scans_of_long_rows_have_room_for_several_blocks() -> None:
    for dtype, expected in (("float32", 3), ("complex64", 3), ("float64", 4), ("float16", 4)):
        (x,) = rows(1, dtype)
        assert min_blocks(la.cumsum(x)) == expected
        assert min_blocks(la.cumsum(x.reshape(8192, 8192), axis=1)) == 1
