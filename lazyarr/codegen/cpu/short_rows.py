"""Lowering of reductions along rows of a few elements: each row is written out.

A loop over so few elements costs more to start than what it does, and none of them is in a vector.
Written out, the rows themselves are the elements of the innermost loop: vectors hold the same
element of several rows. Sums are from the first element to the last, whatever lies around them;
NumPy adds so, too, up to seven.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from lazyarr.codegen.chunked_reduction import away_from, known_mean
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.processor_tilings import ShortRowTiling
from lazyarr.codegen.reducers import components_of, finish, reducer_of, step_state
from lazyarr.codegen.row_passes import RowPasses, find_row_passes
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Literal, Operand

if TYPE_CHECKING:
    from lazyarr.codegen.row_tile_tiling import RowTileTiling

__all__ = ["choose_short_rows", "lower_short_rows"]


def choose_short_rows(group: GroupTerms) -> ShortRowTiling | RowTileTiling | None:
    """Return the tiling of a reduction along short rows; None if they are too long.

    Rows are reduced several side by side, or written out.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    row = tuning.row()
    length = group.frame(group.reduced).size
    if 1 < length <= row.most_tiled_row:
        # Imported here: few rows are so short.
        from lazyarr.codegen.cpu.tiled_rows import choose_row_tiles

        beside = choose_row_tiles(group)
        if beside is not None:
            return beside
    if not 1 < length <= row.written_out_row:
        return None
    length = length.__index__()  # of a plan that serves many lengths, too
    if length * group.statement_count() > row.written_out_row_statements:
        return None
    if any(not term.loaded and term.node.op.loop is not None for term in group.terms):
        return None
    outer = group.frame(group.result_axes)
    inner = outer.axes[-1].size if len(outer.axes) > 1 else 1
    if inner < row.vector_loop:
        inner = 1
    most = max(1, row.inner_elements // length)
    blocks = -(-inner // most) if inner > most else 1
    chunk = max(1, group.grain() * blocks // (length * inner))
    return ShortRowTiling(length, inner > 1, chunk, blocks)


def lower_short_rows(low: Lowering, comments: Sequence[str], tiling: ShortRowTiling) -> Lowered:
    """Return the kernel; a work item is a row, or rows along the last axis that stays.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : ShortRowTiling
        How it is cut.
    """
    b = low.builder
    low.literal_strides = tiling.length  # other lengths are no other kernels
    outer = low.frame(low.analysis.result_axes)
    rows = _WrittenOut(low)
    if tiling.nested:
        around, last = Frame(outer.axes[:-1]), Frame(outer.axes[-1:])
        size = low.number(("size", last.axes[0].axes), last.size, "n")
        start: Operand = low.integer(0)
        stop: Operand = size
        with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
            line: Operand = w
            if tiling.blocks > 1:
                blocks = low.number("blocks", tiling.blocks, "n")
                step = low.number("step", -(-last.size // tiling.blocks), "n")
                line = b.call("divide", w, blocks)
                start = b.call("multiply", b.call("remainder", w, blocks), step)
                stop = low.least(b.call("add", start, step), size)
            with low.inside(around, low.decode(line, around)):
                with b.loop("r", start, stop) as r, low.inside(last, (r,)):
                    rows.write()
        count = around.size * tiling.blocks
    else:
        kind = AxisKind.SERIAL if len(outer.axes) <= 1 else AxisKind.PARALLEL
        with b.loop("r", low.begin, low.end, kind) as r:
            with low.inside(outer, low.decode(r, outer)):
                rows.write()
        count = outer.size
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, 0)


class _WrittenOut:
    """The code of one row, element after element.

    Parameters
    ----------
    low : Lowering
        The kernel.
    """

    def __init__(self, low: Lowering) -> None:
        self.low = low
        self.inner = low.frame(low.group.reduced)
        self.length = self.inner.size.__index__()
        self.passes: RowPasses = find_row_passes(low.analysis)

    def write(self) -> None:
        """Write all passes over the present row, and its stores."""
        low = self.low
        known: list[dict[int, Operand]] = [{} for _ in range(self.length)]
        for number in range(self.passes.count):
            self._write_pass(number, known)
        stores = [low.stores[p] for p in self.passes.row_stores]
        low.write(self._open([k for k, _ in stores]))
        for k, place in stores:
            low.store(k, place)

    def _places(self) -> Iterator[tuple[Literal, ...]]:
        """Yield the counters of each element, in order."""
        sizes = [range(axis.size.__index__()) for axis in self.inner.axes]
        for counters in product(*sizes):
            yield tuple(self.low.integer(counter) for counter in counters)

    def _write_pass(self, number: int, known: list[dict[int, Operand]]) -> None:
        low, full = self.low, self.passes.full
        sinks = self.passes.sinks(low.analysis, number)
        reductions = self.passes.reductions.get(number, [])
        means = {k: known_mean(low, k, self.length) for k in reductions}
        low.write(k for k in self._open(sinks) if not full[k] and self._is_of_row(k))
        states: dict[int, Sequence[Operand]] = {
            k: [low.builder.literal(c.initial, c.dtype) for c in components_of(low.terms[k])]
            for k in reductions
        }
        for position, counters in enumerate(self._places()):
            with low.inside(self.inner, counters):
                for k, value in known[position].items():
                    low.put(k, value)
                terms = self._open(sinks)
                low.write(terms)
                known[position].update((k, low.value(k)) for k in terms if full[k])
                for k in reductions:
                    value, mean = low.value(low.terms[k].args[0]), means[k]
                    if mean is not None:
                        away = away_from(low, value, mean)
                        value = low.builder.call("multiply", away, away)
                    place = low.integer(position)
                    states[k] = step_state(low.builder, low.terms[k], states[k], value, place)
                for p in self.passes.full_stores.get(number, []):
                    low.store(*low.stores[p])
        for k in reductions:
            result = reducer_of(low.terms[k]).finish(low.builder, states[k])
            low.put(k, finish(low.builder, low.terms[k], result))

    def _open(self, sinks: Sequence[int]) -> list[int]:
        """Return the terms that must be written for `sinks`: all that have no value yet."""
        low = self.low
        return low.needed(sinks, (k for k in range(len(low.terms)) if low.get(k) is not None))

    def _is_of_row(self, k: int) -> bool:
        """Whether a term is the same for all elements of a row."""
        return all(not self.passes.full[j] for j in self._open([k]))
