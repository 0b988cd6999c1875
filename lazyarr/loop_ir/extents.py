"""Memory extents that a kernel touches for a range of work items, by interval arithmetic.

Every integer of a kernel is bounded by an interval; a variable that changes, and a number that is
read from memory, by none. What is returned contains the elements that are touched, and may contain
more: those between them, and those of a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.loop_ir.kernel import (
    Call,
    Comment,
    Declare,
    For,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Operand,
    Prefetch,
    Statement,
    Store,
    Transpose,
    Update,
    While,
)
from lazyarr.loop_ir.threads import ThreadStatement
from lazyarr.loop_ir.values import Index, Literal, Pointer, Value

__all__ = ["UNBOUNDED", "Access", "Interval", "touched_elements"]

#: Least and largest value, both included.
Interval = tuple[int, int]

#: Beyond every index.
UNBOUNDED = 1 << 62
_ANY: Interval = (-UNBOUNDED, UNBOUNDED)
#: Parts of a range that are followed by themselves: where a bound comes from two numbers that both
#: depend on the work item, it is too wide by about the length of a part.
_PARTS = 8


@dataclass(frozen=True, slots=True)
class Access:
    """The extent of a pointer's memory that a kernel touches.

    Attributes
    ----------
    read, written : tuple of (int, int), optional
        The first element, and the one behind the last; None if it reads or writes none.
    """

    read: Interval | None = None
    written: Interval | None = None


def touched_elements(
    kernel: Kernel, begin: int, end: int, numbers: Mapping[str, int]
) -> dict[str, Access]:
    """Return the elements that work items touch, by the names of pointers.

    Parameters
    ----------
    kernel : Kernel
        Of a processor.
    begin, end : int
        The work items ``begin <= i < end``, at least one.
    numbers : mapping of str to int
        The values of integer parameters that are known; others are taken to be any number.

    Raises
    ------
    ContractError
        If a statement is one of a GPU's threads.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr.loop_ir.kernel import Kernel, Load, For
    >>> from lazyarr.loop_ir.values import Index, Pointer, Value
    >>> i, x = Value("i", np.dtype("i8")), Pointer("x", np.dtype("f8"))
    >>> begin, end = Value("begin", i.dtype), Value("end", i.dtype)
    >>> load = Load(Value("v", x.dtype), x, Index(3, ((2, i),)))
    >>> kernel = Kernel("k", (x,), (For(i, begin, end, (load,)),))
    >>> touched_elements(kernel, 10, 12, {})["x"].read
    (23, 26)
    """
    analysis = _Analysis(numbers)
    parts = min(_PARTS, end - begin)
    for part in range(parts):
        first, stop = (begin + (end - begin) * k // parts for k in (part, part + 1))
        analysis.bounds |= {"begin": (first, first), "end": (stop, stop)}
        analysis.follow(kernel.body)
    return {
        name: Access(analysis.read.get(name), analysis.written.get(name))
        for name in (p.name for p in kernel.parameters if isinstance(p, Pointer))
    }


class _Analysis:
    """The bounds of a kernel's integers, as far as its statements have been followed."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.bounds: dict[str, Interval] = {name: (n, n) for name, n in numbers.items()}
        self.read: dict[str, Interval] = {}
        self.written: dict[str, Interval] = {}

    def of(self, operand: Operand) -> Interval:
        """Return the bounds of an operand."""
        if isinstance(operand, Literal):
            return (int(operand.value),) * 2 if kind_of(operand.dtype) in "biu" else _ANY
        return self.bounds.get(operand.name, _ANY)

    def place(self, index: Index) -> Interval:
        """Return the bounds of an index."""
        constant = index.constant
        total = self.of(constant) if isinstance(constant, Value) else (constant, constant)
        for factor, variable in index.terms:
            weight = self.of(factor) if isinstance(factor, Value) else (factor, factor)
            total = _sum(total, _product(weight, self.of(variable)))
        return total

    def follow(self, statements: tuple[Statement, ...]) -> None:
        """Follow statements: bound assigned values, and record the elements that they touch."""
        for statement in statements:
            match statement:
                case Let(target, primitive, args):
                    self.bounds[target.name] = _bounds_of(
                        primitive, [self.of(arg) for arg in args], args
                    )
                case Load(target, pointer, index):
                    _extend(self.read, pointer.name, self.place(index))
                    self.bounds[target.name] = _ANY
                case Store(pointer, index, _):
                    _extend(self.written, pointer.name, self.place(index))
                case Transpose():
                    self.transpose(statement)
                case For(variable, start, stop, body):
                    first, last = self.of(start)[0], self.of(stop)[1] - 1
                    if first > last:
                        continue
                    self.bounds[variable.name] = first, last
                    self.follow(body)
                case While(_, body) | If(_, body):
                    self.follow(body)
                case Declare(variable, _) | Update(variable):
                    self.bounds[variable.name] = _ANY
                case Call(target):
                    self.bounds[target.name] = _ANY
                case Comment() | Local() | Prefetch():
                    pass
                case _:
                    thread_statement(statement)

    def transpose(self, statement: Transpose) -> None:
        """Note the extent of a block's copy: its first and its last line."""
        lines, columns = (0, statement.side - 1), (0, statement.side - 1)
        for ranges, pointer, index, pitch in (
            (self.read, statement.source, statement.source_index, statement.source_pitch),
            (self.written, statement.result, statement.result_index, statement.result_pitch),
        ):
            moved = _sum(_product(self.of(pitch), lines), columns)
            low, high = _sum(self.place(index), moved)
            _extend(ranges, pointer.name, (low, high))


def thread_statement(statement: ThreadStatement) -> NoReturn:
    """Refuse a statement of a GPU's threads."""
    raise ContractError(f"{type(statement).__name__} is not a statement of CPU kernels")


def _extend(ranges: dict[str, Interval], name: str, place: Interval) -> None:
    first, stop = place[0], place[1] + 1
    known = ranges.get(name, (first, stop))
    ranges[name] = min(known[0], first), max(known[1], stop)


def _bounds_of(primitive: str, bounds: list[Interval], args: tuple[Operand, ...]) -> Interval:
    """Return the bounds of a primitive of operands with these bounds."""
    if any(kind_of(arg.dtype) not in "biu" for arg in args):
        return _ANY
    match primitive:
        case "add":
            return _sum(*bounds)
        case "subtract":
            left, (low, high) = bounds
            return _sum(left, (-high, -low))
        case "multiply":
            return _product(*bounds)
        case "minimum":
            (a, b), (c, d) = bounds
            return min(a, c), min(b, d)
        case "maximum":
            (a, b), (c, d) = bounds
            return max(a, c), max(b, d)
        case "select":
            _, (a, b), (c, d) = bounds
            return min(a, c), max(b, d)
        case "copy" | "convert":
            return bounds[0]
        case "divide" | "remainder":
            (low, high), (by, most) = bounds
            if not 0 < by == most:
                return _ANY
            first, last = _quotient(low, by), _quotient(high, by)
            if primitive == "divide":
                return first, last
            if first == last:
                return low - first * by, high - last * by
            return 0 if low >= 0 else 1 - by, by - 1
    return _ANY


def _quotient(value: int, by: int) -> int:
    """Return C's quotient, which is rounded towards zero."""
    return value // by if value >= 0 else -(-value // by)


def _sum(left: Interval, right: Interval) -> Interval:
    return _clipped(left[0] + right[0]), _clipped(left[1] + right[1])


def _product(left: Interval, right: Interval) -> Interval:
    corners = [a * b for a in left for b in right]
    return _clipped(min(corners)), _clipped(max(corners))


def _clipped(value: int) -> int:
    return max(-UNBOUNDED, min(UNBOUNDED, value))
