"""Results of several arrays: NumPy's named tuples, with LazyArrays for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from numpy.linalg import _linalg

if TYPE_CHECKING:
    from lazyarr.arrays.lazy_array import LazyArray

__all__ = ["EigResult", "EighResult", "QRResult", "SVDResult", "SlogdetResult"]

if TYPE_CHECKING:

    class EigResult(NamedTuple):
        """Eigenvalues and eigenvectors of matrices.

        Attributes
        ----------
        eigenvalues : LazyArray
            Of shape (..., n), in no order.
        eigenvectors : LazyArray
            Of shape (..., n, n), as columns.
        """

        eigenvalues: LazyArray
        eigenvectors: LazyArray

    class EighResult(NamedTuple):
        """Eigenvalues and eigenvectors of Hermitian matrices.

        Attributes
        ----------
        eigenvalues : LazyArray
            Real, of shape (..., n), ascending.
        eigenvectors : LazyArray
            Of shape (..., n, n), as columns.
        """

        eigenvalues: LazyArray
        eigenvectors: LazyArray

    class QRResult(NamedTuple):
        """Orthonormal columns and a triangle whose product a matrix is.

        Attributes
        ----------
        Q : LazyArray
            Of shape (..., m, k) or (..., m, m).
        R : LazyArray
            Of shape (..., k, n) or (..., m, n).
        """

        Q: LazyArray
        R: LazyArray

    class SlogdetResult(NamedTuple):
        """Sign and logarithm of determinants.

        Attributes
        ----------
        sign : LazyArray
            Of shape (...), of absolute value 1, or 0 of a singular matrix.
        logabsdet : LazyArray
            Real, of shape (...): the natural logarithm of the absolute value.
        """

        sign: LazyArray
        logabsdet: LazyArray

    class SVDResult(NamedTuple):
        """Singular values and singular vectors of matrices.

        Attributes
        ----------
        U : LazyArray
            Of shape (..., m, m) or (..., m, k), vectors as columns.
        S : LazyArray
            Real, of shape (..., k), descending.
        Vh : LazyArray
            Of shape (..., n, n) or (..., k, n), vectors as rows.
        """

        U: LazyArray
        S: LazyArray
        Vh: LazyArray

else:
    # Those of small arrays, which NumPy computes, are no others.
    EigResult = _linalg.EigResult
    EighResult = _linalg.EighResult
    QRResult = _linalg.QRResult
    SVDResult = _linalg.SVDResult
    SlogdetResult = _linalg.SlogdetResult
