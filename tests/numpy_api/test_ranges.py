"""Indices of diagonals and triangles, and ranges, against NumPy."""

from __future__ import annotations

import itertools
import random
import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree
from tests.support.values import assert_same

Array = np.ndarray[Any, Any]


def test_indices_of_diagonals_and_triangles() -> None:
    square, table = np.zeros((4, 4)), np.zeros((3, 5))
    pairs: list[tuple[Any, Any]] = [
        (la.diag_indices(3), np.diag_indices(3)),
        (la.diag_indices(2, 3), np.diag_indices(2, 3)),
        (np.diag_indices_from(la.asarray(square)), np.diag_indices_from(square)),
    ]
    for name, k in itertools.product(("tril", "triu"), (-1, 0, 2)):
        of_size, of_array = (getattr(np, f"{name}_indices{end}") for end in ("", "_from"))
        pairs.append((getattr(la, f"{name}_indices")(3, k, 4), of_size(3, k, 4)))
        pairs.append((of_array(la.asarray(table), k), of_array(table, k)))
    for result, expected in pairs:
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("shape", [(3,), (2, 3), ()])
def test_indices_want_a_matrix(shape: tuple[int, ...]) -> None:
    x = la.zeros(shape)
    with pytest.raises(ValueError, match=r"input array must be at least 2-d|All dimensions"):
        np.diag_indices_from(x)
    if len(shape) != 2:
        with pytest.raises(ValueError, match="must be 2-d"):
            np.tril_indices_from(x)


@pytest.mark.parametrize(
    "numbers",
    [
        (0, 10, 0),
        (0.0, 0.0, 0.0),
        (0, np.inf),
        (0, 1e300, 1e-300),
        (0, 1, np.nan),
        (np.nan, 1.0),
        (0, 5e-324, np.finfo(float).max),
        (0, 2**-52, -np.finfo(float).max),
        (2**-52, 0, -np.finfo(float).max),
        (0, -np.inf, 1.0),
        (0, 5, np.inf),
        (5, 0, np.inf),
        (-0.0, 3.0),
        (-0.0, 0.5),
        (-0.0, -3.0, -1.0),
    ],
)
def test_lengths_at_the_ends_of_numbers(numbers: tuple[Any, ...]) -> None:
    try:
        expected = np.arange(*numbers)
    except (ValueError, ZeroDivisionError) as error:
        for limit in (0, 4096):
            with (
                la.config(immediate=limit),
                pytest.raises(type(error), match=str(error)) as caught,
            ):
                la.arange(*numbers)
            assert limit or "test_ranges.py" in str(caught.value)
    else:
        for limit in (0, 4096):
            with la.config(immediate=limit):
                assert_same(la.arange(*numbers).compute(), expected)


def test_random_ranges() -> None:
    """Lengths, first numbers and steps at the ends of the dtypes."""
    choose = random.Random(17)
    dtypes = ["u1", "i1", "u8", "i4", "f2", "f4", "f8", None, "?"]
    ends = [-1, -1.6, 0, 1, 2, 255, 256, 127, -129, 0.5, -0.0, 3.7, 2**62, -(2**62), 300, 7e4]
    for _ in range(2000):
        start, step = choose.choice(ends), choose.choice([None, 1, 2, -1, 0.5, -0.5, 3, -100, 100])
        stop = choose.choice([None, *ends, start + 1, start + 3, start - 2])
        first, last = (0, start) if stop is None else (start, stop)
        is_long = abs(first) >= 2**63 or abs(last) >= 2**63  # which makes NumPy's objects
        if (last - first) / (step or 1) < 1e4 and not is_long:
            arguments = (start, stop, step, choose.choice(dtypes))
            with la.config(immediate=choose.choice([0, 4096])):
                agree(lambda m, a=arguments: m.arange(*a))


@pytest.mark.parametrize("limit", [0, 4096])
def test_spirals_of_arrays_are_numpys(limit: int) -> None:
    ends = np.array([-1.26, 2.0])
    expected = np.geomspace(3, ends, 4, dtype="c16")
    with la.config(immediate=limit):
        result = la.geomspace(3, la.asarray(ends), 4, dtype="c16")
    np.testing.assert_allclose(result, expected, rtol=1e-14)


@pytest.mark.parametrize("mode", ["maximum", "mean", "linear_ramp", "edge", "reflect"])
def test_a_number_is_padded_by_nothing(mode: str) -> None:
    assert la.pad(la.asarray(1.5), 0, mode=mode).compute() == np.pad(1.5, 0, mode=mode)


def test_a_start_by_name_is_no_end() -> None:
    for keywords in ({"start": 4}, {"start": 4, "step": 2}, {"step": 2}, {}):
        with pytest.raises(TypeError, match="stop to be specified"):
            la.arange(**keywords)
    for numbers in ((None, 3), (None, 3, 1), (None,)):
        with pytest.raises(TypeError):
            la.arange(*numbers)
    for keywords in ({"stop": 4}, {"start": 1, "stop": 4}, {"start": 4, "stop": None}):
        np.testing.assert_array_equal(la.arange(**keywords), np.arange(**keywords))


@pytest.mark.parametrize("sizes", [(2, 1), (0, 2), (2, 3), (3,), ()])
def test_grids_of_truths_have_two_at_most(sizes: tuple[int, ...]) -> None:
    try:
        expected = np.indices(sizes, bool)
    except TypeError as error:
        with pytest.raises(TypeError, match=re.escape(str(error))):
            la.indices(sizes, bool)
    else:
        assert_same(la.indices(sizes, bool).compute(), expected)
