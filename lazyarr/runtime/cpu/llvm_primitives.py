"""LLVM IR of the loop IR's primitives, through llvmlite's builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from lazyarr.core.dtypes import kind_of
from lazyarr.errors import ContractError
from lazyarr.runtime.cpu.llvm_remainder import remainder
from lazyarr.runtime.cpu.llvm_vector_functions import mathematical_function

__all__ = ["generate", "load", "memory_type", "store", "value_type"]

DType = np.dtype[Any]
Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any
Emit = Callable[[Builder, DType, tuple[IRValue, ...]], IRValue]

HALF = ir.HalfType()
FLOAT = ir.FloatType()
DOUBLE = ir.DoubleType()
BIT = ir.IntType(1)
BYTE = ir.IntType(8)

# llvmlite fills its table of escapes when it prints the first string, without a lock: a second
# thread would read half a table. Printed here, one does so before there are two.
str(ir.Constant(ir.ArrayType(BYTE, 1), bytearray(1)))


def load(builder: Builder, suffix: str, pointer: IRValue, index: IRValue) -> IRValue:
    """Return the value of ``pointer[index]``: of bool a bit, of float16 a float32.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    suffix : str
        Name of the dtype in memory, as in :data:`lazyarr.loop_ir.intrinsics.SUFFIXES`.
    pointer : llvmlite.ir.Value
        The address of the first element.
    index : llvmlite.ir.Value
        Of the element.
    """
    memory = memory_type(suffix)
    address = builder.gep(builder.bitcast(pointer, memory.as_pointer()), [index], inbounds=True)
    value = builder.load(address)
    if suffix == "b1":
        return builder.icmp_unsigned("!=", value, BYTE(0))
    if suffix == "f16":
        return builder.fpext(value, FLOAT)
    return value


def store(builder: Builder, suffix: str, pointer: IRValue, index: IRValue, value: IRValue) -> None:
    """Append ``pointer[index] = value``.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    suffix : str
        Name of the dtype in memory, as in :data:`lazyarr.loop_ir.intrinsics.SUFFIXES`.
    pointer : llvmlite.ir.Value
        The address of the first element.
    index : llvmlite.ir.Value
        Of the element.
    value : llvmlite.ir.Value
        As :func:`load` gives it.
    """
    memory = memory_type(suffix)
    if suffix == "b1":
        value = builder.zext(value, BYTE)
    elif suffix == "f16":
        value = builder.fptrunc(value, HALF)
    address = builder.gep(builder.bitcast(pointer, memory.as_pointer()), [index], inbounds=True)
    builder.store(value, address)


def generate(
    builder: Builder,
    primitive: str,
    dtype: DType,
    result: DType,
    args: tuple[IRValue, ...],
    reassociate: bool,
    width: int = 0,
) -> IRValue:
    """Return the value of ``primitive(*args)``.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    primitive : str
        A key of :data:`lazyarr.loop_ir.primitives.PRIMITIVES`.
    dtype : numpy.dtype
        Of the operands.
    result : numpy.dtype
        Of the value.
    args : tuple of llvmlite.ir.Value
        The operands.
    reassociate : bool
        Whether LLVM may change the order of a chain of such operations on floats.
    width : int, optional
        Lanes of the operands if they are vectors; 0: they are scalars.
    """
    if primitive == "convert":
        return _convert(builder, dtype, result, args[0], width)
    if primitive == "bitcast":
        return builder.bitcast(args[0], value_type(result, width))
    if primitive == "select":
        return builder.select(*args)
    if primitive in COMPARISONS:
        return _compare(builder, primitive, dtype, args)
    if reassociate and kind_of(dtype) == "f":
        if primitive == "add":
            return builder.fadd(*args, flags=("reassoc",))
        if primitive == "multiply":
            return builder.fmul(*args, flags=("reassoc",))
        if primitive in ("minimum", "maximum"):
            # The loop vectoriser knows a reduction by these, but not by a comparison.
            return _llvm_intrinsic(builder, f"llvm.{primitive}", args)
    emit = (FLOATS if kind_of(dtype) == "f" else INTEGERS).get(primitive)
    if emit is not None:
        return emit(builder, dtype, args)
    return _mathematics(builder, primitive, dtype, args)


class _Vector(ir.VectorType):  # type: ignore[misc]
    """A vector that names the intrinsics that take it."""

    @property
    def intrinsic_name(self) -> str:
        return f"v{self.count}{self.element.intrinsic_name}"


def value_type(dtype: DType, width: int = 0) -> Any:
    """Return the LLVM type of a value in a register, or of a vector of such values.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the value.
    width : int, optional
        Lanes of the vector; 0: a scalar.
    """
    if width:
        return _Vector(value_type(dtype), width)
    if kind_of(dtype) == "b":
        return BIT
    if kind_of(dtype) == "f":
        return {2: HALF, 4: FLOAT, 8: DOUBLE}[dtype.itemsize]
    return ir.IntType(8 * dtype.itemsize)


def memory_type(suffix: str) -> Any:
    """Return the type of a value in memory."""
    if suffix == "b1":
        return BYTE
    if suffix[0] == "f":
        return {"f16": HALF, "f32": FLOAT, "f64": DOUBLE}[suffix]
    return ir.IntType(int(suffix[1:]))


# ---------------------------------------------------------------- arithmetic and bits

COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


def _compare(builder: Builder, primitive: str, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
    operator = COMPARISONS[primitive]
    if kind_of(dtype) == "f":
        if operator == "!=":
            return builder.fcmp_unordered(operator, *args)
        return builder.fcmp_ordered(operator, *args)
    if kind_of(dtype) == "i":
        return builder.icmp_signed(operator, *args)
    return builder.icmp_unsigned(operator, *args)


def _instruction(name: str) -> Emit:
    return lambda builder, dtype, args: getattr(builder, name)(*args)


def _by_sign(signed: str, unsigned: str) -> Emit:
    return lambda builder, dtype, args: getattr(
        builder, signed if kind_of(dtype) == "i" else unsigned
    )(*args)


def _integer_extremum(operator: str) -> Emit:
    def emit(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
        compare = builder.icmp_signed if kind_of(dtype) == "i" else builder.icmp_unsigned
        return builder.select(compare(operator, *args), *args)

    return emit


def _float_extremum(operator: str) -> Emit:
    def emit(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
        # The inner selection is one instruction, which gives b if either is NaN. Frozen, it is not
        # made one of the outer selection, whose condition would be two comparisons.
        a, b = args
        extreme = builder.select(builder.fcmp_ordered(operator, a, b), a, b)
        frozen = ir.instructions.Instruction(builder.block, extreme.type, "freeze", [extreme])
        builder.block.instructions.append(frozen)
        builder.position_at_end(builder.block)
        return builder.select(builder.fcmp_unordered("uno", a, a), a, frozen)

    return emit


def _intrinsic(name: str) -> Emit:
    return lambda builder, dtype, args: _llvm_intrinsic(builder, name, args)


def _llvm_intrinsic(builder: Builder, name: str, args: tuple[IRValue, ...]) -> IRValue:
    kind = args[0].type
    function = builder.module.declare_intrinsic(
        name, [kind], ir.FunctionType(kind, [kind] * len(args))
    )
    return builder.call(function, args)


def _round_half(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
    (value,) = args
    if dtype.itemsize == 8:
        half = builder.fptrunc(_round_to_odd(builder, value), HALF)
        return builder.fpext(half, DOUBLE)
    return builder.fpext(builder.fptrunc(value, HALF), FLOAT)


def _round_to_odd(builder: Builder, value: IRValue) -> IRValue:
    """Round float64 to float32 so that rounding again to float16 is as if done once.

    What is inexact is truncated and made odd: S. Boldo and G. Melquiond, "When double rounding is
    odd", IMACS 2005. There is no instruction from float64 to float16 before AVX512-FP16.
    """
    word = ir.IntType(32)
    nearest = builder.fptrunc(value, FLOAT)
    back = builder.fpext(nearest, DOUBLE)
    inexact = builder.fcmp_ordered("!=", back, value)
    magnitude = [_llvm_intrinsic(builder, "llvm.fabs", (v,)) for v in (back, value)]
    too_far = builder.fcmp_ordered(">", *magnitude)
    bits = builder.sub(builder.bitcast(nearest, word), builder.zext(too_far, word))
    return builder.bitcast(builder.or_(bits, builder.zext(inexact, word)), FLOAT)


def _not(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
    return builder.not_(args[0])


FLOATS: dict[str, Emit] = {
    "add": _instruction("fadd"),
    "subtract": _instruction("fsub"),
    "multiply": _instruction("fmul"),
    "divide": _instruction("fdiv"),
    "remainder": lambda builder, dtype, args: remainder(builder, args),
    "negative": _instruction("fneg"),
    "absolute": _intrinsic("llvm.fabs"),
    "minimum": _float_extremum("<"),
    "maximum": _float_extremum(">"),
    "round_half": _round_half,
    "copysign": _intrinsic("llvm.copysign"),
    "floor": _intrinsic("llvm.floor"),
    "ceil": _intrinsic("llvm.ceil"),
    "trunc": _intrinsic("llvm.trunc"),
    "rint": _intrinsic("llvm.rint"),
    "sqrt": _intrinsic("llvm.sqrt"),
    "fma": _intrinsic("llvm.fma"),
}

INTEGERS: dict[str, Emit] = {
    "add": _instruction("add"),
    "subtract": _instruction("sub"),
    "multiply": _instruction("mul"),
    "divide": _by_sign("sdiv", "udiv"),
    "remainder": _by_sign("srem", "urem"),
    "negative": _instruction("neg"),
    "minimum": _integer_extremum("<"),
    "maximum": _integer_extremum(">"),
    "and": _instruction("and_"),
    "or": _instruction("or_"),
    "xor": _instruction("xor"),
    "not": _not,
    "shift_left": _instruction("shl"),
    "shift_right": _by_sign("ashr", "lshr"),
}


# ---------------------------------------------------------------- conversions


def _convert(
    builder: Builder, source: DType, target: DType, value: IRValue, lanes: int = 0
) -> IRValue:
    kind = value_type(target, lanes)
    if kind_of(target) == "b":
        if kind_of(source) == "f":
            return builder.fcmp_unordered("!=", value, value.type(0.0))
        if kind_of(source) == "b":
            return value
        return builder.icmp_unsigned("!=", value, value.type(0))
    if kind_of(source) == "f":
        if kind_of(target) == "f":
            if source.itemsize == target.itemsize:
                return value
            wider = target.itemsize > source.itemsize
            return builder.fpext(value, kind) if wider else builder.fptrunc(value, kind)
        return _float_to_integer(builder, target, value)
    if kind_of(target) == "f":
        convert = builder.sitofp if kind_of(source) == "i" else builder.uitofp
        return convert(value, kind)
    bits = 1 if kind_of(source) == "b" else 8 * source.itemsize
    target_bits = value_type(target).width
    if target_bits < bits:
        return builder.trunc(value, kind)
    if target_bits > bits:
        return builder.sext(value, kind) if kind_of(source) == "i" else builder.zext(value, kind)
    return value


def _float_to_integer(builder: Builder, target: DType, value: IRValue) -> IRValue:
    """Convert as compiled C does on x86-64, where NumPy leaves the result undefined too.

    Small integers go through int32; what does not fit becomes the smallest integer; uint32 and
    uint64 take their upper half through a subtraction.
    """
    kind = value_type(target)
    width = max(32, kind.width)
    if kind_of(target) == "u" and kind.width == width:
        limit = value.type(2.0 ** (width - 1))
        low = _truncate(builder, value, width)
        high = _truncate(builder, builder.fsub(value, limit), width)
        high = builder.xor(high, kind(1 << (width - 1)))
        return builder.select(builder.fcmp_ordered(">=", value, limit), high, low)
    integer = _truncate(builder, value, width)
    return builder.trunc(integer, kind) if kind.width < width else integer


def _truncate(builder: Builder, value: IRValue, width: int) -> IRValue:
    """Convert to a signed integer; out of range gives the smallest one."""
    kind = ir.IntType(width)
    low = value.type(-(2.0 ** (width - 1)))
    high = value.type(2.0 ** (width - 1))
    # float64 holds numbers between -2**31 - 1 and -2**31, which truncate into int32.
    if width == 32 and value.type == DOUBLE:
        above = builder.fcmp_ordered(">", value, value.type(-(2.0**31) - 1))
    else:
        above = builder.fcmp_ordered(">=", value, low)
    fits = builder.and_(above, builder.fcmp_ordered("<", value, high))
    smallest = kind(-(1 << (width - 1)))
    return builder.select(fits, builder.fptosi(value, kind), smallest)


# ---------------------------------------------------------------- mathematics


def _mathematics(
    builder: Builder, primitive: str, dtype: DType, args: tuple[IRValue, ...]
) -> IRValue:
    kind = value_type(dtype)
    if kind not in (FLOAT, DOUBLE):
        raise ContractError(f"{primitive} does not take {dtype.name}")
    symbol = primitive + ("f" if kind == FLOAT else "")
    function = mathematical_function(builder.module, symbol, kind, len(args), dtype.itemsize)
    return builder.call(function, args)
