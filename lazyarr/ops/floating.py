"""When NumPy warns of a floating operation: conditions on one element and its result.

NumPy reads them off the processor's flags, which are set where IEEE 754 says that an operation is
invalid (a result that is no number, of operands that are), divides by zero (an exact infinity of
finite operands) or overflows (any other infinity of finite operands). So the values tell, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lazyarr.codegen.builder import Builder
    from lazyarr.codegen.kernel import Operand, Value

__all__ = ["at_one", "at_size_one", "at_zero", "cast_faults", "floating"]

Faults = Callable[..., "dict[str, Value]"]
Pole = Callable[..., "Value"]


def floating(*faults: str, pole: Pole | None = None) -> Faults:
    """Return the conditions under which a floating operation warns.

    Parameters
    ----------
    *faults : {"invalid", "over"}
        What may happen. Division by zero is among it if there is a pole.
    pole : callable, optional
        ``pole(builder, *operands)``: whether these operands are where the operation has a pole.
    """

    def conditions(builder: Builder, result: Operand, *operands: Operand) -> dict[str, Value]:
        if result.dtype.kind != "f":
            return {}
        floats = [operand for operand in operands if operand.dtype.kind == "f"]
        found: dict[str, Value] = {}
        if "invalid" in faults:
            unknown = builder.call("not_equal", result, result)
            known = [builder.call("equal", x, x) for x in floats]
            found["invalid"] = _all(builder, [unknown, *known])
        infinite = _infinite(builder, result)
        others: list[Value] = []
        if pole is not None:
            there = pole(builder, *operands)
            others = [builder.call("not", there)]
            # The quotient of an infinity and zero is exact, and no division by zero.
            found["divide"] = _all(builder, [infinite, there, *_finite(builder, floats[:1])])
        if "over" in faults:
            found["over"] = _all(builder, [infinite, *_finite(builder, floats), *others])
        return found

    return conditions


def at_zero(builder: Builder, *operands: Operand) -> Value:
    """Whether the last operand is zero."""
    return builder.call("equal", operands[-1], builder.literal(0.0, operands[-1].dtype))


def at_one(value: float) -> Pole:
    """Return whether the operand is a number."""

    def pole(builder: Builder, x: Operand) -> Value:
        return builder.call("equal", x, builder.literal(value, x.dtype))

    return pole


def at_size_one(builder: Builder, x: Operand) -> Value:
    """Whether the operand is 1 or -1."""
    size = builder.call("absolute", x)
    return builder.call("equal", size, builder.literal(1.0, x.dtype))


def cast_faults(builder: Builder, result: Operand, x: Operand) -> dict[str, Value]:
    """Return when a cast overflows, or meets what no integer of the machine's width is near.

    Integers narrower than 32 bits are cut from one of 32, whatever they lose: C's compilers do so,
    and NumPy warns of the conversion alone.
    """
    source, target = x.dtype, result.dtype
    if target.kind == "f":
        floats = [x] if source.kind == "f" else []
        return {"over": _all(builder, [_infinite(builder, result), *_finite(builder, floats)])}
    if source.kind != "f" or target.kind == "b":
        return {}
    width = max(32, 8 * target.itemsize)
    whole = target.kind == "u" and 8 * target.itemsize == width
    top = builder.literal(2.0 ** (width if whole else width - 1), source)
    below = builder.call("less", builder.call("trunc", x), top)
    bottom = builder.literal(-(2.0 ** (width - 1)), source)
    above = builder.call("greater_equal", builder.call("trunc", x), bottom)
    return {"invalid": builder.call("not", builder.call("and", below, above))}


def _infinite(builder: Builder, x: Operand) -> Value:
    size = builder.call("absolute", x)
    return builder.call("equal", size, builder.literal(np.inf, x.dtype))


def _finite(builder: Builder, operands: list[Operand]) -> list[Value]:
    sizes = [builder.call("absolute", x) for x in operands]
    return [builder.call("less", x, builder.literal(np.inf, x.dtype)) for x in sizes]


def _all(builder: Builder, conditions: list[Value]) -> Value:
    return functools.reduce(lambda both, more: builder.call("and", both, more), conditions)
