"""Reductions down many rows: panels whose states are combined by lanes of columns, and the rest."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

ROWS = 1500  # several panels


def _data(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    random = np.random.default_rng(len(shape))
    data = (3 * random.standard_normal(shape)).astype(dtype)
    if data.dtype.kind == "f":
        data[7, ..., 3] = np.nan
        data[-1, ..., 2] = np.inf
    return data


@pytest.mark.parametrize("columns", [1, 31, 32, 33, 70, 2081])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "argmin", "argmax", "any", "all"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
def test_whole_blocks_of_columns_and_the_rest(columns: int, name: str, dtype: str) -> None:
    data = _data((ROWS, max(4, columns)), dtype)[:, :columns]
    if name == "prod" and data.dtype.kind == "f":
        data = 1 + data / 1000  # whose products neither overflow nor vanish
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(data, axis=0)
        result = la.evaluate(getattr(la, name)(la.asarray(data), axis=0))
    assert result.dtype == expected.dtype
    if data.dtype.kind == "f" and name in ("sum", "prod"):
        close = 1e-3 if dtype == "float32" else 1e-11
        np.testing.assert_allclose(result, expected, rtol=close, atol=close * (name == "sum"))
    else:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("columns", [31, 64, 2081])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_follows_the_reductions(columns: int, dtype: str) -> None:
    """Several reductions of one pass, with what is computed from them and another operand."""
    data = np.random.default_rng(columns).standard_normal((ROWS, 2, columns)).astype(dtype)
    weights = np.arange(1, columns + 1).astype(dtype)
    x = la.asarray(data)
    expression = (x.max(axis=0) - x.mean(axis=0)) / la.sqrt(x.var(axis=0)) * weights
    expected = (data.max(axis=0) - data.mean(axis=0)) / np.sqrt(data.var(axis=0)) * weights
    result = la.evaluate(expression)
    np.testing.assert_allclose(result, expected, rtol=1e-4 if dtype == "float32" else 1e-11)
    for threads in (1, 3):
        with la.config(threads=threads):
            assert la.evaluate(expression).tobytes() == result.tobytes()
