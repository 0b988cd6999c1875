"""Reductions along short rows, several of them side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tiled_rows, tuning
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import Registers


def softmax(m: Any, x: Any) -> Any:
    e = m.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_sum_exp(m: Any, x: Any) -> Any:
    c = x.max(axis=-1, keepdims=True)
    return (m.log(m.exp(x - c).sum(axis=-1, keepdims=True)) + c)[..., 0]


def layer_norm(m: Any, x: Any) -> Any:
    away = x - x.mean(axis=-1, keepdims=True)
    return away / m.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda m, x: x.sum(axis=-1),
    "extrema": lambda m, x: x.max(axis=-1) - x.min(axis=-1),
    "position": lambda m, x: m.argmax(3 * x - x * x, axis=-1),
    "several": lambda m, x: x.max(axis=-1) + x.sum(axis=-1) + x.var(axis=-1),
    "softmax": softmax,
    "log_sum_exp": log_sum_exp,
    "layer_norm": layer_norm,
    "weighted": lambda m, x: m.exp(x * m.arange(x.shape[-1]) / 40).max(axis=-1),
    "row by row": lambda m, x: (x * x[..., :1]).max(axis=-1) * x[..., 1],
    "any": lambda m, x: (x > 1.5).any(axis=-1),
    "two arrays": lambda m, x: m.argmin(x * x[::-1] + x, axis=-1),
}

SHAPES = [(1000, 16), (33, 17), (70, 8), (3, 40, 13), (200, 63), (4, 5, 77, 20), (31, 9), (64, 128)]


def explained(expression: Any) -> str:
    (kernel,) = la.explain(expression).kernels
    return str(kernel.tiling)


def agrees(result: Any, expected: Any) -> None:
    assert result.dtype == expected.dtype
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(result, expected)
        return
    tolerance = {2: 2e-2, 4: 1e-5, 8: 1e-13}[expected.dtype.itemsize]
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "i1"])
def test_is_numpys(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x = (rng.random(shape) * 3).astype(dtype)
        expected = PROGRAMS[name](np, x)
        agrees(la.evaluate(PROGRAMS[name](la, la.asarray(x))), expected)
        x = np.moveaxis(x, -1, 0).copy()
        agrees(la.evaluate(PROGRAMS[name](la, la.asarray(x).T)), PROGRAMS[name](np, x.T))


@pytest.mark.parametrize("seed", range(20))
def test_random_rows_with_nans(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name = list(PROGRAMS)[int(rng.integers(len(PROGRAMS)))]
    shape = (*rng.integers(1, 5, rng.integers(0, 3)), rng.integers(1, 150), rng.integers(4, 140))
    x = rng.standard_normal(tuple(int(n) for n in shape)).astype(rng.choice(["f4", "f8"]))
    x.flat[:: int(rng.integers(7, 100))] = np.nan
    x = x[..., int(rng.integers(0, 3)) :]
    with np.errstate(all="ignore"):
        agrees(la.evaluate(PROGRAMS[name](la, la.asarray(x))), PROGRAMS[name](np, x))


def test_which_rows_are_side_by_side() -> None:
    def tiling(rows: int, length: int, of: Callable[[Any, Any], Any], dtype: str = "f4") -> str:
        return explained(of(la, la.asarray(np.ones((rows, length), dtype))))

    assert "side by side" in tiling(100, 16, PROGRAMS["sum"])
    assert "side by side" not in tiling(100, 17, PROGRAMS["sum"]), "copies would take longer"
    assert "side by side" in tiling(100, 60, softmax)
    assert "side by side" in tiling(100, 20, PROGRAMS["position"])
    assert "side by side" not in tiling(100, 24, PROGRAMS["position"]), "lanes take less"
    assert "side by side" not in tiling(100, 17, PROGRAMS["position"], "f8")
    assert "side by side" in tiling(100, 100, PROGRAMS["position"], "i2"), "without lanes"
    assert "side by side" not in tiling(100, 100, PROGRAMS["several"], "f8"), "sums would round"
    assert "side by side" in tiling(8, 16, PROGRAMS["sum"])
    assert "side by side" not in tiling(7, 16, PROGRAMS["sum"])
    transposed = la.asarray(np.ones((16, 100))).T
    assert "side by side" not in explained(transposed.sum(axis=1))


@pytest.mark.parametrize("length", [8, 11, 16])
def test_rows_that_are_written_out_have_the_same_bits(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((77, length))
    for of in (PROGRAMS["sum"], softmax, PROGRAMS["several"]):
        results = []
        for most in (0, 128):
            with tuning.TABLE.using(replace(tuning.row(), most_tiled_row=most)):
                results.append(la.evaluate(of(la, la.asarray(x))))
        np.testing.assert_array_equal(*results)


def test_in_place() -> None:
    x = np.random.default_rng(1).random((75, 20))
    expected = softmax(np, x)
    y = la.asarray(x.copy())
    y[...] = softmax(la, y)
    np.testing.assert_allclose(la.evaluate(y), expected, rtol=1e-14)


def test_lanes_without_a_row_warn_of_nothing() -> None:
    x = np.random.default_rng(2).random((37, 20)) + 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = la.evaluate((1 / la.asarray(x)).max(axis=1) + la.log(la.asarray(x)).min(axis=1))
    np.testing.assert_allclose(result, (1 / x).max(axis=1) + np.log(x).min(axis=1), rtol=1e-14)
    x[36, 3] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        la.evaluate((1 / la.asarray(x)).max(axis=1))


def test_all_lengths_of_a_form_have_one_plan() -> None:
    before = la.cache.info().plans.misses
    for rows, length in ((100, 20), (120, 24), (333, 30), (90, 21), (500, 40)):
        x = np.random.default_rng(rows).random((rows, length))
        result = la.evaluate(softmax(la, la.asarray(x) * 2.5))
        np.testing.assert_allclose(result, softmax(np, x * 2.5), rtol=1e-13)
    assert la.cache.info().plans.misses - before <= 3, "its own, and two with symbols"


@pytest.mark.parametrize(("nbytes", "written_out"), [(32, True), (64, False)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_positions_in_short_rows_are_written_out_for_short_vectors(
    nbytes: int, written_out: bool, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiled_rows, "registers", lambda: Registers(nbytes, 16))
    rng = np.random.default_rng(nbytes)
    for length in (9, 12, 16):
        x = rng.integers(-3, 4, (int(rng.integers(40, 90)), length)).astype(dtype)  # with ties
        if dtype[0] == "f":
            x.flat[:: int(rng.integers(7, 30))] = np.nan
            x.flat[:: int(rng.integers(7, 30))] *= -0.0
        for m, values in ((np, x), (la, la.asarray(x))):
            results = (m.argmin(values, axis=1), m.argmax(values, axis=1), m.max(values, axis=1))
            if m is np:
                expected = results
                continue
            for result, right in zip(la.evaluate(*results), expected, strict=True):
                np.testing.assert_array_equal(result, right)
        lazy = la.asarray(x)
        assert ("written out" in explained(la.argmin(lazy, axis=1))) is written_out
        assert "written out" not in explained(la.argmin(lazy, axis=1) + lazy.sum(axis=1))
