"""``where`` of three operands in memory, without a branch for each element: NumPy's elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.compiler import pipeline

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]

_DTYPES = "? u1 i1 i2 u2 f2 i4 u4 f4 i8 u8 f8 c8 c16".split()


def _operand(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return random elements that broadcast to a shape, in one of several layouts."""
    lengths = tuple([1 if rng.random() < 0.2 else n for n in shape])[rng.integers(0, 2) :]
    wide = rng.integers(0, 100, [2 * n for n in lengths]).astype(dtype)
    layouts = [
        wide[tuple([slice(n) for n in lengths])],
        np.ascontiguousarray(wide[tuple([slice(n) for n in lengths])]),
        wide[tuple([slice(None, None, 2)] * len(lengths))],
        np.asfortranarray(wide[tuple([slice(n) for n in lengths])]),
        wide[tuple([slice(n - 1, None, -1) for n in lengths])],
    ]
    return layouts[rng.integers(len(layouts))]


def _number(rng: np.random.Generator, dtype: str) -> Any:
    numbers: list[Any] = [0, 1, 7, True, np.float64(2.5), np.int64(3), -2]
    if np.dtype(dtype).kind in "fc":
        numbers += [0.5, np.nan, -0.0]
    return numbers[rng.integers(len(numbers))]


@settings(max_examples=150, deadline=None, database=None, derandomize=True)
@given(seed=st.integers(0, 1 << 32))
def test_random_choices_are_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, [40, 12, 7][: rng.integers(1, 4)]).tolist())
    dtype = _DTYPES[rng.integers(len(_DTYPES))]
    other = dtype if rng.random() < 0.7 else _DTYPES[rng.integers(len(_DTYPES))]
    condition = _operand(rng, shape, "?")
    yes = _operand(rng, shape, dtype)
    no = _number(rng, dtype) if rng.random() < 0.4 else _operand(rng, shape, other)
    pair = (yes, no) if rng.random() < 0.5 else (no, yes)
    with la.config(immediate=4096):
        lazy = [la.array(x) if isinstance(x, np.ndarray) else x for x in (condition, *pair)]
        try:
            expected = np.where(condition, *pair)
        except (OverflowError, ValueError) as error:
            with pytest.raises(type(error)):
                la.where(*lazy).compute()
            return
        result = la.where(*lazy)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    assert result.strides == expected.strides or min(expected.shape) <= 1
    assert np.asarray(result).tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [900, 50_000, 300_000])
@pytest.mark.parametrize("dtype", ["u1", "i4", "f8", "c16"])
def test_choices_of_middle_sizes_make_no_plan(
    size: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(size)
    condition = rng.random(size) < 0.5
    x, y = (rng.random((2, size)) * 100).astype(dtype)
    if COMPILED is not None:  # Python's form computes them by plans
        monkeypatch.setattr(pipeline, "evaluate", None)
    with la.config(immediate=4096):
        arrays = la.array(condition), la.array(x), la.array(y)
        for mine, theirs in (
            (la.where(*arrays), np.where(condition, x, y)),
            (la.where(arrays[0], arrays[1], 0), np.where(condition, x, 0)),
            (la.where(arrays[0], 1, arrays[2]), np.where(condition, 1, y)),
        ):
            assert np.asarray(mine).tobytes() == theirs.tobytes()


def test_conditions_of_other_bytes_than_one_are_true() -> None:
    condition = np.arange(-3, 4).astype(np.int8).view(bool)
    x = np.arange(7.0)
    expected = np.where(condition, x, -1.0)
    assert (
        np.asarray(la.where(la.array(condition), la.array(x), -1.0)).tolist() == expected.tolist()
    )
