"""Lowering of elementwise kernels: one pass over the domain."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from math import prod

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.windows import find_anchors
from lazyarr.codegen.inner_loops import elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import MapTiling
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Operand

__all__ = ["choose_map", "lower_map"]


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
    b = low.builder
    low.literal_strides = tuning.row().literal_strides
    low.anchors = find_anchors(low.analysis)
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

        with elements(low, "i", low.begin, low.end, place, axes, frame.size, sinks) as i, place(i):
            body()
        count = frame.size
    else:
        outer, inner = Frame(frame.axes[:-1]), Frame(frame.axes[-1:])
        length = inner.axes[0].size
        cut = tiling.block < length
        size: Operand = low.integer(length)
        if not tiling.constant:
            size = low.number(("size", inner.axes[0].axes), length, "n")
        is_lanes = tiling.constant and not _is_matrix(low, frame)
        kind = AxisKind.LANES if is_lanes else AxisKind.SERIAL
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
            with low.inside(outer, low.decode(row, outer)):
                low.write(
                    k
                    for k in computed
                    if not low.spans(k, inner.axes[0].axes) and _cheap_row(low, k, inner)
                )

                def place(i: Operand) -> AbstractContextManager[None]:
                    return low.inside(inner, (i,))

                axes = inner.axes[0].axes
                moving = [k for k in computed if low.get(k) is None]
                lanes = 0
                if not (cut or tiling.constant):
                    # Imported here: few loops are short.
                    from lazyarr.codegen.cpu.function_lanes import lanes_of_functions, write_blocks

                    lanes = lanes_of_functions(low, length, moving)
                if lanes:
                    write_blocks(low, lanes, (start, stop), place, moving)
                else:
                    loop = elements(low, "i", start, stop, place, axes, length, sinks, kind=kind)
                    with loop as i, place(i):
                        body()
        count = outer.size * (tiling.blocks if cut else 1)
    if frame.size == 0:
        count = 0
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(group, (launch,), 0, 0)


def _is_matrix(low: Lowering, frame: Frame) -> bool:
    """Whether rows of two loops lie side by side: vectors then hold elements of several rows.

    LLVM writes out the short loop first. Of more loops, or rows that lie apart, each is a vector.
    """
    if len(frame.axes) != 2:
        return False
    row, element = frame.axes
    places = [*low.accesses.values(), *(place for _, place in low.stores)]
    whole = {place.unit * element.size for place in places}
    return all(abs(row.stride(place.strides)) in {0, 1, *whole} for place in places)


def _cheap_row(low: Lowering, k: int, inner: Frame) -> bool:
    """Whether a term and all it needs stay the same along the inner loop."""
    axes = inner.axes[0].axes
    return all(not low.spans(j, axes) for j in low.needed([k]))
