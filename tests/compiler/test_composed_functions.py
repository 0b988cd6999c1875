"""Functions that a GPU has no step for, composed of others: NumPy's values, and none on the host.

The kernels run in the emulator.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("_emulated"),
]

Array = np.ndarray[Any, Any]


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


def on_gpu(value: Any) -> Any:
    """Return arrays, also in a list or tuple, as values on the GPU."""
    if isinstance(value, np.ndarray):
        return la.persist(la.asarray(value) * value.dtype.type(1)) if value.size else value
    return type(value)(map(on_gpu, value)) if type(value) in (list, tuple) else value


def check(name: str, *args: Any, exact: bool = True, **options: Any) -> None:
    """Compare a function's results with NumPy's; all must be computed on the GPU."""
    theirs, ours = np, la
    for part in name.split("."):
        theirs, ours = getattr(theirs, part), getattr(ours, part)
    expected = theirs(*args, **options)
    lazy = {key: on_gpu(x) if key == "weights" else x for key, x in options.items()}
    result = ours(*map(on_gpu, args), **lazy)
    several = isinstance(expected, tuple)
    pairs = zip(result, expected, strict=True) if several else [(result, expected)]
    for one, other in pairs:
        if isinstance(other, (tuple, list)):
            one, other = one[0], other[0]
        assert not la.explain(one).fallbacks
        value = la.evaluate(one)
        assert (value.shape, value.dtype) == (np.shape(other), other.dtype)
        if exact:
            np.testing.assert_array_equal(value, other)
        else:
            np.testing.assert_allclose(value, other, rtol=1e-10, atol=1e-12)


def drawn(random: np.random.Generator, size: int, dtype: str) -> Array:
    values = random.standard_normal(size) * 20
    if dtype[0] == "c":
        values = values + 1j * random.standard_normal(size)
    if dtype[0] == "f" and random.random() < 0.5:
        values = np.round(values)
    return (np.abs(values) if dtype[0] == "u" else values).astype(dtype)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "c16"])
@pytest.mark.parametrize("seed", range(6))
def test_sums_of_products_of_windows(name: str, dtype: str, seed: int) -> None:
    random = np.random.default_rng([seed, 71])
    longer = int(random.integers(1, 400))
    sizes = random.permutation([longer, int(random.integers(1, longer + 1))])
    mode = ["full", "same", "valid"][seed % 3]
    a, v = (drawn(random, int(n), dtype) for n in sizes)
    check(name, a, v, mode, exact=dtype[0] == "i")


@pytest.mark.parametrize("dtypes", [("i8", "i8"), ("i4", "u1"), ("f8", "f8"), ("f4", "f8")])
@pytest.mark.parametrize("count", [1, 7, 90])
@pytest.mark.parametrize("invert", [False, True])
def test_membership(dtypes: tuple[str, str], count: int, invert: bool) -> None:
    random = np.random.default_rng([count, 73])
    x, others = drawn(random, 240, dtypes[0]), drawn(random, count, dtypes[1])
    if dtypes == ("f8", "f8"):
        x[3] = others[-1] = np.nan
    check("isin", x.reshape(20, 12), others, invert=invert)


def test_membership_among_nothing_and_among_numbers_that_promotion_rounds() -> None:
    check("isin", np.arange(5), np.zeros(0, np.int64))
    x = np.array([2**53 + 1, 3])
    with la.config(device="cuda"):
        members = la.isin(on_gpu(x), on_gpu(np.array([2.0**53, 3.0])))
        np.testing.assert_array_equal(la.evaluate(members), np.isin(x, [2.0**53, 3.0]))


@pytest.mark.parametrize("period", [3, -0.7, 40.0])
def test_periodic_interpolation(period: float) -> None:
    random = np.random.default_rng(77)
    x, xp, fp = (random.standard_normal(n) * 5 for n in (200, 31, 31))
    check("interp", x, xp, fp, exact=False, period=period)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("form", ["tuple", "rows"])
def test_orders_by_several_keys(count: int, form: str) -> None:
    random = np.random.default_rng([count, 79])
    keys = [random.integers(0, 4, 150) for _ in range(count)]
    check("lexsort", tuple(keys) if form == "tuple" else np.array(keys))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_extremes_without_nan(name: str, dtype: str, axis: int | None) -> None:
    random = np.random.default_rng(83)
    x = drawn(random, 60, dtype).reshape(6, 10)
    if dtype[0] == "f":
        x[random.random(x.shape) < 0.3] = np.nan
        x[0, :2] = np.inf, -np.inf
    check(name, x, axis=axis)


def test_a_slice_of_nothing_but_nan_is_an_error() -> None:
    x = np.ones((4, 5))
    x[2] = np.nan
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        la.evaluate(la.nanargmin(on_gpu(x), axis=1))


@pytest.mark.parametrize("shapes", [((5,), (5, 4), (4, 3)), ((9, 2), (2, 7), (7, 2), (2, 6))])
def test_products_of_several_matrices(shapes: tuple[tuple[int, ...], ...]) -> None:
    random = np.random.default_rng(89)
    check("linalg.multi_dot", [random.standard_normal(shape) for shape in shapes], exact=False)


@pytest.mark.parametrize("exponent", [1, 2, 5, 8, -1, -3])
def test_powers_of_matrices(exponent: int) -> None:
    a = np.random.default_rng(97).standard_normal((2, 4, 4))
    check("linalg.matrix_power", a, exponent, exact=False)


@pytest.mark.parametrize("mode", ["wrap", "clip"])
def test_choices(mode: str) -> None:
    random = np.random.default_rng(101)
    index = random.integers(-9, 9, (5, 8))
    check("choose", index, [random.standard_normal(8), random.integers(0, 5, (5, 1))], mode=mode)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms_between_edges(dtype: str, density: bool, weighted: bool) -> None:
    random = np.random.default_rng(103)
    x = drawn(random, 700, dtype)
    edges = np.unique(random.integers(-30, 30, 9)).astype(random.choice(["f8", "i8"]))
    options = {"weights": np.abs(x).astype("f8")} if weighted else {}
    check("histogram", x, edges, exact=not (density or weighted), density=density, **options)


def test_weighted_histograms_of_bins_of_equal_widths() -> None:
    random = np.random.default_rng(107)
    x = random.standard_normal(900)
    check("histogram", x, 17, range=(-1, 2), exact=False, weights=x * x)


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("bins", [4, (3, 6), [[-9.0, 0.0, 9.0], [-3, 1, 2, 20]]])
def test_histograms_of_points(bins: Any, density: bool) -> None:
    random = np.random.default_rng(109)
    x, y = random.standard_normal((2, 500)) * 6
    check("histogram2d", x, y, bins, exact=not density, density=density)
    check("histogramdd", np.stack([x, y], axis=1), bins, exact=not density, density=density)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_elements_repeated_as_often_as_an_array_says(axis: int | None) -> None:
    random = np.random.default_rng(113)
    x = random.standard_normal((6, 9))
    count = x.size if axis is None else x.shape[axis]
    check("repeat", x, random.integers(0, 4, count), axis=axis)


def test_repeating_less_than_never_is_an_error() -> None:
    with pytest.raises(ValueError, match="negative"):
        la.repeat(on_gpu(np.arange(3.0)), on_gpu(np.array([1, -1, 2])))


@pytest.mark.parametrize("order", ["C", "F"])
def test_places_by_axis(order: str) -> None:
    random = np.random.default_rng(127)
    flat = random.integers(0, 60, (4, 5))
    check("unravel_index", flat, (5, 3, 4), order=order)
    places = tuple(random.integers(-7, 9, (2, 30)))
    for mode in ("wrap", "clip"):
        check("ravel_multi_index", places, (5, 6), mode=mode, order=order)
    check("ravel_multi_index", tuple(np.abs(places) % 5), (5, 6), order=order)
    with pytest.raises(ValueError, match="out of bounds"):
        la.unravel_index(on_gpu(flat), (5, 3))
    with pytest.raises(ValueError, match="invalid entry"):
        la.ravel_multi_index(on_gpu(places), (5, 6))


@pytest.mark.parametrize("name", ["union1d", "setdiff1d", "intersect1d", "setxor1d"])
@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_sets(name: str, dtype: str) -> None:
    random = np.random.default_rng(131)
    a, b = (random.integers(0, 60, n).astype(dtype) for n in (80, 50))
    check(name, a, b)
    if name != "union1d":
        check(name, np.unique(a), np.unique(b), assume_unique=True)


def test_places_of_what_is_true() -> None:
    x = np.random.default_rng(137).standard_normal((5, 6, 3))
    check("argwhere", x > 0.5)


@pytest.mark.parametrize("options", [{}, {"N": 5}, {"N": 3, "increasing": True}, {"N": 1}])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_matrices_of_powers(options: dict[str, Any], dtype: str) -> None:
    check("vander", drawn(np.random.default_rng(139), 12, dtype) / 8, **options, exact=False)


@pytest.mark.parametrize("dtypes", [("f8", "i8"), ("f4", "u4"), ("i8", "f8"), ("c16", "f8")])
def test_bytes_as_another_dtype(dtypes: tuple[str, str]) -> None:
    x = drawn(np.random.default_rng(149), 40, dtypes[0])
    seen = on_gpu(x).view(dtypes[1])
    assert not la.explain(seen).fallbacks
    np.testing.assert_array_equal(la.evaluate(seen), x.view(dtypes[1]))
