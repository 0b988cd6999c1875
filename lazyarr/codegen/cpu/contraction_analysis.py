"""Analysis of contractions: reductions that pair rows of two operands, and their tiles.

Distances of all pairs of points, or a matrix product written out: a reduction along `k` of what is
computed from values that change along `i` and `k` and others that change along `j` and `k`. Each
value is used again for a whole row or column of the result. So a block of the result is computed
at a time: the values that it needs are computed once and packed into scratch memory, and a tile of
its sums stays in registers while the loop runs along `k`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.reducers import components_of, reducer_of
from lazyarr.codegen.row_passes import find_row_passes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.vector_registers import registers
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term

__all__ = [
    "Loops",
    "Nest",
    "Packed",
    "find_nest",
    "has_kernel",
    "product_pays",
    "state_dtype",
    "sums_floats",
]

DType = np.dtype[Any]

#: The dtypes of matrix products that kernels compute.
_PRODUCTS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


@dataclass(frozen=True, eq=False, slots=True)
class Packed:
    """A value that a block needs again and again, computed once into scratch memory.

    Attributes
    ----------
    term : int
        Which one.
    rows, columns, deep : bool
        Whether it changes along the rows of the block, its columns, and the reduction; never
        along both rows and columns.
    across : bool
        Whether neighbours along the reduction lie far from each other in memory, and those along
        the rows or columns near.
    """

    term: int
    rows: bool
    columns: bool
    deep: bool
    across: bool


@dataclass(frozen=True, eq=False, slots=True)
class Loops:
    """The loops of a nest.

    Attributes
    ----------
    outer : Frame
        The kept loops that every operand goes along.
    rows, columns : LoopAxis
        The two others; vectors lie along the columns.
    depth : Frame
        The loops of the reduction.
    """

    outer: Frame
    rows: LoopAxis
    columns: LoopAxis
    depth: Frame


@dataclass(frozen=True, eq=False, slots=True)
class Nest:
    """The loop nest of a contraction: its axes and tile sizes.

    Attributes
    ----------
    loops : Loops
        Over the domain.
    reductions : tuple of int
        Terms.
    interior : tuple of int
        The terms computed for each point.
    constant : tuple of int
        The terms that are the same everywhere in a block.
    packed : tuple of Packed
        What else the interior needs.
    contracted : dict of int to tuple of int
        For the sums whose elements are products that are rounded together with the addition: the
        terms of the two factors.
    most_deep, deep : int
        Elements along the reduction that one block of sums may take in, and does.
    tree : int
        How many of them are taken at a time; where they are added, as a balanced tree.
    height, width : int
        Rows and columns of a tile.
    most_rows, most_columns : int
        Rows and columns that a block may have at most; no size of an array decides them.
    block_rows, block_columns : int
        Rows and columns of a block of the result: whole tiles.
    """

    loops: Loops
    reductions: tuple[int, ...]
    interior: tuple[int, ...]
    constant: tuple[int, ...]
    packed: tuple[Packed, ...]
    contracted: dict[int, tuple[int, ...]]
    most_deep: int
    deep: int
    tree: int
    height: int
    width: int
    most_rows: int
    most_columns: int
    block_rows: int
    block_columns: int

    @property
    def whole(self) -> bool:
        """Whether one block of sums takes in the whole reduction."""
        return self.loops.depth.size <= self.most_deep


_ROW, _COLUMN, _DEEP = 1, 2, 4
_BOTH = _ROW | _COLUMN


def find_nest(group: GroupTerms) -> Nest | None:
    """Return the cut of a group's reductions into tiles; None if other loops suit them."""
    passes = find_row_passes(group)
    if passes.count != 1 or passes.full_stores or not passes.row_stores:
        return None
    reductions = tuple(passes.reductions[0])
    if any(not reducer_of(group.terms[k]).is_fold for k in reductions):
        return None
    results = group.frame(group.result_axes)
    depth = group.frame(group.reduced)
    if (
        len(results.axes) < 2
        or results.size * depth.size < tuning.row().contraction_elements
        or depth.size < tuning.row().block_depth_least
    ):
        return None
    columns = results.axes[-1]
    if columns.size < tuning.row().block_columns_least:
        return None
    if not any(columns.stride(place.strides) == place.unit for _, place in group.stores):
        return None
    elements = group.needed(group.terms[k].args[0] for k in reductions)
    if any(group.terms[k].node.op.loop is not None for k in elements):
        return None
    for rows in sorted(results.axes[:-1], key=lambda axis: -axis.size):
        if rows.size < tuning.row().block_rows_least:
            break
        outer = Frame(tuple(axis for axis in results.axes if axis not in (rows, columns)))
        loops = Loops(outer, rows, columns, depth)
        ways = _ways(group, elements, loops)
        if _suits(group, elements, ways):
            return _cut(group, elements, ways, reductions, loops)
    return None


def state_dtype(term: Term) -> DType:
    """Return the dtype in which a tile accumulates a reduction."""
    if sums_floats(term):
        return register_dtype(term.source_dtype)
    return components_of(term)[0].dtype


def sums_floats(term: Term) -> bool:
    """Whether a tile adds in the elements' dtype, and blocks compensate their rounding errors."""
    return reducer_of(term).compensation is not None and kind_of(term.source_dtype) == "f"


def _ways(group: GroupTerms, elements: list[int], loops: Loops) -> dict[int, int]:
    """Return along which of the loops each value changes, as bits."""
    deep = [axis for merged in loops.depth.axes for axis in merged.axes]
    ways: dict[int, int] = {}
    for k in elements:
        term = group.terms[k]
        bits = 0
        for j in term.args:
            bits |= ways[j]
        moves = term.loaded or term.node.op.kind is Kind.GENERATE
        own = [k] if moves else []
        for at in own if term.base is None else [*own, term.base]:
            bits |= _ROW * group.spans(at, loops.rows.axes)
            bits |= _COLUMN * group.spans(at, loops.columns.axes)
            bits |= _DEEP * group.spans(at, deep)
        ways[k] = bits
    return ways


def _suits(group: GroupTerms, elements: list[int], ways: dict[int, int]) -> bool:
    """Whether each operand depends on rows or columns alone, and arithmetic combines them."""
    leaves = set()
    for k in elements:
        term = group.terms[k]
        computed = term.node.op.kind is Kind.ELEMENTWISE and not term.loaded
        if not computed:
            if ways[k] & _BOTH == _BOTH:
                return False
            leaves.add(ways[k] & _BOTH)
    return _ROW in leaves and _COLUMN in leaves


def _cut(
    group: GroupTerms,
    elements: list[int],
    ways: dict[int, int],
    reductions: tuple[int, ...],
    loops: Loops,
) -> Nest:
    """Choose the sizes of blocks and tiles."""
    contracted = _contracted(group, elements, reductions)
    inside = [k for k in elements if ways[k] & _BOTH == _BOTH]
    consumed = {a for k in inside for a in group.terms[k].args}
    consumed |= {group.terms[k].args[0] for k in reductions}
    products = {group.terms[k].args[0] for k in contracted}
    interior = tuple(k for k in inside if k not in products)
    border = sorted(k for k in consumed if ways[k] & _BOTH != _BOTH)
    rounds = any(sums_floats(group.terms[k]) for k in reductions)
    dtypes = [register_dtype(group.terms[k].dtype) for k in (*interior, *border)]
    dtypes += [state_dtype(group.terms[k]) for k in reductions]
    itemsize = max(dtype.itemsize for dtype in dtypes)
    available = registers()
    height, vectors = 4, 2
    if len(contracted) == len(reductions) and not interior:
        height = 8  # nothing but the sums, the factors of a column and one of a row
    while len(reductions) * height * vectors > available.count // 2 and height > 1:
        height //= 2
    if sum(group.terms[k].node.op.cost for k in interior) > tuning.row().heavy_cost:
        height, vectors = min(height, 2), 1
    width = max(1, available.nbytes // itemsize) * vectors
    most = max(1, tuning.row().contraction_row_bytes // itemsize // width) * width
    rows, most_deep = (
        (tuning.row().product_rows, tuning.row().product_depth)
        if contracted
        else (tuning.row().contraction_rows, tuning.row().contraction_depth)
    )
    deep = most_deep
    if contracted:
        # Steps of about one length, and whole iterations of the loop that takes several at a time.
        steps = -(-loops.depth.size // most_deep)
        deep = (
            -(-loops.depth.size // (steps * tuning.row().contraction_tree))
            * tuning.row().contraction_tree
        )
    block_rows, block_columns = _block(loops, height, width, rows, most)
    return Nest(
        loops,
        reductions,
        interior,
        tuple(k for k in border if not ways[k]),
        tuple(_packed(group, k, ways[k], loops) for k in border if ways[k]),
        contracted,
        most_deep,
        deep,
        tuning.row().contraction_tree if rounds else 1,
        height,
        width,
        rows,
        most,
        block_rows,
        block_columns,
    )


def _contracted(
    group: GroupTerms, elements: list[int], reductions: tuple[int, ...]
) -> dict[int, tuple[int, ...]]:
    """Return the sums of products that nothing else takes, and the factors of each."""
    used = [a for k in (*elements, *reductions) for a in group.terms[k].args]
    factors: dict[int, tuple[int, ...]] = {}
    for k in reductions:
        product = group.terms[k].args[0]
        term = group.terms[product]
        floating = kind_of(term.dtype) == "f" and register_dtype(term.dtype) == term.dtype
        if term.node.op.allows_fma and floating and used.count(product) == 1:
            factors[k] = term.args
    return factors


def _packed(group: GroupTerms, k: int, way: int, loops: Loops) -> Packed:
    """Return the packing of a value: line by line of the memory behind it."""
    side = loops.rows if way & _ROW else loops.columns
    along = loops.depth.axes[-1]
    near = far = 0
    for j in group.needed([k]):
        place = group.accesses.get(j)
        if place is not None:
            step, deep = abs(side.stride(place.strides)), abs(along.stride(place.strides))
            near += 0 < step < deep or not deep
            far += 0 < deep < step or not step
    both = bool(way & _DEEP and way & _BOTH)
    return Packed(k, bool(way & _ROW), bool(way & _COLUMN), bool(way & _DEEP), both and near > far)


def _block(loops: Loops, height: int, width: int, rows: int, columns: int) -> tuple[int, int]:
    """Return the rows and columns of a block of the result: there are enough, of one size."""

    def count(size: int, most: int) -> int:
        return -(-size // most)

    while loops.outer.size * count(loops.rows.size, rows) * count(loops.columns.size, columns) < (
        tuning.row().blocks
    ):
        if rows <= tuning.row().cut_rows and columns <= 2 * width:
            break
        if rows > tuning.row().cut_rows and rows * width >= columns * height:
            rows //= 2
        elif columns > 2 * width:
            columns //= 2
        else:
            rows //= 2
    even = [
        count(n, count(n, most))
        for n, most in ((loops.rows.size, rows), (loops.columns.size, columns))
    ]
    return count(even[0], height) * height, count(even[1], width) * width


def has_kernel(value: Node) -> bool:
    """Return whether a kernel computes a matrix product at all."""
    return kind_of(value.dtype) in "iu" or value.dtype in _PRODUCTS


def product_pays(value: Node, library_bytes: Callable[[], int]) -> bool:
    """Return whether a kernel computes a matrix product faster than the library.

    Parameters
    ----------
    value : Node
        The product.
    library_bytes : callable
        Returns the width of the vectors that the library uses.
    """
    left, right = value.src
    deep = left.shape[-1]
    if right.ndim == 1:
        # A call of the library costs more than rows of most matrices do, and its threads and
        # ours wait for each other.
        return value.dtype in _PRODUCTS and left.ndim == 2 and deep > 1 and value.size > 1
    rows, columns = value.shape[-2:]
    if kind_of(value.dtype) in "iu":
        # Libraries for floats have none, and NumPy's loop takes one element after the other.
        enough = (
            rows >= tuning.row().block_rows_least
            and columns >= tuning.row().block_columns_least
            and deep >= tuning.row().block_depth_least
        )
        return enough and rows * columns * deep >= tuning.row().integer_product_work
    if value.dtype not in _PRODUCTS or registers().nbytes <= library_bytes():
        return False
    row = tuning.row()
    itemsize = value.dtype.itemsize
    return (
        rows >= row.product_least_rows
        and columns >= row.block_columns_least
        and columns * itemsize >= row.product_column_bytes
        and deep * itemsize >= row.product_depth_bytes
        and value.size * deep >= row.product_work
    )
