"""Functions that NumPy computes at once, in jitted functions on the processor: NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import TracingError


@pytest.mark.parametrize("count", [1, 2, 4])
def test_orders_by_several_keys(count: int) -> None:
    keys = [np.random.default_rng(k).integers(0, 3, 50).astype("f8") for k in range(count)]
    jitted = la.jit(lambda *keys: la.lexsort(keys))
    np.testing.assert_array_equal(jitted(*keys), np.lexsort(keys))
    with pytest.raises(ValueError, match="same shape"):
        la.lexsort((np.arange(3), np.arange(4)))


@pytest.mark.parametrize("options", [{}, {"N": 4}, {"N": 6, "increasing": True}])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", "c16"])
def test_matrices_of_powers(options: dict[str, Any], dtype: str) -> None:
    x = (np.random.default_rng(3).standard_normal(9) * 3).astype(dtype)
    result = np.asarray(la.jit(lambda x: la.vander(x, **options))(x))
    expected = np.vander(x, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_histograms_between_edges(weighted: bool, dtype: str) -> None:
    random = np.random.default_rng(5)
    x = (random.standard_normal((30, 20)) * 4).astype(dtype)
    edges = [-5, -1, 0, 0.5, 6]
    weights = random.random(x.shape) if weighted else None

    def counts(x: Any) -> Any:
        return la.histogram(x, edges, weights=weights)[0]

    result, expected = np.asarray(la.jit(counts)(x)), np.histogram(x, edges, weights=weights)[0]
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_functions_that_need_values_are_refused_while_a_function_is_traced() -> None:
    with pytest.raises(TracingError):
        la.jit(lambda x: la.unravel_index(x, (2, 3))[0])(np.arange(6))
