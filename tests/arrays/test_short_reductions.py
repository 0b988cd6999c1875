"""Reductions by loops of the compiled form: the bits, dtypes and warnings of NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


NAMES = "sum prod min max any all mean argmin argmax".split()
SHAPES = [
    (1,),
    (7,),
    (8,),
    (17,),
    (129,),
    (1000,),
    (4095,),
    (5, 3),
    (3, 1),
    (1, 3),
    (300, 3),
    (40, 8),
]
SHAPES += [(6, 130), (3, 4, 5), (2, 1, 9), (2, 3, 4, 5), (2, 2, 2, 2, 2)]


def _values(shape: tuple[int, ...], dtype: Any) -> Any:
    rng = np.random.default_rng(len(shape) + shape[0])
    if dtype == "?":
        return rng.random(shape) > 0.5
    if np.dtype(dtype).kind == "i":
        return rng.integers(-9, 9, shape).astype(dtype)
    return (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)


def _compared(a: Any, axis: Any) -> None:
    x = la.array(a)
    for name in NAMES if type(axis) is not tuple else NAMES[:-2]:
        for keepdims in (False, True):
            expected = getattr(a, name)(axis=axis, keepdims=keepdims)
            for result in (
                getattr(x, name)(axis=axis, keepdims=keepdims),
                getattr(np, name)(x, axis=axis, keepdims=keepdims),
                getattr(la, name)(x, axis, keepdims=keepdims),
            ):
                np.testing.assert_array_equal(result, expected, err_msg=name, strict=True)
                value = np.asarray(result)
                assert (
                    np.signbit(value).tolist() == np.signbit(expected).tolist()
                    or value.dtype == "?"
                )
                assert value.flags.owndata or value.base is not None
            if keepdims:
                assert getattr(x, name)(axis, keepdims=True).strides == expected.strides


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "?"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_bits_of_numpys(shape: tuple[int, ...], dtype: str) -> None:
    a = _values(shape, dtype)
    if dtype == "?":
        a = np.asarray(a)
    pairs = [(k, k + 1) for k in range(len(shape) - 1)]
    for axis in (None, *range(len(shape)), -1, *pairs):
        with np.errstate(all="ignore"):
            if dtype == "?":
                for name in ("sum", "any", "all", "mean"):
                    expected = getattr(a, name)(axis=axis)
                    np.testing.assert_array_equal(
                        getattr(la.array(a), name)(axis=axis), expected, strict=True
                    )
            else:
                _compared(a, axis)


@pytest.mark.parametrize("special", [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324])
@pytest.mark.parametrize("place", [0, 3, 8, 19])
def test_special_values(special: float, place: int) -> None:
    for fill in (-0.0, 0.0, 1.0, -1.0, np.nan):
        row = np.full(20, fill)
        row[place] = special
        with np.errstate(all="ignore"):
            for a in (row, row.reshape(4, 5), row.reshape(2, 5, 2)):
                for axis in (None, *range(a.ndim)):
                    _compared(a, axis)


def test_views_and_orders() -> None:
    a = np.random.default_rng(1).standard_normal((12, 10))
    x = la.array(a)
    for key in (np.s_[::2], np.s_[:, 1], np.s_[:, ::3], np.s_[3], np.s_[2:5, 3:7]):
        for name in NAMES:
            np.testing.assert_array_equal(getattr(x[key], name)(), getattr(a[key], name)())
            np.testing.assert_array_equal(
                getattr(x[key], name)(axis=0), getattr(a[key], name)(axis=0)
            )
            np.testing.assert_array_equal(getattr(x[key].T, name)(-1), getattr(a[key].T, name)(-1))


def test_exceptions_are_reported_as_numpys() -> None:
    for a in (np.full(3, 1e308), np.array([[np.inf, -np.inf]]), np.full((2, 2), 1e200)):
        for name in ("sum", "prod", "mean"):
            messages = []
            for x in (a, la.array(a)):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    la.evaluate(la.asarray(getattr(x, name)(axis=-1)))
                messages.append([str(warning.message) for warning in caught])
            assert messages[0] == messages[1]


@pytest.mark.parametrize("shape", [(3,), (1000,), (50, 3), (40, 9), (3, 4, 5)])
def test_norms(shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(2).standard_normal(shape)
    for values in (a, a[::2], a * 1e200, np.full(shape, np.nan), np.full(shape, -0.0)):
        x = la.array(values)
        for axis in (None, *range(len(shape)), -1):
            for keepdims in (False, True):
                with np.errstate(over="ignore"):
                    expected = np.linalg.norm(values, axis=axis, keepdims=keepdims)
                    for result in (
                        np.linalg.norm(x, axis=axis, keepdims=keepdims),
                        la.linalg.norm(x, axis=axis, keepdims=keepdims),
                    ):
                        np.testing.assert_array_equal(result, expected, strict=True)
        if len(shape) < 3:
            for order in (1, np.inf):
                with np.errstate(over="ignore"):
                    expected = np.linalg.norm(values, order)
                    np.testing.assert_array_equal(la.linalg.norm(x, order), expected)
    with pytest.warns(RuntimeWarning, match="overflow"):
        la.evaluate(la.linalg.norm(la.array(np.full((2, 2), 1e200)), axis=0))


@pytest.mark.parametrize("dtype", ["f8", "i8", "?"])
def test_extrema_and_truths_along_slices_and_rows(dtype: str) -> None:
    a = (np.random.default_rng(3).standard_normal((70, 90)) * 9).astype(dtype)
    for axis in (0, 1):
        for name in ("max", "min", "any", "all", "sum"):
            expected = getattr(np, name)(a, axis=axis)
            for x in (la.asarray(a), a):
                np.testing.assert_array_equal(
                    getattr(la, name)(x, axis=axis), expected, strict=True
                )
