"""Kinds and limits of dtypes, among them bfloat16 of the package ``ml_dtypes``.

NumPy calls the dtypes of other packages void: ``np.dtype(ml_dtypes.bfloat16).kind`` is "V", and
its ``str`` is that of two bytes of anything. Whoever decides by kind, by size or by limits asks
here. No other dtype of that package is a number to lazyarr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "SUPPORTED",
    "bfloat16",
    "code_of",
    "finfo",
    "is_bfloat16",
    "is_narrow",
    "is_supported",
    "kind_of",
    "memory_dtype",
    "name_of",
    "result_type",
    "round_to",
]

DType = np.dtype[Any]
T = TypeVar("T")

_FLOAT16 = np.dtype(np.float16)
#: NumPy's dtypes with which lazyarr computes.
SUPPORTED = frozenset(np.dtype(code) for code in "?bBhHiIlLqQefdFD")


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


def _is_bfloat16(dtype: DType) -> bool:
    # Without its package there is no such dtype: nothing is imported to see it.
    return dtype.kind == "V" and dtype.type is getattr(
        sys.modules.get("ml_dtypes"), "bfloat16", None
    )


class _Answers(dict[DType, T]):
    """The answers to a question about dtypes; those about supported ones are kept.

    Parameters
    ----------
    answer : callable
        Gives the answer for a dtype.
    """

    def __init__(self, answer: Callable[[DType], T]) -> None:
        super().__init__({dtype: answer(dtype) for dtype in SUPPORTED})
        self._answer = answer

    def __missing__(self, dtype: DType) -> T:
        result = self._answer(dtype)
        if _is_bfloat16(dtype):
            self[dtype] = result
        return result


# Methods of dictionaries: these are asked of every value of an expression and of a kernel.

is_bfloat16: Callable[[DType], bool] = _Answers(_is_bfloat16).__getitem__
"""Return whether a dtype is bfloat16, in either order of bytes."""

is_narrow: Callable[[DType], bool] = _Answers(
    lambda dtype: dtype == _FLOAT16 or _is_bfloat16(dtype)
).__getitem__
"""Return whether a dtype is float16 or bfloat16: memory has it, arithmetic is in float32."""

kind_of: Callable[[DType], str] = _Answers(
    lambda dtype: "f" if _is_bfloat16(dtype) else dtype.kind
).__getitem__
"""Return NumPy's character of a kind of dtype, "f" for bfloat16."""

code_of: Callable[[DType], str] = _Answers(
    lambda dtype: "bf2" if _is_bfloat16(dtype) else f"{dtype.kind}{dtype.itemsize}"
).__getitem__
"""Return kind and size of a dtype, which tell it from all others: ``f4``; bfloat16 is ``bf2``."""


name_of: Callable[[DType], str] = _Answers(lambda dtype: dtype.name).__getitem__
"""Return the name of a dtype, which NumPy makes anew whenever it is asked for."""


memory_dtype: Callable[[DType], DType] = _Answers(
    lambda dtype: np.dtype(np.uint16) if _is_bfloat16(dtype) else dtype
).__getitem__
"""Return the dtype as which kernels read and write memory: uint16 for bfloat16."""


is_supported: Callable[[DType], bool] = _Answers(
    lambda dtype: dtype in SUPPORTED or _is_bfloat16(dtype)
).__getitem__
"""Return whether lazyarr computes with a dtype."""


def finfo(dtype: DType) -> Any:
    """Return the limits of a floating-point dtype, as :func:`numpy.finfo` has them.

    Examples
    --------
    >>> finfo(np.dtype("float32")).nmant
    23
    """
    if is_bfloat16(dtype):
        import ml_dtypes

        untyped: Any = ml_dtypes.finfo
        return untyped(dtype)
    return np.finfo(dtype)


def result_type(*operands: Any) -> DType:
    """Return the dtype that NumPy promotes dtypes and Python numbers to.

    Beside bfloat16 a Python number is as weak as beside other floats, in this as in JAX and
    PyTorch; ``ml_dtypes`` takes a float for a float32 or float64.

    Parameters
    ----------
    *operands : numpy.dtype, bool, int, float or complex
        What an operation takes.

    Raises
    ------
    TypeError
        NumPy has no common dtype: bfloat16 has none with float16, nor with integers of more than
        eight bits.

    Examples
    --------
    >>> result_type(np.dtype("float16"), 1.0)
    dtype('float16')
    """
    narrow = [x for x in operands if isinstance(x, np.dtype) and is_bfloat16(x)]
    if narrow:
        operands = tuple(narrow[0] if isinstance(x, (int, float)) else x for x in operands)
    common: DType = np.result_type(*operands)
    return common


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
