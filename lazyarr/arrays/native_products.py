"""Products of arrays in memory, computed immediately if the result is small."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.immediate import CREATED, HOSTED, limit
from lazyarr.arrays.native import CODES, compute
from lazyarr.arrays.needed_values import value_in_memory
from lazyarr.arrays.residence import adopt
from lazyarr.core.config import get_config
from lazyarr.core.donation import DONATED
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import CONSTANT
from lazyarr.runtime.cpu.blas_threads import limited
from lazyarr.tracing import scope

__all__ = ["matrix_product", "product", "product_size"]

Array = np.ndarray[Any, Any]

#: Elements of an expression at most that is computed for a product.
_MOST_COMPUTED = tuning.row().factor_elements
_MOST_SCALED = tuning.row().scaled_elements
#: Kinds of nodes that are not computed for a product.
_WITHOUT_VALUE = frozenset((Kind.LEAF, Kind.CONSTANT, Kind.VIEW, Kind.MARKER, Kind.WRITE))


def matrix_product(left: Any, right: Any, kind: type[Any]) -> Any:
    """Return ``left @ right`` of arrays in memory; None if an expression is to be built.

    Parameters
    ----------
    left, right : LazyArray or array_like
        The operands.
    kind : type
        The class of lazy arrays.
    """
    most = limit()
    if not most:
        return None
    a, b = _factor(left, kind), _factor(right, kind)
    if a is NotImplemented or b is NotImplemented:
        if not _is_small(left, right, most * CREATED):
            return None
        a = _computed(left, kind) if a is NotImplemented else a
        b = _computed(right, kind) if b is NotImplemented else b
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return None
    size = product_size(a, b)
    is_large = a.size > most or b.size > most or size > most
    if not 0 <= size <= most * CREATED:
        return None
    if is_large:
        if a.ndim > 2 or b.ndim > 2:
            return None
        # BLAS would compute an expression of it as well, and what is made of it would wait.
        if DONATED:
            return None
        threads = get_config().threads
        with limited(threads) if threads else nullcontext():
            return compute(np.matmul, (a, b), {}, kind, (), None)
    return compute(np.matmul, (a, b), {}, kind, (left, right), np.matmul)


def product_size(a: Array, b: Array) -> int:
    """Return the number of elements of a product of arrays; -1 if they have none.

    Parameters
    ----------
    a, b : numpy.ndarray
        The factors, of any number of axes.
    """
    if not a.ndim or not b.ndim:
        return -1
    rows = a.shape[-2] if a.ndim > 1 else 1
    columns = b.shape[-1] if b.ndim > 1 else 1
    if a.ndim < 3 and b.ndim < 3:
        return rows * columns
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        return -1
    return rows * columns * math.prod(stack)


def _factor(value: Any, kind: type[Any]) -> Any:
    """Return an operand of a product as memory of any size; NotImplemented if it has none."""
    if not isinstance(value, kind):
        is_known = type(value) is np.ndarray and value.dtype.char in CODES and value.dtype.isnative
        return value if is_known else NotImplemented
    array: Any = value
    memory = memory_of(array)
    if memory is not None or array._alias is not None:
        return NotImplemented if memory is None else memory
    # Elements that a mask selects are in memory as soon as it is known how many they are.
    attr = (array._current if type(value) is kind else array._node).attr
    is_known = type(attr) in HOSTED and attr.array.dtype.char in CODES
    return attr.array if is_known else NotImplemented


def _computed(value: Any, kind: type[Any]) -> Any:
    """Return an operand of a product as memory, computed if it is an expression of middle size.

    BLAS is given its values anyway, and what is computed now is computed once, however many
    products it is an operand of.

    Parameters
    ----------
    value : LazyArray or array_like
        The operand, which has no memory.
    kind : type
        The class of lazy arrays.

    Returns
    -------
    numpy.ndarray or NotImplemented
        NotImplemented if it has none.
    """
    if type(value) is not kind:
        return NotImplemented
    array: Any = value
    if adopt(array):
        return memory_of(array)
    owner = array if array._alias is None else array._alias[0]
    root: Node | None = owner._known
    if root is None or root.op.kind in _WITHOUT_VALUE or root.ndim > 2 or is_bfloat16(root.dtype):
        return NotImplemented
    is_scaled = any(source.op is CONSTANT for source in root.src)  # plans scale the product
    if root.size > (_MOST_SCALED if is_scaled else _MOST_COMPUTED):
        return NotImplemented
    if scope() is not None or stays_expression((root,)):
        return NotImplemented
    computed = value_in_memory(owner)
    memory = memory_of(array) if computed is not None and adopt(array) else None
    return memory if type(memory) is np.ndarray else NotImplemented


def _is_small(left: Any, right: Any, most: int) -> bool:
    """Return whether the product of two matrices or vectors has few elements."""
    shape, other = getattr(left, "shape", ()), getattr(right, "shape", ())
    if not shape or not other or len(shape) > 2 or len(other) > 2:
        return False
    return bool(math.prod(shape[:-1]) * math.prod(other[1:]) <= most)


def product(most: int, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Return whether the product of two arrays of one or two axes has few enough elements.

    Parameters
    ----------
    most : int
        Elements of a small array.
    args, keywords : tuple and dict
        The arguments of the product.
    """
    if len(args) != 2:
        return False
    a, b = args
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return False
    return a.ndim <= 2 and b.ndim <= 2 and 0 <= product_size(a, b) <= most
