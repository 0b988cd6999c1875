"""Eigenvalues of matrices as a library call: one function with the outputs of NumPy's two."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["eigen"]

Array = np.ndarray[Any, Any]


def eigen(array: Array, vectors: bool) -> tuple[Array, ...]:
    """Return the eigenvalues of complex matrices, and their eigenvectors if asked for.

    Parameters
    ----------
    array : numpy.ndarray
        Complex, of shape (..., n, n).
    vectors : bool
        Whether eigenvectors are computed.

    Returns
    -------
    tuple of numpy.ndarray
        Eigenvalues of shape (..., n); eigenvectors as columns, of shape (..., n, n).
    """
    return tuple(np.linalg.eig(array)) if vectors else (np.linalg.eigvals(array),)
