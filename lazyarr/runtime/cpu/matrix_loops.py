"""NumPy's loops for matrices, which the functions of ``numpy.linalg`` and products call.

Around such a loop these functions have ten lines of Python, which take longer than the loop does on
small matrices. A loop that is called directly has the same bits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.linalg import _umath_linalg

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu.numpy_loops import COMPILED, FAULTS

__all__ = ["MatrixLoop", "matrix_loop", "product_loop", "reflection_loops"]

#: Faults that functions of ``numpy.linalg`` ignore which raise LinAlgError for an invalid result.
_IGNORED = FAULTS["divide"] | FAULTS["over"] | FAULTS["under"]
_DOUBLES = dict(zip("fdFD", "ddDD", strict=True))


@dataclass(frozen=True, slots=True)
class MatrixLoop:
    """A loop of a generalized ufunc.

    Attributes
    ----------
    routine : (int, int)
        Its address and that of its data.
    ignored : int
        Bits of the faults that the function ignores.
    cores : tuple of tuple of str
        For each operand the names of its last axes; one with ``?`` may be missing.
    dtypes : tuple of numpy.dtype
        Of the operands.
    inputs : int
        How many of the operands are read; the others are results.
    """

    routine: tuple[int, int]
    ignored: int
    cores: tuple[tuple[str, ...], ...]
    dtypes: tuple[np.dtype[Any], ...]
    inputs: int


def matrix_loop(
    name: str, keywords: Mapping[str, Any], dtype: np.dtype[Any], ndims: tuple[int, ...]
) -> MatrixLoop | None:
    """Return the loop that a function of ``numpy.linalg`` calls, in double precision.

    Parameters
    ----------
    name : str
        Of the function.
    keywords : mapping of str to object
        Its other arguments.
    dtype : numpy.dtype
        Of all its operands.
    ndims : tuple of int
        Their axes.

    Returns
    -------
    MatrixLoop, or None
        None for a function that does more than call one loop.
    """
    letters = _DOUBLES.get(dtype.char, "") * len(ndims)
    ufunc = _ufunc_name(name, keywords, ndims)
    if not letters or ufunc is None:
        return None
    ignored = 0 if name in ("det", "slogdet") else _IGNORED
    return _loop(getattr(_umath_linalg, ufunc, None), letters, ignored)


def product_loop(dtype: np.dtype[Any]) -> MatrixLoop | None:
    """Return the loop of ``numpy.matmul`` for operands of one dtype.

    Parameters
    ----------
    dtype : numpy.dtype
        Of floating-point or complex numbers.
    """
    return _loop(np.matmul, dtype.char * 2, 0) if dtype.char in "fdFD" else None


def reflection_loops(
    dtype: np.dtype[Any], *, is_complete: bool
) -> tuple[MatrixLoop, MatrixLoop] | None:
    """Return the loops that ``numpy.linalg.qr`` calls, in double precision; None without them.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the matrices.
    is_complete : bool
        Whether the product of the reflections has as many columns as rows, which are more than
        those of the matrices.

    Returns
    -------
    (MatrixLoop, MatrixLoop), or None
        The first one replaces matrices by their factors, and returns scales of the reflections;
        the second one multiplies these.
    """
    letter = _DOUBLES.get(dtype.char, "")
    product = "qr_complete" if is_complete else "qr_reduced"
    factorise = _loop(getattr(_umath_linalg, "qr_r_raw", None), letter, _IGNORED)
    multiply = _loop(getattr(_umath_linalg, product, None), letter * 2, _IGNORED)
    return None if factorise is None or multiply is None else (factorise, multiply)


def _ufunc_name(name: str, keywords: Mapping[str, Any], ndims: tuple[int, ...]) -> str | None:
    """Return the name of the one generalized ufunc that a function calls, if it calls no more."""
    options = dict(keywords)
    match name:
        case "solve":
            ufunc = "solve1" if ndims[1] == 1 else "solve"
        case "inv" | "det" | "slogdet":
            ufunc = name
        case "cholesky":
            ufunc = "cholesky_up" if options.pop("upper", False) else "cholesky_lo"
        case "eigh" | "eigvalsh":
            ufunc = f"{name}_{'lo' if options.pop('UPLO', 'L') in ('L', 'l') else 'up'}"
        case "svd":
            of_vectors = "svd_f" if options.pop("full_matrices", True) else "svd_s"
            ufunc = of_vectors if options.pop("compute_uv", True) else "svd"
            if options.pop("hermitian", False):
                return None
        case _:
            return None
    return None if options else ufunc


@cache
def _loop(ufunc: Any, letters: str, ignored: int) -> MatrixLoop | None:
    """Return the loop of a generalized ufunc for operands of some types."""
    if COMPILED is None or not isinstance(ufunc, np.ufunc) or ufunc.signature is None:
        return None
    for types in ufunc.types:
        operands = types.replace("->", "")
        if types.split("->")[0] == letters:
            dtypes = tuple(np.dtype(letter) for letter in operands)
            routine = COMPILED.loop_of(ufunc, bytes(dtype.num for dtype in dtypes))
            cores = tuple(
                tuple(axis.strip() for axis in core.split(",") if axis.strip())
                for core in re.findall(r"\(([^)]*)\)", ufunc.signature)
            )
            if routine is None or any("|" in axis for core in cores for axis in core):
                return None
            return MatrixLoop(routine, ignored, cores, dtypes, len(letters))
    return None
