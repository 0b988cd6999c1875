"""Lowering of stacks of small matrix products for GPUs: a block has some of them.

Both operands come to shared memory once, with what precedes the product computed on the way, each
element once. A thread has a tile of results in registers, each the chain of its terms in the order
of the summed axis, rounded once a term, and computes what follows the product before it stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import prod

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering, LateTerms, Neighbours
from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.codegen.cuda.product_operands import BlockOfProducts
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.small_product_tiling import SmallProductTiling
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.threads import Barrier, Intrinsic

__all__ = ["SUMMED_DTYPES", "choose_product_block", "lower_product_blocks"]

#: The dtypes whose products such kernels sum.
SUMMED_DTYPES = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def choose_product_block(
    sizes: tuple[int, int, int, int],
    itemsize: int,
    width: int,
    most_each: int,
    most_bytes: int | None = None,
) -> SmallProductTiling | None:
    """Return the tiling of a stack of products; None if its matrices are too large.

    Parameters
    ----------
    sizes : (int, int, int, int)
        Products, rows, terms of a sum and columns.
    itemsize : int
        Bytes of an element.
    width : int
        Neighbouring columns that a thread may store at once.
    most_each : int
        Vectors of results of a thread whose code may follow one another.
    most_bytes : int, optional
        Shared memory of a block; default: as the table says.

    Examples
    --------
    >>> print(choose_product_block((13111, 64, 64, 8), 4, 4, 8))
    1 product of 64 x 8 a block, 1 x 4 a thread, 128 threads a block
    >>> print(choose_product_block((1, 40000, 32, 16), 8, 2, 8))
    1 product of 131 x 16 a block, 4 x 4 a thread, 160 threads a block
    """
    row = tuning.row()
    products, all_rows, terms, columns = sizes
    lanes = row.vector_bytes // itemsize
    # An odd number of vectors from one row to the next: rows of a warp lie in different banks.
    left_pitch = (-(-terms // lanes) | 1) * lanes
    is_wide = terms <= row.block_few_terms and columns >= 2 * row.block_columns_wide
    each = row.block_columns_wide if is_wide else row.block_columns
    vectors = max(1, min(-(-min(each, columns) // width), most_each))
    across = -(-columns // (width * vectors))
    right_pitch = -(-columns // lanes) * lanes
    right_bytes = itemsize * terms * right_pitch
    line = itemsize * left_pitch
    most = min(row.block_bytes_most, most_bytes or row.block_bytes_most)
    least = row.block_threads_least // (2 if terms * itemsize >= row.block_deep_bytes else 1)
    high = max(1, min(row.block_rows, all_rows, most_each // vectors))
    rows, fit = all_rows, row.block_threads_limit // across * high
    if (rows + row.block_rows) * line + right_bytes > most:
        # Panels of rows, each with the whole right matrix.
        room = min(most, row.block_bytes_panel) - right_bytes
        if room < row.block_panel_share * right_bytes:
            return None
        fit = min(fit, room // line - row.block_rows)
    if fit < min(rows, row.block_rows_least):
        return None
    if fit < rows:
        rows = -(-rows // -(-rows // fit))
    while True:
        down = -(-rows // high)
        spare = (down * high - rows) * line
        matrices = 1
        if rows == all_rows:
            fit = (row.block_bytes - spare) // (rows * line + right_bytes)
            matrices = max(1, min(fit, row.block_threads_most // (down * across), products))
        threads = matrices * down * across
        if high == 1 or threads >= least:
            break
        high //= 2
    threads = max(-(-threads // WARP) * WARP, least)
    return SmallProductTiling(
        matrices, rows, columns, terms, width, high, vectors, threads,
        left_pitch, right_pitch, itemsize,
    )  # fmt: skip


def lower_product_blocks(
    planned: PlannedGroup, vectors: bool = True, most_bytes: int | None = None
) -> DeviceLaunch | None:
    """Return the kernel of a group that is a stack of small products; None for any other group.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool, optional
        Whether neighbouring elements may be loaded at once.
    most_bytes : int, optional
        Shared memory of a block; default: as the table says.
    """
    if len(planned.group.reduced) != 1:
        return None
    products = _ProductBlocks(planned, vectors, most_bytes)
    tiling = products.tiling
    if tiling is None:
        return None
    otherwise = lower_product_blocks(planned, False, most_bytes) if vectors else None
    smaller = None
    if tiling.shared_bytes > tuning.row().row_shared_bytes and most_bytes is None:
        smaller = partial(_lower_smaller, planned, vectors)
    return replace(products.lower(otherwise, smaller), tiling=tiling)


def _lower_smaller(planned: PlannedGroup, vectors: bool) -> DeviceLaunch:
    """Return the kernel for a GPU whose blocks have less shared memory."""
    launch = lower_product_blocks(planned, vectors, tuning.row().row_shared_bytes)
    assert launch is not None, "products that do not fit every GPU are a library's"
    return launch


class _ProductBlocks(DeviceLowering):
    """The state of lowering a stack of products to one kernel.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    vectors : bool
        Whether neighbouring elements may be loaded at once.
    most_bytes : int or None
        Shared memory of a block, if not as the table says.
    """

    def __init__(self, planned: PlannedGroup, vectors: bool, most_bytes: int | None) -> None:
        super().__init__(planned, vectors)
        #: How it is cut; None of a group that this kernel does not compute.
        self.tiling: SmallProductTiling | None = None
        self.most_bytes = most_bytes
        (self.summed,) = planned.group.reduced
        self.row, self.column = self.summed - 1, self.summed + 1
        self.stack = list(range(self.row))
        kinds = [term.node.op.kind for term in self.terms]
        self.sums = [
            k for k, kind in enumerate(kinds) if kind is Kind.REDUCE and not self.terms[k].loaded
        ]
        if self._is_product():
            self._choose()

    def _points(self) -> int:
        """Return the number of results: no index counts through the terms of all sums."""
        return prod(self.domain[axis] for axis in self.analysis.result_axes)

    def _is_product(self) -> bool:
        """Whether all that the group reduces is a product of two operands with axes apart."""
        if self.row < 0 or self.column != len(self.domain) - 1 or len(self.sums) != 1:
            return False
        (product,) = self.terms[self.sums[0]].args
        node = self.terms[product].node
        if not node.op.allows_fma or node.dtype not in SUMMED_DTYPES:
            return False
        before = set(self.needed([product]))
        stored = {k for k, _ in self.stores}
        if stored & before or not self.domain[self.summed]:
            return False
        first, second = self.terms[product].args
        if self._moves(first, self.column) or self._moves(second, self.row):
            first, second = second, first
        self.operands = first, second
        return not (self._moves(first, self.column) or self._moves(second, self.row))

    def _moves(self, k: int, axis: int) -> bool:
        """Whether a term, or what it is computed of, changes along an axis."""
        return any(self.spans(j, (axis,)) for j in self.needed([k]))

    # -- choosing ----------------------------------------------------------------------------

    def _choose(self) -> None:
        """Choose the tiling and how the operands are loaded."""
        rows, terms, columns = self.domain[self.row :]
        self.products = products = prod(self.domain[axis] for axis in self.stack)
        sinks = [k for k, _ in self.stores]
        self.after = [k for k in self.needed(sinks, self.sums) if k not in self.sums]
        stores = range(len(self.stores))
        itemsize = self.terms[self.sums[0]].dtype.itemsize
        most = tuning.row().vector_bytes // itemsize
        across = LoopAxis(columns, (self.column,))
        width = self.code.width(across, self.after, stores, most=most)
        table = tuning.row()
        vectors = table.block_rows * max(1, table.block_columns_wide // width)
        most_each = self.code.overlapping(self.after, vectors, width, table.block_share)
        sizes = products, rows, terms, columns
        self.tiling = choose_product_block(sizes, itemsize, width, most_each, self.most_bytes)

    # -- writing -----------------------------------------------------------------------------

    def lower(
        self, otherwise: DeviceLaunch | None, smaller: Callable[[], DeviceLaunch] | None
    ) -> DeviceLaunch:
        """Return the launch.

        Parameters
        ----------
        otherwise : DeviceLaunch or None
            The launch for addresses that are not aligned.
        smaller : callable or None
            Returns a launch that needs less shared memory.
        """
        device, tiling = self.device, self.tiling
        assert tiling is not None
        block, self.thread = device.builtin("block"), device.builtin("thread")
        dtype = self.terms[self.sums[0]].dtype
        lefts = device.array("left", dtype, 0, True, 0)
        rights = device.array("right", dtype, 0, True, tiling.left_bytes)
        panels = 1
        first_row: Operand = self.integer(0)
        if tiling.rows < self.domain[self.row]:
            panels = -(-self.domain[self.row] // tiling.rows)
            count = self.number("panels", panels, "n")
            panel = device.arithmetic("%", block, count)
            first_row = self.times(panel, tiling.rows)
            first: Operand = device.arithmetic("/", block, count)
        else:
            first = self.times(block, tiling.matrices)
        block_of_products = BlockOfProducts(
            self, tiling, (self.stack, self.row), self.products, self.thread, first, first_row
        )
        self.left = block_of_products.side(self.operands[0], False)
        self.right = block_of_products.side(self.operands[1], True)
        block_of_products.stage(self.left, lefts)
        block_of_products.stage(self.right, rights)
        self.first, self.first_row = first, first_row
        device.emit(Barrier())
        self._multiply(lefts, rights)
        blocks = -(-self.products // tiling.matrices) * panels
        return self.device_launch(
            blocks, tiling.threads, otherwise, shared_bytes=tiling.shared_bytes, smaller=smaller
        )

    def _multiply(self, lefts: Pointer, rights: Pointer) -> None:
        """Write the sums of a thread's results, and what follows them.

        Parameters
        ----------
        lefts, rights : Pointer
            The operands in shared memory.
        """
        device, tiling = self.device, self.tiling
        assert tiling is not None
        down, across, width = tiling.down, tiling.across, tiling.width
        each = down * across
        matrix: Operand = self.integer(0)
        rest: Operand = self.thread
        if tiling.matrices > 1:
            matrix = device.arithmetic("/", self.thread, self.integer(each))
            rest = device.arithmetic("%", self.thread, self.integer(each))
        group: Operand = rest
        column: Operand = self.integer(0)
        if across > 1:
            group = device.arithmetic("/", rest, self.integer(across))
            column = self.times(device.arithmetic("%", rest, self.integer(across)), width)
        conditions = []
        if tiling.matrices * each < tiling.threads:
            active = self.integer(tiling.matrices * each)
            conditions.append(self.below(self.thread, active))
        if self.products % tiling.matrices:
            total = self.number("products", self.products, "n")
            conditions.append(self.below(self.plus(self.first, matrix), total))
        with self._when(conditions):
            left = self.times(group, tiling.left_pitch)
            if self.left.is_stacked:
                left = self.plus(self.times(matrix, tiling.rows * tiling.left_pitch), left)
            right = column
            if self.right.is_stacked:
                step = tiling.terms * tiling.right_pitch
                right = self.plus(self.times(matrix, step), right)
            dtype = self.terms[self.sums[0]].dtype
            count = tiling.high * tiling.vectors * width
            sums = device.array("sums", dtype, count, False)
            constants = (
                tiling.high,
                down * tiling.left_pitch,
                tiling.vectors,
                width,
                across * width,
                tiling.terms,
                tiling.right_pitch,
            )
            args = (lefts, left, rights, right, sums)
            device.emit(Intrinsic((), "small_product", args, constants))
            stack = self.frame(self.stack)
            counters = self.decode(self.plus(self.first, matrix), stack)
            self._finish(sums, (stack, counters), group, column)

    def _when(self, conditions: Sequence[Value]) -> AbstractContextManager[None]:
        """Open a branch where all conditions are true."""
        if not conditions:
            return nullcontext()
        condition = conditions[0]
        for other in conditions[1:]:
            condition = self.builder.call("and", condition, other)
        return self.builder.when(condition)

    def _results(self, group: Operand, column: Operand) -> Iterator[tuple[Operand, Operand, int]]:
        """Yield row and first column of each vector of a thread's results, and its place in them.

        Parameters
        ----------
        group, column : Operand
            The first row and the first column.
        """
        tiling = self.tiling
        assert tiling is not None
        for i in range(tiling.high):
            row = self.plus(group, self.integer(i * tiling.down))
            for v in range(tiling.vectors):
                place = self.plus(column, self.integer(v * tiling.across * tiling.width))
                yield row, place, (i * tiling.vectors + v) * tiling.width

    def _finish(
        self,
        sums: Pointer,
        stack: tuple[Frame, Sequence[Operand]],
        group: Operand,
        column: Operand,
    ) -> None:
        """Write the epilogue of a thread's sums, and the stores.

        Parameters
        ----------
        sums : Pointer
            The sums.
        stack : (Frame, sequence of Operand)
            The loops over the stack, and their counters.
        group, column : Operand
            The first row in the block, and the first column.
        """
        tiling = self.tiling
        assert tiling is not None
        rows, columns = self.domain[self.row], self.domain[self.column]
        frame = Frame(
            (*stack[0].axes, LoopAxis(rows, (self.row,)), LoopAxis(columns, (self.column,)))
        )
        is_whole = tiling.across * tiling.vectors * tiling.width == columns
        for row, place, start in self._results(group, column):
            conditions = []
            own = self.plus(self.first_row, row)
            if tiling.down * tiling.high != tiling.rows:
                conditions.append(self.below(row, self.integer(tiling.rows)))
            if rows % tiling.rows:
                conditions.append(self.below(own, self.number("rows", rows, "n")))
            if not is_whole:
                conditions.append(self.below(place, self.integer(columns)))

            def put(lane: int, start: int = start) -> None:
                value = self.builder.load(sums, Index(start + lane, ()))
                self.put(self.sums[0], value)

            with self._when(conditions):
                elements = Neighbours(frame, [*stack[1], own, place], tiling.width)
                late = LateTerms(put, self.sums)
                self.write_neighbours(elements, self.after, range(len(self.stores)), late=late)
