"""Kernels of convolutions as implicit products: CUDA C without a header.

The matrix of windows is not stored: tiles of it are read from the images into shared memory. A
convolution adds in the order of the elements of a window, whatever its tiles are; the derivative by
filters adds parts of the windows, which a second kernel adds in order.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["FilterTile", "ImageTile", "filter_source", "image_source", "sum_source"]

DType = np.dtype[Any]

#: Threads of a block, and those that add parts: in so many lines.
THREADS = tuning.row().convolution_threads
SUM_THREADS, SUM_LINES = tuning.row().sum_threads, tuning.row().sum_lines

_FILE = "implicit_products.cuh"
_GEOMETRY = (
    "height width channels by_image by_row by_column by_channel stride_down stride_across gap_down "
    "gap_across low_down low_across spread_down spread_across"
).split()


@dataclass(frozen=True, slots=True)
class ImageTile:
    """The part of a convolution that a block computes.

    Attributes
    ----------
    columns : int
        Outputs of the block.
    own_rows, own_columns : int
        Windows and outputs of a thread, multiples of four.
    step : int
        Elements of windows that are in shared memory at a time.
    """

    columns: int
    own_rows: int
    own_columns: int
    step: int

    @property
    def rows(self) -> int:
        """Windows of the block."""
        return THREADS // (self.columns // self.own_columns) * self.own_rows


@dataclass(frozen=True, slots=True)
class FilterTile:
    """The part of a derivative by filters that a block computes.

    Attributes
    ----------
    columns : int
        Outputs of the block.
    own_columns : int
        Outputs of a thread, a multiple of four.
    across : int
        Warps beside each other; the others take turns at the windows.
    step : int
        Windows that are in shared memory at a time.
    """

    columns: int
    own_columns: int
    across: int
    step: int

    #: Elements of windows of a thread.
    own_rows = 8

    @property
    def groups(self) -> int:
        """Threads of a warp that lie along the outputs."""
        return self.columns // self.across // self.own_columns

    @property
    def rows(self) -> int:
        """Elements of windows of the block."""
        return WARP // self.groups * self.own_rows


def _type(dtype: DType) -> dict[str, object]:
    single = dtype == np.float32
    return {"element": "float" if single else "double", "fma": "fmaf" if single else "fma"}


@cache
def image_source(
    dtype: DType, tile: ImageTile, vectors: bool, whole: bool, spread: bool, apart: bool
) -> Source:
    """Return the kernel of a convolution, for blocks of ``THREADS`` threads.

    Parameters
    ----------
    dtype : numpy.dtype
        float32 or float64.
    tile : ImageTile
        The part of a block.
    vectors : bool
        Whether four channels lie side by side, at multiples of 16 bytes.
    whole : bool
        Whether outputs are a multiple of four.
    spread : bool
        Whether there are zeros between neighbours of the images.
    apart : bool
        Whether the result lies in steps of its own, channels side by side.
    """
    fetched = tile.rows * (tile.step // 4) // THREADS if vectors else -(-tile.rows // THREADS)
    values = _type(dtype) | {
        "threads": THREADS,
        "step": tile.step,
        "rows": tile.rows,
        "columns": tile.columns,
        "own_rows": tile.own_rows,
        "own_columns": tile.own_columns,
        "column_groups": tile.columns // tile.own_columns,
        "row_groups": tile.rows // tile.own_rows,
        "fetched": fetched,
        "weight_fours": -(-tile.step * tile.columns // (4 * THREADS)),
        "vectors": vectors,
        "whole": whole,
        "spread": spread,
        "apart": apart,
    }
    names = "windows down across depth outputs taps_across column_tiles to_image to_row to_column"
    text = kernel_text(_FILE, "windows", **values) + kernel_text(_FILE, "images", **values)
    numbers = int64s(*names.split(), *_GEOMETRY)
    return kernel_source(text, numbers, dict.fromkeys(("from", "weights", "to"), dtype))


@cache
def filter_source(
    dtype: DType, tile: FilterTile, vectors: bool, whole: bool, spread: bool
) -> Source:
    """Return the kernel of the derivative by filters, for blocks of ``THREADS`` threads.

    Parameters
    ----------
    dtype : numpy.dtype
        float32 or float64.
    tile : FilterTile
        The part of a block.
    vectors, whole, spread : bool
        As for :func:`image_source`.
    """
    values = _type(dtype) | {
        "threads": THREADS,
        "step": tile.step,
        "rows": tile.rows,
        "pitch": tile.rows if vectors else tile.rows + 4,
        "columns": tile.columns,
        "own_rows": tile.own_rows,
        "own_columns": tile.own_columns,
        "column_groups": tile.groups,
        "warps_across": tile.across,
        "warp_columns": tile.columns // tile.across,
        "turns": THREADS // WARP // tile.across,
        "fetched": tile.step * tile.rows // 4 // THREADS if vectors else 1,
        "loaded_taps": tile.rows * tile.step // THREADS,
        "other_fours": -(-tile.step * tile.columns // (4 * THREADS)),
        "vectors": vectors,
        "whole": whole,
        "spread": spread,
    }
    names = "windows down across depth outputs taps_across row_tiles column_tiles share"
    text = kernel_text(_FILE, "windows", **values) + kernel_text(_FILE, "filters", **values)
    numbers = int64s(*names.split(), *_GEOMETRY)
    return kernel_source(text, numbers, dict.fromkeys(("from", "cotangent", "to"), dtype))


@cache
def sum_source(dtype: DType) -> Source:
    """Return the kernel that adds the sums of parts, for blocks of ``SUM_THREADS`` threads."""
    values = _type(dtype) | {"threads": SUM_THREADS, "lines": SUM_LINES}
    text = kernel_text(_FILE, "sums", **values)
    return kernel_source(text, int64s("total", "parts"), {"from": dtype, "to": dtype})
