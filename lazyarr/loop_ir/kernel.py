"""The loop IR: what a lowered kernel is, on one screen. Every target prints this and no more.

::

    kernel    := Kernel(name, parameters, body, ..., flags)
    parameter := Pointer | Value                        memory, or an int64 / scalar argument
    statement := Comment(text)
               | Let(target, primitive, args)           target = primitive(args...); SSA
               | Load(target, pointer, index)           target = pointer[index]
               | Store(pointer, index, value)           pointer[index] = value
               | Declare(variable, initial)             a mutable accumulator
               | Update(variable, primitive, args, reassociate)
               | For(variable, start, stop, body, turns)    int64 counter, step 1
               | While(condition, body)                 as long as a bool variable is true
               | If(condition, body)
               | Call(target, function, args, raised)       target = function(args...)
               | Local(pointer, size)                   memory of this call, of constant size
               | Prefetch(pointer, index, ahead, nbytes)    a hint: that will be read soon
    index     := Index(constant, terms)                 constant + sum(factor * variable)
    operand   := Value | Literal

All memory is flat; every index is in elements of its pointer.
"""

from __future__ import annotations

import typing
from dataclasses import field
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.source import External

__all__ = [
    "Call",
    "Comment",
    "Declare",
    "For",
    "If",
    "Index",
    "Kernel",
    "Let",
    "Literal",
    "Load",
    "Local",
    "Operand",
    "Pointer",
    "Prefetch",
    "Statement",
    "Store",
    "Turns",
    "Update",
    "Value",
    "While",
]

DType = np.dtype[Any]
Turns = typing.Literal["any", "lanes", "vectors", "short", "plain"]


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar: a parameter, a loop counter, a temporary or an accumulator."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Literal:
    """A scalar written into the source."""

    value: bool | int | float
    dtype: DType


Operand = Value | Literal


@dataclass(frozen=True, slots=True)
class Pointer:
    """Flat memory that a kernel reads or writes; no two pointers overlap if either is written."""

    name: str
    dtype: DType
    written: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """``constant + sum(factor * variable)``; a factor is an integer or an int64 value."""

    constant: int | Value = 0
    terms: tuple[tuple[int | Value, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for the reader."""

    text: str


@dataclass(frozen=True, slots=True)
class Let:
    """``target = primitive(*args)``; assigned once. The primitive "copy" takes any value."""

    target: Value
    primitive: str
    args: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """``target = pointer[index]``."""

    target: Value
    pointer: Pointer
    index: Index


@dataclass(frozen=True, slots=True)
class Store:
    """``pointer[index] = value``."""

    pointer: Pointer
    index: Index
    value: Operand


@dataclass(frozen=True, slots=True)
class Declare:
    """A mutable variable and its first value."""

    variable: Value
    initial: Operand


@dataclass(frozen=True, slots=True)
class Update:
    """``variable = primitive(*args)``.

    ``reassociate`` lets the target split the chain of updates of one loop into independent lanes.
    """

    variable: Value
    primitive: str
    args: tuple[Operand, ...]
    reassociate: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """``for variable in range(start, stop): body``.

    `turns` says what to make of it. "lanes": the turns are independent and few, and their number a
    literal; meant to become vectors in registers. "vectors": lanes, and the body consists of
    vector instructions, see :mod:`lazyarr.loop_ir.vector_form`. "short": vectors, one at a time,
    since
    there will not be many. "plain": as it stands.
    """

    variable: Value
    start: Operand
    stop: Operand
    body: tuple[Statement, ...]
    turns: Turns = "any"

    @property
    def lanes(self) -> bool:
        """Whether the turns are independent of each other."""
        return self.turns in ("lanes", "vectors")


@dataclass(frozen=True, slots=True)
class While:
    """``while condition: body``; the condition is a bool variable that the body updates."""

    condition: Value
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """``if condition: body``."""

    condition: Operand
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """``target = function(*args)``; with `raised`, whether the function raises an exception."""

    target: Value
    function: External
    args: tuple[Operand, ...]
    raised: bool = False


@dataclass(frozen=True, slots=True)
class Local:
    """Memory for `size` elements that lives as long as the call; what it holds at first is open."""

    pointer: Pointer
    size: int


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A hint: the `nbytes` that begin `ahead` bytes behind an element will be used soon.

    They may lie beyond the end of the memory. A target may do nothing.
    """

    pointer: Pointer
    index: Index
    ahead: int
    nbytes: int


Statement = (
    Comment | Let | Load | Store | Declare | Update | For | While | If | Call | Local | Prefetch
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One function: ``name(begin, end, *parameters)`` does the work items ``begin <= i < end``.

    Attributes
    ----------
    name : str
        Entry point; an identifier.
    parameters : tuple of Pointer or Value
        In call order, after ``begin`` and ``end``.
    body : tuple of Statement
        What a call does. ``begin`` and ``end`` are the int64 values of those names.
    comments : tuple of str
        Lines for the reader above the function: what it computes and where the user wrote it.
    flags : Pointer, optional
        The parameter, an address, to which each call adds the floating-point flags that its body
        sets.
    """

    name: str
    parameters: tuple[Pointer | Value, ...]
    body: tuple[Statement, ...]
    comments: tuple[str, ...] = field(default=())
    flags: Pointer | None = field(default=None, kw_only=True)
