"""How processors' kernels are cut: choices as values, which the code is written by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.choices import choose_tiling
from lazyarr.codegen.cpu.elementwise import choose_map
from lazyarr.codegen.cpu.lower import lower
from lazyarr.codegen.cpu.scan import choose_scan
from lazyarr.codegen.cpu.transpose_tiles import choose_transpose
from lazyarr.codegen.group_terms import GroupTerms, PlannedGroup
from lazyarr.codegen.processor_tilings import (
    ChunkTiling,
    ContractionTiling,
    LineScanTiling,
    MapTiling,
    PanelTiling,
    RowGroupTiling,
    RowLoopTiling,
    TransposeTiling,
)
from lazyarr.compiler import compilation
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError


def _array(*shape: int, dtype: str = "f8") -> la.LazyArray:
    return la.asarray(np.ones(shape, dtype))


def _centred() -> la.LazyArray:
    x = _array(40, 300)
    e = la.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


EXPRESSIONS: list[tuple[str, Callable[[], la.LazyArray], type, dict[str, Any]]] = [
    ("map", lambda: _array(1000) + 1, MapTiling, {"length": 1000, "block": 1000}),
    (
        "cut map",
        lambda: _array(100_000)[::2] * _array(4, 50_000),
        MapTiling,
        {"length": 50_000, "block": 1 << 15, "blocks": 2},
    ),
    (
        "transposed",
        lambda: _array(500, 600) + _array(600, 500).T,
        TransposeTiling,
        {"side": 64, "pitch": 72},
    ),
    ("rows", lambda: _array(64, 1024).sum(axis=1), RowLoopTiling, {"tile": 1, "cached": ()}),
    ("short rows", lambda: la.sqrt(_array(5000, 20).sum(axis=1)), RowLoopTiling, {"tile": 256}),
    ("kept rows", _centred, RowLoopTiling, {"tile": 1}),
    ("matrix and vector", lambda: _array(64, 300) @ _array(300), RowGroupTiling, {"rows": 4}),
    (
        "split",
        lambda: ((_array(100_000) - _array(100_000)) ** 2).sum(),
        ChunkTiling,
        {"lines": 0, "elements": 1 << 14, "chunks": 7, "alternating": (True,)},
    ),
    (
        "split lines",
        lambda: (_array(1000, 300) * _array(300)).var(),
        ChunkTiling,
        {"lines": 54, "chunks": 19},
    ),
    (
        "columns",
        lambda: _array(5000, 7).var(axis=0),
        PanelTiling,
        {"columns": 1024, "panels": 1, "rows": 64, "chunks": 79},
    ),
    ("scan", lambda: la.cumsum(_array(64, 1000), axis=1), LineScanTiling, {"panel": 0}),
    (
        "scan down",
        lambda: la.cumsum(_array(100, 3000), axis=0),
        LineScanTiling,
        {"panel": 1024, "panels": 3},
    ),
    (
        "pairs",
        lambda: ((_array(500, 1, 200) - _array(1, 700, 200)) ** 2).sum(-1),
        ContractionTiling,
        {"depth": 128},
    ),
]


@pytest.mark.parametrize(
    ("expression", "kind", "decided"),
    [case[1:] for case in EXPRESSIONS],
    ids=[case[0] for case in EXPRESSIONS],
)
class TestDecisions:
    def test_explain_prints_them(
        self, expression: Callable[[], la.LazyArray], kind: type, decided: dict[str, Any]
    ) -> None:
        explanation = la.explain(expression())
        tiling = explanation.kernels[-1].tiling
        assert type(tiling) is kind
        assert {name: getattr(tiling, name) for name in decided} == decided
        assert str(tiling) in str(explanation)
        assert explanation.to_dict()["kernels"][-1]["tiling"] == str(tiling)

    def test_the_code_is_written_by_them(
        self, expression: Callable[[], la.LazyArray], kind: type, decided: dict[str, Any]
    ) -> None:
        program = compilation.analyse((expression()._node,))
        for lowered in program.lowered:
            layouts = dict(program.fusion.layouts)
            group = lowered.group
            chosen = choose_tiling(group.template, GroupTerms(group, layouts))
            assert lowered.launches[0].tiling == chosen
            again = lower(PlannedGroup(group, program.plan, layouts), chosen)
            for before, after in zip(lowered.launches, again.launches, strict=True):
                assert (before.count, before.chunk) == (after.count, after.chunk)
                assert before.kernel.body == after.kernel.body
                assert before.arguments == after.arguments


def test_a_tiling_of_another_template_is_refused() -> None:
    program = compilation.analyse(((_array(100) + 1)._node,))
    (lowered,) = program.lowered
    with pytest.raises(ContractError, match="needs a MapTiling, got a LineScanTiling"):
        lower(
            PlannedGroup(lowered.group, program.plan, dict(program.fusion.layouts)),
            LineScanTiling(0, 0, 1),
        )


SIZES = st.lists(st.integers(0, 1 << 20), max_size=4)


@given(SIZES, st.integers(1, 1 << 20))
def test_blocks_of_a_map_are_all_of_its_inner_loop(sizes: list[int], grain: int) -> None:
    tiling = choose_map(sizes, grain)
    assert tiling.chunk >= 1
    if tiling.length:
        assert tiling.block * tiling.blocks >= tiling.length > tiling.block * (tiling.blocks - 1)
    if len(sizes) <= 1:
        assert tiling.blocks == 1  # its elements are the work items


@given(st.integers(0, 1 << 20), st.integers(0, 1 << 20))
def test_panels_of_a_scan_are_all_of_its_columns(columns: int, length: int) -> None:
    tiling = choose_scan(columns, length)
    assert tiling.chunk >= 1
    assert tiling.panel * tiling.panels >= columns
    assert (tiling.panel == 0) == (columns == 0)


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
def test_lines_of_a_tile_are_whole_lines_of_cache(itemsize: int) -> None:
    tiling = choose_transpose(itemsize)
    assert tiling.pitch >= tiling.side
    assert tiling.side * itemsize >= 64
    with tuning.TABLE.using(replace(tuning.row(), tile_lines=3)):
        assert choose_transpose(itemsize).side == 3


@given(st.integers(0, 1 << 20), st.integers(1, 128))
def test_tiles_have_about_one_size(size: int, side: int) -> None:
    tiling = replace(choose_transpose(4), side=side)
    step = tiling.step(size)
    tiles = -(-size // side)
    assert 0 < step <= side
    assert (tiles - 1) * step < max(size, 1) <= max(tiles, 1) * step
