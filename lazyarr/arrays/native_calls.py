"""NumPy's functions on small arrays in memory, with all their arguments.

:mod:`lazyarr.arrays.native` knows operators, indices and the commonest calls. A :class:`Row` says
of any other function what has to hold so that NumPy's is called at once, and its results are
arrays in memory: all arrays among the arguments are small and in memory, the result has few
elements, no argument means something else here. What NumPy refuses, and what meets a
floating-point exception, is built as an expression, which raises and warns as ever.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.arrays.immediate import limit
from lazyarr.arrays.native import (
    REFUSED,
    exceptions,
    note_exceptions,
    noted,
    remembered,
    state,
    wrapped,
)
from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.arrays.call_bounds import CallArguments

__all__ = ["BOUND_NAMES", "Row", "call_at_once", "part"]

#: Names of bounds, as enumerated in c_source.
BOUND_NAMES = (
    "total spread bounded padded squared paired counted fewer known close sided repeated matrices "
    "thin covariances diagonal subscripts taken contracted named sampled freedom known_quantiles"
).split()


@dataclass(frozen=True, slots=True)
class Row:
    """The conditions under which a function of NumPy's is called immediately.

    Attributes
    ----------
    function : callable
        NumPy's.
    rebuild : callable
        Builds the expression of the same arguments.
    bound : str
        One of `BOUNDS` of call_bounds.py.
    refused : frozenset of str
        Keywords that mean something else here, or write to an argument.
    places : int
        Arguments without a name, at most: the next one would be such a keyword.
    as_is : bool
        Whether numbers among the results stay what NumPy gave.
    creates : bool
        Whether it is also called of numbers alone.
    warns : bool
        Whether NumPy's Python code warns, of its caller's line: only the compiled form calls it.
    writes : bool
        Whether it is a ufunc of one result, which the compiled form lets write to ``out=``.
    cheap : bool
        Whether it is called of as many elements as cheap operations: its results are no larger.
    fills : bool
        Whether it writes to its first argument and returns None, as the compiled form lets it.
    copies : bool
        Whether it computes nothing of the elements that it copies: then the compiled form calls it
        of as many elements as are written and selected at once.
    by_library : bool
        Whether no kernel computes it. The compiled form calls it of as many elements, and computes
        pending arguments for it.
    at_any_size : bool
        Whether that is so of arguments of any size: nothing computes it sooner, and several
        evaluations of what is made of it would each call it anew.
    looks_up : bool
        Whether it looks values up in a table: a kernel does that faster of many.
    slowly_built : bool
        Whether Python builds its expression: of more elements it is called, if it is cheap.
    extends : bool
        Whether the compiled form computes a pending argument of one operation for it.
    moves : bool
        Whether it reads elements at other places than those of its result, or several times: then
        the compiled form computes a pending argument with a name for it, too.
    views : bool
        Whether its results are views of its first argument: the compiled form wraps an ndarray.
    quiet : bool
        Whether it meets no floating-point exceptions but in casts that are asked for: then the
        compiled form looks for none, and calls it of arrays without elements, too.
    owns : bool
        Whether its results never show the memory of its arguments, though some are index maps.
    copies_mask : bool
        Whether its expression has a copy of an ndarray of truth values that is the first argument.
    counts_truths : bool
        Whether it counts truth values, which the compiled form lets NumPy do of any number.
    is_several : bool
        Whether its expression is several kernels around a product: the compiled form calls it of as
        many elements as are written and selected at once.
    """

    function: Callable[..., Any]
    rebuild: Callable[..., Any]
    bound: str = "bounded"
    refused: frozenset[str] = frozenset()
    places: int = 8
    as_is: bool = False
    creates: bool = False
    warns: bool = False
    writes: bool = False
    cheap: bool = False
    fills: bool = False
    copies: bool = False
    by_library: bool = False
    at_any_size: bool = False
    looks_up: bool = False
    slowly_built: bool = False
    extends: bool = False
    moves: bool = False
    views: bool = False
    quiet: bool = False
    owns: bool = False
    copies_mask: bool = False
    counts_truths: bool = False
    is_several: bool = False

    @property
    def is_slowly_built(self) -> bool:
        """Whether the time in which Python builds the expression sets the size limit."""
        return self.cheap and self.slowly_built and not (self.copies or self.by_library)


def call_at_once(row: Row, args: tuple[Any, ...], keywords: dict[str, Any], kind: type[Any]) -> Any:
    """Return the result of a function of NumPy's; None if an expression is to be built.

    Parameters
    ----------
    row : Row
        Of the function.
    args, keywords : tuple and dict
        Its arguments.
    kind : type
        The class of lazy arrays.
    """
    most = limit()
    if (
        not most
        or row.warns
        or row.fills
        or len(args) > row.places
        or not row.refused.isdisjoint(keywords)
    ):
        return None
    from lazyarr.arrays.call_bounds import BOUNDS, CallArguments  # the compiled form has its own

    taken = CallArguments(kind, most, args, keywords)
    values = [taken.take(value) for value in args]
    options = {name: taken.take(value) for name, value in keywords.items()}
    if any(value is NotImplemented for value in (*values, *options.values())):
        return None
    if not (taken.any_array or (row.creates and not taken.sources)) or not BOUNDS[row.bound](taken):
        return None
    token = note_exceptions()
    try:
        result = row.function(*values, **options)
    except REFUSED:
        return None
    finally:
        state.reset(token)
    if exceptions and noted():
        return None  # built as an expression, it warns in NumPy's words
    history = (row.rebuild, remembered(args), keywords) if taken.any_array else None
    return _results(result, row, taken, history, ())


def _results(
    value: Any,
    row: Row,
    taken: CallArguments,
    history: tuple[Any, ...] | None,
    path: tuple[int, ...],
) -> Any:
    """Return results of NumPy's with arrays in their places; None if they are of another kind."""
    if isinstance(value, tuple) or type(value) is list:
        items = [
            _results(item, row, taken, history, (*path, place)) for place, item in enumerate(value)
        ]
        if any(item is None for item in items):
            return None
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if row.as_is and not isinstance(value, np.ndarray):
        return value
    if type(value) is bool:
        value = np.bool_(value)
    if path and history is not None:
        history = (part(history[0], path), *history[1:])
    return wrapped(value, taken.kind, taken.sources, taken.shown, history)


def part(function: Callable[..., Any], path: tuple[int, ...]) -> Callable[..., Any]:
    """Return the function that gives one of several results of another one.

    Parameters
    ----------
    function : callable
        Returns (nested) sequences.
    path : tuple of int
        The place of the result, from the outermost sequence on.
    """
    return functools.partial(_part, function, path)


def _part(function: Callable[..., Any], path: tuple[int, ...], *args: Any, **keywords: Any) -> Any:
    result = function(*args, **keywords)
    for place in path:
        result = result[place]
    return result
