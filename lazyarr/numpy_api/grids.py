"""``mgrid``, ``ogrid``, ``r_`` and ``c_``: arrays written as indices; ``bmat``, as texts."""

from __future__ import annotations

import math
import operator
import sys
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.immediate import CREATED, limit
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray, wrap
from lazyarr.arrays.native import CODES, NUMBERS, new_array
from lazyarr.arrays.needed_values import value_in_memory
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError, UnsupportedDTypeError
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.joining import concatenate, stack
from lazyarr.numpy_api.movement import swapaxes, transpose
from lazyarr.numpy_api.ranges import linspace
from lazyarr.tracing import REFUSING, answered, running

__all__ = ["bmat", "c_", "mgrid", "ogrid", "r_"]


class _Grid:
    """Coordinates of a grid, one slice an axis; a complex step is a number of points."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __repr__(self) -> str:
        return "lazyarr.ogrid" if self._sparse else "lazyarr.mgrid"

    def __getitem__(self, key: Any) -> Any:
        if not running and _is_of_few(key):
            if not self._sparse:
                return new_array(LazyArray, np.mgrid[key], None, 0)
            return tuple([new_array(LazyArray, part.copy(), None, 0) for part in np.ogrid[key]])
        try:
            open_grid = np.ogrid[key]
        except TypeError as error:
            raise ArgumentError(
                f"a grid needs slices with numbers: {error}", origin=origin()
            ) from None
        if isinstance(open_grid, (LazyArray, np.ndarray)):  # of one slice of arrays
            return as_lazy(open_grid)
        if self._sparse:
            return tuple(map(as_lazy, open_grid))
        shape = np.broadcast_shapes(*(part.shape for part in open_grid))
        if not open_grid or len(open_grid) * prod(shape) <= limit() * CREATED:
            return asarray(np.mgrid[key])
        parts = map(as_lazy, open_grid)
        return stack([wrap(build.broadcast_to(part._node, shape)) for part in parts])


def _is_of_few(key: Any) -> bool:
    """Return whether slices of plain numbers name a grid of few elements, and at least one."""
    size = len(key) if type(key) is tuple else 0
    for item in key if size else ():
        size *= _points(item) if type(item) is slice else 0
    return 0 < size <= limit() * CREATED


def _points(item: slice) -> int:
    """Return the number of points of a slice of plain numbers; 0 for other slices."""
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if type(start) not in (int, float) or type(item.stop) not in (int, float) or not step:
        return 0
    if type(step) is complex:
        return int(abs(step)) if math.isfinite(abs(step)) else 0
    length = (item.stop - start) / step if type(step) in (int, float) else 0
    return math.ceil(length) if 0 < length < math.inf else 0


def bmat(obj: Any, ldict: Any = None, gdict: Any = None) -> Any:
    """Return a matrix of NumPy's that is built of blocks.

    Parameters
    ----------
    obj : str, array_like or (nested) sequence of array_like
        The blocks by rows, or their names, such as "A, B; C, D".
    ldict, gdict : dict, optional
        What the names mean; without them, what they mean to the caller.

    Examples
    --------
    >>> import warnings
    >>> import lazyarr as la
    >>> with warnings.catch_warnings(action="ignore"):  # NumPy's, of matrices
    ...     la.bmat([la.zeros(2), la.ones(1)])
    matrix([[0., 0., 1.]])
    """
    if isinstance(obj, str) and gdict is None:
        frame = sys._getframe(1)
        ldict, gdict = frame.f_locals, frame.f_globals
    return np.bmat(_values(obj), ldict, gdict)


def _values(blocks: Any) -> Any:
    """Return blocks, or sequences of them, with NumPy's arrays in the place of LazyArrays."""
    if isinstance(blocks, (list, tuple)):
        return [_values(block) for block in blocks]
    return np.asarray(blocks) if isinstance(blocks, LazyArray) else blocks


class _Joined:
    """Arrays, numbers and slices joined along an axis."""

    def __init__(self, name: str, axis: int, ndmin: int, first: int) -> None:
        self._name = name
        self._defaults = axis, ndmin, first

    def __repr__(self) -> str:
        return f"lazyarr.{self._name}"

    def __len__(self) -> int:
        return 0

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):  # a matrix of names, such as "a, b; c, d"
            frame = sys._getframe(1)
            return np.bmat(key, frame.f_globals, frame.f_locals)
        try:
            return self._joined(key)
        except UnsupportedDTypeError as error:
            joined: LazyArray = answered(error, getattr(np, self._name).__getitem__, (key,), {})
            return joined

    def _joined(self, key: Any) -> LazyArray:
        known = None if running else _in_memory(key)
        if known is not None:
            joined = _of_vectors(known) if self._name == "r_" else None
            if joined is None:
                joined = getattr(np, self._name)[known]
            if joined.size <= limit() * CREATED and joined.dtype.char in CODES:
                return new_array(LazyArray, joined, None, 0)
        axis, ndmin, first = self._defaults
        items = list(key) if isinstance(key, tuple) else [key]
        if items and isinstance(items[0], str):
            axis, ndmin, first = _directive(items.pop(0), (axis, ndmin, first))
        parts: list[Any] = []
        operands: list[Any] = []
        for item in items:
            if isinstance(item, slice):
                array = _range(item)
                part = _with_axes(array, ndmin)
                parts.append(swapaxes(part, -1, first) if ndmin > 1 and first != -1 else part)
                operands.append(array._node)
            elif isinstance(item, str):
                raise ArgumentError("special directives must be the first entry.", origin=origin())
            elif isinstance(item, (bool, int, float, complex, np.generic)):
                parts.append(item)
                weak = isinstance(item, (bool, int, float, complex)) and not isinstance(
                    item, np.generic
                )
                operands.append(item if weak else as_lazy(item)._node)
            else:
                array = as_lazy(item)
                parts.append(_placed(array, ndmin, first))
                operands.append(array._node)
        if not operands:
            raise ShapeError("need at least one array to concatenate", origin=origin())
        dtype = build.promote(*operands)
        ready = [
            part
            if isinstance(part, LazyArray)
            else _with_axes(as_lazy(part, None if isinstance(part, np.generic) else dtype), ndmin)
            for part in parts
        ]
        return as_lazy(concatenate([part.astype(dtype) for part in ready], axis=axis))


def _in_memory(key: Any) -> Any:
    """Return an index of numbers, short slices and small arrays for NumPy; None of others."""
    items = key if type(key) is tuple else (key,)
    plain: list[Any] = []
    most = limit() * CREATED
    for item in items:
        kind = type(item)
        if kind is LazyArray and 0 < item.size <= most:
            memory = item._array if item._alias is None else None
            if memory is None:
                memory = value_in_memory(item, "an index")
            if memory is None:
                return None
            plain.append(memory if memory.shape else memory[()])
        elif kind is np.ndarray and 0 < item.size <= most:
            plain.append(item)
        elif kind in NUMBERS or isinstance(item, np.generic) or _is_short(item):
            plain.append(item)
        else:
            return None
    return tuple(plain) if plain else None


def _of_vectors(items: tuple[Any, ...]) -> Any:
    """Return vectors of one dtype and numbers of its type joined; None: NumPy looks at the rest.

    NumPy's index finds a common dtype, which takes four times as long as to join a few numbers.
    """
    dtypes = {item.dtype for item in items if type(item) is np.ndarray and item.ndim == 1}
    number = _NUMBERS_OF.get(next(iter(dtypes)).char) if len(dtypes) == 1 else None
    if number is None:
        return None
    (dtype,) = dtypes
    parts: list[Any] = []
    for item in items:
        if type(item) is number:
            try:
                parts.append(np.array([item], dtype))
            except OverflowError:
                return None
        elif type(item) is np.ndarray and item.ndim == 1:
            parts.append(item)
        else:
            return None
    return np.concatenate(parts)


#: Types of Python's numbers that are elements of a dtype, by its letter.
_NUMBERS_OF: dict[str, type] = {"d": float, "l": int, "?": bool}


def _is_short(item: Any) -> bool:
    """Return whether a slice names few numbers."""
    if type(item) is not slice:
        return False
    ends = (0 if item.start is None else item.start, item.stop)
    if any(type(end) not in (int, float) for end in ends):
        return False
    if type(item.step) is complex:
        return abs(item.step) <= limit()
    step = 1 if item.step is None else item.step
    return (
        type(step) in (int, float) and step != 0 and abs(ends[1] - ends[0]) <= limit() * abs(step)
    )


def _range(item: slice) -> LazyArray:
    start = 0 if item.start is None else item.start
    step = 1 if item.step is None else item.step
    if item.stop is None:
        raise ArgumentError("the slice of a grid needs a stop", origin=origin())
    if isinstance(step, complex):
        return as_lazy(linspace(start, item.stop, num=int(abs(step))))
    return arange(start, item.stop, step)


def _with_axes(x: LazyArray, ndmin: int) -> LazyArray:
    missing = ndmin - x.ndim
    return x if missing <= 0 else x.reshape((1,) * missing + x.shape)


def _placed(x: LazyArray, ndmin: int, first: int) -> LazyArray:
    """Return an array of at least `ndmin` axes, its own beginning at position `first`."""
    missing = ndmin - x.ndim
    part = _with_axes(x, ndmin)
    if first == -1 or missing <= 0:
        return part
    at = first + missing + 1 if first < 0 else first
    axes = list(range(ndmin))
    return transpose(part, axes[:at] + axes[missing:] + axes[at:missing])


def _directive(text: str, defaults: tuple[int, int, int]) -> tuple[int, int, int]:
    if text in ("r", "c"):
        raise UnsupportedDTypeError(  # for which NumPy is asked
            f"{text!r} requests a matrix, which lazyarr does not support",
            origin=origin(),
            hint="use 2-d arrays",
        )
    try:
        numbers = [operator.index(int(part)) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(f"unknown special directive {text!r}", origin=origin()) from None
    if len(numbers) > 3:
        raise ArgumentError(f"unknown special directive {text!r}", origin=origin())
    axis, ndmin, first = (*numbers, *defaults[len(numbers) :])
    return axis, ndmin, first


REFUSING.add(_Joined.__getitem__.__code__)
mgrid = _Grid(sparse=False)
ogrid = _Grid(sparse=True)
r_ = _Joined("r_", 0, 1, -1)
c_ = _Joined("c_", -1, 2, 0)
