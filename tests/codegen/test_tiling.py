"""How kernels are cut, read from the values that lowering decided, without their sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.codegen.cpu.vector_registers import Registers
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.column_reduction import choose_columns
from lazyarr.codegen.cuda.row_loops import choose_rows
from lazyarr.codegen.cuda.scan_rows import choose_row_scan
from lazyarr.codegen.cuda.split_reduction import choose_split
from lazyarr.codegen.tiling import (
    ColumnTiling,
    ContractionTiling,
    RowTiling,
    ScanTiling,
    SplitTiling,
    Tiling,
)

WIDTHS = st.sampled_from([1, 2, 4, 8])


@given(st.integers(0, 1 << 20), WIDTHS, st.sampled_from([1, 2, 4, 8]))
def test_threads_of_a_row_take_all_of_it(length: int, width: int, itemsize: int) -> None:
    tiling = choose_rows(length, width, itemsize)
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


@given(st.integers(1, 1 << 12), st.integers(1, 1 << 20), WIDTHS)
def test_pieces_of_a_scan_are_all_of_a_row(rows: int, length: int, width: int) -> None:
    length = max(width, length // width * width)
    tiling = choose_row_scan((rows, length), width, (1, 4), lambda most: most)
    assert (tiling.pieces - 1) * tiling.piece < length <= tiling.pieces * tiling.piece
    assert tiling.threads % tiling.per_row == 0
    assert tiling.rows == 1 or tiling.pieces == 1
    assert not tiling.chained or tiling.pieces > 1


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
    assert tiling.across * tiling.lines == tuning.row().column_threads
    assert tiling.chunks * tiling.iterations * tiling.lines >= sizes[1]
    assert tiling.chunks <= tuning.row().column_chunks
    assert tiling.combining * tiling.across * tiling.width <= tuning.row().column_threads
    # How many reductions there are, and what is loaded at once, orders no additions.
    alone = choose_columns(sizes, 1, granule, 8)
    order = (tiling.lines, tiling.iterations, tiling.chunks, tiling.combining)
    assert order == (alone.lines, alone.iterations, alone.chunks, alone.combining)


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
        (lambda: _array(1 << 20).sum(), SplitTiling, {"width": 4, "iterations": 8, "chunks": 128}),
        (lambda: _array(4096, 256).sum(axis=0), ColumnTiling, {"width": 4}),
        (lambda: la.cumsum(_array(64, 1000), axis=1), ScanTiling, {"pieces": 1}),
        (lambda: la.cumsum(_array(1 << 20)), ScanTiling, {"width": 4}),
    ],
    ids=["rows", "softmax", "split", "columns", "scan", "long-scan"],
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


def test_maps_of_a_gpu_decide_nothing() -> None:
    with la.config(device="cuda"):
        (kernel,) = la.explain(_array(100) + 1).kernels
    assert kernel.tiling is None
