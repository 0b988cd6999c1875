"""Lowering of elementwise kernels: one pass over the domain."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.inner_loops import elements
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["lower_map"]


def lower_map(low: Lowering, comments: Sequence[str]) -> Lowered:
    """Return the kernel; its innermost loop is over the last merged axis.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    """
    group = low.group
    b = low.builder
    frame = low.frame(range(len(group.domain)))
    sinks = [k for k, _ in low.stores]
    computed = low.needed(sinks)

    def body() -> None:
        low.write(computed)
        for k, place in low.stores:
            low.store(k, place)

    if len(frame.axes) <= 1:
        axes = frame.axes[0].axes if frame.axes else ()

        def place(i: Value) -> AbstractContextManager[None]:
            return low.inside(frame, (i,)[: len(frame.axes)])

        with elements(low, "i", low.begin, low.end, place, axes, frame.size, sinks) as i, place(i):
            body()
        count, chunk = frame.size, low.analysis.grain()
    else:
        outer, inner = Frame(frame.axes[:-1]), Frame(frame.axes[-1:])
        length = inner.axes[0].size
        cut = length > tuning.row().inner_elements and outer.size < 64
        size = low.number(("size", inner.axes[0].axes), length, "n")
        blocks = -(-length // tuning.row().inner_elements) if cut else 1
        with b.loop("w", low.begin, low.end) as w:
            row: Operand = w
            start: Operand = low.integer(0)
            stop: Operand = size
            if cut:
                per_row = low.number("blocks", blocks, "n")
                step = low.number("step", tuning.row().inner_elements, "n")
                row = b.call("divide", w, per_row)
                start = b.call("multiply", b.call("remainder", w, per_row), step)
                stop = low.least(b.call("add", start, step), size)
            with low.inside(outer, low.decode(row, outer)):
                low.write(
                    k
                    for k in computed
                    if not low.spans(k, inner.axes[0].axes) and _cheap_row(low, k, inner)
                )

                def place(i: Value) -> AbstractContextManager[None]:
                    return low.inside(inner, (i,))

                axes = inner.axes[0].axes
                with elements(low, "i", start, stop, place, axes, length, sinks) as i, place(i):
                    body()
        count = outer.size * blocks
        chunk = max(
            1,
            low.analysis.grain()
            // max(1, min(length, tuning.row().inner_elements) if cut else length),
        )
    if frame.size == 0:
        count = 0
    return Lowered(group, (low.launch(count, chunk, comments),), 0, 0)


def _cheap_row(low: Lowering, k: int, inner: Frame) -> bool:
    """Whether a term and all it needs stay the same along the inner loop."""
    axes = inner.axes[0].axes
    return all(not low.spans(j, axes) for j in low.needed([k]))
