"""Conditions on an element and its result under which NumPy warns of a floating operation.

NumPy reads them off the processor's flags, which are set where IEEE 754 says that an operation is
invalid (a result that is no number, of operands that are), divides by zero (an exact infinity of
finite operands), overflows (any other infinity of finite operands) or underflows (a tiny result
that was rounded). So the values count, too.

An operation on complex numbers is some operations on their parts, each of which may meet a fault.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.pair import Pair
from lazyarr.ops.fp_underflow import Rounded, converted, product_rounded, quotient_rounded, tiny
from lazyarr.ops.table import Faults

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "at_one",
    "at_size_one",
    "at_zero",
    "cast_faults",
    "complex_cast_faults",
    "either",
    "floating",
    "in_steps",
    "of_parts",
]

Pole = Callable[..., "Value"]


def floating(*faults: str, pole: Pole | None = None, rounded: Rounded | None = None) -> Faults:
    """Return the conditions under which a floating operation warns.

    Parameters
    ----------
    *faults : {"invalid", "over"}
        What may happen. Division by zero is among it if there is a pole.
    pole : callable, optional
        ``pole(builder, *operands)``: whether these operands are where the operation has a pole.
    rounded : callable, optional
        ``rounded(builder, result, *operands)``: whether a tiny result is not exact. Underflow is
        among what may happen if it is given.
    """

    def conditions(builder: Builder, result: Operand, *operands: Operand) -> dict[str, Value]:
        if kind_of(result.dtype) != "f":
            return {}
        floats = [operand for operand in operands if kind_of(operand.dtype) == "f"]
        met: dict[str, Value] = {}
        if "invalid" in faults:
            unknown = builder.call("not_equal", result, result)
            known = [builder.call("equal", x, x) for x in floats]
            met["invalid"] = _all(builder, [unknown, *known])
        infinite = _infinite(builder, result)
        others: list[Value] = []
        if pole is not None:
            there = pole(builder, *operands)
            others = [builder.call("not", there)]
            # The quotient of an infinity and zero is exact, and no division by zero.
            met["divide"] = _all(builder, [infinite, there, *_finite(builder, floats[:1])])
        if "over" in faults:
            met["over"] = _all(builder, [infinite, *_finite(builder, floats), *others])
        if rounded is not None:
            inexact = rounded(builder, result, *operands)
            met["under"] = _all(
                builder, [tiny(builder, result), *_finite(builder, floats), inexact]
            )
        return met

    return conditions


def at_zero(builder: Builder, *operands: Operand) -> Value:
    """Whether the last operand is zero.

    Parameters
    ----------
    builder : Builder
        Takes the statement.
    *operands : Operand
        Of the operation.
    """
    return builder.call("equal", operands[-1], builder.literal(0.0, operands[-1].dtype))


def at_one(value: float) -> Pole:
    """Return the pole of an operation that has it at one number."""

    def pole(builder: Builder, x: Operand) -> Value:
        return builder.call("equal", x, builder.literal(value, x.dtype))

    return pole


def at_size_one(builder: Builder, x: Operand) -> Value:
    """Whether the operand is 1 or -1.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    x : Value or Literal
        A float.
    """
    size = builder.call("absolute", x)
    return builder.call("equal", size, builder.literal(1.0, x.dtype))


def cast_faults(builder: Builder, result: Operand, x: Operand) -> dict[str, Value]:
    """Return the conditions under which a cast overflows, or has no integer near its operand.

    Integers narrower than 32 bits are cut from one of 32, whatever they lose: C's compilers do so,
    and NumPy warns of the conversion alone.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value or Literal
        The cast number.
    x : Value or Literal
        The number before.

    Returns
    -------
    dict of str to Value
        Bools by the names of faults in ``np.errstate``.
    """
    source, target = x.dtype, result.dtype
    if kind_of(target) == "f":
        floats = [x] if kind_of(source) == "f" else []
        met = {"over": _all(builder, [_infinite(builder, result), *_finite(builder, floats)])}
        if kind_of(source) == "f" and source.itemsize > target.itemsize:
            lost = [tiny(builder, result), converted(builder, result, x)]
            met["under"] = _all(builder, lost)
        return met
    if kind_of(source) != "f" or kind_of(target) == "b":
        return {}
    width = max(32, 8 * target.itemsize)
    whole = kind_of(target) == "u" and 8 * target.itemsize == width
    below = builder.call("less", x, builder.literal(2.0 ** (width if whole else width - 1), source))
    # The comparisons by which kernels convert, so that both are one pair. Of float64 there are
    # numbers above -2**31 - 1 that are cut to -2**31.
    bottom = -(2.0 ** (width - 1))
    if width == 32 and source.itemsize == 8:
        above = builder.call("greater", x, builder.literal(bottom - 1, source))
    else:
        above = builder.call("greater_equal", x, builder.literal(bottom, source))
    return {"invalid": builder.call("not", builder.call("and", above, below))}


_rounded = floating("invalid", "over")
_STEPS: dict[str, Faults] = {
    "add": _rounded,
    "subtract": _rounded,
    "multiply": floating("invalid", "over", rounded=product_rounded),
    "fma": _rounded,
    "divide": floating("invalid", "over", pole=at_zero, rounded=quotient_rounded),
    "hypot": floating("over"),
}


class _Steps:
    """A builder that writes a formula and collects the faults that its primitives may meet."""

    def __init__(self, builder: Builder, applies: Value | None) -> None:
        self.builder = builder
        self.applies = applies
        self.met: dict[str, Value] = {}

    def literal(self, value: float, dtype: np.dtype[Any]) -> Operand:
        """Return a literal of the builder.

        Parameters
        ----------
        value : float
            The number.
        dtype : numpy.dtype
            Its dtype.
        """
        return self.builder.literal(value, dtype)

    def call(self, primitive: str, *operands: Operand, **options: Any) -> Value:
        """Write a primitive, and the conditions under which it meets a fault.

        Parameters
        ----------
        primitive : str
            Its name.
        *operands : Operand
            What it takes.
        **options
            As of :meth:`Builder.call`.
        """
        result = self.builder.call(primitive, *operands, **options)
        if primitive in _STEPS:
            met = _STEPS[primitive](self.builder, result, *operands)
            if self.applies is not None:
                met = {k: self.builder.call("and", v, self.applies) for k, v in met.items()}
            _include(self.builder, self.met, met)
        return result


def in_steps(formula: Callable[..., object], when: Callable[..., Value] | None = None) -> Faults:
    """Return the conditions under which some primitive of a formula meets a fault.

    Parameters
    ----------
    formula : callable
        ``formula(builder, *operands)``, which takes the steps of NumPy's loop.
    when : callable, optional
        ``when(builder, *operands)``: for which operands NumPy takes this formula.
    """

    def conditions(builder: Builder, result: Operand, *operands: Operand) -> dict[str, Value]:
        steps = _Steps(builder, None if when is None else when(builder, *operands))
        formula(steps, *operands)
        return steps.met

    return conditions


def either(*several: Faults) -> Faults:
    """Return the conditions under which any of several formulas meets a fault."""

    def conditions(builder: Builder, result: Operand, *operands: Operand) -> dict[str, Value]:
        met: dict[str, Value] = {}
        for faults in several:
            _include(builder, met, faults(builder, result, *operands))
        return met

    return conditions


def of_parts(*faults: str, poles: tuple[complex, ...] = ()) -> Faults:
    """Return the conditions under which a function of a complex number warns, judged by its value.

    Parameters
    ----------
    *faults : {"invalid", "over"}
        What may happen: that a part is no number, or infinite, where all operands' parts are
        numbers, or finite.
    poles : tuple of complex
        Where the function divides by zero.
    """

    def conditions(builder: Builder, result: Pair, x: Pair) -> dict[str, Value]:
        call = builder.call
        finite = _all(builder, _finite(builder, list(x)))
        unknown = [call("not_equal", part, part) for part in result]
        known = [call("equal", part, part) for part in x]
        endless = call("or", *(_infinite(builder, part) for part in result))
        met: dict[str, Value] = {}
        if "invalid" in faults:
            met["invalid"] = _all(builder, [call("or", *unknown), *known])
        others: list[Value] = []
        if poles:
            there = functools.reduce(
                lambda left, right: call("or", left, right),
                [_at_point(builder, x, pole) for pole in poles],
            )
            others = [call("not", there)]
            met["divide"] = _all(builder, [endless, there])
        if "over" in faults:
            met["over"] = _all(builder, [endless, finite, *others])
        return met

    return conditions


def _at_point(builder: Builder, x: Pair, point: complex) -> Value:
    parts = [builder.literal(part, x.real.dtype) for part in (point.real, point.imag)]
    return builder.call(
        "and", *(builder.call("equal", part, at) for part, at in zip(x, parts, strict=True))
    )


def complex_cast_faults(
    builder: Builder, result: Operand | Pair, x: Operand | Pair
) -> dict[str, Value]:
    """Return the conditions under which a cast to or from a complex dtype meets a fault.

    A real number takes or gives the real part.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    result : Value, Literal or Pair
        The cast number.
    x : Value, Literal or Pair
        The number before; at least one of the two is a pair.

    Returns
    -------
    dict of str to Value
        Bools by the names of faults in ``np.errstate``.
    """
    met: dict[str, Value] = {}
    if isinstance(result, Pair):
        parts = x if isinstance(x, Pair) else (x,)
        for target, source in zip(result, parts, strict=False):
            _include(builder, met, cast_faults(builder, target, source))
    else:
        assert isinstance(x, Pair)
        _include(builder, met, cast_faults(builder, result, x.real))
    return met


def _include(builder: Builder, met: dict[str, Value], more: dict[str, Value]) -> None:
    """Add conditions to others, either of which may hold."""
    for fault, condition in more.items():
        before = met.get(fault)
        met[fault] = condition if before is None else builder.call("or", before, condition)


def _infinite(builder: Builder, x: Operand) -> Value:
    size = builder.call("absolute", x)
    return builder.call("equal", size, builder.literal(np.inf, x.dtype))


def _finite(builder: Builder, operands: list[Operand]) -> list[Value]:
    sizes = [builder.call("absolute", x) for x in operands]
    return [builder.call("less", x, builder.literal(np.inf, x.dtype)) for x in sizes]


def _all(builder: Builder, conditions: list[Value]) -> Value:
    return functools.reduce(lambda both, more: builder.call("and", both, more), conditions)
