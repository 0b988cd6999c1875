"""Rows of the elementwise table: arithmetic, rounding, extrema and integer bits."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.ops import complex_numbers
from lazyarr.ops.fp_conditions import at_zero, either, floating, in_steps
from lazyarr.ops.fp_underflow import (
    product_rounded,
    quotient_rounded,
    reciprocal_rounded,
    square_rounded,
)
from lazyarr.ops.table import Expand, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["ROWS"]

# The ufunc under np.clip, which has no public name.
CLIP: np.ufunc = importlib.import_module("numpy._core.umath").clip

BOOL = np.dtype(np.bool_)


def _primitive(name: str, of_bool: str | None = None) -> Expand:
    """Return the expansion into one primitive, or another one for bools."""

    def expand(builder: Builder, *values: Operand) -> Value | None:
        if values[0].dtype == BOOL:
            return None if of_bool is None else builder.call(of_bool, *values)
        return builder.call(name, *values)

    return expand


def _itself(builder: Builder, x: Operand) -> Operand:
    return x


def _rounding(primitive: str) -> Expand:
    def expand(builder: Builder, x: Operand) -> Operand:
        return builder.call(primitive, x) if kind_of(x.dtype) == "f" else x

    return expand


# ---------------------------------------------------------------- division


def _safe_divisor(builder: Builder, y: Operand) -> Value:
    """Return y, or 1 where dividing by y could trap; x % 1 is 0, as is NumPy's x % 0."""
    unsafe = builder.call("equal", y, builder.literal(0, y.dtype))
    if kind_of(y.dtype) == "i":
        minus_one = builder.call("equal", y, builder.literal(-1, y.dtype))
        unsafe = builder.call("or", unsafe, minus_one)
    return builder.call("select", unsafe, builder.literal(1, y.dtype), y)


_floor_divide_floats = floating("invalid", "over", pole=at_zero)
_remainder_floats = floating("invalid")
_reciprocal_floats = floating("over", pole=at_zero, rounded=reciprocal_rounded)


def _remainder_faults(
    builder: Builder, result: Operand, x: Operand, y: Operand
) -> dict[str, Value]:
    """Return when NumPy warns of a remainder: of integers, by zero."""
    if kind_of(x.dtype) not in "iu":
        return _remainder_floats(builder, result, x, y)
    return {"divide": builder.call("equal", y, builder.literal(0, y.dtype))}


def _floor_divide_faults(
    builder: Builder, result: Operand, x: Operand, y: Operand
) -> dict[str, Value]:
    """Return when NumPy warns of a quotient: of integers, by zero, or of the least one by -1."""
    if kind_of(x.dtype) not in "iu":
        return _floor_divide_floats(builder, result, x, y)
    faults = {"divide": builder.call("equal", y, builder.literal(0, y.dtype))}
    if kind_of(x.dtype) == "i":
        least = builder.literal(int(np.iinfo(x.dtype).min), x.dtype)
        faults["over"] = builder.call(
            "and",
            builder.call("equal", x, least),
            builder.call("equal", y, builder.literal(-1, y.dtype)),
        )
    return faults


def _reciprocal_faults(builder: Builder, result: Operand, x: Operand) -> dict[str, Value]:
    """Return when NumPy warns of a reciprocal: of integers, as infinity has no integer."""
    if kind_of(x.dtype) not in "iu":
        return _reciprocal_floats(builder, result, x)
    zero = builder.call("equal", x, builder.literal(0, x.dtype))
    return {"divide": zero, "invalid": zero}


def _signs_differ(builder: Builder, x: Operand, y: Operand) -> Value:
    zero = builder.literal(0, x.dtype)
    return builder.call("xor", builder.call("less", x, zero), builder.call("less", y, zero))


def _floor_divide(builder: Builder, x: Operand, y: Operand) -> Value:
    """Divide, rounding down; an integer divided by zero is zero."""
    if kind_of(x.dtype) == "f":
        return _float_divmod(builder, x, y)[0]
    if builder.divides_in_vectors:
        # Imported here: few programs divide integers.
        from lazyarr.ops.integer_division import floor_divided

        in_vectors = floor_divided(builder, x, y)
        if in_vectors is not None:
            return in_vectors
    zero, one = builder.literal(0, x.dtype), builder.literal(1, x.dtype)
    divisor = _safe_divisor(builder, y)
    quotient = builder.call("divide", x, divisor)
    if kind_of(x.dtype) == "i":
        rest = builder.call("subtract", x, builder.call("multiply", quotient, divisor))
        lower = builder.call(
            "and",
            builder.call("not_equal", rest, zero),
            _signs_differ(builder, rest, divisor),
        )
        quotient = builder.call("select", lower, builder.call("subtract", quotient, one), quotient)
        by_minus_one = builder.call("equal", y, builder.literal(-1, y.dtype))
        opposite = builder.call("negative", x)
        quotient = builder.call("select", by_minus_one, opposite, quotient)
    return builder.call("select", builder.call("equal", y, zero), zero, quotient)


def _remainder(builder: Builder, x: Operand, y: Operand) -> Value:
    """Return ``x - y * floor(x / y)``, with the sign of y; an integer's by zero is zero."""
    if kind_of(x.dtype) == "f":
        return _float_divmod(builder, x, y)[1]
    if builder.divides_in_vectors:
        # Imported here: few programs divide integers.
        from lazyarr.ops.integer_division import floor_rest

        in_vectors = floor_rest(builder, x, y)
        if in_vectors is not None:
            return in_vectors
    divisor = _safe_divisor(builder, y)
    rest = builder.call("remainder", x, divisor)
    if kind_of(x.dtype) == "u":
        return rest
    nonzero = builder.call("not_equal", rest, builder.literal(0, x.dtype))
    wrong = builder.call("and", nonzero, _signs_differ(builder, rest, divisor))
    return builder.call("select", wrong, builder.call("add", rest, divisor), rest)


def _fmod(builder: Builder, x: Operand, y: Operand) -> Value:
    divisor = y if kind_of(x.dtype) == "f" else _safe_divisor(builder, y)
    return builder.call("remainder", x, divisor)


def _float_divmod(builder: Builder, x: Operand, y: Operand) -> tuple[Value, Value]:
    """Return quotient and remainder by NumPy's ``npy_divmod``, branch for branch."""
    zero, one = builder.literal(0.0, x.dtype), builder.literal(1.0, x.dtype)
    by_zero = builder.call("equal", y, zero)
    plain = builder.call("divide", x, y)
    rest = builder.call("remainder", x, y)
    quotient = builder.call("divide", builder.call("subtract", x, rest), y)
    no_rest = builder.call("equal", rest, zero)
    wrong = builder.call("and", builder.call("not", no_rest), _signs_differ(builder, rest, y))
    lower = builder.call("subtract", quotient, one)
    quotient = builder.call("select", wrong, lower, quotient)
    modulus = builder.call("select", wrong, builder.call("add", rest, y), rest)
    signed_zero = builder.call("copysign", zero, y)
    modulus = builder.call("select", no_rest, signed_zero, modulus)
    # The quotient is nearly an integer: snap to it.
    floor = builder.call("floor", quotient)
    excess = builder.call("subtract", quotient, floor)
    half = builder.literal(0.5, x.dtype)
    above = builder.call("add", floor, one)
    floor = builder.call("select", builder.call("greater", excess, half), above, floor)
    vanishes = builder.call("equal", quotient, zero)
    floor = builder.call("select", vanishes, builder.call("copysign", zero, plain), floor)
    return (
        builder.call("select", by_zero, plain, floor),
        builder.call("select", by_zero, rest, modulus),
    )


def _reciprocal(builder: Builder, x: Operand) -> Value:
    """Divide 1 by x; integers by way of float64, with NumPy's result for 0 on this machine."""
    if kind_of(x.dtype) == "f":
        return builder.call("divide", builder.literal(1.0, x.dtype), x)
    float64 = np.dtype(np.float64)
    wide = builder.call("convert", x, dtype=float64)
    quotient = builder.call("divide", builder.literal(1.0, float64), wide)
    # To make an integer of infinity is left to processors, and a GPU's is another.
    by_zero = builder.call("equal", x, builder.literal(0, x.dtype))
    pole = builder.literal(_reciprocal_of_zero(x.dtype), x.dtype)
    return builder.call("select", by_zero, pole, builder.call("convert", quotient, dtype=x.dtype))


@cache
def _reciprocal_of_zero(dtype: np.dtype[Any]) -> int:
    with np.errstate(all="ignore"):
        return int(np.reciprocal(np.zeros(1, dtype))[0])


# ---------------------------------------------------------------- size and sign


def _absolute(builder: Builder, x: Operand) -> Operand:
    if kind_of(x.dtype) == "f":
        return builder.call("absolute", x)
    if kind_of(x.dtype) != "i":
        return x
    negative = builder.call("less", x, builder.literal(0, x.dtype))
    return builder.call("select", negative, builder.call("negative", x), x)


def _sign(builder: Builder, x: Operand) -> Value:
    """Return -1, 0 or 1; NaN stays, and -0.0 becomes 0.0."""
    zero, one = builder.literal(0, x.dtype), builder.literal(1, x.dtype)
    positive = builder.call("greater", x, zero)
    if kind_of(x.dtype) == "u":
        return builder.call("select", positive, one, zero)
    minus_one = builder.literal(-1, x.dtype)
    negative = builder.call("less", x, zero)
    rest = builder.call("select", negative, minus_one, zero)
    sign = builder.call("select", positive, one, rest)
    if kind_of(x.dtype) == "i":
        return sign
    return builder.call("select", builder.call("equal", x, x), sign, x)


def _heaviside(builder: Builder, x: Operand, at_zero: Operand) -> Value:
    zero, one = builder.literal(0.0, x.dtype), builder.literal(1.0, x.dtype)
    step = builder.call("select", builder.call("less", x, zero), zero, one)
    step = builder.call("select", builder.call("equal", x, zero), at_zero, step)
    return builder.call("select", builder.call("equal", x, x), step, x)


def _float_extremum(primitive: str, order: str, of_bool: str = "") -> Expand:
    def expand(builder: Builder, x: Operand, y: Operand) -> Value:
        """Prefer a number to NaN; of two zeros the order says which."""
        if x.dtype == BOOL:
            return builder.call(of_bool, x, y)
        if kind_of(x.dtype) != "f":
            return builder.call(primitive, x, y)
        first = builder.call("or", builder.call(order, x, y), builder.call("not_equal", y, y))
        return builder.call("select", first, x, y)

    return expand


def _first_extremum(order: str) -> Expand:
    def expand(builder: Builder, x: Operand, y: Operand) -> Value:
        """Prefer NaN to a number, and of two zeros the first."""
        first = builder.call("or", builder.call(order, x, y), builder.call("not_equal", x, x))
        return builder.call("select", first, x, y)

    return expand


def _clip(builder: Builder, x: Operand, low: Operand, high: Operand) -> Value:
    """``minimum(maximum(x, low), high)``."""
    if x.dtype == BOOL:
        return builder.call("and", builder.call("or", x, low), high)
    return builder.call("minimum", builder.call("maximum", x, low), high)


def _clip_half(builder: Builder, x: Operand, low: Operand, high: Operand) -> Any:
    """Clip, and keep a zero that is equal to a bound."""
    raised = _first_extremum("greater_equal")(builder, x, low)
    return _first_extremum("less_equal")(builder, raised, high)


# ---------------------------------------------------------------- bits


def _in_width(builder: Builder, shift: Operand) -> Value:
    """Write whether a shift is neither negative nor as wide as the type."""
    unsigned = np.dtype(f"u{shift.dtype.itemsize}")
    if shift.dtype != unsigned:
        shift = builder.call("bitcast", shift, dtype=unsigned)
    return builder.call("less", shift, builder.literal(8 * unsigned.itemsize, unsigned))


def _shift(primitive: str) -> Expand:
    def expand(builder: Builder, x: Operand, y: Operand) -> Value:
        """Shift; too far a shift moves every bit out, leaving the sign of a right shift."""
        zero = builder.literal(0, x.dtype)
        fits = _in_width(builder, y)
        shift = builder.call("select", fits, y, zero)
        gone: Operand = zero
        if primitive == "shift_right" and kind_of(x.dtype) == "i":
            last = builder.literal(8 * x.dtype.itemsize - 1, x.dtype)
            gone = builder.call("shift_right", x, last)
        return builder.call("select", fits, builder.call(primitive, x, shift), gone)

    return expand


def _bitwise_count(builder: Builder, x: Operand) -> Value:
    """Count the ones of ``|x|``: add neighbouring fields of 1, 2, 4, ... bits."""
    bits = 8 * x.dtype.itemsize
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    count = _absolute(builder, x)
    if x.dtype != unsigned:
        count = builder.call("bitcast", count, dtype=unsigned)
    width = 1
    while width < bits:
        field = (1 << width) - 1
        mask = builder.literal(sum(field << at for at in range(0, bits, 2 * width)), unsigned)
        shift = builder.literal(width, unsigned)
        odd = builder.call("and", builder.call("shift_right", count, shift), mask)
        count = builder.call("add", builder.call("and", count, mask), odd)
        width *= 2
    return builder.call("convert", count, dtype=np.dtype(np.uint8))


def _nonzero_divisor(builder: Builder, x: complex_numbers.Pair, y: complex_numbers.Pair) -> Value:
    return builder.call("not", complex_numbers.is_zero(builder, y))


def _zero_divisor(builder: Builder, x: complex_numbers.Pair, y: complex_numbers.Pair) -> Value:
    return complex_numbers.is_zero(builder, y)


_rounded = floating("invalid", "over")
_complex_division = either(
    in_steps(complex_numbers.smith, _nonzero_divisor),
    in_steps(complex_numbers.by_zero, _zero_divisor),
)

ROWS = (
    elementwise(
        "add",
        np.add,
        expand=_primitive("add", "or"),
        of_complex=complex_numbers.partwise("add"),
        complex_faults=in_steps(complex_numbers.partwise("add")),
        commutative=True,
        faults=_rounded,
    ),
    elementwise(
        "subtract",
        np.subtract,
        expand=_primitive("subtract"),
        of_complex=complex_numbers.partwise("subtract"),
        complex_faults=in_steps(complex_numbers.partwise("subtract")),
        faults=_rounded,
    ),
    elementwise(
        "multiply",
        np.multiply,
        expand=_primitive("multiply", "and"),
        of_complex=complex_numbers.multiply,
        complex_faults=in_steps(complex_numbers.multiply),
        commutative=True,
        faults=floating("invalid", "over", rounded=product_rounded),
    ),
    elementwise(
        "divide",
        np.divide,
        expand=_primitive("divide"),
        of_complex=complex_numbers.divide,
        cost=4,
        faults=floating("invalid", "over", pole=at_zero, rounded=quotient_rounded),
        complex_faults=_complex_division,
    ),
    *(
        elementwise(
            name, ufunc, expand=_floor_divide, cost=8, faults=_floor_divide_faults, code_size=40
        )
        for name, ufunc in (("floor_divide", np.floor_divide), ("divmod_quotient", np.divmod))
    ),
    elementwise(
        "remainder", np.remainder, expand=_remainder, cost=8, faults=_remainder_faults, code_size=24
    ),
    elementwise(
        "divmod_remainder",
        np.divmod,
        expand=_remainder,
        cost=8,
        faults=_remainder_faults,
        code_size=24,
        output=1,
    ),
    elementwise("fmod", np.fmod, expand=_fmod, cost=8, faults=_remainder_faults, code_size=16),
    elementwise(
        "negative",
        np.negative,
        expand=_primitive("negative"),
        of_complex=complex_numbers.partwise("negative"),
    ),
    elementwise("positive", np.positive, expand=_itself, of_complex=complex_numbers.itself),
    elementwise(
        "absolute",
        np.absolute,
        expand=_absolute,
        of_complex=complex_numbers.absolute,
        nonnegative=True,
    ),
    elementwise("fabs", np.fabs, expand=_absolute, nonnegative=True),
    elementwise(
        "sign",
        np.sign,
        expand=_sign,
        of_complex=complex_numbers.sign,
        complex_faults=in_steps(complex_numbers.absolute),
    ),
    elementwise("heaviside", np.heaviside, expand=_heaviside),
    elementwise(
        "reciprocal",
        np.reciprocal,
        expand=_reciprocal,
        of_complex=complex_numbers.reciprocal,
        complex_faults=in_steps(complex_numbers.reciprocal),
        cost=4,
        faults=_reciprocal_faults,
    ),
    elementwise(
        "square",
        np.square,
        expand=lambda builder, x: builder.call("multiply", x, x),
        of_complex=complex_numbers.square,
        faults=floating("over", rounded=square_rounded),
        complex_faults=in_steps(complex_numbers.square),
        nonnegative=True,
    ),
    elementwise("conjugate", np.conjugate, expand=_itself, of_complex=complex_numbers.conjugate),
    elementwise(
        "rint", np.rint, expand=_rounding("rint"), of_complex=complex_numbers.partwise("rint")
    ),
    elementwise("floor", np.floor, expand=_rounding("floor")),
    elementwise("ceil", np.ceil, expand=_rounding("ceil")),
    elementwise("trunc", np.trunc, expand=_rounding("trunc")),
    elementwise(
        "maximum",
        np.maximum,
        expand=_primitive("maximum", "or"),
        of_half=_first_extremum("greater_equal"),
        of_complex=complex_numbers.extremum("greater_equal", 0),
    ),
    elementwise(
        "minimum",
        np.minimum,
        expand=_primitive("minimum", "and"),
        of_half=_first_extremum("less_equal"),
        of_complex=complex_numbers.extremum("less_equal", 0),
    ),
    elementwise(
        "fmax",
        np.fmax,
        expand=_float_extremum("maximum", "greater", "or"),
        of_half=_float_extremum("maximum", "greater_equal"),
        of_complex=complex_numbers.extremum("greater_equal", 1),
    ),
    elementwise(
        "fmin",
        np.fmin,
        expand=_float_extremum("minimum", "less", "and"),
        of_half=_float_extremum("minimum", "less_equal"),
        of_complex=complex_numbers.extremum("less_equal", 1),
    ),
    elementwise("clip", CLIP, expand=_clip, of_half=_clip_half),
    elementwise("gcd", np.gcd, cost=20, commutative=True, associative=True),
    elementwise("lcm", np.lcm, cost=20, commutative=True),
    elementwise(
        "bitwise_and",
        np.bitwise_and,
        expand=_primitive("and", "and"),
        commutative=True,
        associative=True,
    ),
    elementwise(
        "bitwise_or",
        np.bitwise_or,
        expand=_primitive("or", "or"),
        commutative=True,
        associative=True,
    ),
    elementwise(
        "bitwise_xor",
        np.bitwise_xor,
        expand=_primitive("xor", "xor"),
        commutative=True,
        associative=True,
    ),
    elementwise("invert", np.invert, expand=_primitive("not", "not")),
    elementwise("left_shift", np.left_shift, expand=_shift("shift_left")),
    elementwise("right_shift", np.right_shift, expand=_shift("shift_right")),
    elementwise("bitwise_count", np.bitwise_count, expand=_bitwise_count, cost=4),
)
