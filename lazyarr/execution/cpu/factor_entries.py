"""Entries of LU factors, solutions and inverses: see :mod:`lazyarr.ops.triangular`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.execution.cpu.entry_blocks import (
    Block,
    Place,
    Reserve,
    Row,
    copy_entry,
    keywords_of,
    reserved,
    whole,
)
from lazyarr.graph.node import Node, Op
from lazyarr.ops.factored_solutions import SOLVED, SOLVED_SIDES
from lazyarr.ops.triangular import FACTORS, INVERSE, SOLUTION, factors_bytes
from lazyarr.runtime.cpu.factor_stacks import is_divided
from lazyarr.runtime.cpu.lapack import BLOCK, fortran_routine
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = ["FACTOR_ENTRIES"]

_WIDE = {np.dtype(x): np.dtype(y) for x, y in zip("fdFD", "ddDD", strict=True)}
#: Steps of arguments that point to their own word, and to the outcome of a routine.
_OWN_WORD, _OUTCOME = -1, -2
#: Arguments of every call of a routine.
_ARGUMENTS = 12


@dataclass(frozen=True, slots=True)
class _Records:
    """Records of LU factors in C order: see :mod:`lazyarr.ops.triangular`.

    Attributes
    ----------
    base, offset : int
        Where they lie.
    stack : tuple of int
        How many there are.
    nbytes : int
        Of a record.
    n : int
        Rows of a matrix.
    dtype : numpy.dtype
        In double precision.
    """

    base: int
    offset: int
    stack: tuple[int, ...]
    nbytes: int
    n: int
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, place: Place, n: int, dtype: np.dtype[Any]) -> _Records | None:
        """Return the records of an array of bytes; None if they are worth several threads.

        There are none either of bytes that do not lie in C order.

        Parameters
        ----------
        place : Place
            Of the array.
        n, dtype
            Rows of a matrix, and its dtype.
        """
        if not place.is_in_order or dtype not in _WIDE:
            return None
        *stack, nbytes = place.shape
        if is_divided((prod(stack), n, n)):
            return None
        return cls(place.base, place.offset, tuple(stack), nbytes, n, _WIDE[dtype])

    def matrices(self) -> Place:
        """Return the factors by columns, of shape (..., n, n)."""
        return self._part(0, (self.n, self.n))

    def sides(self, count: int, dtype: np.dtype[Any]) -> Place:
        """Return solutions by columns behind the factors, of shape (..., count, n).

        Parameters
        ----------
        count : int
            How many right sides there are.
        dtype : numpy.dtype
            Of the matrix.
        """
        return self._part(factors_bytes(self.n, dtype), (count, self.n))

    @property
    def rows(self) -> tuple[tuple[int, int], int]:
        """The place of the exchanged rows, and bytes from those of a matrix to the next."""
        return (self.base, self.offset + self.n * self.n * self.dtype.itemsize), self.nbytes

    def _part(self, start: int, shape: tuple[int, int]) -> Place:
        strides = []
        step = self.nbytes
        for length in reversed(self.stack):
            strides.append(step)
            step *= length
        inner = shape[1] * self.dtype.itemsize, self.dtype.itemsize
        where = self.base, self.offset + start
        return Place(*where, self.dtype, (*self.stack, *shape), (*reversed(strides), *inner))


#: An argument of a routine: a number, or memory and the step to that for the next matrix.
_Argument: TypeAlias = int | tuple[tuple[int, int], int] | None


def _routine(
    name: str, dtype: np.dtype[Any], count: int, arguments: Sequence[_Argument], values: int = 0
) -> Row | None:
    """Return the entry of a routine of LAPACK for each matrix; None without it.

    Parameters
    ----------
    name : str
        Without the letter of the type.
    dtype : numpy.dtype
        Of the matrices.
    count : int
        How many there are.
    arguments : sequence of int, tuple or None
        A number that is passed by its address, memory, or None for the outcome.
    values : int, optional
        How many of the last numbers are passed by value: lengths of text.
    """
    routine = fortran_routine(dtype, name)
    if routine is None:
        return None
    assert COMPILED is not None
    block = Block(COMPILED.CALL_ROUTINE)
    block.add(routine.address, count)
    for position, argument in enumerate(arguments):
        if argument is None:
            block.add(0, _OUTCOME)
        elif isinstance(argument, int):
            is_value = position >= len(arguments) - values
            block.add(argument, 0 if is_value else _OWN_WORD)
        else:
            where, step = argument
            block.add_address(*where)
            block.add(step)
    for _ in range(_ARGUMENTS - len(arguments)):
        block.add(0, 0)
    return block.row


def _matrix_argument(place: Place) -> tuple[tuple[int, int], int]:
    """Return matrices as an argument of a routine: they lie in even steps."""
    return (place.base, place.offset), place.strides[-3] if len(place.shape) > 2 else 0


def _factors(
    node: Node, operands: Sequence[Place], result: Place, _: Reserve
) -> Sequence[Row] | None:
    """Return the entries of :func:`lazyarr.ops.triangular.factors`."""
    (a,) = operands
    n = a.shape[-1]
    records = _Records.of(result, n, a.dtype)
    if records is None:
        return None
    lu, count = records.matrices(), prod(records.stack)
    arguments = n, n, _matrix_argument(lu), n, records.rows, None
    return whole([copy_entry(a.transposed, lu), _routine("getrf", lu.dtype, count, arguments)])


def _solved(
    node: Node, operands: Sequence[Place], result: Place, _: Reserve
) -> Sequence[Row] | None:
    """Return the entries of :func:`lazyarr.ops.triangular.solved`."""
    a, b = operands[0], operands[1].as_columns
    n, width = b.shape[-2:]
    records = _Records.of(result, n, a.dtype)
    if records is None or b.dtype != a.dtype:
        return None
    lu, sides, count = records.matrices(), records.sides(width, a.dtype), prod(records.stack)
    copies = [copy_entry(a.transposed, lu), copy_entry(b.transposed, sides)]
    memory = _matrix_argument(lu), _matrix_argument(sides)
    arguments = n, width, memory[0], n, records.rows, memory[1], n, None
    return whole([*copies, _routine("gesv", lu.dtype, count, arguments)])


def _solved_sides(
    node: Node, operands: Sequence[Place], result: Place, _: Reserve
) -> Sequence[Row] | None:
    """Return the entry of :func:`lazyarr.ops.triangular.solved_sides`."""
    (data,), keywords = operands, keywords_of(node)
    if keywords is None or set(keywords) != {"shape", "dtype"}:
        return None
    (n, count), dtype = keywords["shape"], np.dtype(keywords["dtype"])
    records = _Records.of(data, n, dtype)
    if records is None:
        return None
    sides = records.sides(max(count, 1), dtype).transposed
    return whole([copy_entry(sides, result.as_columns)])


def _solution(
    node: Node, operands: Sequence[Place], result: Place, reserve: Reserve
) -> Sequence[Row] | None:
    """Return the entries of :func:`lazyarr.ops.triangular.solution`."""
    data, b, keywords = operands[0], operands[1].as_columns, keywords_of(node)
    if keywords is None or set(keywords) != {"transposed", "as_numpy"} or not result.is_in_order:
        return None
    n, width = b.shape[-2:]
    records, stack = _Records.of(data, n, b.dtype), b.shape[:-2]
    if records is None or result.as_columns.shape != b.shape or result.dtype != b.dtype:
        return None
    if prod(records.stack) > 1 and records.stack != stack:
        return None
    entries: list[Row | None] = []
    lu, rows, wide = records.matrices(), records.rows, records.dtype
    step = records.nbytes if prod(records.stack) > 1 else 0
    if wide != b.dtype and not keywords["as_numpy"] and width >= n:
        wide, narrow = b.dtype, reserved(reserve, b.dtype, lu.shape)
        entries.append(copy_entry(lu, narrow))
        lu, step = narrow, n * n * wide.itemsize if step else 0
    sides = reserved(reserve, wide, (*stack, width, n))
    entries.append(copy_entry(b.transposed, sides))
    flag = ord("T" if keywords["transposed"] else "N")
    memory = (rows[0], rows[1] if prod(records.stack) > 1 else 0), n * width * wide.itemsize
    arguments = (
        *(flag, n, width, ((lu.base, lu.offset), step), n, memory[0]),
        *(((sides.base, sides.offset), memory[1]), n, None, 1),
    )
    entries.append(_routine("getrs", wide, prod(stack), arguments, 1))
    entries.append(copy_entry(sides.transposed, result.as_columns))
    return whole(entries)


def _inverse(
    node: Node, operands: Sequence[Place], result: Place, reserve: Reserve
) -> Sequence[Row] | None:
    """Return the entries of :func:`lazyarr.ops.triangular.inverse_transposed`."""
    (data,), keywords = operands, keywords_of(node)
    if keywords is None or set(keywords) != {"n", "dtype"} or not result.is_in_order:
        return None
    n, dtype = keywords["n"], np.dtype(keywords["dtype"])
    records = _Records.of(data, n, dtype)
    if records is None or result.dtype != dtype:
        return None
    length = BLOCK * n if n > BLOCK else n
    size = dtype.itemsize
    work = reserve(length * size), 0
    memory = ((result.base, result.offset), n * n * size), records.rows
    arguments = n, memory[0], n, memory[1], work, length, None
    routine = _routine("getri", dtype, prod(records.stack), arguments)
    return whole([copy_entry(records.matrices(), result), routine])


#: Functions by library ops. Each takes the node, its operands, its result, and what returns memory.
FACTOR_ENTRIES: dict[
    Op, Callable[[Node, Sequence[Place], Place, Reserve], Sequence[Row] | None]
] = {
    FACTORS: _factors,
    SOLVED: _solved,
    SOLVED_SIDES: _solved_sides,
    SOLUTION: _solution,
    INVERSE: _inverse,
}
