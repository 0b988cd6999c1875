"""CUDA C text of dtypes, literals and primitives. Nothing needs a header."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.codegen.emit.cuda_matmul import PRODUCT_HELPERS
from lazyarr.codegen.emit.infix import ARITHMETIC, COMPARISONS
from lazyarr.core.dtypes import code_of, kind_of
from lazyarr.core.text_files import sections
from lazyarr.errors import ContractError
from lazyarr.loop_ir.primitives import PRIMITIVES

__all__ = ["HELPERS", "c_type", "literal", "load", "memory_type", "store", "text"]

DType = np.dtype[Any]

_TYPES = {
    "b1": "bool",
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
    "f4": "float",
    "f8": "double",
}
_SYMBOLS = {**ARITHMETIC, "divide": "/", **COMPARISONS}
_BITS = {"and": "&", "or": "|", "xor": "^"}
_TRUTH = {"and": "&&", "or": "||", "xor": "!="}
#: Names of the mathematics library for float64; float32 has an f behind it.
_LIBRARY = {"absolute": "fabs", "remainder": "fmod"}
#: Helpers that stand for the library's functions of float32.
_WAVES = {"sin": "sine", "cos": "cosine"}

#: Functions that a kernel's text may use; the printer puts those used in front of it.
HELPERS = {
    **sections("lazyarr.codegen.emit", "helpers.cuh"),
    **PRODUCT_HELPERS,
}


@cache
def key_of(dtype: DType) -> str:
    """Return kind and size of a dtype: ``f4``."""
    return code_of(dtype)


@cache
def c_type(dtype: DType) -> str:
    """Return the type of a value in a register."""
    return "float" if dtype == np.float16 else _TYPES[key_of(dtype)]


@cache
def memory_type(dtype: DType) -> str:
    """Return the type of an element in memory."""
    return "unsigned short" if dtype == np.float16 else _TYPES[key_of(dtype)]


def load(element: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the register value of an element in memory, and the helpers used.

    Parameters
    ----------
    element : str
        Text of the element.
    dtype : numpy.dtype
        Of the memory; float16 gives a float32.
    """
    if dtype == np.float16:
        return f"half_to_float({element})", ("half_to_float",)
    return element, ()


def store(value: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the element in memory for a register value, and the helpers used.

    Parameters
    ----------
    value : str
        Text of the value.
    dtype : numpy.dtype
        Of the memory; float16 takes a float32.
    """
    if dtype == np.float16:
        return f"float_to_half({value})", ("float_to_half",)
    return value, ()


def literal(value: bool | int | float, dtype: DType) -> str:
    """Return the text of a scalar.

    Parameters
    ----------
    value : bool, int or float
        The scalar.
    dtype : numpy.dtype
        That the text has in C: any but float16 and complex ones.

    Examples
    --------
    >>> literal(0.1, np.dtype("f4")), literal(1, np.dtype("i8")), literal(2.0, np.dtype("f8"))
    ('0.1f', '1LL', '2.0')
    """
    key = key_of(dtype)
    if key == "b1":
        return "true" if value else "false"
    if kind_of(dtype) == "f":
        return _float(float(value), key)
    number = int(value)
    if key == "i8":
        return "(-9223372036854775807LL - 1)" if number == -(2**63) else f"{number}LL"
    if key == "u8":
        return f"{number}ULL"
    if key == "i4":
        return "(-2147483647 - 1)" if number == -(2**31) else str(number)
    if key == "u4":
        return f"{number}u"
    return f"({_TYPES[key]}){number}"


def _float(value: float, key: str) -> str:
    single = key == "f4"
    if math.isnan(value) or math.isinf(value):
        if single:
            return f"__int_as_float(0x{np.float32(value).view(np.uint32):08x})"
        return f"__longlong_as_double(0x{np.float64(value).view(np.uint64):016x}LL)"
    if single:
        digits = str(np.float32(value))
        return f"{digits if '.' in digits or 'e' in digits else digits + '.0'}f"
    return repr(value)


def text(
    primitive: str, args: Sequence[str], dtypes: Sequence[DType], result: DType
) -> tuple[str, tuple[str, ...]]:
    """Return the expression of a primitive, and the helpers that it uses.

    Parameters
    ----------
    primitive : str
        A key of ``PRIMITIVES``.
    args : sequence of str
        Texts of the operands, each a name or what :func:`literal` gives.
    dtypes : sequence of numpy.dtype
        Dtypes of the operands.
    result : numpy.dtype
        Dtype of the result.

    Examples
    --------
    >>> f4, i4 = np.dtype("f4"), np.dtype("i4")
    >>> text("add", ("a", "b"), (f4, f4), f4)[0]
    'a + b'
    >>> text("add", ("a", "b"), (i4, i4), i4)[0]
    '(int)((unsigned int)a + (unsigned int)b)'
    """
    dtype = dtypes[-1]
    if kind_of(dtype) == "f":
        return _of_floats(primitive, args, dtype, result)
    if primitive == "select":
        return f"{args[0]} ? {args[1]} : {args[2]}", ()
    if primitive in ("convert", "bitcast"):
        return _conversion(primitive, args[0], dtype, result), ()
    if PRIMITIVES[primitive].result == "bool":
        return f"{args[0]} {_SYMBOLS[primitive]} {args[1]}", ()
    if kind_of(dtype) == "b":
        if primitive == "not":
            return f"!{args[0]}", ()
        return f"{args[0]} {_TRUTH[primitive]} {args[1]}", ()
    return _of_integers(primitive, args, dtype), ()


def _of_integers(primitive: str, args: Sequence[str], dtype: DType) -> str:
    """Return integer arithmetic: it wraps around, so it is done without a sign."""
    own = c_type(dtype)
    wide = "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
    plain = kind_of(dtype) == "u" and dtype.itemsize >= 4
    if primitive in ("minimum", "maximum"):
        relation = "<" if primitive == "minimum" else ">"
        return f"{args[0]} {relation} {args[1]} ? {args[0]} : {args[1]}"
    if primitive == "negative":
        return f"-{args[0]}" if plain else f"({own})(0 - ({wide}){args[0]})"
    if primitive == "not":
        return f"({own})~{args[0]}"
    if primitive in _BITS:
        expression = f"{args[0]} {_BITS[primitive]} {args[1]}"
    elif primitive == "remainder":
        expression = f"{args[0]} % {args[1]}"
    elif primitive == "divide":
        expression = f"{args[0]} / {args[1]}"
    elif primitive == "shift_right":
        expression = f"{args[0]} >> {args[1]}"
    elif primitive == "shift_left":
        expression = f"({wide}){args[0]} << {args[1]}"
    elif plain:
        return f"{args[0]} {_SYMBOLS[primitive]} {args[1]}"
    else:
        expression = f"({wide}){args[0]} {_SYMBOLS[primitive]} ({wide}){args[1]}"
    return expression if plain else f"({own})({expression})"


def _conversion(primitive: str, value: str, dtype: DType, result: DType) -> str:
    if primitive == "convert" and kind_of(result) == "b":
        return f"{value} != 0"
    if primitive == "bitcast" and kind_of(result) == "f":
        if result.itemsize == 4:
            return f"__int_as_float((int){value})"
        return f"__longlong_as_double((long long){value})"
    return f"({c_type(result)}){value}"


def _of_floats(
    primitive: str, args: Sequence[str], dtype: DType, result: DType
) -> tuple[str, tuple[str, ...]]:
    single = dtype.itemsize == 4
    first = args[0]
    match primitive:
        case "select":
            return f"{args[0]} ? {args[1]} : {args[2]}", ()
        case "minimum" | "maximum":
            relation = "<" if primitive == "minimum" else ">"  # of two zeros the second
            return f"{first} {relation} {args[1]} || {first} != {first} ? {first} : {args[1]}", ()
        case "negative":
            return f"-{first}", ()
        case "round_half":
            down = "float_to_half" if single else "double_to_half"
            rounded = f"half_to_float({down}({first}))"
            return rounded if single else f"(double){rounded}", (down, "half_to_float")
        case "convert":
            return _from_float(first, result), ()
        case "bitcast":
            bits = "__float_as_int" if single else "__double_as_longlong"
            plain = kind_of(result) == "i"
            return f"{bits}({first})" if plain else f"({c_type(result)}){bits}({first})", ()
        case "cosine_of_half_turns":  # only devices have it
            return f"cospi{'f' if single else ''}({first})", ()
    if primitive in _SYMBOLS:
        return f"{first} {_SYMBOLS[primitive]} {args[1]}", ()
    if primitive not in PRIMITIVES:
        raise ContractError(f"no primitive {primitive!r}")
    if single and primitive in _WAVES:
        own = _WAVES[primitive]
        return f"{own}({first})", ("wave", own)
    if primitive == "exp" and not single:
        return f"exponential({first})", ("exponential",)
    if primitive == "remainder" and not single:
        return f"remainder_of({first}, {args[1]})", ("remainder_of_doubles",)
    name = _LIBRARY.get(primitive, primitive)
    return f"{name}{'f' if single else ''}({', '.join(args)})", ()


def _from_float(value: str, result: DType) -> str:
    """Return the conversion of a float, with x86-64's results where C leaves them open."""
    if kind_of(result) == "b":
        return f"{value} != 0"
    if kind_of(result) in "iu" and result.itemsize < 4:
        return f"({c_type(result)})(int){value}"
    if kind_of(result) == "u" and result.itemsize == 4:
        return f"(unsigned int)(long long){value}"
    return f"({c_type(result)}){value}"
