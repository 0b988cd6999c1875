"""Memory extents that a kernel touches for a range of work items, by interval arithmetic.

Every integer of a kernel is bounded by an interval; a variable that changes, and a number that is
read from memory, by none. What is returned contains the elements that are touched, and may contain
more: those between them, and those of a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import ContractError
from lazyarr.loop_ir.extent_code import (
    UNBOUNDED,
    Assignment,
    Interval,
    Loop,
    Number,
    Step,
    Term,
    Touch,
    compiled,
)
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

#: Parts of a range that are followed by themselves: where a bound comes from two numbers that both
#: depend on the work item, it is too wide by about the length of a part.
_PARTS = 8
#: The extent of no element.
_NONE: Interval = (UNBOUNDED, -UNBOUNDED)


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
        steps = _needed(_Reduction(frozenset(pointers)).steps_of(kernel.body), set())
        self._places = tuple(dict.fromkeys(_touched_by(steps)))
        self._follow = compiled(steps, self._places)

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
        places: Sequence[Interval] = [_NONE] * len(self._places)
        parts = min(_PARTS, end - begin)
        for part in range(parts):
            first, stop = (begin + (end - begin) * k // parts for k in (part, part + 1))
            places = self._follow(numbers, first, stop, places)
        touched = dict(zip(self._places, map(_behind, places), strict=True))
        return {
            name: Access(touched.get((name, False)), touched.get((name, True)))
            for name in self._pointers
        }


def _behind(place: Interval) -> Interval | None:
    """Return the first element and the one behind the last; None if there is none."""
    first, last = place
    return (first, last + 1) if first <= last else None


class _Reduction:
    """The steps of statements; accesses that are alike wait until they are noted together.

    Parameters
    ----------
    pointers : frozenset of str
        Whose accesses are noted.
    """

    def __init__(self, pointers: frozenset[str]) -> None:
        self._pointers = pointers
        self._steps: list[Step] = []
        self._waiting: dict[tuple[str, bool, tuple[Term, ...]], Interval] = {}
        self._used: set[Number] = set()

    def steps_of(self, statements: Iterable[Statement]) -> tuple[Step, ...]:
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
                    self._steps.append(Loop(variable.name, _number(start), _number(stop), steps))
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

    def _assign(self, target: Value, primitive: str = "", args: tuple[Number, ...] = ()) -> None:
        if target.name in self._used:
            self._note()
        self._steps.append(Assignment(target.name, primitive, args))

    def _touch(
        self, pointer: Pointer, is_written: bool, index: Index, more: int = 0, *further: Term
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
        self._steps += [Touch(*key, constants) for key, constants in self._waiting.items()]
        self._waiting.clear()
        self._used.clear()


def _number(operand: Operand | int) -> Number:
    """Return the bounds of a number that is known, or the name of a variable."""
    if isinstance(operand, Value):
        return operand.name
    number = int(operand.value) if isinstance(operand, Literal) else operand
    return number, number


def _needed(steps: tuple[Step, ...], names: set[Number]) -> tuple[Step, ...]:
    """Return the steps on which accesses depend.

    Parameters
    ----------
    steps : tuple of Step
        All of them.
    names : set of str
        The variables that later steps use; those of these steps are added.
    """
    needed: list[Step] = []
    for step in reversed(steps):
        match step:
            case Assignment(target, _, args):
                if target not in names:
                    continue
                names.update(args)
            case Touch(terms=terms):
                names.update(number for term in terms for number in term)
            case Loop(_, start, stop, body):
                inner = _needed(body, names)
                if not inner:
                    continue
                step = replace(step, body=inner)
                names.update((start, stop))
        needed.append(step)
    return tuple(reversed(needed))


def _touched_by(steps: Iterable[Step]) -> Iterator[tuple[str, bool]]:
    """Yield the pointers of accesses, and whether they are written."""
    for step in steps:
        match step:
            case Touch(pointer, is_written):
                yield pointer, is_written
            case Loop(body=body):
                yield from _touched_by(body)


def thread_statement(statement: ThreadStatement) -> NoReturn:
    """Refuse a statement of a GPU's threads."""
    raise ContractError(f"{type(statement).__name__} is not a statement of CPU kernels")
