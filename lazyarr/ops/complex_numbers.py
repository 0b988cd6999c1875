"""Complex numbers in kernels: pairs of real numbers, on which ops work.

The formulas are those of NumPy's loops, branch for branch, so that ``+ - * /`` and what is made of
them have NumPy's bits. NumPy multiplies with fused multiply-add wherever the processor has it, and
so do kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lazyarr.loop_ir.pair import Pair

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["Pair", "partwise"]

BOOL = np.dtype(np.bool_)


OfComplex = Callable[..., "Operand | Pair | None"]
Comparison = Callable[..., "Value"]


def partwise(primitive: str) -> OfComplex:
    """Return the op that does the same to each part."""

    def expand(builder: Builder, *values: Pair) -> Pair:
        reals = [value.real for value in values]
        imags = [value.imag for value in values]
        return Pair(builder.call(primitive, *reals), builder.call(primitive, *imags))

    return expand


# ---------------------------------------------------------------- arithmetic


def itself(builder: Builder, x: Pair) -> Pair:
    """Return x.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return x


def conjugate(builder: Builder, x: Pair) -> Pair:
    """Return x with the opposite sign of its imaginary part.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return Pair(x.real, builder.call("negative", x.imag))


def multiply(builder: Builder, x: Pair, y: Pair) -> Pair:
    """``(xr yr - xi yi) + (xr yi + xi yr)i``; the second product of each part is rounded alone.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    call = builder.call
    crossed = call("negative", call("multiply", x.imag, y.imag))
    return Pair(
        call("fma", x.real, y.real, crossed),
        call("fma", x.real, y.imag, call("multiply", x.imag, y.real)),
    )


def square(builder: Builder, x: Pair) -> Pair:
    """Return x times x.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return multiply(builder, x, x)


def _choose(builder: Builder, condition: Value, x: Pair, y: Pair) -> Pair:
    return Pair(
        builder.call("select", condition, x.real, y.real),
        builder.call("select", condition, x.imag, y.imag),
    )


def _literal(builder: Builder, value: float, like: Pair) -> Operand:
    return builder.literal(value, like.real.dtype)


def divide(builder: Builder, x: Pair, y: Pair) -> Pair:
    """Return ``x / y`` as NumPy computes it: part by part where the divisor is zero.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    return _choose(builder, is_zero(builder, y), by_zero(builder, x, y), smith(builder, x, y))


def smith(builder: Builder, x: Pair, y: Pair) -> Pair:
    """Return ``x / y`` by Smith's algorithm (Algorithm 116, CACM 5, 1962).

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    call = builder.call
    wide = call("greater_equal", call("absolute", y.real), call("absolute", y.imag))
    # The larger part of the divisor, and the smaller one over it.
    large = call("select", wide, y.real, y.imag)
    small = call("select", wide, y.imag, y.real)
    ratio = call("divide", small, large)
    whole = call("add", large, call("multiply", small, ratio))
    scale = call("divide", _literal(builder, 1.0, x), whole)
    by_real = call("multiply", x.real, ratio)
    by_imag = call("multiply", x.imag, ratio)
    # Selected before they are added: NumPy takes one of these sums, and warns of no other.
    real = call("add", call("select", wide, x.real, by_real), call("select", wide, by_imag, x.imag))
    imag = call(
        "subtract", call("select", wide, x.imag, by_imag), call("select", wide, by_real, x.real)
    )
    return Pair(call("multiply", real, scale), call("multiply", imag, scale))


def by_zero(builder: Builder, x: Pair, y: Pair) -> Pair:
    """Return ``x / 0``: infinities of the signs of the parts, or NaN.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The dividend.
    y : Pair
        The divisor, of which both parts are zero.
    """
    size = builder.call("absolute", y.real)
    return Pair(builder.call("divide", x.real, size), builder.call("divide", x.imag, size))


def is_zero(builder: Builder, x: Pair) -> Value:
    """Return whether both parts are zero.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    zero = _literal(builder, 0.0, x)
    return builder.call("and", *(builder.call("equal", part, zero) for part in x))


def reciprocal(builder: Builder, x: Pair) -> Pair:
    """``1 / x`` by NumPy's own loop, which is not its division of 1 by x.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    call = builder.call
    wide = call("less_equal", call("absolute", x.imag), call("absolute", x.real))
    large = call("select", wide, x.real, x.imag)
    small = call("select", wide, x.imag, x.real)
    ratio = call("divide", small, large)
    whole = call("add", large, call("multiply", small, ratio))
    one = _literal(builder, 1.0, x)
    inverse = call("divide", one, whole)
    share = call("divide", ratio, whole)
    return Pair(
        call("select", wide, inverse, share),
        call("negative", call("select", wide, share, inverse)),
    )


def absolute(builder: Builder, x: Pair) -> Value:
    """``hypot(real, imag)``.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("hypot", x.real, x.imag)


def angle(builder: Builder, x: Pair) -> Value:
    """``atan2(imag, real)``.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("atan2", x.imag, x.real)


def sign(builder: Builder, x: Pair) -> Pair:
    """``x / |x|``; an infinite part counts as 1 beside a finite one, and zero gives zero.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    call = builder.call
    zero, one = _literal(builder, 0.0, x), _literal(builder, 1.0, x)
    infinity, nan = _literal(builder, np.inf, x), _literal(builder, np.nan, x)
    size = absolute(builder, x)
    usual = Pair(call("divide", x.real, size), call("divide", x.imag, size))
    endless = [call("equal", call("absolute", part), infinity) for part in x]
    units = []
    for part, other, own in ((x.real, endless[1], endless[0]), (x.imag, endless[0], endless[1])):
        unit = call("select", call("greater", part, zero), one, call("negative", one))
        unit = call("select", own, unit, zero)
        units.append(call("select", call("and", own, other), nan, unit))
    directed = _choose(builder, call("equal", size, infinity), Pair(units[0], units[1]), usual)
    # |nan + inf i| is infinite, and so is its sign.
    nothing = call("equal", size, zero)
    return _choose(builder, nothing, Pair(zero, zero), directed)


# ---------------------------------------------------------------- comparisons and choice


def equal(builder: Builder, x: Pair, y: Pair) -> Value:
    """Return whether both parts are equal.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    same = builder.call("equal", x.real, y.real), builder.call("equal", x.imag, y.imag)
    return builder.call("and", *same)


def not_equal(builder: Builder, x: Pair, y: Pair) -> Value:
    """Return whether either part differs.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    other = builder.call("not_equal", x.real, y.real), builder.call("not_equal", x.imag, y.imag)
    return builder.call("or", *other)


def ordering(strict: str, relation: str) -> Comparison:
    """Return the lexicographic comparison; real parts decide only if no imaginary part is NaN.

    Parameters
    ----------
    strict : {"less", "greater"}
        The primitive that compares real parts.
    relation : str
        The primitive that compares imaginary parts where the real ones are equal.

    Returns
    -------
    callable
        The expansion of the comparison.
    """

    def expand(builder: Builder, x: Pair, y: Pair) -> Value:
        call = builder.call
        numbers = call("and", call("equal", x.imag, x.imag), call("equal", y.imag, y.imag))
        first = call("and", call(strict, x.real, y.real), numbers)
        second = call("and", call("equal", x.real, y.real), call(relation, x.imag, y.imag))
        return call("or", first, second)

    return expand


def extremum(relation: str, of_nan: int) -> OfComplex:
    """Return the choice of the operand that an order puts first; a NaN of one operand decides.

    Parameters
    ----------
    relation : {"less_equal", "greater_equal"}
        The order of imaginary parts; that of real parts is the same, but strict.
    of_nan : {0, 1}
        The operand whose NaN makes the first operand the result.

    Returns
    -------
    callable
        The expansion of the minimum or maximum.
    """
    before = ordering(relation.removesuffix("_equal"), relation)

    def expand(builder: Builder, x: Pair, y: Pair) -> Pair:
        first = before(builder, x, y)
        is_first = builder.call("or", isnan(builder, (x, y)[of_nan]), first)
        return _choose(builder, is_first, x, y)

    return expand


def true(builder: Builder, x: Pair) -> Value:
    """Return whether either part differs from zero.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("or", *(builder.call("convert", part, dtype=BOOL) for part in x))


def logical(primitive: str) -> OfComplex:
    """Return a logical op of truth values."""

    def expand(builder: Builder, *values: Pair) -> Value:
        return builder.call(primitive, *(true(builder, value) for value in values))

    return expand


def isnan(builder: Builder, x: Pair) -> Value:
    """Return whether either part is NaN.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("or", *(builder.call("not_equal", part, part) for part in x))


def _sizes(builder: Builder, x: Pair, relation: str) -> list[Value]:
    infinity = _literal(builder, np.inf, x)
    return [builder.call(relation, builder.call("absolute", part), infinity) for part in x]


def isinf(builder: Builder, x: Pair) -> Value:
    """Return whether either part is infinite.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("or", *_sizes(builder, x, "equal"))


def isfinite(builder: Builder, x: Pair) -> Value:
    """Return whether both parts are finite.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return builder.call("and", *_sizes(builder, x, "less"))


def where(builder: Builder, condition: Value, x: Pair, y: Pair) -> Pair:
    """Return x where the condition holds, else y.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    condition : Value
        A bool.
    x, y : Pair
        The operands: their real and imaginary parts, floats of one dtype.
    """
    return _choose(builder, condition, x, y)


def real(builder: Builder, x: Pair) -> Operand:
    """Return the real part.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return x.real


def imag(builder: Builder, x: Pair) -> Operand:
    """Return the imaginary part.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Pair
        The operand: its real and its imaginary part, floats of one dtype.
    """
    return x.imag
