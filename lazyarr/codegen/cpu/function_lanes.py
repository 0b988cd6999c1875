"""Loops over elements of which functions of the mathematics library are computed.

Such a function takes a vector, and one element as long as all of its lanes. LLVM takes several
vectors at a time, whose registers each call stores and loads again, and leaves what is beyond them
to a loop over single elements: in a row of 79 numbers that is 15 of them, and as much work as eight
such rows. So elements are taken in blocks of a constant number of lanes. The last block is whole,
too: what it computes of others' elements is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.kernel import AxisKind, Index, Operand
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["lanes_of_functions", "overwrites", "write_blocks"]


def lanes_of_functions(low: Lowering, length: int, moving: Sequence[int]) -> int:
    """Return the lanes of a block; 0 if the loop has no functions, no whole block, or is long.

    Parameters
    ----------
    low : Lowering
        The kernel.
    length : int
        Elements of the loop.
    moving : sequence of int
        The terms that change along it.
    """
    row = tuning.row()
    terms = [low.terms[k] for k in moving if not low.terms[k].loaded]
    if any(term.node.op.loop is not None for term in terms):
        return 0
    functions = [term for term in terms if term.node.op.cost >= row.special_cost]
    itemsizes = [term.dtype.itemsize for term in functions if kind_of(term.dtype) == "f"]
    if not itemsizes:
        return 0
    lanes = row.least_lane_bytes // max(4, min(itemsizes))
    return lanes if lanes < length <= row.function_row else 0


def write_blocks(
    low: Lowering,
    lanes: int,
    limits: tuple[Operand, Operand],
    place: Callable[[Operand], AbstractContextManager[None]],
    computed: Sequence[int],
) -> None:
    """Write the loops over elements, block by block.

    Parameters
    ----------
    low : Lowering
        The kernel.
    lanes : int
        Of a block.
    limits : tuple of Operand
        The first element, and the one behind the last.
    place : callable
        Gives the counters of the frames for an element.
    computed : sequence of int
        The terms to write.
    """
    b = low.builder
    start, stop = limits
    width = low.integer(lanes)
    blocks = b.call("divide", b.call("subtract", stop, start), width)
    with b.loop("b", low.integer(0), blocks) as block:
        first = b.call("add", start, b.call("multiply", block, width))
        with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
            with place(b.call("add", first, lane)), low.checks.in_lanes(lane, lanes):
                low.write(computed)
                for k, target in low.stores:
                    low.store(k, target)
    begin = b.call("add", start, b.call("multiply", blocks, width))
    with b.when(b.call("less", begin, stop)):
        results = {
            k: b.local("rest", register_dtype(low.terms[k].dtype), lanes)
            for k in dict.fromkeys(k for k, _ in low.stores)
        }
        # No element before the first or behind the last of all: there are more than lanes.
        first = begin
        if not overwrites(low):
            first = b.call("maximum", b.call("subtract", stop, width), low.integer(0))
        last = b.call("subtract", stop, low.integer(1))
        with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
            element: Operand = b.call("add", first, lane)
            if overwrites(low):
                element = low.least(element, last)
            with place(element), low.checks.in_lanes(lane, lanes):
                low.write(computed)
                for k, pointer in results.items():
                    b.store(pointer, Index(0, ((1, lane),)), low.value(k))
        with b.loop("i", begin, stop, AxisKind.SCALAR) as i, place(i):
            at = Index(0, ((1, b.call("subtract", i, first)),))
            for k, pointer in results.items():
                low.put(k, b.load(pointer, at))
            for k, target in low.stores:
                low.store(k, target)


def overwrites(low: Lowering) -> bool:
    """Return whether a result lies where an operand does, which is read no more once it is written.

    Parameters
    ----------
    low : Lowering
        The kernel.
    """
    memory = low.parameters.memory
    written = {memory(place.owner) for _, place in low.stores}
    return any(memory(place.owner) in written for place in low.accesses.values())
