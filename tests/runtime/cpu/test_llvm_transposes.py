"""Blocks that are transposed in registers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.codegen.emit.numba import emit_numba
from lazyarr.core.config import Config
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.intrinsics import SUFFIXES
from lazyarr.loop_ir.kernel import Index, Kernel, Literal, Pointer
from lazyarr.runtime.cpu.compiler import compile_sources

INT64 = np.dtype(np.int64)


@pytest.mark.parametrize("side", [2, 4, 8, 16])
@pytest.mark.parametrize("emit", [emit_llvm, emit_numba])
def test_lines_become_columns(emit: object, side: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(side)
    sources, arrays = [], []
    for dtype in SUFFIXES:
        source, result = Pointer("a", dtype, False), Pointer("b", dtype, True)
        builder = Builder()
        blocks = [
            (pointer, Index(first), Literal(pitch, INT64))
            for pointer, first, pitch in ((source, 3, side + 5), (result, 1, side + 2))
        ]
        builder.transpose(*blocks, side)
        kernel = Kernel("k", (source, result), builder.finish())
        sources.append(emit(kernel))  # type: ignore[operator]
        before = rng.integers(0, 2 if dtype.kind == "b" else 100, (2, 400)).astype(dtype)
        arrays.append((before[0].copy(), before[1].copy()))
    for function, (a, b) in zip(
        compile_sources(sources, Config(cache_dir=str(tmp_path))), arrays, strict=True
    ):
        expected = b.copy()
        lines = np.lib.stride_tricks.as_strided(
            a[3:], (side, side), (a.itemsize * (side + 5), a.itemsize)
        )
        columns = np.lib.stride_tricks.as_strided(
            expected[1:], (side, side), (a.itemsize * (side + 2), a.itemsize)
        )
        columns[...] = lines.T
        function(0, 1, a.ctypes.data, b.ctypes.data)
        np.testing.assert_array_equal(b, expected)
