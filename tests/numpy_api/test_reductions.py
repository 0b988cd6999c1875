"""Reductions and scans against NumPy."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.each_device

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16".split()
RNG = np.random.default_rng(1)


def sample(dtype: str, shape: tuple[int, ...] = (4, 3, 5)) -> np.ndarray:
    values = RNG.integers(0, 5, shape)
    value = values.astype(dtype)
    return value * np.asarray(1 + 2j, dtype) if np.dtype(dtype).kind == "c" else value


def tolerance(dtype: str) -> float:
    return {"f2": 2e-3, "f4": 1e-6, "c8": 1e-6, "f8": 1e-13, "c16": 1e-13}.get(dtype, 1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (2, 1, 0), ()])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all", "min", "max"])
def test_reduction(compare, name, dtype, axis):
    x = sample(dtype)
    if name == "prod":
        x = x[:2, :, :2]
    compare(lambda a: getattr(np, name)(a, axis=axis), x, rtol=tolerance(dtype))
    compare(lambda a: getattr(a, name)(axis=axis, keepdims=True), x, rtol=tolerance(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("name", ["var", "std"])
def test_spread(compare, name, dtype, axis, ddof):
    x = sample(dtype)
    compare(lambda a: getattr(np, name)(a, axis=axis, ddof=ddof), x, rtol=4 * tolerance(dtype))
    mask = sample("?", (3, 1))
    compare(
        lambda a, m: getattr(np, name)(a, axis=axis, where=m, keepdims=True),
        x,
        mask,
        rtol=4 * tolerance(dtype),
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_positions_and_scans(compare, dtype, axis):
    x = sample(dtype)
    compare(lambda a: np.argmin(a, axis=axis), x)
    compare(lambda a: a.argmax(axis=axis, keepdims=True), x)
    compare(lambda a: np.cumsum(a, axis=axis), x, rtol=tolerance(dtype))
    compare(lambda a: a[:2, :2, :2].cumprod(axis=axis), x, rtol=tolerance(dtype))
    compare(lambda a: np.count_nonzero(a, axis=axis), x) if axis is not None else None
    compare(lambda a: np.diff(a, axis=axis if axis is not None else 0), x)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_options(compare, dtype):
    x = sample(dtype)
    mask = sample("?")
    compare(lambda a: np.sum(a, initial=3), x)
    compare(lambda a: np.sum(a, axis=0, dtype="f8"), x)
    compare(lambda a: np.sum(a, dtype="i2"), x)
    compare(lambda a, m: np.sum(a, axis=1, where=m), x, mask)
    compare(lambda a, m: np.prod(a, axis=1, where=m, initial=2), x, mask)
    compare(lambda a, m: np.min(a, axis=1, where=m, initial=2), x, mask)
    compare(lambda a, m: np.max(a, axis=1, where=m), x, mask)
    compare(lambda a: np.min(a, initial=-4), x)
    compare(lambda a, m: np.mean(a, axis=1, where=m), x, mask, rtol=1e-6)
    compare(lambda a, m: np.any(a, axis=1, where=m), x, mask)
    compare(lambda a, m: np.all(a, axis=1, where=m), x, mask)
    compare(lambda a: np.mean(a, dtype="f4"), x, rtol=1e-6)
    compare(lambda a: np.var(a, axis=0, correction=1), x, rtol=1e-5)
    compare(lambda a: np.var(a, axis=0, mean=a.mean(axis=0, keepdims=True)), x, rtol=1e-5)
    compare(lambda a: np.ptp(a, axis=1), x)
    compare(lambda a: np.average(a, axis=1, weights=[1, 2, 3]), x, rtol=1e-6)
    compare(lambda a: np.average(a, weights=a + 1, returned=True), x, rtol=1e-5)


ZEROS = [complex(real, imaginary) for real in (0.0, -0.0, 1.0) for imaginary in (0.0, -0.0, 1.0)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("count", [0, 1, 5, 130])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("where", [True, False])
def test_sums_begin_at_the_zero_that_is_passed(dtype, count, axis, where):
    real = np.dtype(dtype).kind == "f"
    drawn = RNG.choice([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)], (count, 3))
    for values in (drawn, np.full((count, 3), complex(-0.0, -0.0))):
        x = np.asarray(values.real if real else values).astype(dtype)
        mask = True if where else np.arange(3) % 2 == 0
        for initial in {-0.0, 1.0} if real else ZEROS:
            expected = np.sum(x, axis=axis, initial=initial, where=mask)
            total = la.sum(la.asarray(x), axis=axis, initial=initial, where=mask).compute()
            assert total.tobytes() == expected.tobytes(), (x, initial)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_products_of_no_elements_are_the_initial_value(dtype):
    x = np.empty((0, 2), dtype)
    for initial in (-0.0, np.inf, *(() if dtype == "f4" else (complex(np.inf, 0), -2j, -0j))):
        expected = np.prod(x, axis=0, initial=initial)
        total = la.prod(la.asarray(x), axis=0, initial=initial).compute()
        assert total.tobytes() == expected.tobytes(), initial


NAN_NAMES = [
    "nansum",
    "nanprod",
    "nanmin",
    "nanmax",
    "nanmean",
    "nanvar",
    "nanstd",
    "nanmedian",
    "nancumsum",
    "nancumprod",
]


@pytest.mark.parametrize("name", NAN_NAMES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_without_nan(compare, name, dtype, axis):
    x = sample(dtype, (4, 6))
    if dtype != "i4":
        x[RNG.random(x.shape) < 0.4] = np.nan
        x[:, 2] = np.nan
        x[1, 1] = np.inf if "cum" not in name else 1
    compare(lambda a: getattr(np, name)(a, axis=axis), x, rtol=1e-6)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_order_statistics(compare, axis):
    x = RNG.random((5, 6))
    compare(lambda a: np.median(a, axis=axis), x)
    compare(lambda a: np.median(a, axis=axis, keepdims=True), x)
    compare(lambda a: np.percentile(a, 30, axis=axis), x)
    compare(lambda a: np.quantile(a, [0.1, 0.5], axis=axis), x)
    compare(lambda a: np.quantile(a, 1.5, axis=axis), x)


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "any", "argmin", "var"])
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1, 1)])
@pytest.mark.parametrize("axis", [None, 0, -1, 5, (0, 0)])
def test_edge_shapes(compare, name, shape, axis):
    if name == "argmin" and axis == (0, 0):
        return
    compare(lambda a: getattr(np, name)(a, axis=axis), np.ones(shape))


def test_results_are_zero_dimensional_and_lazy():
    total = la.asarray([1.0, 2.0]).sum()
    assert isinstance(total, la.LazyArray)
    value = total.compute()
    assert type(value) is np.ndarray
    assert value.shape == ()


@pytest.mark.host  # kernels of a GPU have no floating-point exceptions
@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("dtype", ["i8", "f2", "f4", "c16"])
def test_variances_of_nothing_warn_for_their_means_too(dtype, limit):
    for shape, keywords in ((0,), {}), ((3, 0), {"axis": 1}), ((0,), {"dtype": "c8"}):
        outcomes = []
        for module in np, la:
            with la.config(immediate=limit), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                result = np.asarray(module.var(module.asarray(np.zeros(shape, dtype)), **keywords))
            texts = [str(warning.message).replace("scalar ", "") for warning in seen]
            outcomes.append((result.dtype, result.tobytes(), texts))
        assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("function", ["var", "nanstd"])
@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("dtype", ["u1", "f2", "f8", "c8"])
def test_variances_of_nothing_with_freedom_are_zero(function: str, limit: int, dtype: str) -> None:
    axes = {"axis": 0, "ddof": -1}, {"axis": 1, "correction": -2.5}, {"keepdims": True, "ddof": -1}
    for shape, keywords in zip([(0, 3), (2, 0), (0,)], axes, strict=True):
        x = np.zeros(shape, dtype)
        with la.config(immediate=limit), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = getattr(np, function)(x, **keywords)
            result = np.asarray(getattr(la, function)(la.asarray(x), **keywords))
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_empty_mean_warns():
    with np.errstate(invalid="ignore"):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            la.asarray(np.zeros(0)).mean()
        with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
            la.asarray(np.zeros(1)).var(ddof=1)


def test_float_count_beyond_the_dtype():
    x = la.broadcast_to(np.float32(1.5), (2**24 + 1,))
    y = x.mean()
    assert y.dtype == np.float32
    assert float(y) == 1.5


def test_out():
    x = RNG.random((3, 4))
    target = np.empty(4)
    assert np.sum(la.asarray(x), axis=0, out=target) is target
    # A GPU may take sums in another order.
    places = 1 if la.get_config().device == "cuda" else 0
    np.testing.assert_array_max_ulp(target, x.sum(axis=0), places)
    lazy = la.zeros(4)
    assert np.sum(la.asarray(x), axis=0, out=lazy) is lazy
    np.testing.assert_array_max_ulp(lazy.compute(), x.sum(axis=0), places)


def test_nan_positions(compare):
    x = RNG.random((3, 4))
    x[0, 0] = np.nan
    compare(lambda a: np.nanargmin(a, axis=1), x)
    compare(lambda a: np.nanargmax(a), x)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(256,), (255,), (9, 300), (8, 256), (7, 40)])
def test_rows_that_are_reduced_and_stored(shape: tuple[int, ...], dtype: str) -> None:
    """Together, also where the rows do not fill the last block."""
    values = np.random.default_rng(3).standard_normal(shape).astype(dtype)
    x = la.asarray(values)
    wave, spread = la.evaluate(la.sin(x), x.std(-1))
    np.testing.assert_allclose(wave, np.sin(values), rtol=1e-6)
    np.testing.assert_allclose(spread, values.astype(float).std(-1), rtol=1e-6)
    grown, centred = la.evaluate(la.exp(x), x - x.mean(-1, keepdims=True))
    np.testing.assert_allclose(grown, np.exp(values), rtol=1e-6)
    expected = values - values.mean(-1, keepdims=True)
    np.testing.assert_allclose(centred, expected, atol=1e-6)


@pytest.mark.parametrize("width", [2, 3, 4, 8])
@pytest.mark.parametrize("dtypes", [("f8", "i4"), ("f4", "i8"), ("c16", "f8")])
def test_deviations_of_rows_times_other_dtypes(width: int, dtypes: tuple[str, str]) -> None:
    """One factor is the same along a row, and is converted."""
    values = np.random.default_rng(4).random((300, width)).astype(dtypes[0])
    factors = np.arange(300).astype(dtypes[1])[:, None]
    got = (la.asarray(values) * la.asarray(factors)).std().compute()
    np.testing.assert_allclose(got, (values * factors).std(), rtol=1e-6)


@pytest.mark.parametrize("count", [12, 30])
def test_many_reductions_down_columns_at_once(count: int) -> None:
    values = np.random.default_rng(5).random((700, 40))
    x = la.asarray(values)
    factors = range(1, count + 1)
    sums = la.evaluate(*[(x * k).sum(0) for k in factors])
    np.testing.assert_allclose(sums, [(values * k).sum(0) for k in factors], rtol=1e-13)
    spreads = la.evaluate(*[(x * k).var(0) for k in factors])
    np.testing.assert_allclose(spreads, [(values * k).var(0) for k in factors], rtol=1e-12)


@pytest.mark.parametrize(("shape", "axis"), [((0, 0), 0), ((2, 0, 0), 1), ((0, 3), 0)])
def test_extremes_of_nothing(shape: tuple[int, ...], axis: int) -> None:
    for function in (np.max, np.min, np.ptp):
        with pytest.raises(ValueError, match="zero-size array"):
            function(la.zeros(shape), axis=axis)
    assert np.max(la.zeros((0, 3)), axis=1).shape == (0,)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "cumsum", "var"])
@pytest.mark.parametrize("kind", ["d", "b", "D"])
def test_reductions_in_booleans_and_complex_numbers(name: str, kind: str) -> None:
    array = np.array([[0, 2, 0], [-1, 3, 5]]).astype(kind)
    for dtype in (bool, np.complex64):
        if name == "var" and dtype is bool:
            continue
        expected = getattr(np, name)(array, axis=0, dtype=dtype)
        got = getattr(np, name)(la.asarray(array), axis=0, dtype=dtype).compute()
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "nansum", "nanmax"])
def test_reductions_without_nan_over_no_axis(name: str) -> None:
    array = np.array([[1.0, np.nan], [3.0, 4.0]])
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = getattr(np, name)(array, axis=())
        np.testing.assert_array_equal(getattr(la, name)(array, axis=()).compute(), expected)
        for axis in (None, 0, -1):
            assert getattr(la, name)(np.array(3.5), axis=axis).compute() == getattr(np, name)(3.5)


@pytest.mark.parametrize("function", [np.sum, np.mean, np.argmin, np.nanvar, np.cumsum])
def test_an_axis_that_is_no_integer(function: Callable[..., object]) -> None:
    for array in (np.ones((2, 3)), np.array(1.0)):
        for axis in ("a", 1.5):
            with pytest.raises(TypeError):
                function(array, axis=axis)
            with pytest.raises(TypeError, match="must be an integer"):
                function(la.asarray(array), axis=axis)
    with pytest.raises(TypeError):
        np.argmax(la.ones((2, 2)), axis=(0, 1))


@pytest.mark.parametrize("shape", [(5,), (3, 4)])
@pytest.mark.parametrize("initial", [None, 1.0, np.inf, complex(np.inf, 1)])
def test_products_of_chosen_complex_numbers(shape: tuple[int, ...], initial: Any) -> None:
    rng = np.random.default_rng(len(shape))
    parts = rng.choice([0.0, -0.0, 1.5, -2.0], (*shape, 2))
    x, mask = parts.view(complex)[..., 0], rng.random(shape) > 0.4
    keywords: dict[str, Any] = {} if initial is None else {"initial": initial}
    for axis in (None, 0, -1, ()):
        agree(lambda m, x, w, axis=axis: m.prod(x, axis, where=w, **keywords), x, mask)
        agree(
            lambda m, x, w, axis=axis: m.prod(x, axis, where=w[..., :1], keepdims=True, **keywords),
            x.astype("c8"),
            mask,
        )


def test_reductions_over_no_axes_begin_with_what_numpys_do() -> None:
    mask = {"where": np.array([[True, False]])}
    for dtype in ("f2", "f8", "c8"):
        zeros = np.array([[-0.0, 1.0]], dtype)
        for call in map(operator.attrgetter, ("sum", "prod", "nansum", "add.reduce")):
            for array, options in (
                (zeros, {"axis": ()}),
                (zeros, {"axis": (), "initial": None}),
                (zeros, {"axis": (), **mask}),
                (zeros[0, 0], {}),
            ):
                expected = np.asarray(call(np)(array, **options))
                assert la.evaluate(call(la)(la.asarray(array), **options)).tobytes() == (
                    expected.tobytes()
                )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
def test_means_over_no_axes_are_never_minus_zero(dtype: str) -> None:
    for x, axis in ((np.array(-0.0, dtype), None), (np.full((3, 2), -0.0, dtype), ())):
        for name in ("mean", "average"):
            with la.config(immediate=0):
                got = np.asarray(getattr(la, name)(la.asarray(x), axis=axis))
            expected = getattr(np, name)(x, axis=axis)
            assert got.tobytes() == expected.tobytes() and got.dtype == expected.dtype
