"""How kernels are cut, read from the values that lowering decided, without their sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.column_choice import choose_columns
from lazyarr.codegen.cuda.map_choice import choose_grid
from lazyarr.codegen.cuda.matmul_epilogue import choose_product
from lazyarr.codegen.cuda.row_loops import RowElements, choose_rows
from lazyarr.codegen.cuda.scan import choose_column_scan
from lazyarr.codegen.cuda.scan_rows import choose_row_scan
from lazyarr.codegen.cuda.split_reduction import choose_split
from lazyarr.codegen.device_tilings import (
    ColumnScanTiling,
    ColumnTiling,
    GridTiling,
    ProductTiling,
    RowTiling,
    ScanTiling,
    SharedTileTiling,
    SplitTiling,
)
from lazyarr.codegen.processor_tilings import ContractionTiling
from lazyarr.codegen.tiling import Tiling
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import Registers

WIDTHS = st.sampled_from([1, 2, 4, 8])


@given(st.integers(0, 1 << 20), WIDTHS, st.sampled_from([1, 2, 4, 8]))
def test_threads_of_a_row_take_all_of_it(length: int, width: int, itemsize: int) -> None:
    tiling = choose_rows(RowElements(length, width, itemsize))
    assert tiling.lanes * tiling.iterations * tiling.width >= length
    assert tiling.threads % tiling.lanes == 0 and tiling.threads <= tuning.row().row_threads_most
    assert tiling.lanes & (tiling.lanes - 1) == 0
    kept = tiling.iterations * width * itemsize
    assert tiling.streaming == (
        tiling.iterations > max(1, tuning.row().row_bytes // (itemsize * width))
    )
    assert tiling.streaming or kept <= max(tuning.row().row_bytes, width * itemsize)


@given(st.integers(0, 1 << 28), WIDTHS)
def test_chunks_of_a_row_are_all_of_it(length: int, width: int) -> None:
    tiling = choose_split(length, width)
    each = tiling.threads * tiling.width * tiling.iterations
    assert tiling.chunks * each >= length
    assert (tiling.chunks - 1) * each < max(length, 1)
    assert tiling.iterations in tuning.row().split_iterations
    assert 1 <= tiling.first <= tiling.iterations


@given(st.integers(1, 1 << 12), st.integers(1, 1 << 20), WIDTHS)
def test_pieces_of_a_scan_are_all_of_a_row(rows: int, length: int, width: int) -> None:
    length = max(width, length // width * width)
    tiling = choose_row_scan((rows, length), width, (1, 4), lambda most: most)
    assert (tiling.pieces - 1) * tiling.piece < length <= tiling.pieces * tiling.piece
    assert tiling.threads % tiling.per_row == 0
    assert tiling.rows == 1 or tiling.pieces == 1
    assert not tiling.chained or tiling.pieces > 1
    assert tiling.span == tuning.row().scan_span


@given(
    st.tuples(st.integers(1, 64), st.integers(0, 1 << 16), st.integers(1, 1 << 12)),
    WIDTHS,
    WIDTHS,
    st.integers(1, 400),
)
def test_panels_and_chunks_are_all_of_the_columns(
    sizes: tuple[int, int, int], width: int, granule: int, nbytes: int
) -> None:
    width = min(width, granule)
    tiling = choose_columns(sizes, width, granule, nbytes)
    most = tuning.row().column_threads
    assert most // 2 < tiling.across * tiling.lines <= most
    assert tiling.lines & (tiling.lines - 1) == 0
    assert tiling.chunks * tiling.iterations * tiling.lines >= sizes[1]
    assert tiling.chunks <= tuning.row().column_chunks_narrow
    assert tiling.combining * tiling.across * tiling.width <= tuning.row().column_threads
    assert 1 <= tiling.first <= tiling.iterations
    shared = nbytes * tiling.across * tiling.lines * tiling.width
    assert tiling.shares == (shared > tuning.row().column_shared_bytes)
    # How many reductions there are, and what is loaded at once, orders no additions.
    alone = choose_columns(sizes, 1, granule, 8)
    order = (tiling.lines, tiling.iterations, tiling.chunks, tiling.combining)
    assert order == (alone.lines, alone.iterations, alone.chunks, alone.combining)


@given(
    st.tuples(st.integers(132, 1 << 14), st.integers(1, 1 << 12), st.integers(1, 31)),
    WIDTHS,
)
def test_lines_of_short_columns_have_rows_enough(sizes: tuple[int, int, int], granule: int) -> None:
    row = tuning.row()
    tiling = choose_columns(sizes, granule, granule, 8)
    assert tiling.across == -(-sizes[2] // granule)
    assert tiling.lines <= max(granule, sizes[1] // row.column_rows_each, 1)
    assert tiling.across * tiling.lines <= row.column_threads
    assert tiling.chunks * tiling.iterations * tiling.lines >= sizes[1]


def _tiling(expression: la.LazyArray, device: str) -> Tiling:
    with la.config(device=device):
        explanation = la.explain(expression)
    (kernel,) = explanation.kernels
    assert kernel.tiling is not None
    assert str(kernel.tiling) in str(explanation)
    assert explanation.to_dict()["kernels"][0]["tiling"] == str(kernel.tiling)
    return kernel.tiling


def _array(*shape: int, dtype: str = "f4") -> la.LazyArray:
    return la.asarray(np.ones(shape, dtype))


@pytest.mark.parametrize(
    ("expression", "kind", "decided"),
    [
        (lambda: _array(64, 1024).sum(axis=1), RowTiling, {"streaming": False, "cache": "none"}),
        (
            lambda: la.special.softmax(_array(64, 1024), axis=1),
            RowTiling,
            {"cache": "shared memory", "width": 4},
        ),
        (
            lambda: _array(1 << 12, 10).sum(axis=1),
            RowTiling,
            {"threads": 128, "rows_alone": 128, "lanes": 4},
        ),
        (
            lambda: _array(1 << 12, 40, dtype="f8").max(axis=1),
            RowTiling,
            {"threads": 128, "rows_alone": 64},
        ),
        (lambda: _array(1 << 20).sum(), SplitTiling, {"width": 4, "iterations": 8, "chunks": 128}),
        (lambda: _array(4096, 256).sum(axis=0), ColumnTiling, {"width": 4}),
        (lambda: _array(1 << 20, 7).sum(axis=0), ColumnTiling, {"width": 1, "unroll": 16}),
        (lambda: la.cumsum(_array(64, 1000), axis=1), ScanTiling, {"pieces": 1}),
        (lambda: la.cumsum(_array(1 << 20)), ScanTiling, {"width": 4}),
        (
            lambda: la.cumsum(_array(1 << 12, 100), axis=0),
            ColumnScanTiling,
            {"threads": 200, "rows": 22, "chunks": 94, "lines": 2, "unroll": 16},
        ),
        (lambda: la.cumsum(_array(64, 1 << 15), axis=0), ColumnScanTiling, {"chunks": 1}),
        (lambda: _array(100) + 1, GridTiling, {"width": 4, "threads": 256, "across": 0}),
        (
            lambda: _array(100, 1000)[:, 1:999] + 1,
            GridTiling,
            {"width": 1, "across": 256, "high": 1},
        ),
        (
            lambda: _array(300, 200).T + _array(200, 300),
            SharedTileTiling,
            {"wide": 32, "high": 32, "pitch": 33, "copies": 4, "unrolled_loads": True},
        ),
        (
            lambda: _array(38, 10000).T + _array(10000, 38),
            SharedTileTiling,
            {"wide": 38, "high": 32, "pitch": 33, "copies": 5, "square": False, "elements": 1280},
        ),
        (
            lambda: _array(10000, 70).T + _array(70, 10000),
            SharedTileTiling,
            {"wide": 32, "high": 35, "pitch": 35, "copies": 5, "square": False},
        ),
    ],
    ids=[
        "rows",
        "softmax",
        "short-rows",
        "short-rows-of-many-bytes",
        "split",
        "columns",
        "narrow-columns",
        "scan",
        "long-scan",
        "column-scan",
        "many-columns",
        "map",
        "lines",
        "transpose",
        "transpose-of-short-lines",
        "transpose-to-short-lines",
    ],
)
def test_decisions_for_cuda(expression: Any, kind: type, decided: dict[str, object]) -> None:
    tiling = _tiling(expression(), "cuda")
    assert type(tiling) is kind
    assert {name: getattr(tiling, name) for name in decided} == decided


def test_decisions_for_contractions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contraction_analysis, "registers", lambda: Registers(64, 32))
    x, y = _array(500, 200), _array(700, 200)
    tiling = _tiling(((x[:, None] - y[None]) ** 2).sum(-1), "cpu")
    assert isinstance(tiling, ContractionTiling)
    assert tiling.width % 16 == 0 and tiling.block_columns % tiling.width == 0
    assert tiling.block_rows % tiling.height == 0 and tiling.depth <= 200


@given(st.lists(st.integers(1, 1 << 10), max_size=4), WIDTHS)
def test_threads_of_a_map_take_all_of_its_lines(sizes: list[int], width: int) -> None:
    tiling = choose_grid(sizes, width)
    row = tuning.row()
    assert tiling.threads == row.map_threads
    if tiling.across:
        assert sizes[-1] // width >= row.long_line
        assert tiling.across * tiling.high == tiling.threads
        assert tiling.across == row.map_across or tiling.across * width < 2 * sizes[-1]
    else:
        assert len(sizes) < 2 or sizes[-1] // width < row.long_line


@given(
    st.integers(1, 1 << 12),
    st.integers(1, 1 << 6),
    st.integers(0, 1 << 20),
    st.sampled_from([1, 2, 4]),
)
def test_chunks_of_a_column_are_all_of_it(
    columns: int, matrices: int, length: int, unroll: int
) -> None:
    results = columns * matrices
    tiling = choose_column_scan(results, columns, length, lambda most: min(most, unroll))
    row, chunk = tuning.row(), tiling.rows * tiling.lines
    assert (tiling.chunks - 1) * chunk < max(1, length) <= tiling.chunks * chunk
    assert tiling.threads <= row.scan_threads
    if tiling.lines > 1:
        assert tiling.threads == tiling.lines * columns
        assert tiling.rows >= row.scan_line_rows
        assert tiling.chunks * tiling.lines * results < 2 * max(row.scan_line_threads, results)
    else:
        assert tiling.chunks == 1 or row.scan_column_rows <= tiling.rows
        # A chunk takes in the totals of those before it, which are fewer than its rows.
        most = max(row.scan_column_chunks, tiling.rows * 2)
        assert tiling.chunks <= (1 if results >= row.scan_columns else most)
        assert tiling.is_packed or tiling.threads < 2 * max(columns, row.scan_threads_few)
    assert tiling.is_packed == (columns < min(tiling.threads, results) and tiling.lines == 1)
    # Few rows are written out, all of them.
    is_short = tiling.chunks * tiling.lines == 1 and tiling.rows <= unroll
    assert tiling.unroll == (0 if is_short else unroll)


def test_slices_of_a_product_fit_where_its_tile_does() -> None:
    tiling = choose_product(lambda most: most)
    assert tiling.shared_bytes >= tiling.rows * tiling.columns * 8
    assert tiling.shared_bytes >= tiling.stages * tiling.depth * (tiling.rows + tiling.columns) * 8
    assert tiling.rows % (tiling.threads // (tiling.columns // 2) * tiling.together) == 0
    fewer = choose_product(lambda most: 1)
    assert fewer == replace(tiling, together=1)


def test_transposed_operands_that_are_too_wide_are_no_tiles() -> None:
    x = _array(300, 200, dtype="f8")
    with tuning.TABLE.using(replace(tuning.row(), transpose_shared_bytes=1 << 10)):
        tiling = _tiling(x.T + _array(200, 300, dtype="f8"), "cuda")
    assert isinstance(tiling, GridTiling)


@pytest.mark.parametrize("fits", [True, False])
def test_products_say_how_one_kernel_is_cut(fits: bool) -> None:
    size = 1024 if fits else 64
    x = _array(size, size, dtype="f8")
    with la.config(device="cuda"):
        explanation = la.explain(la.tanh(x @ x + 1))
    (product,) = explanation.library_calls
    text = "tiles of 128 x 128, 4 slices of 16, 256 threads a tile, 4 rows at a time"
    if fits:
        assert isinstance(product.tiling, ProductTiling)
        assert str(product.tiling) == text
    else:
        assert product.tiling is None
    assert (text in str(explanation)) == fits
    printed = explanation.to_dict()["device_calls"][0]["tiling"]
    assert printed == (text if fits else None)
