"""Products of few columns, of long sums and of many rows: bits are those of other kernels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import Registers
from lazyarr.execution import tuning
from lazyarr.execution.cpu import long_products
from tests.support.tuning_rows import use_row

Array = np.ndarray[Any, Any]

pytestmark = pytest.mark.skipif(
    not long_products.long_products.has_kernels(), reason="vectors are too narrow"
)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that says of each library step that is planned whether these kernels compute it."""
    # As with a BLAS whose vectors are as wide as ours: else other kernels compute all products.
    monkeypatch.setattr(contraction_analysis, "product_pays", lambda value, nbytes: False)
    use_row(monkeypatch, tuning, narrow_product_most=64)
    outcomes: list[bool] = []
    long_product_of = long_products.long_product_of

    def noted(group: Any, layouts: Any) -> Any:
        parts = long_product_of(group, layouts)
        outcomes.append(bool(parts))
        return parts

    monkeypatch.setattr("lazyarr.execution.cpu.long_products.long_product_of", noted)
    la.cache.clear()
    return outcomes


def as_contraction(left: Array, right: Array, monkeypatch: pytest.MonkeyPatch) -> Array:
    """Return a product as the kernel of a contraction computes it."""
    with monkeypatch.context() as patch:
        patch.setattr(contraction_analysis, "product_pays", lambda value, nbytes: True)
        patch.setattr(long_products, "is_tall_product", lambda value: False)
        la.cache.clear()
        expression = la.asarray(left) @ la.asarray(right)
        assert "contraction" in [kernel.template for kernel in la.explain(expression).kernels]
        result = la.evaluate(expression)
    la.cache.clear()
    return np.asarray(result)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_those_of_a_contraction(
    planned: list[bool], monkeypatch: pytest.MonkeyPatch, dtype: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(4, 65)), int(random.integers(16, 65))
    inner = int(random.integers(1024, 3000))
    left = random.standard_normal((rows, inner)).astype(dtype)
    right = random.standard_normal((inner, columns)).astype(dtype)
    ours = la.evaluate(la.asarray(left) @ la.asarray(right))
    assert planned == [True]
    assert ours.tobytes() == as_contraction(left, right, monkeypatch).tobytes()
    np.testing.assert_allclose(ours, left.astype("f8") @ right.astype("f8"), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "layout", ["C", "left transposed", "rows apart", "backwards", "right transposed", "columns"]
)
@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (7, 5), (28, 15), (33, 9), (64, 31)])
def test_products_of_any_layout(
    planned: list[bool], layout: str, dtype: str, rows: int, columns: int
) -> None:
    random = np.random.default_rng(rows)
    left = random.standard_normal((rows, 1100)).astype(dtype)
    right = random.standard_normal((1100, columns)).astype(dtype)
    ours: dict[str, Any] = {
        "C": lambda: la.asarray(left) @ la.asarray(right),
        "left transposed": lambda: la.asarray(left.T.copy()).T @ la.asarray(right),
        "rows apart": lambda: (
            la.asarray(left.repeat(2, 0))[::2] @ la.asarray(right.repeat(3, 0))[::3]
        ),
        "backwards": lambda: la.asarray(left[:, ::-1].copy())[:, ::-1] @ la.asarray(right),
        "right transposed": lambda: la.asarray(left) @ la.asarray(right.T.copy()).T,
        "columns": lambda: la.asarray(left) @ la.asarray(right.repeat(2, 1))[:, ::2],
    }
    tolerance = 1e-4 if dtype == "f4" else 1e-12
    result = la.evaluate(2 * ours[layout]() + 1)
    np.testing.assert_allclose(
        result, 2 * (left.astype("f8") @ right) + 1, rtol=tolerance, atol=100 * tolerance
    )
    assert planned == [layout not in ("right transposed", "columns")]


def test_bits_do_not_depend_on_threads() -> None:
    random = np.random.default_rng(1)
    left, right = random.random((30, 9000)), random.random((9000, 21))
    results = []
    for threads in (1, 2, 5):
        with la.config(threads=threads):
            results.append(la.evaluate(la.asarray(left) @ la.asarray(right)).tobytes())
    assert len(set(results)) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_infinities_and_warnings(planned: list[bool], dtype: str) -> None:
    left = np.ones((9, 2000), dtype)
    right = np.ones((2000, 19), dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (la.evaluate(la.asarray(left) @ la.asarray(right)) == 2000).all()
        left[3, 7] = np.inf
        ours = la.evaluate(la.asarray(left) @ la.asarray(right))
        np.testing.assert_array_equal(ours, left @ right)
        left[4, 8] = np.nan
        np.testing.assert_array_equal(
            la.evaluate(la.asarray(left) @ la.asarray(right)), left @ right
        )
    left[3, 9] = -np.inf
    with pytest.warns(RuntimeWarning, match="invalid value"):
        ours = la.evaluate(la.asarray(left) @ la.asarray(right))
    assert np.isnan(ours[3:5]).all() and (ours[5:] == 2000).all()
    assert all(planned)


def test_other_products_are_a_librarys(planned: list[bool]) -> None:
    random = np.random.default_rng(2)
    for rows, inner, columns in ((3, 2000, 9), (9, 2000, 3), (9, 1000, 9), (65, 2000, 9)):
        left, right = random.random((rows, inner)), random.random((inner, columns))
        ours = la.evaluate(la.asarray(left) @ la.asarray(right))
        np.testing.assert_allclose(ours, left @ right)
    assert not any(planned)


def test_other_lengths_of_one_form(planned: list[bool]) -> None:
    random = np.random.default_rng(3)
    for inner in (2000, 3001, 1024, 5003):
        left, right = random.random((20, inner)), random.random((inner, 9))
        ours = la.evaluate((la.asarray(left) * 2) @ la.asarray(right) + 1)
        np.testing.assert_allclose(ours, 2 * left @ right + 1)
    assert all(planned)


def test_blocks_are_handed_out_whatever_their_number() -> None:
    random = np.random.default_rng(4)
    left, right = random.random((5, 4000)), random.random((4000, 6))
    row = replace(tuning.row(), long_product_chunk=1, long_sum_chunk=1)
    with tuning.TABLE.using(row), la.config(threads=3):
        ours = la.evaluate(la.asarray(left) @ la.asarray(right))
    assert ours.tobytes() == la.evaluate(la.asarray(left) @ la.asarray(right)).tobytes()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tall_products_have_the_bits_of_a_contraction(
    planned: list[bool], monkeypatch: pytest.MonkeyPatch, dtype: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows, columns = int(random.integers(600, 2000)), int(random.integers(16, 65))
    inner = int(random.integers(33, 257))
    left = random.standard_normal((rows, inner)).astype(dtype)
    right = random.standard_normal((inner, columns)).astype(dtype)
    ours = la.evaluate(la.asarray(left) @ la.asarray(right))
    assert planned == [True]
    assert ours.tobytes() == as_contraction(left, right, monkeypatch).tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "layout", ["C", "left transposed", "rows apart", "right transposed", "columns apart", "one row"]
)
@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [(4096, 16, 4), (2111, 77, 5), (512, 40, 15), (607, 256, 9), (5000, 2, 64), (1023, 10, 31)],
)
def test_tall_products_of_any_layout(
    planned: list[bool], layout: str, dtype: str, rows: int, inner: int, columns: int
) -> None:
    random = np.random.default_rng(rows)
    left = random.standard_normal((rows, inner)).astype(dtype)
    right = random.standard_normal((inner, columns)).astype(dtype)
    left[7, inner // 2] = np.nan
    a, b = la.asarray(left), la.asarray(right)
    if layout == "left transposed":
        a = la.asarray(left.T.copy()).T
    elif layout == "rows apart":
        a, b = la.asarray(left.repeat(2, 0))[::2], la.asarray(right.repeat(3, 0))[::3]
    elif layout == "right transposed":
        b = la.asarray(right.T.copy()).T
    elif layout == "columns apart":
        b = la.asarray(right.repeat(2, 1))[:, ::-2][:, ::-1]
    elif layout == "one row":
        right = np.broadcast_to(right[:1], right.shape)
        b = la.broadcast_to(la.asarray(right[0].copy()), right.shape)
    results = []
    for threads in (1, 3):
        with la.config(threads=threads):
            results.append(la.evaluate(a @ b + 1))
    assert results[0].tobytes() == results[1].tobytes()
    tolerance = 1e-4 if dtype == "f4" else 1e-12
    expected = left.astype("f8") @ right + 1
    np.testing.assert_allclose(results[0], expected, rtol=tolerance, atol=100 * tolerance)
    assert planned[-1]


def test_a_transposed_factor_of_many_rows_has_the_bits_of_its_copy(planned: list[bool]) -> None:
    random = np.random.default_rng(8)
    left, right = random.standard_normal((3000, 16)), random.standard_normal((16, 16))
    transposed = la.evaluate(la.asarray(left) @ la.asarray(right).T)
    copied = la.evaluate(la.asarray(left) @ la.asarray(right.T.copy()))
    assert transposed.tobytes() == copied.tobytes()
    assert planned and all(planned)


def test_products_of_many_rows_are_no_contractions() -> None:
    left, right = la.asarray(np.ones((40000, 16))), la.asarray(np.ones((16, 16)))
    assert not la.explain(left @ right.T).kernels


def test_other_tall_products(planned: list[bool]) -> None:
    random = np.random.default_rng(2)
    for rows, inner, columns in ((511, 64, 30), (3000, 20, 3), (3000, 300, 9), (3000, 20, 65)):
        left, right = random.random((rows, inner)), random.random((inner, columns))
        ours = la.evaluate(la.asarray(left) @ la.asarray(right))
        np.testing.assert_allclose(ours, left @ right)
    assert not any(planned)


def test_other_rows_of_one_form(planned: list[bool]) -> None:
    random = np.random.default_rng(3)
    for rows in (2000, 3001, 1024, 5003):
        left, right = random.random((rows, 30)), random.random((30, 9))
        ours = la.evaluate((la.asarray(left) * 2) @ la.asarray(right) + 1)
        np.testing.assert_allclose(ours, 2 * left @ right + 1)
    assert all(planned)


def test_tall_products_warn(planned: list[bool]) -> None:
    left, right = np.full((3000, 20), 1e200), np.full((20, 9), 1e10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.evaluate(la.asarray(left) @ la.asarray(right))
    with pytest.warns(RuntimeWarning, match="overflow"):
        ours = la.evaluate(la.asarray(left) @ la.asarray(right * 1e150))
    assert np.isinf(ours).all()
    assert all(planned)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_kernels_of_all_sizes_are_few(monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    """A product that grows by a row or a column has the kernel of the one before, as a rule."""
    forms = set()
    monkeypatch.setattr(long_products.long_products, "_blocks_of", lambda _, form: forms.add(form))
    for rows in range(4, 65):
        for columns in range(4, 65):
            long_products.long_products.blocks_kernel(np.dtype(dtype), rows, columns)
    assert len(forms) <= 120
    forms.clear()
    for rows in range(4, 65):
        long_products.long_products.blocks_kernel(np.dtype(dtype), rows, 33)
    assert len(forms) <= 17


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_that_grow(planned: list[bool], dtype: str) -> None:
    random = np.random.default_rng(7)
    left = random.standard_normal((64, 1030)).astype(dtype)
    right = random.standard_normal((1030, 64)).astype(dtype)
    whole = la.evaluate(la.asarray(left) @ la.asarray(right))
    for size in random.integers(4, 65, 20):
        part = la.evaluate(la.asarray(left[:size]) @ la.asarray(right))
        assert part.tobytes() == whole[:size].tobytes()
        part = la.evaluate(la.asarray(left) @ la.asarray(right[:, :size].copy()))
        assert part.tobytes() == whole[:, :size].tobytes()
    assert all(planned)


@pytest.mark.parametrize(("columns", "by_kernel"), [(32, True), (33, False)])
def test_long_sums_of_more_columns_are_blas_on_narrow_vectors(
    planned: list[bool], monkeypatch: pytest.MonkeyPatch, columns: int, by_kernel: bool
) -> None:
    use_row(monkeypatch, tuning, narrow_product_most=32)
    monkeypatch.setattr(long_products, "registers", lambda: Registers(32, 16))
    left, right = np.ones((8, 2000)), np.ones((2000, columns))
    result = la.evaluate(la.asarray(left) @ la.asarray(right))
    assert planned == [by_kernel]
    np.testing.assert_array_equal(result, left @ right)
