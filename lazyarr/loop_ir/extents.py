"""Memory extents that a kernel touches for a range of work items, by interval arithmetic.

Every integer of a kernel is bounded by an interval; a variable that changes, and a number that is
read from memory, by none. What is returned contains the elements that are touched, and may contain
more: those between them, and those of a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, TypeAlias

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass, replace
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

__all__ = ["UNBOUNDED", "Access", "Extents", "Interval"]

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


class Extents:
    """The integer arithmetic of a kernel from which the elements follow that it touches.

    Most of a kernel is left out: other memory, what no index depends on, and of accesses whose
    indices differ by a constant all but the first and the last element.

    Parameters
    ----------
    kernel : Kernel
        Of a processor.
    pointers : sequence of str
        The names of the memory that is asked for.

    Raises
    ------
    ContractError
        If a statement is one of a GPU's threads.
    """

    def __init__(self, kernel: Kernel, pointers: Sequence[str]) -> None:
        self._pointers = tuple(pointers)
        self._steps = _needed(_Reduction(frozenset(pointers)).steps_of(kernel.body), set())

    def touched(self, begin: int, end: int, numbers: Mapping[str, int]) -> dict[str, Access]:
        """Return the elements that work items touch, by the names of pointers.

        Parameters
        ----------
        begin, end : int
            The work items ``begin <= i < end``, at least one.
        numbers : mapping of str to int
            The values of integer parameters that are known; others are taken to be any number.

        Examples
        --------
        >>> import numpy as np
        >>> from lazyarr.loop_ir.kernel import Kernel, Load, For
        >>> from lazyarr.loop_ir.values import Index, Pointer, Value
        >>> i, x = Value("i", np.dtype("i8")), Pointer("x", np.dtype("f8"))
        >>> begin, end = Value("begin", i.dtype), Value("end", i.dtype)
        >>> load = Load(Value("v", x.dtype), x, Index(3, ((2, i),)))
        >>> kernel = Kernel("k", (x,), (For(i, begin, end, (load,)),))
        >>> Extents(kernel, ["x"]).touched(10, 12, {})["x"].read
        (23, 26)
        """
        analysis = _Analysis(numbers)
        parts = min(_PARTS, end - begin)
        for part in range(parts):
            first, stop = (begin + (end - begin) * k // parts for k in (part, part + 1))
            analysis.bounds |= {"begin": (first, first), "end": (stop, stop)}
            analysis.follow(self._steps)
        return {
            name: Access(analysis.read.get(name), analysis.written.get(name))
            for name in self._pointers
        }


#: An integer of a step: the name of a variable, or the bounds of a number that is known.
_Number: TypeAlias = str | Interval
#: A product of two.
_Term: TypeAlias = tuple[_Number, _Number]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """The bounds of a variable, by those of operands; without a primitive, it has none."""

    target: str
    primitive: str = ""
    args: tuple[_Number, ...] = ()


@dataclass(frozen=True, slots=True)
class _Touch:
    """Elements that are read or written, whose indices differ by a constant.

    Attributes
    ----------
    pointer : str
        Whose they are.
    is_written : bool
        Whether they are written.
    terms : tuple of (str or (int, int), str or (int, int))
        The two factors of each product of an index.
    constants : (int, int)
        The least and the largest number that is added to those.
    """

    pointer: str
    is_written: bool
    terms: tuple[_Term, ...]
    constants: Interval


@dataclass(frozen=True, slots=True)
class _Loop:
    """Steps that are followed for all iterations together."""

    variable: str
    start: _Number
    stop: _Number
    body: tuple[_Step, ...]


_Step: TypeAlias = _Assignment | _Touch | _Loop


class _Reduction:
    """The steps of statements; accesses that are alike wait until they are noted together.

    Parameters
    ----------
    pointers : frozenset of str
        Whose accesses are noted.
    """

    def __init__(self, pointers: frozenset[str]) -> None:
        self._pointers = pointers
        self._steps: list[_Step] = []
        self._waiting: dict[tuple[str, bool, tuple[_Term, ...]], Interval] = {}
        self._used: set[_Number] = set()

    def steps_of(self, statements: Iterable[Statement]) -> tuple[_Step, ...]:
        """Return the steps."""
        self._follow(statements)
        self._note()
        return tuple(self._steps)

    def _follow(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case Let(target, primitive, args):
                    if all(kind_of(arg.dtype) in "biu" for arg in args):
                        self._assign(target, primitive, tuple(map(_number, args)))
                    else:
                        self._assign(target)
                case Load(target, pointer, index):
                    self._touch(pointer, False, index)
                    self._assign(target)
                case Store(pointer, index, _):
                    self._touch(pointer, True, index)
                case Transpose():
                    self._transpose(statement)
                case For(variable, start, stop, body):
                    self._note()
                    steps = _Reduction(self._pointers).steps_of(body)
                    self._steps.append(_Loop(variable.name, _number(start), _number(stop), steps))
                case While(_, body) | If(_, body):
                    self._follow(body)
                case Declare(variable, _) | Update(variable):
                    self._assign(variable)
                case Call(target):
                    self._assign(target)
                case Comment() | Local() | Prefetch():
                    pass
                case _:
                    thread_statement(statement)

    def _assign(self, target: Value, primitive: str = "", args: tuple[_Number, ...] = ()) -> None:
        if target.name in self._used:
            self._note()
        self._steps.append(_Assignment(target.name, primitive, args))

    def _touch(
        self, pointer: Pointer, is_written: bool, index: Index, more: int = 0, *further: _Term
    ) -> None:
        """Note the element at an index and `further` terms, and so many more behind it."""
        if pointer.name not in self._pointers:
            return
        terms = (*[(_number(factor), variable.name) for factor, variable in index.terms], *further)
        if isinstance(index.constant, Value):
            constant = 0
            terms = (*terms, (_number(1), index.constant.name))
        else:
            constant = index.constant
        key = pointer.name, is_written, terms
        low, high = self._waiting.get(key, (constant, constant))
        self._waiting[key] = min(low, constant), max(high, constant + more)
        self._used.update(number for term in terms for number in term)

    def _transpose(self, statement: Transpose) -> None:
        """Note the elements of a block's copy: those of its first and its last line."""
        last = statement.side - 1
        for pointer, is_written, index, pitch in (
            (statement.source, False, statement.source_index, statement.source_pitch),
            (statement.result, True, statement.result_index, statement.result_pitch),
        ):
            self._touch(pointer, is_written, index, last)
            self._touch(pointer, is_written, index, last, (_number(last), _number(pitch)))

    def _note(self) -> None:
        self._steps += [_Touch(*key, constants) for key, constants in self._waiting.items()]
        self._waiting.clear()
        self._used.clear()


def _number(operand: Operand | int) -> _Number:
    """Return the bounds of a number that is known, or the name of a variable."""
    if isinstance(operand, Value):
        return operand.name
    number = int(operand.value) if isinstance(operand, Literal) else operand
    return number, number


def _needed(steps: tuple[_Step, ...], names: set[_Number]) -> tuple[_Step, ...]:
    """Return the steps on which accesses depend.

    Parameters
    ----------
    steps : tuple of _Step
        All of them.
    names : set of str
        The variables that later steps use; those of these steps are added.
    """
    needed: list[_Step] = []
    for step in reversed(steps):
        match step:
            case _Assignment(target, _, args):
                if target not in names:
                    continue
                names.update(args)
            case _Touch(terms=terms):
                names.update(number for term in terms for number in term)
            case _Loop(_, start, stop, body):
                inner = _needed(body, names)
                if not inner:
                    continue
                step = replace(step, body=inner)
                names.update((start, stop))
        needed.append(step)
    return tuple(reversed(needed))


class _Analysis:
    """The bounds of a kernel's integers, as far as its steps have been followed."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self.bounds: dict[str, Interval] = {name: (n, n) for name, n in numbers.items()}
        self.read: dict[str, Interval] = {}
        self.written: dict[str, Interval] = {}

    def _of(self, number: _Number) -> Interval:
        return self.bounds.get(number, _ANY) if isinstance(number, str) else number

    def follow(self, steps: tuple[_Step, ...]) -> None:
        """Follow steps: bound assigned variables, and record the elements that are touched."""
        for step in steps:
            match step:
                case _Assignment(target, primitive, args):
                    self.bounds[target] = _bounds_of(primitive, [self._of(arg) for arg in args])
                case _Touch(pointer, is_written, terms, total):
                    for factor, variable in terms:
                        total = _sum(total, _product(self._of(factor), self._of(variable)))
                    _extend(self.written if is_written else self.read, pointer, total)
                case _Loop(variable, start, stop, body):
                    first, last = self._of(start)[0], self._of(stop)[1] - 1
                    if first <= last:
                        self.bounds[variable] = first, last
                        self.follow(body)


def thread_statement(statement: ThreadStatement) -> NoReturn:
    """Refuse a statement of a GPU's threads."""
    raise ContractError(f"{type(statement).__name__} is not a statement of CPU kernels")


def _extend(ranges: dict[str, Interval], name: str, place: Interval) -> None:
    first, stop = place[0], place[1] + 1
    known = ranges.get(name, (first, stop))
    ranges[name] = min(known[0], first), max(known[1], stop)


def _bounds_of(primitive: str, bounds: list[Interval]) -> Interval:
    """Return the bounds of a primitive of operands with these bounds."""
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
    return _clipped(left[0] + right[0], left[1] + right[1])


def _product(left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    if a == b >= 0:  # mostly a number that is known
        return _clipped(a * c, a * d)
    corners = a * c, a * d, b * c, b * d
    return _clipped(min(corners), max(corners))


def _clipped(low: int, high: int) -> Interval:
    if low >= -UNBOUNDED and high <= UNBOUNDED:
        return low, high
    return max(-UNBOUNDED, min(UNBOUNDED, low)), max(-UNBOUNDED, min(UNBOUNDED, high))
