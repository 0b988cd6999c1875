"""The loop IR: the statements of a lowered kernel. Every target prints exactly these.

::

    kernel    := Kernel(name, parameters, body, ..., flags)
    parameter := Pointer | Value                        memory, or an int64 / scalar argument
    statement := Comment(text)
               | Let(target, primitive, args)           target = primitive(args...); SSA
               | Load(target, pointer, index)           target = pointer[index]
               | Store(pointer, index, value)           pointer[index] = value
               | Declare(variable, initial)             a mutable accumulator
               | Update(variable, primitive, args, reassociate)
               | For(variable, start, stop, body, kind, unroll)    step 1; kind: an AxisKind
               | While(condition, body)                 as long as a bool variable is true
               | If(condition, body)
               | Call(target, function, args, raised)       target = function(args...)
               | Local(pointer, size)                   memory of this call, of constant size
               | Prefetch(pointer, index, ahead, nbytes)    a hint: that will be read soon
               | Transpose(source, ..., result, ..., side)    result[j, i] = source[i, j] of a block
               | those of threads of a GPU, see :mod:`lazyarr.loop_ir.threads`
    index     := Index(constant, terms)                 constant + sum(factor * variable)
    operand   := Value | Literal

All memory is flat; every index is in elements of its pointer.
"""

from __future__ import annotations

from typing import ClassVar

from lazyarr.core.frozen import dataclass
from lazyarr.errors import ContractError
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.source import External
from lazyarr.loop_ir.threads import ThreadStatement
from lazyarr.loop_ir.values import Index, Literal, Operand, Pointer, Value

__all__ = [
    "AxisKind",
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
    "ThreadStatement",
    "Transpose",
    "Update",
    "Value",
    "While",
]


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

    `unroll` says how often an unrolled loop is written out: 0 stands for all iterations. Where a
    loop has a bool variable `rare`, its results are of no use if that becomes true: operations may
    set it in the place of taking branches that are rare.
    """

    variable: Value
    start: Operand
    stop: Operand
    body: tuple[Statement, ...]
    kind: AxisKind = AxisKind.SERIAL
    unroll: int | None = None
    rare: Value | None = None

    def __post_init__(self) -> None:
        if self.kind.is_launched:
            raise ContractError(f"an axis of kind {self.kind.name} has no loop")

    @property
    def lanes(self) -> bool:
        """Whether the iterations are independent of each other."""
        return self.kind in (AxisKind.INDEPENDENT, AxisKind.LANES, AxisKind.VECTOR)


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
    """Uninitialised memory for `size` elements, for the duration of the call."""

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


@dataclass(frozen=True, slots=True)
class Transpose:
    """``result[j, i] = source[i, j]`` for square blocks of `side` lines, which do not overlap.

    A line begins a pitch, in elements, behind the one before it. The elements are those of memory:
    they are copied as they are.
    """

    source: Pointer
    source_index: Index
    source_pitch: Operand
    result: Pointer
    result_index: Index
    result_pitch: Operand
    side: int


Statement = (
    Comment
    | Let
    | Load
    | Store
    | Declare
    | Update
    | For
    | While
    | If
    | Call
    | Local
    | Prefetch
    | Transpose
    | ThreadStatement
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

    #: Whether every thread of a GPU's blocks runs it, see :mod:`lazyarr.loop_ir.cuda_kernel`.
    of_gpu: ClassVar[bool] = False

    name: str
    parameters: tuple[Pointer | Value, ...]
    body: tuple[Statement, ...]
    comments: tuple[str, ...] = ()
    flags: Pointer | None = None
