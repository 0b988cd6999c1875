"""Linear algebra: numpy.linalg's functions as lazy calls, norms as fused expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray as _LazyArray
from lazyarr.arrays.native_functions import with_native as _with_native
from lazyarr.linalg.decompositions import (
    cholesky,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrix_power,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from lazyarr.linalg.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from lazyarr.linalg.products import cross, diagonal, multi_dot, outer, trace
from lazyarr.numpy_api.contraction import tensordot
from lazyarr.numpy_api.dispatch import computing_function
from lazyarr.numpy_api.matrix_products import matmul, vecdot
from lazyarr.numpy_api.movement import matrix_transpose
from lazyarr.numpy_api.names import reason_for
from lazyarr.tracing import record_functions

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


LinAlgError = np.linalg.LinAlgError

_COMPUTED = ("tensorinv", "tensorsolve")

if not TYPE_CHECKING:

    def __getattr__(name):
        """Return a function without a lazy form, which computes at once."""
        function = computing_function(getattr(np.linalg, name)) if name in _COMPUTED else None
        if function is None:
            reason = reason_for("numpy.linalg", name)
            why = "" if reason is None else f": {reason}"
            raise AttributeError(f"module 'lazyarr.linalg' has no attribute {name!r}{why}")
        return function


def __dir__() -> list[str]:
    return sorted((*__all__, *_COMPUTED))


# The others were recorded where they are defined.
record_functions(
    globals(),
    ("matmul", "matrix_transpose", "tensordot", "vecdot"),
    __name__,
    np.linalg,
)
_with_native(
    [_name for _name in __all__ if _name != "LinAlgError"], globals(), _LazyArray, np.linalg
)
