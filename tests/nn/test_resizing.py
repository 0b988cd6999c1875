"""Resizing against SciPy's interpolation at the centres of elements, and by index."""

import numpy as np
import pytest
import scipy.interpolate
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn

TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13}


def _places(before: int, after: int, corners: bool) -> np.ndarray:
    if corners:
        return np.linspace(0, before - 1, after) if after > 1 else np.zeros(1)
    return np.clip((np.arange(after) + 0.5) * before / after - 0.5, 0, before - 1)


@pytest.mark.parametrize("dtype", TOLERANCE)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_linear(dtype: str, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 2))
    before = tuple(data.draw(st.integers(1, 5)) for _ in range(rank))
    after = tuple(data.draw(st.integers(1, 9)) for _ in range(rank))
    corners = data.draw(st.booleans())
    x = np.random.default_rng(data.draw(st.integers(0, 99))).standard_normal((2, 3, *before))
    x = x.astype(dtype)
    expected = x.astype(float)
    for axis, (n, m) in enumerate(zip(before, after, strict=True), 2):
        if n == 1:
            expected = np.repeat(expected, m, axis)
        else:
            line = scipy.interpolate.interp1d(np.arange(n), expected, axis=axis)
            expected = line(_places(n, m, corners))
    result = nn.upsample(x, size=after, mode="linear", align_corners=corners)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, TOLERANCE[dtype], TOLERANCE[dtype])
    last = nn.upsample(
        np.moveaxis(x, 1, -1), size=after, mode="linear", align_corners=corners, channels="last"
    )
    np.testing.assert_array_equal(np.moveaxis(last.compute(), -1, 1), result.compute())


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_nearest(data: st.DataObject) -> None:
    before, after = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 12))
    x = np.random.default_rng(0).standard_normal((2, 1, before, 2)).astype(np.float16)
    centres = (np.arange(after) + 0.5) / after
    distances = np.abs(centres[:, None] - (np.arange(before) + 0.5) / before)
    result = nn.upsample(x, size=(after, 2)).compute()
    assert result.dtype == x.dtype
    picked = before - 1 - np.argmin(np.round(distances[:, ::-1], 9), axis=1)
    np.testing.assert_array_equal(result, x[:, :, picked])
    factor = nn.upsample(x, (3, 1)).compute()
    np.testing.assert_array_equal(factor, np.repeat(x, 3, axis=2))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_special_values_stay_where_they_are(mode: str) -> None:
    x = np.array([[[1.0, np.inf, 2.0, np.nan, 3.0]]])
    result = nn.upsample(x, size=5, mode=mode).compute()
    np.testing.assert_array_equal(result, x)
    corners = nn.upsample(x[..., :3], size=5, mode="linear", align_corners=True).compute()
    np.testing.assert_array_equal(corners[0, 0], [1, np.inf, np.inf, np.inf, 2])


def test_an_empty_batch() -> None:
    for mode in ("nearest", "linear"):
        assert nn.upsample(np.zeros((0, 2, 3, 4)), 2, mode=mode).compute().shape == (0, 2, 6, 8)


def test_arguments_that_do_not_fit() -> None:
    x = np.zeros((1, 2, 4))
    for arguments in ({}, {"scale": 2, "size": 8}):
        with pytest.raises(la.errors.ArgumentError, match="needs scale or size"):
            nn.upsample(x, **arguments)
    with pytest.raises(la.errors.ArgumentError, match="scale must be positive"):
        nn.upsample(x, 0)
    with pytest.raises(la.errors.ArgumentError, match="mode must be"):
        nn.upsample(x, 2, mode="bicubic")
    with pytest.raises(la.errors.ShapeError, match="spatial axis"):
        nn.upsample(np.zeros((1, 2)), 2)
    with pytest.raises(la.errors.ShapeError, match="with elements"):
        nn.upsample(np.zeros((1, 2, 0)), 2)
