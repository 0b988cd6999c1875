"""Pooling to a number of parts against loops over the parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn

TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("kind", ["avg", "max"])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_parts(kind: str, dtype: str, data: st.DataObject) -> None:
    height, width, rows, columns = (data.draw(st.integers(1, 7)) for _ in range(4))
    channels = data.draw(st.sampled_from(["first", "last"]))
    batch = data.draw(st.integers(0, 2))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = random.standard_normal((batch, 3, height, width)).astype(dtype)
    expected = np.empty((batch, 3, rows, columns))
    for i in range(rows):
        for j in range(columns):
            part = x[
                ...,
                i * height // rows : -(-(i + 1) * height // rows),
                j * width // columns : -(-(j + 1) * width // columns),
            ].astype(float)
            expected[..., i, j] = part.mean((2, 3)) if kind == "avg" else part.max((2, 3))
    images = x if channels == "first" else np.moveaxis(x, 1, -1)
    result = getattr(nn, f"adaptive_{kind}_pool2d")(images, (rows, columns), channels=channels)
    assert result.dtype == dtype
    values = result.compute()
    values = values if channels == "first" else np.moveaxis(values, -1, 1)
    np.testing.assert_allclose(values, expected, TOLERANCE[dtype], TOLERANCE[dtype])
    signal = x[..., 0]
    along = getattr(nn, f"adaptive_{kind}_pool1d")(signal, rows).compute()
    again = getattr(nn, f"adaptive_{kind}_pool2d")(signal[..., None], (rows, 1)).compute()
    np.testing.assert_array_equal(along, again[..., 0])


@pytest.mark.parametrize("size", [2, 3])
def test_special_values_stay_in_their_parts(size: int) -> None:
    x = np.array([[[1.0, 2.0, 3.0, np.nan], [1.0, 2.0, 3.0, np.inf], [-np.inf] * 4]])
    largest = nn.adaptive_max_pool1d(x, size).compute()[0]
    mean = nn.adaptive_avg_pool1d(x, size).compute()[0]
    for pooled in (largest, mean):
        assert np.isfinite(pooled[:2, 0]).all()
        assert np.isnan(pooled[0, -1])
        assert pooled[1, -1] == np.inf
        assert (pooled[2] == -np.inf).all()


def test_arguments_that_do_not_fit() -> None:
    x = np.zeros((1, 2, 4, 4))
    for size in (0, (2, -1)):
        with pytest.raises(la.errors.ArgumentError, match="size must be positive"):
            nn.adaptive_avg_pool2d(x, size)
    with pytest.raises(la.errors.ArgumentError, match="size takes integers"):
        nn.adaptive_max_pool2d(x, 1.5)
    with pytest.raises(la.errors.ShapeError, match="must have 4 axes"):
        nn.adaptive_avg_pool2d(x[0], 2)
    with pytest.raises(la.errors.ShapeError, match="no elements"):
        nn.adaptive_max_pool2d(np.zeros((1, 2, 0, 4)), 2)
