"""Random numbers of the usual distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, apply
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError
from lazyarr.numpy_api.selection import where
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.random import BITS, MULTIPLY_HIGH, NORMAL, UNIFORM
from lazyarr.random.arguments import UINT64, interval, meets, positive, range_of, real, shape_of
from lazyarr.random.draws import EXPONENT, Draws, are_usual, function, silent
from lazyarr.random.early_draws import drawn_early
from lazyarr.tracing import recorded

__all__ = ["Distributions"]


class Distributions(Draws):
    """The functions of a generator that return numbers."""

    @drawn_early
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
        return store_into(*self._standard(UNIFORM, "random", size, dtype, out))

    @drawn_early
    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers evenly distributed over [low, high): ``low + (high - low) * random()``.

        Parameters
        ----------
        low, high : array_like
            Ends of the interval.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.

        Raises
        ------
        ArgumentError
            If `high` is less than `low`.
        OverflowError
            If an end is not finite, or their difference.
        """
        return self._uniform(size, *range_of(low, high, ordered=True))

    @drawn_early
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
        return store_into(*self._standard(NORMAL, "standard_normal", size, dtype, out))

    @drawn_early
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
        mean, width = real(loc, "loc"), positive(scale, "scale")
        return silent(lambda: mean + width * self._over(NORMAL, size, mean, width), mean, width)

    @recorded
    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> LazyArray:
        """Return the exponentials of normal numbers of this mean and standard deviation.

        Parameters
        ----------
        mean, sigma : array_like
            Mean and standard deviation of the logarithm.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        """
        if are_usual(EXPONENT, mean, sigma):
            return function("exp", self.normal(mean, sigma, size))
        middle, width = real(mean, "mean"), positive(sigma, "sigma")
        drawn = self._over(NORMAL, size, middle, width)
        return silent(lambda: function("exp", middle + width * drawn), middle, width, most=EXPONENT)

    @drawn_early
    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "inv", out: Any = None
    ) -> Any:
        """Return numbers of the exponential distribution of mean 1: ``-log(1 - u)``.

        Parameters
        ----------
        size, dtype, out
            As for :meth:`random`.
        method : {"inv", "zig"}
            Without effect: the inverse of the distribution serves both. Others mean "inv", as in
            NumPy.
        """
        drawn, target = self._standard(UNIFORM, "standard_exponential", size, dtype, out)
        return store_into(-function("log", 1 - drawn), target)

    @drawn_early
    def exponential(self, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the exponential distribution of mean `scale`.

        Parameters
        ----------
        scale : array_like
            Mean, not negative.
        size : int or tuple of int, optional
            Shape of the result; default: that of `scale`.

        Returns
        -------
        LazyArray
            ``-scale * log(1 - u)`` of uniform numbers `u`.
        """
        width = positive(scale, "scale")
        return silent(lambda: -width * self._log_rest(size, width), width)

    @recorded
    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Laplace distribution.

        Parameters
        ----------
        loc, scale, size
            As for :meth:`gumbel`, `loc` being the mean.
        """
        mean, width = real(loc, "loc"), positive(scale, "scale")
        drawn = self._between(size, mean, width)
        logarithm = function("log", where(drawn < 0.5, 2 * drawn, 2 - 2 * drawn))
        signed = where(drawn < 0.5, logarithm, -logarithm)
        return silent(lambda: mean + width * signed, mean, width)

    @recorded
    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the logistic distribution.

        Parameters
        ----------
        loc, scale, size
            As for :meth:`gumbel`, `loc` being the mean.
        """
        mean, width = real(loc, "loc"), positive(scale, "scale")
        drawn = self._between(size, mean, width)
        return silent(lambda: mean + width * function("log", drawn / (1 - drawn)), mean, width)

    @recorded
    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Gumbel distribution.

        Parameters
        ----------
        loc, scale : array_like
            Mode, and scale, which is not negative.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.

        Returns
        -------
        LazyArray
            ``loc - scale * log(-log(u))`` of uniform numbers `u`.
        """
        mean, width = real(loc, "loc"), positive(scale, "scale")
        drawn = self._between(size, mean, width)
        return silent(lambda: mean - width * function("log", -function("log", drawn)), mean, width)

    @recorded
    def standard_cauchy(self, size: Any = None) -> LazyArray:
        """Return numbers of the Cauchy distribution: ``tan(pi (u - 1/2))``."""
        return function("tan", np.pi * (self._between(size) - 0.5))

    @recorded
    def rayleigh(self, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of the Rayleigh distribution."""
        width = positive(scale, "scale")
        return silent(lambda: width * function("sqrt", -2 * self._log_rest(size, width)), width)

    @recorded
    def weibull(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers of the Weibull distribution of shape `a` and scale 1."""
        shape = positive(a, "a")
        if isinstance(shape, float) and not shape:
            shape = np.zeros(())
        with np.errstate(divide="ignore"):
            exponent = 1 / shape
        waits = -self._log_rest(size, shape)
        drawn = silent(lambda: waits**exponent, shape, most=EXPONENT)
        if isinstance(shape, LazyArray) or meets(lambda number: number == 0, shape):
            drawn = where(shape == 0, 0.0, drawn)
        return drawn

    @recorded
    def pareto(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers of the Pareto II (Lomax) distribution of shape `a`."""
        shape = positive(a, "a", zero=False)
        drawn = -self._log_rest(size, shape)
        return silent(lambda: function("expm1", drawn / shape), shape, most=EXPONENT)

    @recorded
    def power(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers in [0, 1] of density ``a x**(a - 1)``.

        Parameters
        ----------
        a : array_like
            Positive.
        size : int or tuple of int, optional
            Shape of the result; default: that of `a`.

        Returns
        -------
        LazyArray
            ``(1 - u)**(1 / a)`` of uniform numbers `u`.
        """
        shape = positive(a, "a", zero=False)
        drawn = 1 - self._over(UNIFORM, size, shape)
        return silent(lambda: drawn ** (1 / shape), shape, most=EXPONENT)

    @drawn_early
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
        integer_dtype = build.as_dtype(dtype)
        if kind_of(integer_dtype) not in "iub":
            raise DTypeError(
                f"integers of dtype {integer_dtype}", origin=origin(), hint="use .astype"
            )
        if high is None:
            low, high = 0, low
        start, span = interval(low, high, integer_dtype, endpoint)
        bits = self._draw(BITS, UINT64, shape_of(size, start, span))
        offset = bits if span is None else apply(MULTIPLY_HIGH, (bits, span))
        drawn: LazyArray = (start + offset).astype(integer_dtype)
        return drawn
