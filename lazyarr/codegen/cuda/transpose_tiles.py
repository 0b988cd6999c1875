"""Lowering of elementwise kernels with transposed operands for GPUs: tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.device_tilings import SharedTileTiling
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.transposes import Transposes
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import Operand, Pointer
from lazyarr.loop_ir.threads import Barrier

__all__ = ["choose_shared_tiles", "lower_tiles"]


def choose_shared_tiles(
    low: DeviceLowering, transposes: Transposes, chosen: Sequence[int]
) -> SharedTileTiling | None:
    """Return the tiling; None if the tiles of all operands are more than a block's shared memory.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    transposes : Transposes
        The loops in tiles.
    chosen : sequence of int
        The terms to write.
    """
    row = tuning.row()
    side, threads = row.transpose_side, row.transpose_threads
    # One more element a line: neighbouring threads then meet no common bank.
    pitch = side + 1
    itemsizes = sum(low.terms[k].dtype.itemsize for k in transposes.terms)
    if side * pitch * itemsizes > row.transpose_shared_bytes:
        return None
    copies = side // (threads // side)
    loads, results = (
        low.code.written_out(terms, copies) == copies for terms in (transposes.terms, chosen)
    )
    # Lines of results end within sectors of memory: their neighbours fill them at once, unless
    # what is read meanwhile leaves the L2 cache.
    tiles = -(-transposes.along.size // side)
    wide_first = tiles * side * side * itemsizes <= row.l2_reuse_bytes
    return SharedTileTiling(side, pitch, threads, loads, results, wide_first)


def lower_tiles(
    low: DeviceLowering,
    tiles: Transposes,
    chosen: Sequence[int],
    tiling: SharedTileTiling,
    comments: Sequence[str],
) -> DeviceLaunch:
    """Return the kernel; a block works one tile.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    tiles : Transposes
        The loops in tiles.
    chosen : sequence of int
        The terms to write.
    tiling : SharedTileTiling
        How they are cut.
    comments : sequence of str
        Lines for the reader above the kernel.
    """
    device = low.device
    edge, lines, pitch = tiling.side, tiling.lines, tiling.pitch
    along, across = tiles.along, tiles.across
    high, wide = (
        -(-across.size // edge),
        -(-along.size // edge),
    )
    block, thread = device.builtin("block"), device.builtin("thread")
    width = low.number(("size", along.axes), along.size, "n")
    height = low.number(("size", across.axes), across.size, "n")
    n_high, n_wide = low.number("tiles high", high, "n"), low.number("tiles wide", wide, "n")
    side = low.integer(edge)
    inner, other = (n_wide, n_high) if tiling.wide_first else (n_high, n_wide)
    rest = device.arithmetic("/", block, inner)
    places = [
        low.times(device.arithmetic("%", block, inner), edge),
        low.times(device.arithmetic("%", rest, other), edge),
    ]
    first, top = places if tiling.wide_first else reversed(places)
    outer = low.decode(device.arithmetic("/", rest, other), tiles.outer)
    column, line = device.arithmetic("%", thread, side), device.arithmetic("/", thread, side)
    pointers: dict[int, Pointer] = {
        k: device.array(
            "tile",
            low.terms[k].dtype,
            edge * pitch,
            True,
        )
        for k in tiles.terms
    }
    b = low.builder

    def inside(i: Operand, p: Operand) -> Operand:
        return b.call("and", low.below(i, width), low.below(p, height))

    iterations = low.integer(tiling.copies)
    with low.inside(tiles.outer, outer):
        unroll = 0 if tiling.unrolled_loads else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row = low.plus(low.times(r, lines), line)
            i, p = low.plus(first, row), low.plus(top, column)
            with b.when(inside(i, p)), low.inside(tiles.plane, (i, p)):
                low.write(tiles.terms)
                for k, pointer in pointers.items():
                    b.store(
                        pointer,
                        low.at(low.times(row, pitch), column),
                        low.value(k),
                    )
        device.emit(Barrier())
        unroll = 0 if tiling.unrolled_results else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row = low.plus(low.times(r, lines), line)
            i, p = low.plus(first, column), low.plus(top, row)
            with b.when(inside(i, p)), low.inside(Frame((across, along)), (p, i)):
                for k, pointer in pointers.items():
                    low.put(
                        k,
                        b.load(pointer, low.at(low.times(column, pitch), row)),
                    )
                low.write(k for k in chosen if low.terms[k].loaded)
                low.write(chosen)
                for k, output in low.stores:
                    low.store(k, output)
    launch = low.device_launch(tiles.outer.size * high * wide, tiling.threads, comments)
    return replace(launch, tiling=tiling)
