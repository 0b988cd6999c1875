"""Functions of columns, computed before they are reduced: rows as one line, or in blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import column_blocks, tuning
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import Registers

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda m, x: m.exp(x).sum(axis=0),
    "extrema": lambda m, x: m.sin(x).max(axis=0) - m.tanh(x).min(axis=0),
    "deviation": lambda m, x: m.exp(-x).std(axis=0) + m.exp(-x).mean(axis=0),
    "position": lambda m, x: m.argmax(m.exp(x), axis=0) + m.exp(-x).max(axis=0),
    "of both": lambda m, x: (m.log(x + 1) * m.log(x[::-1] + 1)).sum(axis=0),
    "of columns": lambda m, x: (m.exp(x) * m.arange(x.shape[-1])).sum(axis=0),
    "middle": lambda m, x: m.exp(x.reshape(5, -1, x.shape[-1])).sum(axis=1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_functions_of_few_columns_have_the_bits_of_each_row(name: str, dtype: str) -> None:
    rng = np.random.default_rng(3)
    for rows, columns in ((4000, 2), (3335, 3), (2005, 5), (1500, 7), (1040, 12)):
        x = rng.random((rows, columns)).astype(dtype)
        results = []
        for elements in (0, tuning.row().line_elements):
            with tuning.TABLE.using(replace(tuning.row(), line_elements=elements)):
                results.append(la.evaluate(FUNCTIONS[name](la, la.asarray(x))))
        np.testing.assert_array_equal(*results)
        tolerance = 1e-5 if dtype == "f4" else 1e-12
        np.testing.assert_allclose(results[1], FUNCTIONS[name](np, x), rtol=tolerance)


def test_lines_are_of_rows_that_lie_one_behind_the_other() -> None:
    def tiling(x: Any) -> str:
        (kernel,) = la.explain(la.exp(la.asarray(x)).sum(axis=0)).kernels
        return str(kernel.tiling)

    assert "as one line" in tiling(np.ones((3000, 3)))
    assert "as one line" not in tiling(np.ones((3000, 8))), "each row is a vector"
    assert "as one line" not in tiling(np.ones((3000, 6))[:, :3])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_in_blocks_of_columns_have_the_bits_of_each_element(name: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        dtype = rng.choice(["f4", "f8"])
        lanes = 32 // np.dtype(dtype).itemsize
        columns = int(rng.integers(1, 5)) * lanes + lanes - 1
        x = rng.random((5 * int(rng.integers(60, 120)), columns)).astype(dtype)
        results = []
        for most in (0, tuning.row().line_columns):
            with tuning.TABLE.using(replace(tuning.row(), line_columns=most)):
                with np.errstate(all="raise"):
                    results.append(la.evaluate(FUNCTIONS[name](la, la.asarray(x))))
        np.testing.assert_array_equal(*results)
        tolerance = 1e-4 if dtype == "f4" else 1e-12
        np.testing.assert_allclose(results[1], FUNCTIONS[name](np, x), rtol=tolerance)


def test_rows_of_several_axes_are_computed_in_blocks_of_columns() -> None:
    x = np.random.default_rng(6).random((5, 4, 77, 3, 5)).astype("f4")
    expected = np.exp(-x).min(axis=(0, 2))
    np.testing.assert_allclose(la.exp(-la.asarray(x)).min(axis=(0, 2)), expected, rtol=1e-6)


def test_blocks_are_for_rows_that_would_take_more_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_blocks, "registers", lambda: Registers(32, 16))

    def tiling(rows: int, columns: int) -> str:
        x = la.asarray(np.ones((rows, columns), "f4"))
        (kernel,) = la.explain(la.exp(x).sum(axis=0)).kernels
        return str(kernel.tiling)

    assert "in blocks of 8 columns" in tiling(3000, 31)
    assert "in blocks" not in tiling(3000, 33), "a single element is left"
    assert "in blocks" not in tiling(3000, 287), "what is left is little beside the row"


@pytest.mark.parametrize("axis", [0, (0, 2)])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_no_rows_of_no_columns(name: str, axis: Any) -> None:
    x = np.zeros((0, 0, 1), "f4")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = getattr(la, name)(la.exp(la.asarray(x)), axis).compute()
        expected = getattr(np, name)(np.exp(x), axis)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)


def test_chunks_side_by_side_have_the_bits_of_one_at_a_time() -> None:
    rng = np.random.default_rng(9)
    for function in (la.negative, la.cos):
        front = tuple(int(n) for n in rng.integers(1, 4, int(rng.integers(2))))
        rows, columns = int(rng.integers(3000, 9000)), int(rng.integers(2, 6))
        dtype = rng.choice(["f4", "f8"])
        x = la.asarray((3 * rng.standard_normal((*front, rows, columns))).astype(dtype))
        results = []
        for chains in (1, tuning.row().column_chains):
            with (
                tuning.TABLE.using(replace(tuning.row(), column_chains=chains)),
                la.config(optimize=False),
            ):
                value = function(x).sum(len(front))
                assert ("side by side" in str(la.explain(value))) == (chains > 1)
                results.append(la.evaluate(value))
        np.testing.assert_array_equal(*results)
