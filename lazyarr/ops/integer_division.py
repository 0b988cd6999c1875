"""Integer quotients, rounded down, as processors compute them in vectors: without a division.

Of integers of up to 32 bits the quotient is one of floats of twice their width. It is exact: where
``x / y`` is no integer, the next one is at least ``1 / |y|`` away, and what rounding adds is less.

A divisor that is the same for a whole kernel is prepared once, before its loops. Integers of up to
32 bits are multiplied by its reciprocal, after half has been added to them, so that no product is
within its rounding error of the next integer. Integers of 64 bits are multiplied by
``2**64 (2**l - d) / d + 1``, of which the upper half is kept (T. Granlund and P. L. Montgomery,
"Division by invariant integers using multiplication", PLDI 1994, figure 4.1). That number is
divided out as in D. E. Knuth, "The Art of Computer Programming", volume 2, algorithm D.
Unsigned bytes are multiplied by such a number of theirs, in lanes of twice their width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["floor_divided", "floor_rest"]

DType = np.dtype[Any]

_WORD, _BYTE, _TWO_BYTES = np.dtype(np.uint64), np.dtype(np.uint8), np.dtype(np.uint16)
_HALF = 32  # bits of half a word
#: For a float's dtype: the integer of its width, and a number whose last place is 1. Where an
#: integer is added to it, that stands in the last bits of the sum, negative or not.
_FLOATS: dict[DType, tuple[DType, float]] = {
    np.dtype(np.float32): (np.dtype(np.int32), 1.5 * 2.0**23),
    np.dtype(np.float64): (np.dtype(np.int64), 1.5 * 2.0**52),
}


@dataclass(frozen=True, slots=True)
class Divisor:
    """A divisor that is ready for divisions.

    Attributes
    ----------
    safe : Operand
        The divisor, 1 for 0.
    mask : Operand
        No bits if it is 0, else all bits.
    numbers : tuple of Value
        What was prepared before the loops; empty if nothing was.
    """

    safe: Operand
    mask: Operand
    numbers: tuple[Value, ...] = ()


def floor_divided(builder: Builder, x: Operand, y: Operand) -> Value | None:
    """Return the integer quotient, rounded down; 0 by zero.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    x, y : Operand
        Integers of one dtype.

    Returns
    -------
    Value or None
        None where the processor's own division is the fastest.
    """
    division = _quotient(builder, x, y)
    if division is None:
        return None
    quotient, divisor = division
    return builder.call("and", quotient, divisor.mask)


def floor_rest(builder: Builder, x: Operand, y: Operand) -> Value | None:
    """Return the rest of that quotient, which has the sign of `y`; 0 by zero.

    Parameters
    ----------
    builder : Builder
        Where statements go.
    x, y : Operand
        Integers of one dtype.

    Returns
    -------
    Value or None
        None as of :func:`floor_divided`.
    """
    division = _quotient(builder, x, y)
    if division is None:
        return None
    quotient, divisor = division
    return builder.call("subtract", x, builder.call("multiply", quotient, divisor.safe))


def _quotient(builder: Builder, x: Operand, y: Operand) -> tuple[Value, Divisor] | None:
    is_word = x.dtype.itemsize == 8
    if not builder.is_invariant(y):
        if is_word:
            return None
        one_time = _safe(builder, y)
        return _by_floats(builder, x, one_time), one_time
    if is_word:
        prepare, by = _prepared_word, _by_word
    elif y.dtype == _BYTE:
        prepare, by = _prepared_byte, _by_byte
    else:
        prepare, by = _prepared, _by_reciprocal
    divisor: Divisor | None = builder.prepared.get(y)
    if divisor is None:
        with builder.first():
            divisor = prepare(builder, y)
        builder.prepared[y] = divisor
    return by(builder, x, divisor), divisor


def _safe(builder: Builder, y: Operand) -> Divisor:
    call, zero = builder.call, builder.literal(0, y.dtype)
    is_zero = call("equal", y, zero)
    ones = builder.literal(-1 if kind_of(y.dtype) == "i" else np.iinfo(y.dtype).max, y.dtype)
    safe = call("select", is_zero, builder.literal(1, y.dtype), y)
    return Divisor(safe, call("select", is_zero, zero, ones))


# ---------------------------------------------------------------- up to 32 bits


def _wide(dtype: DType) -> DType:
    return np.dtype(np.float64 if dtype.itemsize == 4 else np.float32)


def _by_floats(builder: Builder, x: Operand, divisor: Divisor) -> Value:
    wide = _wide(x.dtype)
    parts = [builder.call("convert", value, dtype=wide) for value in (x, divisor.safe)]
    return _floor(builder, builder.call("divide", *parts), x.dtype)


def _floor(builder: Builder, quotient: Value, dtype: DType) -> Value:
    """Return a float rounded down to an integer, whose last bits are kept if it does not fit."""
    call = builder.call
    integer, shift = _FLOATS[quotient.dtype]
    moved = call(
        "add", call("floor", quotient), builder.literal(shift, quotient.dtype)
    )  # no conversion: that would raise a flag where a quotient does not fit
    return call("convert", call("bitcast", moved, dtype=integer), dtype=dtype)


def _prepared(builder: Builder, y: Operand) -> Divisor:
    call, divisor, wide = builder.call, _safe(builder, y), _wide(y.dtype)
    half, one = builder.literal(0.5, wide), builder.literal(1.0, wide)
    value = call("convert", divisor.safe, dtype=wide)
    return Divisor(
        divisor.safe,
        divisor.mask,
        (call("copysign", half, value), call("divide", one, value)),
    )


def _by_reciprocal(builder: Builder, x: Operand, divisor: Divisor) -> Value:
    half, reciprocal = divisor.numbers
    value = builder.call("convert", x, dtype=half.dtype)
    product = builder.call("multiply", builder.call("add", value, half), reciprocal)
    return _floor(builder, product, x.dtype)


def _prepared_byte(builder: Builder, y: Operand) -> Divisor:
    """Return a divisor of unsigned bytes, with the factor and both shifts."""
    call, divisor = builder.call, _safe(builder, y)
    one, bits = builder.literal(1, _WORD), builder.literal(8, _WORD)
    size = call("convert", divisor.safe, dtype=_WORD)
    length = _bit_length(builder, call("subtract", size, one))
    rest = call("subtract", call("shift_left", one, length), size)
    factor = call("add", call("divide", call("shift_left", rest, bits), size), one)
    first = call("minimum", length, one)
    numbers = factor, first, call("subtract", length, first)
    return Divisor(
        divisor.safe,
        divisor.mask,
        tuple([call("convert", number, dtype=_TWO_BYTES) for number in numbers]),
    )


def _by_byte(builder: Builder, x: Operand, divisor: Divisor) -> Value:
    call, (factor, first, second) = builder.call, divisor.numbers
    value = call("convert", x, dtype=_TWO_BYTES)
    upper = call("shift_right", call("multiply", value, factor), builder.literal(8, _TWO_BYTES))
    mean = call("shift_right", call("subtract", value, upper), first)
    quotient = call("shift_right", call("add", upper, mean), second)
    return call("convert", quotient, dtype=x.dtype)


# ---------------------------------------------------------------- 64 bits


def _prepared_word(builder: Builder, y: Operand) -> Divisor:
    """Return a divisor of words, of whose magnitude the numbers are.

    They are both halves of the factor, two shifts, and 1 and all bits if it is negative.
    """
    call, divisor = builder.call, _safe(builder, y)
    zero, one = builder.literal(0, _WORD), builder.literal(1, _WORD)
    size = call("convert", divisor.safe, dtype=_WORD)
    signs: tuple[Value, ...] = ()
    if kind_of(y.dtype) == "i":
        negative = call("less", divisor.safe, builder.literal(0, y.dtype))
        size = call("select", negative, call("subtract", zero, size), size)
        below = call("select", negative, one, zero)
        signs = (below, call("subtract", zero, below))
    length = _bit_length(builder, call("subtract", size, one))
    position = call("and", length, builder.literal(63, _WORD))
    is_whole = call("equal", length, builder.literal(64, _WORD))
    power = call("select", is_whole, zero, call("shift_left", one, position))
    high = call("subtract", power, size)
    factor = call("add", _word_quotient(builder, high, size), one)
    first = call("minimum", length, one)
    return Divisor(
        divisor.safe,
        divisor.mask,
        (*_halves(builder, factor), first, call("subtract", length, first), *signs),
    )


def _bit_length(builder: Builder, value: Value) -> Value:
    """Return the number of bits of a word up to its first 1."""
    call = builder.call
    zero, half = builder.literal(0, _WORD), builder.literal(_HALF, _WORD)
    high = call("shift_right", value, half)
    is_long = call("not_equal", high, zero)
    part = call("select", is_long, high, value)
    odd = call("add", call("add", part, part), builder.literal(1, _WORD))
    wide = call("convert", odd, dtype=np.dtype(np.float64))
    exponent = call("shift_right", call("bitcast", wide, dtype=_WORD), builder.literal(52, _WORD))
    length = call("subtract", exponent, builder.literal(1023, _WORD))
    return call("add", length, call("select", is_long, half, zero))


def _word_quotient(builder: Builder, high: Value, divisor: Value) -> Value:
    """Return ``high * 2**64 / divisor`` of words, rounded down, for a `high` below the divisor."""
    call, half = builder.call, builder.literal(_HALF, _WORD)
    shift = call("subtract", builder.literal(64, _WORD), _bit_length(builder, divisor))
    divisor = call("shift_left", divisor, shift)
    rest = call("shift_left", high, shift)
    low, top = _halves(builder, divisor)
    digits = []
    for _ in range(2):
        digit = call("divide", rest, top)
        over = call("subtract", rest, call("multiply", digit, top))
        for _ in range(2):  # the first guess may be too large by two
            small = call("equal", call("shift_right", over, half), builder.literal(0, _WORD))
            too_large = call(
                "or",
                call("not_equal", call("shift_right", digit, half), builder.literal(0, _WORD)),
                call("greater", call("multiply", digit, low), call("shift_left", over, half)),
            )
            excess = call("convert", call("and", small, too_large), dtype=_WORD)
            digit = call("subtract", digit, excess)
            over = call("add", over, call("multiply", excess, top))
        rest = call("subtract", call("shift_left", rest, half), call("multiply", digit, divisor))
        digits.append(digit)
    return call("add", call("shift_left", digits[0], half), digits[1])


def _halves(builder: Builder, value: Value) -> tuple[Value, Value]:
    """Return the lower and the upper half of a word."""
    lower = builder.call("and", value, builder.literal(2**_HALF - 1, _WORD))
    return lower, builder.call("shift_right", value, builder.literal(_HALF, _WORD))


def _by_word(builder: Builder, x: Operand, divisor: Divisor) -> Value:
    """Return the quotient of words: of a negative number, that of its complement, complemented."""
    call = builder.call
    low, high, first, second, *signs = divisor.numbers
    value = call("convert", x, dtype=_WORD)
    flip: Value | None = None
    if signs:
        # x below 0, or not above 0 where the divisor is negative, which changes the sign.
        below, negative = signs
        limit = call("convert", below, dtype=x.dtype)
        ones, zero = builder.literal(2**64 - 1, _WORD), builder.literal(0, _WORD)
        sign = call("select", call("less", x, limit), ones, zero)
        value = call("xor", call("subtract", value, below), sign)
        flip = call("xor", sign, negative)
    upper = _upper_product(builder, value, low, high)
    mean = call("shift_right", call("subtract", value, upper), first)
    quotient = call("shift_right", call("add", upper, mean), second)
    if flip is not None:
        quotient = call("xor", quotient, flip)
    return call("convert", quotient, dtype=x.dtype)


def _upper_product(builder: Builder, x: Value, low: Value, high: Value) -> Value:
    """Return the upper word of the product with a word that is given by its halves."""
    call, half = builder.call, builder.literal(_HALF, _WORD)
    x_low, x_high = _halves(builder, x)
    carried = call("shift_right", call("multiply", x_low, low), half)
    middle = call("add", call("multiply", x_high, low), carried)
    middle_low, middle_high = _halves(builder, middle)
    carried = call("shift_right", call("add", call("multiply", x_low, high), middle_low), half)
    return call("add", call("add", call("multiply", x_high, high), middle_high), carried)
