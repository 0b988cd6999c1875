"""The names of numpy.random that draw from one generator of the whole process.

With a seed their numbers are those of NumPy's Mersenne twister, drawn on the host one call after
the other. Without one they are those of :func:`lazyarr.random.default_rng`, drawn in kernels.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.random.arguments import range_of
from lazyarr.random.generator import Generator
from lazyarr.random.host_distributions import LEGACY
from lazyarr.random.numpy_draws import NumpyStream, host_methods
from lazyarr.tracing import Symbol, scope

__all__ = [
    "FUNCTIONS",
    "RandomState",
    "get_bit_generator",
    "get_state",
    "seed",
    "set_bit_generator",
    "set_state",
]


_NUMBERS = frozenset((int, float))


class RandomState:
    """NumPy's older interface to random numbers.

    With a seed it has NumPy's numbers, drawn on the host when they are called for; without one,
    and in jitted functions, it draws as a :class:`Generator` does.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence or numpy.random.BitGenerator, optional
        As NumPy takes it.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.random.RandomState(0).randint(0, 10, size=3).tolist()
    [5, 0, 3]
    """

    def __init__(self, seed: Any = None) -> None:
        self._source: np.random.RandomState | None = None
        self._begin(seed)

    def _begin(self, seed: Any) -> None:
        if seed is None or type(seed) is Symbol or scope() is not None:
            self._draw_lazily(Generator(seed))
        elif isinstance(seed, np.random.SeedSequence):
            self._draw_from(np.random.RandomState(np.random.MT19937(seed)))
        else:
            self._draw_from(np.random.RandomState(seed))

    def _draw_lazily(self, generator: Generator) -> None:
        vars(self).clear()
        self._source = None
        self._generator = generator
        with _lock:
            _methods.clear()

    def _draw_from(self, source: np.random.RandomState) -> None:
        lazy = RandomState.__new__(RandomState)
        lazy._source = None
        lazy._generator = Generator(NumpyStream(source))
        vars(self).clear()
        self._source, self._lazy, self._generator = source, lazy, lazy._generator
        # The others come when they are first asked for: most programs draw by one or two.
        vars(self).update(host_methods(source, lazy, _DEFINED))
        with _lock:
            _methods.clear()

    def _numpys(self) -> np.random.RandomState:
        """Return NumPy's generator, which makes the draws from now on."""
        if self._source is None:
            if scope() is not None:
                raise TracingError(
                    "the state of a generator is not available in a traced function or loop body",
                    origin=origin(),
                    hint="read and set it outside",
                )
            self._draw_from(np.random.RandomState())
        return cast("np.random.RandomState", self._source)

    def __repr__(self) -> str:
        bits = type(self._bit_generator).__name__ if self._source else "Philox4x32-10"
        return f"RandomState({bits}) at 0x{id(self):X}"

    def __str__(self) -> str:
        return repr(self).partition(" ")[0]

    def __getattr__(self, name: str) -> Any:
        # Distributions have the same name in both interfaces.
        if name.startswith("_") or not hasattr(np.random.RandomState, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self._source is None:
            return getattr(self._generator, name)
        vars(self).update(host_methods(self._source, self._lazy, (name,)))
        return vars(self)[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_DISTRIBUTIONS})

    def __reduce__(self) -> tuple[Any, ...]:
        return RandomState, (self._bit_generator,), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = self.get_state(legacy=False)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.set_state(state)

    @property
    def _bit_generator(self) -> np.random.BitGenerator:
        return self._numpys()._bit_generator

    def seed(self, seed: Any = None) -> None:
        """Begin again from a seed."""
        if self._source is not None and scope() is None:
            self._source.seed(seed)
        else:
            self._begin(seed)

    def get_state(self, legacy: bool = True) -> Any:
        """Return the state of NumPy's generator, which makes the draws from now on.

        Parameters
        ----------
        legacy : bool
            Whether to return a tuple, not a dict, if the bits are those of a Mersenne twister.
        """
        source = self._numpys()
        return source.get_state() if legacy else source.get_state(legacy=False)

    def set_state(self, state: Any) -> None:
        """Go on from a state of :meth:`get_state`, which may be that of NumPy's function.

        Parameters
        ----------
        state : tuple or dict
            The state.
        """
        self._numpys().set_state(state)

    def rand(self, *args: int) -> Any:
        """Return numbers evenly distributed over [0, 1), of a shape given as arguments."""
        return self._generator.random(args or None)

    def randn(self, *args: int) -> Any:
        """Return standard normal numbers, of a shape given as arguments."""
        return self._generator.standard_normal(args or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Return integers from `low` up to and without `high`.

        Parameters
        ----------
        low, high : int or array_like of int
            Ends of the interval; without `high` they are 0 and `low`.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        dtype : dtype
            Any integer dtype, or bool.
        """
        return self._generator.integers(low, high, size=size, dtype=dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Return integers from `low` up to and with `high`.

        Parameters
        ----------
        low, high : int or array_like of int
            Ends of the interval, which may both come; without `high` they are 1 and `low`.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        """
        first, last = (1, low) if high is None else (low, high)
        text = f"This function is deprecated. Please call randint({first}, {last} + 1) instead"
        warn_user(text, DeprecationWarning)
        return self._generator.integers(first, last, size=size, endpoint=True)

    def random_sample(self, size: Any = None) -> Any:
        """Return numbers evenly distributed over [0, 1)."""
        return self._generator.random(size)

    random = random_sample

    def tomaxint(self, size: Any = None) -> Any:
        """Return integers from 0 to the largest int64."""
        return self._generator.integers(0, 2**63 - 1, size=size, endpoint=True)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Return elements drawn from `a`.

        Parameters
        ----------
        a : int or array_like
            An integer stands for ``arange(a)``.
        size : int or tuple of int, optional
            Shape of the result; default: one element.
        replace : bool
            Whether an element may be drawn again.
        p : array_like, optional
            The probability of each element; default: equal ones.

        Raises
        ------
        ArgumentError
            If `a` has more than one axis.
        """
        if np.ndim(a) > 1:
            raise ArgumentError("'a' must be 1-dimensional", origin=origin())
        return self._generator.choice(a, size=size, replace=replace, p=p)

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Return the frequency of each outcome of `n` trials, as int64.

        Parameters
        ----------
        n : int or float
            Trials; a float is truncated.
        pvals : array_like
            Probabilities of the outcomes, a vector.
        size : int or tuple of int, optional
            Draws; default: one.

        Raises
        ------
        ArgumentError
            If `pvals` has other than one axis.
        """
        if np.ndim(pvals) != 1:
            raise ArgumentError("'pvals' must be 1-d", origin=origin())
        return self._generator.multinomial(int(n), pvals, size=size)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return numbers evenly distributed between two ends, which may come in either order.

        Parameters
        ----------
        low, high : array_like
            Ends of the interval; the second one does not come.
        size : int or tuple of int, optional
            Shape of the result; default: that of the arguments broadcast together.
        """
        if type(low) in _NUMBERS and type(high) in _NUMBERS and low <= high:
            return self._generator.uniform(low, high, size)
        return self._generator._uniform(size, *range_of(low, high, ordered=False))

    def hypergeometric(self, ngood: Any, nbad: Any, nsample: Any, size: Any = None) -> Any:
        """Return the good ones of samples without replacement, of any numbers of good and bad.

        Parameters
        ----------
        ngood, nbad, nsample : array_like of int
            Of the population, and of a sample.
        size : int or tuple of int, optional
            Shape of the result; default: that of the parameters broadcast together.
        """
        name = f"{LEGACY}hypergeometric"
        return self._generator._hypergeometric(name, size, ngood, nbad, nsample)


#: Methods that the class has for draws of its own, and those that draw from NumPy's generator hide.
_DEFINED = tuple(name for name in vars(RandomState) if not name.startswith("_"))

#: Distributions that numpy.random's functions and RandomState share with Generator.
_DISTRIBUTIONS = (
    "beta binomial bytes chisquare dirichlet exponential f gamma geometric gumbel hypergeometric "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f normal pareto permutation poisson power rayleigh shuffle "
    "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "uniform vonmises wald weibull zipf"
).split()
_OWN = "choice get_state rand randint randn random random_integers random_sample set_state".split()

_lock = threading.RLock()
_shared: list[RandomState] = []
#: The methods of the generator of the process that its functions call, by name, until it draws from
#: another source.
_methods: dict[str, Callable[..., Any]] = {}


def _state() -> RandomState:
    """Return the generator of the process, seeded by the system when first used."""
    with _lock:
        if not _shared:
            _shared.append(RandomState())
        return _shared[0]


def _method(name: str) -> Callable[..., Any]:
    """Return a method of the generator of the process, and remember it."""
    with _lock:
        method: Callable[..., Any] = getattr(_state(), name)
        _methods[name] = method
    return method


def _function(name: str, alias: str | None = None) -> Callable[..., Any]:
    @functools.wraps(getattr(RandomState, name, None) or getattr(Generator, name))
    def call(*args: Any, **keywords: Any) -> Any:
        method = _methods.get(name) or _method(name)
        return method(*args, **keywords)

    call.__name__ = call.__qualname__ = alias or name
    call.__module__ = "lazyarr.random"
    call.__doc__ = (
        f"Return ``{name}`` of the generator of the whole process; see :class:`Generator`.\n\n"
        "    After :func:`seed` the numbers are those of NumPy's function of this name.\n"
    )
    return call


def seed(seed: Any = None) -> None:
    """Let the functions of this module begin again from a seed, with NumPy's numbers.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> np.random.seed(3)
    >>> la.random.seed(3)
    >>> bool((la.random.rand(2) == np.random.rand(2)).all())
    True
    """
    state = _state()
    bits = None if state._source is None else state._bit_generator
    if bits is None or isinstance(bits, np.random.MT19937) or scope() is not None:
        state.seed(seed)
    else:
        bits.state = type(bits)(seed).state


def get_bit_generator() -> np.random.BitGenerator:
    """Return the bit generator that the functions of this module draw from now on."""
    return _state()._bit_generator


def set_bit_generator(bitgen: np.random.BitGenerator) -> None:
    """Let the functions of this module draw from a bit generator of NumPy's.

    Parameters
    ----------
    bitgen : numpy.random.BitGenerator
        Of its state, not of a copy.
    """
    if not isinstance(bitgen, np.random.BitGenerator):
        raise AttributeError(f"{type(bitgen).__name__!r} object has no attribute 'capsule'")
    _state()._draw_from(np.random.RandomState(bitgen))


get_state = _function("get_state")
set_state = _function("set_state")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _function(name) for name in (*_DISTRIBUTIONS, *_OWN)},
    "ranf": _function("random_sample", "ranf"),
    "sample": _function("random_sample", "sample"),
    "get_bit_generator": get_bit_generator,
    "seed": seed,
    "set_bit_generator": set_bit_generator,
}
"""The functions of the module, by name."""
