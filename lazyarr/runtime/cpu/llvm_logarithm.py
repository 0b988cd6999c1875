"""Logarithms of ordinary numbers in LLVM IR, a vector at a time, to be inlined in loops.

``log(x) = k ln 2 + log(c) + log(1 + r)``, where c is near the mantissa of x, k is its exponent and
``r`` is what the mantissa divided by c has above 1. Of float32 c is always 1 and the polynomial is
long; of float64 processors with AVX-512 look one of sixteen c up in registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_constants import (
    CONSTANTS,
    coefficients,
    fused,
    numbers,
    polynomial,
    splat,
)

__all__ = [
    "HALF",
    "WIDE",
    "define_logarithm",
    "define_short_logarithm",
    "instruction",
    "looked_up",
    "parted",
    "reduced",
]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

#: Elements of float64 in a register of AVX-512.
HALF = 8
#: Such a vector.
WIDE = ir.VectorType(ir.DoubleType(), HALF)
_WORDS = ir.VectorType(ir.IntType(64), HALF)
#: All lanes, and rounding as elsewhere.
_EVERY = ir.IntType(8)(-1)
_AS_IS = ir.IntType(32)(4)
#: From 1 up to 2, without a sign.
_MANTISSA = ir.IntType(32)(4)


def define_short_logarithm(defined: Any) -> None:
    """Define the natural logarithm of positive normal float32.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function, of a vector.
    """
    (x,) = defined.args
    kind = x.type
    words = ir.VectorType(ir.IntType(32), kind.count)
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    bits = builder.bitcast(x, words)
    # The mantissa is between the square roots of 1/2 and of 2.
    (lowest,) = CONSTANTS["half a root of 2"]
    k = builder.ashr(builder.sub(bits, splat(lowest, words)), splat(23, words))
    mantissa = builder.sub(bits, builder.shl(k, splat(23, words)))
    r = builder.fsub(builder.bitcast(mantissa, kind), splat(1.0, kind))
    rest = polynomial(builder, r, coefficients("natural logarithm", kind))
    above = fused(builder, builder.fmul(r, r), rest, r)
    (two,) = coefficients("ln(2)", kind)
    builder.ret(fused(builder, builder.sitofp(k, kind), two, above))


def define_logarithm(defined: Any) -> None:
    """Define the natural logarithm of positive normal float64 with instructions of AVX-512.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function, of a vector of :data:`HALF` elements.
    """
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    k, index, r = reduced(builder, defined.args[0])
    # High parts add exactly.
    high, low = coefficients("parts of ln(2)", WIDE)
    whole = fused(builder, k, high, looked_up(builder, "natural logarithms", index))
    lost = fused(builder, k, low, looked_up(builder, "their rests", index))
    rest = polynomial(builder, r, coefficients("natural logarithm", WIDE))
    rest = fused(builder, builder.fmul(r, r), rest, lost)
    builder.ret(builder.fadd(whole, builder.fadd(r, rest)))


def reduced(builder: Builder, x: IRValue) -> tuple[IRValue, IRValue, IRValue]:
    """Return the exponents of float64, their table indices, and the reduced arguments.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    x : llvmlite.ir.Value
        Numbers; of those that are not positive and finite the results are anything.
    """
    exponent, index, mantissa, inverse = parted(builder, x)
    return exponent, index, fused(builder, mantissa, inverse, splat(-1.0, WIDE))


def parted(builder: Builder, x: IRValue) -> tuple[IRValue, IRValue, IRValue, IRValue]:
    """Return the exponents of float64, their places in the tables, their mantissas, and ``1 / c``.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    x : llvmlite.ir.Value
        As of :func:`reduced`.
    """
    # The first four digits of a fraction of 52 are the lowest bits then.
    index = builder.lshr(builder.bitcast(x, _WORDS), splat(52 - 4, _WORDS))
    exponent = instruction(builder, "mask.getexp.pd.512", x, x, _EVERY, _AS_IS)
    mantissa = instruction(builder, "mask.getmant.pd.512", x, _MANTISSA, x, _EVERY, _AS_IS)
    return exponent, index, mantissa, looked_up(builder, "inverses", index)


def instruction(builder: Builder, name: str, *operands: IRValue) -> IRValue:
    """Return the result of an instruction of AVX-512 on float64.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    name : str
        As LLVM has it.
    *operands : llvmlite.ir.Value
        What it takes.
    """
    name = f"llvm.x86.avx512.{name}"
    function = builder.module.globals.get(name)
    if function is None:
        kinds = [operand.type for operand in operands]
        function = ir.Function(builder.module, ir.FunctionType(WIDE, kinds), name)
    return builder.call(function, list(operands))


def looked_up(builder: Builder, name: str, index: IRValue) -> IRValue:
    """Return the numbers of a table.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    name : str
        Of the table.
    index : llvmlite.ir.Value
        Integers whose lowest four bits are the places.
    """
    values = [ir.DoubleType()(number) for number in numbers(name)]
    low, high = ir.Constant(WIDE, values[:HALF]), ir.Constant(WIDE, values[HALF:])
    return instruction(builder, "vpermi2var.pd.512", low, index, high)
