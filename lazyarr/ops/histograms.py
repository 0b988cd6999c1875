"""Histograms, as functions that devices have their own code for or compose."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["counted", "counted_between"]

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


def counted_between(values: Array, edges: Array, weights: Array | None = None) -> Array:
    """Return the number of values in each of the bins between ascending edges.

    Parameters
    ----------
    values : numpy.ndarray
        Real numbers.
    edges : numpy.ndarray
        Of the bins.
    weights : numpy.ndarray, optional
        What each value adds to its bin instead of 1; of the shape of the values.
    """
    return np.histogram(values, edges, weights=weights)[0]
