"""Reductions that leave NaN out, from values that are NaN themselves."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import config

pytestmark = pytest.mark.host

NAN = np.nan
VALUES = {
    "float64": np.array([[1.0, NAN, 3.0], [NAN, NAN, NAN]]),
    "float16": np.array([[1.0, NAN, 3.0], [NAN, NAN, NAN]], "f2"),
    "complex128": np.array([[1 + 1j, complex(NAN, 2), 3], [complex(1, NAN), NAN, 2j]]),
    "complex64": np.array([[complex(NAN, 1), complex(2, NAN), NAN], [3, 4j, 5]], "c8"),
    "nothing": np.zeros((2, 0), complex),
    "int64": np.array([[3, 4], [5, 6]]),
}
INITIALS = [NAN, complex(NAN, 1), complex(1, NAN), 2, 2.5, np.inf, -np.inf, 1 + 1j]


@pytest.fixture(params=[0, 4096], ids=["compiled", "immediate"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with config(immediate=request.param):
        yield


def _outcome(module: Any, name: str, values: Any, **keywords: Any) -> tuple[Any, set[str]]:
    """Return the result, or the class of the error, and the warnings."""
    with warnings.catch_warnings(record=True) as seen, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            result = np.asarray(getattr(module, name)(module.asarray(values), **keywords))
        except (TypeError, ValueError, OverflowError) as error:
            kinds = [
                kind for kind in (TypeError, ValueError, OverflowError) if isinstance(error, kind)
            ]
            return kinds, set()
    return result, {str(warning.message) for warning in seen}


@pytest.mark.parametrize("axis", [None, 0, 1, (), (0, 1)])
@pytest.mark.parametrize("initial", INITIALS)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("name", ["nanmax", "nanmin", "max", "min"])
def test_initial_values(name: str, kind: str, initial: Any, axis: Any) -> None:
    values = VALUES[kind]
    where = np.arange(values.size).reshape(values.shape) % 3 != 1
    for keywords in {}, {"keepdims": True}, {"where": where}:
        arguments = {"initial": initial, "axis": axis, **keywords}
        expected, theirs = _outcome(np, name, values, **arguments)
        value, mine = _outcome(la, name, values, **arguments)
        if isinstance(expected, list):
            assert isinstance(value, list) and set(expected) <= set(value)
            continue
        assert (value.dtype, value.shape, mine) == (expected.dtype, expected.shape, theirs)
        np.testing.assert_array_equal(value.real, expected.real)
        np.testing.assert_array_equal(value.imag, expected.imag)


@pytest.mark.parametrize("initial", [NAN, 2.0])
def test_an_initial_value_that_only_an_evaluation_gives(initial: float) -> None:
    values = VALUES["float64"]
    lazy = la.asarray([initial]).sum()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = la.nanmax(la.asarray(values), axis=1, initial=lazy)
        np.testing.assert_array_equal(result, np.nanmax(values, axis=1, initial=initial))


def test_products_over_no_axes_multiply() -> None:
    values = np.array([complex(1, NAN), 2.0, complex(NAN, 3)])
    product = np.asarray(la.prod(la.asarray(values), axis=()))
    np.testing.assert_array_equal(product.real, np.prod(values, axis=()).real)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_the_mean_of_nothing_has_numpys_sign(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape, np.float32)
    axis = shape.index(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(np.nanmean(x, axis=axis))
        assert np.asarray(la.nanmean(la.asarray(x), axis=axis)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("function", ["nanvar", "nanstd"])
@pytest.mark.parametrize(("own", "other"), [("f2", "f4"), ("f4", "f8")])
def test_squares_are_stored_as_the_array_is(function: str, own: str, other: str) -> None:
    x = (np.random.default_rng(3).normal(size=(3, 7)) * (1 if own[0] == "f" else 1 + 0.5j)).astype(
        own
    )
    x[1, 2] = NAN
    expected = getattr(np, function)(x, axis=1, dtype=other)
    result = np.asarray(getattr(la, function)(la.asarray(x), axis=1, dtype=other))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-15 if other != "f4" else 3e-7)


SPREAD = ["std", "var"]
WITHOUT_NANS = ["nanstd", "nanmedian", "nanargmax", "nanargmin", "nanpercentile", "nanquantile"]


def _called(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return the value of a call, or its error, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = np.asarray(call())
        except ValueError as error:
            return type(error).__name__, []
    return value, sorted({str(warning.message) for warning in caught})


@pytest.mark.parametrize("name", [*SPREAD, *WITHOUT_NANS])
@pytest.mark.parametrize("seed", range(10))
def test_lines_of_nans_and_degrees_of_freedom(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 7, random.integers(1, 4)))
    x = random.standard_normal(shape)
    if name in WITHOUT_NANS:
        x[random.random(shape) < random.choice([0, 0.2, 0.8])] = np.nan
    first = {"nanpercentile": [30], "nanquantile": [1]}.get(name, [])
    keywords = {"ddof": int(random.integers(0, 3))} if name in SPREAD else {}
    axes: list[Any] = [None, *range(-len(shape), len(shape))]
    if "arg" not in name:
        axes.append(tuple(range(len(shape))))
    for axis in axes:
        for call in (
            lambda xp, a, axis=axis: getattr(xp, name)(a, *first, axis=axis, **keywords),
            lambda xp, a, axis=axis: getattr(xp, name)(a, *first, axis, **keywords),
        ):
            expected, warned = _called(lambda call=call: call(np, x))
            with la.config(immediate=4096):
                value, own = _called(lambda call=call: call(la, la.array(x)))
            assert own == warned
            if isinstance(expected, str):
                assert isinstance(value, str)
            else:
                np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-15)
