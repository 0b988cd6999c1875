"""Lowering of elementwise kernels with transposed operands: tiles in a worker's scratch memory."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.transposed_copies import TransposedCopies
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import TransposeTiling
from lazyarr.codegen.transposes import find_map_transposes
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer

__all__ = ["choose_transpose", "lower_tiles"]


def choose_transpose(itemsize: int) -> TransposeTiling:
    """Return the tiles of transposed operands.

    Parameters
    ----------
    itemsize : int
        Of the widest of them.
    """
    row = tuning.row()
    side = min(row.tile_lines, row.tile_line_bytes // itemsize)
    pitch = side + row.tile_padding // itemsize
    chunk = max(1, row.tile_chunk // (side * side))
    return TransposeTiling(side, pitch, chunk, row.transposed_lines)


def lower_tiles(low: Lowering, comments: Sequence[str], tiling: TransposeTiling) -> Lowered:
    """Return the kernel; a work item is a tile.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : TransposeTiling
        How it is cut.
    """
    tiles = find_map_transposes(low.analysis)
    if tiles is None:
        raise ContractError(f"{low.name} has no transposed operand")
    b = low.builder
    terms = low.needed([k for k, _ in low.stores])
    itemsize = max(low.terms[k].dtype.itemsize for k in tiles.terms)
    side, pitch = tiling.side, tiling.pitch
    nbytes = side * pitch * itemsize
    areas: dict[int, Pointer] = {
        k: low.scratch(("tile", k), low.terms[k].dtype, number * nbytes, True, True)
        for number, k in enumerate(tiles.terms)
    }
    along, across = tiles.along, tiles.across
    width = low.number(("size", along.axes), along.size, "n")
    height = low.number(("size", across.axes), across.size, "n")
    high = -(-across.size // side)
    wide = -(-along.size // side)
    n_high, n_wide = low.number("tiles high", high, "n"), low.number("tiles wide", wide, "n")
    steps = [
        low.number(("tile", axis.axes), tiling.step(axis.size), "n") for axis in (across, along)
    ]
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        rest = b.call("divide", w, n_high)
        top = b.call("multiply", b.call("remainder", w, n_high), steps[0])
        bottom = low.least(b.call("add", top, steps[0]), height)
        first = b.call("multiply", b.call("remainder", rest, n_wide), steps[1])
        last = low.least(b.call("add", first, steps[1]), width)
        outer = low.decode(b.call("divide", rest, n_wide), tiles.outer)

        def place(i: Operand, p: Operand) -> Index:
            line = b.call("subtract", p, top)
            column = b.call("subtract", i, first)
            return Index(0, ((pitch, line), (1, column)))

        with low.inside(tiles.outer, outer):
            with b.loop("i", first, last) as i, low.inside(tiles.plane, (i, top)):
                for k in tiles.terms:
                    _look_ahead(low, k, side)
            copied = [(low.accesses[k], area) for k, area in areas.items()]
            copies = TransposedCopies(low, tiles.plane, copied, pitch, tiling.lines)
            copies.write((first, top), (last, bottom))
            with b.loop("p", top, bottom) as p, b.loop("i", first, last) as i:
                with low.inside(Frame((across, along)), (p, i)):
                    for k, pointer in areas.items():
                        low.put(k, b.load(pointer, place(i, p)))
                    low.write(terms)
                    for k, output in low.stores:
                        low.store(k, output)
    count = tiles.outer.size * high * wide
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, len(areas) * nbytes)


def _look_ahead(low: Lowering, k: int, count: int) -> None:
    """Prefetch the next tile's part of the line that begins here: it comes next in memory.

    The processor does not: it sees some lines of cache, and then another place.
    """
    place = low.accesses[k]
    pointer, index = low.parameters.pointer(place, low.terms[k].dtype), low.index(place)
    nbytes = count * pointer.dtype.itemsize
    low.builder.prefetch(pointer, index, nbytes, nbytes)
