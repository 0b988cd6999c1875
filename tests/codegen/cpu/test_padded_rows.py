"""Short rows within longer ones are computed with what lies between them, with the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import choices, padded_rows
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.processor_tilings import MapTiling
from tests.support.candidates import results_of_candidates

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]


def neighbours(shape: tuple[int, ...], reach: int, count: int) -> Callable[..., Any]:
    """Return a weighted sum of neighbours in one or two arrays of a shape."""
    offsets = list(product(range(-reach, reach + 1), repeat=len(shape)))[:count]

    def compute(*arrays: Any) -> Any:
        total = 0.0
        for k, offset in enumerate(offsets):
            where = tuple(
                slice(reach + step, n - reach + step) for step, n in zip(offset, shape, strict=True)
            )
            total = total + (0.25 * k - 1) * arrays[k % len(arrays)][where]
        return total

    return compute


def tilings_of(function: Callable[..., Any], *arrays: Any) -> list[MapTiling]:
    return [
        kernel.tiling
        for kernel in la.jit(function).explain(*arrays).kernels
        if isinstance(kernel.tiling, MapTiling)
    ]


@pytest.fixture
def padded(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows that can be padded are."""

    def choose(terms: GroupTerms, tiling: MapTiling) -> MapTiling:
        return padded_rows.padded_tiling(terms) or tiling

    monkeypatch.setattr(choices, "_join", choose)
    la.cache.clear()


@st.composite
def grids(draw: st.DrawFn) -> tuple[Callable[..., Any], list[Array]]:
    """Return a sum of neighbours and its arrays, whose last axes are short."""
    reach = draw(st.integers(1, 2))
    last = draw(st.integers(2 * reach + 1, 2 * reach + 20))
    rows = draw(st.integers(2 * reach + 1, 150))
    shape: tuple[int, ...] = (rows, last)
    if draw(st.booleans()):
        shape = (draw(st.integers(2 * reach + 1, 8)), *shape)
    dtype = draw(st.sampled_from([np.float32, np.float64, np.int16, np.complex64]))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    arrays = [(100 * rng.standard_normal(shape)).astype(dtype) for _ in range(2)]
    count = draw(st.sampled_from([3, 9, 25, 110]))
    return neighbours(shape, reach, count), arrays[: draw(st.integers(1, 2))]


@pytest.mark.usefixtures("padded")
@settings(max_examples=40, deadline=None)
@given(grids(), st.integers(1, 2))
def test_bits_are_those_of_numpy(
    grid: tuple[Callable[..., Any], list[Array]], threads: int
) -> None:
    compute, arrays = grid
    with la.config(threads=threads):
        np.testing.assert_array_equal(la.jit(compute)(*arrays), compute(*arrays))


@settings(max_examples=15, deadline=None)
@given(grids())
def test_candidates_have_the_same_bits(grid: tuple[Callable[..., Any], list[Array]]) -> None:
    compute, arrays = grid
    assume(arrays[0].dtype.kind == "f")
    assert results_of_candidates(compute(*map(la.asarray, arrays)))


def test_a_stencil_of_short_rows_is_padded() -> None:
    x = np.random.default_rng(0).random((30, 200, 7)).astype(np.float32)
    compute = neighbours(x.shape, 2, 110)
    tilings = tilings_of(compute, x)
    # The second kernel reads the sums of the first one, whose rows are shorter.
    assert len(tilings) == 2 and all(tiling.padding for tiling in tilings)
    assert [len(t.padding.copied) for t in tilings if t.padding] == [0, 1]
    np.testing.assert_array_equal(la.jit(compute)(x), compute(x))


@pytest.mark.parametrize("seed", range(6))
def test_narrow_rows_of_a_matrix_are_padded(seed: int) -> None:
    random = np.random.default_rng([seed, 59])
    shape = int(random.integers(5000, 20_000)), int(random.integers(4, 6))
    x = random.random(shape).astype(random.choice(["f4", "f8"]))
    compute = neighbours(shape, 1, 9)
    (tiling,) = tilings_of(compute, x)
    assert tiling.padding and tiling.length == shape[1] - 2
    np.testing.assert_array_equal(la.jit(compute)(x), compute(x))


def test_rows_that_fill_their_vectors_are_not() -> None:
    x = np.random.default_rng(0).random((300, 66))
    assert not any(tiling.padding for tiling in tilings_of(neighbours(x.shape, 1, 9), x))


@pytest.mark.usefixtures("padded")
def test_other_operands_are_copied_between_rows_that_lie_apart() -> None:
    rng = np.random.default_rng(1)
    x, row, column = rng.random((90, 9)), rng.random(5), rng.random((86, 1))

    def compute(x: Any, row: Any, column: Any) -> Any:
        inner = [x[2 + k : 88 + k, 2 + k : 7 + k] for k in (-2, -1, 0, 1, 2)]
        return inner[0] - inner[1] + inner[2] * row - column + inner[3] - inner[4]

    (tiling,) = tilings_of(compute, x, row, column)
    assert tiling.padding is not None and len(tiling.padding.copied) == 2
    np.testing.assert_array_equal(la.jit(compute)(x, row, column), compute(x, row, column))


@pytest.mark.usefixtures("padded")
def test_nothing_warns_of_what_lies_between_rows() -> None:
    x = np.random.default_rng(2).random((60, 8))
    x[:, 0] = np.finfo(float).max
    x[:, -1] = -np.inf

    def compute(x: Any) -> Any:
        return x[:, 2:6] + x[:, 2:6] - 3 * x[:, 1:5] + x[:, 3:7]

    (tiling,) = tilings_of(compute, x)
    assert tiling.padding is not None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(la.jit(compute)(x), compute(x))
    x[7, 3] = np.finfo(float).max
    with pytest.warns(RuntimeWarning, match="overflow encountered in"):
        la.jit(compute)(x)


@pytest.mark.usefixtures("padded")
def test_divisions_and_functions_are_not_padded() -> None:
    x = np.random.default_rng(3).random((60, 8))
    for compute in (lambda x: x[:, 2:6] / x[:, 1:5], lambda x: la.exp(x[:, 2:6]) + x[:, 1:5]):
        assert not any(tiling.padding for tiling in tilings_of(compute, x))


@pytest.mark.usefixtures("padded")
def test_a_result_may_lie_where_an_operand_did() -> None:
    rng = np.random.default_rng(4)
    x, target = rng.random((2000, 9)), rng.random((2000, 5))
    expected = target + x[:, :5] - x[:, 1:6] + x[:, 2:7]
    lazy = la.asarray(target.copy())
    lazy += la.asarray(x)[:, :5] - x[:, 1:6] + x[:, 2:7]
    with la.config(threads=2):
        np.testing.assert_allclose(lazy, expected, rtol=1e-15, atol=1e-15)


@pytest.mark.usefixtures("padded")
@pytest.mark.parametrize("key", [np.s_[:, 1:1, 2:], np.s_[:, 1:, 3:3], np.s_[2:2, 1:, 2:]])
def test_rows_without_elements_are_not_padded(key: Any) -> None:
    x = np.random.default_rng(0).normal(size=(4, 6, 9))
    with la.config(immediate=0):
        both = la.evaluate(la.asarray(x)[key] * 2 + 1, la.asarray(x).sum(axis=0))
    np.testing.assert_array_equal(both[0], x[key] * 2 + 1)
    np.testing.assert_allclose(both[1], x.sum(axis=0))
