"""Random orders and choices."""

from __future__ import annotations

from collections.abc import MutableSequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.arrays.native import new_array
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT64, INT64
from lazyarr.core.axis_numbers import normalize_axis, strict_axis
from lazyarr.core.dtypes import is_supported
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, AxisError, DTypeError, ShapeError
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.scans import cumsum
from lazyarr.numpy_api.sorting import argsort, searchsorted, sort, take_along_axis
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.random import BITS, UNIFORM
from lazyarr.random.arguments import UINT64, count_of, modular, probabilities, shape_of
from lazyarr.random.distributions import Distributions
from lazyarr.random.early_draws import drawn_early, most_early
from lazyarr.tracing import recorded

__all__ = ["Orders"]


def _axis_of(axis: int, ndim: int) -> int:
    if not ndim:
        text = f"axis {axis} is out of bounds for array of dimension 0"
        raise AxisError(text, origin=origin(), axis=axis, ndim=0)
    with build.located():
        return normalize_axis(axis, ndim)


def _slices(x: Any) -> Any:
    """Return an array of what is chosen from or reordered.

    It is an ndarray if its elements are texts, objects or of another dtype of NumPy's.
    """
    try:
        return as_lazy(x)
    except DTypeError:
        array = np.asarray(x)
        if is_supported(array.dtype):  # of a subclass that means something else
            raise
        return array


def _taken(x: Any, index: LazyArray, axis: int, shape: Shape | None = None) -> Any:
    """Return slices of an array.

    Parameters
    ----------
    x : LazyArray or ndarray
        Of the latter the slices are taken now.
    index : LazyArray
        Their places, of one axis.
    axis : int
        Along which the slices lie.
    shape : tuple of int, optional
        In the place of that axis; default: that of `index`.
    """
    shape = index.shape if shape is None else shape
    result = x.shape[:axis] + shape + x.shape[axis + 1 :]
    few = max(x.size, prod(result)) <= most_early()
    memory = memory_of(x) if few and type(x) is LazyArray else None
    places = memory_of(index) if few else None
    if memory is not None and places is not None:
        return new_array(LazyArray, memory.take(places, axis).reshape(result)[()], None, 0)
    if isinstance(x, np.ndarray):
        return x.take(index.compute(), axis).reshape(result)[()]
    return x[(*(slice(None),) * axis, index)].reshape(result)


class Orders(Distributions):
    """The functions of a generator that reorder and choose."""

    def _order(self, shape: Shape, axis: int = 0) -> LazyArray:
        """Return the positions along an axis in random order.

        Random words are sorted that hold their position in the lowest bits. So no two are equal,
        which gives every sort the same result, and they need not be moved with their positions.
        """
        count = shape[axis]
        lowest = (1 << max(count - 1, 0).bit_length()) - 1
        position = arange(count).astype(UINT64).reshape((count,) + (1,) * (len(shape) - axis - 1))
        words = self._draw(BITS, UINT64, shape) & modular(~lowest) | position
        order: LazyArray = (sort(words, axis) & modular(lowest)).astype(INT64)
        return order

    @drawn_early
    def permutation(self, x: Any, axis: int = 0) -> LazyArray:
        """Return the slices of `x` in random order.

        Parameters
        ----------
        x : int or array_like
            An integer stands for ``arange(x)``.
        axis : int
            Along which the slices lie.

        Returns
        -------
        LazyArray
            In the order that sorts random words, of 64 bits less those that count the slices. Of
            texts and objects it is an ndarray.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> np.sort(la.random.default_rng(0).permutation(5).compute()).tolist()
        [0, 1, 2, 3, 4]
        """
        if isinstance(x, (int, np.integer)):
            return self._order((count_of(x),))
        reordered: LazyArray = self._reordered(_slices(x), axis)
        return reordered

    def _reordered(self, x: Any, axis: int) -> Any:
        at = _axis_of(axis, x.ndim)
        return _taken(x, self._order((x.shape[at],)), at)

    @recorded
    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return `x` with each slice along an axis put into a random order of its own.

        Parameters
        ----------
        x : array_like
            Input.
        axis : int, optional
            Along which elements move; default: anywhere.
        out : ndarray or LazyArray, optional
            Takes the result.
        """
        array = as_lazy(x)
        values = array.reshape(-1) if axis is None else array
        if axis is None and not array.ndim:
            raise ArgumentError("len() of unsized object", origin=origin())
        with build.located():
            at = normalize_axis(0 if axis is None else axis, values.ndim)
        if isinstance(out, (LazyArray, np.ndarray)) and out.shape != array.shape:
            raise ShapeError("out must have the same shape as x", origin=origin())
        order = self._order(values.shape, at)
        return store_into(take_along_axis(values, order, at).reshape(array.shape), out)

    @drawn_early
    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of `x` into random order.

        An ndarray or a list is changed in place, at once; a LazyArray comes to stand for the
        new order, as with ``x[...] = value``.

        Parameters
        ----------
        x : ndarray, LazyArray, list or memoryview
            What to shuffle.
        axis : int
            Along which the slices lie.
        """
        if isinstance(x, memoryview):
            x = np.asarray(x)
        if isinstance(x, LazyArray):
            x[...] = self._reordered(x, axis)
        elif isinstance(x, np.ndarray):
            if not x.flags.writeable:
                raise ArgumentError("the array to shuffle is read-only", origin=origin())
            # NumPy moves the elements: of masked arrays, and of dtypes that lazyarr has not, too.
            at = _axis_of(axis, x.ndim)
            x[...] = np.take(x, self._order((x.shape[at],)).compute(), axis=at)
        elif isinstance(x, MutableSequence):
            if axis != 0:
                raise ArgumentError("a list has only axis 0", origin=origin())
            x[:] = [x[k] for k in self._order((len(x),)).tolist()]
        else:
            raise ArgumentError(
                f"shuffle takes an array or a list, got {type(x).__name__}",
                origin=origin(),
                hint="permutation returns a new array",
            )

    @drawn_early
    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> LazyArray:
        """Return slices of `a` chosen at random.

        Parameters
        ----------
        a : int or array_like
            An integer stands for ``arange(a)``.
        size : int or tuple of int, optional
            How many; its axes stand where `axis` was.
        replace : bool
            Whether a slice may be chosen again.
        p : array_like, optional
            The probability of each slice; default: equal ones.
        axis : int
            Along which the slices lie.
        shuffle : bool
            Accepted for NumPy's sake; without replacement the order is always random.

        Returns
        -------
        LazyArray
            Without replacement and with `p`, the slices whose exponential waiting times of rates
            `p` are the shortest, which is choosing them one after another. Of texts and objects
            an ndarray, or one of them.

        Raises
        ------
        ArgumentError
            If there are not enough slices, or `p` are no probabilities; of a LazyArray the
            latter is not checked.

        Examples
        --------
        >>> import lazyarr as la
        >>> rng = la.random.default_rng(5)
        >>> rng.choice(3, size=4, p=[0, 1, 0]).compute()
        array([1, 1, 1, 1])
        """
        values = arange(count_of(a)) if isinstance(a, (int, np.integer)) else _slices(a)
        if not values.ndim:
            raise ArgumentError(
                f"a must be a sequence or an integer, not {type(a)}", origin=origin()
            )
        with build.located():  # of a number NumPy reads no axis
            at = 0 if isinstance(a, (int, np.integer)) else strict_axis(axis, values.ndim)
        count = values.shape[at]
        shape = shape_of(size)
        number = prod(shape)
        weights = None if p is None else probabilities(p, count)
        if not count and number:
            counted = isinstance(a, (int, np.integer))
            must = "must be a positive integer" if counted else "cannot be empty"
            raise ArgumentError(f"a {must} unless no samples are taken", origin=origin())
        if replace and weights is None:
            index = self.integers(0, max(count, 1), number)
        elif replace:
            index = self._weighted(weights, number)
        else:
            index = self._without_replacement(count, number, weights)
        if isinstance(a, (int, np.integer)):
            return index.reshape(shape)
        chosen: LazyArray = _taken(values, index, at, shape)
        return chosen

    def _weighted(self, weights: Any, number: int) -> LazyArray:
        """Return places chosen with these probabilities."""
        drawn = self._draw(UNIFORM[FLOAT64], FLOAT64, (number,))
        words = memory_of(drawn) if weights.size <= most_early() else None
        chances = memory_of(weights) if type(weights) is LazyArray else weights
        if words is None or chances is None:
            levels = cumsum(weights)
            chosen: LazyArray = searchsorted(levels / levels[-1], drawn, side="right")
            return chosen
        levels = np.cumsum(chances)
        places = (levels / levels[-1]).searchsorted(words, side="right")
        return new_array(LazyArray, places, None, 0)

    def _without_replacement(self, count: int, number: int, weights: Any) -> LazyArray:
        possible = count
        if isinstance(weights, np.ndarray):
            possible = int(np.count_nonzero(weights))
        if number > possible:
            text = "Cannot take a larger sample than population when replace is False"
            if possible < number <= count:
                text = "Fewer non-zero entries in p than size"
            raise ArgumentError(f"{text}: {number} of {possible}", origin=origin())
        if weights is None:
            order = self._order((count,))
        else:
            # Of probability 0: infinite, and last, which is nothing to warn of.
            rates = as_lazy(weights)
            with np.errstate(divide="ignore"):
                waits = self.standard_exponential(count) / rates
            waits = wrap(build.silent(waits._node, (rates._node,)))
            order = argsort(waits, stable=True)
        chosen: LazyArray = order[:number]
        return chosen
