"""Short loops over elements in pieces that are whole vectors.

What a loop has beyond its vectors LLVM takes element by element, or under a mask, and some
processors need a dozen cycles to store a part of a vector. So the last piece begins so early that
it is whole, which computes some elements twice, or pieces get shorter and shorter.

In a long chain of operations several vectors of a row take turns. The last ones may be fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.function_lanes import overwrites
from lazyarr.codegen.cpu.windows import kind_of_chain
from lazyarr.core.frozen import dataclass
from lazyarr.core.vector_registers import registers
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.kernel import AxisKind, Operand, Value
from lazyarr.loop_ir.primitives import register_dtype

__all__ = [
    "RowBlocks",
    "are_fewer",
    "blocks_of_chain",
    "blocks_of_row",
    "interleaved_blocks",
    "lanes_of_row",
    "pieces_by_halves",
    "pieces_of",
    "write_interleaved",
]

#: By the vectors that take turns, the kind of the loop over their lanes.
_KINDS = {4: AxisKind.INTERLEAVED, 2: AxisKind.PAIRED, 1: AxisKind.LANES}


@dataclass(frozen=True, slots=True)
class RowBlocks:
    """A row in blocks of several vectors that take turns, and its end in one of fewer.

    Attributes
    ----------
    lanes : int
        Elements of a vector.
    vectors, last : int
        That take turns in a block, and in the last one, which ends with the row; 0: there is none.
    """

    lanes: int
    vectors: int
    last: int

    def waiting(self, length: int) -> float:
        """Return the vectors of a row, each counted by its time over that of one of four."""
        waits = tuning.row().vector_waits
        blocks = length // (self.lanes * self.vectors)
        last = self.last * waits[self.last] if self.last else 0.0
        return blocks * self.vectors * waits[self.vectors] + last


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


def interleaved_blocks(low: Lowering, length: int, moving: Sequence[int]) -> RowBlocks | None:
    """Return the blocks of a row in which vectors take turns; None where they have not to.

    Parameters
    ----------
    low : Lowering
        The kernel.
    length : int
        Elements of the row.
    moving : sequence of int
        The terms that change along it.
    """
    row, lanes = tuning.row(), _lanes(low)
    if type(length) is not int or low.checks.checks_selections(moving) or overwrites(low):
        return None  # of a plan that serves many, or whose lanes are compared
    # Of a row of one value nothing changes.
    widest = max((register_dtype(low.terms[k].dtype).itemsize for k in moving), default=0)
    if length * widest >= row.interleaved_bytes or lanes * widest != registers().nbytes:
        return None
    if any(low.terms[k].node.op.kind is Kind.GATHER for k in moving):
        return None
    return blocks_of_chain(length, lanes, kind_of_chain(low.analysis, low.anchors, moving))


def blocks_of_chain(length: int, lanes: int, kind: AxisKind) -> RowBlocks | None:
    """Return the blocks of a row by the kind of its loop if it were long.

    Parameters
    ----------
    length, lanes : int
        Elements of the row, and of a vector.
    kind : AxisKind
        One of :func:`~lazyarr.codegen.cpu.windows.kind_of_chain`.

    Returns
    -------
    RowBlocks or None
        None where no vectors take turns, or there are fewer than two.
    """
    most = {AxisKind.INTERLEAVED: tuning.row().interleaved_vectors, AxisKind.PAIRED: 2}.get(kind, 0)
    choices = [_blocks(length, lanes, n) for n in _KINDS if 1 < n <= most and n * lanes <= length]
    return min(choices, key=lambda blocks: blocks.waiting(length), default=None)


def _blocks(length: int, lanes: int, vectors: int) -> RowBlocks:
    """Return a row in blocks of some vectors."""
    rest = length % (lanes * vectors)
    last = min((n for n in _KINDS if n * lanes >= rest), default=0) if rest else 0
    return RowBlocks(lanes, vectors, last)


def write_interleaved(
    low: Lowering,
    blocks: RowBlocks,
    length: int,
    size: Operand,
    write: Callable[[Operand], None],
) -> None:
    """Write the loops over blocks in which vectors take turns, and their lanes.

    Parameters
    ----------
    low : Lowering
        The kernel.
    blocks : RowBlocks
        The blocks.
    length : int
        Elements of the row.
    size : Operand
        The same as a value of the kernel.
    write : callable
        Writes what is computed of an element.
    """
    b, width = low.builder, blocks.lanes * blocks.vectors
    count = low.number(("whole blocks", width), length // width, "n")
    with b.loop("k", low.integer(0), count, AxisKind.SCALAR) as k:
        first = b.call("multiply", k, low.integer(width))
        with b.loop("l", low.integer(0), low.integer(width), _KINDS[blocks.vectors]) as lane:
            write(b.call("add", first, lane))
    if blocks.last:
        width = blocks.lanes * blocks.last
        first = b.call("subtract", size, low.integer(width))
        with b.loop("l", low.integer(0), low.integer(width), _KINDS[blocks.last]) as lane:
            write(b.call("add", first, lane))


def _lanes(low: Lowering) -> int:
    """Return the elements of a vector of the widest value."""
    widest = max((register_dtype(term.dtype).itemsize for term in low.terms), default=1)
    return max(1, registers().nbytes // widest)
