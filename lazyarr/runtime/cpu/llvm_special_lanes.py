"""Exponentials and logarithms of all arguments at the speed of the usual ones.

A library of vector functions works on lanes whose results are ordinary numbers and hands each other
lane to a scalar function, which takes as long as a hundred lanes do. Here such lanes are given an
argument with an ordinary result, from which theirs follows by a few vector instructions:
``exp(x) = exp(x + k ln 2) / 2**k`` and ``log(x) = log(2**k x) - k ln 2``. Other lanes have the
library's bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from llvmlite import ir

from lazyarr.runtime.cpu import fp_flags
from lazyarr.runtime.cpu.llvm_constants import splat
from lazyarr.runtime.cpu.llvm_fp_flags import raise_flags

__all__ = ["Handler", "handler_of"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any
#: Writes the body of a function of one vector that calls a vector function.
Handler = Callable[[Any, Any], None]

#: The natural logarithm of 2, of which more bits count than a float has.
LN2 = Fraction("0.693147180559945309417232121458176568075500134360255254120680009")


@dataclass(frozen=True)
class _Format:
    """A floating-point format.

    Attributes
    ----------
    bits : int
        Of a number.
    digits : int
        Of its fraction.
    bound : float
        Exponentials of arguments up to this one, of either sign, are ordinary numbers.
    least, most : float
        Arguments below and above them have exponentials of zero and infinity.
    doublings : int
        Between an argument beyond the bound and the one that replaces it.
    """

    bits: int
    digits: int
    bound: float
    least: float
    most: float
    doublings: int

    @property
    def word(self) -> Any:
        """The type of the integer with the same bits."""
        return ir.IntType(self.bits)

    @property
    def magnitude(self) -> int:
        """The mask of all bits but the sign's."""
        return (1 << (self.bits - 1)) - 1

    @property
    def smallest(self) -> int:
        """The bits of the smallest normal number."""
        return 1 << self.digits

    @property
    def infinite(self) -> int:
        """The bits of infinity."""
        return self.magnitude >> self.digits << self.digits


_FORMATS = {
    ir.FloatType(): _Format(32, 23, 87.0, -110.0, 100.0, 64),
    ir.DoubleType(): _Format(64, 52, 708.0, -750.0, 715.0, 128),
}


def handler_of(symbol: str, kind: Any) -> Handler | None:
    """Return the handler of a function; None where its vector function needs none.

    Parameters
    ----------
    symbol : str
        The scalar function, such as ``exp`` or ``expf``.
    kind : llvmlite.ir.Type
        Of an element.
    """
    return _HANDLERS.get(symbol.removesuffix("f") if kind == ir.FloatType() else symbol)


def _any(builder: Builder, mask: IRValue) -> IRValue:
    word = ir.IntType(mask.type.count)
    return builder.icmp_unsigned("!=", builder.bitcast(mask, word), word(0))


def _bits(builder: Builder, x: IRValue) -> IRValue:
    """Return the bits of numbers."""
    return builder.bitcast(x, ir.VectorType(_FORMATS[x.type.element].word, x.type.count))


def _magnitude(builder: Builder, x: IRValue) -> IRValue:
    """Return the bits of numbers without their signs."""
    bits = _bits(builder, x)
    return builder.and_(bits, splat(_FORMATS[x.type.element].magnitude, bits.type))


def _outlined(
    defined: Any, vector: Any, special_lanes: Callable[[Builder, IRValue], IRValue]
) -> tuple[Builder, IRValue, IRValue]:
    """Define a function that calls another one for vectors with special lanes.

    Other vectors take a comparison and a jump: what the other function needs of the stack and of
    registers is made ready there.

    Parameters
    ----------
    defined, vector : llvmlite.ir.Function
        The function to define, and the vector function.
    special_lanes : callable
        Writes the mask of those lanes.

    Returns
    -------
    builder, x, special : tuple
        The builder of the body of the other function, its argument and the mask.
    """
    defined.linkage = "internal"
    rare = ir.Function(defined.module, defined.function_type, f"{defined.name}.special")
    rare.linkage = "internal"
    rare.attributes.add("noinline")
    rare.attributes.add("cold")
    (x,) = defined.args
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    usual = defined.append_basic_block("usual")
    unusual = defined.append_basic_block("unusual")
    branch = builder.cbranch(_any(builder, special_lanes(builder, x)), unusual, usual)
    branch.set_weights([1, 1_000_000])
    for block, function in ((usual, vector), (unusual, rare)):
        builder.position_at_end(block)
        builder.ret(builder.call(function, [x], tail=True))
    (x,) = rare.args
    builder = ir.IRBuilder(rare.append_basic_block("entry"))
    return builder, x, special_lanes(builder, x)


def _define_exponential(defined: Any, vector: Any) -> None:
    """Define ``exp``: arguments of large magnitude are moved by some doublings towards zero."""

    def special_lanes(builder: Builder, x: IRValue) -> IRValue:
        magnitude = _magnitude(builder, x)
        # Integers are compared: an ordered comparison of a NaN would set a flag.
        form = _FORMATS[x.type.element]
        return builder.icmp_unsigned(
            ">", magnitude, splat(_bits_of(form.bound, form), magnitude.type)
        )

    builder, x, special = _outlined(defined, vector, special_lanes)
    kind = x.type
    form = _FORMATS[kind.element]
    magnitude = _magnitude(builder, x)
    words = magnitude.type
    finite = builder.icmp_unsigned("<", magnitude, splat(form.infinite, words))
    moved = builder.and_(special, finite)
    negative = builder.icmp_signed("<", builder.bitcast(x, words), splat(0, words))
    # The high part has so few digits that adding it to such an argument is exact.
    step = Fraction(1, 2 ** (form.digits - math.frexp(form.bound)[1] + 1))
    high = round(form.doublings * LN2 / step) * step
    low = float(form.doublings * LN2 - high)
    limited = _clamped(builder, x, magnitude, negative, form)
    towards = builder.select(negative, splat(float(high), kind), splat(-float(high), kind))
    near = builder.select(moved, builder.fadd(limited, towards), x)
    raised = builder.call(vector, [builder.select(finite, near, splat(0.0, kind))])
    rest = builder.select(negative, splat(low, kind), splat(-low, kind))
    rest = builder.select(moved, rest, splat(0.0, kind))
    corrected = builder.fadd(raised, builder.fmul(raised, rest))
    # Overflows set their flag here.
    up = builder.and_(moved, builder.not_(negative))
    down = builder.and_(moved, negative)
    factor = builder.select(up, splat(2.0**form.doublings, kind), splat(1.0, kind))
    result = builder.fmul(corrected, factor)
    small, underflows = _scaled_down(builder, corrected, down, form)
    _raise(builder, ((underflows, "under"),))
    result = builder.select(down, small, result)
    endless = builder.fcmp_ordered("==", x, splat(-math.inf, kind))
    itself = builder.select(endless, splat(0.0, kind), x)
    builder.ret(builder.select(finite, result, itself))


def _scaled_down(
    builder: Builder, x: IRValue, chosen: IRValue, form: _Format
) -> tuple[IRValue, IRValue]:
    """Return ``x / 2**doublings`` in the chosen lanes, and which of them are subnormal or zero.

    Those are rounded as whole multiples of the smallest number, since an operation with a subnormal
    result takes a processor a hundred times as long as another one.
    """
    kind = x.type
    words = ir.VectorType(form.word, kind.count)
    bias = (1 << (form.bits - form.digits - 2)) - 1
    scale = splat(2.0 ** (bias - 1 + form.digits - form.doublings), kind)
    multiples = builder.fmul(builder.select(chosen, x, splat(0.0, kind)), scale)
    first = splat(2.0**form.digits, kind)
    tiny = builder.and_(chosen, builder.fcmp_ordered("<", multiples, first))
    shifted = builder.bitcast(builder.fadd(multiples, first), words)
    whole = builder.sub(shifted, builder.bitcast(first, words))
    scaled = builder.and_(chosen, builder.not_(tiny))
    factor = builder.select(scaled, splat(2.0**-form.doublings, kind), splat(1.0, kind))
    normal = builder.fmul(x, factor)
    return builder.select(tiny, builder.bitcast(whole, kind), normal), tiny


def _clamped(
    builder: Builder, x: IRValue, magnitude: IRValue, negative: IRValue, form: _Format
) -> IRValue:
    """Return the arguments, where an exponential is zero or infinite another one of that kind."""
    kind, words = x.type, magnitude.type
    for limit, below in ((form.least, True), (form.most, False)):
        beyond = builder.icmp_unsigned(">", magnitude, splat(_bits_of(abs(limit), form), words))
        side = negative if below else builder.not_(negative)
        x = builder.select(builder.and_(beyond, side), splat(limit, kind), x)
    return x


def _bits_of(number: float, form: _Format) -> int:
    """Return the bits of a number."""
    dtype, word = (np.float32, np.uint32) if form.bits == 32 else (np.float64, np.uint64)
    return int(np.array(number, dtype).view(word))


def _define_logarithm(unit: Fraction) -> Handler:
    """Return the handler of a logarithm.

    Parameters
    ----------
    unit : Fraction
        The logarithm of 2.
    """

    def define(defined: Any, vector: Any) -> None:
        """Define it: subnormal arguments are doubled until they are normal."""

        def special_lanes(builder: Builder, x: IRValue) -> IRValue:
            bits, form = _bits(builder, x), _FORMATS[x.type.element]
            smallest = splat(form.smallest, bits.type)
            normal = splat(form.infinite - form.smallest, bits.type)
            return builder.icmp_unsigned(">=", builder.sub(bits, smallest), normal)

        builder, x, special = _outlined(defined, vector, special_lanes)
        kind = x.type
        form = _FORMATS[kind.element]
        bits = _bits(builder, x)
        words = bits.type
        smallest = splat(form.smallest, words)
        zero = builder.icmp_unsigned(
            "==", builder.and_(bits, splat(form.magnitude, words)), splat(0, words)
        )
        subnormal = builder.and_(builder.icmp_unsigned("<", bits, smallest), builder.not_(zero))
        doublings = form.digits + 1
        doubled = builder.fmul(
            builder.select(subnormal, x, splat(1.0, kind)), splat(2.0**doublings, kind)
        )
        regular = builder.select(special, splat(1.0, kind), x)
        raised = builder.call(vector, [builder.select(subnormal, doubled, regular)])
        less = builder.fsub(raised, splat(float(doublings * unit), kind))
        result = builder.select(subnormal, less, raised)
        negative = builder.icmp_signed("<", bits, splat(0, words))
        number = builder.fcmp_ordered("ord", x, x)
        invalid = builder.and_(builder.and_(negative, number), builder.not_(zero))
        _raise(builder, ((zero, "divide"), (invalid, "invalid")))
        others = builder.and_(special, builder.not_(subnormal))
        itself = builder.select(invalid, splat(math.nan, kind), x)
        itself = builder.select(zero, splat(-math.inf, kind), itself)
        builder.ret(builder.select(others, itself, result))

    return define


def _raise(builder: Builder, happened: tuple[tuple[IRValue, str], ...]) -> None:
    """Set flags, each if any lane asks for it."""
    word = ir.IntType(32)
    bits = fp_flags.bits()
    flags = word(0)
    for mask, name in happened:
        flag = builder.select(_any(builder, mask), word(bits.get(name, 0)), word(0))
        flags = builder.or_(flags, flag)
    with builder.if_then(builder.icmp_unsigned("!=", flags, word(0)), likely=False):
        raise_flags(builder, flags)


_HANDLERS: dict[str, Handler] = {
    "exp": _define_exponential,
    "log": _define_logarithm(LN2),
    "log2": _define_logarithm(Fraction(1)),
    "log10": _define_logarithm(
        Fraction("0.30102999566398119521373889472449302676818988146210854131")
    ),
}
