"""Reasons for retracing: the guard of the previous trace that failed."""

from __future__ import annotations

import inspect
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import RepetitionWarning, RetraceWarning
from lazyarr.function_transforms.trace import Arguments, Traced
from lazyarr.graph.node import Node, walk
from lazyarr.random import Generator
from lazyarr.tracing import Mismatch, Symbol, exact
from lazyarr.tracing.pytree import Branch, Place, Static, Structure, describe

__all__ = [
    "INLINED_CALLS",
    "RETRACES",
    "Retrace",
    "TraceInfo",
    "retrace",
    "warn",
    "warn_of_inlined_calls",
]

#: Traces because of one line after which there is a warning.
RETRACES = 5
#: Calls with LazyArrays after which there is a warning, of functions of so many operations.
INLINED_CALLS = 256
_MANY_OPERATIONS = 32

_HINTS = {
    "size": "use functions such as mean instead of sizes, or pass arrays of few sizes",
    "number": "pass the number as an array, numpy.asarray(n), or branch outside of the function",
    "type": "pass arrays and numbers of one type, such as x.astype(numpy.float64)",
    "static": "do not make the argument static if the function does not need its value",
}
_OPERATORS: dict[Any, str] = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
}


@dataclass(frozen=True, slots=True)
class Retrace:
    """One repeated trace of a function, and the guard that failed.

    Attributes
    ----------
    kind : {"size", "number", "type", "structure", "static", "other"}
        The kind of the guard.
    reason : str
        The argument or number, its previous value and its present one.
    origin : tuple of (str, int), optional
        The line that read the size or number, or the definition of the function.
    """

    kind: str
    reason: str
    origin: Origin | None

    @property
    def hint(self) -> str:
        """Advice that leads to fewer traces; an empty text if there is none."""
        return _HINTS.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """Statistics of a jitted function: cached traces and calls.

    Attributes
    ----------
    traces : int
        Cached traces: one for each structure and combination of types, and for each size or number
        that the function read.
    launches : int
        Cached plans: one for each combination of shapes and strides.
    traced : int
        Traces so far, cached or not.
    planned : int
        Plans so far, cached or not.
    retraces : tuple of Retrace
        The last retraces, 64 at most: the guard that failed, as ``reason``, and the line that
        read a size or a number, as ``origin``.
    """

    traces: int
    launches: int
    traced: int
    planned: int
    retraces: tuple[Retrace, ...] = ()


def retrace(
    function: Callable[..., Any],
    kinds: tuple[Any, ...],
    arguments: Arguments,
    known: dict[Any, tuple[Traced, ...]],
) -> Retrace:
    """Return the reason why no cached trace of a function fits a call.

    Parameters
    ----------
    function : callable
        The function.
    kinds : tuple
        Device, structure and types of the call's arguments.
    arguments : Arguments
        Its leaves.
    known : dict
        The traces by device, structure and types; at least one.
    """
    names = _leaf_names(function, kinds[1])
    alike = known.get(kinds, ())
    if alike:
        # Of several traces, the last is that of the previous call.
        kind, reason, where = _failed_guard(alike[0], arguments, names)
    else:
        kind, reason = _difference(function, next(reversed(known)), kinds, names)
        where = None
    return Retrace(kind, reason, where or _definition(function))


def warn(name: str, last: Retrace, count: int) -> None:
    """Warn of repeated traces of a function, unless hints are disabled.

    Parameters
    ----------
    name : str
        Of the function.
    last : Retrace
        The last retrace.
    count : int
        The number of retraces because of the same line.
    """
    if not get_config().hints:
        return
    file, line = last.origin or ("<unknown>", 0)
    message = f"{name} was traced again {count} times because of this line: {last.reason}"
    hint = f"\n  hint: {last.hint}" if last.hint else ""
    silence = "\n  lazyarr.config(hints=False) silences this"
    warnings.warn_explicit(message + hint + silence, RetraceWarning, file, line)


def warn_of_inlined_calls(name: str, results: Sequence[Node]) -> None:
    """Warn that a large function builds its expression at each call with LazyArrays.

    Parameters
    ----------
    name : str
        Of the function.
    results : sequence of Node
        The results of the last call.
    """
    operations = sum(bool(value.src) for value in walk(results))
    if not get_config().hints or operations < _MANY_OPERATIONS:
        return
    message = (
        f"{name} was called {INLINED_CALLS} times with LazyArrays; each call built its expression "
        f"of {operations} operations again, as part of the caller's expression\n"
        f"  hint: {name}.persist(...) runs the compiled plan immediately and returns LazyArrays\n"
        "  lazyarr.config(hints=False) silences this"
    )
    warnings.warn_explicit(message, RepetitionWarning, *(origin() or ("<unknown>", 0)))


def _definition(function: Callable[..., Any]) -> Origin | None:
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


# Guards of one trace.


def _failed_guard(
    traced: Traced, arguments: Arguments, names: Sequence[str]
) -> tuple[str, str, Origin | None]:
    numbers = [name for name, kind in _kinds_of(arguments, names) if kind == "number"]
    for identity, (symbol, value) in traced.trace.guards.items():
        try:
            now = exact(symbol.evaluate(arguments.numbers))
        except Mismatch:
            now = None
        if now != value:
            text = _symbol_text(symbol, numbers)
            is_now = "has no value" if now is None else f"is {_value_text(now)}"
            reason = f"{text} was {_value_text(value)}, and {is_now}"
            return "number", reason, traced.trace.lines.get(identity)
    if traced.shapes is not None and traced.shapes != arguments.shapes:
        arrays = [name for name, kind in _kinds_of(arguments, names) if kind == "array"]
        for name, before, after in zip(arrays, traced.shapes, arguments.shapes, strict=True):
            if before != after:
                reason = f"{name} had shape {before}, and has {after}; the function read sizes"
                return "size", reason, traced.trace.sized_at
    return "other", "the recorded calls of the previous trace do not fit these arguments", None


def _value_text(value: object) -> str:
    assert isinstance(value, tuple)  # a type, and the value or its text
    return str(value[1])


def _symbol_text(symbol: object, numbers: Sequence[str]) -> str:
    """Return the expression of a number in terms of arguments."""
    if type(symbol) is not Symbol:
        return repr(symbol)
    if symbol.function is None:
        return str(numbers[cast("int", symbol.operands[0])])
    operands = [_symbol_text(operand, numbers) for operand in symbol.operands]
    sign = _OPERATORS.get(symbol.function)
    if sign is not None and len(operands) == 2:
        return f"{operands[0]} {sign} {operands[1]}"
    name: str = getattr(symbol.function, "__name__", "")
    return f"{name}({', '.join(operands)})" if name else f"a function of {', '.join(operands)}"


# Differences between calls that have no trace in common.


def _difference(
    function: Callable[..., Any], before: Any, after: Any, names: Sequence[str]
) -> tuple[str, str]:
    if before[1] == after[1] and before[0] == after[0]:
        for name, was, now in zip(names, _types(before[2]), _types(after[2]), strict=True):
            if was != now:
                return "type", f"{name} was {_type_text(was)}, and is {_type_text(now)}"
    if before[1] == after[1]:
        return "other", f"device was {before[0]!r}, and is {after[0]!r}"
    static = _static_difference(before[1], after[1], _top_names(function, after[1]))
    if static is not None:
        return "static", static
    old, new = (_call_text(function, kinds[1]) for kinds in (before, after))
    return "structure", f"the call was {old}, and is {new}"


def _call_text(function: Callable[..., Any], structure: Branch) -> str:
    names = _top_names(function, structure)
    items = [f"{k}={describe(x)}" for k, x in zip(names, structure.items, strict=True)]
    return f"{getattr(function, '__name__', 'the function')}({', '.join(items)})"


def _static_difference(before: Structure, after: Structure, names: Sequence[str]) -> str | None:
    """Return the first static value that differs; None if anything else differs, too."""
    if not (isinstance(before, Branch) and isinstance(after, Branch)):
        return None
    if before.names != after.names or len(before.items) != len(after.items):
        return None
    texts = []
    for name, old, new in zip(names, before.items, after.items, strict=True):
        if old == new:
            continue
        if not (isinstance(old, Static) and isinstance(new, Static)):
            return None
        texts.append(f"{name} was {old.value!r}, and is {new.value!r}")
    return texts[0] if texts else None


def _types(types: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the type of each leaf: a Python type, or the four entries of an array."""
    position = 0
    while position < len(types):
        width = 1 if isinstance(types[position], type) else 4
        yield types[position : position + width]
        position += width


def _type_text(kind: tuple[Any, ...]) -> str:
    if len(kind) == 1:
        return f"of type {kind[0].__name__}"
    dtype, axes, on_device, is_index = kind
    where = " on a GPU" if on_device else ""
    if is_index:
        return f"{np.dtype(dtype).name}, a number{where}"
    return f"{np.dtype(dtype).name} of {axes} {'axis' if axes == 1 else 'axes'}{where}"


def _kinds_of(arguments: Arguments, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each leaf and whether it is an array, a number or a generator."""
    for name, kind in zip(names, _types(arguments.types), strict=True):
        if len(kind) > 1:
            yield name, "array"
        else:
            yield name, "generator" if kind[0] is Generator else "number"


# Names of arguments and their parts.


def _top_names(function: Callable[..., Any], structure: Branch) -> list[str]:
    """Return the names of a call's arguments: those by position, then those by name."""
    count = len(structure.items) - len(structure.names)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of C code
        parameters = []
    single = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [parameter.name for parameter in parameters if parameter.kind in single][:count]
    names += [f"argument {k}" for k in range(len(names), count)]
    return [*names, *map(str, structure.names)]


def _leaf_names(function: Callable[..., Any], structure: Branch) -> list[str]:
    """Return the name of each leaf of a call's arguments, such as ``params['w'][0]``."""
    names: list[str] = []
    for name, item in zip(_top_names(function, structure), structure.items, strict=True):
        names += _paths(item, name)
    return names


def _paths(structure: Structure, path: str) -> Iterator[str]:
    if isinstance(structure, Place):
        yield path
    elif isinstance(structure, Branch):
        keys = structure.names or range(len(structure.items))
        for key, item in zip(keys, structure.items, strict=True):
            if structure.kind is dict:
                yield from _paths(
                    item, f"{path}[{key.value if isinstance(key, Static) else key!r}]"
                )
            elif structure.names:
                yield from _paths(item, f"{path}.{key}")
            else:
                yield from _paths(item, f"{path}[{key}]")
