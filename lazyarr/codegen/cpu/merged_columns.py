"""States of neighbouring columns that belong to one result, merged at the end of a panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.codegen.chunked_reduction import CENTRE, Parts
from lazyarr.codegen.context import Lowering
from lazyarr.codegen.reducers import merge_states
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value

__all__ = ["store_merged", "sum_of_columns"]

#: Gives the array of a component of a reduction's states: its term, and the component's number.
States = Callable[[int, int], Pointer]


def store_merged(
    low: Lowering,
    parts: Parts,
    late: Sequence[int],
    states: States,
    results: Operand,
    merged: Operand,
    origin: Sequence[Value],
) -> None:
    """Write the loop over a panel's results, which merges their columns and stores the states.

    Parameters
    ----------
    low : Lowering
        The kernel.
    parts : Parts
        Where the states of panels go.
    late : sequence of int
        The deviations whose sums are taken in the same pass; columns of a result have one centre.
    states : callable
        Gives the array of a component of a reduction.
    results : Operand
        The number of results of the panel.
    merged : Operand
        Columns of each.
    origin : sequence of Value
        Where the state of the first result goes, as a sum.
    """
    b = low.builder
    with b.loop("o", low.integer(0), results) as o:
        first = b.call("multiply", o, merged)
        target = Index(0, (*((1, part) for part in origin), (1, o)))
        for k in parts.reductions:
            count = len(parts.components[k])
            merging = CENTRE if k in late else count
            begin = [b.load(states(k, n), Index(0, ((1, first),))) for n in range(count)]
            totals = [b.declare("state", value) for value in begin[:merging]]
            with b.loop("i", low.integer(1), merged, AxisKind.SCALAR) as i:
                place = Index(0, ((1, first), (1, i)))
                later = [b.load(states(k, n), place) for n in range(merging)]
                state = [b.snapshot(total) for total in totals]
                if k in late:
                    new: Sequence[Operand] = [
                        b.call("add", one, other) for one, other in zip(state, later, strict=True)
                    ]
                else:
                    new = merge_states(b, low.terms[k], state, later)
                for total, value in zip(totals, new, strict=True):
                    b.assign(total, value)
            for n, value in enumerate([*totals, *begin[merging:]]):
                b.store(parts.pointer(low, k, n, True), target, value)


def sum_of_columns(
    low: Lowering, totals: Sequence[int], states: States, results: Operand, merged: Operand
) -> None:
    """Write the loop that gives all columns of a result the sum of theirs.

    Parameters
    ----------
    low : Lowering
        The kernel.
    totals : sequence of int
        The sums.
    states : callable
        Gives the array of a component of a reduction.
    results : Operand
        The number of results of the panel.
    merged : Operand
        Columns of each.
    """
    b = low.builder
    with b.loop("o", low.integer(0), results) as o:
        first = b.call("multiply", o, merged)
        for k in totals:
            pointer = states(k, 0)
            total = b.declare("total", b.literal(0, pointer.dtype))
            with b.loop("i", low.integer(0), merged, AxisKind.SCALAR) as i:
                b.update(total, "add", total, b.load(pointer, Index(0, ((1, first), (1, i)))))
            with b.loop("i", low.integer(0), merged, AxisKind.SCALAR) as i:
                b.store(pointer, Index(0, ((1, first), (1, i))), total)
