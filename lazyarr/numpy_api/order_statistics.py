"""Medians and quantiles by NumPy's functions, which find each element in its place by itself.

NumPy's loops for one place in a partition are vectors; those for several, which its medians and
quantiles ask for, take up to twenty times as long. Here each place is found by a partition of what
lies between two others.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import Origin, called_at
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = ["FASTER"]

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


class _Parted(np.ndarray[Any, Any]):
    """An array whose partitions find one place at a time."""

    def partition(
        self, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None
    ) -> None:
        """Put the elements at some positions where they would lie if all were in order.

        Parameters
        ----------
        kth : array_like of int
            The positions.
        axis : int
            Along which elements are ordered.
        kind, order : object
            Accepted for NumPy's sake.
        """
        rows = np.moveaxis(self.view(np.ndarray), axis, -1)
        length = rows.shape[-1]
        places = sorted({int(place) % length for place in np.ravel(kth)})
        lie_in_order = length == 1 or rows.strides[-1] == rows.itemsize
        worked = rows if lie_in_order else np.ascontiguousarray(rows)
        _place(worked, places, 0, length)
        if worked is not rows:
            rows[...] = worked


def _place(rows: Array, places: Sequence[int], start: int, stop: int) -> None:
    """Find places from a start to before a stop, outside of which there is nothing to order."""
    if not places or stop - start < 2:
        return
    if stop - start <= tuning.row().sorted_parts:
        rows[..., start:stop].sort(axis=-1)
        return
    middle = len(places) // 2
    place = places[middle]
    rows[..., start:stop].partition(place - start, axis=-1)
    _place(rows, places[:middle], start, place)
    _place(rows, places[middle + 1 :], place + 1, stop)


def _of_rows(a: Array, *, axis: Any = None, keepdims: Any = False) -> Array | None:
    """Return the medians along one axis in C; None where NumPy has to compute them.

    Parameters
    ----------
    a : numpy.ndarray
        Any array.
    axis, keepdims : object
        As NumPy takes them.
    """
    if COMPILED is None or type(axis) is not int or not -a.ndim <= axis < a.ndim:
        return None
    at = axis % a.ndim
    rows = a if at == a.ndim - 1 else np.moveaxis(a, at, -1)
    medians: Array | None = COMPILED.row_medians(rows)
    if medians is None or not keepdims:
        return medians
    return medians.reshape(*a.shape[:at], 1, *a.shape[at + 1 :])


def _medians(function: Function) -> Function:
    """Return a function of the same results as NumPy's median, for which rows need no Python."""

    @functools.wraps(np.median)  # which it stands for, as `function` does
    def call(a: Any, *args: Any, **keywords: Any) -> Any:
        array = np.asarray(a)
        if not args and keywords.keys() <= _OF_ROWS:
            medians = _of_rows(array, **keywords)
            if medians is not None:
                return medians
        return called_at(_line_of_caller(), function, (array, *args), keywords)

    return call


def _in_parts(function: Function) -> Function:
    """Return a function of NumPy's that orders its first argument, one place at a time."""

    @functools.wraps(function)
    def call(a: Any, *args: Any, **keywords: Any) -> Any:
        array, line = np.asarray(a), _line_of_caller()
        if array.size < tuning.row().parted_elements:
            return called_at(line, function, (array, *args), keywords)
        parted = array.view(_Parted)
        result = np.asarray(called_at(line, function, (parted, *args), keywords))
        # Of zeros of either sign, the one that lies at a place is NumPy's choice.
        is_sure = kind_of(array.dtype) in "biu" or bool(result.all()) or not _has_signed_zero(array)
        return result if is_sure else called_at(line, function, (array, *args), keywords)

    return call


def _line_of_caller() -> Origin:
    """Return the line that called the caller of this function: NumPy's warnings name it."""
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def _has_signed_zero(array: Array) -> bool:
    """Whether an element may be zero with a sign; complex numbers are not looked at."""
    if kind_of(array.dtype) != "f":
        return True
    return bool((np.signbit(array) & (array == 0)).any())


def _without_nan(function: Function, plain: Function) -> Function:
    """Return a function that leaves out NaN; of rows without one it is a plain function."""

    @functools.wraps(function)
    def call(a: Any, *args: Any, axis: Any = None, keepdims: Any = False, **keywords: Any) -> Any:
        array, line = np.asarray(a), _line_of_caller()
        named = {"axis": axis, "keepdims": keepdims, **keywords}
        has_nan = array.size and np.isnan(array).any()
        is_one_axis = isinstance(axis, int) and array.ndim > 1
        shares: Any = args[0] if args else keywords.get("q")
        # Without NaN, the axes of a table of shares lie elsewhere in the results.
        is_plain = array.size and np.ndim(shares) < 2 and keywords.get("weights") is None
        if not is_plain or (has_nan and not is_one_axis):
            return called_at(line, function, (array, *args), named)
        along = {"axis": -1, **keywords}
        try:
            with np.errstate(all="raise"):
                if not has_nan:
                    return called_at(line, plain, (array, *args), named)
                rows = np.moveaxis(array, axis, -1)
                have_nan = np.isnan(rows).any(axis=-1)
                others = called_at(line, plain, (rows[~have_nan], *args), along)
        except FloatingPointError:  # NumPy's function warns in its own words
            return called_at(line, function, (array, *args), named)
        some = called_at(line, function, (rows[have_nan], *args), along)
        leading = np.shape(some)[:-1]
        result = np.empty((*leading, *have_nan.shape), np.asarray(some).dtype)
        result[..., have_nan], result[..., ~have_nan] = some, others
        if not keepdims:
            return result
        return np.expand_dims(result, axis if axis < 0 else len(leading) + axis)

    return call


#: Keywords that do not change which elements are in the middle.
_OF_ROWS = frozenset(("axis", "keepdims"))
_MEDIAN, _QUANTILE = _medians(_in_parts(np.median)), _in_parts(np.quantile)
_PERCENTILE = _in_parts(np.percentile)

FASTER: dict[Function, Function] = {
    np.median: _MEDIAN,
    np.quantile: _QUANTILE,
    np.percentile: _PERCENTILE,
    np.nanmedian: _without_nan(np.nanmedian, _MEDIAN),
    np.nanquantile: _without_nan(np.nanquantile, _QUANTILE),
    np.nanpercentile: _without_nan(np.nanpercentile, _PERCENTILE),
}
"""For functions of NumPy's, functions with the same results."""
