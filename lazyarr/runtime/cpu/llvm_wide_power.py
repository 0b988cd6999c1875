"""Powers of float64 in LLVM IR, for processors with AVX-512.

``x**y = exp(y log(x))``, for which the logarithm has to have 63 digits that count: a sum of two
numbers, of which the first is ``k ln 2 + log(c) + r - r**2/2``, whose roundings are added to the
second. ``exp(z) = 2**n 2**(i/16) exp(r)``, to less than 0.6 units in the last place.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_constants import coefficients, fused, polynomial, splat
from lazyarr.runtime.cpu.llvm_logarithm import (
    HALF,
    WIDE,
    instruction,
    looked_up,
    parted,
)

__all__ = ["define_power"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any
_WORDS = ir.VectorType(ir.IntType(64), HALF)
#: The bits of 708: powers of e up to it, of either sign, are ordinary numbers.
_BOUND = 0x4086200000000000


def define_power(defined: Any, general: Any) -> None:
    """Define the power of float64.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function of what is raised and of the exponent.
    general : llvmlite.ir.Function
        The power of any numbers.
    """
    rare = ir.Function(defined.module, defined.function_type, f"{defined.name}.special")
    rare.linkage = "internal"
    rare.attributes.add("noinline")
    rare.attributes.add("cold")
    x, y = defined.args
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    blocks = [defined.append_basic_block(name) for name in ("positive", "usual", "unusual")]
    positive, usual, unusual = blocks
    _jump(builder, _special(builder, x, y), unusual, positive)
    builder.position_at_end(positive)
    z, rest, beyond = _exponent(builder, x, y)
    _jump(builder, beyond, unusual, usual)
    builder.position_at_end(usual)
    builder.ret(_exponential(builder, z, rest))
    builder.position_at_end(unusual)
    builder.ret(builder.call(rare, [x, y], tail=True))
    x, y = rare.args
    builder = ir.IRBuilder(rare.append_basic_block("entry"))
    zeros, ones = splat(0.0, WIDE), splat(1.0, WIDE)
    special = _special(builder, x, y)
    z, rest, beyond = _exponent(
        builder, builder.select(special, ones, x), builder.select(special, ones, y)
    )
    special = builder.or_(special, beyond)
    operands = [builder.select(special, operand, ones) for operand in (x, y)]
    others = builder.call(general, operands)
    z, rest = (builder.select(special, zeros, part) for part in (z, rest))
    builder.ret(builder.select(special, others, _exponential(builder, z, rest)))


def _jump(builder: Builder, mask: IRValue, rare: Any, usual: Any) -> None:
    """Go on in one of two blocks: the first one if a lane is in a mask."""
    word = ir.IntType(HALF)
    some = builder.icmp_unsigned("!=", builder.bitcast(mask, word), word(0))
    builder.cbranch(some, rare, usual).set_weights([1, 1_000_000])


def _special(builder: Builder, x: IRValue, y: IRValue) -> IRValue:
    """Return the mask of lanes without a logarithm, or whose exponent is tiny or huge."""
    # Integers are compared: an ordered comparison of a NaN would set a flag. Of other exponents
    # no product overflows or underflows.
    smallest, infinite = 1 << 52, 2047 << 52
    tiny, huge = (1023 - 500) << 52, (1023 + 500) << 52
    below = builder.sub(builder.bitcast(x, _WORDS), splat(smallest, _WORDS))
    normal = builder.icmp_unsigned("<", below, splat(infinite - smallest, _WORDS))
    magnitude = builder.and_(builder.bitcast(y, _WORDS), splat((1 << 63) - 1, _WORDS))
    above = builder.sub(magnitude, splat(tiny, _WORDS))
    bounded = builder.icmp_unsigned("<", above, splat(huge - tiny, _WORDS))
    return builder.not_(builder.and_(normal, bounded))


def _exponent(builder: Builder, x: IRValue, y: IRValue) -> tuple[IRValue, IRValue, IRValue]:
    """Return two numbers whose sum is the power's logarithm, and the mask of no ordinary powers."""
    high, low = _logarithm(builder, x)
    product = builder.fmul(y, high)
    rest = fused(builder, y, high, builder.fneg(product))
    rest = fused(builder, y, low, rest)
    bits = builder.bitcast(product, _WORDS)
    magnitude = builder.and_(bits, splat((1 << 63) - 1, _WORDS))
    beyond = builder.icmp_unsigned(">=", magnitude, splat(_BOUND, _WORDS))
    return product, rest, beyond


def _logarithm(builder: Builder, x: IRValue) -> tuple[IRValue, IRValue]:
    """Return two numbers whose sum is the logarithm."""
    k, index, mantissa, inverse = parted(builder, x)
    # What the mantissa divided by c has above 1, as two numbers.
    ratio = builder.fmul(mantissa, inverse)
    r_low = fused(builder, mantissa, inverse, builder.fneg(ratio))
    r = builder.fsub(ratio, splat(1.0, WIDE))
    two_high, two_low = coefficients("parts of ln(2)", WIDE)
    whole = fused(builder, k, two_high, looked_up(builder, "natural logarithms", index))
    lost = fused(builder, k, two_low, looked_up(builder, "their rests", index))
    square = builder.fmul(r, r)
    square_low = fused(builder, r, r, builder.fneg(square))
    half = builder.fmul(square, splat(-0.5, WIDE))
    # Each term is smaller than what it is added to.
    first = builder.fadd(whole, r)
    lost = builder.fadd(lost, builder.fsub(r, builder.fsub(first, whole)))
    second = builder.fadd(first, half)
    lost = builder.fadd(lost, builder.fsub(half, builder.fsub(second, first)))
    cubic = polynomial(builder, r, coefficients("cubic logarithm", WIDE))
    small = fused(builder, square_low, splat(-0.5, WIDE), r_low)
    small = fused(builder, builder.fneg(r), r_low, small)
    small = fused(builder, builder.fmul(square, r), cubic, small)
    # The sum of all small terms may have digits that the first number has to have.
    small = builder.fadd(lost, small)
    high = builder.fadd(second, small)
    return high, builder.fsub(small, builder.fsub(high, second))


def _exponential(builder: Builder, z: IRValue, rest: IRValue) -> IRValue:
    """Return the exponential of a sum of two numbers."""
    # Added to a number, this leaves the nearest integer in the lowest bits.
    magic = splat(1.5 * 2.0**52, WIDE)
    (inverse,) = coefficients("16 / ln(2)", WIDE)
    shifted = fused(builder, z, inverse, magic)
    n = builder.fsub(shifted, magic)
    high, low = coefficients("parts of ln(2) / 16", WIDE, -1.0)
    r = fused(builder, n, low, fused(builder, n, high, z))
    r = builder.fadd(r, rest)
    index = builder.bitcast(shifted, _WORDS)
    step = looked_up(builder, "powers", index)
    lost = looked_up(builder, "rests of powers", index)
    whole = builder.fmul(n, splat(1 / 16, WIDE))
    scaled = instruction(
        builder, "mask.scalef.pd.512", step, whole, step, ir.IntType(8)(-1), ir.IntType(32)(4)
    )
    more = polynomial(builder, r, coefficients("short exponential", WIDE))
    more = fused(builder, builder.fmul(r, r), more, lost)
    more = builder.fadd(more, r)
    return fused(builder, scaled, more, scaled)
