"""Deviations of long rows: values that are expensive to compute are kept for the second pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.core.frozen import replace

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "variance": lambda m, x: m.exp(-x).var(),
    "rows": lambda m, x: m.exp(-x.reshape(2, -1)).std(axis=1),
    "several": lambda m, x: m.exp(x).var() + m.exp(x).max() + m.sin(x).sum() + m.sin(x).var(),
    "lines": lambda m, x: m.tanh(x.reshape(100, 2, -1)).var(axis=(0, 2)),
    "stored": lambda m, x: m.exp(x) - m.exp(x).std(),
    "complex": lambda m, x: m.exp(x + 1j * x).var(),
    "cheap": lambda m, x: (2 * x - 1).var(),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("threads", [1, 3])
def test_bits_are_those_of_values_computed_again(name: str, dtype: str, threads: int) -> None:
    x = np.random.default_rng(1).random(50_000).astype(dtype)
    x[40_000] = 7
    results = []
    for cost in (1 << 30, 8):
        row = replace(tuning.row(), row_keep_cost=cost)
        with tuning.TABLE.using(row), la.config(threads=threads, optimize=False):
            la.cache.clear()
            results.append(la.evaluate(PROGRAMS[name](la, la.asarray(x))))
    assert results[0].tobytes() == results[1].tobytes()
    expected = PROGRAMS[name](np, x.astype("f8"))
    np.testing.assert_allclose(
        results[1], expected, rtol={"f2": 2e-2, "f4": 1e-4, "f8": 1e-12}[dtype]
    )


def test_what_is_kept() -> None:
    x = la.asarray(np.ones(50_000))
    (expensive, *_), (cheap, *_) = (
        la.explain(PROGRAMS[name](la, x)).kernels for name in ("variance", "cheap")
    )
    assert str(expensive.source).count("@exp_f64") == 1
    scratch = [set(re.findall(r"ptr noalias (%tmp\d+)", str(k.source))) for k in (expensive, cheap)]
    assert len(scratch[0]) == len(scratch[1]) + 1, "states of chunks, and the values"
