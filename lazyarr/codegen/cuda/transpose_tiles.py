"""Lowering of elementwise kernels with transposed operands for GPUs: tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.transposes import Transposes
from lazyarr.loop_ir.cuda_kernel import Barrier
from lazyarr.loop_ir.kernel import Operand, Pointer

__all__ = ["fits_tiles", "lower_tiles"]

THREADS = 256
#: Lines and columns of a tile, and how many lines the threads of a block work at a time.
SIDE = 32
LINES = THREADS // SIDE
#: Bytes of shared memory that every GPU gives a block.
SHARED_BYTES = 46 << 10


def _tile_bytes(low: DeviceLowering, tiles: Transposes) -> int:
    return sum(SIDE * (SIDE + 1) * low.terms[k].dtype.itemsize for k in tiles.terms)


def fits_tiles(low: DeviceLowering, tiles: Transposes) -> bool:
    """Whether the tiles of all transposed operands fit in the shared memory of a block."""
    return _tile_bytes(low, tiles) <= SHARED_BYTES


def lower_tiles(
    low: DeviceLowering, tiles: Transposes, wanted: Sequence[int], comments: Sequence[str]
) -> DeviceLaunch:
    """Return the kernel; a block works one tile."""
    device = low.device
    along, across = tiles.along, tiles.across
    high, wide = -(-across.size // SIDE), -(-along.size // SIDE)
    block, thread = device.builtin("block"), device.builtin("thread")
    width = low.number(("size", along.axes), along.size, "n")
    height = low.number(("size", across.axes), across.size, "n")
    n_high, n_wide = low.number("tiles high", high, "n"), low.number("tiles wide", wide, "n")
    side = low.integer(SIDE)
    rest = device.arithmetic("/", block, n_high)
    top = low.times(device.arithmetic("%", block, n_high), SIDE)
    first = low.times(device.arithmetic("%", rest, n_wide), SIDE)
    outer = low.decode(device.arithmetic("/", rest, n_wide), tiles.outer)
    column, line = device.arithmetic("%", thread, side), device.arithmetic("/", thread, side)
    held: dict[int, Pointer] = {
        k: device.array("tile", low.terms[k].dtype, SIDE * (SIDE + 1), True) for k in tiles.terms
    }
    b = low.builder

    def inside(i: Operand, p: Operand) -> Operand:
        return b.call("and", low.below(i, width), low.below(p, height))

    turns = low.integer(SIDE // LINES)
    with low.inside(tiles.outer, outer):
        copies = SIDE // LINES
        unroll = 0 if low.written_out(tiles.terms, copies) == copies else 1
        with device.count("r", low.integer(0), turns, unroll=unroll) as r:
            row = low.plus(low.times(r, LINES), line)
            i, p = low.plus(first, row), low.plus(top, column)
            with b.when(inside(i, p)), low.inside(tiles.plane, (i, p)):
                low.write(tiles.terms)
                for k, pointer in held.items():
                    # One more element a line: neighbouring threads then meet no common bank.
                    b.store(pointer, low.at(low.times(row, SIDE + 1), column), low.value(k))
        device.emit(Barrier())
        unroll = 0 if low.written_out(wanted, copies) == copies else 1
        with device.count("r", low.integer(0), turns, unroll=unroll) as r:
            row = low.plus(low.times(r, LINES), line)
            i, p = low.plus(first, column), low.plus(top, row)
            with b.when(inside(i, p)), low.inside(Frame((across, along)), (p, i)):
                for k, pointer in held.items():
                    low.put(k, b.load(pointer, low.at(low.times(column, SIDE + 1), row)))
                low.write(k for k in wanted if low.terms[k].loaded)
                low.write(wanted)
                for k, output in low.stores:
                    low.store(k, output)
    return low.device_launch(tiles.outer.size * high * wide, THREADS, comments)
