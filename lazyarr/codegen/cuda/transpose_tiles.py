"""Lowering of elementwise kernels with transposed operands for GPUs: tiles in shared memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    itemsizes = sum(low.terms[k].dtype.itemsize for k in transposes.terms)
    wide, high = _extent(transposes.along.size), _extent(transposes.across.size)
    # An odd number of elements a line: neighbouring threads then meet no common bank.
    if wide * (high | 1) * itemsizes > row.transpose_shared_bytes:
        wide = high = side
    pitch = high | 1
    if wide * pitch * itemsizes > row.transpose_shared_bytes:
        return None
    copies = -(-wide * high // threads)
    loads, results = (
        low.code.written_out(terms, copies) == copies for terms in (transposes.terms, chosen)
    )
    # Lines of results end within sectors of memory: their neighbours fill them at once, unless
    # what is read meanwhile leaves the L2 cache.
    tiles = -(-transposes.along.size // wide)
    wide_first = tiles * wide * high * itemsizes <= row.l2_reuse_bytes
    return SharedTileTiling(wide, high, pitch, threads, loads, results, wide_first)


def _extent(size: int) -> int:
    """Return the elements of a tile along an axis: equal parts where squares waste much more."""
    row = tuning.row()
    side = row.transpose_side
    parts = -(-size // row.transpose_part)
    part = -(-size // parts)
    lines = row.transpose_threads // side
    worked, of_squares = parts * -(-part // lines) * lines, -(-size // side) * side
    return part if size > side and worked * row.transpose_waste <= of_squares else side


def lower_tiles(
    low: DeviceLowering,
    tiles: Transposes,
    chosen: Sequence[int],
    tiling: SharedTileTiling,
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
    """
    device, b = low.device, low.builder
    along, across = tiles.along, tiles.across
    high, wide = -(-across.size // tiling.high), -(-along.size // tiling.wide)
    block, thread = device.builtin("block"), device.builtin("thread")
    width = low.number(("size", along.axes), along.size, "n")
    height = low.number(("size", across.axes), across.size, "n")
    n_high, n_wide = low.number("tiles high", high, "n"), low.number("tiles wide", wide, "n")
    # A square's side is part of the text: what it divides by is a power of two.
    columns: Operand = low.integer(tiling.wide)
    rows: Operand = low.integer(tiling.high)
    if not tiling.square:
        columns = low.number("tile wide", tiling.wide, "n")
        rows = low.number("tile high", tiling.high, "n")
    inner, other = (n_wide, n_high) if tiling.wide_first else (n_high, n_wide)
    sizes = (columns, rows) if tiling.wide_first else (rows, columns)
    rest = device.arithmetic("/", block, inner)
    places = [
        device.arithmetic("*", device.arithmetic("%", block, inner), sizes[0]),
        device.arithmetic("*", device.arithmetic("%", rest, other), sizes[1]),
    ]
    first, top = places if tiling.wide_first else reversed(places)
    outer = low.decode(device.arithmetic("/", rest, other), tiles.outer)
    by_rows = _positions(low, tiling, thread, rows, tiling.high)
    by_columns = _positions(low, tiling, thread, columns, tiling.wide)
    pointers: dict[int, Pointer] = {
        k: device.array("tile", low.terms[k].dtype, tiling.elements, True) for k in tiles.terms
    }

    def inside(i: Operand, p: Operand, line: Operand, lines: Operand) -> Operand:
        """Write whether a place is in the domain, and a line in the tile."""
        both = b.call("and", low.below(i, width), low.below(p, height))
        return both if tiling.exact else b.call("and", both, low.below(line, lines))

    iterations = low.integer(tiling.copies)
    with low.inside(tiles.outer, outer):
        unroll = 0 if tiling.unrolled_loads else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row, column = by_rows(r)
            i, p = low.plus(first, row), low.plus(top, column)
            with b.when(inside(i, p, row, columns)), low.inside(tiles.plane, (i, p)):
                low.write(tiles.terms)
                for k, pointer in pointers.items():
                    b.store(
                        pointer,
                        low.at(low.times(row, tiling.pitch), column),
                        low.value(k),
                    )
        device.emit(Barrier())
        unroll = 0 if tiling.unrolled_results else 1
        with device.count("r", low.integer(0), iterations, unroll=unroll) as r:
            row, column = by_columns(r)
            i, p = low.plus(first, column), low.plus(top, row)
            frame = Frame((across, along))
            with b.when(inside(i, p, row, rows)), low.inside(frame, (p, i)):
                for k, pointer in pointers.items():
                    low.put(
                        k,
                        b.load(pointer, low.at(low.times(column, tiling.pitch), row)),
                    )
                low.write(k for k in chosen if low.terms[k].loaded)
                low.write(chosen)
                for k, output in low.stores:
                    low.store(k, output)
    launch = low.device_launch(tiles.outer.size * high * wide, tiling.threads)
    return replace(launch, tiling=tiling)


def _positions(
    low: DeviceLowering, tiling: SharedTileTiling, thread: Operand, length: Operand, size: int
) -> Callable[[Operand], tuple[Operand, Operand]]:
    """Return the function that writes a thread's line and column of a tile in an iteration.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    tiling : SharedTileTiling
        The tiles.
    thread : Operand
        The thread of the block.
    length : Operand
        The elements of a line.
    size : int
        Its value.
    """
    device = low.device
    if tiling.square:
        column = device.arithmetic("%", thread, length)
        line = device.arithmetic("/", thread, length)
        lines = tiling.threads // size
        return lambda r: (low.plus(low.times(r, lines), line), column)
    # Division by a multiplication: the quotient is exact, as numbers are so small that their
    # products with a line's elements are less than the parts of one.
    row = tuning.row()
    longest = max(row.transpose_part, row.transpose_side)
    bits = ((longest * longest + tiling.threads) * longest).bit_length()
    parts = low.number(("parts", size), -(-(1 << bits) // size), "n")

    def counted(r: Operand) -> tuple[Operand, Operand]:
        element = low.plus(low.times(r, tiling.threads), thread)
        scaled = device.arithmetic("*", element, parts)
        line = device.arithmetic(">>", scaled, low.integer(bits))
        begin = device.arithmetic("*", line, length)
        return line, device.arithmetic("-", element, begin)

    return counted
