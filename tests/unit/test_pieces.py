"""Piecewise functions, angles, windows, indices of triangles, and reading bits, against NumPy."""

from __future__ import annotations

import itertools
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]


def same(found: Any, expected: Any, **tolerance: Any) -> None:
    value = la.evaluate(found) if isinstance(found, la.LazyArray) else found
    assert value.dtype == expected.dtype
    assert value.shape == expected.shape
    if tolerance:
        np.testing.assert_allclose(value, expected, **tolerance)
    else:
        np.testing.assert_array_equal(value, expected)


PIECES: dict[str, Callable[[Any], Any]] = {
    "functions": lambda x: np.piecewise(x, [x < 0, x >= 2], [np.negative, np.sqrt]),
    "numbers": lambda x: np.piecewise(x, [x < 0, x >= 2], [-1, 7, 3]),
    "rest": lambda x: np.piecewise(x, [x < 0], [lambda v: v * v, lambda v: v + 10]),
    "overlapping": lambda x: np.piecewise(x, [x < 1, x < 0], [1, np.exp]),
    "one condition": lambda x: np.piecewise(x, x > 0, [lambda v: 1 / v, 0]),
    "arguments": lambda x: np.piecewise(x, [x > 0], [lambda v, k, n=0: v * k + n], 3, n=1),
    "nothing": lambda x: np.piecewise(x, [x > 99], [np.log]),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", PIECES)
def test_piecewise(name: str, dtype: Any) -> None:
    x = np.arange(-4, 5).astype(dtype)
    # Of a condition alone, NumPy looks at the first row.
    for given in (x,) if name == "one condition" else (x, x.reshape(3, 3), x[:0]):
        same(PIECES[name](la.asarray(given)), PIECES[name](given), rtol=1e-6)


def test_piecewise_of_one_number() -> None:
    for value in (-1.0, 2.0):
        x = np.array(value)
        expected = np.piecewise(x, [x < 0, x >= 0], [-5, 6])
        same(np.piecewise(la.asarray(x), [x < 0, x >= 0], [-5, 6]), expected)


def test_piecewise_fuses_and_is_silent_about_what_is_not_selected() -> None:
    x = la.asarray(np.arange(-4.0, 5.0))
    y = np.piecewise(x, [x <= 0, x > 0], [0, np.log])
    assert not la.explain(y).fallbacks
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.evaluate(y)


def test_piecewise_wants_a_function_for_each_condition() -> None:
    x = la.arange(3.0)
    with pytest.raises(ValueError, match="either 2 or 3 functions"):
        np.piecewise(x, [x > 0, x > 1], [1])


ANGLES = {
    "floats": np.array([0.0, 3.0, 6.5, -2.0, 9.0, 9.0 + np.pi, 1.0, -12.0, 40.0]),
    "single": np.linspace(0, 30, 7).astype(np.float32),
    "table": np.cumsum(np.random.default_rng(0).normal(size=(5, 6)) * 3, axis=1),
    "integers": np.array([0, 3, 2, 1, 9, -7, 30]),
    "one": np.array([2.0]),
    "none": np.zeros((0,)),
}


@pytest.mark.parametrize("name", ANGLES)
def test_unwrap(name: str) -> None:
    x = ANGLES[name]
    options: list[dict[str, Any]] = [{}, {"period": 4}, {"period": 5}, {"discont": 4.0}]
    options += [{"discont": 1.0, "period": 3.5}, *([{"axis": 0}] if x.ndim == 2 else [])]
    for keywords in options:
        expected = np.unwrap(x, **keywords)
        same(np.unwrap(la.asarray(x), **keywords), expected, rtol=1e-6, atol=1e-6)
    assert not la.explain(np.unwrap(la.asarray(ANGLES["table"]))).fallbacks


def test_apply_over_axes() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes in (0, [0, 2], (-1, 1), []):
        for function in (np.sum, np.cumsum):
            same(
                np.apply_over_axes(function, la.asarray(x), axes),
                np.apply_over_axes(function, x, axes),
            )
    with pytest.raises(ValueError, match="correct shape"):
        np.apply_over_axes(lambda a, axis: a.sum(), la.asarray(x), [0])


WINDOWS = ["bartlett", "blackman", "hamming", "hanning"]


@pytest.mark.parametrize("size", [-1, 0, 1, 2, 3, 12, 51, 6.5])
def test_windows(size: float) -> None:
    for name in WINDOWS:
        same(getattr(la, name)(size), getattr(np, name)(size), rtol=1e-14, atol=1e-15)
    if size == int(size) >= 0:
        for beta in (0, 5, 14.0):
            same(la.kaiser(size, beta), np.kaiser(size, beta), rtol=1e-12)


def test_indices_of_diagonals_and_triangles() -> None:
    square, table = np.zeros((4, 4)), np.zeros((3, 5))
    pairs: list[tuple[Any, Any]] = [
        (la.diag_indices(3), np.diag_indices(3)),
        (la.diag_indices(2, 3), np.diag_indices(2, 3)),
        (np.diag_indices_from(la.asarray(square)), np.diag_indices_from(square)),
    ]
    for name, k in itertools.product(("tril", "triu"), (-1, 0, 2)):
        of_size, of_array = (getattr(np, f"{name}_indices{end}") for end in ("", "_from"))
        pairs.append((getattr(la, f"{name}_indices")(3, k, 4), of_size(3, k, 4)))
        pairs.append((of_array(la.asarray(table), k), of_array(table, k)))
    for found, expected in pairs:
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)


@pytest.mark.parametrize("shape", [(3,), (2, 3), ()])
def test_indices_want_a_matrix(shape: tuple[int, ...]) -> None:
    x = la.zeros(shape)
    with pytest.raises(ValueError, match="input array must be"):
        np.diag_indices_from(x)
    if len(shape) != 2:
        with pytest.raises(ValueError, match="must be 2-d"):
            np.tril_indices_from(x)


@pytest.mark.parametrize("source", ["f8", "f4", "c16", "i2", "u8", "?"])
@pytest.mark.parametrize("target", ["f8", "u8", "i4", "u1", "c8", "f2"])
def test_bits_read_as_another_dtype(source: str, target: str) -> None:
    values = (np.arange(32) % 7).astype(source)
    for x in (values, values.reshape(4, 8), values.reshape(8, 4).T, values[::-2]):
        given = np.ascontiguousarray(x)
        found = (la.asarray(x) * np.array(1, source)).view(target)
        same(la.asarray(x).view(target), given.view(target))
        same(found, given.view(target))


def test_bits_that_do_not_fit() -> None:
    for x in (np.zeros((2, 3), np.float32), np.float32(1)):
        with pytest.raises(la.errors.DTypeError, match="cannot read float32"):
            la.asarray(x).view(np.float64)
    x = la.arange(3)
    y = x.view()
    y[0] = 9
    same(x, np.arange(3))


@pytest.mark.parametrize("shape", [(3, 2), (2, 2), (9,), 4, (0,), (2, 0)])
def test_resize_in_place(shape: Any) -> None:
    given = np.arange(6.0).reshape(2, 3)
    expected = given.copy()
    expected.resize(shape, refcheck=False)
    x = la.asarray(given)
    x.resize(shape)
    same(x, expected)
    np.testing.assert_array_equal(given, np.arange(6.0).reshape(2, 3))


def test_values_go_to_files(tmp_path: Path) -> None:
    x = np.arange(6.0).reshape(2, 3)
    doubled = la.asarray(x) * 2
    doubled.tofile(tmp_path / "bytes")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "bytes"), 2 * x.ravel())
    doubled.tofile(tmp_path / "text", sep=",", format="%d")
    assert (tmp_path / "text").read_text() == "0,2,4,6,8,10"
    doubled.dump(tmp_path / "pickle")
    for data in ((tmp_path / "pickle").read_bytes(), doubled.dumps()):
        np.testing.assert_array_equal(pickle.loads(data), 2 * x)


@pytest.mark.parametrize(
    "convert",
    [
        lambda z, x: z.astype(np.float32),
        lambda z, x: z.astype(np.int8),
        lambda z, x: x.__setitem__(0, z[0]),
        lambda z, x: np.copyto(x, z, casting="unsafe"),
    ],
)
def test_imaginary_parts_that_are_dropped(convert: Callable[[Any, Any], Any]) -> None:
    z, x = np.array([1 + 2j, 3]), np.zeros((2, 2))
    for make in (np.array, la.asarray):
        with pytest.warns(
            np.exceptions.ComplexWarning, match="discards the imaginary part"
        ) as found:
            convert(make(z), make(x))
        if make is la.asarray:
            assert [w.filename for w in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.asarray(z).astype(bool)


def test_covariances_of_one_row() -> None:
    x = np.random.default_rng(0).random((1, 4))
    assert np.cov(x[:, :1].T, rowvar=False, ddof=0).shape == ()
    if np.lib.NumpyVersion(np.__version__) >= "2.2.0":
        with pytest.warns(RuntimeWarning):
            expected = np.cov(x, rowvar=False)
        with pytest.warns(RuntimeWarning):
            found = la.evaluate(np.cov(la.asarray(x), rowvar=False))
        np.testing.assert_array_equal(found, expected)
    assert la.evaluate(np.cov(la.zeros((0, 3)))).shape == (0, 0)


@pytest.mark.parametrize("name", ["percentile", "quantile", "nanpercentile", "nanquantile"])
def test_quantiles_by_a_python_number_keep_the_dtype(name: str) -> None:
    x = np.arange(5, dtype=np.float32)
    for q in (0.5, 1, np.float64(0.5), [0.5, 1.0]):
        same(getattr(np, name)(la.asarray(x), q), np.asarray(getattr(np, name)(x, q)))
