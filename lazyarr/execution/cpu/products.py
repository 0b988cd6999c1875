"""Library steps that are matrix products, as calls of BLAS beside those of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.codegen.launch import Address, Argument, Flags, Number
from lazyarr.core.frozen import dataclass
from lazyarr.execution import tuning
from lazyarr.graph.node import Node
from lazyarr.ops.library import LIBRARY, Call, Slot
from lazyarr.runtime.cpu import blas
from lazyarr.runtime.cpu.function import Function
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["Cut", "Product", "product_of"]

_MATMUL = LIBRARY["matmul"]
_OPERANDS = Call((Slot(0), Slot(1)))
#: What BLAS's integers hold, in the builds where they are short.
_LARGEST = 1 << 31


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """A product of matrices, or of stacks of them.

    Attributes
    ----------
    function : Function
        Calls BLAS.
    arguments : tuple of Argument
        Its arguments.
    count : int
        Of how many blocks.
    chunk : int
        Blocks of one call at least.
    work : int
        Products of elements of one matrix product.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    chunk: int
    work: int


@dataclass(frozen=True, slots=True)
class _Operand:
    """The layout of an array as BLAS operand: its matrix and its stack."""

    transpose: int
    leading: int
    step: int

    @property
    def by_row(self) -> int:
        """Elements from one row to the next."""
        return self.leading if self.transpose == blas.NO_TRANSPOSE else 1

    @property
    def by_column(self) -> int:
        """Elements from one column to the next."""
        return 1 if self.transpose == blas.NO_TRANSPOSE else self.leading


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of the rows, or of the columns, of a product.

    Attributes
    ----------
    count : int
        How many.
    strip : int
        Rows or columns of which blocks have a multiple; the last one has what is left, too.
    """

    count: int
    strip: int

    def longest(self, size: int) -> int:
        """Return the rows or columns of the longest block, of so many in all."""
        strips = size // self.strip
        last = -(-strips * (self.count - 1) // self.count)
        return max(-(-strips // self.count) * self.strip, size - last * self.strip)

    def shortest(self, size: int) -> int:
        """Return the rows or columns of the shortest block at least, of so many in all."""
        return size // self.strip // self.count * self.strip if self.count > 1 else size


@dataclass(frozen=True, slots=True)
class Cut:
    """The division of a product into blocks, each of which one thread computes.

    Attributes
    ----------
    rows, columns : Blocks
        A block of the product is one of the rows and one of the columns.
    chunk : int
        Blocks that are computed one after the other at least.
    """

    rows: Blocks
    columns: Blocks
    chunk: int

    @property
    def count(self) -> int:
        """Blocks of one product."""
        return self.rows.count * self.columns.count

    @classmethod
    def of(
        cls, size: tuple[int, int, int], threads: int, grains: blas.Grains, stack: int = 1
    ) -> Cut:
        """Return the cut of products.

        OpenBLAS takes the last few columns, and small products, in another order. So the blocks
        of most products are those of the shape alone, whatever the number of threads. Blocks of
        a grain that are no small products have the bits of the whole, and there are as many as
        threads ask for.

        Parameters
        ----------
        size : tuple of (int, int, int)
            Rows and columns of the product, and the length of its sums.
        threads : int
            That may work on it.
        grains : tuple of (int, int)
            Of BLAS's routine: :class:`lazyarr.runtime.cpu.blas.Routine`.
        stack : int, optional
            Products of this size.
        """
        row = tuning.row()
        rows, columns, inner = size
        work = rows * columns * inner
        by_rows = rows >= columns
        if (by_rows or grains[-1][1]) and cls._in_grain(size, 2, 2, grains[-1])[0].count > 1:
            blocks = threads
            if work >= row.large_product and threads > 1:
                # Several for each thread, as one of them may wait, if they are long.
                several = max(row.product_blocks, row.product_blocks_of_thread * threads)
                blocks = max(threads, min(several, max(rows, columns) // row.long_block))
            most = -(-blocks // stack)
            if most <= 1:
                return cls(Blocks(1, 1), Blocks(1, 1), 1)
            stack = int(stack)  # of few: a plan over symbols is one for each number
            cut, cost = cls._in_grain(size, most, threads, grains[0], stack)
            for grain in grains[1:]:
                finer, finer_cost = cls._in_grain(size, most, threads, grain, stack)
                if finer_cost < row.finer_cost * cost:
                    cut, cost = finer, finer_cost
            return cut
        extent = rows if by_rows else columns
        strip, least = row.product_strip, row.product_block
        most = max(row.product_blocks, extent // row.product_extent)
        if work >= 2 * least:
            blocks = min(work // least, most, extent // strip)
            if blocks < most:
                # Each packs the other operand anew, and threads are a power of two as a rule.
                power = 1
                while 2 * power <= blocks:
                    power *= 2
                blocks = power
            if blocks >= 2:
                pair = Blocks(blocks, strip), Blocks(1, 1)
                return cls(*(pair if by_rows else pair[::-1]), 1)
        return cls(Blocks(1, 1), Blocks(1, 1), 1 + least // work)

    @classmethod
    def _in_grain(
        cls,
        size: tuple[int, int, int],
        most: int,
        threads: int,
        grain: tuple[int, int],
        stack: int = 1,
    ) -> tuple[Cut, float]:
        """Return the cut into so many blocks of a grain at most that takes least, and its cost."""
        packed, block = tuning.row().packed_cost, tuning.row().row_block
        rows, columns, inner = size
        best, least = cls(Blocks(1, 1), Blocks(1, 1), 1), float("inf")
        strips = columns // grain[1] if grain[1] else 1
        for across in range(1, max(1, min(most, strips)) + 1):
            beside = Blocks(across, grain[1] if across > 1 else 1)
            narrow, wide = beside.shortest(columns), beside.longest(columns)
            for down in range(1, most // across + 1):
                cut = cls(Blocks(down, grain[0] if down > 1 else 1), beside, 1)
                if cut.count > 1 and cut.rows.shortest(rows) * narrow * inner < block:
                    break  # OpenBLAS calls it small
                high = cut.rows.longest(rows)
                # A block packs its rows and its columns, and multiplies them. One of the threads
                # begins late, by half a block.
                waves = -(-cut.count * stack // threads) + 0.5
                cost = waves * (high * wide + packed * (high + wide))
                if cost < least:
                    best, least = cut, cost
        return best, least


def product_of(group: Group, layouts: Mapping[Node, Layout], threads: int) -> Product | None:
    """Return the product that a library step is, if BLAS computes it as NumPy would.

    NumPy passes vectors to other routines, and so it does a matrix with its own transpose; these
    it computes itself, and what BLAS cannot read where it lies.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    threads : int
        That may work on the step.
    """
    node = group.members[0]
    if node.op is not _MATMUL or node.attr != _OPERANDS or node.ndim < 2:
        return None
    left, right = node.src
    if any(source.ndim < 2 or source.dtype != node.dtype for source in node.src):
        return None
    rows, columns, inner = *node.shape[-2:], left.shape[-1]
    if min(rows, columns, inner) < 2 or not 0 < max(left.size, right.size, node.size) < _LARGEST:
        return None
    routine = blas.routine(node.dtype)
    places = [layout_of(value, layouts) for value in (left, right)]
    target = group.outputs[0].layout
    if routine is None or places[0] is None or places[1] is None:
        return None
    if places[0].owner is places[1].owner and places[0].offset == places[1].offset:
        return None
    stack = node.shape[:-2]
    operands = [
        _operand(value, place, stack)
        for value, place in zip((left, right, node), (*places, target), strict=True)
        if place is not None
    ]
    a, b, c = operands
    if a is None or b is None or c is None or c.transpose == blas.TRANSPOSE:
        return None
    size = node.dtype.itemsize
    count = node.size // (rows * columns)
    cut = Cut.of((rows, columns, inner), threads, routine.grains, count)
    along = (a.by_row, c.by_row, b.by_column, c.by_column)
    arguments: list[Argument] = [Number(routine.address)]
    arguments += [Address(x.owner, x.offset * size) for x in (*places, target) if x is not None]
    arguments.append(Flags())
    numbers = (rows, columns, inner, a.transpose, b.transpose, a.leading, b.leading, c.leading)
    steps = (a.step * size, b.step * size, c.step * size)
    blocks = (cut.rows.count, cut.rows.strip, cut.columns.count, cut.columns.strip)
    arguments += map(Number, (*numbers, *steps, *blocks, *(step * size for step in along)))
    work = rows * columns * inner
    return Product(routine.function, tuple(arguments), count * cut.count, cut.chunk, work)


def _operand(value: Node, place: Layout, stack: Sequence[int]) -> _Operand | None:
    """Return the way in which BLAS reads an array; None if there is none."""
    *outer, rows, columns = value.shape
    *steps, by_row, by_column = place.strides
    missing = len(stack) - len(outer)
    own = [0 if size == 1 else step for size, step in zip(outer, steps, strict=True)]
    step = _one_step(stack, [0] * missing + own)
    if step is None:
        return None
    if by_column == 1 and by_row >= columns:
        return _Operand(blas.NO_TRANSPOSE, by_row, step)
    if by_row == 1 and by_column >= rows:
        return _Operand(blas.TRANSPOSE, by_column, step)
    return None


def _one_step(stack: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the step from one matrix of a stack to the next, if it is always the same."""
    axes = [(size, step) for size, step in zip(stack, strides, strict=True) if size != 1]
    step = reach = axes[-1][1] if axes else 0
    for size, stride in reversed(axes):
        if stride != reach:
            return None
        reach = size * stride
    return step
