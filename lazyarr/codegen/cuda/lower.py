"""Lowering for GPUs: the choice among templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lazyarr.codegen import scalar
from lazyarr.codegen.candidate import Candidate
from lazyarr.codegen.cuda.column_reduction import lower_columns
from lazyarr.codegen.cuda.elementwise import candidates_of_map, lower_map
from lazyarr.codegen.cuda.launch import DeviceLaunch, DeviceLowered
from lazyarr.codegen.cuda.matmul_epilogue import fused_product
from lazyarr.codegen.cuda.pair_tiles import lower_pairs
from lazyarr.codegen.cuda.row_reduction import lower_rows
from lazyarr.codegen.cuda.scan import lower_scan
from lazyarr.codegen.cuda.split_reduction import lower_split
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.errors import ContractError
from lazyarr.graph.node import Node

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["candidates", "covers", "lower_cuda"]


def covers(node: Node) -> bool:
    """Return whether kernels of a GPU can compute an elementwise or reduction node."""
    steps = () if node.op.loop is None else node.op.loop.steps
    return scalar.covers(node) and not any(n.op.cpu_only for n in (node, *steps))


def candidates(planned: PlannedGroup) -> Sequence[Candidate]:
    """Return the ways to cut a group's kernel, the one that is chosen first.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    """
    if planned.group.template != "map":
        return ()
    chosen, *others = candidates_of_map(planned) or (None,)
    if chosen is None:
        return ()
    named = [Candidate(str(tiling), tiling, seconds) for tiling, seconds in others]
    return Candidate("", *chosen), *named


def lower_cuda(
    planned: PlannedGroup,
    tiling: Tiling | None = None,
) -> DeviceLowered:
    """Return the kernels of a group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    tiling : Tiling, optional
        One of :func:`candidates`; default: the first of them.
    """
    match planned.group.template:
        case "map":
            fused = fused_product(planned)
            launch = lower_map(planned, tiling=tiling)
            return DeviceLowered(planned.group, (launch,), 0, fused=fused)
        case "scan":
            return lower_scan(planned)
        case "rows":
            tiles = lower_pairs(planned)
            if tiles is None and len(planned.group.domain) > 1:
                # Imported here: many kernels reduce all there is.
                from lazyarr.codegen.cuda import row_tiles

                tiles = row_tiles.lower_row_tiles(planned)
            rows = tiles or lower_rows(planned)
            return DeviceLowered(planned.group, (rows,), 0)
        case "split":
            launch, scratch = lower_split(planned)
        case "columns":
            blocks = _lower_product(planned)
            if blocks is not None:
                return DeviceLowered(planned.group, (blocks,), 0)
            launch, scratch = lower_columns(planned)
        case _:
            raise ContractError(f"no kernel template {planned.group.template!r}")
    return DeviceLowered(planned.group, (launch,), scratch)


def _lower_product(planned: PlannedGroup) -> DeviceLaunch | None:
    """Return the kernel of a stack of small products; None for any other group."""
    if not any(node.op.allows_fma for node in planned.group.nodes):
        return None
    # Imported here: few kernels are products.
    from lazyarr.codegen.cuda.product_blocks import lower_product_blocks

    return lower_product_blocks(planned)
