"""Lowering of elementwise kernels with transposed operands for GPUs: tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.transposes import Transposes
from lazyarr.loop_ir.kernel import Operand, Pointer
from lazyarr.loop_ir.threads import Barrier

__all__ = ["fits_tiles", "lower_tiles"]


def _tile_bytes(low: DeviceLowering, tiles: Transposes) -> int:
    edge = tuning.row().transpose_side
    return sum(edge * (edge + 1) * low.terms[k].dtype.itemsize for k in tiles.terms)


def fits_tiles(low: DeviceLowering, tiles: Transposes) -> bool:
    """Whether the tiles of all transposed operands fit in the shared memory of a block.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    tiles : Transposes
        The loops in tiles.
    """
    return _tile_bytes(low, tiles) <= tuning.row().transpose_shared_bytes


def lower_tiles(
    low: DeviceLowering, tiles: Transposes, chosen: Sequence[int], comments: Sequence[str]
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
    comments : sequence of str
        Lines for the reader above the kernel.
    """
    device = low.device
    edge, threads = tuning.row().transpose_side, tuning.row().transpose_threads
    lines = threads // edge
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
    rest = device.arithmetic("/", block, n_high)
    top = low.times(device.arithmetic("%", block, n_high), edge)
    first = low.times(device.arithmetic("%", rest, n_wide), edge)
    outer = low.decode(device.arithmetic("/", rest, n_wide), tiles.outer)
    column, line = device.arithmetic("%", thread, side), device.arithmetic("/", thread, side)
    pointers: dict[int, Pointer] = {
        k: device.array(
            "tile",
            low.terms[k].dtype,
            edge * (edge + 1),
            True,
        )
        for k in tiles.terms
    }
    b = low.builder

    def inside(i: Operand, p: Operand) -> Operand:
        return b.call("and", low.below(i, width), low.below(p, height))

    iterations = low.integer(edge // lines)
    with low.inside(tiles.outer, outer):
        copies = edge // lines
        unroll = 0 if low.code.written_out(tiles.terms, copies) == copies else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row = low.plus(low.times(r, lines), line)
            i, p = low.plus(first, row), low.plus(top, column)
            with b.when(inside(i, p)), low.inside(tiles.plane, (i, p)):
                low.write(tiles.terms)
                for k, pointer in pointers.items():
                    # One more element a line: neighbouring threads then meet no common bank.
                    b.store(
                        pointer,
                        low.at(low.times(row, edge + 1), column),
                        low.value(k),
                    )
        device.emit(Barrier())
        unroll = 0 if low.code.written_out(chosen, copies) == copies else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row = low.plus(low.times(r, lines), line)
            i, p = low.plus(first, column), low.plus(top, row)
            with b.when(inside(i, p)), low.inside(Frame((across, along)), (p, i)):
                for k, pointer in pointers.items():
                    low.put(
                        k,
                        b.load(pointer, low.at(low.times(column, edge + 1), row)),
                    )
                low.write(k for k in chosen if low.terms[k].loaded)
                low.write(chosen)
                for k, output in low.stores:
                    low.store(k, output)
    return low.device_launch(tiles.outer.size * high * wide, threads, comments)
