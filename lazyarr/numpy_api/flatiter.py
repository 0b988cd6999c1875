"""``x.flat``: the elements of an array in C order."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import settle
from lazyarr.arrays.coercion import holds_kind
from lazyarr.arrays.copies import snapshot
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.arrays.plain_operands import cast_by_numpy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.numpy_releases import FLAT_ITERATORS_INDEX_AS_ARRAYS
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, IndexingError
from lazyarr.numpy_api.repetition import resize

__all__ = ["Flat"]

Array = np.ndarray[Any, Any]


def _index(key: Any, size: int, written: bool = False) -> Any:
    """Return the index of a vector that corresponds to `key` of NumPy's flat iterators.

    Parameters
    ----------
    key
        What NumPy takes for an index.
    size
        The number of elements.
    written
        Whether the elements are written to.
    """
    if not FLAT_ITERATORS_INDEX_AS_ARRAYS and not _is_plain(key, size):
        return _places(key, size, written)
    if isinstance(key, tuple) and len(key) == 1:
        if isinstance(key[0], (bool, np.bool_)):
            return _judged(key, size)
        key = list(key[0]) if isinstance(key[0], tuple) else key[0]
    if isinstance(key, (list, tuple)) and key:
        return _judged(key, size)
    if isinstance(key, (bool, np.bool_)) or (
        isinstance(key, (LazyArray, np.ndarray)) and not key.ndim and kind_of(key.dtype) == "b"
    ):
        warn_user(
            "Indexing flat iterators with a 0-dimensional boolean index is deprecated and may "
            "be removed in a future version. (Deprecated NumPy 2.4)",
            DeprecationWarning,
        )
        return 0 if key else slice(0, 0)
    if key is None:
        raise IndexingError(
            "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid "
            "indices",
            origin=origin(),
        )
    return key


def _is_plain(key: Any, size: int) -> bool:
    """Return whether every release of NumPy takes an index as that of a vector."""
    if isinstance(key, (LazyArray, np.ndarray)):
        return key.ndim == 1 and (kind_of(key.dtype) in "iu" or key.shape == (size,))
    is_number = isinstance(key, (int, np.integer)) and not isinstance(key, bool)
    return isinstance(key, slice) or (is_number and -size <= key < size)


def _places(key: Any, size: int, written: bool) -> Any:
    """Return the places that a flat iterator of the installed NumPy chooses; or refuse the index.

    Parameters
    ----------
    key, size, written
        Those of :func:`_index`.
    """
    if isinstance(key, LazyArray):
        key = np.asarray(key)
    try:
        if written:
            np.zeros(size, bool).flat[key] = True
        places = np.arange(size).flat[key]
    except (IndexError, ValueError) as error:
        kind = IndexingError if isinstance(error, IndexError) else ArgumentError
        raise kind(str(error), origin=origin()) from None
    if isinstance(key, np.ndarray):
        return places.reshape(-1) if written else places
    return places if places.ndim else int(places)


def _set_single(flat: LazyArray, key: Any, value: Any) -> None:
    """Write one element; raise one kind of error for values that cannot be converted."""
    refusal = ArgumentError("Error setting single item of array.", origin=origin())
    if np.ndim(value):
        raise refusal
    try:
        flat[key] = value
    except (OverflowError, TypeError, ValueError) as error:
        raise refusal from error


def _judged(key: Any, size: int) -> Any:
    """Return an index that is none of a vector, as NumPy's flat iterators take it; or refuse it."""
    known = key
    if isinstance(key, LazyArray) and kind_of(key.dtype) == "b":
        key = np.zeros(key.shape, bool)  # NumPy refuses other lengths, whatever is true
    elif isinstance(key, LazyArray) or (
        isinstance(key, (list, tuple)) and holds_kind(key, LazyArray)
    ):
        return key
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            np.broadcast_to(np.int8(0), (size,)).flat[key]
        except IndexError as error:
            raise IndexingError(str(error), origin=origin()) from None
    for warning in seen:
        warn_user(str(warning.message), warning.category)
    return known if key is not known else np.asarray(key).astype(np.intp)


def _is_scalar(key: Any) -> bool:
    """Return whether an index chooses one element, as a number."""
    if isinstance(key, (LazyArray, np.ndarray)):
        return not key.ndim
    return isinstance(key, (int, np.integer))


def _comparison(function: Callable[[Any, Any], Any]) -> Callable[[Flat, Any], LazyArray]:
    """Return an operator that compares the elements as a vector."""

    def compare(self: Flat, other: Any) -> LazyArray:
        others = other.base.reshape(-1) if isinstance(other, Flat) else other
        result: LazyArray = function(self.base.reshape(-1), others)
        return result

    return compare


class Flat:
    """The elements of an array in C order, as ``ndarray.flat`` gives them.

    Parameters
    ----------
    base : LazyArray
        The array; what is assigned to its elements is written to it.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.zeros((2, 2))
    >>> x.flat[1:3] = [5, 6]
    >>> x.compute()
    array([[0., 5.],
           [6., 0.]])
    """

    __slots__ = ("_base", "_index", "_rest")

    def __init__(self, base: LazyArray) -> None:
        self._base = base
        self._rest: Iterator[LazyArray] | None = None
        self._index = 0

    @property
    def base(self) -> LazyArray:
        """The array whose elements these are."""
        return self._base

    @property
    def index(self) -> int:
        """Position of the element that comes next."""
        return self._index

    __hash__ = None  # type: ignore[assignment]
    __eq__ = _comparison(operator.eq)  # type: ignore[assignment]
    __ne__ = _comparison(operator.ne)  # type: ignore[assignment]
    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[LazyArray]:
        return self

    def __next__(self) -> LazyArray:
        if self._rest is None:
            self._rest = iter(self.base.reshape(-1))
        element = next(self._rest)
        self._index += 1
        return element

    @property
    def coords(self) -> tuple[int, ...]:
        """Coordinates of the next element."""
        at, coordinates = self.index, []
        for size in reversed(self.base.shape):
            coordinates.append(at % size)
            at //= size
        return tuple(reversed(coordinates))

    def __getitem__(self, key: Any) -> LazyArray:
        flat = self.base.reshape(-1)
        key = _index(key, self.base.size)
        try:
            return flat[key].copy()
        except IndexError:
            return flat[_judged(key, self.base.size)].copy()

    def __delitem__(self, key: Any) -> None:
        raise DTypeError("Cannot delete iterator elements", origin=origin())

    def __setitem__(self, key: Any, value: Any) -> None:
        has_no_axis = isinstance(key, tuple) and (not key or (len(key) == 1 and key[0] is Ellipsis))
        if has_no_axis and FLAT_ITERATORS_INDEX_AS_ARRAYS:
            raise IndexingError(
                "Assigning to a flat iterator with a 0-D index is not supported", origin=origin()
            )
        base = self.base
        key = _index(key, base.size, written=True)
        # Of a view in one piece a view, so that the rest of the base is not touched.
        flat = base.reshape(-1)
        try:
            chosen = flat[key]
        except IndexError:
            key = _judged(key, base.size)
            chosen = flat[key]
        single = _is_scalar(key)
        values = None
        if value is not None and not single:
            values = asarray(snapshot(cast_by_numpy(value, base.dtype)), dtype=base.dtype)
            values = values.reshape(-1)
        if values is not None and not values.size:
            return  # nothing to repeat
        if values is not None and values.size != 1:
            # Values are repeated, or cut, to what is chosen.
            values = resize(values, chosen.shape)
        if single and value is not None:
            _set_single(flat, key, value)
        else:
            flat[key] = value if values is None else values if values.size != 1 else values[0]
        settle(flat)
        if flat._alias is None:
            base._become(flat.reshape(base.shape)._node)

    def copy(self) -> LazyArray:
        """Return the elements as a new array of one axis."""
        return self.base.reshape(-1).copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.base.reshape(-1).__array__(dtype, copy)
