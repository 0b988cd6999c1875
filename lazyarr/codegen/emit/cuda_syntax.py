"""CUDA C text of dtypes, literals and primitives. Nothing needs a header."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.emit.cuda_matmul import PRODUCT_HELPERS
from lazyarr.codegen.emit.infix import ARITHMETIC, COMPARISONS
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
    "half_to_float": """\
__device__ __forceinline__ float half_to_float(unsigned short half) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(half));
    return wide;
}""",
    "float_to_half": """\
__device__ __forceinline__ unsigned short float_to_half(float value) {
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}""",
    "double_to_half": """\
__device__ __forceinline__ unsigned short double_to_half(double value) {
    unsigned short half;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(half) : "d"(value));
    return half;
}""",
    # CUDA's own sine and cosine, bit for bit, with one copy of what large arguments need: that is
    # most of their code, and compiling it for each element of a thread takes longest.
    "wave": """\
__device__ __forceinline__ float wave(float rest, int turns) {
    const bool odd = turns & 1;
    const float square = rest * rest;
    const float first = odd ? 1.0f : rest;
    float high = odd ? fmaf(__int_as_float(0x37cbac00), square, __int_as_float(0xbab607ed))
                     : __int_as_float(0xb94d4153);
    high = fmaf(high, square, __int_as_float(odd ? 0x3d2aaabb : 0x3c0885e4));
    high = fmaf(high, square, __int_as_float(odd ? 0xbeffffff : 0xbe2aaaa8));
    const float found = fmaf(high, fmaf(square, first, 0.0f), first);
    return turns & 2 ? fmaf(found, -1.0f, 0.0f) : found;
}

// The quarter turns in x are the fraction of x * 2 / pi: of the digits of 2 / pi, those count that
// neither give whole turns of the circle nor lie below what a float holds.
__device__ __noinline__ float wave_of_large(float x, int quarters) {
    if (fabsf(x) == __int_as_float(0x7f800000)) {
        return x * 0.0f;
    }
    const unsigned int digits[6] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u,
                                    0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};
    const unsigned int bits = (unsigned int)__float_as_int(x);
    const unsigned int mantissa = bits << 8 | 0x80000000u;
    const int exponent = (int)(bits >> 23 & 255u) - 128;
    unsigned long long sum = 0;
    unsigned int low = 0, middle = 0, high = 0;
    #pragma unroll 1
    for (int k = 0; k <= 6 - exponent / 32; ++k) {
        sum = (sum >> 32) + (k < 6 ? (unsigned long long)digits[k] * mantissa : 0);
        low = middle;
        middle = high;
        high = (unsigned int)sum;
    }
    const int shift = exponent % 32;
    high = __funnelshift_l(middle, high, shift);
    middle = __funnelshift_l(low, middle, shift);
    const unsigned int top = __funnelshift_l(middle, high, 2);
    const bool beyond = top >> 31;  // the nearest whole quarter is the next one
    const int turns = (int)(high >> 30) + beyond;
    unsigned long long part = (unsigned long long)top << 32 | middle << 2;
    part = beyond ? ~part : part;
    const float rest = (float)((double)(long long)part
                               * __longlong_as_double(0x3bf921fb54442d19LL));
    const bool negative = bits >> 31;
    return wave(negative != beyond ? -rest : rest, (negative ? -turns : turns) + quarters);
}

__device__ __forceinline__ float wave_of(float x, int quarters) {
    if (fabsf(x) >= 105615.0f) {
        return wave_of_large(x, quarters);
    }
    const int turns = __float2int_rn(x * __int_as_float(0x3f22f983));
    const float whole = (float)turns;
    float rest = fmaf(whole, __int_as_float(0xbfc90fda), x);
    rest = fmaf(whole, __int_as_float(0xb3a22168), rest);
    rest = fmaf(whole, __int_as_float(0xa7c234c5), rest);
    return wave(rest, turns + quarters);
}""",
    "sine": """\
__device__ __forceinline__ float sine(float x) { return wave_of(x, 0); }""",
    "cosine": """\
__device__ __forceinline__ float cosine(float x) { return wave_of(x, 1); }""",
    # The library's function is a long loop with branches: one copy does for all of a thread's
    # elements. Float32's is shorter, and calls of it take up to a sixth of a kernel's time.
    "remainder_of_doubles": """\
__device__ __noinline__ double remainder_of(double x, double y) { return fmod(x, y); }""",
    # Of float32 the result is that of a division of float32: no quotient of two lies so near the
    # middle between two that the first rounding would matter.
    "quotient": """\
__device__ __noinline__ double quotient(double x, double y) { return x / y; }""",
    # A quotient whose remainder is exact can be corrected to the rounded one by an inverse that is
    # rounded itself (P. Markstein, Computation of elementary functions on the IBM RISC System/6000
    # processor, 1990); it is that near because what rounding took from the inverse is added. Sizes
    # are such that nothing on the way under- or overflows.
    "divisor": """\
struct divisor { double by, inverse, rest; unsigned int sizes; };

__device__ __forceinline__ divisor divisor_of(double by) {
    const long long word = __double_as_longlong(by);
    const unsigned int size = (unsigned int)(word >> 32) & 0x7fffffffu;
    const bool ones = (word & 0xfffffffffffffLL) == 0xfffffffffffffLL;
    const double inverse = quotient(1.0, by);
    const double rest = fma(-inverse, by, 1.0) * inverse;
    return {by, inverse, rest, size - 0x20b00000u < 0x3e800000u && !ones ? 0x3c000000u : 0u};
}

__device__ __forceinline__ double divided(double x, const divisor& d) {
    const unsigned int size = (unsigned int)(__double_as_longlong(x) >> 32) & 0x7fffffffu;
    const double near = fma(x, d.inverse, x * d.rest);
    double found = fma(fma(-near, d.by, x), d.inverse, near);
    if (size - 0x23300000u >= d.sizes) {
        found = x == 0.0 && d.sizes ? x * d.inverse : quotient(x, d.by);
    }
    return found;
}""",
    # Of 32-bit numbers, whose products have 64 bits: one instruction of a GPU. With all rounds
    # written out, kernels that store random numbers take 1.04 to 1.1 of the time.
    "philox": """\
struct words { unsigned long long first, second; };

// Philox4x32-10
__device__ __forceinline__ words philox(
    unsigned long long block, unsigned long long draw, unsigned long long key) {
    unsigned int c0 = block, c1 = block >> 32, c2 = draw, c3 = draw >> 32;
    unsigned int k0 = key, k1 = key >> 32;
    #pragma unroll 5
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p0 = 0xd2511f53ULL * c0;
        const unsigned long long p1 = 0xcd9e8d57ULL * c2;
        c0 = (unsigned int)(p1 >> 32) ^ c1 ^ k0;
        c1 = (unsigned int)p1;
        c2 = (unsigned int)(p0 >> 32) ^ c3 ^ k1;
        c3 = (unsigned int)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return {c1 * 0x100000000ULL + c0, c3 * 0x100000000ULL + c2};
}""",
    # A hint, of a line of 128 bytes: whether it is followed changes no result.
    "prefetch": """\
__device__ __forceinline__ void prefetch(const void* place) {
#if __CUDA_ARCH__ >= 800
    asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(place));
#else
    asm volatile("prefetch.global.L2 [%0];" : : "l"(place));
#endif
}""",
    "load_some": """\
template <class Vector, class Element, class Count>
__device__ __forceinline__ Vector load_some(const Element* place, Count left) {
    const int width = sizeof(Vector) / sizeof(Element);
    Vector found = {};
    if (left >= width) {
        found = *(const Vector*)place;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) found.lane[k] = place[k];
        }
    }
    return found;
}""",
    "store_some": """\
template <class Vector, class Element, class Count>
__device__ __forceinline__ void store_some(Element* place, Count left, Vector value) {
    const int width = sizeof(Vector) / sizeof(Element);
    if (left >= width) {
        *(Vector*)place = value;
    } else {
        #pragma unroll
        for (int k = 0; k < width - 1; ++k) {
            if (k < left) place[k] = value.lane[k];
        }
    }
}""",
    "store_passing": """\
template <class Vector>
__device__ __forceinline__ void store_passing(Vector* place, Vector value) {
    const int parts = sizeof(Vector) / 16;
    union { Vector whole; unsigned int word[parts][4]; } held = {value};
    #pragma unroll
    for (int k = 0; k < parts; ++k) {
        asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "l"((char*)place + 16 * k), "r"(held.word[k][0]), "r"(held.word[k][1]),
                         "r"(held.word[k][2]), "r"(held.word[k][3]) : "memory");
    }
}""",
    **PRODUCT_HELPERS,
}


def key_of(dtype: DType) -> str:
    """Return kind and size of a dtype: ``f4``."""
    return f"{dtype.kind}{dtype.itemsize}"


def c_type(dtype: DType) -> str:
    """Return the type of a value in a register."""
    return "float" if dtype == np.float16 else _TYPES[key_of(dtype)]


def memory_type(dtype: DType) -> str:
    """Return the type of an element in memory."""
    return "unsigned short" if dtype == np.float16 else _TYPES[key_of(dtype)]


def load(element: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the register value of an element in memory, and the helpers used."""
    if dtype == np.float16:
        return f"half_to_float({element})", ("half_to_float",)
    return element, ()


def store(value: str, dtype: DType) -> tuple[str, tuple[str, ...]]:
    """Return the element in memory for a register value, and the helpers used."""
    if dtype == np.float16:
        return f"float_to_half({value})", ("float_to_half",)
    return value, ()


def literal(value: bool | int | float, dtype: DType) -> str:
    """Return the text of a scalar.

    Examples
    --------
    >>> literal(0.1, np.dtype("f4")), literal(1, np.dtype("i8")), literal(2.0, np.dtype("f8"))
    ('0.1f', '1LL', '2.0')
    """
    key = key_of(dtype)
    if key == "b1":
        return "true" if value else "false"
    if dtype.kind == "f":
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
        found = str(np.float32(value))
        return f"{found if '.' in found or 'e' in found else found + '.0'}f"
    return repr(value)


def text(
    primitive: str, args: Sequence[str], dtypes: Sequence[DType], result: DType
) -> tuple[str, tuple[str, ...]]:
    """Return the expression of a primitive, and the helpers that it uses.

    Examples
    --------
    >>> f4, i4 = np.dtype("f4"), np.dtype("i4")
    >>> text("add", ("a", "b"), (f4, f4), f4)[0]
    'a + b'
    >>> text("add", ("a", "b"), (i4, i4), i4)[0]
    '(int)((unsigned int)a + (unsigned int)b)'
    """
    dtype = dtypes[-1]
    if dtype.kind == "f":
        return _of_floats(primitive, args, dtype, result)
    if primitive == "select":
        return f"{args[0]} ? {args[1]} : {args[2]}", ()
    if primitive in ("convert", "bitcast"):
        return _conversion(primitive, args[0], dtype, result), ()
    if PRIMITIVES[primitive].result == "bool":
        return f"{args[0]} {_SYMBOLS[primitive]} {args[1]}", ()
    if dtype.kind == "b":
        found = f"!{args[0]}" if primitive == "not" else f"{args[0]} {_TRUTH[primitive]} {args[1]}"
        return found, ()
    return _of_integers(primitive, args, dtype), ()


def _of_integers(primitive: str, args: Sequence[str], dtype: DType) -> str:
    """Return integer arithmetic: it wraps around, so it is done without a sign."""
    own = c_type(dtype)
    wide = "unsigned long long" if dtype.itemsize == 8 else "unsigned int"
    plain = dtype.kind == "u" and dtype.itemsize >= 4
    if primitive in ("minimum", "maximum"):
        relation = "<" if primitive == "minimum" else ">"
        return f"{args[0]} {relation} {args[1]} ? {args[0]} : {args[1]}"
    if primitive == "negative":
        return f"-{args[0]}" if plain else f"({own})(0 - ({wide}){args[0]})"
    if primitive == "not":
        return f"({own})~{args[0]}"
    if primitive in _BITS:
        found = f"{args[0]} {_BITS[primitive]} {args[1]}"
    elif primitive == "remainder":
        found = f"{args[0]} % {args[1]}"
    elif primitive == "divide":
        found = f"{args[0]} / {args[1]}"
    elif primitive == "shift_right":
        found = f"{args[0]} >> {args[1]}"
    elif primitive == "shift_left":
        found = f"({wide}){args[0]} << {args[1]}"
    elif plain:
        return f"{args[0]} {_SYMBOLS[primitive]} {args[1]}"
    else:
        found = f"({wide}){args[0]} {_SYMBOLS[primitive]} ({wide}){args[1]}"
    return found if plain else f"({own})({found})"


def _conversion(primitive: str, value: str, dtype: DType, result: DType) -> str:
    if primitive == "convert" and result.kind == "b":
        return f"{value} != 0"
    if primitive == "bitcast" and result.kind == "f":
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
            relation = "<=" if primitive == "minimum" else ">="
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
            plain = result.kind == "i"
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
    if primitive == "remainder" and not single:
        return f"remainder_of({first}, {args[1]})", ("remainder_of_doubles",)
    name = _LIBRARY.get(primitive, primitive)
    return f"{name}{'f' if single else ''}({', '.join(args)})", ()


def _from_float(value: str, result: DType) -> str:
    """Return the conversion of a float, with x86-64's results where C leaves them open."""
    if result.kind == "b":
        return f"{value} != 0"
    if result.kind in "iu" and result.itemsize < 4:
        return f"({c_type(result)})(int){value}"
    if result.kind == "u" and result.itemsize == 4:
        return f"(unsigned int)(long long){value}"
    return f"({c_type(result)}){value}"
