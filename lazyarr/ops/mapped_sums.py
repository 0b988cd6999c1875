"""Sums at places of what operations with numbers make of values, as one library step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.ops.library import library_function

__all__ = ["MAPPED_SUMS", "STEPS", "mapped_sums"]

Array = np.ndarray[Any, Any]


def _subtract_from(values: Array, number: Array) -> Array:
    return np.subtract(number, values)


#: Operations on values, with a number, by name.
STEPS: dict[str, Callable[[Array, Array], Array]] = {
    "multiply": np.multiply,
    "add": np.add,
    "subtract": np.subtract,
    "subtract_from": _subtract_from,
}


def mapped_sums(steps: str, array: Array, places: Array, values: Array, *numbers: Array) -> Array:
    """Return a copy of an array to which values were added at places, after operations on them.

    Parameters
    ----------
    steps : str
        Names of operations, as of `STEPS`, between which there are spaces.
    array : numpy.ndarray
        What is copied.
    places, values : numpy.ndarray
        Where values are added, and these.
    *numbers : numpy.ndarray
        The number of each operation.
    """
    for step, number in zip(steps.split(), numbers, strict=True):
        values = STEPS[step](values, number)
    result = array.copy()
    np.add.at(result, places, values)
    return result


MAPPED_SUMS = library_function("mapped_sums", mapped_sums)
"""Sums that a GPU's kernels compute with the operations before them."""
