"""LLVM IR of convolutions whose results have few sums each, as vectors of channels or of columns.

Where each channel is convolved by itself, neighbouring channels are the lanes of a vector; where
there is one output, neighbouring columns are. Images are packed as for other convolutions, in
blocks of one channel for vectors of columns, and all taps of a window are one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.convolution_code import NUMBERS, TILES
from lazyarr.runtime.cpu.convolution_packing import Lanes, Steps, pack
from lazyarr.runtime.cpu.convolution_rows import (
    Row,
    broadcast,
    product_added,
    rows_of_images,
    vectors_of,
)
from lazyarr.runtime.cpu.llvm_text_builder import Carried, TextBuilder

__all__ = [
    "TAP_NUMBERS",
    "channel_filters_body",
    "channels_body",
    "plane_filters_body",
    "planes_body",
]

#: Arguments of the kernels of images: blocks of rows of an image are the last.
TAP_NUMBERS = (*NUMBERS, "row_blocks")
#: Taps of a tile of a derivative by filters.
_TAPS = tuning.row().convolution_taps


def _all_taps(t: TextBuilder, steps: Steps) -> str:
    """Write where in the patch each tap of a window begins, and return how many there are."""
    with t.loop("0", "%taps_down") as p:
        line = t.multiply(t.multiply(p, "%gap_down"), steps.row)
        first = t.multiply(p, "%taps_across")
        with t.loop("0", "%taps_across") as q:
            reach = t.multiply(q, "%gap_across")
            phase = t.multiply(t.remainder(reach, "%stride_across"), steps.phase)
            column = t.multiply(t.divide(reach, "%stride_across"), str(steps.width))
            place = t.add(line, phase, column)
            t.store("i64", place, t.element("%taps", "i64", t.add(first, q)), 8)
    return t.multiply("%taps_down", "%taps_across")


def _offset(t: TextBuilder, tap: str) -> str:
    return t.load("i64", t.element("%taps", "i64", tap), 8)


def _tiled(t: TextBuilder, size: str, write: Callable[[int], None]) -> None:
    """Write a body for the largest tile that fits a number."""
    below = None
    for tile in TILES:
        fits = t.compare("sge", size, str(tile))
        with t.when(fits if below is None else t.both(fits, below)):
            write(tile)
        below = t.compare("slt", size, str(tile))


def _channel(t: TextBuilder, steps: Steps, o: str) -> str:
    """Return the position of a channel in a column of the patch."""
    block = t.multiply(t.divide(o, str(steps.width)), steps.block)
    return t.add(block, t.remainder(o, str(steps.width)))


def channels_body(lanes: Lanes) -> str:
    """Return the body of the kernel that slides a filter for each channel over images.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t)
    taps = _all_taps(t, steps)
    with rows_of_images(t, lanes, steps) as (result, count):

        def write(tile: int) -> None:
            def body(row: Row, o: str) -> None:
                _tiles_of_channels(t, steps, row, (o, taps, count, result), tile)

            vectors_of(t, lanes, ("0", "%outputs"), body)

        _tiled(t, "%columns", write)
    return t.text


def _tiles_of_channels(
    t: TextBuilder, steps: Steps, row: Row, at: tuple[str, str, str, str], tile: int
) -> None:
    """Write the columns of one vector of channels; the last tile of a row begins earlier."""
    lanes = row.lanes
    o, taps, count, result = at
    place = _channel(t, steps, o)
    filters = t.element("%w", lanes.scalar, o)
    with t.loop("0", count) as i, t.loop("0", "%columns", str(tile)) as start:
        j = t.least(start, t.subtract("%columns", str(tile)))
        line = t.multiply(i, "%stride_down", steps.row)
        origin = t.add(line, t.multiply(j, str(steps.width)), place)
        elements = t.element("%patch", lanes.scalar, origin)
        sums = Carried(["zeroinitializer"] * tile)
        with t.loop("0", taps, "1", lanes.vector, sums) as k:
            (weights,) = row.load(t, t.element(filters, lanes.scalar, t.multiply(k, "%outputs")))
            at_tap = t.element(elements, lanes.scalar, _offset(t, k))
            totals = []
            for m, total in enumerate(sums.values):
                column = t.element(at_tap, lanes.scalar, str(m * steps.width))
                x = t.load(lanes.vector, column, lanes.size)
                totals.append(product_added(t, lanes, total, (x, weights)))
            sums.values = totals
        target = t.add(t.multiply(i, "%y_row"), t.multiply(j, "%y_column"), o)
        for m, total in enumerate(sums.values):
            column = t.add(target, t.multiply(str(m), "%y_column"))
            row.store(t, [total], t.element(result, lanes.scalar, column))


def planes_body(lanes: Lanes) -> str:
    """Return the body of the kernel that slides the filters of one output over images.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t, 1)
    taps = _all_taps(t, steps)
    with rows_of_images(t, lanes, steps) as (result, count):

        def write(tile: int) -> None:
            def body(row: Row, j: str) -> None:
                _tiles_of_planes(t, steps, row, (j, taps, count, result), tile)

            vectors_of(t, lanes, ("0", "%columns"), body)

        _tiled(t, count, write)
    return t.text


def _tiles_of_planes(
    t: TextBuilder, steps: Steps, row: Row, at: tuple[str, str, str, str], tile: int
) -> None:
    """Write the rows of one vector of columns; the last tile begins earlier."""
    lanes = row.lanes
    j, taps, count, result = at
    with t.loop("0", count, str(tile)) as start:
        i = t.least(start, t.subtract(count, str(tile)))
        down = t.multiply("%stride_down", steps.row)
        origin = t.element("%patch", lanes.scalar, t.add(t.multiply(i, down), j))
        sums = Carried(["zeroinitializer"] * tile)
        with t.loop("0", "%channels", "1", lanes.vector, sums) as c:
            elements = t.element(origin, lanes.scalar, t.multiply(c, steps.block))
            filters = t.element("%w", lanes.scalar, c)
            with t.loop("0", taps, "1", lanes.vector, sums) as k:
                weight = t.element(filters, lanes.scalar, t.multiply(k, "%channels"))
                number = t.load(lanes.scalar, weight, lanes.size)
                weights = broadcast(t, lanes.scalar, lanes.count, number)
                at_tap = t.element(elements, lanes.scalar, _offset(t, k))
                totals = []
                for m, total in enumerate(sums.values):
                    line = t.element(at_tap, lanes.scalar, t.multiply(str(m), down))
                    (x,) = row.load(t, line)
                    totals.append(product_added(t, lanes, total, (x, weights)))
                sums.values = totals
        for m, total in enumerate(sums.values):
            line = t.add(t.multiply(t.add(i, str(m)), "%y_row"), j)
            row.store(t, [total], t.element(result, lanes.scalar, line))


@contextmanager
def _parts_of_filters(
    t: TextBuilder, lanes: Lanes, steps: Steps, size: str
) -> Iterator[tuple[str, str, str]]:
    """Repeat the instructions within for the packed rows of each part's images.

    Parameters
    ----------
    t : TextBuilder
        Takes the code.
    lanes : Lanes
        Vectors of the processor.
    steps : Steps
        Distances in the patch.
    size : str
        Elements of the filters.

    Yields
    ------
    tuple of str
        The addresses of the part and of the rows of the cotangent, and how many rows.
    """
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
            yield part, t.element("%y", lanes.scalar, place), count


@contextmanager
def _tap_tiles(t: TextBuilder, taps: str) -> Iterator[tuple[str, list[str]]]:
    """Repeat the instructions within for tiles of taps: the first tap, and where each begins."""
    last = t.subtract(taps, "1")
    with t.loop("0", taps, str(_TAPS)) as k:
        yield k, [_offset(t, t.least(t.add(k, str(m)), last)) for m in range(_TAPS)]


def channel_filters_body(lanes: Lanes) -> str:
    """Return the body of the kernel that gives the gradient by a filter for each channel.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t)
    taps = _all_taps(t, steps)
    size = t.multiply(taps, "%outputs")
    with _parts_of_filters(t, lanes, steps, size) as (part, cotangent, count):

        def body(row: Row, o: str) -> None:
            origin = t.element("%patch", lanes.scalar, _channel(t, steps, o))
            values = t.element(cotangent, lanes.scalar, o)
            with _tap_tiles(t, taps) as (k, offsets):
                sums = Carried(["zeroinitializer"] * _TAPS)
                with t.loop("0", count, "1", lanes.vector, sums) as i:
                    line = t.multiply(i, "%stride_down", steps.row)
                    elements = t.element(origin, lanes.scalar, line)
                    slopes = t.element(values, lanes.scalar, t.multiply(i, "%y_row"))
                    with t.loop("0", "%columns", "1", lanes.vector, sums) as j:
                        step = t.multiply(j, "%y_column")
                        (g,) = row.load(t, t.element(slopes, lanes.scalar, step))
                        column = t.multiply(j, str(steps.width))
                        at_column = t.element(elements, lanes.scalar, column)
                        totals = []
                        for offset, total in zip(offsets, sums.values, strict=True):
                            at = t.element(at_column, lanes.scalar, offset)
                            x = t.load(lanes.vector, at, lanes.size)
                            totals.append(product_added(t, lanes, total, (x, g)))
                        sums.values = totals
                for m, total in enumerate(sums.values):
                    tap = t.add(k, str(m))
                    with t.when(t.compare("slt", tap, taps)):
                        place = t.add(t.multiply(tap, "%outputs"), o)
                        target = t.element(part, lanes.scalar, place)
                        (old,) = row.load(t, target)
                        new = t.value(f"fadd {lanes.vector} {old}, {total}")
                        row.store(t, [new], target)

        vectors_of(t, lanes, ("0", "%outputs"), body)
    return t.text


def plane_filters_body(lanes: Lanes) -> str:
    """Return the body of the kernel that gives the gradient by the filters of one output.

    Parameters
    ----------
    lanes : Lanes
        Vectors of the processor.
    """
    t = TextBuilder()
    steps = Steps.of(t, 1)
    taps = _all_taps(t, steps)
    size = t.multiply(taps, "%channels")
    with (
        _parts_of_filters(t, lanes, steps, size) as (part, cotangent, count),
        t.loop("0", "%channels") as c,
    ):
        origin = t.element("%patch", lanes.scalar, t.multiply(c, steps.block))
        with _tap_tiles(t, taps) as (k, offsets):
            sums = Carried(["zeroinitializer"] * _TAPS)
            with t.loop("0", count, "1", lanes.vector, sums) as i:
                line = t.multiply(i, "%stride_down", steps.row)
                elements = t.element(origin, lanes.scalar, line)
                slopes = t.element(cotangent, lanes.scalar, t.multiply(i, "%y_row"))
                _sums_of_columns(t, lanes, sums, (elements, slopes), offsets)
            for m, total in enumerate(sums.values):
                tap = t.add(k, str(m))
                with t.when(t.compare("slt", tap, taps)):
                    target = t.element(part, lanes.scalar, t.add(t.multiply(tap, "%channels"), c))
                    _added(t, lanes, total, target)
    return t.text


def _sums_of_columns(
    t: TextBuilder, lanes: Lanes, sums: Carried, at: tuple[str, str], offsets: list[str]
) -> None:
    """Add the products of a row of the cotangent with the elements of some taps."""
    elements, slopes = at
    numbers = ", ".join(f"i64 {k}" for k in range(lanes.count))
    with t.loop("0", "%columns", str(lanes.count), lanes.vector, sums) as j:
        rest = broadcast(t, "i64", lanes.count, t.subtract("%columns", j))
        row = Row(lanes, 1, t.value(f"icmp slt <{lanes.count} x i64> <{numbers}>, {rest}"))
        (g,) = row.load(t, t.element(slopes, lanes.scalar, j))
        at_column = t.element(elements, lanes.scalar, j)
        totals = []
        for offset, total in zip(offsets, sums.values, strict=True):
            (x,) = row.load(t, t.element(at_column, lanes.scalar, offset))
            totals.append(product_added(t, lanes, total, (x, g)))
        sums.values = totals


def _added(t: TextBuilder, lanes: Lanes, total: str, target: str) -> None:
    """Add the elements of a vector, as a tree, to a number in memory."""
    old = t.load(lanes.scalar, target, lanes.size)
    count = lanes.count
    while count > 1:
        half = count // 2
        kind = f"<{count} x {lanes.scalar}>"
        halves = [", ".join(f"i32 {k}" for k in range(first, first + half)) for first in (0, half)]
        low, high = (
            t.value(f"shufflevector {kind} {total}, {kind} poison, <{half} x i32> <{numbers}>")
            for numbers in halves
        )
        total = t.value(f"fadd <{half} x {lanes.scalar}> {low}, {high}")
        count = half
    number = t.value(f"extractelement <1 x {lanes.scalar}> {total}, i32 0")
    t.store(lanes.scalar, t.value(f"fadd {lanes.scalar} {old}, {number}"), target, lanes.size)
