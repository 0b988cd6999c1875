"""What others' objects mean next to a lazy array: operands, nothing to us, or something foreign."""

from __future__ import annotations

import sys
from typing import Any, cast

import numpy as np

from lazyarr.builders import nodes as build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.tracing import Symbol

__all__ = ["WEAK", "is_foreign", "is_no_number", "node_of"]

#: Numbers whose dtype gives way to that of an array.
WEAK = frozenset((bool, int, float, complex))


def is_foreign(value: Any) -> bool:
    """Return whether an operator has to leave `value` to its own type."""
    kind = type(value)
    if isinstance(value, np.generic) or kind is Symbol:
        return False
    if isinstance(value, np.ndarray):
        if kind.__array_ufunc__ is not np.ndarray.__array_ufunc__ or isinstance(value, np.matrix):
            return True
        # Importing it takes a tenth of what importing NumPy takes; without that there are none.
        masked = sys.modules.get("numpy.ma")
        return masked is not None and isinstance(value, masked.MaskedArray)
    if hasattr(kind, "__array_ufunc__"):
        return True
    return not isinstance(value, (bool, int, float, complex, list, tuple)) and not (
        hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")
    )


def is_no_number(value: Any) -> bool:
    """Return whether a value equals no element of any array that lazyarr has."""
    if type(value) in WEAK:
        return False
    if value is None or value is Ellipsis or isinstance(value, (str, bytes, dict, set, frozenset)):
        return True
    # NumPy's scalars come as arrays without axes from the left of an operator.
    if isinstance(value, (np.generic, np.ndarray)):
        return value.ndim == 0 and value.dtype.kind in "SUMm"
    return False


def node_of(value: Any) -> Node:
    """Return the node of an array-like that is no lazy array and holds none."""
    if isinstance(value, np.ndarray):
        if is_foreign(value):
            raise DTypeError(
                f"{type(value).__name__} has semantics that lazyarr does not keep",
                origin=origin(),
                hint="pass numpy.asarray(x) of it",
            )
        return build.leaf(value)
    if type(value) is Symbol:
        if value.kind is not int or -(2**63) <= cast("int", value.value) < 2**63:
            return value.node(np.dtype(value.kind))
        value = value.known()  # how large it is decides the dtype
    if isinstance(value, (bool, int, float, complex, np.generic)):
        data = np.asarray(value)
        return build.constant(data, build.as_dtype(data.dtype))
    if isinstance(value, (list, tuple)):
        try:
            data = np.asarray(value)
        except ValueError as error:
            raise ShapeError(str(error), origin=origin()) from None
        return build.leaf(data)
    if getattr(value, "__cuda_array_interface__", None) is not None:
        from lazyarr.interop import exchange as interop

        return interop.from_interface(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return build.leaf(np.asarray(value))
    if hasattr(value, "__dlpack__"):
        from lazyarr.interop import exchange as interop

        return interop.take(value)
    if hasattr(value, "__buffer__") or isinstance(value, (bytearray, memoryview, range)):
        return build.leaf(np.asarray(value))
    raise ArgumentError(
        f"expected an array, got {type(value).__name__}",
        origin=origin(),
        hint="pass a number, a sequence of numbers or anything with __array__ or __dlpack__",
    )
