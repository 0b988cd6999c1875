"""Unit vectors, cosines and vectors of classes against NumPy, without overflow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn

TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [-1, 0, (0, 2)])
def test_normalize(dtype: str, axis: int | tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 5)).astype(dtype)
    wide = x.astype(float)
    expected = wide / np.sqrt((wide**2).sum(axis, keepdims=True))
    result = nn.normalize(x, axis)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, TOLERANCE[dtype], TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_large_and_small_vectors(dtype: str) -> None:
    limits = np.finfo(dtype)
    x = np.array([[3, -4], [3, -4]]).astype(dtype)
    x[0] *= limits.max / 8
    x[1] *= limits.smallest_normal
    result = nn.normalize(x, eps=float(np.finfo(np.float64).tiny)).compute()
    if dtype == "float32":
        result = result[:1]  # the least eps is 0 in float32
    np.testing.assert_allclose(result, [[0.6, -0.8]] * len(result), 2 * TOLERANCE[dtype])


def test_zeros_stay_zeros_and_have_a_derivative() -> None:
    x = np.zeros((2, 3))
    result, slope = la.evaluate(*la.value_and_grad(lambda x: nn.normalize(x, eps=0.5).sum())(x))
    assert result == 0
    np.testing.assert_array_equal(slope, np.full((2, 3), 2.0))
    assert float(nn.cosine_similarity(np.zeros(3), np.ones(3))) == 0
    assert nn.normalize(np.zeros((0, 3))).compute().shape == (0, 3)
    assert nn.normalize(np.zeros((3, 0))).compute().shape == (3, 0)
    for eps in (0.0, -1.0, np.nan):
        with pytest.raises(la.errors.ArgumentError, match="eps must be positive"):
            nn.normalize(x, eps=eps)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_cosine_similarity(dtype: str) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((2, 1, 5)).astype(dtype)
    y = random.standard_normal((3, 5)).astype(dtype)
    first, second = np.broadcast_arrays(x.astype(float), y.astype(float))
    norms = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    expected = (first * second).sum(-1) / norms
    result = nn.cosine_similarity(x, y)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, TOLERANCE[dtype], TOLERANCE[dtype])
    assert nn.cosine_similarity(x, y.astype("f8")).dtype == np.float64
    along = nn.cosine_similarity(np.moveaxis(x, -1, 0), y.T[:, None], 0)
    np.testing.assert_allclose(along.compute(), expected, TOLERANCE[dtype], TOLERANCE[dtype])
    with pytest.raises(la.errors.ShapeError):
        nn.cosine_similarity(np.zeros((2, 3)), np.zeros((3, 3)))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_one_hot(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=2)))
    classes = data.draw(st.integers(1, 9))
    axis = data.draw(st.integers(-1, len(shape)))
    dtype = data.draw(st.sampled_from(["f4", "f8", "i4", "u1", "?", "f2"]))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    labels = random.integers(classes, size=shape).astype(data.draw(st.sampled_from(["i8", "u1"])))
    result = nn.one_hot(labels, classes, dtype=dtype, axis=axis).compute()
    assert result.dtype == dtype
    np.testing.assert_array_equal(
        result, np.moveaxis(np.eye(classes, dtype=dtype)[labels], -1, axis)
    )


def test_classes_out_of_range() -> None:
    with pytest.raises(la.errors.IndexingError, match=r"labels\[1\] is 3, out of range for 3"):
        nn.one_hot([0, 3], 3)
    with pytest.raises(la.errors.IndexingError, match=r"labels\[0\] is -1"):
        nn.one_hot([-1], 3)
    step = la.jit(lambda labels: nn.one_hot(labels, 3))
    with pytest.raises(la.errors.IndexingError, match="index 3 is out of bounds"):
        step(np.array([3]))
    with pytest.raises(la.errors.DTypeError, match="integers"):
        nn.one_hot([0.5], 3)
    with pytest.raises(la.errors.DTypeError, match="no numbers"):
        nn.one_hot([0], 3, dtype="U3")
    with pytest.raises(la.errors.ArgumentError, match="classes must not be negative"):
        nn.one_hot([0], -1)
