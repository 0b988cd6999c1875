"""Windows of signals, as NumPy gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError
from lazyarr.numpy_api import elementwise, statistics
from lazyarr.numpy_api.creation import ones
from lazyarr.numpy_api.equal_steps import arange
from lazyarr.numpy_api.selection import where

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _points(size: Any) -> float:
    """Return a number of points; texts are none."""
    if isinstance(size, (str, bytes)):
        raise DTypeError(f"the number of points must be a number, got {size!r}", origin=origin())
    if isinstance(size, np.generic):
        build.as_dtype(size.dtype)  # which the window would have
    return float(size)


def _waves(size: Any, *amplitudes: float) -> LazyArray:
    """Return a sum of cosines of 0, 1, 2, ... periods over a window, highest in its middle."""
    count = _points(size)
    if count <= 1:
        return ones(1 if count == 1 else 0)
    places = arange(1 - count, count, 2)
    total: Any = amplitudes[0]
    for periods, amplitude in enumerate(amplitudes[1:], 1):
        angles = (periods * math.pi) * places / (count - 1)
        total = total + amplitude * elementwise.FUNCTIONS["cos"](angles)
    return as_lazy(total)


def hanning(M: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the Hann window: a raised cosine of `M` points.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.hanning(5).compute()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _waves(M, 0.5, 0.5)


def hamming(M: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the Hamming window of `M` points."""
    return _waves(M, 0.54, 0.46)


def blackman(M: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the Blackman window of `M` points."""
    return _waves(M, 0.42, 0.5, 0.08)


def bartlett(M: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the Bartlett window of `M` points: a triangle that ends in zeros."""
    count = _points(M)
    if count <= 1:
        return _waves(M, 1.0)
    places = arange(1 - count, count, 2)
    slope = places / (count - 1)
    return as_lazy(where(places <= 0, 1 + slope, 1 - slope))


def kaiser(M: Any, beta: Any) -> LazyArray:  # noqa: N803 - NumPy's name
    """Return the Kaiser window, the narrower the larger `beta`.

    Parameters
    ----------
    M : int
        Number of points.
    beta : float
        Shape: 0 is a rectangle, 5 is like a Hamming window, 8.6 like a Blackman window.

    Returns
    -------
    LazyArray
        ``i0(beta * sqrt(1 - t**2)) / i0(beta)`` for t from -1 to 1.
    """
    count, shape = _points(M), float(beta)
    if count <= 1:
        return _waves(M, 1.0)
    middle = (count - 1) / 2
    square = 1 - ((arange(0, count) - middle) / middle) ** 2.0
    bessel = statistics.FUNCTIONS["i0"]
    return as_lazy(bessel(shape * elementwise.FUNCTIONS["sqrt"](square)) / bessel(shape))
