"""Derivatives of pools whose windows lie side by side."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn
from lazyarr.graph.node import Kind, walk

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)


def cotangent_of_largest(x: Array, g: Array, window: tuple[int, int]) -> Array:
    """Return the cotangent of images by a loop over windows: shares of the largest elements."""
    result = np.zeros_like(x)
    down, across = window
    for i, j in np.ndindex(*g.shape[2:]):
        part = (slice(None), slice(None), slice(i * down, (i + 1) * down))
        part = (*part, slice(j * across, (j + 1) * across))
        equal = x[part] == x[part].max(axis=(2, 3), keepdims=True)
        count = equal.sum(axis=(2, 3), keepdims=True)
        result[part] = np.where(equal, g[:, :, i, j][..., None, None] / count, 0.0)
    return result


def pulled_back(pool: Any, x: Array, g: Array) -> Array:
    gradient: Array = la.grad(lambda x: (pool(x) * g).sum())(x).compute()
    return gradient


@given(
    size=st.tuples(st.integers(2, 7), st.integers(2, 7)),
    window=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    levels=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_largest_elements_share_a_cotangent(
    size: tuple[int, int], window: tuple[int, int], levels: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x = random.integers(0, levels, (2, 3, *size)).astype(np.float64)
    g = random.standard_normal((2, 3, size[0] // window[0], size[1] // window[1]))
    result = pulled_back(lambda x: nn.max_pool2d(x, window), x, g)
    np.testing.assert_allclose(result, cotangent_of_largest(x, g, window), 1e-15)


@pytest.mark.parametrize("options", [{}, {"padding": 1}, {"channels": "last"}])
@pytest.mark.parametrize("pool", [nn.max_pool2d, nn.avg_pool2d])
def test_forward_and_reverse_accumulation_agree(pool: Any, options: dict[str, Any]) -> None:
    x, t = RANDOM.standard_normal((2, 2, 5, 7, 4))

    def value(x: Any) -> Any:
        return pool(x, 2, **options)

    out, tangent = la.jvp(value, (x,), (t,))
    g = RANDOM.standard_normal(out.shape)
    pulled = la.grad(lambda x: (value(x) * g).sum())(x)
    np.testing.assert_allclose((tangent * g).sum().compute(), (pulled * t).sum().compute(), 1e-12)


@pytest.mark.parametrize("pool", [nn.max_pool1d, nn.avg_pool1d])
def test_second_derivatives(pool: Any) -> None:
    x = RANDOM.standard_normal((1, 1, 6))
    hessian = la.hessian(lambda x: (pool(x, 2) ** 2).sum())(x).compute().reshape(6, 6)

    def matrix(x: Array) -> Array:
        pairs = x.reshape(3, 2)
        largest = pairs == pairs.max(1, keepdims=True)
        return (largest if pool is nn.max_pool1d else np.full((3, 2), 0.5)) * 1.0

    rows = matrix(x)
    expected = np.zeros((6, 6))
    for k, row in enumerate(rows):
        expected[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = 2 * np.outer(row, row)
    np.testing.assert_allclose(hessian, expected, 1e-12)


@pytest.mark.parametrize("pool", [nn.max_pool2d, nn.avg_pool2d])
def test_no_slice_is_put_among_zeros(pool: Any) -> None:
    gradient = la.grad(lambda x: pool(x, 2).sum())(RANDOM.standard_normal((1, 1, 4, 4)))
    kinds = {node.op.kind for node in walk((gradient._node,))}
    assert Kind.CONCATENATE not in kinds


def test_windows_with_a_nan_share_what_they_pass_on() -> None:
    x = np.array([[[1.0, np.nan, 3.0, 2.0]]])
    gradient = la.grad(lambda x: nn.max_pool1d(x, 2).sum())(x).compute()
    np.testing.assert_array_equal(gradient, [[[0.5, 0.5, 1.0, 0.0]]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_have_the_dtype_of_the_images(dtype: Any) -> None:
    x = RANDOM.standard_normal((1, 2, 4, 4)).astype(dtype)
    for pool in (nn.max_pool2d, nn.avg_pool2d):
        assert la.grad(lambda x, pool=pool: pool(x, 2).sum())(x).dtype == dtype
