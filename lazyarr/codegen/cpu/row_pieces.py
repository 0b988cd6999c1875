"""Short loops over elements in pieces that are whole vectors.

What a loop has beyond its vectors LLVM takes element by element, or under a mask, and some
processors need a dozen cycles to store a part of a vector. So the last piece begins so early that
it is whole, which computes some elements twice, or pieces get shorter and shorter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.function_lanes import overwrites
from lazyarr.core.vector_registers import registers
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import AxisKind, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["are_fewer", "blocks_of_row", "lanes_of_row", "pieces_by_halves", "pieces_of"]


def pieces_of(low: Lowering, length: int) -> Iterator[tuple[int, int]]:
    """Yield the first element of each piece of a loop that is written out, and that behind its end.

    It is one piece where vectors are stored under a mask at no cost.

    Parameters
    ----------
    low : Lowering
        The kernel.
    length : int
        Elements of the loop.
    """
    if registers().nbytes >= tuning.row().masking_bytes:
        yield 0, length
        return
    lanes, first = _lanes(low), 0
    while lanes > length:
        lanes //= 2
    again = lanes > 1 and not overwrites(low)
    while first < length:
        rest = length - first
        if rest < lanes and again and first:
            yield length - lanes, length
            return
        while lanes > rest:
            lanes //= 2
        yield first, first + lanes
        first += lanes


def lanes_of_row(low: Lowering, length: int, moving: Sequence[int]) -> int:
    """Return the lanes of the blocks of a loop; 0 if they spare little, or nothing.

    Parameters
    ----------
    low : Lowering
        The kernel.
    length : int
        Elements of the loop.
    moving : sequence of int
        The terms that change along it.
    """
    row, lanes = tuning.row(), _lanes(low)
    # What is suspect in a row is known when lanes are compared, which no block has to wait for.
    compares = low.checks.checks_selections(moving)
    most = row.compared_row if compares else row.block_row
    if type(length) is not int or not row.written_out_loop < length <= most:
        return 0  # of a plan that serves many
    if any(low.terms[k].node.op.loop or low.terms[k].node.op.kind is Kind.GATHER for k in moving):
        return 0
    while lanes > length:
        lanes //= 2
    pays = compares or (lanes < length and are_fewer(length, lanes))
    return lanes if pays and not overwrites(low) else 0


def are_fewer(length: int, lanes: int) -> bool:
    """Return whether blocks of lanes are much fewer than the vectors and elements of a row.

    LLVM takes what is beyond the vectors by one of half the lanes, and then element by element.

    Parameters
    ----------
    length, lanes : int
        Elements of the row, and of a vector.
    """
    whole = -(-length // lanes)
    return pieces_by_halves(length, lanes) >= tuning.row().spared_calls * whole


def pieces_by_halves(length: int, lanes: int) -> int:
    """Return the vectors, half vectors and elements that LLVM makes of a row.

    Parameters
    ----------
    length, lanes : int
        Elements of the row, and of a vector.
    """
    half = max(1, lanes // 2)
    return length // lanes + length % lanes // half + length % half


@contextmanager
def blocks_of_row(low: Lowering, length: int, lanes: int, size: Operand) -> Iterator[Value]:
    """Open the loops over the blocks of a loop and their lanes, and yield the element.

    The code is the same for all lengths.

    Parameters
    ----------
    low : Lowering
        The kernel.
    length, lanes : int
        Elements of the loop, and of a block, of which there are no fewer.
    size : Operand
        The elements of the loop as a value of the kernel.
    """
    b, width = low.builder, low.integer(lanes)
    count = low.number(("blocks", lanes), -(-length // lanes), "n")
    latest = b.call("subtract", size, width)
    with b.loop("k", low.integer(0), count, AxisKind.SCALAR) as k:
        first = low.least(b.call("multiply", k, width), latest)
        with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
            with low.checks.in_lanes(lane, lanes):
                yield b.call("add", first, lane)


def _lanes(low: Lowering) -> int:
    """Return the elements of a vector of the widest value."""
    widest = max((register_dtype(term.dtype).itemsize for term in low.terms), default=1)
    return max(1, registers().nbytes // widest)
