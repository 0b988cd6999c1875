"""Numbers in the places of those that are not finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.coercion import copy_mode
from lazyarr.arrays.lazy_array import LazyArray, apply, as_lazy, as_operand, asarray
from lazyarr.builders import build
from lazyarr.core.dtypes import finfo, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.numpy_api.selection import where
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["nan_to_num"]


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> LazyArray:
    """Return `x` with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : array_like
        Input.
    copy : bool
        False: the values are written to `x`, if that is an array.
    nan, posinf, neginf : number
        What to put; for infinities the default is the greatest finite number of the dtype.

    Returns
    -------
    LazyArray
        Of the shape and dtype of `x`.
    """
    copy_mode(copy)  # refuses texts
    array = as_lazy(x)
    is_copied = isinstance(x, (list, tuple, int, float, complex, np.generic))
    if copy is not None and not copy and is_copied:
        raise ArgumentError(
            "Unable to avoid copy while creating an array as requested.", origin=origin()
        )
    if kind_of(array.dtype) not in "fc":
        return array.copy("K") if copy else asarray(x)
    if not copy and isinstance(x, np.ndarray):
        options = {"copy": False, "nan": nan, "posinf": posinf, "neginf": neginf}
        compute_now(np.nan_to_num, (x,), options)
        return asarray(x)
    replaced = _finite(array, nan, posinf, neginf)
    if copy or not isinstance(x, LazyArray):
        return replaced
    x._become(replaced._node)
    return x


def _finite(array: LazyArray, nan: Any, posinf: Any, neginf: Any) -> LazyArray:
    """Return the elements of an array with numbers in the places of those that are not finite."""
    if kind_of(array.dtype) == "c":
        parts = [_finite(part, nan, posinf, neginf) for part in (array.real, array.imag)]
        return apply(ELEMENTWISE["complex"], tuple(parts))
    for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf)):
        if value is not None:
            filler = as_operand(value)
            strong = filler.dtype if isinstance(filler, Node) else np.dtype(type(filler))
            if not np.can_cast(strong, array.dtype, "same_kind"):
                raise DTypeError(
                    f"cannot put {name}={value!r} into an array of {array.dtype}", origin=origin()
                )
            if isinstance(filler, Node):
                build.broadcast_to(filler, array.shape)  # raises if it does not fit
    limits = finfo(array.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    replaced = where(apply(ELEMENTWISE["isnan"], (array,)), nan, array)
    replaced = where(array == float("inf"), high, replaced)
    replaced = where(array == float("-inf"), low, replaced)
    return as_lazy(replaced).astype(array.dtype)
