"""Underflow conditions: the result of an operation is subnormal and inexact.

Tiny is what is nearer to zero than the least normal number, and IEEE 754 calls it an underflow only
if it was rounded. Whether a product or a quotient was rounded is found out with a fused
multiply-add, of numbers that are scaled so that nothing underflows on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "Rounded",
    "always",
    "converted",
    "product_rounded",
    "quotient_rounded",
    "reciprocal_rounded",
    "square_rounded",
    "tiny",
]

#: ``rounded(builder, result, *operands)``: whether a tiny result was rounded.
Rounded = Callable[..., "Value"]
FLOAT64 = np.dtype(np.float64)
#: Tiny numbers of float64 are normal when they are multiplied by this.
SCALE = 2.0**600


def tiny(builder: Builder, x: Operand) -> Value:
    """Return whether a number is zero or subnormal.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Value or Literal
        A float.
    """
    least = builder.literal(float(np.finfo(x.dtype).smallest_normal), x.dtype)
    return builder.call("less", builder.call("absolute", x), least)


def always(builder: Builder, result: Operand, *operands: Operand) -> Value:
    """Return true: a tiny result of a transcendental function is always rounded.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    *operands : Value or Literal
        Not used.
    """
    return builder.call("equal", result, result)


def product_rounded(builder: Builder, result: Operand, x: Operand, y: Operand) -> Value:
    """Return whether a tiny product is not exact.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    x, y : Value or Literal
        The factors, float32 or float64.
    """
    call = builder.call
    if x.dtype != FLOAT64:
        # It is exact in float64.
        return call(
            "not_equal", _wide(builder, result), call("multiply", *_all_wide(builder, x, y))
        )
    swapped = call("less", call("absolute", x), call("absolute", y))
    small, large = call("select", swapped, x, y), call("select", swapped, y, x)
    scaled = call("multiply", small, builder.literal(SCALE, FLOAT64))
    rest = call("fma", scaled, large, call("negative", _scaled(builder, result)))
    return call("or", _vanished(builder, result, x, y), _is_not_zero(builder, rest))


def square_rounded(builder: Builder, result: Operand, x: Operand) -> Value:
    """Return whether a tiny square is not exact.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    x : Value or Literal
        The base, float32 or float64.
    """
    return product_rounded(builder, result, x, x)


def quotient_rounded(builder: Builder, result: Operand, x: Operand, y: Operand) -> Value:
    """Return whether a tiny quotient is not exact.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    x, y : Value or Literal
        Dividend and divisor, float32 or float64.
    """
    call = builder.call
    if x.dtype != FLOAT64:
        back = call("multiply", *_all_wide(builder, result, y))
        return call("not_equal", back, _wide(builder, x))
    rest = call("fma", _scaled(builder, result), y, call("negative", _scaled(builder, x)))
    return call("or", _vanished(builder, result, x), _is_not_zero(builder, rest))


def reciprocal_rounded(builder: Builder, result: Operand, x: Operand) -> Value:
    """Return whether a tiny reciprocal is not exact.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    x : Value or Literal
        The divisor, float32 or float64.
    """
    return quotient_rounded(builder, result, builder.literal(1.0, x.dtype), x)


def converted(builder: Builder, result: Operand, x: Operand) -> Value:
    """Return whether a tiny result of a conversion to a narrower dtype is not exact.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The operation's result.
    x : Value or Literal
        The number before, float64.
    """
    return builder.call("not_equal", *_all_wide(builder, result, x))


def _vanished(builder: Builder, result: Operand, *operands: Operand) -> Value:
    """Return whether a result is zero though no operand is."""
    vanished = builder.call("equal", result, builder.literal(0.0, FLOAT64))
    for operand in operands:
        vanished = builder.call("and", vanished, _is_not_zero(builder, operand))
    return vanished


def _is_not_zero(builder: Builder, x: Operand) -> Value:
    return builder.call("not_equal", x, builder.literal(0.0, x.dtype))


def _scaled(builder: Builder, x: Operand) -> Value:
    return builder.call("multiply", x, builder.literal(SCALE, FLOAT64))


def _all_wide(builder: Builder, *operands: Operand) -> list[Operand]:
    return [_wide(builder, operand) for operand in operands]


def _wide(builder: Builder, x: Operand) -> Operand:
    return builder.call("convert", x, dtype=FLOAT64)
