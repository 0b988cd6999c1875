"""The remainder of floats in LLVM IR: C's ``fmod`` in vectors, with the same bits.

``fmod`` subtracts bit by bit, so it takes longer than ten divisions. Where the quotient of the
magnitudes is below ``2**digits``, it has at most as many digits as a float: truncated, the rounded
quotient is the exact one or one more, and the rest is exact in one multiplication and addition
(``fma``). Other lanes, and processors without that instruction, have the C library's function.
"""

from __future__ import annotations

import functools
import platform
from typing import Any

from llvmlite import binding, ir

from lazyarr.runtime.cpu.llvm_constants import splat
from lazyarr.runtime.cpu.llvm_vector_functions import attach_forms, pure_function

__all__ = ["remainder"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

#: Bits of a number, digits of its fraction, and lanes of the vectors that registers hold.
_FORMATS = {"float": (32, 23, (2, 4, 8, 16)), "double": (64, 52, (2, 4, 8))}


def remainder(builder: Builder, args: tuple[IRValue, ...]) -> IRValue:
    """Return the remainder of two scalars as C's ``fmod`` gives it.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    args : tuple of llvmlite.ir.Value
        The dividend and the divisor.
    """
    if not _has_fma() or str(args[0].type) not in _FORMATS:
        return builder.frem(*args)
    return builder.call(_function(builder.module, args[0].type), args)


@functools.cache
def _has_fma() -> bool:
    """Return whether the processor multiplies and adds in one instruction."""
    if platform.machine().lower() in ("x86_64", "amd64"):
        return bool(binding.get_host_cpu_features().get("fma"))
    return platform.machine().lower() in ("aarch64", "arm64")


def _function(module: ir.Module, kind: Any) -> Any:
    """Return the function of scalars, which has forms for vectors."""
    bits, _, widths = _FORMATS[str(kind)]
    name = f"lazyarr_remainder_{bits}"
    function = module.globals.get(name)
    if function is not None:
        return function
    function = pure_function(module, name, kind, 2)
    _define(function, kind)
    forms: dict[int, Any] = {}
    for width in widths:
        forms[width] = pure_function(module, f"{name}_{width}", ir.VectorType(kind, width), 2)
        _define(forms[width], kind)
    attach_forms(function, forms)
    return function


def _define(defined: Any, scalar: Any) -> None:
    """Define the function of scalars, or of one width of vectors."""
    defined.linkage = "internal"
    x, y = defined.args
    kind = x.type
    bits, digits, _ = _FORMATS[str(scalar)]
    infinite = (1 << (bits - 1)) - (1 << digits)
    lanes = kind.count if isinstance(kind, ir.VectorType) else 0
    word = ir.VectorType(ir.IntType(bits), lanes) if lanes else ir.IntType(bits)
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    magnitude = _splat(word, (1 << (bits - 1)) - 1)
    # Integers are compared: an ordered comparison of a NaN would set a flag.
    high = builder.and_(builder.bitcast(x, word), magnitude)
    low = builder.and_(builder.bitcast(y, word), magnitude)
    smaller = builder.and_(
        builder.icmp_unsigned("<", high, low),
        builder.icmp_unsigned("<=", low, _splat(word, infinite)),
    )
    normal = builder.icmp_unsigned(">=", low, _splat(word, 1 << digits))
    finite = builder.icmp_unsigned("<", high, _splat(word, infinite))
    apart = builder.sub(high, low)
    near = builder.icmp_unsigned("<", apart, _splat(word, digits << digits))
    divides = builder.and_(builder.and_(normal, finite), near)
    # Other lanes set no flags.
    dividend = builder.select(divides, builder.bitcast(high, kind), _splat(kind, 1.0))
    divisor = builder.select(divides, builder.bitcast(low, kind), _splat(kind, 1.0))
    quotient = _intrinsic(builder, "llvm.trunc", builder.fdiv(dividend, divisor))
    rest = _intrinsic(builder, "llvm.fma", builder.fneg(quotient), divisor, dividend)
    is_over = builder.fcmp_ordered("<", rest, _splat(kind, 0.0))
    rest = builder.select(is_over, builder.fadd(rest, divisor), rest)
    rest = _intrinsic(builder, "llvm.copysign", rest, x)
    result = builder.select(smaller, x, rest)
    others = builder.not_(builder.or_(smaller, divides))
    before = builder.block
    with builder.if_then(_any(builder, others, lanes), likely=False):
        rare = _library_function(defined.module, kind, lanes, result.type, others.type)
        exact = builder.call(rare, [x, y, result, others])
        after = builder.block
    chosen = builder.phi(kind)
    chosen.add_incoming(result, before)
    chosen.add_incoming(exact, after)
    builder.ret(chosen)


def _library_function(module: ir.Module, kind: Any, lanes: int, *types: Any) -> Any:
    """Return the function that gives some lanes the C library's remainder."""
    element = kind.element if lanes else kind
    name = f"lazyarr_remainder_{_FORMATS[str(element)][0]}_others{lanes}"
    function = module.globals.get(name)
    if function is not None:
        return function
    function = ir.Function(module, ir.FunctionType(kind, [kind, kind, *types]), name)
    function.linkage = "internal"
    for attribute in ("noinline", "cold", "nounwind"):
        function.attributes.add(attribute)
    x, y, result, chosen = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    if not lanes:
        builder.ret(builder.frem(x, y))
        return function
    one = element(1.0)
    for lane in range(lanes):
        place = ir.IntType(32)(lane)
        is_chosen = builder.extract_element(chosen, place)
        operands = [
            builder.select(is_chosen, builder.extract_element(value, place), one)
            for value in (x, y)
        ]
        known = builder.extract_element(result, place)
        rest = builder.select(is_chosen, builder.frem(*operands), known)
        result = builder.insert_element(result, rest, place)
    builder.ret(result)
    return function


def _splat(kind: Any, value: float) -> Any:
    """Return a constant, or a vector of equal constants."""
    if isinstance(kind, ir.VectorType):
        return splat(value, kind)
    return kind(value)


def _any(builder: Builder, mask: IRValue, lanes: int) -> IRValue:
    """Return whether a bit, or any of a vector's bits, is set."""
    if not lanes:
        return mask
    word = ir.IntType(lanes)
    return builder.icmp_unsigned("!=", builder.bitcast(mask, word), word(0))


def _intrinsic(builder: Builder, name: str, *args: IRValue) -> IRValue:
    """Return the result of one of LLVM's functions, of scalars or of vectors."""
    kind = args[0].type
    scalar = kind.element if isinstance(kind, ir.VectorType) else kind
    suffix = f"f{_FORMATS[str(scalar)][0]}"
    if isinstance(kind, ir.VectorType):
        suffix = f"v{kind.count}{suffix}"
    full = f"{name}.{suffix}"
    function = builder.module.globals.get(full)
    if function is None:
        signature = ir.FunctionType(kind, [kind] * len(args))
        function = ir.Function(builder.module, signature, full)
    return builder.call(function, args)
