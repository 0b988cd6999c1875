"""LLVM IR of convolutions: register tiles over images whose rows are packed in blocks of channels.

A work item copies the rows of an image that it needs into memory of its own, with the zeros around
them, as ``[row][phase][block of channels][column][channel of the block]``. A *phase* is the column
modulo the stride, so that neighbours in the result are neighbours there, at a distance that the
code knows. A tile of the result stays in registers while its products are added: elements of the
image are broadcast, rows of the filters (or of the result's cotangent) are vectors.

Images of few channels are packed with the taps across as channels, for which the rest of the code
has one tap across. It is in static single assignment form and needs no optimiser, which would take
longer than all the rest.

References
----------
Georganas et al.: Anatomy of high-performance deep learning convolutions on SIMD
architectures, 2018.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.convolution_packing import BLOCK, Lanes, Steps, note_taps, pack
from lazyarr.runtime.cpu.convolution_rows import (
    Body,
    Row,
    broadcast,
    product_added,
    rows_of_images,
    vectors_of,
)
from lazyarr.runtime.cpu.llvm_text_builder import Carried, TextBuilder

__all__ = [
    "FILTER_NUMBERS",
    "IMAGE_NUMBERS",
    "NUMBERS",
    "TILES",
    "declarations",
    "filters_body",
    "images_body",
]

#: Elements that are broadcast for a tile, largest first; narrower results have the next one.
TILES = tuning.row().convolution_tiles
#: Arguments of both kernels: the images, the windows and how work is cut.
NUMBERS = (
    *("height", "width", "channels", "inputs", "outputs", "rows", "columns"),
    *("x_image", "x_row", "x_column", "x_channel"),
    *("y_image", "y_row", "y_column"),
    *("taps_down", "taps_across", "stride_down", "stride_across", "gap_down", "gap_across"),
    *("low_down", "low_across", "spread_down", "spread_across"),
    *("packed_taps", "packed_stride", "packed_gap"),
    *("item_rows", "patch_rows", "patch_width", "phase_width", "blocks"),
)
#: Further arguments of the kernel of images: blocks of rows of an image, and what of the filters
#: is multiplied while it is in the first cache: taps down and blocks of channels.
IMAGE_NUMBERS = (*NUMBERS, "row_blocks", "slab_taps", "slab_blocks")
#: Further arguments of the kernel of filters: images, and into how many parts they are divided.
FILTER_NUMBERS = (*NUMBERS, "images", "parts")


def declarations(lanes: Lanes) -> str:
    """Return the declarations of the functions that the bodies call.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    vector, mask = lanes.vector, f"<{lanes.count} x i1>"
    return "\n".join(
        (
            f"declare {vector} @llvm.fma.{lanes.suffix}({vector}, {vector}, {vector})",
            f"declare {vector} @llvm.masked.load.{lanes.suffix}.p0(ptr, i32, {mask}, {vector})",
            f"declare void @llvm.masked.store.{lanes.suffix}.p0({vector}, ptr, i32, {mask})",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        )
    )


@dataclass(frozen=True, slots=True)
class _Tile:
    """A tile of sums: a row of vectors for each of some broadcast elements."""

    row: Row
    count: int

    def zeros(self) -> Carried:
        """Return empty sums."""
        return Carried(["zeroinitializer"] * (self.count * self.row.vectors))

    def add(self, t: TextBuilder, sums: Carried, elements: str, step: int, vectors: str) -> None:
        """Add the products of elements with a row of vectors.

        Parameters
        ----------
        t : TextBuilder
            Takes the code.
        sums : Carried
            The sums so far.
        elements : str
            The address of the first element.
        step : int
            Elements from one to the next.
        vectors : str
            The address of the row.
        """
        lanes = self.row.lanes
        values = self.row.load(t, vectors)
        totals = []
        for k in range(self.count):
            at = t.element(elements, lanes.scalar, str(k * step))
            spread = broadcast(t, lanes.scalar, lanes.count, t.load(lanes.scalar, at, lanes.size))
            for m, value in enumerate(values):
                total = sums.values[k * self.row.vectors + m]
                totals.append(product_added(t, lanes, total, (spread, value)))
        sums.values = totals

    def rows(self, sums: Carried) -> list[list[str]]:
        """Return the sums by the elements that were broadcast."""
        n = self.row.vectors
        return [sums.values[k * n : (k + 1) * n] for k in range(self.count)]


def _end_of_wide(t: TextBuilder, lanes: Lanes) -> str:
    """Return the first output behind the rows of vectors as wide as registers allow."""
    wide = str(lanes.vectors * lanes.count)
    return t.multiply(t.divide("%outputs", wide), wide)


def _wide_outputs(t: TextBuilder, lanes: Lanes, end: str, body: Body) -> None:
    """Write a body for rows of vectors as wide as registers allow."""
    with t.loop("0", end, str(lanes.vectors * lanes.count)) as o:
        body(Row(lanes, lanes.vectors), o)


def _narrow_tiles(lanes: Lanes) -> tuple[int, ...]:
    """Return the tiles of single vectors: as many sums as those of wide rows have."""
    return tuple(dict.fromkeys((lanes.vectors * TILES[0], *TILES)))


def images_body(lanes: Lanes) -> str:
    """Return the body of the kernel that slides filters over images.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t)
    note_taps(t, steps)
    with rows_of_images(t, lanes, steps) as (result, count):
        with (
            t.loop("0", "%taps_down", "%slab_taps") as p,
            t.loop("0", "%blocks", "%slab_blocks") as b,
        ):
            slab = _Slab(
                p,
                t.least(t.add(p, "%slab_taps"), "%taps_down"),
                b,
                t.least(t.add(b, "%slab_blocks"), "%blocks"),
                t.both(t.compare("eq", p, "0"), t.compare("eq", b, "0")),
            )

            def write(tile: int) -> Body:
                def body(row: Row, o: str) -> None:
                    _rows_of_image(t, steps, _Tile(row, tile), slab, o, (result, count))

                return body

            has_wide = t.compare("sge", "%columns", str(TILES[0]))
            end = _end_of_wide(t, lanes)
            with t.when(has_wide):
                _wide_outputs(t, lanes, end, write(TILES[0]))
            begin = t.choose(has_wide, end, "0")
            below = None
            for tile in _narrow_tiles(lanes):
                fits = t.compare("sge", "%columns", str(tile))
                with t.when(fits if below is None else t.both(fits, below)):
                    vectors_of(t, lanes, (begin, "%outputs"), write(tile))
                below = t.compare("slt", "%columns", str(tile))
    return t.text


@dataclass(frozen=True, slots=True)
class _Slab:
    """A part of the filters: taps down and blocks of channels, from and to; whether the first."""

    tap: str
    tap_end: str
    block: str
    block_end: str
    first: str


def _rows_of_image(
    t: TextBuilder, steps: Steps, tile: _Tile, slab: _Slab, o: str, memory: tuple[str, str]
) -> None:
    """Write the tiles of some rows of the result; the last of a row begins earlier if need be."""
    lanes = tile.row.lanes
    result, count = memory
    with t.loop("0", count) as i, t.loop("0", "%columns", str(tile.count)) as start:
        j = t.least(start, t.subtract("%columns", str(tile.count)))
        place = t.add(t.multiply(i, "%y_row"), t.multiply(j, "%y_column"), o)
        line = t.element(result, lanes.scalar, place)
        sums = _started(t, tile, slab.first, line)
        _add_slab(t, steps, tile, slab, sums, (i, j, o))
        for k, values in enumerate(tile.rows(sums)):
            # Columns of the tile before have these sums already.
            with t.when(t.compare("sge", t.add(j, str(k)), start)):
                at = t.element(line, lanes.scalar, t.multiply(str(k), "%y_column"))
                tile.row.store(t, values, at)


def _started(t: TextBuilder, tile: _Tile, is_first: str, line: str) -> Carried:
    """Return sums that begin with the values in memory, or with zeros."""
    old = []
    for k in range(tile.count):
        at = t.element(line, tile.row.lanes.scalar, t.multiply(str(k), "%y_column"))
        old += tile.row.load(t, at)
    kind = tile.row.lanes.vector
    return Carried(
        [t.value(f"select i1 {is_first}, {kind} zeroinitializer, {kind} {v}") for v in old]
    )


def _add_slab(
    t: TextBuilder,
    steps: Steps,
    tile: _Tile,
    slab: _Slab,
    sums: Carried,
    at: tuple[str, str, str],
) -> None:
    """Add the products with a part of the filters to a tile."""
    lanes = tile.row.lanes
    i, j, o = at
    filters = t.element("%w", lanes.scalar, o)
    with t.loop(slab.tap, slab.tap_end, "1", lanes.vector, sums) as p:
        line = t.add(t.multiply(i, "%stride_down"), t.multiply(p, "%gap_down"))
        in_row = t.add(t.multiply(line, steps.row), t.multiply(j, str(BLOCK)))
        taps = t.multiply(p, "%taps_across")
        with t.loop(slab.block, slab.block_end, "1", lanes.vector, sums) as b:
            in_block = t.add(in_row, t.multiply(b, steps.block))
            channel = t.multiply(b, str(BLOCK))
            depth = t.least(t.subtract("%channels", channel), str(BLOCK))
            with t.loop("0", "%taps_across", "1", lanes.vector, sums) as q:
                across = t.load("i64", t.element("%taps", "i64", q), 8)
                elements = t.element("%patch", lanes.scalar, t.add(in_block, across))
                number = t.add(t.multiply(t.add(taps, q), "%channels"), channel)
                vectors = t.element(filters, lanes.scalar, t.multiply(number, "%outputs"))
                with t.loop("0", depth, "1", lanes.vector, sums) as c:
                    tile.add(
                        t,
                        sums,
                        t.element(elements, lanes.scalar, c),
                        BLOCK,
                        t.element(vectors, lanes.scalar, t.multiply(c, "%outputs")),
                    )


def filters_body(lanes: Lanes) -> str:
    """Return the body of the kernel that gives the gradient by the filters, a part an item.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t)
    note_taps(t, steps)
    size = t.multiply("%taps_down", "%taps_across", "%channels", "%outputs")
    with t.loop("%begin", "%end") as item:
        part = t.element("%w", lanes.scalar, t.multiply(item, size))
        nbytes = t.multiply(size, str(lanes.size))
        t.line(f"call void @llvm.memset.p0.i64(ptr {part}, i8 0, i64 {nbytes}, i1 false)")
        begin = t.divide(t.multiply(item, "%images"), "%parts")
        end = t.divide(t.multiply(t.add(item, "1"), "%images"), "%parts")
        with t.loop(begin, end) as image, t.loop("0", "%rows", "%item_rows") as first:
            count = t.least("%item_rows", t.subtract("%rows", first))
            pack(t, lanes, steps, image, t.multiply(first, "%stride_down"))
            place = t.add(t.multiply(image, "%y_image"), t.multiply(first, "%y_row"))
            cotangent = t.element("%y", lanes.scalar, place)
            end = _end_of_wide(t, lanes)
            with t.loop("0", "%taps_down") as p, t.loop("0", "%taps_across") as q:

                def write(c: str, tile: int, tap: tuple[str, str] = (p, q)) -> Body:
                    def body(row: Row, o: str) -> None:
                        at = (*tap, c, o)
                        _tile_of_filters(t, steps, _Tile(row, tile), at, (part, cotangent, count))

                    return body

                with t.loop("0", "%channels", str(TILES[0])) as c:
                    _wide_outputs(t, lanes, end, write(c, TILES[0]))
                narrow = _narrow_tiles(lanes)[0]
                with t.loop("0", "%channels", str(narrow)) as c:
                    vectors_of(t, lanes, (end, "%outputs"), write(c, narrow))
    return t.text


def _tile_of_filters(
    t: TextBuilder,
    steps: Steps,
    tile: _Tile,
    at: tuple[str, str, str, str],
    memory: tuple[str, str, str],
) -> None:
    """Write a tile of channels of one tap, summed over rows of the cotangent."""
    lanes = tile.row.lanes
    p, q, c, o = at
    part, cotangent, rows = memory
    sums = tile.zeros()
    block = t.multiply(t.divide(c, str(BLOCK)), steps.block)
    across = t.load("i64", t.element("%taps", "i64", q), 8)
    in_row = t.add(across, block, t.remainder(c, str(BLOCK)))
    down = t.multiply(p, "%gap_down")
    with t.loop("0", rows, "1", lanes.vector, sums) as i:
        line = t.add(t.multiply(i, "%stride_down"), down)
        elements = t.element("%patch", lanes.scalar, t.add(t.multiply(line, steps.row), in_row))
        vectors = t.element(cotangent, lanes.scalar, t.add(t.multiply(i, "%y_row"), o))
        with t.loop("0", "%columns", "1", lanes.vector, sums) as j:
            tile.add(
                t,
                sums,
                t.element(elements, lanes.scalar, t.multiply(j, str(BLOCK))),
                1,
                t.element(vectors, lanes.scalar, t.multiply(j, "%y_column")),
            )
    number = t.multiply(t.add(t.multiply(p, "%taps_across"), q), "%channels")
    for k, values in enumerate(tile.rows(sums)):
        channel = t.add(c, str(k))
        with t.when(t.compare("slt", channel, "%channels")):
            place = t.add(t.multiply(t.add(number, channel), "%outputs"), o)
            target = t.element(part, lanes.scalar, place)
            new = [
                t.value(f"fadd {lanes.vector} {old}, {value}")
                for old, value in zip(tile.row.load(t, target), values, strict=True)
            ]
            tile.row.store(t, new, target)
