"""Writers of kernel code, for the expansion of op rows and the loops of lowering."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.core.dtypes import is_bfloat16, kind_of, memory_dtype
from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import (
    AxisKind,
    Call,
    Comment,
    Declare,
    For,
    If,
    Index,
    Let,
    Literal,
    Load,
    Local,
    Operand,
    Pointer,
    Prefetch,
    Statement,
    Store,
    Transpose,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.narrow_floats import NarrowFloats
from lazyarr.loop_ir.primitives import PRIMITIVES, register_dtype
from lazyarr.loop_ir.source import External

__all__ = ["Block", "Builder", "Literal", "Operand", "Value"]

DType = np.dtype[Any]
BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)


class Block:
    """Statements of one nesting level.

    Attributes
    ----------
    statements : list of Statement
        What was written.
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []


class BlockWriter:
    """Opens and closes blocks and numbers variables."""

    def __init__(self) -> None:
        self._blocks = [Block()]
        self._count = 0
        self._declared_first = 0
        #: Values that are the same in all iterations, known where the kernel begins.
        self.invariants: set[Operand] = set()
        #: What was written for some of them where the kernel begins.
        self.prepared: dict[Operand, Any] = {}

    def finish(self) -> tuple[Statement, ...]:
        """Return the outermost block's statements."""
        if len(self._blocks) != 1:
            raise ContractError("a block is still open")
        return tuple(self._blocks[0].statements)

    def fresh(self, prefix: str, dtype: DType) -> Value:
        """Return a value of an unused name.

        Parameters
        ----------
        prefix : str
            The beginning of its name; a number follows.
        dtype : numpy.dtype
            Of the value.
        """
        name = f"{prefix}{self._count}"
        self._count += 1
        return Value(name, dtype)

    @contextmanager
    def loop(
        self,
        prefix: str,
        start: Operand,
        stop: Operand,
        kind: AxisKind = AxisKind.SERIAL,
    ) -> Iterator[Value]:
        """Open ``for variable in range(start, stop)``; the context manager yields the variable.

        Parameters
        ----------
        prefix : str
            The beginning of the variable's name.
        start, stop : Value or Literal
            Bounds of the iterations, int64.
        kind : AxisKind, optional
            How targets write the loop.
        """
        variable = self.fresh(prefix, INT64)
        self._blocks.append(Block())
        yield variable
        body = tuple(self._blocks.pop().statements)
        self._append(For(variable, start, stop, body, kind))

    @contextmanager
    def repeat(self, condition: Value) -> Iterator[None]:
        """Open ``while condition``, a bool variable."""
        self._blocks.append(Block())
        yield
        body = tuple(self._blocks.pop().statements)
        self._append(While(condition, body))

    @contextmanager
    def when(self, condition: Operand) -> Iterator[None]:
        """Open ``if condition``."""
        self._blocks.append(Block())
        yield
        body = tuple(self._blocks.pop().statements)
        self._append(If(condition, body))

    @contextmanager
    def first(self) -> Iterator[None]:
        """Append to the beginning of the kernel; only parameters are defined there."""
        self._blocks.append(Block())
        yield
        statements = self._blocks.pop().statements
        place = self._declared_first
        self._blocks[0].statements[place:place] = statements
        self._declared_first += len(statements)

    def is_invariant(self, value: Operand) -> bool:
        """Return whether a value is a literal or parameter, the same in all iterations."""
        return isinstance(value, Literal) or value in self.invariants

    def _append(self, statement: Statement) -> None:
        self._blocks[-1].statements.append(statement)


class Builder(BlockWriter, NarrowFloats):
    """Appends statements to nested blocks, without elimination of common subexpressions.

    The pass :mod:`lazyarr.codegen.passes.common_subexpressions` drops what is known.

    Examples
    --------
    >>> import numpy as np
    >>> builder = Builder()
    >>> x = Value("x", np.dtype("float64"))
    >>> y = builder.call("multiply", x, x)
    >>> y.name, builder.call("add", y, x).name
    ('v0', 'v1')
    >>> builder.finish()[:1]
    (Let(target=Value(name='v0', dtype=dtype('float64')), primitive='multiply', args=(...)),)
    """

    #: Whether integers are divided as vectors are, without the instruction for it.
    divides_in_vectors = True

    def literal(self, value: bool | int | float, dtype: DType) -> Literal:
        """Return a scalar of the source text.

        Parameters
        ----------
        value : bool, int or float
            The number; it is rounded to `dtype`.
        dtype : numpy.dtype
            Of the literal.
        """
        return Literal(dtype.type(value).item(), dtype)

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

        Raises
        ------
        ContractError
            If the primitive does not take these operands.
        """
        row = PRIMITIVES[primitive]
        if len(args) != row.arity:
            raise ContractError(f"{primitive} takes {row.arity} operands, got {len(args)}")
        operands = args[1:] if primitive == "select" else args
        if any(a.dtype != operands[0].dtype for a in operands):
            raise ContractError(f"{primitive} of {[a.dtype.name for a in args]}")
        if kind_of(operands[0].dtype) not in row.kinds:
            raise ContractError(f"{primitive} does not take {operands[0].dtype.name}")
        if row.result == "bool":
            dtype = BOOL
        elif row.result == "same":
            dtype = operands[0].dtype
        if dtype is None:
            raise ContractError(f"{primitive} needs a dtype")
        if primitive == "convert" and args[0].dtype == dtype and isinstance(args[0], Value):
            return args[0]
        value = self.fresh("v", dtype)
        self._append(Let(value, primitive, args))
        if row.exact and self._short:
            self._keep_short(value, operands)
        return value

    def cosine_of_turn(self, turn: Operand) -> Value:
        """Return the cosine of an angle that is given in turns of the circle."""
        angle = self.call("multiply", turn, self.literal(2 * math.pi, turn.dtype))
        return self.call("cos", angle)

    def position_in(self, pointer: Pointer, operands: tuple[Operand, ...], side: str) -> Value:
        """Return the position of a value in a sorted vector, where a target has a search.

        Parameters
        ----------
        pointer : Pointer
            The memory that has the vector.
        operands : tuple of Value or Literal
            What a target needs to know of it, and the value.
        side : {"left", "right"}
            Whether elements that are equal lie behind the position, or before it.

        Raises
        ------
        ContractError
            If the target has none.
        """
        raise ContractError("this target has no search")

    def random_words(
        self, block: Operand, draw: Operand, key: Operand
    ) -> tuple[Value, Value] | None:
        """Return the two words of a block of random numbers, where a target has its own function.

        Parameters
        ----------
        block : Value or Literal
            The number of the block in its draw: an int64.
        draw : Value or Literal
            The number of the draw in its stream.
        key : Value or Literal
            The key of the stream.

        Returns
        -------
        tuple of (Value, Value) or None
            Two uint64. None: the caller writes the algorithm (Philox4x32-10) out.
        """
        return None

    def external(self, function: External, *args: Operand, raised: bool = False) -> Value:
        """Return ``function(*args)``, or whether that raises an exception.

        Parameters
        ----------
        function : External
            A function that was compiled elsewhere.
        *args : Value or Literal
            Its operands, of exactly its dtypes.
        raised : bool, optional
            Whether the result is a bool: whether the function raises an exception for them.
        """
        if tuple(a.dtype for a in args) != function.arguments:
            raise ContractError(f"{function.name} of {[a.dtype.name for a in args]}")
        value = self.fresh("v", BOOL if raised else function.result)
        self._append(Call(value, function, args, raised))
        return value

    def load(self, pointer: Pointer, index: Index) -> Value:
        """Return ``pointer[index]``; float16 and bfloat16 memory give a float32 value.

        Parameters
        ----------
        pointer : Pointer
            The memory.
        index : Index
            Of the element.
        """
        if is_bfloat16(pointer.dtype):
            word = self.fresh("v", memory_dtype(pointer.dtype))
            self._append(Load(word, self.memory_of(pointer), index))
            return self.from_memory(word)
        value = self.fresh("v", register_dtype(pointer.dtype))
        self._append(Load(value, pointer, index))
        return value

    def store(self, pointer: Pointer, index: Index, value: Operand) -> None:
        """Append ``pointer[index] = value``.

        Parameters
        ----------
        pointer : Pointer
            The memory, which the kernel writes.
        index : Index
            Of the element.
        value : Value or Literal
            Of the pointer's register dtype.
        """
        if is_bfloat16(pointer.dtype):
            value, pointer = self.to_memory(value, pointer.dtype), self.memory_of(pointer)
        self._append(Store(pointer, index, value))

    def declare(self, prefix: str, initial: Operand) -> Value:
        """Return a mutable variable that starts as `initial`.

        Parameters
        ----------
        prefix : str
            The beginning of its name.
        initial : Value or Literal
            Its first value, which determines the dtype.
        """
        variable = self.fresh(prefix, initial.dtype)
        self._append(Declare(variable, initial))
        return variable

    def declare_first(self, prefix: str, initial: Operand) -> Value:
        """Return a mutable variable of the whole kernel that starts as `initial`.

        Parameters
        ----------
        prefix : str
            The beginning of its name.
        initial : Value or Literal
            Its first value, known where the kernel begins.
        """
        variable = self.fresh(prefix, initial.dtype)
        self._blocks[0].statements.insert(self._declared_first, Declare(variable, initial))
        self._declared_first += 1
        return variable

    def update(
        self, variable: Value, primitive: str, *args: Operand, reassociate: bool = False
    ) -> None:
        """Append ``variable = primitive(*args)``.

        Parameters
        ----------
        variable : Value
            A variable of :meth:`declare`.
        primitive : str
            A key of :data:`lazyarr.loop_ir.primitives.PRIMITIVES`, or "copy".
        *args : Value or Literal
            The operands, `variable` mostly among them.
        reassociate : bool, optional
            Whether targets may split the chain of updates of a loop into independent lanes.
        """
        self._append(Update(variable, primitive, args, reassociate))

    def assign(self, variable: Value, value: Operand) -> None:
        """Append ``variable = value``.

        Parameters
        ----------
        variable : Value
            A variable of :meth:`declare`.
        value : Value or Literal
            Of the same dtype.
        """
        self._append(Update(variable, "copy", (value,)))

    def snapshot(self, variable: Value) -> Value:
        """Return the present value of a mutable variable as a value that stays."""
        value = self.fresh("v", variable.dtype)
        self._append(Let(value, "copy", (variable,)))
        return value

    def comment(self, text: str) -> None:
        """Append a line for the reader."""
        self._append(Comment(text))

    def local(self, prefix: str, dtype: DType, size: int) -> Pointer:
        """Return memory of the call for `size` elements.

        Parameters
        ----------
        prefix : str
            The beginning of its name.
        dtype : numpy.dtype
            Of the elements.
        size : int
            Number of elements, a constant of the kernel.
        """
        pointer = Pointer(self.fresh(prefix, dtype).name, dtype, True)
        memory = self.memory_of(pointer) if is_bfloat16(dtype) else pointer
        self._append(Local(memory, size))
        return pointer

    def prefetch(self, pointer: Pointer, index: Index, ahead: int, nbytes: int) -> None:
        """Append a hint that memory behind an element will be used soon.

        Parameters
        ----------
        pointer : Pointer
            The memory.
        index : Index
            Of the element.
        ahead : int
            The prefetch distance: bytes from the element to what will be used.
        nbytes : int
            Bytes that will be used. They may lie beyond the end of the memory.
        """
        memory = self.memory_of(pointer) if is_bfloat16(pointer.dtype) else pointer
        self._append(Prefetch(memory, index, ahead, nbytes))

    def transpose(
        self,
        source: tuple[Pointer, Index, Operand],
        result: tuple[Pointer, Index, Operand],
        side: int,
    ) -> None:
        """Append the copy of a square block, its lines becoming columns.

        Parameters
        ----------
        source, result : tuple of (Pointer, Index, Operand)
            The memory, the first element, and the elements from one line to the next.
        side : int
            Lines of the block, a power of two.
        """
        if source[0].dtype != result[0].dtype:
            raise ContractError(f"a block of {source[0].dtype} is copied to {result[0].dtype}")
        narrow = is_bfloat16(source[0].dtype)
        memory = [self.memory_of(p) if narrow else p for p in (source[0], result[0])]
        self._append(Transpose(memory[0], *source[1:], memory[1], *result[1:], side))
