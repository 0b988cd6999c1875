"""Rows of the elementwise table that are no ufunc: casts, choice, and parts of complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.dtypes import is_narrow, kind_of, result_type
from lazyarr.graph.node import Node, part_dtype
from lazyarr.ops import complex_numbers
from lazyarr.ops.fp_conditions import cast_faults, complex_cast_faults
from lazyarr.ops.table import Argument, Array, DType, Resolved, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["ROWS"]

BOOL = np.dtype(np.bool_)


def _cast(node: Node, *arrays: Array) -> Array:
    (array,) = arrays
    if kind_of(array.dtype) == "c" and kind_of(node.dtype) not in "cb":
        array = array.real  # who built the cast was warned of the imaginary parts
    return np.asarray(array.astype(node.dtype))


def _cast_rule(operands: tuple[Argument, ...]) -> Resolved:
    raise TypeError("the target of a cast is its node's dtype")


def _where(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.where(*arrays))


def _where_rule(operands: tuple[Argument, ...]) -> Resolved:
    """Cast the condition to bool and the other two to their common dtype."""
    _, *choices = operands
    strong = [choice for choice in choices if isinstance(choice, np.dtype)]
    # A Python scalar of each weak type promotes just as its type does.
    result = result_type(*strong, *(c(0) for c in choices if isinstance(c, type)))
    return (BOOL, result, result), result


def _real(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.real(arrays[0]))


def _imag(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.imag(arrays[0]))


def _angle(node: Node, *arrays: Array) -> Array:
    return np.asarray(np.angle(arrays[0]))


def _complex(node: Node, *arrays: Array) -> Array:
    result = np.empty(np.broadcast_shapes(*(array.shape for array in arrays)), node.dtype)
    result.real, result.imag = arrays
    return result


def _complex_rule(operands: tuple[Argument, ...]) -> Resolved:
    """Give the complex dtype whose components are of the operands' common dtype."""
    part = np.result_type(*map(_strong, operands), np.float32)
    result: DType = np.result_type(part, np.complex64)
    return (part, part), result


def _strong(operand: Argument) -> DType:
    return operand if isinstance(operand, np.dtype) else np.dtype(operand)


def _part_rule(operands: tuple[Argument, ...]) -> Resolved:
    """Give the dtype of the components."""
    (loop,) = map(_strong, operands)
    result: np.dtype[Any] = np.zeros((), loop).real.dtype
    return (loop,), result


def _angle_rule(operands: tuple[Argument, ...]) -> Resolved:
    """Give arctan2's dtype for the components."""
    (loop,) = map(_strong, operands)
    if kind_of(loop) != "c":
        # NumPy takes arctan2(0, x) with a weak zero.
        loop = np.arctan2.resolve_dtypes((int, loop, None))[2]
    return _part_rule((loop,))


def _expand_cast(builder: Builder, value: Operand, dtype: DType) -> Operand:
    if dtype == np.float16:
        # A kernel computes float16 in float32; from float64 there must be one rounding alone.
        if value.dtype == np.float64:
            value = builder.call("round_half", value)
    if is_narrow(dtype):
        # bfloat16 is rounded from float32 whatever the source, as by ml_dtypes.
        dtype = np.dtype(np.float32)
    return value if value.dtype == dtype else builder.call("convert", value, dtype=dtype)


def _cast_complex(builder: Builder, value: Operand | complex_numbers.Pair, dtype: DType) -> Any:
    """Cast each part; a real number has no imaginary part, and gets or loses none silently."""
    if kind_of(dtype) != "c":
        assert isinstance(value, complex_numbers.Pair)
        if dtype == BOOL:
            return complex_numbers.true(builder, value)
        return _expand_cast(builder, value.real, dtype)
    part = part_dtype(dtype)
    if isinstance(value, complex_numbers.Pair):
        return complex_numbers.Pair(*(_expand_cast(builder, side, part) for side in value))
    return complex_numbers.Pair(_expand_cast(builder, value, part), builder.literal(0.0, part))


def _expand_where(builder: Builder, condition: Operand, x: Operand, y: Operand) -> Value:
    return builder.call("select", condition, x, y)


def _expand_real(builder: Builder, x: Operand) -> Operand:
    return x


def _expand_imag(builder: Builder, x: Operand) -> Operand:
    return builder.literal(0, x.dtype)


def _expand_complex(builder: Builder, real: Operand, imag: Operand) -> complex_numbers.Pair:
    return complex_numbers.Pair(real, imag)


def _expand_angle(builder: Builder, x: Operand) -> Value:
    """``arctan2(0, x)``: 0, or pi where the sign is set."""
    bits = builder.call("bitcast", x, dtype=np.dtype(f"i{x.dtype.itemsize}"))
    negative = builder.call("less", bits, builder.literal(0, bits.dtype))
    zero, pi = builder.literal(0.0, x.dtype), builder.literal(np.pi, x.dtype)
    angle = builder.call("select", negative, pi, zero)
    return builder.call("select", builder.call("equal", x, x), angle, x)


ROWS = (
    elementwise(
        "cast",
        expand=_expand_cast,
        of_complex=_cast_complex,
        converts=True,
        evaluate=_cast,
        rule=_cast_rule,
        faults=cast_faults,
        complex_faults=complex_cast_faults,
    ),
    elementwise(
        "where",
        expand=_expand_where,
        evaluate=_where,
        rule=_where_rule,
        of_complex=complex_numbers.where,
        is_select=True,
    ),
    elementwise(
        "real",
        expand=_expand_real,
        evaluate=_real,
        rule=_part_rule,
        of_complex=complex_numbers.real,
    ),
    elementwise(
        "imag",
        expand=_expand_imag,
        evaluate=_imag,
        rule=_part_rule,
        of_complex=complex_numbers.imag,
    ),
    elementwise(
        "complex",
        expand=_expand_complex,
        evaluate=_complex,
        rule=_complex_rule,
    ),
    elementwise(
        "angle",
        expand=_expand_angle,
        evaluate=_angle,
        rule=_angle_rule,
        of_complex=complex_numbers.angle,
        cost=20,
    ),
)
