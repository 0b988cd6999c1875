"""A matrix product written out: products of elements, and their sums along an axis.

No function is built of these rows. A plan may put them in the place of a library's product, so that
it becomes a reduction like any other and shares a kernel with what precedes and follows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.graph.node import Kind, Node, Op
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.reduce import SUM, axes_of

__all__ = ["ADDED_TERM", "PRODUCT", "SUM_OF_PRODUCTS", "TERM"]

Array = np.ndarray[Any, Any]


def _multiply(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.multiply(*arrays))


def _add(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.add(*arrays))


def _sum(node: Node, *arrays: Array) -> Array:
    add: Any = np.add  # its stubs differ between releases
    return np.asarray(add.reduce(arrays[0], axis=axes_of(node), dtype=node.dtype))


#: Libraries round a product together with the addition that takes it in, and so may kernels.
PRODUCT = Op(
    "product",
    Kind.ELEMENTWISE,
    _multiply,
    expand=ELEMENTWISE["multiply"].expand,
    commutative=True,
    allows_fma=True,
)

#: A product of elements that is one of a few terms, and the sum with the next of them. What NumPy
#: warns of goes by the name of its function.
TERM = Op(
    "matmul",
    Kind.ELEMENTWISE,
    _multiply,
    expand=ELEMENTWISE["multiply"].expand,
    faults=ELEMENTWISE["multiply"].faults,
    commutative=True,
)
ADDED_TERM = Op(
    "matmul",
    Kind.ELEMENTWISE,
    _add,
    expand=ELEMENTWISE["add"].expand,
    faults=ELEMENTWISE["add"].faults,
    commutative=True,
)

#: What NumPy warns of goes by the name of its function.
SUM_OF_PRODUCTS = Op(
    "matmul", Kind.REDUCE, _sum, np.matmul, commutative=True, identity=0, reducer=SUM
)
