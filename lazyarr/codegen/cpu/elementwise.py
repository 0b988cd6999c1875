"""Lowering of elementwise kernels: one pass over the domain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import prod

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.windows import find_anchors, kind_of_loop
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.inner_loops import ElementLoop, elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import MapTiling
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Operand

__all__ = ["choose_map", "is_matrix", "lower_map"]


def choose_map(sizes: Sequence[int], grain: int) -> MapTiling:
    """Return the tiling of an elementwise kernel.

    Parameters
    ----------
    sizes : sequence of int
        Of its merged loops, outermost first.
    grain : int
        Elements that are worth another thread's time.
    """
    if len(sizes) <= 1:
        length = prod(sizes)
        return MapTiling(length, length, grain)
    row, length = tuning.row(), sizes[-1]
    is_cut = length > row.inner_elements and prod(sizes[:-1]) < row.inner_cut_iterations
    block = row.inner_elements if is_cut else length
    return MapTiling(length, block, max(1, grain // max(1, block)))


def choose_literal_strides(group: GroupTerms) -> int:
    """Return the longest stride that is a constant of an elementwise kernel's code.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    row = tuning.row()
    if registers().nbytes < row.masking_bytes:
        return row.literal_strides
    widest = max(term.dtype.itemsize for term in group.terms)
    most, nbytes = row.wide_strides
    return max(row.literal_strides, min(most, nbytes // widest))


def lower_map(low: Lowering, comments: Sequence[str], tiling: MapTiling) -> Lowered:
    """Return the kernel; its innermost loop is over the last merged axis.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : MapTiling
        How it is cut.
    """
    if tiling.joined:
        # Imported here: few innermost loops are short.
        from lazyarr.codegen.cpu.joined_loops import lower_joined

        return lower_joined(low, comments, tiling)
    group = low.group
    low.literal_strides = choose_literal_strides(low.analysis)
    low.anchors = find_anchors(low.analysis)
    if tiling.padding:
        from lazyarr.codegen.cpu.padded_rows import lower_padded

        return lower_padded(low, comments, tiling)
    frame = low.frame(range(len(group.domain)))
    if tiling.order:
        frame = Frame(tuple(frame.axes[k] for k in tiling.order))
    sinks = [k for k, _ in low.stores]
    computed = low.needed(sinks)

    def body() -> None:
        low.write(computed)
        for k, place in low.stores:
            low.store(k, place)

    if len(frame.axes) <= 1:
        axes = frame.axes[0].axes if frame.axes else ()

        def place(i: Operand) -> AbstractContextManager[None]:
            return low.inside(frame, (i,)[: len(frame.axes)])

        kind = kind_of_loop(low.analysis, low.anchors, frame.size, computed)
        loop = ElementLoop("i", low.begin, low.end, place, axes, frame.size)
        with elements(low, loop, sinks, kind=kind) as i, place(i):
            body()
        count = frame.size
    else:
        count = _lower_loops(low, frame, tiling, computed, body)
    if frame.size == 0:
        count = 0
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(group, (launch,), 0, 0)


def _lower_loops(
    low: Lowering,
    frame: Frame,
    tiling: MapTiling,
    computed: Sequence[int],
    body: Callable[[], None],
) -> int:
    """Write the loops over work items and in them, and return the number of work items."""
    b, nested = low.builder, 1 if tiling.rows > 1 else 0
    outer, inner = Frame(frame.axes[: -1 - nested]), Frame(frame.axes[-1:])
    middle = Frame(frame.axes[-2:-1][:nested])
    length, axes = inner.axes[0].size, inner.axes[0].axes
    cut = tiling.block < length
    size: Operand = low.integer(length)
    if not tiling.constant:
        size = low.number(("size", axes), length, "n")
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        row: Operand = w
        start: Operand = low.integer(0)
        stop: Operand = size
        if cut:
            per_row = low.number("blocks", tiling.blocks, "n")
            step = low.number("step", tiling.block, "n")
            row = b.call("divide", w, per_row)
            start = b.call("multiply", b.call("remainder", w, per_row), step)
            stop = low.least(b.call("add", start, step), size)
        with _rows(low, outer, middle, row, tiling), low.scope():
            low.write(k for k in computed if not low.spans(k, axes) and _cheap_row(low, k, inner))
            moving = [k for k in computed if low.get(k) is None]
            _write_row(low, frame, tiling, (start, stop), moving, body)
    return outer.size * -(-middle.size // tiling.rows) * (tiling.blocks if cut else 1)


def _write_row(
    low: Lowering,
    frame: Frame,
    tiling: MapTiling,
    limits: tuple[Operand, Operand],
    moving: Sequence[int],
    body: Callable[[], None],
) -> None:
    """Write the innermost loop."""
    # Imported here: many maps are one loop.
    from lazyarr.codegen.cpu.row_pieces import (
        blocks_of_row,
        interleaved_blocks,
        lanes_of_row,
        pieces_of,
        write_interleaved,
    )

    inner = Frame(frame.axes[-1:])
    length, axes = inner.axes[0].size, inner.axes[0].axes
    sinks = [k for k, _ in low.stores]

    def place(i: Operand) -> AbstractContextManager[None]:
        return low.inside(inner, (i,))

    if not (tiling.block < length or tiling.constant):
        from lazyarr.codegen.cpu.function_lanes import lanes_of_functions, write_blocks

        if lanes := lanes_of_functions(low, length, moving):
            write_blocks(low, lanes, limits, place, moving)
            return
        if blocks := interleaved_blocks(low, length, moving):

            def write(i: Operand) -> None:
                with place(i):
                    body()

            write_interleaved(low, blocks, length, limits[1], write)
            return
        if lanes := lanes_of_row(low, length, moving):
            with blocks_of_row(low, length, lanes, limits[1]) as i, place(i):
                body()
            return
    is_lanes = tiling.constant and not is_matrix(low.analysis, frame)
    kind = AxisKind.LANES if is_lanes else AxisKind.SERIAL
    if not tiling.constant:
        kind = kind_of_loop(low.analysis, low.anchors, tiling.block, moving)
    parts = [limits]
    if is_lanes:
        parts = [(low.integer(a), low.integer(z)) for a, z in pieces_of(low, length)]
    for start, stop in parts:
        loop = ElementLoop("i", start, stop, place, axes, length)
        with elements(low, loop, sinks, kind=kind) as i, place(i):
            body()


@contextmanager
def _rows(
    low: Lowering, outer: Frame, middle: Frame, item: Operand, tiling: MapTiling
) -> Iterator[None]:
    """Open the loop over the innermost loops of a work item, if it has more than one."""
    if not middle.axes:
        with low.inside(outer, low.decode(item, outer)):
            yield
        return
    b, around = low.builder, middle.axes[0]
    first: Operand = low.integer(0)
    last: Operand = low.number(("size", around.axes), around.size, "n")
    if tiling.rows < around.size:
        blocks = low.number("row blocks", -(-around.size // tiling.rows), "n")
        step = low.number("rows", tiling.rows, "n")
        first = b.call("multiply", b.call("remainder", item, blocks), step)
        last = low.least(b.call("add", first, step), last)
        item = b.call("divide", item, blocks)
    with low.inside(outer, low.decode(item, outer)):
        with b.loop("q", first, last) as q, low.inside(middle, (q,)):
            yield


def is_matrix(group: GroupTerms, frame: Frame) -> bool:
    """Return whether rows of two loops lie side by side: vectors then have elements of several.

    LLVM writes out the short loop first. Of more loops, or rows that lie apart, each is a vector.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    frame : Frame
        Its loops.
    """
    if len(frame.axes) != 2:
        return False
    row, element = frame.axes
    places = [*group.accesses.values(), *(place for _, place in group.stores)]
    whole = {place.unit * element.size for place in places}
    return all(abs(row.stride(place.strides)) in {0, 1, *whole} for place in places)


def _cheap_row(low: Lowering, k: int, inner: Frame) -> bool:
    """Whether a term and all it needs stay the same along the inner loop."""
    axes = inner.axes[0].axes
    return all(not low.spans(j, axes) for j in low.needed([k]))
