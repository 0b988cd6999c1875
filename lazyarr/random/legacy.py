"""The names of numpy.random that draw from one generator of the whole process.

Their numbers are those of :func:`lazyarr.random.default_rng`, not those of NumPy's Mersenne
twister: a seed makes a program repeat itself, and no more.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.random.counters import Stream
from lazyarr.random.generator import Generator

__all__ = ["FUNCTIONS", "RandomState", "get_state", "seed", "set_state"]


def _checked(seed: Any) -> Any:
    """Return a seed; integers have to have 32 bits, as those of NumPy's older interface."""
    if not isinstance(seed, (int, np.integer, list, tuple, np.ndarray)):
        return seed
    numbers = np.asarray(seed)
    if numbers.ndim > 1:
        raise ArgumentError("Seed array must be 1-d", origin=origin())
    if not numbers.size:
        raise ArgumentError("Seed must be non-empty", origin=origin())
    if not all(0 <= number < 2**32 for number in np.atleast_1d(numbers).tolist()):
        raise ArgumentError("Seed must be between 0 and 2**32 - 1", origin=origin())
    return seed


class RandomState:
    """NumPy's older interface to random numbers, over a :class:`Generator`.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        See :func:`lazyarr.random.default_rng`. The numbers are not those of NumPy's RandomState.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.random.RandomState(0).randint(0, 10, size=3).shape
    (3,)
    """

    def __init__(self, seed: Any = None) -> None:
        self._generator = seed if isinstance(seed, Generator) else Generator(_checked(seed))

    def __repr__(self) -> str:
        return f"RandomState(Philox4x32-10) at 0x{id(self):X}"

    def __getattr__(self, name: str) -> Any:
        # Distributions have the same name in both interfaces.
        if name.startswith("_") or not hasattr(np.random.RandomState, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._generator, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_DISTRIBUTIONS})

    def seed(self, seed: Any = None) -> None:
        """Begin again from a seed."""
        self._generator = Generator(_checked(seed))

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Return the position of the draws in their stream, for :meth:`set_state`."""
        return {"bit_generator": "Philox4x32-10", "stream": copy(self._generator.stream)}

    def set_state(self, state: Any) -> None:
        """Go on from where :meth:`get_state` was called."""
        stream = state.get("stream") if isinstance(state, dict) else None
        if not isinstance(stream, Stream):
            raise ArgumentError(
                "a state is what lazyarr's get_state returned",
                origin=origin(),
                hint="numpy.random's states do not fit these streams",
            )
        self._generator = Generator(copy(stream))

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


#: Distributions that numpy.random's functions and RandomState share with Generator.
_DISTRIBUTIONS = (
    "beta binomial bytes chisquare dirichlet exponential f gamma geometric gumbel hypergeometric "
    "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f normal pareto permutation poisson power rayleigh shuffle "
    "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "uniform vonmises wald weibull zipf"
).split()
_OWN = "choice get_state rand randint randn random random_integers random_sample set_state".split()

_lock = threading.Lock()
_shared: list[RandomState] = []


def _state() -> RandomState:
    """Return the generator of the process, seeded by the system when first used."""
    with _lock:
        if not _shared:
            _shared.append(RandomState())
        return _shared[0]


def _function(name: str, alias: str | None = None) -> Callable[..., Any]:
    def call(*args: Any, **keywords: Any) -> Any:
        return getattr(_state(), name)(*args, **keywords)

    call.__name__ = call.__qualname__ = alias or name
    call.__module__ = "lazyarr.random"
    call.__doc__ = (
        f"Return ``{name}`` of the generator of the whole process; see :class:`Generator`.\n\n"
        "    The numbers are not those of NumPy's function of this name.\n"
    )
    return call


def seed(seed: Any = None) -> None:
    """Let the functions of this module begin again from a seed.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.random.seed(3)
    >>> x = la.random.rand(2).compute()
    >>> la.random.seed(3)
    >>> bool((la.random.rand(2) == x).all())
    True
    """
    _state().seed(seed)


get_state = _function("get_state")
set_state = _function("set_state")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _function(name) for name in (*_DISTRIBUTIONS, *_OWN)},
    "ranf": _function("random_sample", "ranf"),
    "sample": _function("random_sample", "sample"),
    "seed": seed,
}
"""The functions of the module, by name."""
