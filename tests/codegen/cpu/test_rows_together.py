"""Products of a matrix and a vector: rows side by side have the bits that each has in any place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.processor_tilings import RowGroupTiling

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "plain": lambda a, x, y: a @ x,
    "what precedes": lambda a, x, y: (a * a - 1) @ (x + 1),
    "what follows": lambda a, x, y: la.maximum(a @ x + y, 0) * 2,
    "in its operand's place": lambda a, x, y: a @ x + y * y,
    "a factor of each row": lambda a, x, y: (a * y[:, None]) @ x,
    "transposed": lambda a, x, y: x @ a.T,
    "one column": lambda a, x, y: (a @ x[:, None])[:, 0] - y,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=12, deadline=None)
@given(
    st.integers(4, 30),
    st.sampled_from([64, 65, 100, 255, 256, 257, 700]),
    st.sampled_from([np.float32, np.float64]),
)
def test_any_number_of_rows(name: str, rows: int, length: int, dtype: Any) -> None:
    function = FUNCTIONS[name]
    random = np.random.default_rng([rows, length])
    a, x, y = (random.random(n).astype(dtype) for n in ((rows, length), length, rows))
    results = []
    for threads in (1, 3):
        with la.config(threads=threads):
            results.append(np.asarray(la.jit(function)(a, x, y)))
    np.testing.assert_array_equal(*results)
    expected = _of_numpy(name, *(array.astype(np.longdouble) for array in (a, x, y)))
    assert results[0].dtype == dtype
    error = np.max(np.abs(results[0] - expected)) / np.max(np.abs(expected))
    assert error < 20 * np.finfo(dtype).eps


def _of_numpy(name: str, a: Array, x: Array, y: Array) -> Any:
    if name == "what follows":
        return np.maximum(a @ x + y, 0) * 2
    return FUNCTIONS[name](a, x, y)


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 23), st.integers(64, 600), st.sampled_from([np.float32, np.float64]))
def test_a_row_has_the_same_bits_wherever_it_lies(rows: int, length: int, dtype: Any) -> None:
    random = np.random.default_rng([rows, length])
    a, x = random.random((rows, length)).astype(dtype), random.random(length).astype(dtype)
    product = la.jit(lambda a, x: a @ x)
    kernel = product.explain(a, x).kernels[-1]
    assert kernel.tiling == RowGroupTiling(tuning.row().matrix_rows, kernel.tiling.chunk)
    order = random.permutation(rows)
    np.testing.assert_array_equal(product(a[order], x), np.asarray(product(a, x))[order])


def test_lengths_of_one_plan_have_the_bits_of_their_own() -> None:
    """The second length of a form is planned with symbols, which leave the order of additions."""
    random = np.random.default_rng(5)
    for rows, length in ((9, 300), (10, 411), (23, 1000), (4, 64)):
        a, x = random.random((rows, length)), random.random(length)
        pending = la.evaluate(la.maximum(la.asarray(a) @ la.asarray(x), 0) * 2)
        jitted = la.jit(lambda a, x: la.maximum(a @ x, 0) * 2)(a, x)
        np.testing.assert_array_equal(pending, jitted)


def test_few_or_short_rows_are_not_taken_together() -> None:
    for shape in ((3, 500), (500, 63)):
        kernel = la.jit(lambda a, x: a @ x).explain(np.ones(shape), np.ones(shape[1])).kernels[-1]
        assert not isinstance(kernel.tiling, RowGroupTiling)


def test_deviations_from_a_mean_that_lies_in_memory_are_rows_of_their_own() -> None:
    a = np.random.default_rng(6).random((400, 600))
    with la.config(immediate=0):
        x = la.asarray(a)
        values = [x.sum(1), x.mean(1), x.var(1), (x * x).sum(1), x.max(1)]
        expected = [a.sum(1), a.mean(1), a.var(1), (a * a).sum(1), a.max(1)]
        for value, known in zip(values, expected, strict=True):
            np.testing.assert_allclose(la.evaluate(value), known)
