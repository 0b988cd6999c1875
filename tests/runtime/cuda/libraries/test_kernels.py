"""The hand-written kernels around library calls, as NVRTC takes them."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from lazyarr.errors import CompileError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options
from lazyarr.runtime.cuda.libraries.kernels import (
    bucket_rows,
    bucket_sums,
    compaction,
    copies,
    histograms,
    item_writes,
    merge_sort,
    order_statistics,
    ordered_sums,
    owned_sums,
    partitioned_sums,
    placed_extremes,
    placed_sums,
    radix_sort,
    row_maps,
    scanned_sums,
    searching,
    slotted_sums,
    thin_products,
    warp_sort,
)
from tests.support.nvrtc import LIMIT, architectures_of, compile_seconds

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None,
    reason="NVRTC is not installed",
)

DTYPES = [np.dtype(name) for name in ("?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8")]
STATES = [np.dtype(name) for name in ("u4", "u8")]
I8 = np.dtype(np.int64)
FLOATS = [np.dtype(name) for name in ("f4", "f8")]
CARRIED = [(FLOATS[0], False), (FLOATS[0], True), (FLOATS[1], False)]
BUCKETS = partitioned_sums.Buckets(10, 1 << 11, 6656, 32, 1 << 10)
SOURCES = {
    **{f"copy-{size}-{n}": copies.copy_source(size, n) for size in (1, 8) for n in (1, 6)},
    **{f"transpose-{size}": copies.transpose_source(size) for size in (2, 8)},
    **{f"identity-{n}": copies.identity_source(n, parts) for n, parts in ((4, 1), (8, 2))},
    **{f"triangle-{size}": copies.triangle_source(size) for size in (4, 8, 16)},
    **{f"mirror-{size}": copies.mirror_source(size) for size in (4, 8)},
    **{f"scale-{size}": copies.scale_source(size) for size in (4, 8)},
    **{f"tile-{dtype}": merge_sort.tile_source(dtype, 2048) for dtype in DTYPES},
    "tile-short": merge_sort.tile_source(np.dtype("f4"), 16),
    **{f"search-{dtype}": searching.search_source(dtype, True, I8, 1 << 12) for dtype in DTYPES},
    **{
        f"interpolate-{d}": searching.interpolate_source(
            np.dtype("f8"), np.dtype("i4"), np.dtype(d), 1 << 17
        )
        for d in ("f4", "f8")
    },
    **{
        f"thin-{dtype}-{columns}-{rows}-{aligned}": thin_products.thin_source(
            dtype, columns, rows, aligned
        )
        for dtype, columns in zip(FLOATS, (16, 8), strict=True)
        for rows, aligned in ((16, True), (256, False))
    },
    "mirror-places": searching.mirror_source(),
    **{f"merge-{n}": merge_sort.merge_source(np.dtype(f"u{n}")) for n in (4, 8)},
    **{f"count-{dtype}": radix_sort.count_source(dtype) for dtype in DTYPES},
    **{
        f"scatter-{dtype}-{positions}": radix_sort.scatter_source(
            dtype,
            positions,
            STATES[positions],
            radix_sort.tile_size(dtype, positions, 1 << 24),
        )
        for dtype in DTYPES
        for positions in (False, True)
    },
    **{f"pick-{size}": merge_sort.pick_source(size) for size in (0, 1, 8)},
    **{
        f"part-{dtype}-{last}-{places}": merge_sort.part_source(dtype, last, places)
        for dtype in DTYPES
        for last in (False, True)
        for places in (False, True)
    },
    **{
        f"part-{dtype}-{whole}": merge_sort.part_source(
            dtype, True, False, whole=whole, gathered=whole
        )
        for dtype in DTYPES
        for whole in (False, True)
    },
    **{
        f"few-{dtype}-{last}": merge_sort.few_source(np.dtype(dtype), last, last)
        for dtype, last in (("f2", False), ("f4", False), ("f8", True), ("u1", True))
    },
    **{
        f"median-{d}-{skips}": order_statistics.median_source(d, d, skips)
        for d in FLOATS
        for skips in (False, True)
    },
    **{
        f"quantile-{d}-{method}": order_statistics.quantile_source(
            d, FLOATS[0], d, method, d is FLOATS[0], method == "hazen"
        )
        for d in FLOATS
        for method in order_statistics.PLACES
    },
    **{
        f"{name}-{d}-{least}": source
        for d in (*FLOATS, I8, STATES[0])
        for least in (False, True)
        for name, source in {
            "begin": placed_extremes.begin_source(d, least),
            "raise": placed_extremes.raise_source(d, I8, least),
            "settle": placed_extremes.settle_source(d, I8, least),
            "end": placed_extremes.end_source(d, least),
        }.items()
    },
    **{
        f"warps-{d}-{width}-{positions}-{stable}": warp_sort.sort_source(
            np.dtype(d), width, positions, stable
        )
        for d in ("u1", "i4", "f2", "f4", "f8")
        for width in (8, 128, 512)
        for positions, stable in ((False, False), (True, False), (False, True))
    },
    **{
        f"rows-{d}-{length}-{positions}-{stable}": warp_sort.short_source(
            np.dtype(d), length, positions, stable
        )
        for d in ("u1", "i4", "f2", "f4", "f8")
        for length in (1, 5, 16)
        for positions, stable in ((False, False), (True, False), (False, True))
    },
    "warps-f4-1024": warp_sort.sort_source(np.dtype("f4"), 1024, False, False),
    **{f"count-in-bins-{d}": histograms.count_source(d, d, FLOATS[1]) for d in FLOATS},
    "last-of-items": item_writes.last_source(3, (I8, np.dtype("i4"))),
    **{f"write-items-{n}": item_writes.write_source(n, 2, (I8,)) for n in (1, 8)},
    **{f"negate-{d}": placed_extremes.negate_source(d) for d in (*FLOATS, I8)},
    "differs": copies.differs_source(),
    **{f"follow-{b}": copies.follow_source(b, not b) for b in (False, True)},
    "places": compaction.places_source(),
    **{f"rows-{size}": compaction.rows_source(size) for size in (1, 8)},
    **{f"alone-{d}": placed_sums.alone_source(d, d, I8) for d in FLOATS},
    **{
        f"prepare-{b}": ordered_sums.prepare_source(FLOATS[0], I8, 4, 8, 0, b)
        for b in (False, True)
    },
    "look": placed_sums.look_source(I8),
    "link": placed_sums.link_source(I8),
    **{f"linked-{d}": placed_sums.linked_source(d, d, 64, 4) for d in FLOATS},
    **{f"fill-{d}": placed_sums.fill_source(d) for d in FLOATS},
    **{f"heads-{d}-{b}": ordered_sums.heads_source(d, d, I8, b) for d, b in CARRIED},
    **{f"tiles-{d}-{b}": ordered_sums.tiles_source(d, d, I8, b) for d, b in CARRIED},
    **{f"lines-{d}": ordered_sums.lines_source(d, d, I8, False, lanes=8) for d in FLOATS},
    **{f"checked-{d}": ordered_sums.lines_source(d, d, I8, False, checks=True) for d in FLOATS},
    **{f"slot-{n}": slotted_sums.slot_source(I8, n) for n in (16, 32)},
    **{f"order-{n}": slotted_sums.order_source(n) for n in (16, 32)},
    **{
        f"slotted-{d}-{n}-{sorts}": slotted_sums.slotted_source(d, d, n, 64, sorts)
        for d in FLOATS
        for n in (16, 32)
        for sorts in (False, True)
    },
    **{
        f"bucket-{d}-{carried}-{single}-{dense}": bucket_sums.bucket_source(
            d, d, I8, carried, single, dense
        )
        for d, carried in CARRIED
        for single in (True, carried)
        for dense in (False, True)
    },
    **{
        f"partition-{d}-{width}-{moves}": partitioned_sums.partition_source(
            d, I8, BUCKETS, width, moves, "multiply subtract", not moves
        )
        for d in FLOATS
        for width, moves in ((1, True), (3, True), (3, False))
    },
    **{
        f"partitioned-{d}-{width}": partitioned_sums.bucket_source(d, d, BUCKETS, width)
        for d in FLOATS
        for width in (1, 4)
    },
    **{
        f"owned-{d}-{low}": owned_sums.owned_source(
            d, d, BUCKETS._replace(low=low, places=(1 << low) - 1)
        )
        for d in FLOATS
        for low in (7, 8, 12)
    },
    **{
        f"gathered-{d}-{span}": partitioned_sums.gathered_source(d, d, BUCKETS, 4, span)
        for d in FLOATS
        for span in (16, 32)
    },
    **{
        f"rows-{d}-{width}-{low}": bucket_rows.rows_source(
            d, d, partitioned_sums.Buckets(low, 1 << 11, 8192, 32, 1 << low), width, "multiply add"
        )
        for d in FLOATS
        for width, low in ((16, 5), (16, 11), (7, 8))
    },
    **{f"map-{d}": row_maps.map_source("multiply subtract_from", d) for d in FLOATS},
    **{
        f"scanned-{d}-{width}": scanned_sums.scanned_source(d, d, I8, width, 64)
        for d in FLOATS
        for width in (1, 3, 16)
    },
    **{f"checks-{d}": ordered_sums.tiles_source(d, d, I8, False, checks=True) for d in FLOATS},
    "repeats": radix_sort.scatter_source(placed_sums.ITEM, False, STATES[0], 5120, True, 6),
    **{
        f"warps-{d}-{carried}-{single}": ordered_sums.warps_source(
            d, d, I8, carried, single, not carried
        )
        for d, carried in CARRIED
        for single in (True, carried)
    },
    **{f"runs-{d}-{b}": ordered_sums.runs_source(d, d, I8, b) for d, b in CARRIED},
    **{f"runs-alone-{d}": ordered_sums.runs_source(d, d, I8, False, True) for d in FLOATS},
    **{f"tasks-{d}-{b}": ordered_sums.tasks_source(d, d, I8, b) for d, b in CARRIED},
    **{
        f"atomic-{d}-{b}": placed_sums.atomic_source(d, I8, I8, b)
        for d in STATES
        for b in (False, True)
    },
    **{f"atomic-{d}": placed_sums.atomic_source(d, d, I8, False) for d in FLOATS},
}


@pytest.mark.parametrize("name", SOURCES)
def test_compiles(name: str) -> None:
    for architecture in architectures_of(SOURCES[name]):
        assert compile_seconds(SOURCES[name], architecture) < LIMIT


def test_a_refusal_shows_the_numbered_text_and_the_log() -> None:
    text = 'extern "C" __global__ void kernel(int n) {\n    unknown(n);\n}\n'
    with pytest.raises(CompileError) as caught:
        compile_cubin(Source("cuda", text, "kernel", ()), compile_options("sm_90", "strict"))
    assert "2 |     unknown(n);" in str(caught.value)
    assert "undefined" in str(caught.value)
