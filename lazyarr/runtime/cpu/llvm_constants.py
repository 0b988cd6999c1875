"""The constants of functions of vectors, as bits, and names of vector constants in LLVM IR.

``tools/polynomials.py`` computes them; a polynomial has its lowest power first. A table has sixteen
float64, which one instruction of AVX-512 looks up in two registers.
"""

from __future__ import annotations

import struct
from typing import Any

from llvmlite import ir

__all__ = [
    "CONSTANTS",
    "FORMATS",
    "Uniform",
    "coefficients",
    "fused",
    "numbers",
    "polynomial",
    "splat",
]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

#: Of float32 and float64: the integer with the same bits, and the digits of a fraction.
FORMATS = {"f": (ir.IntType(32), 23), "d": (ir.IntType(64), 52)}

CONSTANTS: dict[str, tuple[int, ...]] = {
    "inverses": (
        0x3FF0000000000000,
        0x3FED400000000000,
        0x3FEBB00000000000,
        0x3FEA400000000000,
        0x3FE8F80000000000,
        0x3FE7D00000000000,
        0x3FE6C00000000000,
        0x3FE5C80000000000,
        0x3FE4E80000000000,
        0x3FE4180000000000,
        0x3FE3500000000000,
        0x3FE2A00000000000,
        0x3FE1F80000000000,
        0x3FE1580000000000,
        0x3FE0C80000000000,
        0x3FE0000000000000,
    ),
    "binary logarithms": (
        0x0000000000000000,
        0x3FC097E38CE60649,
        0x3FCABB2CA9EC7472,
        0x3FD249CD2B13CD6C,
        0x3FD6E8A004221B1F,
        0x3FDB495D4E9185F7,
        0x3FDF804AE8D0CD02,
        0x3FE1C27039D8572E,
        0x3FE3A703E50FA4DF,
        0x3FE57B7EB8038FAF,
        0x3FE7502CC4A27B80,
        0x3FE8FC924C89AC84,
        0x3FEAA482B35CA9CF,
        0x3FEC46E9076CBC45,
        0x3FEDCC917F2C141F,
        0x3FF0000000000000,
    ),
    "powers": (
        0x3FF0000000000000,
        0x3FF0B5586CF9890F,
        0x3FF172B83C7D517B,
        0x3FF2387A6E756238,
        0x3FF306FE0A31B715,
        0x3FF3DEA64C123422,
        0x3FF4BFDAD5362A27,
        0x3FF5AB07DD485429,
        0x3FF6A09E667F3BCD,
        0x3FF7A11473EB0187,
        0x3FF8ACE5422AA0DB,
        0x3FF9C49182A3F090,
        0x3FFAE89F995AD3AD,
        0x3FFC199BDD85529C,
        0x3FFD5818DCFBA487,
        0x3FFEA4AFA2A490DA,
    ),
    "rests of powers": (
        0x0000000000000000,
        0x3C979AA65D837B6D,
        0xBC801B15EAA59348,
        0x3C968EFDE3A8A894,
        0x3C834D754DB0ABB6,
        0x3C859F48A72A4C6D,
        0x3C7690CEBB7AAFB0,
        0x3C9063E1E21C5409,
        0xBC93B3EFBF5E2228,
        0xBC7B32DCB94DA51D,
        0x3C8DB72FC1F0EAB4,
        0x3C71AFFC2B91CE27,
        0x3C8C1A7792CB3387,
        0x3C736EAE30AF0CB3,
        0x3C74A385A63D07A7,
        0xBC8FF7128FD391F0,
    ),
    "binary logarithm": (
        0x3FF715476529A093,
        0xBFE71547610A51F9,
        0x3FDEC70AC6B5BA2E,
        0xBFD715AFBE3D22F7,
        0x3FD276BC29554E70,
        0xBFCC7F14C0B6E451,
    ),
    "power": (
        0x3FEFFFFFFF61CFBA,
        0x3FE62E42FFEB7C5D,
        0x3FCEC00CF1E902D7,
        0x3FAC6ADD0FBD1295,
    ),
    "natural logarithms": (
        0x0000000000000000,
        0x3FB700D30AEB0000,
        0x3FC28753BC11C000,
        0x3FC95A5ADCF70000,
        0x3FCFC218BE620000,
        0x3FD2E9E2BCE12000,
        0x3FD5D5BDDF596000,
        0x3FD89EB3AF432000,
        0x3FDB3E77D046E000,
        0x3FDDC7EB3D192000,
        0x3FE028D2D6A96000,
        0x3FE151C3F6F29000,
        0x3FE2779E1EC94000,
        0x3FE399A157A60000,
        0x3FE4A7B87BF20000,
        0x3FE62E42FEFA4000,
    ),
    "their rests": (
        0x0000000000000000,
        0xBD4F8F85C959884B,
        0xBD445B58E5367E8D,
        0x3D07F22858A0FF6F,
        0x3D34BBA46F1CF6A0,
        0x3D24300C128D1DC2,
        0xBD0A0B2A08A465DC,
        0x3D40E8B030791139,
        0xBD41B12BF71AECC5,
        0xBD3853E42391A209,
        0x3D3FA3FEC303D080,
        0x3D48489A175B146E,
        0xBD235B991994C90F,
        0x3D3F399C62286D89,
        0xBD45F6E2D8A4CD62,
        0xBD48432A1B0E2634,
    ),
    "natural logarithm": (
        0xBFE0000000000003,
        0x3FD5555555555F5E,
        0xBFCFFFFFFFFF1C27,
        0x3FC99999980A7C96,
        0xBFC555554B50752B,
        0x3FC2492D815BFA72,
        0xBFC0009B7A365CB2,
        0x3FBC575FB71F8FB5,
        0xBFB660458E574741,
    ),
    "parts of ln(2)": (
        0x3FE62E42FEFA4000,
        0xBD48432A1B0E2634,
    ),
    "exponential": (
        0x3FE000000000000A,
        0x3FC55555555554FA,
        0x3FA555555555087C,
        0x3F81111111127BE4,
        0x3F56C16C1842A147,
        0x3F2A01A012A57CD8,
        0x3EFA0199A0C611A8,
        0x3EC71DF2552AF8D3,
        0x3E928AD72D147D89,
        0x3E5AD7F6D7911672,
    ),
    "log2(e)": (0x3FF71547652B82FE,),
    "short parts of ln(2)": (
        0x3FE62E42FEFA3000,
        0x3D53DE6AF278ECE6,
    ),
    "exponential of float32": (
        0x3EFFFFFE,
        0x3E2AAA49,
        0x3D2AAC79,
        0x3C091CF1,
        0x3AB5121A,
    ),
    "log2(e) of float32": (0x3FB8AA3B,),
    "short parts of ln(2) of float32": (
        0x3F317200,
        0x35BFBE8E,
    ),
    "natural logarithm of float32": (
        0xBEFFFFFC,
        0x3EAAAAA8,
        0xBE800213,
        0x3E4CD1FA,
        0xBE2A13B6,
        0x3E1138CC,
        0xBE079BB7,
        0x3E042441,
        0xBD9C1821,
    ),
    "ln(2) of float32": (0x3F317218,),
    "half a root of 2": (0x3F3504F3,),
    "cubic logarithm": (
        0x3FD5555555555555,
        0xBFD000000000004B,
        0x3FC999999999D521,
        0xBFC55555554C9E8E,
        0x3FC249248F80C8DB,
        0xBFC0000015CC0877,
        0x3FBC71E137720E3C,
        0xBFB99A8230FF19C7,
        0x3FB720ACB32220A9,
        0xBFB2253139FEF41B,
    ),
    "short exponential": (
        0x3FDFFFFFFFFFFFB8,
        0x3FC555555548EBEC,
        0x3FA55555559006E3,
        0x3F811123B4694512,
        0x3F56C14C5E479BF3,
    ),
    "16 / ln(2)": (0x40371547652B82FE,),
    "parts of ln(2) / 16": (
        0x3FA62E42FEFA0000,
        0x3D3CF79ABC9E3B3A,
    ),
}
"""By what they are, as ``tools/polynomials.py`` names them."""


def splat(number: float, like: Any) -> Any:
    """Return a constant vector.

    Parameters
    ----------
    number : float
        Of each lane; an integer of a vector of integers.
    like : llvmlite.ir.VectorType
        Its type.
    """
    return Uniform(like, number)


class Uniform(ir.Constant):  # type: ignore[misc]
    """A vector whose elements are all one constant, written as that one: LLVM reads it faster."""

    def _get_reference(self) -> str:
        return f"splat ({self.constant[0]})"


def numbers(name: str) -> list[float]:
    """Return constants as numbers.

    Parameters
    ----------
    name : str
        What they are.
    """
    short = name.endswith(" of float32") or name == "half a root of 2"
    letter, integer = (">f", ">I") if short else (">d", ">Q")
    return [struct.unpack(letter, struct.pack(integer, bits))[0] for bits in CONSTANTS[name]]


def coefficients(name: str, like: Any, sign: float = 1.0) -> list[Any]:
    """Return constants, each as a vector.

    Parameters
    ----------
    name : str
        What they are, without "of float32".
    like : llvmlite.ir.VectorType
        Of what type.
    sign : float
        What they are multiplied by: 1 or -1.
    """
    full = f"{name} of float32" if like.element == ir.FloatType() else name
    return [splat(sign * number, like) for number in numbers(full)]


def fused(builder: Builder, a: IRValue, b: IRValue, c: IRValue) -> IRValue:
    """Return ``a * b + c``, rounded once.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    a, b, c : llvmlite.ir.Value
        Vectors.
    """
    kind = a.type
    name = f"llvm.fma.v{kind.count}f{32 if kind.element == ir.FloatType() else 64}"
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, [a, b, c])


def polynomial(builder: Builder, x: IRValue, factors: list[Any]) -> IRValue:
    """Return a polynomial, two powers at a time: half as many operations wait for one another.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    x : llvmlite.ir.Value
        The argument.
    factors : list of llvmlite.ir.Constant
        Of its powers, the lowest first.
    """
    square = builder.fmul(x, x)
    pairs = [
        fused(builder, factors[k + 1], x, factors[k]) if k + 1 < len(factors) else factors[k]
        for k in range(0, len(factors), 2)
    ]
    total = pairs.pop()
    while pairs:
        total = fused(builder, total, square, pairs.pop())
    return total
