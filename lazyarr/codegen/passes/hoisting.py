"""Divisors of many divisions, prepared before the loops."""

from __future__ import annotations

import sys
from itertools import pairwise
from math import prod
from typing import TypeVar

import numpy as np

from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import (
    AxisKind,
    Declare,
    For,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Operand,
    Statement,
    Value,
    While,
)
from lazyarr.loop_ir.threads import DividedBy, Divisor

__all__ = ["hoist_divisors"]

K = TypeVar("K", bound=Kernel)

_NESTED = (For, While, If)
_SCALARS = (Let, Load)
#: The character of float64: characters compare sooner than dtypes do.
_DOUBLE = np.dtype(np.float64).char


def hoist_divisors(kernel: K) -> K:
    """Prepare the divisor before a loop all of whose iterations divide by the same float64.

    ::

        for t in n: y = x(t) / d  ->  by = divisor(d); for t in n: y = x(t) divided by by

    That is done in kernels of a GPU where at least `shared_divisions` divisions share one, and
    not in loops that are written out: the code is longer than that of a division, which memory
    hides.
    """
    if not isinstance(kernel, DeviceKernel) or not kernel.shared_divisions:
        return kernel
    if not any(_divides(statement) for statement in kernel.body if isinstance(statement, _NESTED)):
        return kernel
    body = _Hoisting(kernel.shared_divisions).block(kernel.body, 1, 1)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    """A block around the present statement.

    Attributes
    ----------
    iterations : int
        How often it is run each time.
    copies : int
        How often compilers write it out.
    divisors : dict of str to Value
        What was prepared here, by the divisor's name.
    prepared : list of Divisor
        The preparations to write before the present statement.
    """

    iterations: int
    copies: int
    divisors: dict[str, Value]
    prepared: list[Statement]


class _Hoisting:
    """The blocks around a place in a kernel, and where values are computed."""

    def __init__(self, shared: int) -> None:
        self.shared = shared
        self.blocks: list[_Block] = []
        #: The depth of the block that computes a float64; parameters are there from the beginning.
        self.depth: dict[str, int] = {}
        self.mutable: set[str] = set()

    def block(
        self, statements: tuple[Statement, ...], iterations: int, copies: int
    ) -> tuple[Statement, ...]:
        """Return the statements of a block with the divisors that those inside share.

        Parameters
        ----------
        statements : tuple of Statement
            Of the block.
        iterations : int
            How often it is run.
        copies : int
            How often compilers write it out.
        """
        block = _Block(iterations, copies, {}, [])
        self.blocks.append(block)
        result: list[Statement] = []
        for statement in statements:
            new = self._statement(statement)
            result += block.prepared
            block.prepared.clear()
            result.append(new)
        self.blocks.pop()
        same = len(result) == len(statements) and all(map(_is, result, statements))
        return statements if same else tuple(result)

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, _NESTED):
            body = self.block(statement.body, *_iterations(statement))
            return statement if body is statement.body else replace(statement, body=body)
        if isinstance(statement, Declare):
            self.mutable.add(statement.variable.name)
        if isinstance(statement, _SCALARS):
            self._note(statement.target)
        else:
            target = getattr(statement, "target", None)
            for value in getattr(statement, "targets", ()) if target is None else (target,):
                self._note(value)
        if isinstance(statement, Let) and statement.primitive == "divide":
            left, right = statement.args
            before = self._before_loops(right)
            if before is not None and isinstance(right, Value):
                return DividedBy(statement.target, left, self._prepared(before, right, statement))
        return statement

    def _note(self, value: Value) -> None:
        """Note where a value is computed."""
        if value.dtype.char == _DOUBLE:
            self.depth[value.name] = len(self.blocks) - 1

    def _prepared(self, before: _Block, divisor: Value, division: Let) -> Value:
        """Return a divisor as it is prepared in a block."""
        known = before.divisors.get(divisor.name)
        if known is None:
            known = Value(f"by_{division.target.name}", divisor.dtype)
            before.divisors[divisor.name] = known
            before.prepared.append(Divisor(known, divisor))
        return known

    def _before_loops(self, value: Operand) -> _Block | None:
        """Return the block before the outermost loop whose iterations all have the same value."""
        if (
            not isinstance(value, Value)
            or value.dtype.char != _DOUBLE
            or value.name in self.mutable
        ):
            return None
        depth = self.depth.get(value.name, 0)
        loops = self.blocks[depth + 1 :]
        if prod(block.iterations for block in loops) < self.shared:
            return None
        if any(block.copies > 1 for block in loops):
            return None
        around = self.blocks[depth:]
        return next(before for before, after in pairwise(around) if after.iterations > 1)


def _divides(statement: Statement) -> bool:
    """Whether a float64 is divided in a statement or inside of it."""
    if isinstance(statement, Let):
        return statement.primitive == "divide" and statement.target.dtype.char == _DOUBLE
    return isinstance(statement, _NESTED) and any(map(_divides, statement.body))


def _iterations(statement: For | While | If) -> tuple[int, int]:
    """Return the iterations of a body, and the copies that compilers write of it.

    What is known only when the kernel runs counts as very often.
    """
    if isinstance(statement, If):
        return 1, 1
    if isinstance(statement, While):
        return sys.maxsize, 1
    start, stop = statement.start, statement.stop
    count = sys.maxsize
    if isinstance(start, Literal) and isinstance(stop, Literal):
        count = int(stop.value) - int(start.value)
    if statement.kind is AxisKind.SCALAR:
        return sys.maxsize, 1
    if statement.unroll is None:
        return count, 2  # compilers write out what they may
    return count, statement.unroll or count


def _is(one: Statement, other: Statement) -> bool:
    return one is other
