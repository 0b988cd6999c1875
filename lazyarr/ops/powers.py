"""Powers with a whole exponent that is known when a plan is made, by multiplication.

A power of float32 is a product of float64, rounded once. Its error before that is below 16 units of
float64, and of all float32 none has a power so near to the middle of two others that it would be
rounded to the wrong one; where a result is subnormal, the middle lies elsewhere, and a few may be.

A power of float64 is the difference of two floats: the product, and its excess by rounding, which a
fused multiplication and addition gives exactly (T. J. Dekker, "A floating-point technique for
extending the available precision", 1971; with fma as in Ogita, Rump and Oishi, "Accurate sum and
dot product", 2005). With ``u`` half a unit in the last place, the square of ``h - l`` is

    p = h h,    e = fma(-h, h, p) + 2 h l,

which leaves out ``l l``, of relative size u**2. So the error before the last rounding is below
``4 k u**2``, and the result is the nearest float but for a share of about ``8 k u`` of arguments.
Where a product is infinite, its excess is an infinity or a NaN, and the largest float is taken for
it. Multiplication is by the magnitude of `x`, so that no product is negative; the sign of odd
powers comes last.

The exponent is taken bit by bit from the left, so that several powers of one base share their
steps: the sixth is the square of the third. Whole numbers wrap as NumPy's do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Node, Op
from lazyarr.ops.fp_conditions import floating
from lazyarr.ops.table import Resolved, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["whole_power", "whole_powers"]

Array = np.ndarray[Any, Any]

_WIDE = np.dtype(np.float64)
_LARGEST_FLOAT = float(np.finfo(_WIDE).max)

#: The largest exponent. Each makes a form of its own, and a loop over exponents may not compile a
#: plan an iteration.
_LARGEST = 16


def _expansion(exponent: int) -> Callable[[Builder, Operand], Value | None]:
    """Return the scalar code of a power.

    Parameters
    ----------
    exponent : int
        At least 2.

    Returns
    -------
    callable
        ``expand(builder, x)``.
    """
    bits = bin(exponent)[3:]  # the first one is x itself

    def product_of(builder: Builder, x: Operand) -> Value:
        call = builder.call
        result = call("multiply", x, x)
        for step, bit in enumerate(bits):
            if step:
                result = call("multiply", result, result)
            if bit == "1":
                result = call("multiply", result, x)
        return result

    def expand(builder: Builder, x: Operand) -> Value | None:
        call = builder.call
        if kind_of(x.dtype) in "iu":
            return product_of(builder, x)
        if x.dtype.itemsize == 4:
            wide = call("convert", x, dtype=_WIDE)
            return call("convert", product_of(builder, wide), dtype=x.dtype)
        size = call("absolute", x) if "1" in bits else x
        high, excess = _times(builder, x, None, x)
        for step, bit in enumerate(bits):
            if step:
                high, excess = _times(builder, high, excess, high)
            if bit == "1":
                high, excess = _times(builder, high, excess, size)
        largest = builder.literal(_LARGEST_FLOAT, x.dtype)
        # Of a NaN this is false, too.
        excess = call("select", call("less", excess, largest), excess, largest)
        total = call("subtract", high, excess)
        return call("copysign", total, x) if bits[-1] == "1" else total

    return expand


def _times(builder: Builder, x: Operand, excess: Operand | None, y: Operand) -> tuple[Value, Value]:
    """Return the product of ``x - excess`` and `y`, and the amount by which rounding increased it.

    Where `y` is `x` itself the square is meant. The excess of a product that is zero is a zero
    without a sign, so that their difference has the sign of the product.
    """
    call = builder.call
    product = call("multiply", x, y)
    rest = call("fma", call("negative", x), y, product)
    if excess is not None:
        rest = call("fma", call("add", x, x) if x is y else y, excess, rest)
    return product, rest


def _evaluator(exponent: int) -> Callable[..., Array]:
    def evaluate(node: Node, x: Array) -> Array:
        return np.asarray(np.power(x, x.dtype.type(exponent)))

    return evaluate


def _rule(operands: tuple[Any, ...]) -> Resolved:
    (dtype,) = operands
    return (dtype,), dtype


def _is_not_zero(builder: Builder, result: Operand, x: Operand) -> Value:
    return builder.call("not_equal", x, builder.literal(0.0, x.dtype))


def _row(exponent: int) -> Op:
    # Four operations for each product of floats.
    products = 4 * (exponent.bit_length() + exponent.bit_count() - 2)
    return elementwise(
        f"power_{exponent}",
        np.power,  # whose warnings it gives
        expand=_expansion(exponent),
        evaluate=_evaluator(exponent),
        rule=_rule,
        cost=products + 2,
        faults=floating("invalid", "over", rounded=_is_not_zero),
    )


@cache
def whole_powers() -> dict[int, Op]:
    """Return for each exponent the operation of one operand, of whole or floating-point numbers.

    The rows are made when a power is first taken.
    """
    return {exponent: _row(exponent) for exponent in range(3, _LARGEST + 1)}


def whole_power(dtype: np.dtype[Any], exponent: object) -> Op | None:
    """Return the operation of a power by multiplication.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the base and of the result.
    exponent : object
        A number, or anything else.

    Returns
    -------
    Op or None
        None if the exponent is no whole number from 3 to 16, or the dtype is another than whole
        numbers and floats of 4 bytes or more.
    """
    if type(exponent) not in (int, float) or kind_of(dtype) not in "iuf" or dtype.itemsize < 4:
        return None
    return whole_powers().get(exponent)  # type: ignore[call-overload, no-any-return]
