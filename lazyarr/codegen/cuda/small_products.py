"""Matrix products that kernels of a GPU compute: stacks of matrices smaller than library tiles.

A library computes a stack of products in tiles of some dozens of rows and columns, most of which is
idle where matrices are smaller. Written out term by term a product is an elementwise kernel, which
what precedes and what follows it shares.
"""

from __future__ import annotations

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.core.thin_products import is_thin
from lazyarr.graph.node import Node
from lazyarr.passes.memory_order import axes_in_memory

__all__ = ["product_pays", "vector_product_pays"]

#: The dtypes of matrix products that kernels compute.
_PRODUCTS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


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
    if not value.size or _is_thin(value):
        return False
    itemsize = value.dtype.itemsize
    each_product, of_columns = row.product_own_ns
    own = value.size * depth * (each_product + of_columns / columns)
    tiles = -(-rows // row.product_tile) * -(-columns // row.product_tile)
    each = itemsize * row.product_tile_ns + depth * row.product_term_ns
    library = value.size // (rows * columns) * tiles * each
    return own < library + (2 * value.nbytes / row.memory_rate if followed else 0.0)


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
