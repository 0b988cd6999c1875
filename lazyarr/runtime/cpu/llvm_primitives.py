"""LLVM IR of the loop IR's primitives, through llvmlite's builder.

Vector mathematics: a scalar function carries the attribute ``vector-function-abi-variant``, which
tells LLVM's loop vectoriser of its vector forms; these have to be in the module, and kept by
``llvm.compiler.used``. Without a vector library the C library's scalar function is called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from lazyarr.errors import ContractError
from lazyarr.runtime.cpu import fp_flags, vector_math
from lazyarr.runtime.cpu.llvm_fp_flags import raise_flags

__all__ = ["KEEPER", "generate", "load", "memory_type", "store", "value_type"]

DType = np.dtype[Any]
Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any
Emit = Callable[[Builder, DType, tuple[IRValue, ...]], IRValue]

HALF = ir.HalfType()
FLOAT = ir.FloatType()
DOUBLE = ir.DoubleType()
BIT = ir.IntType(1)
BYTE = ir.IntType(8)

#: The list of functions that LLVM's optimiser has to keep.
KEEPER = "llvm.compiler.used"


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
        return builder.bitcast(args[0], value_type(result))
    if primitive == "select":
        return builder.select(*args)
    if primitive in COMPARISONS:
        return _compare(builder, primitive, dtype, args)
    if reassociate and dtype.kind == "f":
        if primitive == "add":
            return builder.fadd(*args, flags=("reassoc",))
        if primitive == "multiply":
            return builder.fmul(*args, flags=("reassoc",))
        if primitive in ("minimum", "maximum"):
            # The loop vectoriser knows a reduction by these, but not by a comparison.
            return _llvm_intrinsic(builder, f"llvm.{primitive}", args)
    emit = (FLOATS if dtype.kind == "f" else INTEGERS).get(primitive)
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
    if dtype.kind == "b":
        return BIT
    if dtype.kind == "f":
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
    if dtype.kind == "f":
        if operator == "!=":
            return builder.fcmp_unordered(operator, *args)
        return builder.fcmp_ordered(operator, *args)
    if dtype.kind == "i":
        return builder.icmp_signed(operator, *args)
    return builder.icmp_unsigned(operator, *args)


def _instruction(name: str) -> Emit:
    return lambda builder, dtype, args: getattr(builder, name)(*args)


def _by_sign(signed: str, unsigned: str) -> Emit:
    return lambda builder, dtype, args: getattr(builder, signed if dtype.kind == "i" else unsigned)(
        *args
    )


def _integer_extremum(operator: str) -> Emit:
    def emit(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
        compare = builder.icmp_signed if dtype.kind == "i" else builder.icmp_unsigned
        return builder.select(compare(operator, *args), *args)

    return emit


def _float_extremum(operator: str) -> Emit:
    def emit(builder: Builder, dtype: DType, args: tuple[IRValue, ...]) -> IRValue:
        # The inner selection is one instruction, which gives b if either is NaN.
        a, b = args
        extreme = builder.select(builder.fcmp_ordered(operator, a, b), a, b)
        return builder.select(builder.fcmp_unordered("uno", a, a), a, extreme)

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
    "remainder": _instruction("frem"),
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
    if target.kind == "b":
        if source.kind == "f":
            return builder.fcmp_unordered("!=", value, value.type(0.0))
        if source.kind == "b":
            return value
        return builder.icmp_unsigned("!=", value, value.type(0))
    if source.kind == "f":
        if target.kind == "f":
            if source.itemsize == target.itemsize:
                return value
            wider = target.itemsize > source.itemsize
            return builder.fpext(value, kind) if wider else builder.fptrunc(value, kind)
        return _float_to_integer(builder, target, value)
    if target.kind == "f":
        convert = builder.sitofp if source.kind == "i" else builder.uitofp
        return convert(value, kind)
    bits = 1 if source.kind == "b" else 8 * source.itemsize
    target_bits = value_type(target).width
    if target_bits < bits:
        return builder.trunc(value, kind)
    if target_bits > bits:
        return builder.sext(value, kind) if source.kind == "i" else builder.zext(value, kind)
    return value


def _float_to_integer(builder: Builder, target: DType, value: IRValue) -> IRValue:
    """Convert as compiled C does on x86-64, where NumPy leaves the result undefined too.

    Small integers go through int32; what does not fit becomes the smallest integer; uint32 and
    uint64 take their upper half through a subtraction.
    """
    kind = value_type(target)
    width = max(32, kind.width)
    if target.kind == "u" and kind.width == width:
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
    module = builder.module
    symbol = primitive + ("f" if kind == FLOAT else "")
    variant = vector_math.variant(symbol, len(args), dtype.itemsize)
    name = symbol if variant is None else f"lazyarr_{symbol}"
    function = module.globals.get(name)
    if function is None:
        function = _pure_function(module, name, kind, len(args))
        if variant is not None:
            _define_by_vector(function, kind, variant)
    return builder.call(function, args)


def _pure_function(module: ir.Module, name: str, kind: Any, arity: int) -> Any:
    function = ir.Function(module, ir.FunctionType(kind, [kind] * arity), name)
    for attribute in ("nounwind", "willreturn", "memory(none)"):
        # llvmlite's own list of attributes has not all of these, and its add() checks it.
        set.add(function.attributes, attribute)
    return function


def _define_by_vector(function: Any, kind: Any, variant: vector_math.Variant) -> None:
    """Define a scalar function, and its forms of every width, by one vector function.

    An element then has the same bits wherever it lies: in the body of a vectorised loop, in its
    remainder, or in a loop that is not vectorised.
    """
    module = function.module
    arity = len(function.args)
    lanes = variant.lanes
    vector = _pure_function(module, variant.symbol, ir.VectorType(kind, lanes), arity)
    if not variant.sets_flags:
        silent = vector
        name = f"{function.name}_{lanes}"
        vector = _pure_function(module, name, ir.VectorType(kind, lanes), arity)
        _define_with_flags(vector, silent, lanes)
    forms = {lanes: vector}
    for width in (2, 4, 8):
        if width < lanes:
            form = _pure_function(
                module, f"{function.name}_{width}", ir.VectorType(kind, width), arity
            )
            _define_narrower(form, vector, width, lanes)
            forms[width] = form
    _define_narrower(function, vector, 1, lanes)
    # Inlined before the loop vectoriser runs, it would not be recognised as a scalar call.
    function.attributes.add("noinline")
    shape = "v" * arity
    mapping = ",".join(
        f"_ZGV_LLVM_N{width}{shape}_{function.name}({form.name})" for width, form in forms.items()
    )
    set.add(function.attributes, f'"vector-function-abi-variant"="{mapping}"')
    # Keeping the scalar function too keeps its arguments: an optimiser that drops one which is
    # always the same constant would leave the attribute wrong.
    for form in (function, *forms.values()):
        _keep(module, form)


def _define_with_flags(function: Any, silent: Any, lanes: int) -> None:
    """Call a vector function, and set the flags that its results call for.

    The check is one comparison of a vector; what it finds is looked at apart.
    """
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    result = builder.call(silent, function.args)
    finite = _finite(builder, result)
    with builder.if_then(builder.not_(_all(builder, finite, lanes)), likely=False):
        numbers = [builder.fcmp_ordered("ord", x, x) for x in function.args]
        unknown = builder.fcmp_unordered("uno", result, result)
        invalid = functools.reduce(builder.and_, [unknown, *numbers])
        bounded = [_finite(builder, x) for x in function.args]
        known = builder.not_(builder.or_(unknown, finite))
        endless = functools.reduce(builder.and_, [known, *bounded])
        word = ir.IntType(32)
        bits = fp_flags.bits()
        flags = word(0)
        for happened, names in ((invalid, ("invalid",)), (endless, ("divide", "over"))):
            mask = word(sum(bits[name] for name in names))
            none = _all(builder, builder.not_(happened), lanes)
            flags = builder.or_(flags, builder.select(none, word(0), mask))
        raise_flags(builder, flags)
    builder.ret(result)


def _finite(builder: Builder, vector: IRValue) -> IRValue:
    # Inequality, unlike order, may be asked of a NaN without setting a flag.
    kind = vector.type
    limits = [ir.Constant(kind, [kind.element(limit)] * kind.count) for limit in (np.inf, -np.inf)]
    return builder.and_(*(builder.fcmp_ordered("!=", vector, limit) for limit in limits))


def _all(builder: Builder, mask: IRValue, lanes: int) -> IRValue:
    """Whether all of a vector's bits are set."""
    word = ir.IntType(lanes)
    return builder.icmp_unsigned("==", builder.bitcast(mask, word), word((1 << lanes) - 1))


def _define_narrower(function: Any, vector: Any, width: int, lanes: int) -> None:
    """Repeat the operands to fill all lanes, and take the first lanes of the result."""
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    index = ir.IntType(32)
    mask = ir.Constant(ir.VectorType(index, lanes), [lane % width for lane in range(lanes)])
    wide = []
    for operand in function.args:
        if width == 1:
            single = ir.Constant(ir.VectorType(operand.type, 1), ir.Undefined)
            operand = builder.insert_element(single, operand, index(0))
        wide.append(builder.shuffle_vector(operand, ir.Constant(operand.type, ir.Undefined), mask))
    result = builder.call(vector, wide)
    if width == 1:
        builder.ret(builder.extract_element(result, index(0)))
        return
    first = ir.Constant(ir.VectorType(index, width), list(range(width)))
    builder.ret(builder.shuffle_vector(result, ir.Constant(result.type, ir.Undefined), first))


def _keep(module: ir.Module, function: Any) -> None:
    """Keep a function that only the loop vectoriser may come to call."""
    pointer = BYTE.as_pointer()
    keep = module.globals.get(KEEPER)
    if keep is None:
        keep = ir.GlobalVariable(module, ir.ArrayType(pointer, 0), KEEPER)
        keep.linkage = "appending"
        keep.section = "llvm.metadata"
        before = []
    else:
        before = keep.initializer.constant
    # One list a module; it grows as functions are defined.
    functions = [*before, function.bitcast(pointer)]
    keep.value_type = ir.ArrayType(pointer, len(functions))
    keep.initializer = ir.Constant(keep.value_type, functions)
