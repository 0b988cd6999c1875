"""float16 and bfloat16 between memory and registers, which hold them as float32.

Targets widen, round and narrow float16 themselves. bfloat16 is the upper half of a float32, and is
written as operations on integers. Not every processor has an instruction for it, and those that
some have take subnormal numbers for zero; integers are vectors everywhere, and give the bits of
``ml_dtypes``: to the nearest, ties to even. A NaN that is rounded keeps its sign alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, memory_dtype, round_to
from lazyarr.loop_ir.kernel import Literal, Operand, Pointer, Value

__all__ = ["NarrowFloats"]

DType = np.dtype[Any]
UINT16, UINT32, FLOAT32 = map(np.dtype, (np.uint16, np.uint32, np.float32))
#: The bits of a float32 that bfloat16 lacks, which are the lower ones.
_LOST = 16
_UPPER = 0xFFFF0000
#: One less than half of the last place. With the last bit that stays added, ties become even.
_BELOW_HALF = 0x7FFF
_SIGN = 0x80000000
_NAN = 0x7FC00000


class NarrowFloats:
    """The part of a builder that converts between narrow floats in memory and registers."""

    #: The names of float32 values that are numbers of bfloat16: few kernels have any.
    _short: frozenset[str] = frozenset()

    def call(self, primitive: str, *args: Operand, dtype: DType | None = None) -> Value:
        """Return ``primitive(*args)``.

        Parameters
        ----------
        primitive : str
            A key of :data:`lazyarr.loop_ir.primitives.PRIMITIVES`.
        *args : Value or Literal
            The operands, of one dtype but for the condition of "select".
        dtype : numpy.dtype, optional
            Of the result, for conversions only: other primitives imply it.
        """
        raise NotImplementedError

    def round_to(self, value: Operand, dtype: DType) -> Operand:
        """Return a float32 rounded to a narrow float.

        Parameters
        ----------
        value : Value or Literal
            The number: of float64, too, if `dtype` is float16.
        dtype : numpy.dtype
            float16 or bfloat16.
        """
        if isinstance(value, Literal):
            return Literal(round_to(dtype, float(value.value)), value.dtype)
        if not is_bfloat16(dtype):
            return self.call("round_half", value)
        return value if value.name in self._short else self._rounded(value)

    def memory_of(self, pointer: Pointer) -> Pointer:
        """Return memory as loads and stores see it: of words, where its dtype is bfloat16.

        Parameters
        ----------
        pointer : Pointer
            The memory.
        """
        dtype = memory_dtype(pointer.dtype)
        return pointer if dtype is pointer.dtype else Pointer(pointer.name, dtype, pointer.written)

    def from_memory(self, word: Value) -> Value:
        """Return the float32 of a word of bfloat16 memory.

        Parameters
        ----------
        word : Value
            A uint16.
        """
        wide = self.call("convert", word, dtype=UINT32)
        bits = self.call("shift_left", wide, Literal(_LOST, UINT32))
        return self._short_float(bits)

    def to_memory(self, value: Operand, dtype: DType) -> Operand:
        """Return the element of memory for a value in a register.

        Parameters
        ----------
        value : Value or Literal
            Of the register dtype of `dtype`.
        dtype : numpy.dtype
            Of the memory.
        """
        if not is_bfloat16(dtype):
            return value
        number = self.round_to(value, dtype)
        if isinstance(number, Literal):
            return Literal(_bits(number) >> _LOST, UINT16)
        bits = self.call("bitcast", number, dtype=UINT32)
        word = self.call("shift_right", bits, Literal(_LOST, UINT32))
        return self.call("convert", word, dtype=UINT16)

    def _keep_short(self, value: Value, operands: tuple[Operand, ...]) -> None:
        """Note that an exact operation on numbers of bfloat16 has given another one."""
        if all(map(self._is_short, operands)):
            self._short |= {value.name}

    def _is_short(self, value: Operand) -> bool:
        if isinstance(value, Literal):
            return value.dtype == FLOAT32 and not _bits(value) & ~_UPPER
        return value.name in self._short

    def _short_float(self, bits: Value) -> Value:
        value = self.call("bitcast", bits, dtype=FLOAT32)
        self._short |= {value.name}
        return value

    def _rounded(self, value: Value) -> Value:
        """Return the number of bfloat16 nearest to a float32."""
        bits = self.call("bitcast", value, dtype=UINT32)
        last = self.call("shift_right", bits, Literal(_LOST, UINT32))
        last = self.call("and", last, Literal(1, UINT32))
        half = self.call("add", last, Literal(_BELOW_HALF, UINT32))
        upper = self.call("add", bits, half)
        upper = self.call("and", upper, Literal(_UPPER, UINT32))
        sign = self.call("and", bits, Literal(_SIGN, UINT32))
        nan = self.call("or", sign, Literal(_NAN, UINT32))
        is_nan = self.call("not_equal", value, value)
        return self._short_float(self.call("select", is_nan, nan, upper))


def _bits(value: Literal) -> int:
    return int(np.float32(value.value).view(np.uint32))
