"""Learning rates that depend on the number of updates done before.

Each returns a function of that number, which may be a Python number or the step of a compiled
update; its result is float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.elementwise import FUNCTIONS
from lazyarr.numpy_api.selection import where
from lazyarr.tracing import recorded

__all__ = ["cosine", "exponential", "piecewise", "warmup"]

#: A function of the number of updates done before.
Schedule = Callable[[Any], LazyArray]


def _real(step: Any) -> LazyArray:
    return as_lazy(step).astype(np.float64)


def _positive(value: float, name: str) -> float:
    if not value > 0:
        raise ArgumentError(f"{name} must be positive, got {value}", origin=origin())
    return value


def exponential(rate: float, decay: float, steps: float = 1) -> Schedule:
    """Return ``rate * decay**(step / steps)``.

    Parameters
    ----------
    rate : float
        At the start.
    decay : float
        Factor over `steps` updates.
    steps : float
        How many.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.optim.exponential(1.0, 0.5, 10)(20).compute()
    array(0.25)
    """
    _positive(decay, "decay")
    _positive(steps, "steps")

    @recorded
    def schedule(step: Any) -> LazyArray:
        return as_lazy(rate * FUNCTIONS["power"](decay, _real(step) / steps))

    return schedule


def cosine(rate: float, steps: float, *, final: float = 0.0) -> Schedule:
    """Return half a wave of the cosine from `rate` down to `final`, which then stays.

    Parameters
    ----------
    rate : float
        At the start.
    steps : float
        Updates until the end.
    final : float
        At the end.

    References
    ----------
    Loshchilov, Hutter: SGDR: Stochastic gradient descent with warm restarts, 2017, equation 5.

    Examples
    --------
    >>> import lazyarr as la
    >>> rate = la.optim.cosine(2.0, 100)
    >>> [float(rate(step).compute().round(12)) for step in (0, 50, 100, 200)]
    [2.0, 1.0, 0.0, 0.0]
    """
    _positive(steps, "steps")

    @recorded
    def schedule(step: Any) -> LazyArray:
        part = FUNCTIONS["minimum"](_real(step) / steps, 1.0)
        return as_lazy(final + (rate - final) * 0.5 * (1 + FUNCTIONS["cos"](math.pi * part)))

    return schedule


def piecewise(rates: Sequence[float], bounds: Sequence[int]) -> Schedule:
    """Return the first rate before the first bound, the next from there on, and so forth.

    Parameters
    ----------
    rates : sequence of float
        One more than there are bounds.
    bounds : sequence of int
        Numbers of updates, ascending.

    Examples
    --------
    >>> import lazyarr as la
    >>> rate = la.optim.piecewise([1.0, 0.1], [100])
    >>> float(rate(99)), float(rate(100))
    (1.0, 0.1)
    """
    if len(rates) != len(bounds) + 1 or list(bounds) != sorted(set(bounds)):
        raise ArgumentError(
            "bounds must be ascending, and rates must have one entry more; got "
            f"{len(rates)} rates and bounds {list(bounds)}",
            origin=origin(),
        )

    @recorded
    def schedule(step: Any) -> LazyArray:
        count = as_lazy(step)
        current: Any = as_lazy(float(rates[0]))
        for rate, bound in zip(rates[1:], bounds, strict=True):
            current = where(count >= bound, float(rate), current)
        return as_lazy(current)

    return schedule


def warmup(steps: float, then: float | Schedule) -> Schedule:
    """Return a rate that grows evenly over the first updates, before a schedule begins.

    Parameters
    ----------
    steps : float
        Updates until the full rate is reached; the first one has ``1 / steps`` of it.
    then : float or callable
        A rate, or a schedule that counts from the end of the warm-up.

    References
    ----------
    Goyal et al.: Accurate, large minibatch SGD, 2017, section 2.2.

    Examples
    --------
    >>> import lazyarr as la
    >>> rate = la.optim.warmup(4, 1.0)
    >>> [float(rate(step)) for step in (0, 1, 3, 4)]
    [0.25, 0.5, 1.0, 1.0]
    """
    _positive(steps, "steps")

    @recorded
    def schedule(step: Any) -> LazyArray:
        count = _real(step)
        later = then(FUNCTIONS["maximum"](count - steps, 0.0)) if callable(then) else then
        first = then(0) if callable(then) else then
        return as_lazy(where(count < steps, first * ((count + 1) / steps), later))

    return schedule
