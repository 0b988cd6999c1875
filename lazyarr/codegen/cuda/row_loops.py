"""The loops of whole rows on a GPU: frames, passes, and the division of rows among threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import deviation_of
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.summation import order_of
from lazyarr.codegen.device_tilings import RowTiling
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.row_passes import RowPasses, find_row_passes
from lazyarr.codegen.scalar import register_dtype
from lazyarr.core.frozen import dataclass, replace
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "RowElements",
    "RowLoops",
    "choose_rows",
    "choose_rows_alone",
    "counters_along",
    "find_dependences",
    "find_row_loops",
    "is_plain",
    "position_of",
    "row_of_thread",
]

_NARROW = np.dtype(np.float32).itemsize


@dataclass(frozen=True, eq=False, slots=True)
class RowLoops:
    """The loops over rows and along one, and the passes over a row.

    Attributes
    ----------
    outer, inner : Frame
        The loops over rows, and along one.
    passes : RowPasses
        What each pass reduces and stores.
    flat : Frame or None
        The loop over all elements of short rows that lie one after another.
    width : int
        Elements that are loaded at once.
    tiling : RowTiling
        How threads share a row.
    """

    outer: Frame
    inner: Frame
    passes: RowPasses
    flat: Frame | None
    width: int
    tiling: RowTiling

    @property
    def length(self) -> int:
        """Elements of a row."""
        return self.inner.size

    @property
    def exact(self) -> bool:
        """Whether every thread takes as many elements of a row as any other."""
        tiling = self.tiling
        return tiling.iterations * tiling.lanes * tiling.width == self.length


def row_of_thread(
    low: DeviceLowering, tiling: RowTiling, rows: int, block: Value, thread: Value
) -> tuple[Operand, Operand, Operand, Value | None]:
    """Write which row a thread works on, with others.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    tiling : RowTiling
        How threads share rows.
    rows : int
        How many there are.
    block, thread : Value
        The numbers of the block, and of the thread in it.

    Returns
    -------
    row, line : Operand
        The number of the row, that of the last one for threads that have none, and its number
        among the rows of the block.
    lane : Operand
        The number of the thread among those of the row.
    inside : Value or None
        Whether there is a row for the thread; None if there always is.
    """
    device, together = low.device, tiling.threads // tiling.lanes
    if together == 1:
        return block, low.integer(0), thread, None
    lanes = low.integer(tiling.lanes)
    total = low.number("rows", rows, "n")
    row: Operand = low.times(block, together)
    line = device.arithmetic("/", thread, lanes)
    row = low.plus(row, line)
    lane = device.arithmetic("%", thread, lanes)
    if rows % together == 0:
        return row, line, lane, None
    # All lanes take part in the shuffles: those without a row redo the last one.
    inside = low.below(row, total)
    row = low.least(row, device.arithmetic("-", total, low.integer(1)))
    return row, line, lane, inside


def position_of(
    low: DeviceLowering, tiling: RowTiling, lane: Operand, iteration: Operand
) -> Operand:
    """Write the position in the row of the vector that a thread takes in an iteration.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    tiling : RowTiling
        How threads share rows.
    lane, iteration : Operand
        The number of the thread among those of the row, and of the vector among its own.
    """
    granule, steps = tiling.granule, tiling.granule // tiling.width
    vector = lane
    if tiling.iterations > steps:
        piece = iteration
        if steps > 1:
            piece = low.device.arithmetic("/", iteration, low.integer(steps))
        vector = low.plus(low.times(piece, tiling.lanes), lane)
    position = low.times(vector, granule)
    if steps == 1:
        return position
    step = low.device.arithmetic("%", iteration, low.integer(steps))
    return low.plus(position, low.times(step, tiling.width))


def counters_along(
    low: DeviceLowering, first: Operand, axis: LoopAxis, count: int, step: int, whole: int
) -> Iterator[tuple[Operand, Value | None]]:
    """Yield the counters that a thread takes along a loop, those behind the end as the last.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    first : Operand
        The first of them.
    axis : LoopAxis
        The loop.
    count, step : int
        How many counters there are, and how far apart.
    whole : int
        What divides the size of the loop if all counters are there for all threads.

    Yields
    ------
    (Operand, Value or None)
        A counter, and whether it is there; None if it always is.
    """
    for n in range(count):
        counter = low.plus(first, low.integer(n * step))
        if axis.size % whole == 0:
            yield counter, None
            continue
        size = low.number(("whole", axis.axes), axis.size, "n")
        last = low.device.arithmetic("-", size, low.integer(1))
        yield low.least(counter, last), low.below(counter, size)


def is_plain(low: DeviceLowering, k: int) -> bool:
    """Whether a term is a number, a load, or an operation on elements without a loop.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    k : int
        The term.
    """
    term = low.terms[k]
    kinds = Kind.CONSTANT, Kind.PARAMETER, Kind.ELEMENTWISE
    plain = term.loaded or (term.node.op.kind in kinds and term.node.op.loop is None)
    return plain and term.base is None and (k not in low.accesses or low.accesses[k].unit == 1)


def find_dependences(
    low: DeviceLowering, terms: Sequence[int], first: LoopAxis, second: LoopAxis
) -> dict[int, tuple[bool, bool]] | None:
    """Return the loops of two along which each term changes; None if no tile shares loads.

    That is so if a load changes along both, or none along one of them.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    terms : sequence of int
        The terms, operands before users.
    first, second : LoopAxis
        The loops.
    """
    moving: dict[int, tuple[bool, bool]] = {}
    for k in terms:
        place = low.accesses.get(k)
        if place is None:
            known = [moving[a] for a in low.terms[k].args if a in moving]
            moving[k] = any(r for r, _ in known), any(c for _, c in known)
            continue
        moving[k] = first.stride(place.strides) != 0, second.stride(place.strides) != 0
        if all(moving[k]):
            return None
    alone = [any(moving[k][n] for k in terms if k in low.accesses) for n in (0, 1)]
    return moving if all(alone) else None


def find_row_loops(low: DeviceLowering) -> RowLoops:
    """Return the loops of a group that reduces whole rows."""
    group = low.group
    reduced = set(group.reduced)
    outer, inner = low.frame(low.analysis.result_axes), low.frame(group.reduced)
    if not inner.axes:
        inner = Frame((LoopAxis(1, ()),))
    passes = find_row_passes(low.analysis)
    full = [k for k in range(len(low.terms)) if passes.full[k]]
    stores = [p for positions in passes.full_stores.values() for p in positions]
    short = is_short(inner.size, outer.size)
    flat = _flat_frame(low, inner, passes) if short else None
    granule, dtype = order_of(low, reduced)
    if flat is not None:
        width = low.code.width(flat.axes[-1], full, stores)
    else:
        width = low.code.width(inner.axes[-1], full, stores, most=granule)
    sizes = [register_dtype(term.dtype).itemsize for term in low.terms]
    itemsize = max(sizes, default=8)
    few = granule is not None and short
    # A row that one thread reduces is not loaded by it: its tiling is that of its additions.
    step = width if flat is None else granule or width
    narrow = dtype is not None and dtype.itemsize == _NARROW
    most = _most_narrow_threads(inner.size, outer.size) if narrow else None
    tiling = choose_rows(RowElements(inner.size, step, itemsize, granule, narrow), few, most)
    if flat is not None:
        nbytes = sum(state_dtype(low, k).itemsize for k in passes.reductions[0])
        tiling = choose_rows_alone(tiling, inner.size, nbytes)
        loads = low.needed(low.terms[k].args[0] for k in passes.reductions[0])
        tiling = replace(tiling, unroll=(low.code.written_out(loads, 4, width),))
    return RowLoops(outer, inner, passes, flat, width, tiling)


def _most_narrow_threads(length: int, rows: int) -> int:
    """Return the most threads for a row of float32, which follow from its shape, like all order."""
    row = tuning.row()
    if rows >= row.row_many and length <= row.row_narrow:
        return row.row_threads_narrow
    return row.row_threads_most


def is_short(length: int, rows: int) -> bool:
    """Whether rows are so short that a thread may reduce one, and enough of them.

    Parameters
    ----------
    length : int
        Elements of a row.
    rows : int
        How many there are.
    """
    return 1 < length <= tuning.row().short_row and rows >= tuning.row().short_rows


@dataclass(frozen=True, slots=True)
class RowElements:
    """The elements of a row, as threads load and add them.

    Attributes
    ----------
    length : int
        Elements of a row.
    width : int
        Elements that are loaded at once.
    itemsize : int
        Bytes of the widest value that is computed of an element.
    granule : int, optional
        Neighbours that one thread takes one after another, a multiple of `width`; else a vector.
    narrow : bool, optional
        Whether what is added in an order is of float32.
    """

    length: int
    width: int
    itemsize: int
    granule: int | None = None
    narrow: bool = False


def choose_rows(
    elements: RowElements, short: bool = False, most_threads: int | None = None
) -> RowTiling:
    """Return the tiling of rows: threads that work on one, and the vectors that each takes.

    Parameters
    ----------
    elements : RowElements
        The elements of a row.
    short : bool, optional
        Whether one thread may have to add a whole row, in the order in which several would.
    most_threads : int, optional
        Threads of a row at most; default: those of a block.

    Examples
    --------
    >>> print(choose_rows(RowElements(4096, 4, 4)))
    1 row a block, 256 threads a row, 4 vectors of 4 a thread, read once
    """
    row = tuning.row()
    width, itemsize, narrow = elements.width, elements.itemsize, elements.narrow
    granule = elements.granule or width
    is_unordered = not elements.granule and not short
    pieces = -(-elements.length // granule)
    each = max(1, row.row_elements // granule)
    lanes = power_of_two(-(-pieces // 2))
    if lanes > WARP or pieces > WARP * 2:
        most_threads = most_threads or row.row_threads_most
        lanes = min(most_threads, max(WARP, power_of_two(-(-pieces // each))))
    elif is_unordered:
        lanes = _with_few_idle(row, lanes, pieces, width, itemsize <= _NARROW)
    elif granule == 1:
        lanes = _lanes_of_singles(row, lanes, pieces, 1 if narrow else row.row_lanes_least[0])
    if short:
        lanes = min(lanes, row.short_row_lanes)
    threads = max(row.row_threads, lanes) if lanes <= WARP else lanes
    # Of an empty row too: its cached elements are an array, and none has a size of zero.
    iterations = max(1, -(-pieces // lanes)) * (granule // width)
    most = max(1, row.row_bytes // (itemsize * width))
    min_blocks = max(1, row.row_occupancy // threads) if lanes > WARP and itemsize == 8 else 1
    streaming = iterations > most
    return RowTiling(lanes, threads, iterations, width, granule, streaming, min_blocks=min_blocks)


def _with_few_idle(row: tuning.Tuning, lanes: int, pieces: int, width: int, narrow: bool) -> int:
    """Return the lanes of a short row, no more than so many, of which few have nothing left to do.

    Single elements take longer to combine than to load: as many lanes idle are fewer steps then.
    """
    if width == 1 and lanes <= row.row_lanes_least[0]:
        return _lanes_of_singles(row, lanes, pieces, 1 if narrow else 2)
    least, least_alike = row.row_lanes_least
    while lanes // 2 >= least and -(-pieces // (lanes // 2)) * width <= row.row_lane_elements:
        slots, fewer = (n * -(-pieces // n) for n in (lanes, lanes // 2))
        is_alike = fewer == slots and width == 1 and lanes // 2 >= least_alike
        if fewer >= slots and not is_alike:
            break
        lanes //= 2
    return lanes


def _lanes_of_singles(row: tuning.Tuning, lanes: int, pieces: int, least: int) -> int:
    """Return the lanes of a short row of single elements, fewer where fewer of them are idle."""
    while lanes // 2 >= least:
        each, more = -(-pieces // lanes), -(-pieces // (lanes // 2))
        if more > row.row_lane_singles or more * (lanes // 2) >= each * lanes:
            break
        lanes //= 2
    return lanes


def choose_rows_alone(tiling: RowTiling, length: int, nbytes: int) -> RowTiling:
    """Return the tiling of short rows that lie one after another: a thread reduces one alone.

    Parameters
    ----------
    tiling : RowTiling
        The tiling of the rows if threads shared them, in whose order elements are added.
    length : int
        Elements of a row.
    nbytes : int
        Bytes of shared memory for the state of an element.

    Examples
    --------
    >>> print(choose_rows_alone(choose_rows(RowElements(10, 1, 4), short=True), 10, 4))
    128 rows a block in shared memory, 1 thread a row, added as by 4 threads
    """
    row = tuning.row()
    threads = row.short_row_threads
    fits = threads * pitch_of(length) * nbytes <= row.short_row_bytes
    return replace(tiling, threads=threads, rows_alone=threads if fits else threads // 2)


def pitch_of(length: int) -> int:
    """Return the elements from one row in shared memory to the next.

    Parameters
    ----------
    length : int
        Elements of a row.
    """
    return length | 1  # an odd pitch keeps the threads on different banks


def _flat_frame(low: DeviceLowering, inner: Frame, passes: RowPasses) -> Frame | None:
    """Return the loop over all rows as one if short rows lie one after another."""
    if passes.count != 1 or passes.full_stores:
        return None
    if len(inner.axes) != 1:
        return None
    full = [k for k in range(len(low.terms)) if passes.full[k]]
    if any(low.terms[k].node.op.kind is Kind.GENERATE for k in full):
        return None
    if any(not passes.full[a] for k in full for a in low.terms[k].args if low.terms[a].args):
        return None
    order = [*low.analysis.result_axes, *low.group.reduced]
    if order != sorted(order):
        return None
    reductions = passes.reductions[0]
    if any(deviation_of(low, k) for k in reductions):
        return None  # about a mean that lies in memory, one for each row
    size = sum(state_dtype(low, k).itemsize for k in reductions)
    if tuning.row().short_row_threads * (inner.size + 1) * size > tuning.row().row_shared_bytes:
        return None
    used = low.needed(low.terms[k].args[0] for k in reductions)
    if any(not passes.full[k] and low.accesses.get(k) for k in used):
        return None
    frame = low.frame(order, [k for k in full if k in low.accesses])
    return frame if len(frame.axes) == 1 else None


def state_dtype(low: DeviceLowering, k: int) -> np.dtype[Any]:
    """Return the dtype in which the elements of a reduction are computed.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    k : int
        The reduction's term.
    """
    return register_dtype(low.terms[k].source_dtype)
