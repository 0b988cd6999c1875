"""Lowering for CPUs: each loop template has a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu.choices import choose_tiling
from lazyarr.codegen.cpu.elementwise import lower_map
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.launch import Lowered
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
from lazyarr.errors import ContractError

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["lower"]


T = TypeVar("T", bound="Tiling")


def lower(
    planned: PlannedGroup,
    tiling: Tiling | None = None,
) -> Lowered:
    """Return the kernels of a group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    tiling : Tiling, optional
        How the work is cut: a value of the group's template. Default: what the template chooses.
    """
    low = Lowering(planned, planned.group.name)
    if tiling is None:
        tiling = choose_tiling(planned.group.template, low.analysis)
    comments = planned.comments
    # Imported here: few expressions have all templates.
    match planned.group.template:
        case "map":
            return lower_map(low, comments, _of(MapTiling, tiling))
        case "tiles":
            from lazyarr.codegen.cpu.transpose_tiles import lower_tiles

            return lower_tiles(low, comments, _of(TransposeTiling, tiling))
        case "contraction":
            from lazyarr.codegen.cpu.contraction import lower_contraction

            return lower_contraction(low, comments, _of(ContractionTiling, tiling))
        case "rows":
            if isinstance(tiling, ShortRowTiling):
                from lazyarr.codegen.cpu.short_rows import lower_short_rows

                return lower_short_rows(low, comments, tiling)
            if isinstance(tiling, RowGroupTiling):
                from lazyarr.codegen.cpu.rows_together import lower_row_groups

                return lower_row_groups(low, comments, tiling)
            if not isinstance(tiling, RowLoopTiling):
                from lazyarr.codegen.cpu.row_tiles import lower_row_tiles
                from lazyarr.codegen.row_tile_tiling import RowTileTiling

                return lower_row_tiles(low, comments, _of(RowTileTiling, tiling))
            from lazyarr.codegen.cpu.row_reduction import lower_rows

            return lower_rows(low, comments, tiling)
        case "split":
            from lazyarr.codegen.cpu.split_reduction import lower_split

            return lower_split(low, comments, _of(ChunkTiling, tiling))
        case "columns":
            from lazyarr.codegen.cpu.column_reduction import lower_columns

            return lower_columns(low, comments, _of(PanelTiling, tiling))
        case "scan":
            from lazyarr.codegen.cpu.scan import lower_scan

            return lower_scan(low, comments, _of(LineScanTiling, tiling))
        case _:
            raise ContractError(f"no kernel template {planned.group.template!r}")


def _of(kind: type[T], tiling: Tiling) -> T:
    """Return a tiling, which must be of the kind that a template is written by."""
    if isinstance(tiling, kind):
        return tiling
    raise ContractError(f"the template needs a {kind.__name__}, got a {type(tiling).__name__}")
