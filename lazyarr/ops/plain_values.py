"""Functions that return a value as it is: some as other bytes, others if nothing is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["unless", "viewed"]

Array = np.ndarray[Any, Any]


def unless(value: Array, is_wrong: Array, text: str) -> Array:
    """Return a value, provided that nothing is wrong with what it was computed from.

    Parameters
    ----------
    value : numpy.ndarray
        The value.
    is_wrong : numpy.ndarray
        Of shape ().
    text : str
        Of the error.

    Raises
    ------
    ValueError
        If something is wrong.
    """
    if is_wrong:
        raise ValueError(text)
    return value


def viewed(array: Array, target: np.dtype[Any]) -> Array:
    """Return the bytes of an array as elements of another dtype, along the last axis.

    Parameters
    ----------
    array : numpy.ndarray
        Of any strides.
    target : numpy.dtype
        Of the result, whose last axis has as many bytes.
    """
    return np.ascontiguousarray(array).reshape(array.shape).view(target)
