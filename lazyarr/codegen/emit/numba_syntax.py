"""The Numba syntax of primitives: an operator where Numba gives it the same meaning.

Numba's ``+`` on signed integers forbids wrap-around and on small ones widens, and its unary minus
is a subtraction, so those print as calls of intrinsics. An intrinsic's name is that of the
primitive and its dtype suffix: ``minimum_f32(v0, v1)``, ``convert_f64_i32(v2)``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.emit.infix import ARITHMETIC, COMPARISONS
from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.intrinsics import REASSOCIABLE, SUFFIXES, intrinsic_name, suffix

__all__ = ["SUFFIXES", "literal", "load", "store", "suffix", "text"]

DType = np.dtype[Any]


def literal(value: bool | float, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the text of a constant of exactly this dtype, and the names that it uses.

    Parameters
    ----------
    value : bool or float
        The scalar; an int is a float to type checkers.
    dtype : numpy.dtype
        A bool, an integer or a float one.

    Examples
    --------
    >>> import numpy as np
    >>> literal(1.5, np.dtype("float64")), literal(3, np.dtype("uint8"))
    (('1.5', ()), ('constant_u8(3)', ('constant_u8',)))
    """
    if kind_of(dtype) == "b":
        return repr(bool(value)), ()
    if kind_of(dtype) in "iu":
        if dtype == np.int64:
            return repr(int(value)), ()
        return f"constant_{suffix(dtype)}({int(value)})", (f"constant_{suffix(dtype)}",)
    value = float(value)
    names: tuple[str, ...] = ()
    spelled = repr(value)
    if not math.isfinite(value):
        # repr gives inf, -inf or nan; the two names are constants of the namespace.
        names = (spelled.lstrip("-"),)
    if dtype == np.float64:
        return spelled, names
    return f"constant_{suffix(dtype)}({spelled})", (*names, f"constant_{suffix(dtype)}")


def load(pointer: str, index: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return ``pointer[index]`` of memory of this dtype; float16 memory gives a float32.

    Parameters
    ----------
    pointer, index : str
        Texts of the array's name and of the place in it, in elements.
    dtype : numpy.dtype
        Of the memory.
    """
    name = f"load_{suffix(dtype)}"
    return f"{name}({pointer}, {index})", (name,)


def store(pointer: str, index: str, value: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the statement ``pointer[index] = value``; float16 memory takes a float32.

    Parameters
    ----------
    pointer, index : str
        Texts of the array's name and of the place in it, in elements.
    value : str
        Text of the value.
    dtype : numpy.dtype
        Of the memory.
    """
    name = f"store_{suffix(dtype)}"
    return f"{name}({pointer}, {index}, {value})", (name,)


def text(
    primitive: str,
    args: Sequence[str],
    dtypes: Sequence[DType],
    result: DType | None = None,
    reassociate: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """Return the expression of a primitive, and the intrinsics that it uses.

    Parameters
    ----------
    primitive : str
        A key of ``PRIMITIVES``.
    args : sequence of str
        Texts of the operands, each a name or what :func:`literal` gives.
    dtypes : sequence of numpy.dtype
        Dtypes of the operands.
    result : numpy.dtype, optional
        Dtype of the result; needed by `convert` and `bitcast` alone.
    reassociate : bool
        Whether a chain of these may be split into lanes.

    Returns
    -------
    expression : str
        Python text.
    names : tuple of str
        What the namespace of the source has to hold.

    Examples
    --------
    >>> import numpy as np
    >>> f8, i4 = np.dtype("f8"), np.dtype("i4")
    >>> text("add", ("v0", "v1"), (f8, f8))
    ('v0 + v1', ())
    >>> text("add", ("v0", "v1"), (i4, i4))
    ('add_i32(v0, v1)', ('add_i32',))
    >>> text("convert", ("v0",), (f8,), i4)
    ('convert_f64_i32(v0)', ('convert_f64_i32',))
    """
    dtype = dtypes[-1]
    if not (reassociate and primitive in REASSOCIABLE):
        operator = _operator(primitive, dtype)
        if operator is not None:
            return f"{args[0]} {operator} {args[1]}", ()
    name = intrinsic_name(primitive, dtype, result, reassociate)
    return f"{name}({', '.join(args)})", (name,)


def _operator(primitive: str, dtype: DType) -> str | None:
    if kind_of(dtype) == "f" and primitive == "divide":
        return "/"
    if kind_of(dtype) == "f" or dtype == np.uint64:
        symbol = ARITHMETIC.get(primitive)
        if symbol is not None:
            return symbol
    if kind_of(dtype) == "f" or dtype.itemsize == 8:
        return COMPARISONS.get(primitive)
    return None
