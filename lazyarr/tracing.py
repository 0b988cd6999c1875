"""What array code sees while a function is traced: unknown arrays, unknown numbers, a record.

A traced function runs once, on arrays without memory (:class:`Placeholder`) and on numbers that
stand for any number (:class:`Symbol`). Whatever asks for more than can be known then either makes
the trace narrower, which a guard remembers, or is an error. Nothing is ever guessed.
"""

from __future__ import annotations

import functools
import importlib
import operator
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from lazyarr.errors import ContractError, TracingError
from lazyarr.ir import Kind, Leaf, Node, Op, node, walk
from lazyarr.origin import origin

__all__ = [
    "SYMBOL",
    "Draw",
    "Drawn",
    "Held",
    "Mismatch",
    "Number",
    "Placeholder",
    "Scope",
    "Source",
    "Symbol",
    "Trace",
    "current",
    "depends",
    "exact",
    "inside",
    "placeholder",
    "record_functions",
    "recorded",
    "recording",
    "refuse_value",
    "running",
    "scope",
    "shape_was_read",
    "tracing",
]

P = ParamSpec("P")
R = TypeVar("R")
Number: TypeAlias = bool | int | float | complex

UINT64 = np.dtype(np.uint64)

_NUMBERS = frozenset((bool, int, float, complex))


class Mismatch(Exception):
    """A trace does not hold for these arguments."""


class Source(Protocol):
    """What gives draws of random numbers, one after another.

    Attributes
    ----------
    scope : Scope, optional
        The scope that it was made in.
    """

    scope: Scope | None

    def take(self, count: int) -> tuple[int, int]:
        """Take the next draws; return the number of the first, and the key."""

    def draw(self, count: int) -> tuple[Node, Node]:
        """Return number and key of the next draws, as the innermost scope will have them."""

    def constants(self, count: int) -> tuple[Node, Node]:
        """Take the next draws; return number and key as nodes that are the same at each run."""


class Scope:
    """Code that runs once on behalf of many runs, each of which draws random numbers anew."""

    def draw(self, source: Source, count: int) -> tuple[Node, Node]:
        """Return number and key of draws that each run takes anew, as scalar nodes.

        Parameters
        ----------
        source : Source
            Whose draws.
        count : int
            How many.
        """
        raise NotImplementedError


class Trace(Scope):
    """One run of a traced function.

    Attributes
    ----------
    is_sized : bool
        Whether the run looked at sizes, so that it holds for those alone.
    guards : dict of int to tuple of (Symbol, object)
        Numbers that the run looked at, by identity, and what they were.
    integers : dict
        Numbers that became integers of some dtype, which they have to fit.
    is_busy : bool
        Whether a function of lazyarr is running, whose own looking at sizes is repeated whenever
        the call is.
    """

    def __init__(self) -> None:
        self.is_sized = False
        self.guards: dict[int, tuple[Symbol, object]] = {}
        self.integers: dict[tuple[int, np.dtype[Any]], Symbol] = {}
        self.is_busy = False

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call a function of lazyarr that the traced function called."""
        raise NotImplementedError

    def owns(self, array: object) -> bool:
        """Return whether the run was given or made an array."""
        raise NotImplementedError

    def pin(self, symbol: Symbol) -> None:
        """Note that the run looked at a number."""
        self.guards[id(symbol)] = symbol, exact(symbol.value)


class _Local(threading.local):
    trace: Trace | None = None
    scope: Scope | None = None


_local = _Local()
#: The traces of all threads; empty for most of a process's life, which is cheap to ask.
running: list[Trace] = []


def current() -> Trace | None:
    """Return the trace of this thread."""
    return _local.trace


def recording() -> Trace | None:
    """Return the trace that notes calls made now in this thread."""
    trace = _local.trace
    return None if trace is None or trace.is_busy else trace


@contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Make `trace` the trace and the scope of this thread inside a ``with`` block."""
    outer = _local.trace
    running.append(trace)
    _local.trace = trace
    try:
        with inside(trace):
            yield
    finally:
        _local.trace = outer
        running.remove(trace)


def scope() -> Scope | None:
    """Return the innermost scope that this thread is in."""
    return _local.scope


@contextmanager
def inside(found: Scope) -> Iterator[None]:
    """Make a scope that of this thread inside a ``with`` block."""
    outer = _local.scope
    _local.scope = found
    try:
        yield
    finally:
        _local.scope = outer


def recorded(function: Callable[P, R]) -> Callable[P, R]:
    """Let a trace note the calls of a function that a user may call on arrays."""

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        if running and (trace := recording()) is not None:
            return cast("R", trace.call(function, args, keywords))
        return function(*args, **keywords)

    return call


def record_functions(namespace: dict[str, Any], names: Sequence[str]) -> None:
    """Let traces note the calls of a module's public functions."""
    for name in names:
        found = namespace.get(name)
        if callable(found) and not isinstance(found, type):
            namespace[name] = recorded(found)


# -- arrays ------------------------------------------------------------------------------------


class Placeholder(Leaf):
    """An array that a trace knows the type of and not the memory."""

    __slots__ = ("position", "trace")

    def __init__(
        self, trace: Trace, position: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self.trace = trace
        self.position = position
        self.strides = strides
        self.key = (trace, position, shape, strides)  # type: ignore[assignment]

    @property
    def array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]
        """Nothing: asking for it is an error."""
        raise TracingError(
            "an array inside a function given to lazyarr.jit has no values yet",
            origin=origin(),
            hint="return it, and use the result of the call",
        )

    @property
    def address(self) -> int:  # type: ignore[override]
        """Nothing either."""
        return int(self.array.ctypes.data)


def _no_value(node: Node, *arrays: Any) -> Any:
    raise ContractError(f"{node} has no value of its own")


def _argument(node: Node, *arrays: Any) -> Any:
    assert isinstance(node.attr, Placeholder)
    return node.attr.array


_ARGUMENT = Op("argument", Kind.LEAF, _argument)
SYMBOL = Op("symbol", Kind.PARAMETER, _no_value)


def placeholder(
    trace: Trace,
    position: int,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
) -> Node:
    """Return the node of an array argument; strides in elements."""
    return node(_ARGUMENT, (), dtype, shape, Placeholder(trace, position, shape, strides), origin())


def depends(root: Node, trace: Trace | None = None) -> bool:
    """Return whether a value needs an argument of a trace: of this one, or of any."""
    return any(
        (isinstance(found.attr, Placeholder) and trace in (None, found.attr.trace))
        or found.op is SYMBOL
        for found in walk((root,))
    )


def shape_was_read(array: object, found: Node) -> None:
    """Note that the user's code looked at a shape; to be called while `running` is not empty.

    That the values need no argument says nothing of the shape: ``zeros_like(x)`` needs none.

    Parameters
    ----------
    array : LazyArray
        Whose shape it is.
    found : Node
        Its value.
    """
    trace = _local.trace
    if trace is not None:
        if not trace.is_busy:
            trace.is_sized = True
        return
    # It may be a thread that a traced function started.
    for other in running:
        if not other.is_sized and (other.owns(array) or depends(found, other)):
            other.is_sized = True


def refuse_value(found: Node, reason: str) -> None:
    """Raise TracingError if a value is asked for that a trace cannot know.

    To be called while `running` is not empty.
    """
    if depends(found):
        raise TracingError(
            f"{reason} needs the values of an array, which a function given to lazyarr.jit "
            "does not have while it is traced",
            origin=origin(),
            hint="choose between values with lazyarr.where, loop with a static size, "
            "or do this outside of the function",
        )


# -- random draws ------------------------------------------------------------------------------


class Draw:
    """Random draws that every call of a traced function takes anew.

    Attributes
    ----------
    source : Source
        Whose draws.
    count : int
        How many.
    """

    __slots__ = ("count", "source")

    def __init__(self, source: Source, count: int) -> None:
        self.source = source
        self.count = count

    def nodes(self) -> tuple[Node, Node]:
        """Return the number of the first and the key, as scalar nodes."""
        number, key = (node(SYMBOL, (), UINT64, (), Drawn(self, part), origin()) for part in (0, 1))
        return number, key


class Drawn:
    """The attribute of a node that is the number (part 0) or the key (part 1) of a draw."""

    __slots__ = ("draw", "part")

    def __init__(self, draw: Draw, part: int) -> None:
        self.draw = draw
        self.part = part


# -- numbers -----------------------------------------------------------------------------------


def exact(value: object) -> object:
    """Return what tells numbers apart that compare equal: 1, 1.0 and True, 0.0 and -0.0."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    return type(value), value


class Held:
    """A symbol as the attribute of a node: a key, where a symbol compares as a number does."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol


class Symbol:
    """A Python number among the arguments of a traced function, or made of such numbers.

    Arithmetic gives symbols. With arrays it behaves as the number would, and stays open. Whatever
    else asks for the number gets it, and the trace holds for that number only.

    Attributes
    ----------
    kind : type
        bool, int, float or complex.
    value : bool, int, float or complex
        What it is in this run.
    function : callable, optional
        What makes it of `operands`; None for an argument.
    operands : tuple
        Symbols and numbers; of an argument, its position.
    """

    __slots__ = ("function", "held", "kind", "operands", "value")

    def __init__(
        self, value: Number, function: Callable[..., Number] | None, operands: tuple[Any, ...]
    ) -> None:
        self.kind = type(value)
        self.value = value
        self.function = function
        self.operands = operands
        self.held = Held(self)

    def node(self, dtype: np.dtype[Any]) -> Node:
        """Return the scalar node of the number converted to `dtype`."""
        if _local.trace is not None and dtype.kind in "iu":
            _local.trace.integers[id(self), dtype] = self
        return node(SYMBOL, (), dtype, (), self.held, origin())

    def known(self) -> Number:
        """Return the number, after noting that it was looked at."""
        trace = _local.trace
        if trace is None:
            raise TracingError(
                "a number of a function given to lazyarr.jit is used outside of its call",
                origin=origin(),
                hint="return it from the function",
            )
        trace.pin(self)
        return self.value

    def apply(self, function: Callable[..., Number]) -> Symbol:
        """Return the number that a pure function makes of this one, not looked at."""
        return Symbol(function(self.value), function, (self,))

    def evaluate(self, arguments: Sequence[Number]) -> Number:
        """Return the number for other arguments.

        Raises
        ------
        Mismatch
            If it is of another type then, or there is none.
        """
        if self.function is None:
            found: Number = arguments[self.operands[0]]
            return found
        values = [x.evaluate(arguments) if type(x) is Symbol else x for x in self.operands]
        try:
            found = self.function(*values)
        except (ArithmeticError, TypeError, ValueError):
            raise Mismatch from None
        if type(found) is not self.kind:
            raise Mismatch
        return found

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # So that isinstance() answers as for the number; no C code is deceived by it.
        return self.kind

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **keywords: Any) -> Any:
        # Never an array of objects: NumPy's functions of a number are those of an array.
        protocols = importlib.import_module("lazyarr.protocols")  # of a higher floor
        return protocols.array_ufunc(ufunc, method, args, keywords)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.known(), dtype)

    def __bool__(self) -> bool:
        return bool(self.known())

    def __int__(self) -> int:
        return int(cast("float", self.known()))

    def __float__(self) -> float:
        return float(cast("float", self.known()))

    def __complex__(self) -> complex:
        return complex(self.known())

    def __index__(self) -> int:
        return operator.index(cast("int", self.known()))

    def __hash__(self) -> int:
        return hash(self.known())

    def __eq__(self, other: object) -> Any:
        return _apply(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _apply(operator.ne, self, other)

    def __round__(self, *digits: int) -> Any:
        return round(cast("float", self.known()), *digits)

    def __trunc__(self) -> int:
        return int(cast("float", self.known()))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __repr__(self) -> str:
        if _local.trace is None:  # in a debugger or a log, which are no part of the function
            return f"<{self.kind.__name__} of a traced call, then {self.value!r}>"
        return repr(self.known())

    def __format__(self, spec: str) -> str:
        return format(self.known(), spec)

    def __getattr__(self, name: str) -> Any:
        # real, imag, is_integer, bit_length and the like.
        if name.startswith("__") or not hasattr(self.kind, name):
            raise AttributeError(f"{self.kind.__name__!r} object has no attribute {name!r}")
        return getattr(self.known(), name)


def _apply(function: Callable[..., Any], *operands: Any) -> Any:
    values = []
    for operand in operands:
        if type(operand) is Symbol:
            values.append(operand.value)
        elif type(operand) in _NUMBERS:
            values.append(operand)
        else:
            return NotImplemented
    found = function(*values)
    if type(found) not in _NUMBERS:
        return found
    return Symbol(found, function, operands)


def _give_operators() -> None:
    def binary(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: _apply(function, self, other)

    def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: _apply(function, other, self)

    def unary(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self: _apply(function, self)

    for name in "add sub mul truediv floordiv mod lshift rshift and or xor pow".split():
        function = getattr(operator, f"__{name}__")
        setattr(Symbol, f"__{name}__", binary(function))
        setattr(Symbol, f"__r{name}__", reflected(function))
    for name in "lt le gt ge".split():
        setattr(Symbol, f"__{name}__", binary(getattr(operator, f"__{name}__")))
    for name in "neg pos abs invert".split():
        setattr(Symbol, f"__{name}__", unary(getattr(operator, f"__{name}__")))


_give_operators()
