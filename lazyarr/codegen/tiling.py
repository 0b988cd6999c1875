"""Tilings: lowering's decisions about loops, threads and memory, as frozen values.

Each is chosen by a function of sizes alone (``choose_...`` beside the template that it is for), the
code is written by it, and ``explain`` prints it.
"""

from __future__ import annotations

from lazyarr.codegen.device_tilings import (
    ColumnScanTiling,
    ColumnTiling,
    GridTiling,
    ProductTiling,
    RegisterTiling,
    RowTiling,
    ScanTiling,
    SharedTileTiling,
    SplitTiling,
)
from lazyarr.codegen.processor_tilings import (
    ChunkTiling,
    ContractionTiling,
    LineScanTiling,
    MapTiling,
    PanelTiling,
    RowGroupTiling,
    RowLoopTiling,
    ShortRowTiling,
    TransposeTiling,
)
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.codegen.small_product_tiling import SmallProductTiling

__all__ = ["Tiling"]

Tiling = (
    ChunkTiling
    | ContractionTiling
    | LineScanTiling
    | MapTiling
    | PanelTiling
    | RowGroupTiling
    | RowLoopTiling
    | RowTileTiling
    | ShortRowTiling
    | TransposeTiling
    | ColumnScanTiling
    | ColumnTiling
    | GridTiling
    | ProductTiling
    | RegisterTiling
    | RowTiling
    | ScanTiling
    | SharedTileTiling
    | SmallProductTiling
    | SplitTiling
)
"""What the templates of processors and of GPUs decide."""
