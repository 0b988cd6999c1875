"""Lowering for GPUs: elementwise kernels, and the choice among templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.codegen import scalar
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.column_reduction import lower_columns
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch, DeviceLowered
from lazyarr.codegen.cuda.matmul_epilogue import joint_product
from lazyarr.codegen.cuda.register_tiles import choose_register_tile, lower_register_tile
from lazyarr.codegen.cuda.row_reduction import lower_rows
from lazyarr.codegen.cuda.scan import lower_scan
from lazyarr.codegen.cuda.split_reduction import lower_split
from lazyarr.codegen.cuda.transpose_tiles import fits_tiles, lower_tiles
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.transposes import find_transposes
from lazyarr.errors import ContractError
from lazyarr.graph.node import Node
from lazyarr.loop_ir.kernel import Operand
from lazyarr.schedule.fusion import Group
from lazyarr.schedule.memory import Plan

__all__ = ["covers", "lower_cuda"]


def covers(node: Node) -> bool:
    """Return whether kernels of a GPU can compute an elementwise or reduction node."""
    steps = () if node.op.loop is None else node.op.loop.steps
    return scalar.covers(node) and not any(n.op.cpu_only for n in (node, *steps))


def lower_cuda(
    group: Group, plan: Plan, layouts: dict[Node, Any], comments: Sequence[str]
) -> DeviceLowered:
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
    match group.template:
        case "map":
            joint = joint_product(group, plan, layouts, comments)
            launch = _lower_map(group, plan, layouts, comments)
            return DeviceLowered(group, (launch,), 0, joint=joint)
        case "scan":
            return lower_scan(group, plan, layouts, comments)
        case "rows":
            return DeviceLowered(group, (lower_rows(group, plan, layouts, comments),), 0)
        case "split":
            launch, scratch = lower_split(group, plan, layouts, comments)
        case "columns":
            launch, scratch = lower_columns(group, plan, layouts, comments)
        case _:
            raise ContractError(f"no kernel template {group.template!r}")
    return DeviceLowered(group, (launch,), scratch)


def _lower_map(
    group: Group,
    plan: Plan,
    layouts: dict[Node, Any],
    comments: Sequence[str],
    vectors: bool = True,
) -> DeviceLaunch:
    """One pass over the domain: a vector a thread, neighbouring threads on neighbouring ones."""
    low = DeviceLowering(group, plan, layouts, vectors)
    frame = low.frame(range(len(group.domain)))
    chosen = low.needed([k for k, _ in low.stores])
    stores = range(len(low.stores))
    tiles = find_transposes(low.analysis, frame, chosen)
    if tiles is not None and fits_tiles(low, tiles):
        return lower_tiles(low, tiles, chosen, comments)
    size = frame.size
    width = 1
    if frame.axes and size:
        width = low.code.width(
            frame.axes[-1], chosen, stores, ragged=low.code.may_overshoot(chosen)
        )
        varying = [k for k in chosen if low.spans(k, frame.axes[-1].axes)]
        if (
            size % width
            and low.code.overlapping(varying, width, 1, tuning.row().ragged_share) < width
        ):
            # Long code would be longer still with a vector that may have fewer elements.
            width = low.code.width(frame.axes[-1], chosen, stores)
    tile = choose_register_tile(low, frame, chosen, width)
    if tile is not None:
        unaligned = None
        if tile.tiling.width > 1:
            unaligned = _lower_map(group, plan, layouts, comments, False)
        return lower_register_tile(low, tile, comments, unaligned)
    otherwise = None
    if width > 1:
        otherwise = _lower_map(group, plan, layouts, comments, False)
    device = low.device
    block, thread = device.builtin("block"), device.builtin("thread")

    if len(frame.axes) > 1 and frame.axes[-1].size // width >= tuning.row().long_line:
        blocks = _lines(low, frame, width, chosen, block, thread)
        return low.device_launch(
            blocks if size else 0, tuning.row().map_threads, comments, otherwise
        )

    place = low.plus(low.times(block, tuning.row().map_threads), thread)
    count = -(-size // width)
    total = low.number("vectors", count, "n")
    with low.builder.when(low.below(place, total)):
        counters: list[Operand]
        if len(frame.axes) <= 1:
            counters = [low.times(place, width)][: len(frame.axes)]
        else:
            last = frame.axes[-1]
            per_line = low.number("vectors of a line", last.size // width, "n")
            line = device.arithmetic("/", place, per_line)
            column = device.arithmetic("%", place, per_line)
            counters = [*low.decode(line, Frame(frame.axes[:-1])), low.times(column, width)]
        left = None
        if size % width:
            left = device.arithmetic("-", low.number("elements", size, "n"), counters[-1])
        low.lanes(frame, counters, width, chosen, stores, left=left)
    return low.device_launch(
        -(-count // tuning.row().map_threads), tuning.row().map_threads, comments, otherwise
    )


def _lines(
    low: DeviceLowering,
    frame: Frame,
    width: int,
    chosen: Sequence[int],
    block: Operand,
    thread: Operand,
) -> int:
    """Work tiles of lines: what a line's place costs is computed once for all its elements."""
    device = low.device
    last = frame.axes[-1]
    outer = Frame(frame.axes[:-1])
    across = tuning.row().map_across
    while across < tuning.row().map_threads and across * width < last.size:
        across *= 2
    high = tuning.row().map_threads // across
    tiles = -(-last.size // (across * width))
    size = low.number(("size", last.axes), last.size, "n")
    lines = low.number("lines", outer.size, "n")
    n_tiles = low.number("tiles", tiles, "n")
    column: Operand = device.arithmetic("%", thread, low.integer(across))
    tile = device.arithmetic("%", block, n_tiles)
    column = low.plus(low.times(tile, across), column)
    line: Operand = low.times(device.arithmetic("/", block, n_tiles), high)
    line = low.plus(line, device.arithmetic("/", thread, low.integer(across)))
    place = low.times(column, width)
    with low.builder.when(low.below(place, size)), low.builder.when(low.below(line, lines)):
        counters = [*low.decode(line, outer), place]
        low.lanes(frame, counters, width, chosen, range(len(low.stores)))
    return tiles * -(-outer.size // high)
