"""Random numbers that are computed where they are used: numpy.random's Generator, lazily.

A draw is a node of the expression like any other. It holds a key and a number, and each of its
elements is a function of these and of its position (Philox4x32-10, :mod:`lazyarr.ops.random`). So
a kernel makes random numbers in registers where it needs them, evaluating a draw twice gives the
same numbers, and uniform numbers and integers have the same bits on every device.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import MutableSequence
from math import prod
from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.array import LazyArray, apply, asarray, wrap
from lazyarr.build import FLOAT64, INT64
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.functions.calling import deliver
from lazyarr.functions.creation import arange, as_shape
from lazyarr.functions.elementwise import FUNCTIONS
from lazyarr.functions.ordering import argsort, searchsorted, sort, take_along_axis
from lazyarr.functions.scans import cumsum
from lazyarr.functions.selection import where
from lazyarr.ir import Op, node
from lazyarr.ops.random import BITS, MULTIPLY_HIGH, NORMAL, UNIFORM
from lazyarr.origin import origin
from lazyarr.shapes import broadcast_shapes, normalize_axis

__all__ = ["Generator", "default_rng"]

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
DType = np.dtype[Any]

UINT64 = np.dtype(np.uint64)


def default_rng(seed: Any = None) -> Generator:
    """Return a generator of lazy random arrays.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence or Generator, optional
        Equal seeds give equal draws in equal order. None takes entropy from the system. A
        Generator of this module is returned as it is.

    Returns
    -------
    Generator
        With NumPy's names. Its numbers are not those of ``numpy.random.default_rng(seed)``.

    Raises
    ------
    ArgumentError
        If `seed` is of another kind, or negative.

    Examples
    --------
    >>> import lazyarr as la
    >>> rng = la.random.default_rng(7)
    >>> x = rng.random((2, 3))
    >>> bool((x == x.compute()).all())
    True
    >>> la.random.default_rng(7).random((2, 3)).compute().tolist() == x.compute().tolist()
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


class Generator:
    """A source of lazy random arrays, each independent of those drawn before.

    Every call takes the next draw; making the generator again with the same seed takes the same
    draws. It may be used by many threads at once, which then share its draws among them; for a
    stream of each thread's own, :meth:`spawn` one for each.

    Arguments may be LazyArrays, and fuse with the draw. The results of a draw without `size` and
    of numbers alone are arrays without axes, where NumPy gives a number.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        See :func:`default_rng`.

    Examples
    --------
    >>> import lazyarr as la
    >>> rng = la.random.default_rng(1)
    >>> noise = rng.normal(la.asarray([0.0, 10.0]), 0.5, size=(4, 2))
    >>> noise.shape
    (4, 2)
    """

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, (np.random.Generator, np.random.BitGenerator)):
            raise ArgumentError(
                f"a seed cannot be a NumPy {type(seed).__name__}",
                origin=origin(),
                hint="pass an integer or a SeedSequence, such as seed_seq.spawn(1)[0] of its own",
            )
        if not isinstance(seed, np.random.SeedSequence):
            try:
                seed = np.random.SeedSequence(seed)
            except (TypeError, ValueError) as error:
                raise ArgumentError(
                    f"{seed!r} is no seed: {error}",
                    origin=origin(),
                    hint="pass a non-negative integer, a sequence of them, or None",
                ) from None
        key, first = seed.generate_state(2, np.uint64)
        self._seed_sequence = seed
        self._key = key
        self._next = int(first)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"Generator(Philox4x32-10) at 0x{id(self):X}"

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.random.Generator, name):
            raise AttributeError(
                f"lazyarr.random has no {name}\n  hint: draw it with NumPy's generator, and put "
                "lazyarr.asarray round the result"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def spawn(self, n_children: int) -> list[Generator]:
        """Return generators that are independent of this one and of each other.

        Parameters
        ----------
        n_children : int
            How many.

        Examples
        --------
        >>> import lazyarr as la
        >>> one, other = la.random.default_rng(0).spawn(2)
        >>> bool((one.random(3) == other.random(3)).any())
        False
        """
        with self._lock:
            children = self._seed_sequence.spawn(n_children)
        return [Generator(child) for child in children]

    # -- draws -------------------------------------------------------------------------------

    def _draw(self, op: Op, dtype: DType, shape: Shape) -> LazyArray:
        """Return the next draw."""
        with self._lock:
            number = self._next
            self._next = (number + 1) % 2**64
        sources = (
            build.constant(np.uint64(number), UINT64),
            build.constant(self._key, UINT64),
        )
        return wrap(node(op, sources, dtype, shape, None, origin()))

    def _standard(
        self, rows: dict[DType, Op], name: str, size: Any, dtype: Any, out: Any
    ) -> tuple[LazyArray, Any]:
        """Return the next draw of a function that takes dtype= and out=."""
        wanted = build.as_dtype(dtype)
        if wanted not in rows:
            raise DTypeError(
                f"{name} gives float64 or float32, not {wanted}",
                origin=origin(),
                hint="draw float32 and use .astype",
            )
        if out is not None:
            if not isinstance(out, (np.ndarray, LazyArray)):
                raise ArgumentError(
                    f"out= must be an array, got {type(out).__name__}", origin=origin()
                )
            if out.dtype != wanted:
                raise DTypeError(f"out= of {out.dtype} for a draw of {wanted}", origin=origin())
            if size is not None and as_shape(size) != out.shape:
                raise ShapeError(
                    f"out= of shape {out.shape} for a draw of shape {as_shape(size)}",
                    origin=origin(),
                )
            size = out.shape
        return self._draw(rows[wanted], wanted, _shape(size)), out

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return numbers evenly distributed over [0, 1).

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result.
        dtype : dtype
            float64, multiples of 2**-53; or float32, multiples of 2**-24.
        out : ndarray or LazyArray, optional
            Takes the numbers; an ndarray at once.

        Returns
        -------
        LazyArray
            The same bits on every device.

        Examples
        --------
        >>> import lazyarr as la
        >>> x = la.random.default_rng(3).random(1000)
        >>> 0.45 < float(x.mean()) < 0.55
        True
        """
        return deliver(*self._standard(UNIFORM, "random", size, dtype, out))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers evenly distributed over [low, high): ``low + (high - low) * random()``.

        Parameters
        ----------
        low, high : array_like
            Ends of the interval.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        """
        start, stop = _real(low, "low"), _real(high, "high")
        with np.errstate(over="ignore"):
            spread = stop - start
        if not isinstance(spread, LazyArray) and not np.isfinite(spread).all():
            raise ArgumentError("high - low range exceeds valid bounds", origin=origin())
        found: LazyArray = start + spread * self._over(UNIFORM, size, start, stop)
        return found

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return numbers of the normal distribution of mean 0 and deviation 1.

        Parameters
        ----------
        size, dtype, out
            As for :meth:`random`.

        Returns
        -------
        LazyArray
            By Box and Muller: the elements ``2 k`` and ``2 k + 1`` are ``sqrt(-2 log(1 - u))``
            times the cosine and the sine of ``2 pi v``, of two uniform numbers `u` and `v`. They
            differ between devices by what the logarithm and the cosine do. The largest that can
            come is 8.6, and in float32 6.7.
        """
        return deliver(*self._standard(NORMAL, "standard_normal", size, dtype, out))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of a normal distribution.

        Parameters
        ----------
        loc, scale : array_like
            Mean and standard deviation.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.

        Examples
        --------
        >>> import lazyarr as la
        >>> x = la.random.default_rng(0).normal([0, 100], 1, size=(50, 2))
        >>> abs(x.mean(axis=0) - [0, 100]).max().compute() < 0.5
        np.True_
        """
        mean, width = _real(loc, "loc"), _positive(scale, "scale")
        found: LazyArray = mean + width * self._over(NORMAL, size, mean, width)
        return found

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> LazyArray:
        """Return the exponentials of normal numbers of this mean and standard deviation."""
        return _function("exp", self.normal(mean, _positive(sigma, "sigma"), size))

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "inv", out: Any = None
    ) -> Any:
        """Return numbers of the exponential distribution of mean 1: ``-log(1 - u)``.

        Parameters
        ----------
        size, dtype, out
            As for :meth:`random`.
        method : {"inv", "zig"}
            Accepted for NumPy's sake; the inverse of the distribution serves both.
        """
        if method not in ("inv", "zig"):
            raise ArgumentError(f"method must be 'inv' or 'zig', got {method!r}", origin=origin())
        drawn, target = self._standard(UNIFORM, "standard_exponential", size, dtype, out)
        return deliver(-_function("log", 1 - drawn), target)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the exponential distribution of mean `scale`."""
        width = _positive(scale, "scale")
        found: LazyArray = -width * self._log_rest(size, width)
        return found

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Laplace distribution."""
        mean, width = _real(loc, "loc"), _positive(scale, "scale")
        drawn = self._between(size, mean, width)
        distance = width * _function("log", where(drawn < 0.5, 2 * drawn, 2 - 2 * drawn))
        found: LazyArray = mean + where(drawn < 0.5, distance, -distance)
        return found

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the logistic distribution."""
        mean, width = _real(loc, "loc"), _positive(scale, "scale")
        drawn = self._between(size, mean, width)
        found: LazyArray = mean + width * _function("log", drawn / (1 - drawn))
        return found

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Gumbel distribution."""
        mean, width = _real(loc, "loc"), _positive(scale, "scale")
        drawn = self._between(size, mean, width)
        found: LazyArray = mean - width * _function("log", -_function("log", drawn))
        return found

    def standard_cauchy(self, size: Any = None) -> LazyArray:
        """Return numbers of the Cauchy distribution: ``tan(pi (u - 1/2))``."""
        return _function("tan", np.pi * (self._between(size) - 0.5))

    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Rayleigh distribution."""
        width = _positive(scale, "scale")
        found: LazyArray = width * _function("sqrt", -2 * self._log_rest(size, width))
        return found

    def weibull(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers of the Weibull distribution of shape `a` and scale 1."""
        shape = _positive(a, "a")
        drawn: LazyArray = (-self._log_rest(size, shape)) ** (1 / shape)
        return drawn

    def pareto(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers of the Pareto II (Lomax) distribution of shape `a`."""
        shape = _positive(a, "a")
        return _function("expm1", -self._log_rest(size, shape) / shape)

    def power(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers in [0, 1] of density ``a x**(a - 1)``."""
        shape = _positive(a, "a")
        drawn: LazyArray = (1 - self._over(UNIFORM, size, shape)) ** (1 / shape)
        return drawn

    def _over(self, rows: dict[DType, Op], size: Any, *parameters: Any) -> LazyArray:
        """Return a draw of float64 of the shape that `size` and the parameters give."""
        return self._draw(rows[FLOAT64], FLOAT64, _shape(size, *parameters))

    def _log_rest(self, size: Any, *parameters: Any) -> LazyArray:
        """Return ``log(1 - u)``; ``1 - u`` is exact and never zero."""
        return _function("log", 1 - self._over(UNIFORM, size, *parameters))

    def _between(self, size: Any, *parameters: Any) -> LazyArray:
        """Return numbers in (0, 1), the ends left out: the middles of 2**52 intervals."""
        bits = self._draw(BITS, UINT64, _shape(size, *parameters))
        count: LazyArray = (bits >> np.uint64(12)).astype(INT64).astype(FLOAT64)
        return (count + 0.5) * 2.0**-52

    # -- integers ----------------------------------------------------------------------------

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> LazyArray:
        """Return integers evenly distributed over ``low <= i < high``.

        Parameters
        ----------
        low, high : int or array_like of int
            Ends of the interval; without `high` they are 0 and `low`.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        dtype : dtype
            Any integer dtype, or bool.
        endpoint : bool
            Whether `high` itself may come.

        Returns
        -------
        LazyArray
            The same on every device. With ``n`` integers to choose from, the upper half of a
            random 64-bit word times ``n``; there is no rejection, so probabilities differ from
            ``1 / n``, by less than ``2**-64``.

        Raises
        ------
        ArgumentError
            If the interval is empty or goes beyond the dtype. Of LazyArrays this is not known
            before they are computed, and is not checked.

        Examples
        --------
        >>> import lazyarr as la
        >>> dice = la.random.default_rng(0).integers(1, 6, size=1000, endpoint=True)
        >>> int(dice.min()), int(dice.max())
        (1, 6)
        """
        wanted = build.as_dtype(dtype)
        if wanted.kind not in "iub":
            raise DTypeError(f"integers of dtype {wanted}", origin=origin(), hint="use .astype")
        if high is None:
            low, high = 0, low
        start, span = _interval(low, high, wanted, endpoint)
        bits = self._draw(BITS, UINT64, _shape(size, start, span))
        offset = bits if span is None else apply(MULTIPLY_HIGH, (bits, span))
        found: LazyArray = (start + offset).astype(wanted)
        return found

    # -- permutations ------------------------------------------------------------------------

    def _order(self, shape: Shape, axis: int = 0) -> LazyArray:
        """Return the positions along an axis in random order.

        Random words are sorted that hold their position in the lowest bits. So no two are equal,
        which gives every sort the same result, and they need not be moved with their positions.
        """
        count = shape[axis]
        lowest = (1 << max(count - 1, 0).bit_length()) - 1
        position = arange(count).astype(UINT64).reshape((count,) + (1,) * (len(shape) - axis - 1))
        words = self._draw(BITS, UINT64, shape) & _modular(~lowest) | position
        found: LazyArray = (sort(words, axis) & _modular(lowest)).astype(INT64)
        return found

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
            In the order that sorts random words, of 64 bits less those that count the slices.

        Examples
        --------
        >>> import numpy as np, lazyarr as la
        >>> np.sort(la.random.default_rng(0).permutation(5).compute()).tolist()
        [0, 1, 2, 3, 4]
        """
        if isinstance(x, (int, np.integer)):
            return self._order((_count(x),))
        return self._reordered(asarray(x), axis)

    def _reordered(self, x: LazyArray, axis: int) -> LazyArray:
        if not x.ndim:
            raise ArgumentError("an array without axes has no order", origin=origin())
        with build.located():
            at = normalize_axis(axis, x.ndim)
        found: LazyArray = x[(*(slice(None),) * at, self._order((x.shape[at],)))]
        return found

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
        given = asarray(x)
        values = given.reshape(-1) if axis is None else given
        with build.located():
            at = normalize_axis(0 if axis is None else axis, values.ndim)
        order = self._order(values.shape, at)
        return deliver(take_along_axis(values, order, at).reshape(given.shape), out)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of `x` into random order.

        An ndarray or a list is changed in place, at once; a LazyArray comes to stand for the
        new order, as with ``x[...] = value``.

        Parameters
        ----------
        x : ndarray, LazyArray or list
            What to shuffle.
        axis : int
            Along which the slices lie.
        """
        if isinstance(x, LazyArray):
            x[...] = self._reordered(x, axis)
        elif isinstance(x, np.ndarray):
            if not x.flags.writeable:
                raise ArgumentError("the array to shuffle is read-only", origin=origin())
            x[...] = self._reordered(asarray(x), axis).compute()
        elif isinstance(x, MutableSequence):
            if axis != 0:
                raise ArgumentError("a list has axis 0 alone", origin=origin())
            x[:] = [x[k] for k in self._order((len(x),)).tolist()]
        else:
            raise ArgumentError(
                f"shuffle takes an array or a list, got {type(x).__name__}",
                origin=origin(),
                hint="permutation returns a new array",
            )

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
            `p` are the shortest, which is choosing them one after another.

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
        values = arange(_count(a)) if isinstance(a, (int, np.integer)) else asarray(a)
        if not values.ndim:
            raise ArgumentError("a must be an array with axes or an integer", origin=origin())
        with build.located():
            at = normalize_axis(axis, values.ndim)
        count = values.shape[at]
        shape = _shape(size)
        wanted = prod(shape)
        weights = None if p is None else _probabilities(p, count)
        if not count and wanted:
            raise ArgumentError("there is nothing to choose from", origin=origin())
        if replace and weights is None:
            index = self.integers(0, max(count, 1), wanted)
        elif replace:
            levels = cumsum(weights)
            drawn = self._draw(UNIFORM[FLOAT64], FLOAT64, (wanted,))
            index = searchsorted(levels / levels[-1], drawn, side="right")
        else:
            index = self._without_replacement(count, wanted, weights)
        if isinstance(a, (int, np.integer)):
            return index.reshape(shape)
        chosen: LazyArray = values[(*(slice(None),) * at, index)]
        return chosen.reshape(values.shape[:at] + shape + values.shape[at + 1 :])

    def _without_replacement(self, count: int, wanted: int, weights: Any) -> LazyArray:
        possible = count
        if isinstance(weights, np.ndarray):
            possible = int(np.count_nonzero(weights))
        if wanted > possible:
            raise ArgumentError(
                f"cannot choose {wanted} of {possible} without replacement", origin=origin()
            )
        if weights is None:
            order = self._order((count,))
        else:
            # Of probability 0: infinite, and last, which is nothing to warn of.
            given = asarray(weights)
            waits = self.standard_exponential(count) / given
            waits = wrap(build.saying(waits._node, (given._node,), None, None))
            order = argsort(waits, stable=True)
        found: LazyArray = order[:wanted]
        return found


# -- arguments -------------------------------------------------------------------------------


def _function(name: str, x: Any) -> LazyArray:
    found: LazyArray = FUNCTIONS[name](x)
    return found


def _count(x: Any) -> int:
    count = operator.index(x)
    if count < 0:
        raise ArgumentError(f"expected a number of at least 0, got {count}", origin=origin())
    return count


def _shape(size: Any, *parameters: Any) -> Shape:
    """Return the shape of a draw: `size`, which the parameters must broadcast to, or theirs."""
    with build.located():
        given = broadcast_shapes(*[getattr(x, "shape", ()) for x in parameters])
    if size is None:
        return given
    shape = as_shape(size)
    if len(given) > len(shape) or any(
        a not in (1, b) for a, b in zip(reversed(given), reversed(shape), strict=False)
    ):
        raise ShapeError(
            f"parameters of shape {given} do not broadcast to size {shape}", origin=origin()
        )
    return shape


def _real(value: Any, name: str) -> Any:
    """Return a parameter as a float64 number, ndarray or LazyArray."""
    if isinstance(value, LazyArray):
        if value.dtype.kind == "c":
            raise DTypeError(f"{name} must be real, got {value.dtype}", origin=origin())
        return value.astype(FLOAT64)
    try:
        found = np.asarray(value)
        if found.dtype.kind not in "biuf":
            raise TypeError(f"of dtype {found.dtype}")
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} must be real numbers: {error}", origin=origin()) from None
    return found.astype(FLOAT64) if found.ndim else float(found)


def _positive(value: Any, name: str) -> Any:
    """Return a parameter that must not be negative; of LazyArrays this is not checked."""
    found = _real(value, name)
    if not isinstance(found, LazyArray) and np.signbit(found).any():
        raise ArgumentError(f"{name} < 0", origin=origin())
    return found


def _whole(value: Any, name: str) -> Any:
    """Return an end of an interval as an int, an integer ndarray or an integer LazyArray."""
    if not isinstance(value, LazyArray):
        try:
            return operator.index(value)
        except TypeError:
            value = np.asarray(value)
        if value.dtype.kind == "f" and (value == np.trunc(value)).all():
            if (np.abs(value) < 2.0**63).all():
                value = value.astype(np.int64)
        if value.dtype.kind in "iub" and not value.ndim:
            return int(value)
    if value.dtype.kind not in "iub":
        raise ArgumentError(f"{name} must be integers, got {value.dtype}", origin=origin())
    return value


def _interval(low: Any, high: Any, dtype: DType, endpoint: bool) -> tuple[Any, Any]:
    """Return the first integer and how many there are, both modulo 2**64.

    The latter is None for all 2**64.
    """
    first, stop = _whole(low, "low"), _whole(high, "high")
    ends = (first, stop)
    least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if not any(isinstance(end, LazyArray) for end in ends):
        if np.any(np.less(first, least)):
            raise ArgumentError(f"low is out of bounds for {dtype}", origin=origin())
        if np.any(np.greater(stop, most if endpoint else most + 1)):
            raise ArgumentError(f"high is out of bounds for {dtype}", origin=origin())
        if np.any(np.greater(first, stop) if endpoint else np.greater_equal(first, stop)):
            raise ArgumentError("low > high" if endpoint else "low >= high", origin=origin())
    if all(isinstance(end, int) for end in ends):
        count = stop - first + bool(endpoint)
        return _modular(first), None if count == 2**64 else _modular(count)
    start = _modular(first)
    count = _modular(stop) - start + _modular(int(endpoint))
    if isinstance(first, (int, np.ndarray)) and isinstance(stop, (int, np.ndarray)):
        if (count.compute() == 0).any():
            raise ArgumentError(
                "all 2**64 integers can be asked for by numbers alone, not by arrays",
                origin=origin(),
            )
    return start, count


def _modular(value: Any) -> LazyArray:
    """Return integers modulo 2**64."""
    if isinstance(value, int):
        return wrap(build.constant(np.uint64(value % 2**64), UINT64))
    return asarray(value).astype(UINT64)


def _probabilities(p: Any, count: int) -> Any:
    """Return checked probabilities, an ndarray; or a LazyArray, of which only the shape is."""
    found = p if isinstance(p, LazyArray) else np.asarray(_real(p, "p"))
    if found.shape != (count,):
        raise ShapeError(f"p of shape {found.shape} for {count} slices", origin=origin())
    if isinstance(found, LazyArray):
        return found.astype(FLOAT64)
    if not np.isfinite(found).all() or (found < 0).any():
        raise ArgumentError("probabilities are not non-negative and finite", origin=origin())
    if abs(found.sum() - 1) > 1e-8:
        raise ArgumentError(f"probabilities sum to {found.sum()}, not to 1", origin=origin())
    return found
