"""Functions of short rows are computed in whole blocks of lanes, with the bits of long loops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.host


def functions(x: Any, y: Any) -> Any:
    return la.exp(x) * y + la.sin(x) / la.log(x + 3) + (x + 2) ** 1.7


@settings(max_examples=30, deadline=None)
@given(
    rows=st.integers(2, 9),
    length=st.integers(13, 90),
    dtype=st.sampled_from([np.float32, np.float64]),
    step=st.sampled_from([1, 2, 3, -1]),
)
def test_bits_are_those_of_long_loops(rows: int, length: int, dtype: type, step: int) -> None:
    rng = np.random.default_rng(rows + 100 * length)
    wide = rng.random((rows, length * abs(step) + 1)).astype(dtype)
    x, y = wide[:, ::step][:, :length], rng.random((rows, 1)).astype(dtype)
    long = la.jit(functions)(np.ascontiguousarray(x).ravel(), np.repeat(y, length))
    np.testing.assert_array_equal(la.jit(functions)(x, y), long.reshape(x.shape))


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 9), st.integers(13, 90), st.sampled_from([np.float32, np.float64]))
def test_results_may_overwrite_operands(rows: int, length: int, dtype: type) -> None:
    rng = np.random.default_rng(rows + 100 * length)
    x, y = rng.random((rows, length)).astype(dtype), rng.random((rows, 1)).astype(dtype)
    expected = la.jit(functions)(x, y)
    own = x.copy()
    result = la.jit(functions, donate=[0])(own, y)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("length", [17, 79])
@pytest.mark.parametrize("place", [0, 5, -1])
def test_warnings_are_those_of_the_elements(length: int, place: int) -> None:
    function = la.jit(lambda x, y: la.log(x) * y)
    x, y = np.ones((5, length)), np.ones(length)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(x, y)
        function(x, y)
    x[2, place] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert function(x, y)[2, place] == -np.inf


def test_blocks_are_of_lanes_and_the_last_is_whole() -> None:
    x, y = np.ones((300, 79)), np.ones(79)
    (kernel,) = la.jit(lambda x, y: la.exp(x) * y).explain(x, y).kernels
    assert "rest" in kernel.source
    (plain,) = la.jit(lambda x, y: x * y - y).explain(x, y).kernels
    assert "rest" not in plain.source
