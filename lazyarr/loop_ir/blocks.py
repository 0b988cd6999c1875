"""Nested blocks of statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import AxisKind, For, If, Operand, Statement, Value, While

__all__ = ["Block", "BlockWriter"]

DType = np.dtype[Any]
INT64 = np.dtype(np.int64)


class Block:
    """Statements of one nesting level, and what lowering noted of them.

    Attributes
    ----------
    statements : list of Statement
        What was written.
    several : dict
        Values that lowering noted there.
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.several: dict[object, tuple[Value, ...]] = {}


class BlockWriter:
    """Opens and closes blocks and numbers variables."""

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

    def recall(self, key: object) -> tuple[Value, ...] | None:
        """Return the values that :meth:`remember` noted under a key, where they are still known."""
        for block in reversed(self._blocks):
            values = block.several.get(key)
            if values is not None:
                return values
        return None

    def remember(self, key: object, values: tuple[Value, ...]) -> None:
        """Note the values that statements of the present block computed together.

        Parameters
        ----------
        key : hashable
            What they are the values of.
        values : tuple of Value
            The values, for :meth:`recall`.
        """
        self._blocks[-1].several[key] = values

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

    def _append(self, statement: Statement) -> None:
        self._blocks[-1].statements.append(statement)
