"""Matrix products that kernels of a GPU compute: stacks of matrices smaller than library tiles.

A library computes a stack of products in tiles of some dozens of rows and columns, most of which is
idle where matrices are smaller. Written out term by term a product is an elementwise kernel, which
what precedes and what follows it shares.
"""

from __future__ import annotations

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.graph.node import Node

__all__ = ["product_pays"]

#: The dtypes of matrix products that kernels compute.
_PRODUCTS = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def product_pays(value: Node) -> bool:
    """Return whether an elementwise kernel computes a product faster than the library."""
    left, right = value.src
    rows, depth, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    row = tuning.row()
    return (
        value.dtype in _PRODUCTS
        and value.ndim > 2
        and 0 < depth <= row.product_depth
        and rows * columns <= row.product_elements
    )
