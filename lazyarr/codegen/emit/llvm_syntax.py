"""The LLVM IR syntax of types, literals and primitives.

A primitive prints as an instruction where LLVM has one that means the same, and elsewhere as a
call of a function that the runtime defines and that is always inlined, such as
``call float @minimum_f32(float %v0, float %v1)``. So the text depends on no host, and what
primitives mean is written once, in ``runtime/cpu/llvm_primitives.py``, for this backend and for
Numba.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.intrinsics import REASSOCIABLE, intrinsic_name
from lazyarr.loop_ir.llvm_types import kind, memory_kind

__all__ = ["kind", "literal", "memory_kind", "text", "vector"]

DType = np.dtype[Any]

#: Instructions by primitive and NumPy's kind of the operands.
INSTRUCTIONS: dict[str, dict[str, str]] = {
    "add": {"i": "add", "u": "add", "f": "fadd"},
    "subtract": {"i": "sub", "u": "sub", "f": "fsub"},
    "multiply": {"i": "mul", "u": "mul", "f": "fmul"},
    "divide": {"i": "sdiv", "u": "udiv", "f": "fdiv"},
    "remainder": {"i": "srem", "u": "urem"},
    "negative": {"f": "fneg"},
    "and": {"b": "and", "i": "and", "u": "and"},
    "or": {"b": "or", "i": "or", "u": "or"},
    "xor": {"b": "xor", "i": "xor", "u": "xor"},
    "shift_left": {"i": "shl", "u": "shl"},
    "shift_right": {"i": "ashr", "u": "lshr"},
    "equal": {"b": "icmp eq", "i": "icmp eq", "u": "icmp eq", "f": "fcmp oeq"},
    "not_equal": {"b": "icmp ne", "i": "icmp ne", "u": "icmp ne", "f": "fcmp une"},
    "less": {"b": "icmp ult", "i": "icmp slt", "u": "icmp ult", "f": "fcmp olt"},
    "less_equal": {"b": "icmp ule", "i": "icmp sle", "u": "icmp ule", "f": "fcmp ole"},
    "greater": {"b": "icmp ugt", "i": "icmp sgt", "u": "icmp ugt", "f": "fcmp ogt"},
    "greater_equal": {"b": "icmp uge", "i": "icmp sge", "u": "icmp uge", "f": "fcmp oge"},
}


def vector(of: str, width: int) -> str:
    """Return the type of so many of another; with width 0, that type itself.

    Parameters
    ----------
    of : str
        The type of a lane.
    width : int
        Number of lanes.
    """
    return f"<{width} x {of}>" if width else of


def literal(value: bool | float, dtype: DType) -> str:
    """Return the text of a constant of this dtype.

    Parameters
    ----------
    value : bool or float
        The scalar; an int is a float to type checkers.
    dtype : numpy.dtype
        A bool, an integer or a float one.

    Examples
    --------
    >>> import numpy as np
    >>> literal(1e30, np.dtype("f8")), literal(-3, np.dtype("i1")), literal(True, np.dtype("?"))
    ('1.0e+30', '-3', 'true')
    >>> literal(float("inf"), np.dtype("f8"))
    '0x7FF0000000000000'
    """
    if kind_of(dtype) == "b":
        return "true" if value else "false"
    if kind_of(dtype) in "iu":
        return str(int(value))
    value = float(value)
    if np.isfinite(value):
        # LLVM wants a point in every decimal fraction.
        digits, exponent, power = repr(value).partition("e")
        return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}"
    return f"0x{struct.pack('>d', value).hex().upper()}"


def text(
    primitive: str,
    args: Sequence[str],
    dtypes: Sequence[DType],
    result: DType,
    reassociate: bool = False,
    width: int = 0,
) -> tuple[str, tuple[str, ...]]:
    """Return the right-hand side that computes a primitive, and the functions that it calls.

    Parameters
    ----------
    primitive : str
        A key of ``PRIMITIVES``.
    args : sequence of str
        Texts of the operands, each a name with its sign ``%`` or what :func:`literal` gives.
    dtypes : sequence of numpy.dtype
        Dtypes of the operands.
    result : numpy.dtype
        Dtype of the result.
    reassociate : bool
        Whether a chain of these may be split into lanes.
    width : int
        Of vectors, the number of lanes; 0 means scalars.

    Examples
    --------
    >>> import numpy as np
    >>> f8, i4 = np.dtype("f8"), np.dtype("i4")
    >>> text("add", ("%v0", "%v1"), (f8, f8), f8, reassociate=True)
    ('fadd reassoc double %v0, %v1', ())
    >>> text("convert", ("%v0",), (f8,), i4)
    ('call i32 @convert_f64_i32(double %v0)', ('convert_f64_i32',))
    """
    dtype = dtypes[-1]
    kinds = [vector(kind(d), width) for d in dtypes]
    typed = ", ".join(f"{k} {a}" for k, a in zip(kinds, args, strict=True))
    if primitive == "select":
        return f"select {typed}", ()
    instruction = INSTRUCTIONS.get(primitive, {}).get(kind_of(dtype))
    if instruction is not None:
        reassociates = reassociate and primitive in REASSOCIABLE and kind_of(dtype) == "f"
        flag = " reassoc" if reassociates else ""
        return f"{instruction}{flag} {kinds[-1]} {', '.join(args)}", ()
    name = intrinsic_name(primitive, dtype, result, reassociate, width)
    return f"call {vector(kind(result), width)} @{name}({typed})", (name,)
