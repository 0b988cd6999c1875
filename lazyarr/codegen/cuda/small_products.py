"""Matrix products that kernels of a GPU compute: stacks of matrices smaller than library tiles.

A library computes a stack of products in tiles of some dozens of rows and columns, most of which is
idle where matrices are smaller. Written out term by term a product is an elementwise kernel, which
what precedes and what follows it shares.
"""

from __future__ import annotations

from math import prod

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.core.thin_products import is_thin
from lazyarr.graph.node import Kind, Node
from lazyarr.passes.memory_order import axes_in_memory

__all__ = ["DECISIONS", "block_pays", "product_pays", "vector_product_pays"]

#: The dtypes of matrix products that kernels compute.
_PRODUCTS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})

_NARROW = np.dtype(np.float32).itemsize


def product_pays(value: Node, followed: bool) -> bool:
    """Return whether an elementwise kernel is predicted to compute a product before the library.

    A warp's loads of the left matrices touch a cache line for each row: the fewer columns there
    are, the more of them. The library takes as long for a tile that is nearly empty as for a full
    one, and what follows it reads what it has written.

    Parameters
    ----------
    value : Node
        The product.
    followed : bool
        Whether elementwise operations take it.
    """
    depth = value.src[0].shape[-1]
    row = tuning.row()
    if value.dtype not in _PRODUCTS or value.ndim < 3 or not 0 < depth <= row.product_depth:
        return False
    rows, columns = value.shape[-2:]
    if not value.size or _is_thin(value) or block_pays(value, followed):
        return False
    each_product, of_columns = row.product_own_ns
    own = value.size * depth * (each_product + of_columns / columns)
    library = value.size // (rows * columns) * _library_ns(value)
    return own < library + (2 * value.nbytes / row.memory_rate if followed else 0.0)


def block_pays(value: Node, followed: bool) -> bool:
    """Return whether a kernel whose blocks have some products each is predicted to be fastest.

    It reads both operands once and writes results once, with what precedes and follows the product.
    A library writes and reads both; alone it is faster where sums are long.

    Parameters
    ----------
    value : Node
        The product.
    followed : bool
        Whether elementwise operations take it.
    """
    row = tuning.row()
    if value.dtype not in _PRODUCTS or value.ndim < 2 or not value.size:
        return False
    rows, columns = value.shape[-2:]
    terms, itemsize = value.src[0].shape[-1], value.dtype.itemsize
    if min(rows, columns, terms) < 2 or terms * columns < row.block_row_terms:
        return False
    if rows * columns < row.block_results and terms < row.block_terms:
        return False
    count = value.size // (rows * columns)
    if value.ndim == 2 and rows < row.block_tall:
        return False
    if not _fits((count, rows, terms, columns), itemsize):
        return False
    if is_thin(value.shape, terms, value.dtype):
        return True  # the other kernel for few columns takes 1.2 to 1.5 of the time
    nbytes = value.nbytes + sum(prod(_own(x).shape) * itemsize for x in value.src)
    apart = 2 * sum(x.nbytes for x in value.src if _own(x).op.kind is Kind.ELEMENTWISE)
    apart += 2 * value.nbytes if followed else 0
    own = row.block_rate * nbytes / row.memory_rate
    own += value.size * terms * itemsize * row.block_product_ns
    narrow, wide = row.block_library_rates
    rate = narrow if itemsize == _NARROW else wide
    library = max(rate * nbytes / row.memory_rate, count * _library_ns(value))
    return own < library + apart / row.memory_rate


def _fits(sizes: tuple[int, int, int, int], itemsize: int) -> bool:
    """Return whether every GPU's blocks have room for products, however results are stored."""
    # Imported here: few expressions have products.
    from lazyarr.codegen.cuda.product_blocks import choose_product_block

    row = tuning.row()
    widths = (1, row.vector_bytes // itemsize)
    room = (None, row.row_shared_bytes)
    tilings = (
        choose_product_block(sizes, itemsize, width, each, most)
        for width in widths
        for each in (1, row.block_rows * row.block_columns_wide)
        for most in room
    )
    return all(tiling is not None for tiling in tilings)


def _own(source: Node) -> Node:
    """Return the array behind the views of a factor."""
    while source.op.kind is Kind.VIEW:
        source = source.src[0]
    return source


def _library_ns(value: Node) -> float:
    """Return the nanoseconds that a library takes for one of many products."""
    row = tuning.row()
    rows, columns = value.shape[-2:]
    tiles = -(-rows // row.product_tile) * -(-columns // row.product_tile)
    each = value.dtype.itemsize * row.product_tile_ns
    return tiles * (each + value.src[0].shape[-1] * row.product_term_ns)


def _is_thin(value: Node) -> bool:
    """Return whether the kernel for few columns computes a product that is left to the library.

    It reads the rows of left matrices that lie one behind the other.
    """
    left = value.src[0]
    order = axes_in_memory(left)
    are_rows = order is not None and list(order) == sorted(order)
    return are_rows and is_thin(value.shape, left.shape[-1], value.dtype)


def vector_product_pays(value: Node) -> bool:
    """Return whether a kernel should compute a product of a matrix and a vector.

    It reads the matrix at the rate of a copy in both dtypes; a library's product of float32 takes
    1.25 to 1.6 of that time, and what precedes and follows it has kernels of its own.

    Parameters
    ----------
    value : Node
        The product.
    """
    return value.dtype in _PRODUCTS


#: Whether blocks of products, elementwise kernels, and sums of products with vectors pay.
DECISIONS = block_pays, product_pays, vector_product_pays
