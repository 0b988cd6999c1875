"""A product of matrices and the elementwise kernel behind it as one kernel of a GPU.

What the product would have written, and the kernel read again, stays in shared memory. Tiles are
multiplied by tensor cores, for float64 alone; everything else that a library does better is left to
it. Whether one kernel is faster than two shows when both run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering, LateTerms, Neighbours
from lazyarr.codegen.cuda.launch import DeviceLaunch, FusedProduct
from lazyarr.codegen.device_tilings import ProductTiling
from lazyarr.codegen.group_terms import PlannedGroup
from lazyarr.codegen.loop_nest import Access, Frame, LoopAxis
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.kernel import Operand, Pointer
from lazyarr.loop_ir.threads import Intrinsic
from lazyarr.ops.library import Call
from lazyarr.schedule.fusion import Group, Layout, layout_of

__all__ = ["choose_product", "fused_product", "reads_product"]

FLOAT64 = np.dtype(np.float64)
#: Sizes are ints in the kernel, and so are numbers of rows and columns a little beyond them.
MOST_SIZE = 1 << 30


def fused_product(planned: PlannedGroup) -> FusedProduct | None:
    """Return the fused kernel of a map and the product that it follows; None if there is none.

    Parameters
    ----------
    planned : PlannedGroup
        What to compute.
    """
    producer = _product_before(planned)
    if producer is None:
        return None
    step, operands = producer
    product = _Product(planned, step, operands)
    if not product.fits():
        return None
    tiling = choose_product(lambda most: product.code.written_out(product.chosen, most, 2))

    def launch() -> DeviceLaunch:
        return _Product(planned, step, operands).lower(tiling)

    return FusedProduct(step, tiling, launch)


def choose_product(written_out: Callable[[int], int]) -> ProductTiling:
    """Return the tiling of a product with the kernel behind it.

    Parameters
    ----------
    written_out : callable
        ``written_out(most)``: of so many rows, those whose code may follow one another.

    Examples
    --------
    >>> print(choose_product(lambda most: most))
    tiles of 128 x 128, 4 slices of 16, 256 threads a tile, 4 rows at a time
    """
    row = tuning.row()
    return ProductTiling(
        row.matmul_tile_rows,
        row.matmul_tile_columns,
        row.matmul_depth,
        row.matmul_stages,
        row.matmul_threads,
        written_out(row.matmul_rows_at_once),
    )


def reads_product(group: Group, layouts: Mapping[Node, Layout]) -> bool:
    """Return whether a map reads a product of a library, and may be one launch with it.

    Parameters
    ----------
    group : Group
        What to compute.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    return group.template == "map" and bool(_products_read(group, layouts))


def _products_read(group: Group, layouts: Mapping[Node, Layout]) -> set[Node]:
    """Return the products of a library that a group reads."""
    owners = {_owner(source, layouts) for source in group.inputs}
    return {node for node in owners if node is not None and _is_product(node)}


def _product_before(planned: PlannedGroup) -> tuple[Group, tuple[Layout, Layout]] | None:
    """Return the step before a map and where its operands lie, if it is a product for this map."""
    group, layouts = planned.group, planned.layouts
    products = _products_read(group, layouts)
    if not products:
        return None
    groups = [step.group for step in planned.plan.steps]
    step = groups[max(groups.index(group) - 1, 0)]
    if step.kind != "library" or len(step.members) != 1:
        return None
    node = step.members[0]
    if node not in products or node.shape != group.domain:
        return None
    others = [other for other in groups if other is not group]
    if any(_owner(x, layouts) is node for other in others for x in other.inputs):
        return None
    left, right = (layout_of(source, layouts) for source in node.src)
    if left is None or right is None or not (_suits(left) and _suits(right)):
        return None
    rows, columns = node.shape
    inner = node.src[0].shape[1]
    even = columns % 2 == 0 and inner % 2 == 0 and inner > 0
    if (
        not even
        or rows * columns * inner < tuning.row().matmul_products
        or max(rows, columns, inner) > MOST_SIZE
    ):
        return None
    return step, (left, right)


def _is_product(node: Node) -> bool:
    """Whether a library's step multiplies two matrices of float64 and does nothing else."""
    call = node.attr
    if node.op.kind is not Kind.LIBRARY or not isinstance(call, Call) or call.outputs:
        return False
    if node.op.calls not in (np.matmul, np.dot) or call.keywords:
        return False
    return len(node.src) == 2 and all(x.ndim == 2 and x.dtype == FLOAT64 for x in (node, *node.src))


def _owner(node: Node, layouts: Mapping[Node, Layout]) -> Node | None:
    layout = layout_of(node, layouts)
    return None if layout is None else layout.owner


def _suits(layout: Layout) -> bool:
    """Whether pairs of neighbours in a row can be copied as vectors."""
    row, element = layout.strides
    return element == 1 and row % 2 == 0 and layout.offset % 2 == 0 and 0 <= row < 1 << 31


class _Product(DeviceLowering):
    """The state of lowering a product and a map to one kernel.

    Parameters
    ----------
    planned : PlannedGroup
        The map.
    step : Group
        The product.
    operands : tuple of Layout
        Where its operands lie.
    """

    def __init__(
        self,
        planned: PlannedGroup,
        step: Group,
        operands: tuple[Layout, Layout],
    ) -> None:
        super().__init__(planned)
        self.product = step.members[0]
        self.operands = operands
        #: The terms that are the product's elements.
        self.sums = [k for k, place in self.accesses.items() if place.owner is self.product]
        self.chosen = [k for k in self.needed([k for k, _ in self.stores]) if k not in self.sums]
        self.loops = Frame(tuple(LoopAxis(n, (axis,)) for axis, n in enumerate(self.domain)))

    def fits(self) -> bool:
        """Whether the map takes the product element by element, and nothing is in its way."""
        plain = (self.product.shape[1], 1)
        places = [self.accesses[k] for k in self.sums]
        if not places or any(p.strides != plain or p.offset or p.unit != 1 for p in places):
            return False
        if any(term.base is not None for term in self.terms):
            return False
        for k, place in self.stores:
            if place.strides != plain or place.offset or place.unit != 1:
                return False
            # Results are compared by words of 32 bits.
            if self.product.size * self.terms[k].dtype.itemsize % 4:
                return False
        # What it reads must be there still when it runs again, and while others write results.
        read = [self.accesses[k].owner for k in self.chosen if k in self.accesses]
        read += [layout.owner for layout in self.operands]
        if any(self._overwritten(owner) for owner in read):
            return False
        inner = self.loops.axes[-1]
        return self.code.width(inner, self.chosen, range(len(self.stores))) > 1

    def _overwritten(self, owner: object) -> bool:
        """Whether memory that is read is memory of a result, or overlaps it in the arena."""
        if self.parameters.memory(owner) in self.parameters.written:
            return True
        home = self.parameters.plan.home.get(owner) if isinstance(owner, Node) else None
        if home is None:
            return False
        own = self.parameters.plan.buffers[home]
        if own.kind != "arena":
            return False
        others = [
            self.parameters.plan.buffers[k] for k in self.parameters.written if isinstance(k, int)
        ]
        return any(
            other.kind == "arena"
            and own.offset < other.offset + other.nbytes
            and other.offset < own.offset + own.nbytes
            for other in others
        )

    def lower(self, tiling: ProductTiling) -> DeviceLaunch:
        """Return the launch.

        Parameters
        ----------
        tiling : ProductTiling
            How the product is cut.
        """
        device, b = self.device, self.builder
        rows, columns = self.domain
        inner = self.product.src[0].shape[1]
        left, right = map(self._operand, self.operands)
        m, n = self.number("rows", rows, "n"), self.number("columns", columns, "n")
        k = self.number("inner", inner, "n")
        left_stride, right_stride = (
            self.wide(("row", position), layout.strides[0])
            for position, layout in enumerate(self.operands)
        )
        block, thread = device.builtin("block"), device.builtin("thread")
        down = self.number("down", -(-rows // tiling.rows), "n")
        first_row = self.times(device.arithmetic("%", block, down), tiling.rows)
        first_column = self.times(device.arithmetic("/", block, down), tiling.columns)
        device.emit(
            Intrinsic(
                (),
                "product_tile",
                (left, right, m, n, k, left_stride, right_stride, first_row, first_column),
                (tiling.rows, tiling.columns, tiling.depth, tiling.stages),
            )
        )

        pairs = tiling.columns // 2
        lines = tiling.threads // pairs
        pair = device.arithmetic("%", thread, self.integer(pairs))
        line = device.arithmetic("/", thread, self.integer(pairs))
        column = self.plus(first_column, self.times(pair, 2))
        last_row = self.plus(first_row, self.integer(tiling.rows - 1))
        last_column = self.plus(first_column, self.integer(tiling.columns - 1))
        whole = b.call("and", self.below(last_row, m), self.below(last_column, n))
        zero = self.integer(0)
        together = tiling.together
        iterations = tiling.rows // lines // together

        def work(row: Operand) -> None:
            self._row(tiling, row, self.plus(first_row, row), pair, column)

        with device.count("t", zero, self.integer(iterations), unroll=1) as iteration:
            first = self.plus(line, self.times(iteration, lines * together))
            rare = b.declare("rare", b.call("not", whole))
            with b.when(whole), device.side_by_side("r", together, rare) as r:
                work(self.plus(first, self.times(r, lines)))
            with b.when(rare):
                with device.count("r", zero, self.integer(together), unroll=1) as r:
                    row = self.plus(first, self.times(r, lines))
                    below = self.below(self.plus(first_row, row), m)
                    with b.when(b.call("and", below, self.below(column, n))):
                        work(row)
        blocks = -(-rows // tiling.rows) * -(-columns // tiling.columns)
        launch = self.device_launch(blocks, tiling.threads, shared_bytes=tiling.shared_bytes)
        return replace(launch, tiling=tiling)

    def _operand(self, layout: Layout) -> Pointer:
        """Return the parameter that passes an operand of the product."""
        place = Access.of_part(layout.owner, layout.offset, layout.strides, 1, 0)
        return self.aligned(place, FLOAT64, 2)

    def _row(
        self, tiling: ProductTiling, local: Operand, row: Operand, pair: Operand, column: Operand
    ) -> None:
        """Write the epilogue of two neighbours of a row of the tile."""
        values = (self.builder.fresh("v", FLOAT64), self.builder.fresh("v", FLOAT64))
        self.device.emit(Intrinsic(values, "tile_pair", (local, pair), (tiling.columns,)))

        def put_sums(lane: int) -> None:
            for k in self.sums:
                self.put(k, values[lane])

        pair_of_columns = Neighbours(self.loops, [row, column], 2)
        stores, late = range(len(self.stores)), LateTerms(put_sums, self.sums)
        self.write_neighbours(pair_of_columns, self.chosen, stores, late=late)
