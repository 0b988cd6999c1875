"""NumPy's functions on small arrays in memory, with all their arguments.

:mod:`lazyarr.arrays.native` knows operators, indices and the commonest calls. A :class:`Row` says
of any other function what has to hold so that NumPy's is called at once, and its results are
arrays in memory: all arrays among the arguments are small and in memory, the result has few
elements, no argument means something else here. What NumPy refuses, and what meets a
floating-point exception, is built as an expression, which raises and warns as ever.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.coercion import MOST_NESTED
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.native import (
    REFUSED,
    exceptions,
    note_exceptions,
    noted,
    operand,
    remembered,
    state,
    wrapped,
)
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass

__all__ = ["BOUNDS", "LARGER", "Row", "call_at_once", "part"]

Array = np.ndarray[Any, Any]

#: Results may have as many times as many elements as arguments may.
LARGER = tuning.row().larger
#: More arrays than that are not looked at.
_MOST_OPERANDS = 64
#: Names of the third argument that bounds depend on, and what it is for NumPy where it is missing.
_THIRD = ("axes", "num")
_SAMPLES = 50


def _third_argument(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return the third argument, or the one of a name in `_THIRD`; None if there is none.

    Parameters
    ----------
    args, keywords : tuple and dict
        The arguments of a call.
    """
    named = [value for name, value in keywords.items() if name in _THIRD]
    return args[2] if len(args) > 2 else named[0] if named else None


class _Arguments:
    """The arrays and the integers among the arguments of a call, and memory in their places.

    Parameters
    ----------
    kind : type
        The class of lazy arrays.
    most : int
        Elements of a small array.
    """

    def __init__(self, kind: type[Any], most: int) -> None:
        self.kind = kind
        self.most = most
        self.arrays: list[Array] = []
        #: Lazy arrays, and ndarrays that were passed; and their memory.
        self.sources: list[Any] = []
        self.shown: list[Any] = []
        self.any_array = False
        self.total = 0
        self.product = 1
        self.integers = 1
        self.largest = 0
        self.infinite = False
        #: Whether any argument is False, and the texts among them.
        self.denied = False
        #: Whether None is among the items of a sequence.
        self.blank = False
        self.texts: list[str] = []
        #: The third argument, or the one named as in `_THIRD`.
        self.third: Any = None

    def take(self, value: Any, nested: int = 0) -> Any:
        """Return an argument for NumPy; NotImplemented if there is none.

        Parameters
        ----------
        value : object
            The argument.
        nested : int
            The number of sequences around it.
        """
        own = type(value)
        if own is self.kind or own is np.ndarray:
            memory = operand(value, self.kind)
            if memory is NotImplemented:
                return NotImplemented
            self.any_array = True
            self.sources.append(value)
            self.shown.append(memory)
            if type(memory) is np.ndarray:
                if not memory.size or len(self.arrays) == _MOST_OPERANDS:
                    return NotImplemented  # of no elements, functions warn
                self.arrays.append(memory)
                self.total += memory.size
                self.product *= memory.size
            if not memory.ndim and kind_of(memory.dtype) in "iu":
                self._count(memory)
            self._note_finite(memory)
            return memory
        if own is tuple or own is list:
            if nested == MOST_NESTED:
                return NotImplemented
            self.total += len(value)
            items = [self.take(item, nested + 1) for item in value]
            return NotImplemented if any(item is NotImplemented for item in items) else own(items)
        self.denied |= value is False
        self.blank |= value is None and nested > 0
        if own is str:
            self.texts.append(value)
        if isinstance(value, np.timedelta64):  # of the class of integers
            return NotImplemented
        if own is int or isinstance(value, np.integer):
            self._count(value)
        self._note_finite(value)
        return operand(value, self.kind)

    def _note_finite(self, value: Any) -> None:
        if isinstance(value, (float, np.floating)):
            self.infinite |= not math.isfinite(value)

    def _count(self, value: Any) -> None:
        count = abs(int(value))
        self.integers *= max(count, 1)
        self.largest = max(self.largest, count)


def _total(taken: _Arguments) -> bool:
    """Return whether all arguments together are small; the result is no larger."""
    return taken.total <= taken.most


def _spread(taken: _Arguments) -> bool:
    """Return whether the arrays broadcast to a small one."""
    try:
        return len(taken.arrays) < 2 or bool(np.broadcast(*taken.arrays).size <= taken.most)
    except ValueError:
        return False


def _bounded(taken: _Arguments) -> bool:
    """Return whether pairs of elements, times the integers, are few."""
    return taken.product * taken.integers <= taken.most * LARGER


def _padded(taken: _Arguments) -> bool:
    """Return whether an array with as much around it as the largest integer says is small."""
    if len(taken.arrays) != 1:
        return False
    size = math.prod(length + 2 * taken.largest for length in taken.arrays[0].shape)
    return bool(size <= taken.most * LARGER)


def _squared(taken: _Arguments) -> bool:
    """Return whether a matrix with a row and a column for each element is small."""
    return (taken.product * taken.integers) ** 2 <= taken.most * LARGER


def _sided(taken: _Arguments) -> bool:
    """Return whether a square whose side is the largest integer is small."""
    return taken.product == 1 and taken.largest**2 <= taken.most * LARGER


def _paired(taken: _Arguments) -> bool:
    """Return whether pairs of elements are few; integer arguments do not count."""
    return taken.product <= taken.most * LARGER


def _taken(taken: _Arguments) -> bool:
    """Return whether indices along any axis of an array choose few elements."""
    shortest = max(min(taken.arrays[0].shape, default=1), 1) if len(taken.arrays) == 2 else math.inf
    return bool(taken.product / shortest <= taken.most * LARGER)


def _counted(taken: _Arguments) -> bool:
    """Return whether the elements of the only array, times the integers, are few."""
    return len(taken.arrays) == 1 and _bounded(taken)


def _named(taken: _Arguments) -> bool:
    """Return whether the integers, which are the lengths of the result, say that it is small."""
    return len(taken.arrays) == 1 and not taken.blank and taken.integers <= taken.most * LARGER


def _repeated(taken: _Arguments) -> bool:
    """Return whether the elements, as often as an array of integers says, are few."""
    if len(taken.arrays) != 2 or kind_of(taken.arrays[1].dtype) not in "iu":
        return _counted(taken)
    elements, counts = taken.arrays
    return bool(elements.size / counts.size * float(counts.sum()) <= taken.most * LARGER)


def _fewer(taken: _Arguments) -> bool:
    """Return whether each axis is longer than the degrees of freedom that are subtracted."""
    shortest = min([min(array.shape, default=1) for array in taken.arrays], default=1)
    return taken.total <= taken.most and max(taken.largest, 1) < shortest


def _known(taken: _Arguments) -> bool:
    """Return whether no axis has NaNs alone: there is none, or one axis has other numbers too."""
    if taken.total > taken.most:
        return False
    for array in taken.arrays:
        if array.dtype != np.float64 or not array.flags.c_contiguous:
            return False
        unknown = np.isnan(array)
        if unknown.all() if array.ndim == 1 else unknown.any():
            return False
    return True


def _matrices(taken: _Arguments) -> bool:
    """Return whether matrices are few and small that are square, with the sides of all arrays.

    Without the full ones, results are no larger than the arguments.
    """
    if taken.denied:
        return taken.total <= taken.most
    sides, stacks = 0, 1
    for array in taken.arrays:
        long = sorted(array.shape)[-2:] if array.ndim > 1 else [1]
        sides += long[-1]
        stacks *= max(array.size // math.prod(long), 1) if array.ndim > 1 else 1
    return sides * sides * stacks * taken.integers <= taken.most * LARGER


def _thin(taken: _Arguments) -> bool:
    """Return whether all arguments together are small, and no text asks for larger results."""
    return not taken.texts and taken.total <= taken.most


def _covariances(taken: _Arguments) -> bool:
    """Return whether a matrix with a row and a column for each variable is small."""
    lengths = [array.shape[-1] if taken.denied else len(array) for array in taken.arrays]
    return taken.total <= taken.most and sum(lengths) ** 2 <= taken.most * LARGER


def _diagonal(taken: _Arguments) -> bool:
    """Return whether an array is a matrix, of which a diagonal is a view, or a short vector."""
    return len(taken.arrays) == 1 and (taken.arrays[0].ndim == 2 or _squared(taken))


def _subscripts(taken: _Arguments) -> bool:
    """Return whether a sum of products has few terms, those of all its elements together."""
    if len(taken.texts) != 1:
        return False
    lengths: dict[str, int] = {}
    names = taken.texts[0].partition("->")[0].replace(" ", "").split(",")
    if len(names) != len(taken.arrays):
        return False
    for axes, array in zip(names, taken.arrays, strict=True):
        if len(axes) != array.ndim or not axes.isalpha():
            return False
        for name, length in zip(axes, array.shape, strict=True):
            lengths[name] = max(length, lengths.get(name, 1))
    return math.prod(lengths.values()) <= taken.most * LARGER


def _contracted(taken: _Arguments) -> bool:
    """Return whether a product of two arrays that is summed over axes of both is small."""
    if len(taken.arrays) != 2:
        return False
    array = taken.arrays[0]
    axes: Any = 2 if taken.third is None else taken.third
    first: Any = list(range(-axes, 0)) if type(axes) is int else axes[0] if axes else None
    names: Any = [first] if type(first) is int else first
    if type(names) not in (list, tuple) or any(type(axis) is not int for axis in names):
        return False
    if any(not -array.ndim <= axis < array.ndim for axis in names):
        return False
    summed = math.prod(array.shape[axis] for axis in names)
    return bool(taken.product <= taken.most * summed * summed)


def _close(taken: _Arguments) -> bool:
    """Return whether two arrays broadcast to a small one, and the numbers are finite."""
    return not taken.infinite and len(taken.arrays) <= 2 and _spread(taken)


def _sampled(taken: _Arguments) -> bool:
    """Return whether few samples lie between numbers, or between all elements of small arrays."""
    samples: Any = _SAMPLES if taken.third is None else taken.third
    return type(samples) is int and 0 <= samples * taken.product <= taken.most


#: How many elements a result may have, in the order of the enumeration of the compiled form.
BOUNDS: dict[str, Callable[[_Arguments], bool]] = {
    "total": _total,
    "spread": _spread,
    "bounded": _bounded,
    "padded": _padded,
    "squared": _squared,
    "paired": _paired,
    "counted": _counted,
    "fewer": _fewer,
    "known": _known,
    "close": _close,
    "sided": _sided,
    "repeated": _repeated,
    "matrices": _matrices,
    "thin": _thin,
    "covariances": _covariances,
    "diagonal": _diagonal,
    "subscripts": _subscripts,
    "taken": _taken,
    "contracted": _contracted,
    "named": _named,
    "sampled": _sampled,
}


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
        One of `BOUNDS`.
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
    taken = _Arguments(kind, most)
    taken.third = _third_argument(args, keywords)
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
    taken: _Arguments,
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
