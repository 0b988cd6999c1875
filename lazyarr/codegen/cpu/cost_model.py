"""The time of a CPU kernel, predicted from its loops, for the ranking of candidates.

::

    time = launch + handing out + max(memory, near memory + arithmetic) / threads in use

Memory is what the kernel touches, whole lines of cache, at the rate of the level that holds it.
Near memory is what a tiling itself adds: states of columns that are loaded and stored again,
packed blocks, tiles. Arithmetic is the op table's cost of every term, as often as it is computed.
The constants are those of the processor's tuning row, and the copy rate is measured where it was.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from lazyarr.codegen import shared_tuning
from lazyarr.codegen.chunked_reduction import reductions_of
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.elementwise import is_matrix
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import (
    ChunkTiling,
    ContractionTiling,
    LineScanTiling,
    MapTiling,
    PanelTiling,
    RowGroupTiling,
    RowLoopTiling,
    ShortRowTiling,
    TransposeTiling,
)
from lazyarr.codegen.reducers import components_of, reducer_of
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.codegen.status_checks import suspects
from lazyarr.core.frozen import dataclass
from lazyarr.core.vector_registers import registers
from lazyarr.graph.node import Kind

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["HostRates", "KernelWork", "busy_ns", "predict"]


@dataclass(frozen=True, slots=True)
class HostRates:
    """The machine that times are predicted for.

    Attributes
    ----------
    threads : int
        That may work on a kernel.
    copy_rate : float
        Bytes a nanosecond, read and written, that all of them copy; 0: that of the tuning row.
    """

    threads: int
    copy_rate: float = 0.0

    def bytes_ns(self, footprint: int, used: int) -> float:
        """Return the bytes a nanosecond that threads move.

        Parameters
        ----------
        footprint : int
            Bytes that all of them touch.
        used : int
            Number of threads.
        """
        row = tuning.row()
        if footprint <= row.l1_bytes * used:
            return row.l1_rate * used
        if footprint <= row.l2_bytes * used:
            return row.l2_rate * used
        if footprint <= row.l3_bytes:
            return row.l3_rate * used
        return min(row.thread_copy_rate * used, self.copy_rate or row.copy_rate)


@dataclass(frozen=True, slots=True)
class KernelWork:
    """The work of a kernel, independent of its tiling.

    Attributes
    ----------
    elements : int
        Points of the domain.
    touched : int
        Bytes of memory that are read and written, in whole lines where steps are long.
    additions_ns : float
        Nanoseconds of arithmetic of one thread.
    results, reduced : int
        Points of the axes of results and of those that are reduced.
    inner : int
        Elements of the innermost merged loop.
    state_bytes : int
        Of the states of all reductions of one result.
    itemsize : int
        Of the widest value.
    strided : tuple of int
        For each merged loop, the accesses whose neighbours along it lie apart.
    scalar : bool
        Whether elements wait for each other, as in a scan along memory.
    functions_ns : float
        The part of `additions_ns` in functions of the mathematics library.
    lanes : int
        Elements of a vector of these functions; one element takes as long.
    copies_ns : tuple of float
        Nanoseconds an element that copies of operands take, by the number of joined loops.
    row_slowness : float
        The time of arithmetic in rows that lie apart over its time in whole vectors; 1 if rows
        may lie side by side.
    compares : bool
        Whether what is selected is compared, as it may be infinite.
    side_by_side : bool
        Whether vectors may have elements of several rows.
    """

    elements: int
    touched: int
    additions_ns: float
    results: int
    reduced: int
    inner: int
    state_bytes: int
    itemsize: int
    strided: tuple[int, ...]
    scalar: bool
    functions_ns: float = 0.0
    lanes: int = 1
    copies_ns: tuple[float, ...] = ()
    row_slowness: float = 1.0
    compares: bool = False
    side_by_side: bool = False

    @classmethod
    def of(cls, template: str, terms: GroupTerms) -> KernelWork:
        """Return the work of a group.

        Parameters
        ----------
        template : str
            Of its loops.
        terms : GroupTerms
            What it computes.
        """
        domain = terms.domain
        reduced = prod(domain[axis] for axis in terms.reduced)
        elements = prod(domain)
        frame = terms.frame(range(len(domain)))
        itemsize = max((term.dtype.itemsize for term in terms.terms), default=1)
        states = [
            component.dtype.itemsize
            for k in reductions_of(terms)
            for component in components_of(terms.terms[k])
        ]
        additions_ns, functions_ns = _arithmetic_ns(terms)
        copies_ns: tuple[float, ...] = ()
        row_slowness = 1.0
        compares = side_by_side = False
        if template == "map" and len(frame.axes) > 1:
            # Imported here: few innermost loops are short.
            from lazyarr.codegen.cpu import joined_loops, padded_rows

            copies_ns = joined_loops.copies_ns(terms)
            row_slowness = padded_rows.row_slowness(terms)
            compares = bool(suspects(terms.terms))
            side_by_side = is_matrix(terms, frame)
        is_line = template == "scan" and domain[-1:] != () and _scans_memory(terms)
        return cls(
            elements,
            _touched(terms),
            additions_ns,
            elements // max(reduced, 1),
            reduced,
            frame.axes[-1].size if frame.axes else 1,
            sum(states),
            itemsize,
            _strided(terms, frame),
            is_line,
            functions_ns,
            tuning.row().least_lane_bytes // max(4, itemsize),
            copies_ns,
            row_slowness,
            compares,
            side_by_side,
        )


def _strided(terms: GroupTerms, frame: Frame) -> tuple[int, ...]:
    """Return for each loop the accesses that step along it by more than one element."""
    places = [*terms.accesses.values(), *(place for _, place in terms.stores)]
    return tuple(
        sum(abs(axis.stride(place.strides)) > place.unit for place in places) for axis in frame.axes
    )


def _scans_memory(terms: GroupTerms) -> bool:
    """Whether a scan goes along the last axis of more than one element."""
    axes = {
        term.node.attr for term in terms.terms if term.node.op.kind is Kind.SCAN and not term.loaded
    }
    last = max((axis for axis, size in enumerate(terms.domain) if size != 1), default=0)
    return last in axes


def _touched(terms: GroupTerms) -> int:
    """Return the bytes of memory behind all accesses, each counted once, in whole lines."""
    line = tuning.row().line_bytes
    seen: dict[object, int] = {}
    accesses = [(terms.terms[k].dtype.itemsize, place) for k, place in terms.accesses.items()]
    accesses += [(terms.terms[k].dtype.itemsize, place) for k, place in terms.stores]
    for itemsize, place in accesses:
        steps = [
            (abs(step), size)
            for step, size in zip(place.strides, terms.domain, strict=True)
            if step and size > 1
        ]
        count = prod(size for _, size in steps)
        least = min((step for step, _ in steps), default=1)
        nbytes = count * min(max(least, 1) * itemsize, max(line, itemsize))
        # Windows of one array overlap: they touch no more than its extent.
        extent = (1 + sum(step * (size - 1) for step, size in steps)) * itemsize
        key = (place.owner, place.unit)
        seen[key] = max(seen.get(key, 0), min(nbytes, max(extent, itemsize)))
    return sum(seen.values())


def _arithmetic_ns(terms: GroupTerms) -> tuple[float, float]:
    """Return the nanoseconds of all arithmetic, and those of functions among it.

    Each term counts as often as its own axes say.
    """
    row = shared_tuning.row()
    along: list[set[int]] = []
    total = functions = 0.0
    for k, term in enumerate(terms.terms):
        axes = {axis for axis, size in enumerate(terms.domain) if size > 1}
        own = {axis for axis in axes if terms.spans(k, (axis,))}
        for source in term.args:
            own |= along[source]
        is_sum = term.node.op.kind is Kind.REDUCE and not term.loaded
        along.append(own - set(terms.reduced) if is_sum else own)
        if term.loaded or not term.args:
            continue
        count = prod(terms.domain[axis] for axis in own)
        steps = max(1.0, float(term.node.op.cost))
        is_function = steps >= tuning.row().special_cost
        if is_function:
            steps *= tuning.row().special_factor
        if is_sum and reducer_of(term).is_positional:
            steps *= tuning.row().positional_factor
        time = steps * count * row.addition_ns * max(term.dtype.itemsize, 1) / 8
        total += time
        functions += time if is_function else 0.0
    return total, functions


def predict(work: KernelWork, tiling: Tiling, rates: HostRates) -> float:
    """Return the predicted seconds of a kernel.

    Parameters
    ----------
    work : KernelWork
        What it does.
    tiling : Tiling
        How it is cut.
    rates : HostRates
        The machine.
    """
    row = tuning.row()
    items, chunk, _, _ = _shape(work, tiling)
    used = max(1, min(rates.threads, -(-items // max(chunk, 1))))
    # The last round of pieces keeps some threads waiting.
    pieces = max(1, items // max(chunk, 1))
    rounds = -(-pieces // used) * used / pieces if pieces < row.balanced_pieces * used else 1.0
    memory = work.touched / rates.bytes_ns(work.touched, used)
    busy = busy_ns(work, tiling) / used
    handing = row.dispatch_ns if used > 1 else 0.0
    return (row.launch_ns + handing + max(memory, busy) * rounds) * 1e-9


def busy_ns(work: KernelWork, tiling: Tiling) -> float:
    """Return the predicted nanoseconds of one thread if memory were not to be waited for.

    Parameters
    ----------
    work : KernelWork
        What the kernel does.
    tiling : Tiling
        How it is cut.
    """
    row = tuning.row()
    items, _, near, loops = _shape(work, tiling)
    others = work.additions_ns - work.functions_ns
    arithmetic = others * _slowness(work, tiling) + work.functions_ns * _idleness(work, tiling)
    return arithmetic + near + loops * row.loop_ns + items * row.item_ns


def _slowness(work: KernelWork, tiling: Tiling) -> float:
    """Return the time of arithmetic over its time in vectors."""
    row = tuning.row()
    if work.scalar:
        return row.scalar_factor
    if isinstance(tiling, ShortRowTiling | RowTileTiling):
        return 1.0
    if isinstance(tiling, MapTiling) and tiling.padding:
        padding = tiling.padding
        return padding.vectors * padding.lanes / (padding.rows * tiling.length)
    if isinstance(tiling, MapTiling) and tiling.constant:
        return work.row_slowness
    if isinstance(tiling, MapTiling) and tiling.joined:
        return 1.0
    if isinstance(tiling, MapTiling) and not tiling.order and work.row_slowness > 1.0:
        return work.row_slowness
    inner = tiling.length if isinstance(tiling, MapTiling) else work.inner
    return row.short_factor if inner < row.vector_loop and inner < work.elements else 1.0


def _idleness(work: KernelWork, tiling: Tiling) -> float:
    """Return the time of functions relative to that with no idle lanes of vectors."""
    if not isinstance(tiling, MapTiling) or (tiling.length == work.elements and not tiling.joined):
        return _slowness(work, tiling)
    length = tiling.block if tiling.joined else tiling.length
    if not tiling.constant and length <= work.lanes:
        return float(work.lanes)
    return -(-length // work.lanes) * work.lanes / max(length, 1)


def _shape(work: KernelWork, tiling: Tiling) -> tuple[int, int, float, float]:
    """Return work items, those of a chunk, ns of near memory, and innermost loops started."""
    match tiling:
        case MapTiling():
            return _map_shape(work, tiling)
        case TransposeTiling():
            tile = tiling.side * tiling.pitch * work.itemsize
            moved = 2.0 * work.elements * work.itemsize
            items = max(1, work.elements // (tiling.side * tiling.side))
            return items, tiling.chunk, _near(moved, tile), work.elements / tiling.side * 2
        case ContractionTiling():
            return _contraction(work, tiling)
        case PanelTiling():
            columns = max(1, min(tiling.columns, work.results))
            moved = 2.0 * work.elements / tiling.together * work.state_bytes
            items = max(1, -(-work.results // columns)) * tiling.chunks
            combined = 2.0 * work.results * tiling.chunks * work.state_bytes
            near = _near(moved, columns * work.state_bytes) + _near(combined, int(combined))
            return items, 1, near, work.elements / columns / tiling.together
        case LineScanTiling():
            if not tiling.panel:
                lines = max(1, work.elements // max(work.inner, 1))
                return lines, tiling.chunk, 0.0, lines
            moved = 2.0 * work.elements * work.itemsize
            columns = min(tiling.panel, max(1, work.inner))
            items = tiling.panels
            return items, 1, _near(moved, columns * work.itemsize), work.elements / columns
        case RowLoopTiling():
            cached = 2.0 * work.elements * work.itemsize * len(tiling.cached)
            near = _near(cached, work.reduced * work.itemsize * max(1, len(tiling.cached)))
            items = max(1, -(-work.results // tiling.tile))
            return items, tiling.chunk, near, work.results
        case RowGroupTiling():
            items = max(1, -(-work.results // tiling.rows))
            return items, tiling.chunk, 0.0, work.results
        case RowTileTiling():
            moved = 2.0 * work.elements * work.itemsize * (1 + len(tiling.cached))
            near = _near(moved, work.reduced * tiling.rows * work.itemsize)
            items = max(1, -(-work.results // tiling.rows))
            return items, tiling.chunk, near, work.elements / tiling.rows
        case ShortRowTiling():
            items = max(1, work.results // (work.inner if tiling.nested else 1)) * tiling.blocks
            return items, tiling.chunk, 0.0, items
        case ChunkTiling():
            return work.results * tiling.chunks, tiling.chunk, 0.0, work.results * tiling.chunks
        case _:
            return 1, 1, 0.0, 1


def _map_shape(work: KernelWork, tiling: MapTiling) -> tuple[int, int, float, float]:
    """Return the shape of an elementwise kernel: its loops, joined, padded or as they are."""
    row = tuning.row()
    if tiling.joined is not None:
        count = tiling.joined.loops
        items = work.elements // max(1, tiling.length) * tiling.blocks
        return items, tiling.chunk, work.copies_ns[count] * work.elements, items
    if padding := tiling.padding:
        lines = work.elements // max(1, tiling.length)
        line_ns = row.across_rows_ns if padding.written_out else row.loop_ns
        copied_ns = row.copy_ns * work.elements + line_ns * lines
        items = -(-lines // padding.rows)
        values = len(padding.copied) + padding.results
        return items, tiling.chunk, values * copied_ns, items
    flat = tiling.length == work.elements
    inner = tiling.order[-1] if tiling.order else -1
    apart = work.strided[inner] * row.strided_ns if work.strided else 0.0
    if tiling.length < row.vector_loop and not tiling.constant:
        apart += row.scalar_ns
    near = apart * work.elements
    if flat:
        return work.elements, tiling.chunk, near, 1
    loops = work.elements // max(1, tiling.length) * tiling.blocks
    items = -(-loops // tiling.rows)
    if tiling.constant:
        apart_ns = row.across_rows_ns if work.side_by_side else row.written_out_ns
        row_ns = row.nested_ns + (apart_ns - row.nested_ns) / tiling.rows
        if not work.side_by_side:
            row_ns += _alone_ns(work, tiling.length)
        return items, tiling.chunk, near + loops * row_ns, 1
    return items, tiling.chunk, near, loops


def _alone_ns(work: KernelWork, length: int) -> float:
    """Return the nanoseconds that a row takes longer where no vector has elements of others."""
    row = tuning.row()
    lanes = max(1, registers().nbytes // work.itemsize)
    compared_ns = row.compared_ns * -(-length // lanes) if work.compares else 0.0
    return compared_ns + (row.narrow_row_ns if length < row.narrow_row else 0.0)


def _near(moved: float, footprint: int) -> float:
    """Return the nanoseconds that one thread takes to move bytes of its own scratch memory."""
    row = tuning.row()
    if footprint <= row.l1_bytes:
        return moved / row.l1_rate
    return moved / (row.l2_rate if footprint <= row.l2_bytes else row.thread_copy_rate)


def _contraction(work: KernelWork, tiling: ContractionTiling) -> tuple[int, int, float, float]:
    """Return the shape of a contraction: every tile loads a column of rows and a row of columns."""
    deep = max(1, work.reduced)
    tiles = work.results / (tiling.height * tiling.width)
    loaded = tiles * deep * (tiling.height + tiling.width) * work.itemsize
    block = (tiling.block_rows + tiling.block_columns) * tiling.depth * work.itemsize
    blocks = max(1.0, work.results / (tiling.block_rows * tiling.block_columns))
    packed = 2.0 * blocks * (tiling.block_rows + tiling.block_columns) * deep * work.itemsize
    near = _near(loaded, block) + _near(packed, tuning.row().l2_bytes)
    return int(blocks), tiling.chunk, near, tiles * max(1.0, deep / tiling.depth)
