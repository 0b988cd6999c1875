"""A writer of device kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, kind_of
from lazyarr.loop_ir.builder import Block, Builder
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import (
    AxisKind,
    For,
    Index,
    Let,
    Literal,
    Operand,
    Pointer,
    Value,
)
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.loop_ir.threads import (
    Arithmetic,
    Array,
    Builtin,
    Intrinsic,
    Shuffle,
    VectorLoad,
    VectorStore,
)

__all__ = ["DeviceBuilder"]

DType = np.dtype[Any]


class DeviceBuilder(Builder):
    """A writer of device kernels.

    Parameters
    ----------
    index : numpy.dtype
        Of all indices: int32 where they fit, else int64.
    """

    divides_in_vectors = False  # a thread has no vectors, and float64 is slow on many GPUs

    def __init__(self, index: DType) -> None:
        super().__init__()
        self.index = index
        #: Searches in sorted vectors that were written.
        self.searches = 0
        # Of ``x | literal``, by name: both.
        self._with_bits: dict[str, tuple[Operand, int]] = {}

    def call(self, primitive: str, *args: Operand, dtype: DType | None = None) -> Value:
        """Return ``primitive(*args)``; `dtype` names the result of conversions."""
        if self._with_bits and primitive in ("convert", "shift_right"):
            bits = self._with_bits.get(getattr(args[0], "name", ""))
            if bits is not None:
                return self._beside_bits(bits, primitive, *args, dtype=dtype)
        value = super().call(primitive, *args, dtype=dtype)
        if primitive == "or" and isinstance(args[1], Literal):
            self._with_bits[value.name] = args[0], int(args[1].value)
        return value

    def cosine_of_turn(self, turn: Operand) -> Value:
        """Return the cosine of an angle that is given in turns: CUDA has a function of half turns.

        It needs nothing for large angles, which is most of a cosine's code.
        """
        cosine = self.fresh("v", turn.dtype)
        self._append(Let(cosine, "cosine_of_half_turns", (self.call("add", turn, turn),)))
        return cosine

    def random_words(self, block: Operand, draw: Operand, key: Operand) -> tuple[Value, Value]:
        """Return the two words of a block of random numbers.

        By a function of 32-bit numbers, which a GPU multiplies; its text is a twentieth as long.
        """
        first, second = self.fresh("v", draw.dtype), self.fresh("v", draw.dtype)
        self.emit(Intrinsic((first, second), "philox", (block, draw, key)))
        return first, second

    def quotient(self, index: Operand, factor: Value, shift: Value) -> Value:
        """Return an index divided by a number, whose inverse is a factor and a shift.

        Parameters
        ----------
        index : Value or Literal
            Not negative, int32.
        factor, shift : Value
            As :func:`lazyarr.codegen.cuda.quotients.inverse_of` gives them.
        """
        quotient = self.fresh("i", index.dtype)
        self.emit(Intrinsic((quotient,), "quotient_of_index", (index, factor, shift)))
        return quotient

    def position_in(self, pointer: Pointer, operands: tuple[Operand, ...], side: str) -> Value:
        """Return the position of a value in a sorted vector.

        Parameters
        ----------
        pointer : Pointer
            The memory that has the vector.
        operands : tuple of Value or Literal
            The steps from one element to the next, how many there are, and the value.
        side : {"left", "right"}
            Whether elements that are equal lie behind the position, or before it.
        """
        self.searches += 1
        position = self.fresh("v", np.dtype(np.int64))
        self.emit(Intrinsic((position,), "position_in", (pointer, *operands), (side,)))
        return position

    def _beside_bits(
        self, parts: tuple[Operand, int], primitive: str, *args: Operand, dtype: DType | None
    ) -> Value:
        """Write a conversion of ``x | bits``, or ``(x | bits) >> n`` as ``x >> n | bits >> n``.

        So neighbours share what follows from their counters without the lowest bits.
        """
        x, bits = parts
        if primitive == "convert":
            value = super().call(primitive, *args, dtype=dtype)
            if kind_of(value.dtype) in "iu":
                self._with_bits[value.name] = self.call(primitive, x, dtype=dtype), bits
            return value
        distance = args[1]
        if not isinstance(distance, Literal):
            return super().call(primitive, *args)
        shifted = self.call(primitive, x, distance)
        rest = bits >> int(distance.value)
        return self.call("or", shifted, self.literal(rest, shifted.dtype)) if rest else shifted

    @contextmanager
    def loop(
        self, prefix: str, start: Operand, stop: Operand, kind: AxisKind = AxisKind.SCALAR
    ) -> Iterator[Value]:
        """Open a loop over an int64; compilers do not write it out.

        Parameters
        ----------
        prefix : str
            The beginning of the variable's name.
        start, stop : Operand
            Bounds of the iterations, int64.
        kind : AxisKind, optional
            How targets write the loop.
        """
        with super().loop(prefix, start, stop, kind) as variable:
            yield variable

    @contextmanager
    def side_by_side(self, prefix: str, count: int, rare: Value) -> Iterator[Value]:
        """Open a loop whose iterations are written out and computed beside one another.

        `rare` becomes true where an iteration met what is rare, and its results are of no use then:
        see the fission pass.

        Parameters
        ----------
        prefix : str
            The beginning of the variable's name.
        count : int
            Iterations.
        rare : Value
            The variable that says whether any met what is rare.
        """
        variable = self.fresh(prefix, self.index)
        self._blocks.append(Block())
        yield variable
        body = tuple(self._blocks.pop().statements)
        start, stop = Literal(0, self.index), Literal(count, self.index)
        self._append(For(variable, start, stop, body, AxisKind.UNROLLED, 0, rare))

    #: ``emit(statement)``: appends a statement.
    emit = Builder._append

    def builtin(self, name: str) -> Value:
        """Return the number of this "thread" or "block"."""
        number = Value(name, self.index)
        self.emit(Builtin(number, AxisKind[name.upper()]))
        return number

    def arithmetic(self, operator: str, left: Operand, right: Operand) -> Value:
        """Return ``left operator right`` of indices.

        Parameters
        ----------
        operator : str
            One of C, or "min".
        left, right : Operand
            Two indices.
        """
        value = self.fresh("i", self.index)
        self._append(Arithmetic(value, operator, left, right))
        return value

    def array(
        self, prefix: str, dtype: DType, size: int, shared: bool, offset: int | None = None
    ) -> Pointer:
        """Return new memory of a thread or, if shared, of its block.

        Parameters
        ----------
        prefix : str
            The beginning of its name.
        dtype : numpy.dtype
            Of its elements.
        size : int
            How many there are.
        shared : bool
            Whether it is memory of the block.
        offset : int, optional
            Where it lies, in bytes, in the shared memory that the launch gives.
        """
        pointer = Pointer(self.fresh(prefix, dtype).name, dtype, True)
        memory = self.memory_of(pointer) if is_bfloat16(dtype) else pointer
        self.emit(Array(memory, size, shared, offset))
        return pointer

    def vector(
        self, pointer: Pointer, index: Index, width: int, left: Operand | None = None
    ) -> tuple[Value, ...]:
        """Return neighbouring elements, loaded as a vector.

        Parameters
        ----------
        pointer : Pointer
            The memory.
        index : Index
            Of the first element: a multiple of `width`.
        width : int
            How many.
        left : Operand, optional
            How many of them there are, if that may be fewer.
        """
        narrow = is_bfloat16(pointer.dtype)
        memory = self.memory_of(pointer) if narrow else pointer
        targets = tuple(self.fresh("v", register_dtype(memory.dtype)) for _ in range(width))
        self.emit(VectorLoad(targets, memory, index, left))
        return tuple([self.from_memory(word) for word in targets]) if narrow else targets

    def store_vector(
        self,
        pointer: Pointer,
        index: Index,
        values: Sequence[Operand],
        passing: bool = False,
        left: Operand | None = None,
    ) -> None:
        """Append the store of neighbouring elements as a vector.

        Parameters
        ----------
        pointer : Pointer
            The memory.
        index : Index
            Of the first element: a multiple of their number.
        values : sequence of Operand
            A power of two of them, of the pointer's register dtype.
        passing : bool, optional
            Whether they need not stay in caches.
        left : Operand, optional
            How many of them there are, if that may be fewer.
        """
        if is_bfloat16(pointer.dtype):
            values = [self.to_memory(value, pointer.dtype) for value in values]
            pointer = self.memory_of(pointer)
        self.emit(VectorStore(pointer, index, tuple(values), passing, left))

    def shuffle(
        self, value: Value, distance: Operand, mode: str = "xor", lanes: int = WARP
    ) -> Value:
        """Return the value of a variable in another lane.

        Parameters
        ----------
        value : Value
            The variable.
        distance : Operand
            To the other lane, or its number.
        mode : {"xor", "up", "lane"}, optional
            How `distance` names the other lane.
        lanes : int, optional
            Lanes of which one group consists.
        """
        target = self.fresh("v", value.dtype)
        self.emit(Shuffle(target, value, distance, mode, lanes))
        return target

    @contextmanager
    def count(
        self, prefix: str, start: Operand, stop: Operand, unroll: int | None = None
    ) -> Iterator[Value]:
        """Open a loop over indices; the context manager yields the variable.

        Parameters
        ----------
        prefix : str
            The beginning of the variable's name.
        start, stop : Operand
            Bounds of the iterations.
        unroll : int, optional
            The unroll factor; 0: the loop is written out wholly; None: as compilers like.
        """
        variable = self.fresh(prefix, self.index)
        self._blocks.append(Block())
        yield variable
        body = tuple(self._blocks.pop().statements)
        kind = AxisKind.SERIAL if unroll is None else AxisKind.UNROLLED
        self._append(For(variable, start, stop, body, kind, unroll))
