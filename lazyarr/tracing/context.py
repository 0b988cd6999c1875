"""The traces that run, the scopes that threads are in, and the recording of calls."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import UnsupportedDTypeError
from lazyarr.tracing.hooks import FUNCTIONS

if TYPE_CHECKING:
    from lazyarr.graph.node import Node

__all__ = [
    "REFUSALS",
    "REFUSING",
    "Number",
    "Scope",
    "Source",
    "Trace",
    "UnknownNumber",
    "answered",
    "current",
    "differentiating",
    "exact",
    "inside",
    "is_differentiating",
    "is_traced",
    "record_functions",
    "recorded",
    "recording",
    "refusing",
    "refusing_method",
    "running",
    "scope",
    "thread_state",
    "tracing",
]

P = ParamSpec("P")
R = TypeVar("R")


Number: TypeAlias = bool | int | float | complex


class UnknownNumber(Protocol):
    """A number that is another one in each run, see :class:`lazyarr.tracing.symbols.Symbol`.

    Attributes
    ----------
    value : bool, int, float or complex
        What it is in this run.
    """

    value: Number

    def evaluate(self, arguments: Sequence[Number]) -> Number:
        """Return the number for other arguments."""

    def apply(self, function: Callable[..., Number]) -> UnknownNumber:
        """Return the number that a pure function makes of this one."""


class Source(Protocol):
    """A source of random numbers, drawn one after another.

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
    """Code that is traced once for many runs, each of which draws new random numbers."""

    def draw(self, source: Source, count: int) -> tuple[Node, Node]:
        """Return number and key of draws that are new in each run, as scalar nodes.

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
    computes_calls : bool
        Whether each call is computed when it is made, so that values are known.
    is_sized : bool
        Whether the run read sizes, so that it is valid for these alone.
    sized_at : tuple of (str, int), optional
        The user's line that first read a size.
    guards : dict of int to tuple of (UnknownNumber, object)
        Numbers that the run looked at, by identity, and what they were.
    lines : dict of int to Origin
        By the identity of such a number, the user's line that looked at it first.
    integers : dict
        Numbers that became integers of some dtype, which they have to fit.
    is_busy : bool
        Whether a function of lazyarr is running, whose own looking at sizes is repeated whenever
        the call is.
    """

    def __init__(self) -> None:
        self._is_sized = False
        self.computes_calls = False
        self.sized_at: Origin | None = None
        self.guards: dict[int, tuple[UnknownNumber, object]] = {}
        self.lines: dict[int, Origin | None] = {}
        self.integers: dict[tuple[int, np.dtype[Any]], UnknownNumber] = {}
        self.is_busy = False

    @property
    def is_sized(self) -> bool:
        """Whether the run read sizes."""
        return self._is_sized

    @is_sized.setter
    def is_sized(self, value: bool) -> None:
        if value and not self._is_sized:
            self.sized_at = origin()
        self._is_sized = value

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """Call a function of lazyarr that the traced function called.

        Parameters
        ----------
        function : callable
            A function of lazyarr, as it was before recording.
        args : tuple
            Its positional arguments.
        keywords : dict
            Its keyword arguments.

        Returns
        -------
        object
            What the function returns.
        """
        raise NotImplementedError

    def owns(self, array: object) -> bool:
        """Return whether the run was given or made an array."""
        raise NotImplementedError

    def wrote(self, array: object) -> None:
        """Note that an array that owns its elements is about to have another value."""

    def adopt(self, array: object) -> None:
        """Note an array that stands for a value in the run: writes to it reach nothing outside."""

    def pin(self, symbol: UnknownNumber) -> None:
        """Note that the run looked at a number."""
        self.guards[id(symbol)] = symbol, exact(symbol.value)
        self.lines.setdefault(id(symbol), origin())


def exact(value: object) -> object:
    """Return a key that differs for numbers that compare equal: 1, 1.0 and True, 0.0 and -0.0."""
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    return type(value), value


class _Local(threading.local):
    trace: Trace | None = None
    scope: Scope | None = None
    is_differentiating: bool = False


#: What each thread is in; the compiled form asks it for the scope.
thread_state = _Local()
#: The traces of all threads; empty for most of a process's life, which is cheap to ask.
running: list[Trace] = []


def current() -> Trace | None:
    """Return the trace of this thread."""
    return thread_state.trace


def is_traced() -> bool:
    """Return whether this thread runs a function whose calls are noted, and not computed."""
    trace = thread_state.trace
    return trace is not None and not trace.computes_calls


def recording() -> Trace | None:
    """Return the trace that notes calls made now in this thread."""
    trace = thread_state.trace
    return None if trace is None or trace.is_busy else trace


@contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Make `trace` the trace and the scope of this thread inside a ``with`` block."""
    outer = thread_state.trace
    running.append(trace)
    thread_state.trace = trace
    try:
        with inside(trace):
            yield
    finally:
        thread_state.trace = outer
        running.remove(trace)


def scope() -> Scope | None:
    """Return the innermost scope that this thread is in."""
    return thread_state.scope


@contextmanager
def inside(inner: Scope) -> Iterator[None]:
    """Make a scope that of this thread inside a ``with`` block."""
    outer = thread_state.scope
    thread_state.scope = inner
    try:
        yield
    finally:
        thread_state.scope = outer


def is_differentiating() -> bool:
    """Return whether this thread builds the expression of a function to differentiate it."""
    return thread_state.is_differentiating


@contextmanager
def differentiating() -> Iterator[None]:
    """Build an expression to differentiate it: nothing of it may be computed in between."""
    outer = thread_state.is_differentiating
    thread_state.is_differentiating = True
    try:
        yield
    finally:
        thread_state.is_differentiating = outer


#: Errors that may be about arguments.
REFUSALS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
#: The code of public functions whose errors are NumPy's; one within another leaves them to it.
REFUSING: set[CodeType] = set()


def recorded(function: Callable[P, R], theirs: Callable[..., Any] | None = None) -> Callable[P, R]:
    """Let a trace note the calls of a function that a user may call on arrays.

    Parameters
    ----------
    function : callable
        The function.
    theirs : callable, optional
        NumPy's function of the same arguments, in whose words they are refused.
    """

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        if running and (trace := recording()) is not None:
            return cast("R", trace.call(function, args, keywords))
        return function(*args, **keywords)

    if theirs is None:
        return call

    def refusing(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            if running and (trace := recording()) is not None:
                return cast("R", trace.call(function, args, keywords))
            return function(*args, **keywords)
        except REFUSALS as error:
            return cast("R", answered(error, theirs, args, keywords))

    REFUSING.add(refusing.__code__)
    return functools.wraps(function)(refusing)


def refusing(theirs: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function, some of which a trace notes, refuse arguments in NumPy's words.

    Parameters
    ----------
    theirs : callable
        NumPy's function of the same arguments.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        def refusing(*args: P.args, **keywords: P.kwargs) -> R:
            try:
                return function(*args, **keywords)
            except REFUSALS as error:
                return cast("R", answered(error, theirs, args, keywords))

        REFUSING.add(refusing.__code__)
        return functools.wraps(function)(refusing)

    return decorate


def refusing_method(function: Callable[P, R]) -> Callable[P, R]:
    """Let a method of ufuncs refuse arguments in the words of NumPy's method.

    Parameters
    ----------
    function : callable
        A method of the name of NumPy's; its object holds NumPy's ufunc as ``_theirs``.
    """
    name = function.__name__

    def refusing(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*args, **keywords)
        except REFUSALS as error:
            owner: Any = args[0]
            return cast("R", answered(error, getattr(owner._theirs, name), args[1:], keywords))

    REFUSING.add(refusing.__code__)
    return functools.wraps(function)(refusing)


def answered(
    error: Exception, theirs: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Return NumPy's result of a call that failed, if that is for a dtype that lazyarr has not.

    Otherwise the error, which is being handled, is raised as NumPy's function raises it.

    Parameters
    ----------
    error : Exception
        What was raised.
    theirs : callable
        NumPy's function.
    args, keywords : tuple and dict
        The arguments.
    """
    if isinstance(error, UnsupportedDTypeError) and not is_traced():
        result = FUNCTIONS["computed_by_numpy"](theirs, args, keywords)
        if result is not NotImplemented:
            return result
    other = FUNCTIONS["reworded"](error, theirs, args, keywords)
    if other is error:
        raise error
    raise other from None


def record_functions(
    namespace: dict[str, Any],
    names: Sequence[str],
    module: str | None = None,
    theirs: ModuleType | None = None,
) -> None:
    """Let traces note the calls of a module's public functions.

    Several names of one function stay one object.

    Parameters
    ----------
    namespace : dict of str to object
        The globals of a module; each function is replaced by one that traces note.
    names : sequence of str
        Names of functions; others, such as classes, are left as they are.
    module : str, optional
        The module that the functions belong to from now on.
    theirs : module, optional
        NumPy's, in the words of whose functions arguments are refused.
    """
    calls: dict[int, Callable[..., Any]] = {}
    for name in names:
        function = namespace.get(name)
        if callable(function) and not isinstance(function, type):
            call = calls.get(id(function))
            if call is None:
                call = calls[id(function)] = recorded(function, getattr(theirs, name, None))
                call.__module__ = module or call.__module__
            namespace[name] = call
