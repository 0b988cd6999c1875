"""Distributions whose draws depend on one another: NumPy draws them, over this module's streams.

Each is a call of NumPy's generator on the host when the expression is evaluated. Its bits come from
the draw's key and number, so that evaluating it twice gives the same numbers, and a jitted function
draws anew at each run.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.arrays.native import new_array
from lazyarr.builders import build
from lazyarr.builders.build import FLOAT32, FLOAT64, INT64
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.numpy_api.creation import as_shape
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.library import library_function
from lazyarr.random.arguments import count_of, counts, integer, known, real, shape_of
from lazyarr.random.draws import Draws, size_with
from lazyarr.random.early_draws import drawn_by_numpy, install_source, is_early, most_early
from lazyarr.tracing import recorded

__all__ = ["LEGACY", "HostDistributions"]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]


class _Source(threading.local):
    """NumPy's generators of the draws of a thread: their words are Philox's, under a key of each.

    The compiled form has words of its own, and NumPy's functions are attributes for it.
    """

    def __init__(self) -> None:
        self._legacy: Any = None
        self._legacy_bits: Any = None
        if COMPILED is not None:
            self.words = bits = COMPILED.Words(threading.Lock())
            self._begin: Callable[[int, int], None] = bits.begin
        else:
            bits = np.random.Philox(key=np.zeros(2, np.uint64))
            self._begin = _beginning(bits)
        generator = np.random.Generator(bits)
        for name in dir(generator):
            if not name.startswith("_"):
                setattr(self, name, getattr(generator, name))

    def function(self, number: int, key: int, name: str) -> Callable[..., Any]:
        """Return a function of a generator that begins with the first word of a draw.

        Parameters
        ----------
        number, key : int
            Of the draw.
        name : str
            Of the function.
        """
        if name.startswith(LEGACY):
            if self._legacy is None:
                bits = np.random.Philox(key=np.zeros(2, np.uint64))
                self._legacy, self._legacy_bits = np.random.RandomState(bits), _beginning(bits)
            self._legacy_bits(key, number)
            function: Callable[..., Any] = getattr(self._legacy, name.removeprefix(LEGACY))
            return function
        self._begin(key, number)
        return cast("Callable[..., Any]", getattr(self, name))


def _beginning(bits: np.random.Philox) -> Callable[[int, int], None]:
    """Return a function that lets a bit generator begin with the first word of a draw."""
    state: Any = bits.state
    words: Any = state["state"]["key"]

    def begin(key: int, number: int) -> None:
        words[0] = key
        words[1] = number
        bits.state = state

    return begin


#: Begins names of functions whose algorithm is that of NumPy's RandomState.
LEGACY = "legacy "
_source = _Source()
install_source(_source)
_NUMBERS = frozenset((int, float))


def _few(size: Any, parameters: tuple[Any, ...]) -> Sequence[Any] | None:
    """Return the values of parameters of few numbers, all of them in memory; else None."""
    most = most_early()
    count = 1 if size is None else size if type(size) is int else _product(size)
    if not 0 <= count <= most:
        return None
    if _NUMBERS.issuperset(map(type, parameters)):
        return parameters
    values = [memory_of(x) if type(x) is LazyArray else x for x in parameters]
    largest = 1
    for place, value in enumerate(values):
        if value is None:
            return None
        if type(value) not in _NUMBERS:
            try:
                array = values[place] = np.asarray(value)
            except (TypeError, ValueError):
                return None
            largest = max(largest, array.size)
    return values if count * largest <= most else None


def _product(size: Any) -> int:
    """Return the elements of a shape; -1 if it is no tuple of int."""
    is_plain = type(size) is tuple and all(type(length) is int for length in size)
    return math.prod(size) if is_plain else -1


def _drawn(
    number: Any, key: Any, name: str, size: Shape, *parameters: Any, **options: Any
) -> Array:
    draw = _source.function(int(number), int(key), name)
    return np.asarray(draw(*parameters, size=size, **options))


def _checked(name: str, *parameters: Any, **options: Any) -> None:
    """Let NumPy judge the parameters that are known."""
    if any(isinstance(value, LazyArray) for value in parameters):
        return
    draw = _source.function(0, 0, name)
    shape = np.broadcast_shapes(*(np.shape(value) for value in parameters))
    try:
        draw(*parameters, size=(0, *shape), **options)
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None


class HostDistributions(Draws):
    """The functions of a generator that NumPy computes on the host."""

    def _on_host(
        self, name: str, shape: Shape, size: Shape, result: DType, *parameters: Any, **options: Any
    ) -> LazyArray:
        """Return the next draw, of `shape`; NumPy's function is called with `size`."""
        if is_early(shape) and not any(isinstance(value, LazyArray) for value in parameters):
            first, key_word = self.stream.take(1)
            value = _drawn(first, key_word, name, size, *parameters, **options)
            return new_array(LazyArray, value if shape else value[()], None, 0)
        build.check_size(shape, result)
        number, key = self.stream.draw()
        op = library_function(f"random.{name.removeprefix(LEGACY)}", _drawn)
        arguments = (number, key, name, size, *parameters)
        return wrap(library_node(op, arguments, options, shape, result))

    def _at_once(self, name: str, size: Any, *parameters: Any, **options: Any) -> LazyArray | None:
        """Return the next draw if it is immediate, and its parameters are in memory.

        NumPy raises for invalid ones, which are then examined before an expression is built.
        """
        numbers: Any = getattr(self.stream, "numbers", None)
        values = None if numbers is None else _few(size, parameters)
        while values is not None:
            key, number = numbers.state()
            try:
                drawn = _source.function(number, key, name)(*values, size=size, **options)
            except (TypeError, ValueError):
                return None
            if numbers.take_if(number):  # no other thread has
                value = np.asarray(drawn)
                return new_array(LazyArray, value if value.ndim else value[()], None, 0)
        return None

    def _elementwise(self, name: str, dtype: DType, size: Any, *parameters: Any) -> LazyArray:
        early = self._at_once(name, size, *parameters)
        if early is not None:
            return early
        values = tuple(real(value, name) for value in parameters)
        shape = shape_of(size, *values)
        _checked(name, *values)
        return self._on_host(name, shape, shape, dtype, *values)

    @drawn_by_numpy
    def beta(self, a: Any, b: Any, size: Any = None) -> LazyArray:
        """Return numbers of a beta distribution; NumPy draws them on the host.

        Parameters
        ----------
        a, b : array_like
            Shape parameters, positive.
        size : int or tuple of int, optional
            Shape of the result; default: that of the parameters broadcast together.

        Examples
        --------
        >>> import lazyarr as la
        >>> x = la.random.default_rng(5).beta(2.0, 3.0, 1000)
        >>> 0.35 < float(x.mean()) < 0.45
        True
        """
        return self._elementwise("beta", FLOAT64, size, a, b)

    @drawn_by_numpy
    def binomial(self, n: Any, p: Any, size: Any = None) -> LazyArray:
        """Return the successes among `n` trials of probability `p`, as int64; on the host."""
        early = self._at_once("binomial", size, n, p)
        if early is not None:
            return early
        count = counts(n)
        shape = shape_of(size, as_lazy(count), real(p, "p"))
        _checked("binomial", count, real(p, "p"))
        return self._on_host("binomial", shape, shape, INT64, count, real(p, "p"))

    @drawn_by_numpy
    def chisquare(self, df: Any, size: Any = None) -> LazyArray:
        """Return numbers of a chi-square distribution of `df` degrees of freedom; on the host."""
        return self._elementwise("chisquare", FLOAT64, size, df)

    @drawn_by_numpy
    def f(self, dfnum: Any, dfden: Any, size: Any = None) -> LazyArray:
        """Return numbers of an F distribution; NumPy draws them on the host.

        Parameters
        ----------
        dfnum, dfden : array_like
            Degrees of freedom of the numerator and the denominator, positive.
        size : int or tuple of int, optional
            Shape of the result; default: that of the parameters broadcast together.
        """
        return self._elementwise("f", FLOAT64, size, dfnum, dfden)

    @drawn_by_numpy
    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of a gamma distribution; NumPy draws them on the host."""
        return self._elementwise("gamma", FLOAT64, size, shape, scale)

    @drawn_by_numpy
    def geometric(self, p: Any, size: Any = None) -> LazyArray:
        """Return the number of the first trial that succeeds, as int64; on the host."""
        return self._elementwise("geometric", INT64, size, p)

    @drawn_by_numpy
    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> LazyArray:
        """Return the good ones of samples without replacement, counted as int64; on the host."""
        return self._hypergeometric("hypergeometric", size, ngood, nbad, nsample)

    def _hypergeometric(self, name: str, size: Any, *numbers: Any) -> LazyArray:
        early = self._at_once(name, size, *numbers)
        if early is not None:
            return early
        parameters = tuple(
            value if isinstance(value, LazyArray) else np.asarray(value)
            for value in map(counts, numbers)
        )
        shape = shape_of(size, *parameters)
        _checked(name, *parameters)
        return self._on_host(name, shape, shape, INT64, *parameters)

    @drawn_by_numpy
    def logseries(self, p: Any, size: Any = None) -> LazyArray:
        """Return numbers of a logarithmic series distribution, as int64; on the host."""
        return self._elementwise("logseries", INT64, size, p)

    @drawn_by_numpy
    def negative_binomial(self, n: Any, p: Any, size: Any = None) -> LazyArray:
        """Return the failures before `n` successes, as int64; NumPy draws them on the host."""
        return self._elementwise("negative_binomial", INT64, size, n, p)

    @drawn_by_numpy
    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None) -> LazyArray:
        """Return numbers of a noncentral chi-square distribution; on the host."""
        return self._elementwise("noncentral_chisquare", FLOAT64, size, df, nonc)

    @drawn_by_numpy
    def noncentral_f(self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None) -> LazyArray:
        """Return numbers of a noncentral F distribution; NumPy draws them on the host."""
        return self._elementwise("noncentral_f", FLOAT64, size, dfnum, dfden, nonc)

    @drawn_by_numpy
    def poisson(self, lam: Any = 1.0, size: Any = None) -> LazyArray:
        """Return numbers of a Poisson distribution, as int64; NumPy draws them on the host.

        Parameters
        ----------
        lam : array_like
            Expected number of events, not negative.
        size : int or tuple of int, optional
            Shape of the result; default: that of `lam`.

        Examples
        --------
        >>> import lazyarr as la
        >>> x = la.random.default_rng(5).poisson([1.0, 10.0], size=(500, 2))
        >>> x.dtype, bool((x == x.compute()).all())
        (dtype('int64'), True)
        """
        return self._elementwise("poisson", INT64, size, lam)

    @recorded
    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = np.float64, out: Any = None
    ) -> Any:
        """Return numbers of a gamma distribution of scale 1; NumPy draws them on the host."""
        float_dtype = np.dtype(dtype)
        if float_dtype not in (FLOAT32, FLOAT64):
            raise DTypeError(
                f"Unsupported dtype {float_dtype!r} for standard_gamma", origin=origin()
            )
        size = size_with(out, size, float_dtype, in_c_order=True)
        value = real(shape, "shape")
        sizes = shape_of(size, value)
        _checked("standard_gamma", value)
        drawn = self._on_host(
            "standard_gamma", sizes, sizes, float_dtype, value, dtype=float_dtype.type
        )
        return store_into(drawn, out)

    @drawn_by_numpy
    def standard_t(self, df: Any, size: Any = None) -> LazyArray:
        """Return numbers of Student's t distribution; NumPy draws them on the host."""
        return self._elementwise("standard_t", FLOAT64, size, df)

    @drawn_by_numpy
    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None) -> LazyArray:
        """Return numbers of a triangular distribution; NumPy draws them on the host."""
        return self._elementwise("triangular", FLOAT64, size, left, mode, right)

    @drawn_by_numpy
    def vonmises(self, mu: Any, kappa: Any, size: Any = None) -> LazyArray:
        """Return angles of a von Mises distribution; NumPy draws them on the host."""
        return self._elementwise("vonmises", FLOAT64, size, mu, kappa)

    @drawn_by_numpy
    def wald(self, mean: Any, scale: Any, size: Any = None) -> LazyArray:
        """Return numbers of an inverse Gaussian distribution; NumPy draws them on the host."""
        return self._elementwise("wald", FLOAT64, size, mean, scale)

    @drawn_by_numpy
    def zipf(self, a: Any, size: Any = None) -> LazyArray:
        """Return numbers of a Zipf distribution, as int64; NumPy draws them on the host."""
        return self._elementwise("zipf", INT64, size, a)

    # Draws of vectors.

    def _vectors(
        self, name: str, size: Any, length: int, result: DType, *parameters: Any, **options: Any
    ) -> LazyArray:
        sizes = () if size is None else as_shape(size)
        _checked_once(name, *parameters, **options)
        return self._on_host(name, (*sizes, length), sizes, result, *parameters, **options)

    @drawn_by_numpy
    def dirichlet(self, alpha: Any, size: Any = None) -> LazyArray:
        """Return vectors of a Dirichlet distribution, which sum to one; on the host."""
        early = self._at_once("dirichlet", size, alpha)
        if early is not None:
            return early
        weights = _vector(alpha, "alpha")
        return self._vectors("dirichlet", size, weights.shape[0], FLOAT64, weights)

    @drawn_by_numpy
    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> LazyArray:
        """Return the frequency of each outcome of `n` trials, as int64; on the host.

        Parameters
        ----------
        n : int or array_like of int
            Trials.
        pvals : array_like
            Probabilities of the outcomes along the last axis.
        size : int or tuple of int, optional
            Draws; default: one for each of `n` and of the rows of `pvals`.
        """
        early = self._at_once("multinomial", size, n, pvals)
        if early is not None:
            return early
        pvals = known(pvals)
        chances = pvals if isinstance(pvals, LazyArray) else np.asarray(pvals, np.float64)
        if not chances.ndim:
            raise ShapeError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be "
                "greater than 0.",
                origin=origin(),
            )
        trials = counts(n)
        stack = np.broadcast_shapes(getattr(trials, "shape", ()), chances.shape[:-1])
        shape = (*(stack if size is None else as_shape(size)), chances.shape[-1])
        # Of float32 NumPy says why the sum may be off.
        _checked_once("multinomial", trials, pvals)
        return self._on_host("multinomial", shape, shape[:-1], INT64, trials, chances)

    @recorded
    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals"
    ) -> LazyArray:
        """Return the number of each colour in a sample without replacement; on the host."""
        kinds = np.asarray(colors)
        try:
            count = operator.index(nsample)
        except TypeError:
            raise ArgumentError("nsample must be an integer", origin=origin()) from None
        options = {"method": method}
        length = kinds.shape[0] if kinds.ndim else 0
        return self._vectors(
            "multivariate_hypergeometric", size, length, INT64, kinds, count, **options
        )

    @recorded
    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> LazyArray:
        """Return vectors of a normal distribution of this mean and covariance; on the host."""
        options = {"check_valid": check_valid, "tol": tol, "method": method}
        early = self._at_once("multivariate_normal", size, mean, cov, **options)
        if early is not None:
            return early
        middle = _vector(mean, "mean")
        cov = known(cov)
        spread = cov if isinstance(cov, LazyArray) else np.asarray(cov, np.float64)
        return self._vectors(
            "multivariate_normal", size, middle.shape[0], FLOAT64, middle, spread, **options
        )

    @recorded
    def bytes(self, length: int) -> bytes:
        """Return random bytes, drawn now."""
        count = count_of(integer(length))
        words = self.integers(0, 256, size=count, dtype=np.uint8)  # type: ignore[attr-defined]
        return cast("bytes", words.tobytes())


def _vector(value: Any, name: str) -> Any:
    value = known(value)
    vector = value if isinstance(value, LazyArray) else np.asarray(value)
    if not vector.ndim:
        raise ArgumentError(
            f"object of type {type(value).__name__!r} has no len()", origin=origin()
        )
    build.check_cast(vector.dtype, FLOAT64, "safe")
    vector = vector.astype(FLOAT64)
    if vector.ndim != 1:
        raise ShapeError(f"{name} must be 1 dimensional, got shape {vector.shape}", origin=origin())
    return vector


def _checked_once(name: str, *parameters: Any, **options: Any) -> None:
    """Let NumPy judge the parameters of a draw of vectors, by drawing one."""
    if any(isinstance(value, LazyArray) for value in parameters):
        return
    draw: Callable[..., Any] = _source.function(0, 0, name)
    try:
        draw(*parameters, **options)
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
