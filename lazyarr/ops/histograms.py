"""Histograms of bins of equal widths, as a function that devices have their own code for."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["counted"]

Array = np.ndarray[Any, Any]


def counted(
    values: Array, edges: Array, low: float, high: float, weights: Array | None = None
) -> Array:
    """Return the number of values in each of the bins of equal widths between two ends.

    Parameters
    ----------
    values : numpy.ndarray
        Real numbers.
    edges : numpy.ndarray
        Of the bins, as ``numpy.histogram_bin_edges`` gives them.
    low, high : float
        The ends.
    weights : numpy.ndarray, optional
        What each value adds to its bin instead of 1; of the shape of the values.
    """
    return np.histogram(values, len(edges) - 1, (low, high), weights=weights)[0]
