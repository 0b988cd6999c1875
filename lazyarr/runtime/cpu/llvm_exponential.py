"""The exponential of ordinary numbers in LLVM IR, a vector at a time, to be inlined in loops.

``exp(x) = 2**n exp(r)`` for the integer n that is nearest to ``x / ln 2``. ``exp(r)`` is
``1 + (r + r**2 p(r))`` with a polynomial p, less than one unit in the last place off. A vector
library's function saves and loads all registers around its call, which takes as long as what it
computes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_constants import FORMATS, coefficients, fused, polynomial, splat

__all__ = ["define_exponential"]


def define_exponential(defined: Any) -> None:
    """Define a function of a vector whose results are all ordinary numbers.

    Parameters
    ----------
    defined : llvmlite.ir.Function
        The function.
    """
    (x,) = defined.args
    kind = x.type
    integer, digits = FORMATS["f" if kind.element == ir.FloatType() else "d"]
    words = ir.VectorType(integer, kind.count)
    builder = ir.IRBuilder(defined.append_basic_block("entry"))
    # Added to a number, this leaves the nearest integer in the lowest bits.
    magic = splat(1.5 * 2.0**digits, kind)
    (inverse,) = coefficients("log2(e)", kind)
    shifted = fused(builder, x, inverse, magic)
    n = builder.fsub(shifted, magic)
    # The product of n and the first part is exact.
    high, low = coefficients("short parts of ln(2)", kind, -1.0)
    r = fused(builder, n, low, fused(builder, n, high, x))
    rest = polynomial(builder, r, coefficients("exponential", kind))
    more = fused(builder, builder.fmul(r, r), rest, r)
    raised = builder.fadd(more, splat(1.0, kind))
    power = builder.shl(builder.bitcast(shifted, words), splat(digits, words))
    scaled = builder.add(builder.bitcast(raised, words), power)
    builder.ret(builder.bitcast(scaled, kind))
