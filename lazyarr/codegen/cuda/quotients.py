"""Quotients of indices: a GPU has no instruction for divisions, and two for such a quotient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lazyarr.loop_ir.kernel import Operand, Value

if TYPE_CHECKING:
    from lazyarr.codegen.cuda.builder import DeviceBuilder
    from lazyarr.codegen.gathers import IndexedKernel

    class _Indices(IndexedKernel, Protocol):
        """The code of a kernel of a GPU, as quotients need it."""

        device: DeviceBuilder
        index_dtype: np.dtype[Any]


__all__ = ["divided", "inverse_of"]

_INDEX = np.dtype(np.int32)
#: Bits of an index, the first of which is its sign.
_BITS = 8 * _INDEX.itemsize


def inverse_of(divisor: int) -> tuple[int, int]:
    """Return the factor and the shift by which indices of int32 are divided.

    With 2^(s - 1) < d <= 2^s the factor is floor(2^(31 + s) / d) + 1, and the quotient the upper
    half of its product with the index, shifted by s - 1 bits [1]_.

    .. [1] T. Granlund, P. L. Montgomery, "Division by invariant integers using multiplication",
       PLDI 1994, theorem 4.2.

    Parameters
    ----------
    divisor : int
        At least 2, and below 2**31.

    Returns
    -------
    factor : int
        The int32 of the factor's 32 bits.
    shift : int
        How far.

    Examples
    --------
    >>> factor, shift = inverse_of(7)
    >>> [(index * (factor % 2**32) >> 32) >> shift for index in (0, 6, 7, 2**31 - 1)]
    [0, 0, 1, 306783378]
    """
    bits = (divisor - 1).bit_length()
    factor = (1 << _BITS - 1 + bits) // divisor + 1
    return factor - (1 << _BITS if factor >> _BITS - 1 else 0), bits - 1


def divided(low: _Indices, index: Operand, divisor: int, named: Value) -> tuple[Operand, Operand]:
    """Write the quotient and the remainder of an index that is not negative.

    Parameters
    ----------
    low : DeviceIndices
        The kernel.
    index : Operand
        The index.
    divisor : int
        The number.
    named : Value
        The parameter that passes it.
    """
    if divisor == 1:
        return index, low.integer(0)
    if low.index_dtype != _INDEX or divisor < 1:
        quotient = low.device.arithmetic("/", index, named)
        return quotient, low.device.arithmetic("%", index, named)
    factor, shift = inverse_of(divisor)
    quotient = low.device.quotient(
        index,
        low.number(("factor of quotients", divisor), factor, "m"),
        low.number(("shift of quotients", divisor), shift, "h"),
    )
    product = low.device.arithmetic("*", quotient, named)
    return quotient, low.device.arithmetic("-", index, product)
