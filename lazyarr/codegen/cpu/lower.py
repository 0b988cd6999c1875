"""Lowering for CPUs: each loop template has a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu.column_reduction import lower_columns
from lazyarr.codegen.cpu.contraction import lower_contraction
from lazyarr.codegen.cpu.elementwise import lower_map
from lazyarr.codegen.cpu.row_reduction import lower_rows
from lazyarr.codegen.cpu.scan import lower_scan
from lazyarr.codegen.cpu.split_reduction import lower_split
from lazyarr.codegen.cpu.transpose_tiles import lower_tiles
from lazyarr.codegen.launch import Lowered
from lazyarr.errors import ContractError
from lazyarr.graph.node import Node
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.memory import Plan

__all__ = ["lower"]


def lower(group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]) -> Lowered:
    """Return the kernels of a group.

    Parameters
    ----------
    group : Group
        What to compute.
    plan : Plan
        Which stored values share memory.
    layouts : dict of Node to Layout
        Where stored values lie.
    comments : sequence of str
        Lines for the reader above each kernel.
    """
    low = Lowering(group, plan, layouts, group.name)
    match group.template:
        case "map":
            return lower_map(low, comments)
        case "tiles":
            return lower_tiles(low, comments)
        case "contraction":
            return lower_contraction(low, comments)
        case "rows":
            return lower_rows(low, comments)
        case "split":
            return lower_split(group, plan, layouts, comments)
        case "columns":
            return lower_columns(group, plan, layouts, comments)
        case "scan":
            return lower_scan(group, plan, layouts, comments)
        case _:
            raise ContractError(f"no kernel template {group.template!r}")
