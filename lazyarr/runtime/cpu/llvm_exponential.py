"""Exponentials of ordinary numbers and hyperbolic tangents in LLVM IR, to be inlined in loops.

``exp(x) = 2**n exp(r)`` for the integer n that is nearest to ``x / ln 2``. ``exp(r)`` is
``1 + (r + r**2 p(r))`` with a polynomial p, less than one unit in the last place off. A vector
library's function saves and loads all registers around its call, which takes as long as what it
computes.

``tanh(x) = e / (e + 2)`` with ``e = exp(2 x) - 1 = 2**n m + (2**n - 1)``, where m is what
``exp(r)`` has above 1: less than three units in the last place off.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_constants import FORMATS, coefficients, fused, polynomial, splat

__all__ = ["define_exponential", "define_hyperbolic_tangent"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

#: By the digits of a fraction, numbers whose hyperbolic tangents are nearer to 1 than to any other.
_ONE = {23: 9.5, 52: 20.0}


def define_exponential(defined: Any) -> None:
    """Define a function of a vector whose results are all ordinary numbers.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function.
    """
    (x,) = defined.args
    kind = x.type
    integer, digits = FORMATS["f" if kind.element == ir.FloatType() else "d"]
    words = ir.VectorType(integer, kind.count)
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    shifted, more = _reduced(builder, x, digits)
    raised = builder.fadd(more, splat(1.0, kind))
    power = builder.shl(builder.bitcast(shifted, words), splat(digits, words))
    scaled = builder.add(builder.bitcast(raised, words), power)
    builder.ret(builder.bitcast(scaled, kind))


def define_hyperbolic_tangent(defined: Any) -> None:
    """Define the hyperbolic tangent of any numbers.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function, of a vector.
    """
    (x,) = defined.args
    kind = x.type
    integer, digits = FORMATS["f" if kind.element == ir.FloatType() else "d"]
    words = ir.VectorType(integer, kind.count)
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    bits = builder.bitcast(x, words)
    size = builder.and_(bits, splat((1 << (integer.width - 1)) - 1, words))
    # Integers are compared: an ordered comparison of a NaN would set a flag.
    most = builder.bitcast(splat(_ONE[digits], kind), words)
    near = builder.bitcast(builder.select(builder.icmp_signed("<", size, most), size, most), kind)
    shifted, more = _reduced(builder, builder.fadd(near, near), digits)
    one = splat(1.0, kind)
    power = builder.shl(builder.bitcast(shifted, words), splat(digits, words))
    power = builder.bitcast(builder.add(builder.bitcast(one, words), power), kind)
    above = fused(builder, power, more, builder.fsub(power, one))
    result = builder.fdiv(above, builder.fadd(above, splat(2.0, kind)))
    signed = builder.or_(builder.bitcast(result, words), builder.xor(bits, size))
    unknown = builder.fcmp_unordered("uno", x, x)
    builder.ret(builder.select(unknown, x, builder.bitcast(signed, kind)))


def _reduced(builder: Builder, x: IRValue, digits: int) -> tuple[IRValue, IRValue]:
    """Return numbers whose lowest bits are n, and exp(r) - 1.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    x : llvmlite.ir.Value
        Numbers whose exponentials are ordinary ones.
    digits : int
        Of a fraction.
    """
    kind = x.type
    # Added to a number, this leaves the nearest integer in the lowest bits.
    magic = splat(1.5 * 2.0**digits, kind)
    (inverse,) = coefficients("log2(e)", kind)
    shifted = fused(builder, x, inverse, magic)
    n = builder.fsub(shifted, magic)
    # The product of n and the first part is exact.
    high, low = coefficients("short parts of ln(2)", kind, -1.0)
    r = fused(builder, n, low, fused(builder, n, high, x))
    rest = polynomial(builder, r, coefficients("exponential", kind))
    return shifted, fused(builder, builder.fmul(r, r), rest, r)
