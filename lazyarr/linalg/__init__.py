"""Linear algebra: numpy.linalg's functions as lazy calls, norms as fused expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from lazyarr.linalg.products import diagonal, multi_dot, trace
from lazyarr.numpy_api.contraction import cross, matmul, outer, tensordot, vecdot
from lazyarr.numpy_api.dispatch import computing_function
from lazyarr.numpy_api.movement import matrix_transpose
from lazyarr.tracing import record_functions

__all__ = [
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


def __getattr__(name: str) -> Any:
    """Return NumPy's exception, or a function without a lazy form, which computes at once."""
    if name == "LinAlgError":
        return np.linalg.LinAlgError
    found = computing_function(getattr(np.linalg, name, None))
    if found is None:
        raise AttributeError(f"module 'lazyarr.linalg' has no attribute {name!r}")
    return found


# The others were recorded where they are defined.
record_functions(
    globals(),
    ("cross", "matmul", "matrix_transpose", "outer", "tensordot", "vecdot"),
    __name__,
)
