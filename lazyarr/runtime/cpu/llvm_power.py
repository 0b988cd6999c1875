"""Powers of float32 in LLVM IR, by way of float64, for processors with AVX-512.

``x**y = 2**(y log2(x))``. The logarithm and the power of 2 are functions of their own, so that a
loop with several powers of one number takes its logarithm once. Both look one of sixteen numbers up
in registers: ``log2(x) = k + log2(c) + log2(1 + r)``, as other logarithms, and
``2**z = 2**n 2**(i/16) 2**f``, with short polynomials. Results are the nearest float32 but for one
in a hundred, which is the one beside it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_constants import Uniform, coefficients, fused, polynomial, splat
from lazyarr.runtime.cpu.llvm_logarithm import HALF, WIDE, instruction, looked_up, reduced

__all__ = ["LANES", "define_binary_logarithm", "define_raised"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

#: Elements of float32 in a register.
LANES = 2 * HALF
_NUMBERS = ir.VectorType(ir.FloatType(), LANES)


def define_binary_logarithm(defined: Any) -> None:
    """Define the logarithm to the base 2 of positive finite float32 as float64.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function, of a vector of :data:`LANES` elements. Of other numbers it gives anything.
    """
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    parts = [
        _logarithm(builder, builder.fpext(part, WIDE)) for part in _halves(builder, defined.args[0])
    ]
    builder.ret(_joined(builder, *parts))


def _logarithm(builder: Builder, x: IRValue) -> IRValue:
    k, index, r = reduced(builder, x)
    whole = builder.fadd(k, looked_up(builder, "binary logarithms", index))
    ratio = polynomial(builder, r, coefficients("binary logarithm", WIDE))
    return fused(builder, ratio, r, whole)


def define_raised(defined: Any, general: Any) -> None:
    """Define the power of float32 from the logarithm of its base.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function of the base, the exponent, and the logarithm as float64.
    general : llvmlite.ir.Function
        The power of any numbers: of those that are not positive or not finite.
    """
    defined.linkage = "internal"
    rare = ir.Function(defined.module, defined.function_type, f"{defined.name}.special")
    rare.linkage = "internal"
    rare.attributes.add("noinline")
    rare.attributes.add("cold")
    x, y, logarithm = defined.args
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    usual = defined.append_basic_block("usual")
    unusual = defined.append_basic_block("unusual")
    word = ir.IntType(LANES)
    special = builder.bitcast(_special(builder, x, y), word)
    branch = builder.cbranch(builder.icmp_unsigned("!=", special, word(0)), unusual, usual)
    branch.set_weights([1, 1_000_000])
    builder.position_at_end(usual)
    builder.ret(_raised(builder, y, logarithm))
    builder.position_at_end(unusual)
    builder.ret(builder.call(rare, [x, y, logarithm], tail=True))
    x, y, logarithm = rare.args
    builder = ir.IRBuilder(rare.append_basic_block("entry"))
    mask = _special(builder, x, y)
    ones = splat(1.0, _NUMBERS)
    others = builder.call(general, [builder.select(mask, part, ones) for part in (x, y)])
    near = builder.select(mask, splat(0.0, logarithm.type), logarithm)
    ordinary = _raised(builder, builder.select(mask, ones, y), near)
    builder.ret(builder.select(mask, others, ordinary))


def _special(builder: Builder, x: IRValue, y: IRValue) -> IRValue:
    """Return the mask of lanes without a logarithm or a finite exponent."""
    # Integers are compared: an ordered comparison of a NaN would set a flag. From all ones of the
    # exponent on, numbers are not finite.
    words = ir.VectorType(ir.IntType(32), LANES)
    less = builder.sub(builder.bitcast(x, words), splat(1, words))
    bounded = builder.icmp_unsigned("<", less, splat((255 << 23) - 1, words))
    magnitude = builder.and_(builder.bitcast(y, words), splat((1 << 31) - 1, words))
    finite = builder.icmp_unsigned("<", magnitude, splat(255 << 23, words))
    return builder.not_(builder.and_(bounded, finite))


def _raised(builder: Builder, y: IRValue, logarithm: IRValue) -> IRValue:
    """Return the powers of 2 as float32, which round, overflow and underflow as they are stored."""
    exponents = zip(_halves(builder, y), _halves(builder, logarithm), strict=True)
    parts = [
        _power(builder, builder.fmul(builder.fpext(part, WIDE), near)) for part, near in exponents
    ]
    return builder.fptrunc(_joined(builder, *parts), _NUMBERS)


def _power(builder: Builder, z: IRValue) -> IRValue:
    for limit, below in ((-200.0, True), (200.0, False)):
        # Powers beyond these are zero and infinity as float32.
        beyond = builder.fcmp_ordered("<" if below else ">", z, splat(limit, WIDE))
        z = builder.select(beyond, splat(limit, WIDE), z)
    # Added to a number, this leaves the nearest multiple of 1/16 in the lowest bits.
    magic = splat(1.5 * 2.0**48, WIDE)
    words = ir.VectorType(ir.IntType(64), HALF)
    shifted = builder.fadd(z, magic)
    near = builder.fsub(shifted, magic)
    rest = polynomial(builder, builder.fsub(z, near), coefficients("power", WIDE))
    step = looked_up(builder, "powers", builder.bitcast(shifted, words))
    scaled = instruction(
        builder, "mask.scalef.pd.512", step, near, step, ir.IntType(8)(-1), ir.IntType(32)(4)
    )
    return builder.fmul(rest, scaled)


def _halves(builder: Builder, x: IRValue) -> list[IRValue]:
    """Return both halves of a vector."""
    index = ir.VectorType(ir.IntType(32), HALF)
    nothing = Uniform(x.type, ir.Undefined)
    places = [ir.Constant(index, [first + k for k in range(HALF)]) for first in (0, HALF)]
    return [builder.shuffle_vector(x, nothing, place) for place in places]


def _joined(builder: Builder, low: IRValue, high: IRValue) -> IRValue:
    """Return a vector of two halves."""
    index = ir.Constant(ir.VectorType(ir.IntType(32), LANES), list(range(LANES)))
    return builder.shuffle_vector(low, high, index)
