"""Kinds and limits of dtypes, among them bfloat16 of the package ``ml_dtypes``.

NumPy calls the dtypes of other packages void: ``np.dtype(ml_dtypes.bfloat16).kind`` is "V", and
its ``str`` is that of two bytes of anything. Whoever decides by kind, by size or by limits asks
here. No other dtype of that package is a number to lazyarr.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = [
    "bfloat16",
    "code_of",
    "finfo",
    "is_bfloat16",
    "is_narrow",
    "kind_of",
    "round_to",
]

DType = np.dtype[Any]

_FLOAT16 = np.dtype(np.float16)


def bfloat16() -> DType:
    """Return the dtype bfloat16.

    Raises
    ------
    ImportError
        The package ``ml_dtypes`` is not installed.
    """
    import ml_dtypes

    dtype: DType = np.dtype(ml_dtypes.bfloat16)
    return dtype


def is_bfloat16(dtype: DType) -> bool:
    """Return whether a dtype is bfloat16, in either order of bytes.

    Examples
    --------
    >>> is_bfloat16(np.dtype("f2")), is_bfloat16(np.dtype("V2"))
    (False, False)
    """
    # Without its package there is no such dtype: nothing is imported to see it.
    return dtype.kind == "V" and dtype.type is getattr(
        sys.modules.get("ml_dtypes"), "bfloat16", None
    )


def kind_of(dtype: DType) -> str:
    """Return NumPy's character of a kind of dtype, "f" for bfloat16.

    Examples
    --------
    >>> kind_of(np.dtype("float16")), kind_of(np.dtype("uint8")), kind_of(np.dtype("V2"))
    ('f', 'u', 'V')
    """
    kind = dtype.kind
    return "f" if kind == "V" and is_bfloat16(dtype) else kind


def code_of(dtype: DType) -> str:
    """Return kind and size of a dtype, which tell it from all others: ``bf2`` is bfloat16.

    Examples
    --------
    >>> code_of(np.dtype("float16")), code_of(np.dtype("int64"))
    ('f2', 'i8')
    """
    kind = dtype.kind
    return "bf2" if kind == "V" and is_bfloat16(dtype) else f"{kind}{dtype.itemsize}"


def is_narrow(dtype: DType) -> bool:
    """Return whether a dtype is float16 or bfloat16: memory has it, arithmetic is in float32.

    Examples
    --------
    >>> is_narrow(np.dtype("float16")), is_narrow(np.dtype("float32"))
    (True, False)
    """
    return dtype == _FLOAT16 or is_bfloat16(dtype)


def finfo(dtype: DType) -> Any:
    """Return the limits of a floating-point dtype, as :func:`numpy.finfo` has them.

    Examples
    --------
    >>> finfo(np.dtype("float32")).nmant
    23
    """
    if is_bfloat16(dtype):
        import ml_dtypes

        return ml_dtypes.finfo(dtype)
    return np.finfo(dtype)


def round_to(dtype: DType, value: float) -> float:
    """Return a number rounded to a floating-point dtype.

    Parameters
    ----------
    dtype : numpy.dtype
        The dtype.
    value : float
        The number.

    Examples
    --------
    >>> round_to(np.dtype("float16"), 0.1)
    0.0999755859375
    """
    return float(dtype.type(value))
