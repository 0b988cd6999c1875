"""Functions of few columns, computed of several rows as of one line before they are reduced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.core.frozen import replace

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
