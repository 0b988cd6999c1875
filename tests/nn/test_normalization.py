"""Normalisation against its formulas."""

import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn

TOLERANCE = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}


@pytest.fixture(params=TOLERANCE)
def dtype(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("axis", [-1, 1, (1, 2), (0, 1, 2)])
def test_layer_and_rms_norm(dtype: str, axis: int | tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    x = (3 * random.standard_normal((4, 5, 6)) + 2).astype(dtype)
    axes = sorted(k % 3 for k in np.atleast_1d(axis))
    sizes = [x.shape[k] for k in axes]
    weight, bias = random.standard_normal(sizes), random.standard_normal(sizes)
    wide = [n if k in axes else 1 for k, n in enumerate(x.shape)]
    data = x.astype(float)
    mean, var = data.mean(tuple(axes), keepdims=True), data.var(tuple(axes), keepdims=True)
    expected = (data - mean) / np.sqrt(var + 1e-3) * weight.reshape(wide) + bias.reshape(wide)
    result = nn.layer_norm(x, weight, bias, axis=axis, eps=1e-3)
    assert result.dtype == dtype
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    np.testing.assert_allclose(result.compute(), expected, **close)
    square = (data**2).mean(tuple(axes), keepdims=True)
    expected = data / np.sqrt(square + 1e-6) * weight.reshape(wide)
    result = nn.rms_norm(x, weight, axis=axis)
    assert result.dtype == dtype
    np.testing.assert_allclose(result.compute(), expected, **close)


@pytest.mark.parametrize(("shape", "axis"), [((8, 3), 1), ((4, 3, 5, 2), 1), ((4, 5, 3), -1)])
def test_batch_norm(dtype: str, shape: tuple[int, ...], axis: int) -> None:
    random = np.random.default_rng(1)
    x = (2 * random.standard_normal(shape) - 1).astype(dtype)
    weight, bias, mean = random.standard_normal((3, 3))
    variance = random.random(3) + 0.5
    wide = [1] * len(shape)
    wide[axis] = 3
    others = tuple(k for k in range(len(shape)) if k != axis % len(shape))
    data = x.astype(float)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for training in (False, True):
        center = data.mean(others) if training else mean
        spread = data.var(others) if training else variance
        result, new_mean, new_variance = nn.batch_norm(
            x, weight, bias, mean, variance, training=training, axis=axis, momentum=0.3
        )
        assert result.dtype == dtype
        normal = (data - center.reshape(wide)) / np.sqrt(spread.reshape(wide) + 1e-5)
        expected = normal * weight.reshape(wide) + bias.reshape(wide)
        np.testing.assert_allclose(result.compute(), expected, **close)
        if training:
            sample = data.var(others, ddof=1)
            np.testing.assert_allclose(new_mean.compute(), 0.7 * mean + 0.3 * center, **close)
            np.testing.assert_allclose(
                new_variance.compute(), 0.7 * variance + 0.3 * sample, **close
            )
        else:
            assert (new_mean.compute() == mean).all()
            assert (new_variance.compute() == variance).all()


def test_shapes_that_do_not_fit() -> None:
    x = np.zeros((2, 3))
    with pytest.raises(la.errors.ShapeError, match=r"weight has shape \(2,\), expected \(3,\)"):
        nn.layer_norm(x, np.ones(2))
    with pytest.raises(la.errors.ShapeError, match="mean has shape"):
        nn.batch_norm(x, None, None, np.zeros(2), np.ones(3))
    with pytest.raises(la.errors.ShapeError, match="at least 2 needed"):
        nn.batch_norm(x[:1], None, None, np.zeros(3), np.ones(3), training=True)
    with pytest.raises(la.errors.AxisError):
        nn.rms_norm(x, axis=2)


def test_rows_are_normalised_in_one_kernel() -> None:
    x = la.asarray(np.zeros((100, 64)))
    assert len(la.explain(nn.layer_norm(x, np.ones(64), np.zeros(64))).kernels) == 1
    assert len(la.explain(nn.rms_norm(x, np.ones(64))).kernels) == 1


@pytest.mark.parametrize(
    ("shape", "axis", "groups"),
    [
        ((3, 6), 1, 2),
        ((2, 6, 4, 3), 1, 3),
        ((2, 4, 6), -1, 2),
        ((2, 6, 4), 1, 1),
        ((0, 6, 4), 1, 2),
    ],
)
def test_group_norm(dtype: str, shape: tuple[int, ...], axis: int, groups: int) -> None:
    random = np.random.default_rng(2)
    x = (3 * random.standard_normal(shape) + 2).astype(dtype)
    weight, bias = random.standard_normal((2, 6))
    first = np.moveaxis(x.astype(float), axis, 1)
    rows = first.reshape(shape[0], groups, 6 // groups, math.prod(first.shape[2:]))
    mean, var = rows.mean((2, 3), keepdims=True), rows.var((2, 3), keepdims=True)
    normal = ((rows - mean) / np.sqrt(var + 1e-5)).reshape(first.shape)
    expected = np.moveaxis(normal, 1, -1) * weight + bias
    result = nn.group_norm(x, groups, weight, bias, axis=axis)
    assert result.dtype == dtype
    close = {"rtol": TOLERANCE[dtype], "atol": 2 * TOLERANCE[dtype]}
    np.testing.assert_allclose(result.compute(), np.moveaxis(expected, -1, axis), **close)


@pytest.mark.parametrize(("shape", "axis"), [((2, 3, 5), 1), ((2, 4, 5, 3), -1), ((0, 3, 2), 1)])
def test_instance_norm_is_group_norm_of_each_channel(
    dtype: str, shape: tuple[int, ...], axis: int
) -> None:
    random = np.random.default_rng(3)
    x = random.standard_normal(shape).astype(dtype)
    weight, bias = random.standard_normal((2, 3))
    result = nn.instance_norm(x, weight, bias, axis=axis)
    assert result.dtype == dtype
    expected = nn.group_norm(x, 3, weight, bias, axis=axis)
    np.testing.assert_array_equal(result.compute(), expected.compute())


def test_equal_elements_of_a_group_are_its_bias() -> None:
    x = np.full((2, 4, 3), 2.0**90, np.float32)  # sums are exact
    result = nn.group_norm(x, 2, None, np.arange(4.0)).compute()
    np.testing.assert_array_equal(result, np.broadcast_to(np.arange(4.0)[:, None], (2, 4, 3)))


def test_groups_that_do_not_fit() -> None:
    x = np.zeros((2, 6, 3))
    for groups in (4, 0, -2):
        with pytest.raises(la.errors.ArgumentError, match=f"groups={groups} must divide the 6"):
            nn.group_norm(x, groups)
    with pytest.raises(la.errors.ArgumentError, match="axis 0 of x is the batch"):
        nn.group_norm(x, 2, axis=0)
    with pytest.raises(la.errors.ShapeError, match="1 elements per channel"):
        nn.instance_norm(np.zeros((2, 6)))
    with pytest.raises(la.errors.ShapeError, match="1 elements per group"):
        nn.group_norm(np.zeros((2, 6)), 6)
    with pytest.raises(la.errors.ShapeError, match=r"weight has shape \(2,\)"):
        nn.group_norm(x, 2, np.ones(2))
