"""Lowering of products of a matrix and a vector: several rows side by side.

A row after the other is one stream of memory, which the processor's prefetching hides in part, and
loads the vector anew for each row. Several rows are several streams, and share each element of the
vector. The last rows are summed with some of those before, whose results are stored already.
"""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.processor_tilings import RowGroupTiling
from lazyarr.codegen.reducers import BLOCK, Accumulator, takes_blocks
from lazyarr.codegen.row_passes import find_row_passes
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Operand

__all__ = ["choose_row_groups", "lower_row_groups"]


def choose_row_groups(group: GroupTerms) -> RowGroupTiling | None:
    """Return the tiling of a product of a matrix and a vector; None of other reductions.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    row = tuning.row()
    outer, inner = group.frame(group.result_axes), group.frame(group.reduced)
    if len(outer.axes) != 1 or len(inner.axes) != 1:
        return None
    rows, length = outer.size, inner.size
    if rows < row.matrix_rows or length < row.matrix_row_elements:
        return None
    passes = find_row_passes(group)
    if passes.count != 1 or passes.full_stores:
        return None
    for k in passes.reductions[0]:
        args = group.terms[k].args
        if len(args) != 1:
            return None  # about a mean, which is an operand, too
        source = group.terms[args[0]]
        if not source.node.op.allows_fma or not takes_blocks(group.terms[k]):
            return None
        if all(group.spans(j, group.result_axes) for j in _loaded(group, source.args)):
            return None
    if any(not term.loaded and term.node.op.loop is not None for term in group.terms):
        return None
    chunk = max(1, group.grain() // (length * row.matrix_rows))
    return RowGroupTiling(row.matrix_rows, chunk)


def _loaded(group: GroupTerms, terms: Sequence[int]) -> list[int]:
    """Return the operands in memory that terms are computed from."""
    return [k for k in group.needed(terms) if group.terms[k].loaded]


def lower_row_groups(low: Lowering, comments: Sequence[str], tiling: RowGroupTiling) -> Lowered:
    """Return the kernel; a work item is some rows.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : RowGroupTiling
        How it is cut.
    """
    b = low.builder
    outer, inner = low.frame(low.analysis.result_axes), low.frame(low.group.reduced)
    passes = find_row_passes(low.analysis)
    reductions, sinks = passes.reductions[0], passes.sinks(low.analysis, 0)
    together = tiling.rows
    count = -(-outer.size // together)
    blocked = inner.size > BLOCK
    latest = low.number("latest", outer.size - together, "n")
    size = low.number(("size", inner.axes[0].axes), inner.size, "n")
    with b.loop("t", low.begin, low.end, AxisKind.PARALLEL) as t:
        begin = b.call("multiply", t, low.integer(together))
        first = low.least(begin, latest)
        rows = [b.call("add", first, low.integer(q)) for q in range(together)]
        sums = [
            {k: Accumulator(b, low.terms[k], blocked) for k in reductions} for _ in range(together)
        ]

        def block(start: Operand, stop: Operand) -> None:
            accumulators = [sums[q][k] for q in range(together) for k in reductions]
            for accumulator in accumulators:
                accumulator.begin_block()
            with b.loop("j", start, stop) as j:
                for q, row in enumerate(rows):
                    with low.inside(outer, [row]), low.inside(inner, [j]):
                        low.write(low.needed(sinks))
                        for k in reductions:
                            sums[q][k].update(low.value(low.terms[k].args[0]))
            for accumulator in accumulators:
                accumulator.end_block(lambda look: None)

        if blocked:
            step = low.integer(BLOCK)
            blocks = low.number("row blocks", -(-inner.size // BLOCK), "n")
            with b.loop("k", low.integer(0), blocks) as number:
                start = b.call("multiply", number, step)
                block(start, low.least(b.call("add", start, step), size))
        else:
            block(low.integer(0), size)
        for q, row in enumerate(rows):
            with b.when(b.call("less_equal", begin, row)), low.inside(outer, [row]):
                for k in reductions:
                    low.put(k, sums[q][k].result())
                stores = [low.stores[p] for p in passes.row_stores]
                low.write(low.needed([stored for stored, _ in stores], reductions))
                for stored, place in stores:
                    low.store(stored, place)
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, 0)
