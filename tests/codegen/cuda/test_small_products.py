"""Stacks of small products as elementwise kernels: which, and that their sums are right."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.product_blocks import choose_product_block
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.frozen import replace
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

Shape = tuple[int, ...]


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


def _steps(left: Shape, right: Shape, dtype: str = "f8") -> tuple[int, int]:
    """Return the numbers of kernels and of library calls of a product with what follows it."""
    a, b = (la.asarray(np.zeros(shape, dtype)) for shape in (left, right))
    with la.config(device="cuda"):
        explained = la.explain(np.tanh(2 * a @ b + 1))
    return len(explained.kernels), len(explained.library_calls)


def _tiling(left: Shape, right: Shape, dtype: str = "f8", around: bool = True) -> str:
    """Return the tiling of the only kernel of a product; "" where a library has a step."""
    a, b = (la.asarray(np.zeros(shape, dtype)) for shape in (left, right))
    with la.config(device="cuda"):
        explained = la.explain(np.tanh(2 * a @ b + 1) if around else a @ b)
    return "" if explained.library_calls else str(explained.kernels[0].tiling)


def test_which_products_are_written_out() -> None:
    """As measured: the faster way of each."""
    assert "vectors" in _tiling((999, 33, 4), (999, 4, 4))
    assert "vectors" in _tiling((999, 8, 8), (999, 8, 8), "f4")
    assert "vectors" in _tiling((7, 9, 4, 4), (9, 4, 4))
    # More terms, no stack, other dtypes, nothing to add: the library's.
    depth = tuning.row().product_depth
    assert _steps((999, 8, depth + 1), (999, depth + 1, 2), "c8")[1] == 1
    assert _steps((4, 4), (4, 4))[1] == 1
    assert _steps((9, 4, 4), (9, 4, 4), "c16")[1] == 1
    assert _steps((9, 4, 0), (9, 0, 4))[1] == 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_which_products_are_those_of_a_block(dtype: str) -> None:
    """As measured: with what precedes and follows them, and alone those that a library pads."""
    for m, k, n in [(64, 16, 16), (33, 33, 33), (24, 24, 24), (64, 16, 64), (4, 64, 4)]:
        assert "product" in _tiling((999, m, k), (999, k, n), dtype)
    for m, k, n in [(64, 16, 16), (64, 64, 8), (16, 33, 16)]:
        assert "a thread" in _tiling((9999, m, k), (9999, k, n), dtype, around=False)
    # A single product of many rows, and one with as many columns.
    assert "a thread" in _tiling((1 << 16, 16), (16, 16), dtype)
    assert not _tiling((1 << 10, 1 << 10), (1 << 10, 1 << 10), dtype)
    # Sums are so long that a library reaches the rate of its arithmetic; matrices are too large.
    assert not _tiling((9999, 64, 64), (9999, 64, 64), "f8", around=False)
    assert not _tiling((99, 128, 128), (99, 128, 128), dtype)


def test_blocks_of_products_fit_every_gpu() -> None:
    """A block with more shared memory than every GPU has names a smaller one."""
    limit = tuning.row().row_shared_bytes
    larger = 0
    rows, terms, columns = (2, 16, 33, 64, 100, 5000), (2, 16, 33, 64, 128), (2, 17, 64)
    for itemsize in (4, 8):
        for m, k, n in itertools.product(rows, terms, columns):
            for width, each in itertools.product((1, 16 // itemsize), (1, 3, 32)):
                sizes = 999, m, k, n
                tiling = choose_product_block(sizes, itemsize, width, each)
                smaller = choose_product_block(sizes, itemsize, width, each, limit)
                for one in (tiling, smaller):
                    if one is not None:
                        assert one.matrices == 1 or one.rows == m
                        assert one.matrices * one.down * one.across <= one.threads <= 512
                        assert one.across * one.vectors * one.width >= n
                        assert one.down * one.high >= one.rows
                if smaller is not None:
                    assert smaller.shared_bytes <= 48 << 10
                larger += tiling is not None and tiling.shared_bytes > limit
    assert larger


@st.composite
def _operands(draw: st.DrawFn, most: int = 6) -> tuple[Any, Any]:
    """Return two stacks of matrices that broadcast together, as they lie or transposed."""
    m, k, n = (draw(st.integers(1, most)) for _ in range(3))
    stack = draw(st.sampled_from([(3,), (2, 3), (1, 2)]))
    dropped = draw(st.integers(0, len(stack)))
    single = tuple(draw(st.sampled_from([size, 1])) for size in stack[dropped:])
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from(["f4", "f8"]))

    def matrices(shape: Shape) -> Any:
        if draw(st.booleans()):
            turned = rng.standard_normal((*shape[:-2], shape[-1], shape[-2])).astype(dtype)
            return turned.swapaxes(-1, -2)
        return rng.standard_normal(shape).astype(dtype)

    return matrices((*stack, m, k)), matrices((*single, k, n))


@pytest.mark.usefixtures("_emulated")
@settings(max_examples=25, deadline=None)
@given(_operands(), st.booleans())
def test_sums_of_products(operands: tuple[Any, Any], swapped: bool) -> None:
    a, b = operands
    if swapped:
        a, b = b.swapaxes(-1, -2), a.swapaxes(-1, -2)
    x, y = la.asarray(a), la.asarray(b)
    result, expected = la.evaluate(x @ y * 2 - 1), a @ b * 2 - 1
    assert result.shape == expected.shape and result.dtype == expected.dtype
    tolerance = 8 * np.finfo(a.dtype).eps
    largest = np.abs(a).max() * np.abs(b).max() * a.shape[-1] * 2 + 1
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * largest)


@pytest.mark.usefixtures("_emulated")
@settings(max_examples=25, deadline=None)
@given(_operands(most=40), st.sampled_from(["none", "before", "after", "both"]), st.booleans())
def test_sums_of_products_in_blocks(operands: tuple[Any, Any], around: str, swapped: bool) -> None:
    """Whatever is around them; with small panels of rows, and several products of a block."""
    a, b = operands
    if swapped:
        a, b = b.swapaxes(-1, -2), a.swapaxes(-1, -2)

    def function(x: Any, y: Any) -> Any:
        if around in ("before", "both"):
            x, y = 2 * x - 1, y + 1
        product = x @ y
        return product * 2 - 1 if around in ("after", "both") else product

    row = replace(
        tuning.row(),
        block_results=1, block_terms=1, block_row_terms=1, block_product_ns=0.0, block_rate=0.0,
        block_bytes_most=6 << 10, block_bytes_panel=4 << 10, block_bytes=3 << 10,
    )  # fmt: skip
    with tuning.TABLE.using(row):
        forget_plans()
        result = la.evaluate(function(la.asarray(a), la.asarray(b)))
    wide = a.astype("g"), b.astype("g")
    expected = function(*wide)
    assert result.shape == expected.shape and result.dtype == a.dtype
    bound = (np.abs(2 * wide[0]) + 1) @ (np.abs(wide[1]) + 1) * 2 + 1
    bound *= 2 * (a.shape[-1] + 4) * np.finfo(a.dtype).eps
    assert np.all(np.abs(result - expected) <= bound)


@pytest.mark.usefixtures("_emulated")
def test_products_are_chains_of_their_terms() -> None:
    """The order of the sum is that of its terms, each rounded once, whatever lies where."""
    rng = np.random.default_rng(7)
    a, b = rng.standard_normal((5, 17, 9)), rng.standard_normal((5, 9, 12))
    assert "product" in _tiling(a.shape, b.shape, around=True)
    chain = np.zeros((5, 17, 12), object)
    for k in range(9):
        for place in np.ndindex(chain.shape):
            i, j, n = place
            exact = Fraction(a[i, j, k]) * Fraction(b[i, k, n]) + Fraction(float(chain[place]))
            chain[place] = float(exact)
    for left in (a, np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2)):
        result = la.evaluate(la.maximum(la.asarray(left) @ la.asarray(b), -np.inf))
        np.testing.assert_array_equal(result, chain.astype("f8"))
