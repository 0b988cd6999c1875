"""Sorts of rows that are written where they are asked for, as NumPy's functions are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.ops.library import LIBRARY, Call, Scalar, library_op

__all__ = ["SORTED_ROWS"]

Array = np.ndarray[Any, Any]


def sorted_rows(
    array: Array, positions: bool, kind: Any, stable: bool | None, out: Array | None = None
) -> Array:
    """Return an array that is sorted along its last axis, or the positions that sort it.

    Parameters
    ----------
    array : numpy.ndarray
        Any array of numbers.
    positions : bool
        Whether the positions are returned.
    kind, stable
        As NumPy takes them.
    out : numpy.ndarray, optional
        Where they lie.
    """
    function: Any = np.argsort if positions else np.sort
    result: Array = function(array, kind=kind, stable=stable)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def _known_as(call: Call) -> str:
    """Return the name of NumPy's function."""
    return "argsort" if call.args[1] == Scalar.of(True) else "sort"


SORTED_ROWS = LIBRARY["sorted_rows"] = library_op(
    "sorted_rows", sorted_rows, supports_out=True, known_as=_known_as
)
"""The library op, of one source."""
