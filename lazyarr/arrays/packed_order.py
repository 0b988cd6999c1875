"""Orders and distinct elements of vectors of numbers, as NumPy returns them.

NumPy's ``argsort`` reads each element at its position whenever it compares. Here an element and its
position are one unsigned number, and these are sorted by NumPy's ``sort``, which has vectors. The
distinct elements of integers in a narrow range are found in a table. Whatever has no such form is
NumPy's: NaN, elements of other types, orders of equal elements that depend on NumPy's algorithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.core.dtypes import kind_of

__all__ = [
    "argsort",
    "intersect1d",
    "isin",
    "lexsort",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
]

Array = np.ndarray[Any, Any]

_LEAST = tuning.row().ordered_elements
_LEAST_DISTINCT = tuning.row().distinct_elements
_COMPARED = tuning.row().compared_elements
_TABLED = tuning.row().tabled_range
#: NumPy, whose functions take any arguments here, as theirs do.
_NUMPY: Any = np
_SAMPLES = tuning.row().order_samples
_BITS = 64


def argsort(
    a: Array,
    axis: Any = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
) -> Array:
    """Return the positions that sort an array, as of ``numpy.ndarray.argsort``.

    Parameters
    ----------
    a : numpy.ndarray
        Any array.
    axis, kind, order, stable : object
        As NumPy takes them.

    Returns
    -------
    numpy.ndarray
        int64, of the shape of `a`.
    """
    if a.size >= _LEAST and a.ndim == 1 and order is None and axis in (-1, 0):
        is_stable = bool(stable) or kind in ("stable", "mergesort")
        places = None
        if is_stable and not (kind is not None and stable is not None):
            places = None if _has_long_runs(a) else _stable_order(a)
        elif kind in (None, "quicksort") and not stable:
            places = _order_of_distinct(a)
        if places is not None:
            return places
    return a.argsort(axis, kind, order, stable=stable)


def lexsort(keys: Any, axis: Any = -1) -> Array:
    """Return the positions that sort several keys, the last one first, as of ``numpy.lexsort``.

    Parameters
    ----------
    keys : sequence of numpy.ndarray
        Keys of one shape.
    axis : int
        As NumPy takes it.

    Returns
    -------
    numpy.ndarray
        int64, of the shape of a key.
    """
    places = None
    if _are_long_vectors(keys) and axis in (-1, 0):
        for key in keys:
            ordered = key if places is None else key[places]
            step = _stable_order(ordered)
            if step is None:
                places = None
                break
            places = step if places is None else places[step]
    return _NUMPY.lexsort(keys, axis) if places is None else places


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return distinct elements in order, as of ``numpy.unique``.

    Parameters
    ----------
    ar : array_like
        Any array.
    return_index, return_inverse, return_counts, axis, equal_nan, sorted
        As NumPy takes them.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The distinct elements, and the other results in the order of the arguments.
    """
    results = None
    asked = bool(return_index), bool(return_inverse), bool(return_counts)
    if isinstance(ar, np.ndarray) and ar.size >= _LEAST and axis is None and sorted is True:
        flat = ar.ravel()
        if kind_of(ar.dtype) in "iu":
            results = _distinct_integers(flat, *asked)
        elif ar.dtype == np.float64 and any(asked[:2]):
            results = _distinct_numbers(flat, *asked)
    if results is None:
        return _NUMPY.unique(
            ar,
            return_index,
            return_inverse,
            return_counts,
            axis,
            equal_nan=equal_nan,
            **({} if sorted is True else {"sorted": sorted}),  # since NumPy 2.3
        )
    if return_inverse:
        at = 1 + asked[0]
        results[at] = results[at].reshape(ar.shape)
    return tuple(results) if len(results) > 1 else results[0]


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the distinct elements of two arrays, as of ``numpy.union1d``.

    Parameters
    ----------
    ar1, ar2 : array_like
        Any arrays.

    Returns
    -------
    numpy.ndarray
        In ascending order.
    """
    if not _are_long(ar1, ar2):
        return _NUMPY.union1d(ar1, ar2)
    return unique(np.concatenate((ar1, ar2), axis=None))


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """Return the elements that are in both arrays, as of ``numpy.intersect1d``.

    Parameters
    ----------
    ar1, ar2 : array_like
        Any arrays.
    assume_unique, return_indices : bool
        As NumPy takes them.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        The elements in ascending order; with `return_indices` their positions, too.
    """
    if assume_unique or return_indices or not _are_long(ar1, ar2):
        return _NUMPY.intersect1d(ar1, ar2, assume_unique, return_indices)
    return _NUMPY.intersect1d(unique(ar1), unique(ar2), assume_unique=True)


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the elements of the first array alone, as of ``numpy.setdiff1d``.

    Parameters
    ----------
    ar1, ar2 : array_like
        Any arrays.
    assume_unique : bool
        As NumPy takes it.

    Returns
    -------
    numpy.ndarray
        In ascending order.
    """
    if assume_unique or not _are_long(ar1, ar2):
        return _NUMPY.setdiff1d(ar1, ar2, assume_unique)
    return _NUMPY.setdiff1d(unique(ar1), unique(ar2), assume_unique=True)


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the elements of exactly one array, as of ``numpy.setxor1d``.

    Parameters
    ----------
    ar1, ar2 : array_like
        Any arrays.
    assume_unique : bool
        As NumPy takes it.

    Returns
    -------
    numpy.ndarray
        In ascending order.
    """
    if assume_unique or not _are_long(ar1, ar2):
        return _NUMPY.setxor1d(ar1, ar2, assume_unique)
    return _NUMPY.setxor1d(unique(ar1), unique(ar2), assume_unique=True)


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> Any:
    """Return whether each element is among others, as of ``numpy.isin``.

    Parameters
    ----------
    element, test_elements : array_like
        Any arrays.
    assume_unique, invert, kind : object
        As NumPy takes them.

    Returns
    -------
    numpy.ndarray
        Truth values, of the shape of `element`.
    """
    others = np.asarray(test_elements).ravel()
    if (
        kind is None
        and isinstance(element, np.ndarray)
        and element.size >= _LEAST
        and 0 < others.size <= _COMPARED
        and kind_of(element.dtype) in "iu"
        and kind_of(others.dtype) in "iu"
    ):
        result = element == others[0]
        for other in others[1:]:
            result |= element == other
        return ~result if invert else result
    return _NUMPY.isin(element, test_elements, assume_unique, invert, kind=kind)


def _are_long(ar1: Any, ar2: Any) -> bool:
    arrays = type(ar1) is np.ndarray and type(ar2) is np.ndarray
    return arrays and max(ar1.size, ar2.size) >= _LEAST


def _are_long_vectors(keys: Any) -> bool:
    return (
        type(keys) in (tuple, list)
        and len(keys) > 0
        and all(type(key) is np.ndarray and key.ndim == 1 for key in keys)
        and len({key.size for key in keys}) == 1
        and keys[0].size >= _LEAST
    )


def _has_long_runs(a: Array) -> bool:
    """Return whether neighbours in a sample nearly all rise, or fall: NumPy's sort merges runs."""
    step = max(1, (a.size - 1) // _SAMPLES)
    rises = np.count_nonzero(a[:-1:step] <= a[1::step])
    samples = -(-(a.size - 1) // step)
    return not samples // 8 < rises < samples - samples // 8


def _keys(a: Array) -> tuple[Array, int] | None:
    """Return unsigned 64-bit numbers in the order of elements, and bits that hold all of them.

    None without such numbers, or if there are NaN. Zeros of both signs are one number.
    """
    kind = kind_of(a.dtype)
    if kind in "iu":
        least, most = int(a.min()), int(a.max())
        wide = a.astype(np.uint64) if kind == "u" else a.astype(np.int64).view(np.uint64)
        keys = wide - np.uint64(least % (1 << _BITS))
        return keys, (most - least).bit_length()
    if a.dtype != np.float64 or np.isnan(a.max()):
        return None
    words = (a + 0.0).view(np.int64)
    negative = words >> (_BITS - 1)
    np.bitwise_and(negative, np.iinfo(np.int64).max, out=negative)
    ordered = np.bitwise_xor(words, negative, out=words)
    least, most = int(ordered.min()), int(ordered.max())
    keys = ordered.view(np.uint64)
    keys -= np.uint64(least % (1 << _BITS))
    return keys, (most - least).bit_length()


def _stable_order(a: Array) -> Array | None:
    """Return the positions that sort a vector, equal elements in their order; None without keys."""
    pair = _keys(a)
    if pair is None:
        return None
    keys, bits = pair
    place_bits = (a.size - 1).bit_length()
    dropped = max(0, bits + place_bits - _BITS)
    if dropped and kind_of(a.dtype) in "iu" and place_bits + bits - dropped <= dropped:
        return None
    if dropped:
        keys >>= np.uint64(dropped)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(a.size, dtype=np.uint64)
    keys.sort()
    places = (keys & np.uint64((1 << place_bits) - 1)).view(np.int64)
    return _with_ties_in_order(a, keys >> np.uint64(place_bits), places) if dropped else places


def _with_ties_in_order(a: Array, leading: Array, places: Array) -> Array | None:
    """Return positions with those whose leading bits are equal in the order of their elements.

    None if they are many.
    """
    ties = leading[1:] == leading[:-1]
    among = np.zeros(a.size, np.bool_)
    among[1:] = ties
    among[:-1] |= ties
    members = np.flatnonzero(among)
    if members.size > a.size // 8:
        return None
    chosen = places[members]
    places[members] = chosen[_NUMPY.lexsort((a[chosen], leading[members]))]
    return places


def _order_of_distinct(a: Array) -> Array | None:
    """Return the positions that sort float64 of which no two are equal; None of others.

    The order of equal elements is that of NumPy's algorithm.
    """
    if a.dtype != np.float64 or a.size < _LEAST_DISTINCT:
        return None
    sample = np.sort(a[:: max(1, a.size // _SAMPLES)])
    if not (sample[1:] > sample[:-1]).all():
        return None
    places = _stable_order(a)
    if places is None:
        return None
    ordered = a[places]
    return places if (ordered[1:] > ordered[:-1]).all() else None


def _distinct_integers(a: Array, index: bool, inverse: bool, counts: bool) -> list[Array] | None:
    """Return the results of ``unique`` for a vector of integers; None if NumPy is as quick."""
    least, most = int(a.min()), int(a.max())
    if most - least >= a.size * _TABLED:
        if index or inverse:
            return _distinct_numbers(a, index, inverse, counts)
        return None if counts else [_without_repetitions(np.sort(a))]
    wide = a.astype(np.int64) if kind_of(a.dtype) == "i" else a
    places = (wide - wide.dtype.type(least)).astype(np.int64, copy=False)
    length = most - least + 1
    numbers: Array | None = np.bincount(places, minlength=length) if counts else None
    if numbers is None:
        present = np.zeros(length, np.bool_)
        present[places] = True
    else:
        present = numbers != 0
    offsets = np.flatnonzero(present)
    results = [(offsets.astype(wide.dtype) + wide.dtype.type(least)).astype(a.dtype, copy=False)]
    if index:
        first = np.empty(length, np.int64)
        first[places[::-1]] = np.arange(a.size - 1, -1, -1)
        results.append(first[offsets])
    if inverse:
        ranks = np.empty(length, np.int64)
        ranks[offsets] = np.arange(offsets.size)
        results.append(ranks[places])
    if numbers is not None:
        results.append(numbers[offsets])
    return results


def _distinct_numbers(a: Array, index: bool, inverse: bool, counts: bool) -> list[Array] | None:
    """Return the results of ``unique`` from a stable order; None without one.

    Zeros of different signs are equal, and NumPy's algorithm chooses one of them.
    """
    if kind_of(a.dtype) == "f" and (np.signbit(a) & (a == 0)).any():
        return None
    places = _stable_order(a)
    if places is None:
        return None
    ordered = a[places]
    starts = _starts(ordered)
    results = [ordered[starts]]
    if index:
        results.append(places[starts])
    if inverse:
        ranks = np.empty(a.size, np.int64)
        ranks[places] = np.cumsum(starts) - 1
        results.append(ranks)
    if counts:
        results.append(np.diff(np.append(np.flatnonzero(starts), a.size)))
    return results


def _without_repetitions(ordered: Array) -> Array:
    result: Array = ordered[_starts(ordered)]
    return result


def _starts(ordered: Array) -> Array:
    """Return the mask of the elements that differ from the one before."""
    starts = np.empty(ordered.size, np.bool_)
    starts[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    return starts
