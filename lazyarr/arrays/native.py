"""NumPy's own functions on arrays in memory: operators, ufuncs, methods, indices and writes.

Each function returns None (or False) where the operation is to be built as an expression, which
also refuses what is wrong and names the user's line: an operand that is not in memory or not small,
a result that may be large, arguments that NumPy refuses.

Floating-point exceptions come by a callback in place of NumPy's warning, which would name a line of
this module; they are reported as ``np.errstate`` says, at the user's line.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any, TypeVar

import numpy as np
from numpy._core import umath

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.coercion import MOST_NESTED
from lazyarr.arrays.fields import Fields
from lazyarr.arrays.immediate import limit, limit_of
from lazyarr.arrays.storing import PAST_BITS
from lazyarr.core.source_location import origin
from lazyarr.graph.node import Op
from lazyarr.ops.elementwise import BY_UFUNC

__all__ = [
    "CODES",
    "DEFAULT",
    "MOST_PAST",
    "NOTED",
    "NOTED_BUT_UNDERFLOWS",
    "NUMBERS",
    "REFUSED",
    "called",
    "compute",
    "compute_natively",
    "computed_with",
    "exceptions",
    "new_array",
    "note_exceptions",
    "noted",
    "operand",
    "remembered",
    "report",
    "state",
    "view",
    "wrapped",
]

Array = np.ndarray[Any, Any]
T = TypeVar("T")

#: How much arrays remember of the operations behind them: operations and elements of each, four of
#: which count like one.
MOST_PAST = tuning.row().past

REFUSED = (TypeError, ValueError, OverflowError, IndexError, AttributeError, FloatingPointError)
NUMBERS = frozenset((bool, int, float, complex))
_PLAIN = frozenset((bool, int, float, complex, type(None), str, slice, type(Ellipsis), type))
#: Codes of the dtypes that arrays may have.
CODES = frozenset("?bhilqBHILQefdFD")

exceptions: list[tuple[int, str]] = []


def _note(kind: str, flag: int) -> None:
    exceptions.append((get_ident(), kind))


if hasattr(umath, "_make_extobj"):  # else nothing runs at once
    #: NumPy's error state in which exceptions are noted.
    NOTED = umath._make_extobj(over="call", divide="call", invalid="call", under="call", call=_note)
    NOTED_BUT_UNDERFLOWS = umath._make_extobj(
        over="call", divide="call", invalid="call", under="ignore", call=_note
    )
    state = umath._extobj_contextvar
    #: NumPy's error state where none was set.
    DEFAULT = contextvars.Context().run(state.get)

_new = Fields.__new__


def note_exceptions() -> contextvars.Token[Any]:
    """Set NumPy's error state to one that notes exceptions, of which none is known yet.

    Those of a call that failed nobody has asked for.
    """
    if exceptions:
        noted()
    return state.set(NOTED)


def noted() -> list[str]:
    """Return the exceptions that this thread's last operation met, and forget them."""
    thread = get_ident()
    kinds = [kind for place, kind in exceptions if place == thread]
    exceptions[:] = [entry for entry in exceptions if entry[0] != thread]
    return list(dict.fromkeys(kinds))


def report(op: Op, function: Callable[..., Any], *operands: Any) -> None:
    """Report the exceptions of this thread's last operation as ``np.errstate`` says.

    Parameters
    ----------
    op : Op
        The operation.
    function : callable
        NumPy's.
    operands : numpy.ndarray, numpy.generic or number
        What it was called with, or what meets exceptions under the same name.
    """
    # Imported here: exceptions are rare.
    from lazyarr.execution.fp_errors.policy import FAULTS, Fault, report

    kinds, where, name = noted(), origin(), op.name
    # The name is NumPy's to say: a scalar's operation has another one, and which powers are
    # squares, square roots and reciprocals depends on the version.
    with np.errstate(all="raise"):
        try:
            function(*operands)
        except FloatingPointError as error:
            name = str(error).rpartition(" encountered in ")[2]
    names = {text: kind for kind, (text, _) in FAULTS.items()}
    report([Fault(names[kind], name, where) for kind in kinds])


def remembered(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments as they are remembered: copies of lists, which the caller may change."""
    if list not in map(type, args):
        return args
    return tuple([_copied_list(value) if type(value) is list else value for value in args])


def _copied_list(items: list[Any]) -> list[Any]:
    return [_copied_list(item) if type(item) is list else item for item in items]


def new_array(kind: type[T], value: Any, history: tuple[Any, ...] | None, past: int) -> T:
    """Return an array of a value that NumPy computed.

    Parameters
    ----------
    kind : type
        The class of arrays.
    value : numpy.ndarray or numpy.generic
        Memory of its own.
    history : tuple, optional
        The operation that gave it.
    past : int
        How much its operands remember.
    """
    result: Any = _new(kind)
    result._array = value
    result._alias = None
    result._view_nodes = None
    own = value.size >> PAST_BITS
    past += 1 + own
    if past > MOST_PAST:
        result._history, result._past = None, own  # who remembers it keeps its memory
    else:
        result._history, result._past = history, past
    return result  # type: ignore[no-any-return]


def computed_with(op: Op, function: Callable[..., Any], x: Any, other: Any, swapped: bool) -> Any:
    """Return an operator of an array in memory and another operand.

    Parameters
    ----------
    op : Op
        The operation, which the result remembers.
    function : callable
        Python's operator.
    x : LazyArray
        An array in memory.
    other : LazyArray or number
        The other operand.
    swapped : bool
        Whether it is the left one.

    Returns
    -------
    LazyArray or None
        None if an expression is to be built.
    """
    most = limit_of(op)
    a = x._array
    if a is None or a.size > most:
        return None  # another thread may have made it an expression
    if x._alias is not None:
        a = memory_of(x)
    past = x._past
    kind = type(x)
    if type(other) is kind:
        b = other._array if other._alias is None else memory_of(other)
        past += other._past
        if b is None or a is None:
            return None
        if a.shape != b.shape and _broadcast_size(a, b) > most:
            return None
    else:
        b = other
        if a is None or type(other) not in NUMBERS:
            b = operand(other, kind)
            if not isinstance(b, (np.ndarray, np.generic)) or _broadcast_size(a, b) > most:
                return None
        elif swapped and type(b) is complex and type(a) is np.float64:
            b = np.complex128(b)  # else Python computes
    if a is None or a.size > most:
        return None
    token = note_exceptions()
    try:
        value = function(b, a) if swapped else function(a, b)
    except REFUSED:
        return None
    finally:
        state.reset(token)
    if exceptions:
        report(op, function, *((b, a) if swapped else (a, b)))
    return new_array(kind, value, (op, other, x) if swapped else (op, x, other), past)


def _broadcast_size(*operands: Any) -> int:
    try:
        return np.broadcast(*operands).size
    except ValueError:
        return 0  # refused by the operation


def operand(value: Any, kind: type, nested: int = 0, most: int | None = None) -> Any:
    """Return an argument for NumPy: memory in the place of arrays. NotImplemented: there is none.

    Parameters
    ----------
    value : object
        The argument.
    kind : type
        The class of lazy arrays.
    nested : int
        The number of sequences around it.
    most : int, optional
        Elements of an array at most; default: those of which operations run at once.
    """
    own = type(value)
    if own is kind:
        memory = memory_of(value)
        most = limit() if most is None else most
        return NotImplemented if memory is None or memory.size > most else memory
    if own in _PLAIN:
        return value
    if own is tuple or own is list:
        if nested == MOST_NESTED:
            return NotImplemented
        items = [operand(item, kind, nested + 1, most) for item in value]
        return NotImplemented if any(item is NotImplemented for item in items) else own(items)
    if own is np.ndarray:
        most = limit() if most is None else most
        known = value.dtype.char in CODES and value.dtype.isnative and value.size <= most
        return value if known else NotImplemented
    if isinstance(value, np.generic):
        return value if value.dtype.char in CODES else NotImplemented
    return value if own is type or isinstance(value, (np.dtype, type)) else NotImplemented


def called(function: np.ufunc, args: tuple[Any, ...], kind: type[T]) -> T | None:
    """Return a ufunc of arrays in memory and numbers; None if an expression is to be built.

    Parameters
    ----------
    function : numpy.ufunc
        Of one output.
    args : tuple
        Its operands.
    kind : type
        The class of lazy arrays.
    """
    ops = BY_UFUNC.get(function)
    if ops is None or len(ops) != 1 or len(args) != function.nin:
        return None
    past, any_array = 0, False
    values = []
    for arg in args:
        if type(arg) is kind:
            lazy: Any = arg
            value = memory_of(lazy)
            if value is None:
                return None
            past += lazy._past
            any_array = True
        elif type(arg) in NUMBERS:
            value = arg
        else:
            value = operand(arg, kind)
            if value is NotImplemented or isinstance(value, (str, list, tuple, type)):
                return None
            any_array |= type(value) is np.ndarray
        values.append(value)
    most = limit_of(ops[0])
    if not any_array or not most:
        return None
    if len(values) == 1:
        if values[0].size > most:
            return None
    elif _broadcast_size(*values) > most:
        return None
    token = note_exceptions()
    try:
        value = function(*values)
    except REFUSED:
        return None
    finally:
        state.reset(token)
    if exceptions:
        report(ops[0], function, *values)
    return new_array(kind, value, (ops[0], *args), past)


def compute(
    function: Callable[..., Any],
    values: tuple[Any, ...],
    options: dict[str, Any],
    kind: type[Any],
    sources: tuple[Any, ...],
    shown: Sequence[Any],
    rebuild: Callable[..., Any] | None,
    keywords: dict[str, Any] | None = None,
    args: tuple[Any, ...] | None = None,
) -> Any:
    """Call a function of NumPy's and return its result as arrays; None if it refused.

    Parameters
    ----------
    function : callable
        NumPy's.
    values, options : tuple and dict
        Its arguments, with memory in the place of arrays.
    kind : type
        The class of lazy arrays.
    sources, shown : tuple and sequence
        The arrays among the arguments, and what else, and the memory that they had.
    rebuild : callable, optional
        ``rebuild(*args, **keywords)`` builds the expression. None: it is not remembered.
    keywords : dict, optional
        Keywords as they were given.
    args : tuple, optional
        Arguments as they were given, if these are not `sources`.
    """
    token = note_exceptions()
    try:
        value = function(*values, **options)
    except REFUSED:
        return None
    finally:
        state.reset(token)
    if exceptions and noted():
        return None  # built as an expression, it warns in NumPy's words
    history = None
    if rebuild is not None:
        history = (rebuild, sources if args is None else remembered(args), keywords or {})
    return wrapped(value, kind, sources, shown, history)


def compute_natively(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    kind: type[Any],
    fits: Callable[[int, tuple[Any, ...], dict[str, Any]], bool] | None,
    known: frozenset[str],
) -> Any:
    """Return the result of a function of NumPy's; None if an expression is to be built.

    Parameters
    ----------
    function : callable
        NumPy's.
    args, keywords : tuple and dict
        Its arguments.
    kind : type
        The class of lazy arrays.
    fits : callable, optional
        ``fits(most, args, keywords)``: whether the result has few enough elements. None of a
        function that takes no arrays.
    known : frozenset of str
        The keywords that mean the same in lazyarr.
    """
    most = limit()
    if not most or not known.issuperset(keywords):
        return None
    values: Any = operand(args, kind)
    if values is NotImplemented:
        return None
    options = {name: operand(value, kind) for name, value in keywords.items()}
    if any(value is NotImplemented for value in options.values()):
        return None
    sources, shown = args, values
    if fits is not None:
        sources, shown = (*args, *keywords.values()), (*values, *options.values())
        if type(args[0]) is tuple or type(args[0]) is list:
            sources, shown = (*args[0], *sources[1:]), (*values[0], *shown[1:])
        arrays = [
            memory
            for source, memory in zip(sources, shown, strict=True)
            if type(source) is kind or type(source) is np.ndarray
        ]
        if not arrays or not fits(most, values, options):
            return None
        if not all([array.size for array in arrays]):  # noqa: C419 - faster
            return None  # of no elements, functions warn
    rebuild = None if fits is None else function
    return compute(function, values, options, kind, sources, shown, rebuild, keywords, args)


def wrapped(
    value: Any,
    kind: type[Any],
    sources: Sequence[Any],
    shown: Sequence[Any],
    history: tuple[Any, ...] | None,
) -> Any:
    """Return a result of NumPy's as arrays, which are views where NumPy's are.

    Parameters
    ----------
    value : object
        The result.
    kind : type
        The class of arrays.
    sources, shown : sequence
        The arguments, of which it may be a view, and the memory that they had.
    history : tuple, optional
        The operation that gave it.
    """
    if type(value) is list or type(value) is tuple:
        items = [wrapped(item, kind, sources, shown, None) for item in value]
        return None if any(item is None for item in items) else type(value)(items)
    if type(value) is not np.ndarray:
        if not isinstance(value, np.generic):
            return None
    else:
        base = value.base
        for source, memory in zip(sources, shown, strict=True):
            if type(source) is kind:
                if value is memory:
                    return source
                if base is not None and type(memory) is np.ndarray:
                    if base is memory or base is memory.base:
                        return view(value, source, memory, history)
            elif type(source) is np.ndarray and (
                value is source or (base is not None and (base is source or base is source.base))
            ):
                return None  # built as an expression, it is a view of the wrapped array
        if base is not None:
            value = value.copy(order="K")
    if value.dtype.char not in CODES or not value.dtype.isnative:
        return None
    past = sum([source._past for source in sources if type(source) is kind])
    return new_array(kind, value, history, past)


def view(memory: Array, source: Any, shown: Array, history: tuple[Any, ...] | None) -> Any:
    """Return an array of a view of another's memory.

    Parameters
    ----------
    memory : numpy.ndarray
        NumPy's view.
    source : LazyArray
        What it shows elements of.
    shown : numpy.ndarray
        The memory of `source` of which it is a view.
    history : tuple, optional
        The operation that gave it.

    Returns
    -------
    LazyArray or None
        None if another thread has let `source` have another value meanwhile: the view is to be
        made of that.
    """
    alias = source._alias
    if source._array is not shown:
        return None
    result = _new(source._new)
    result._array = memory
    result._alias = (source, shown, None) if alias is None else alias
    past = source._past + 1
    # Where it is too much for the view, it is for what is made of that.
    result._history, result._past = history if past <= MOST_PAST else None, past
    return result
