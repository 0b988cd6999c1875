"""The arguments of a call of NumPy's function, and how few elements its result has to have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.coercion import MOST_NESTED
from lazyarr.arrays.native import operand
from lazyarr.core.dtypes import kind_of

__all__ = ["BOUNDS", "LARGER", "CallArguments"]

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


class CallArguments:
    """The arrays and the integers among the arguments of a call, and memory in their places.

    Parameters
    ----------
    kind : type
        The class of lazy arrays.
    most : int
        Elements of a small array.
    args, keywords : tuple and dict
        The arguments.
    """

    def __init__(
        self, kind: type[Any], most: int, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
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
        #: The argument named ``axis``, and whether there is one; the second without a name.
        self.axis = keywords.get("axis")
        self.has_axis = "axis" in keywords
        self.second = args[1] if len(args) > 1 else None
        #: The third argument, or the one named as in `_THIRD`.
        self.third = _third_argument(args, keywords)

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


def _total(taken: CallArguments) -> bool:
    """Return whether all arguments together are small; the result is no larger."""
    return taken.total <= taken.most


def _spread(taken: CallArguments) -> bool:
    """Return whether the arrays broadcast to a small one."""
    try:
        return len(taken.arrays) < 2 or bool(np.broadcast(*taken.arrays).size <= taken.most)
    except ValueError:
        return False


def _bounded(taken: CallArguments) -> bool:
    """Return whether pairs of elements, times the integers, are few."""
    return taken.product * taken.integers <= taken.most * LARGER


def _padded(taken: CallArguments) -> bool:
    """Return whether an array with as much around it as the largest integer says is small."""
    if len(taken.arrays) != 1:
        return False
    size = math.prod(length + 2 * taken.largest for length in taken.arrays[0].shape)
    return bool(size <= taken.most * LARGER)


def _squared(taken: CallArguments) -> bool:
    """Return whether a matrix with a row and a column for each element is small."""
    return (taken.product * taken.integers) ** 2 <= taken.most * LARGER


def _sided(taken: CallArguments) -> bool:
    """Return whether a square whose side is the largest integer is small."""
    return taken.product == 1 and taken.largest**2 <= taken.most * LARGER


def _paired(taken: CallArguments) -> bool:
    """Return whether pairs of elements are few; integer arguments do not count."""
    return taken.product <= taken.most * LARGER


def _taken(taken: CallArguments) -> bool:
    """Return whether indices along any axis of an array choose few elements."""
    shortest = max(min(taken.arrays[0].shape, default=1), 1) if len(taken.arrays) == 2 else math.inf
    return bool(taken.product / shortest <= taken.most * LARGER)


def _counted(taken: CallArguments) -> bool:
    """Return whether the elements of the only array, times the integers, are few."""
    return len(taken.arrays) == 1 and _bounded(taken)


def _named(taken: CallArguments) -> bool:
    """Return whether the integers, which are the lengths of the result, say that it is small."""
    return len(taken.arrays) == 1 and not taken.blank and taken.integers <= taken.most * LARGER


def _repeated(taken: CallArguments) -> bool:
    """Return whether the elements, as often as an array of integers says, are few."""
    if len(taken.arrays) != 2 or kind_of(taken.arrays[1].dtype) not in "iu":
        return _counted(taken)
    elements, counts = taken.arrays
    return bool(elements.size / counts.size * float(counts.sum()) <= taken.most * LARGER)


def _fewer(taken: CallArguments) -> bool:
    """Return whether each axis is longer than the degrees of freedom that are subtracted."""
    shortest = min([min(array.shape, default=1) for array in taken.arrays], default=1)
    return taken.total <= taken.most and max(taken.largest, 1) < shortest


def _freedom(taken: CallArguments) -> bool:
    """Return whether a spread is of more elements than the degrees of freedom subtracted."""
    if len(taken.arrays) != 1:
        return False
    length = _length_along(taken.arrays[0], taken.axis if taken.has_axis else taken.second)
    return taken.total <= taken.most and length > max(taken.largest, 1)


def _length_along(array: Array, named: Any) -> int:
    """Return the elements along the axes that an argument names; 0: it names others, or twice."""
    axes = named if type(named) is tuple else (named,)
    if any(not _is_axis(axis, array.ndim) for axis in axes):
        return 0
    if named is None:
        return array.size
    numbers = {axis % array.ndim for axis in axes if axis is not None}
    return math.prod(array.shape[axis] for axis in numbers) if len(numbers) == len(axes) else 0


def _is_axis(value: Any, ndim: int) -> bool:
    """Return whether an argument names one axis of so many, or None, which is all of them."""
    return value is None or (type(value) is int and -ndim <= value < ndim)


def _known(taken: CallArguments) -> bool:
    """Return whether no line along the axis has NaNs alone; of several axes, none at all."""
    return _are_numbers(taken, taken.second)


def _known_quantiles(taken: CallArguments) -> bool:
    """Return the same of a function whose second argument is no axis."""
    return _are_numbers(taken, taken.third)


def _are_numbers(taken: CallArguments, argument: Any) -> bool:
    named = taken.axis if taken.has_axis else argument
    if taken.total > taken.most:
        return False
    for array in taken.arrays:
        if array.dtype != np.float64 or not array.flags.c_contiguous:
            return False
        unknown = np.isnan(array)
        is_one = _is_axis(named, array.ndim)
        if unknown.all(named).any() if is_one else unknown.any():
            return False
    return True


def _matrices(taken: CallArguments) -> bool:
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


def _thin(taken: CallArguments) -> bool:
    """Return whether all arguments together are small, and no text asks for larger results."""
    return not taken.texts and taken.total <= taken.most


def _covariances(taken: CallArguments) -> bool:
    """Return whether a matrix with a row and a column for each variable is small."""
    column = -1 if taken.denied else 0
    lengths = [array.shape[column] if array.ndim > 1 else 1 for array in taken.arrays]
    return taken.total <= taken.most and sum(lengths) ** 2 <= taken.most * LARGER


def _diagonal(taken: CallArguments) -> bool:
    """Return whether an array is a matrix, of which a diagonal is a view, or a short vector."""
    return len(taken.arrays) == 1 and (taken.arrays[0].ndim == 2 or _squared(taken))


def _subscripts(taken: CallArguments) -> bool:
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


def _contracted(taken: CallArguments) -> bool:
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


def _close(taken: CallArguments) -> bool:
    """Return whether two arrays broadcast to a small one, and the numbers are finite."""
    return not taken.infinite and len(taken.arrays) <= 2 and _spread(taken)


def _sampled(taken: CallArguments) -> bool:
    """Return whether few samples lie between numbers, or between all elements of small arrays."""
    samples: Any = _SAMPLES if taken.third is None else taken.third
    return type(samples) is int and 0 <= samples * taken.product <= taken.most


#: How many elements a result may have, in the order of the enumeration of the compiled form.
BOUNDS: dict[str, Callable[[CallArguments], bool]] = {
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
    "freedom": _freedom,
    "known_quantiles": _known_quantiles,
}
