"""What no kernel computes: NumPy is called at once, however large arrays in memory are."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from tests.support.comparison import bits

Array = np.ndarray[Any, Any]

_EDGES = np.array([-1.5, -0.5, 0.0, 0.5, 3.0])
_FUNCTIONS: list[Callable[[Any, Any], Any]] = [
    lambda np, x: np.convolve(x, np.ones(5), "valid"),
    lambda np, x: np.correlate(x, x[:7], "same"),
    lambda np, x: np.argsort(x, kind="stable"),
    lambda np, x: np.digitize(x, _EDGES),
    lambda np, x: np.interp(x, _EDGES, _EDGES**2),
    lambda np, x: np.isin(x, x[:9]),
    lambda np, x: np.median(x),
    lambda np, x: np.percentile(x, [5, 50]),
    lambda np, x: np.quantile(x, 0.3),
    lambda np, x: np.searchsorted(_EDGES, x),
    lambda np, x: np.nanmedian(x),
    lambda np, x: x.argsort(kind="stable"),
    lambda np, x: np.convolve(x, x[:0]),  # refused
    lambda np, x: np.quantile(x, 1.5),  # refused
]
_VIEWS: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: x[::-1],
    lambda x: x[5::2],
    lambda x: x * 2 - 1,
    lambda x: -x[3:],
]


def _outcome(program: Callable[[], Any]) -> tuple[Any, set[tuple[Any, str]]]:
    """Return the values of a program, or the class of its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value: Any = np.asarray(program())
        except ValueError:
            value = ValueError
    return value, {(warning.category, str(warning.message)) for warning in caught}


@pytest.mark.parametrize("seed", range(3))
def test_random_members_are_those_of_numpy(seed: int) -> None:
    draw = random.Random(seed)
    rng = np.random.default_rng(seed)
    for function in _FUNCTIONS:
        values = rng.standard_normal(draw.choice([700, 901])).round(1)
        values = values.astype(draw.choice(["f8", "f4"]))
        if draw.random() < 0.4:
            values[rng.random(values.size) < 0.1] = draw.choice([np.nan, np.inf, -0.0])
        view = draw.choice(_VIEWS)
        with la.config(immediate=8, implicit="allow"):
            lazy = draw.choice([la.array, la.asarray])(values.copy())
            namespace = draw.choice([la, np])
            expected = _outcome(lambda: function(np, view(values)))  # noqa: B023
            got = _outcome(lambda: function(namespace, view(lazy)))  # noqa: B023
        assert got[1] == expected[1]
        if expected[0] is ValueError:
            assert got[0] is ValueError
        else:
            assert (got[0].dtype, bits(got[0].copy())) == (expected[0].dtype, bits(expected[0]))


@pytest.mark.skipif(COMPILED is None, reason="the form without C calls them of few elements alone")
def test_nothing_calls_a_library_twice() -> None:
    values = np.arange(2000.0)
    with la.config(immediate=8, implicit="allow"):
        result = la.convolve(la.asarray(values), np.ones(3))
        assert result._array is not None
        values[:] = 0
        assert float(result.max()) == 3 * 1998
        bounded = la.asarray(values)
        with la.config(max_memory=1 << 20):
            assert la.convolve(bounded, np.ones(3))._array is None
