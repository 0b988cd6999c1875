"""A writer of kernel code: what op rows expand into and lowering builds loops with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.primitives import PRIMITIVES, register_dtype
from lazyarr.loop_ir.source import External

__all__ = ["MANY", "Block", "Builder", "Literal", "Operand", "Value"]

DType = np.dtype[Any]
BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
#: Turns of a loop whose number is known when it runs.
MANY = 1 << 62


def _identity(operand: Operand) -> object:
    """Return what tells operands apart: names, and of literals the text, for 0.0 equals -0.0."""
    if isinstance(operand, Value):
        return operand.name
    return repr(operand.value), operand.dtype


class Block:
    """Statements of one nesting level, and what was already computed there.

    Parameters
    ----------
    turns : int, optional
        Of the body of a loop: how often it is run, or :data:`MANY` if that is not in the text.
    copies : int, optional
        How often compilers write it out.
    """

    def __init__(self, turns: int = 1, copies: int = 1) -> None:
        self.turns = turns
        self.copies = copies
        self.statements: list[Statement] = []
        self.known: dict[object, Value] = {}
        self.several: dict[object, tuple[Value, ...]] = {}


class Builder:
    """Appends statements to nested blocks, computing nothing twice where it is still known.

    Examples
    --------
    >>> import numpy as np
    >>> builder = Builder()
    >>> x = Value("x", np.dtype("float64"))
    >>> y = builder.call("multiply", x, x)
    >>> y is builder.call("multiply", x, x)
    True
    >>> builder.finish()
    (Let(target=Value(name='v0', dtype=dtype('float64')), primitive='multiply', args=(...)),)
    """

    def __init__(self) -> None:
        self._blocks = [Block()]
        self._count = 0
        self._declared_first = 0

    def finish(self) -> tuple[Statement, ...]:
        """Return the outermost block's statements."""
        if len(self._blocks) != 1:
            raise ContractError("a block is still open")
        return tuple(self._blocks[0].statements)

    def fresh(self, prefix: str, dtype: DType) -> Value:
        """Return a value of an unused name."""
        name = f"{prefix}{self._count}"
        self._count += 1
        return Value(name, dtype)

    def literal(self, value: bool | int | float, dtype: DType) -> Literal:
        """Return a scalar of the source text."""
        return Literal(dtype.type(value).item(), dtype)

    def call(self, primitive: str, *args: Operand, dtype: DType | None = None) -> Value:
        """Return ``primitive(*args)``; `dtype` names the result of conversions."""
        row = PRIMITIVES[primitive]
        if len(args) != row.arity:
            raise ContractError(f"{primitive} takes {row.arity} operands, got {len(args)}")
        operands = args[1:] if primitive == "select" else args
        if any(a.dtype != operands[0].dtype for a in operands):
            raise ContractError(f"{primitive} of {[a.dtype.name for a in args]}")
        if operands[0].dtype.kind not in row.kinds:
            raise ContractError(f"{primitive} does not take {operands[0].dtype.name}")
        if row.result == "bool":
            dtype = BOOL
        elif row.result == "same":
            dtype = operands[0].dtype
        if dtype is None:
            raise ContractError(f"{primitive} needs a dtype")
        if primitive == "convert" and args[0].dtype == dtype and isinstance(args[0], Value):
            return args[0]
        key = (primitive, dtype, *map(_identity, args))
        found = self._find(key)
        if found is None:
            found = self.fresh("v", dtype)
            self._append(Let(found, primitive, args))
            self._blocks[-1].known[key] = found
        return found

    def cosine_of_turn(self, turn: Operand) -> Value:
        """Return the cosine of an angle that is given in turns of the circle."""
        angle = self.call("multiply", turn, self.literal(2 * math.pi, turn.dtype))
        return self.call("cos", angle)

    def random_words(
        self, block: Operand, draw: Operand, key: Operand
    ) -> tuple[Value, Value] | None:
        """Return the two words of a block of random numbers, where a function computes them."""
        return None

    def external(self, function: External, *args: Operand, raised: bool = False) -> Value:
        """Return ``function(*args)``, or whether that raises an exception."""
        if tuple(a.dtype for a in args) != function.arguments:
            raise ContractError(f"{function.name} of {[a.dtype.name for a in args]}")
        key = (function, raised, *map(_identity, args))
        found = self._find(key)
        if found is None:
            found = self.fresh("v", BOOL if raised else function.result)
            self._append(Call(found, function, args, raised))
            self._blocks[-1].known[key] = found
        return found

    def load(self, pointer: Pointer, index: Index) -> Value:
        """Return ``pointer[index]``; float16 memory gives a float32 value."""
        dtype = register_dtype(pointer.dtype)
        key = (pointer.name, index)
        found = None if pointer.written else self._find(key)
        if found is None:
            found = self.fresh("v", dtype)
            self._append(Load(found, pointer, index))
            if not pointer.written:
                self._blocks[-1].known[key] = found
        return found

    def store(self, pointer: Pointer, index: Index, value: Operand) -> None:
        """Append ``pointer[index] = value``."""
        self._append(Store(pointer, index, value))

    def declare(self, prefix: str, initial: Operand) -> Value:
        """Return a mutable variable that starts as `initial`."""
        variable = self.fresh(prefix, initial.dtype)
        self._append(Declare(variable, initial))
        return variable

    def declare_first(self, prefix: str, initial: Operand) -> Value:
        """Return a mutable variable of the whole kernel that starts as `initial`."""
        variable = self.fresh(prefix, initial.dtype)
        self._blocks[0].statements.insert(self._declared_first, Declare(variable, initial))
        self._declared_first += 1
        return variable

    def update(
        self, variable: Value, primitive: str, *args: Operand, reassociate: bool = False
    ) -> None:
        """Append ``variable = primitive(*args)``."""
        self._append(Update(variable, primitive, args, reassociate))

    def assign(self, variable: Value, value: Operand) -> None:
        """Append ``variable = value``."""
        self._append(Update(variable, "copy", (value,)))

    def snapshot(self, variable: Value) -> Value:
        """Return the present value of a mutable variable as a value that stays."""
        found = self.fresh("v", variable.dtype)
        self._append(Let(found, "copy", (variable,)))
        return found

    def comment(self, text: str) -> None:
        """Append a line for the reader."""
        self._append(Comment(text))

    def local(self, prefix: str, dtype: DType, size: int) -> Pointer:
        """Return memory of the call for `size` elements."""
        pointer = Pointer(self.fresh(prefix, dtype).name, dtype, True)
        self._append(Local(pointer, size))
        return pointer

    def prefetch(self, pointer: Pointer, index: Index, ahead: int, nbytes: int) -> None:
        """Say that the `nbytes` that begin `ahead` bytes behind an element will be used soon."""
        self._append(Prefetch(pointer, index, ahead, nbytes))

    def recall(self, key: object) -> tuple[Value, ...] | None:
        """Return what :meth:`remember` was given under this key where it is still known."""
        for block in reversed(self._blocks):
            found = block.several.get(key)
            if found is not None:
                return found
        return None

    def remember(self, key: object, values: tuple[Value, ...]) -> None:
        """Note what statements of the present block computed together."""
        self._blocks[-1].several[key] = values

    @contextmanager
    def loop(
        self,
        prefix: str,
        start: Operand,
        stop: Operand,
        kind: AxisKind = AxisKind.SERIAL,
    ) -> Iterator[Value]:
        """Open ``for variable in range(start, stop)`` and give the variable."""
        variable = self.fresh(prefix, INT64)
        self._blocks.append(Block(MANY))
        yield variable
        body = tuple(self._blocks.pop().statements)
        self._append(For(variable, start, stop, body, kind))

    @contextmanager
    def repeat(self, condition: Value) -> Iterator[None]:
        """Open ``while condition``, a bool variable."""
        self._blocks.append(Block(MANY))
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

    def _append(self, statement: Statement) -> None:
        self._blocks[-1].statements.append(statement)

    def _find(self, key: object) -> Value | None:
        for block in reversed(self._blocks):
            found = block.known.get(key)
            if found is not None:
                return found
        return None
