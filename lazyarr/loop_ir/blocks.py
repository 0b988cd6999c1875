"""Nested blocks of statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import AxisKind, For, If, Literal, Operand, Statement, Value, While

__all__ = ["Block", "BlockWriter"]

DType = np.dtype[Any]
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
