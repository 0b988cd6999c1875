"""Values looked up in sorted vectors by kernels of a GPU: the kernels run on the CPU."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import searching
from tests.support.tuning_rows import use_row

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]

Array = np.ndarray[Any, Any]
DTYPES = ["f8", "f8", "f4", "i4", "u1", "i8"]


@pytest.fixture(autouse=True)
def own_texts() -> Iterator[None]:
    """Texts of kernels have numbers of the tuning table, which tests change."""
    texts = (searching.search_source, searching.interpolate_source)
    for text in texts:
        text.cache_clear()
    yield
    for text in texts:
        text.cache_clear()


def small_rooms(random: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let shared memory have room for few elements, and blocks take several tiles."""
    room, items = int(random.choice([8, 64, 512, 1 << 15])), int(random.choice([1, 4]))
    use_row(
        monkeypatch,
        tuning,
        search_least_bytes=room,
        search_share=float(random.choice([0, 0.1])),
        search_items=items,
        search_blocks=2,
        search_units=1,
    )


def drawn(random: np.random.Generator, count: int, dtype: str) -> Array:
    """Few distinct numbers or many, with special ones."""
    values = random.standard_normal(count) * float(random.choice([3, 100]))
    array = np.abs(values).astype(dtype) if dtype == "u1" else values.astype(dtype)
    if dtype[0] == "f" and random.random() < 0.5:
        special = np.array([np.inf, -np.inf, 0.0, -0.0], dtype)
        array[random.random(count) < 0.1] = random.choice(special)
    return array


def with_nan(random: np.random.Generator, array: Array) -> Array:
    if array.dtype.kind == "f":
        array[random.random(array.shape) < 0.05] = np.nan
    return array


def check(function: Any, *arrays: Array) -> None:
    lazy = function(la, *(la.asarray(array) for array in arrays))
    assert not la.explain(lazy).fallbacks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = function(np, *arrays)
    result = la.evaluate(lazy)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


@pytest.mark.parametrize("seed", range(40))
def test_random_interpolations_have_numpys_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 29])
    small_rooms(random, monkeypatch)
    length = int(random.choice([1, 2, 3, 4, 5, 30, 300]))
    points = np.sort(drawn(random, length, str(random.choice(DTYPES))))
    heights = drawn(random, length, str(random.choice(DTYPES)))
    shape = [(), (1,), (700,), (7, 400), (0,)][int(random.integers(5))]
    x = drawn(random, int(np.prod(shape)), str(random.choice(DTYPES)))
    with np.errstate(invalid="ignore"):
        x[::5] = random.choice(points, x[::5].size).astype(x.dtype)
    x = with_nan(random, x).reshape(shape)
    sides = [{}, {"left": 2.5}, {"right": np.nan}, {"left": 1, "right": -0.0}]
    sides = sides[int(random.integers(4))]
    check(lambda xp, *arrays: xp.interp(*arrays, **sides), x, points, heights)


@pytest.mark.parametrize("seed", range(30))
def test_random_searches(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 31])
    small_rooms(random, monkeypatch)
    length = int(random.choice([1, 2, 3, 7, 8, 64, 1000]))
    dtype = str(random.choice(DTYPES))
    vector = np.sort(with_nan(random, drawn(random, length, dtype)))
    values = drawn(random, int(random.choice([1, 100, 3000])), str(random.choice(DTYPES)))
    values[::3] = random.choice(vector[vector == vector], values[::3].size).astype(values.dtype)
    side = str(random.choice(["left", "right"]))
    check(lambda xp, a, v: xp.searchsorted(a, v, side), vector, with_nan(random, values))


@pytest.mark.parametrize("seed", range(40))
def test_random_positions_that_kernels_alone_read(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng([seed, 53])
    dtype = str(random.choice(["f4", "f8", "i4", "i8", "u1"]))
    vector = np.sort(with_nan(random, drawn(random, int(random.integers(1, 400)), dtype)))
    values = with_nan(random, drawn(random, int(random.integers(1, 3000)), dtype))
    values[::3] = random.choice(vector, values[::3].size)
    last, side = len(vector) - 1, str(random.choice(["left", "right"]))
    in_kernel = bool(random.integers(2))
    use_row(monkeypatch, tuning, searched_in_kernels=400 if in_kernel else 0)
    part = [slice(None), slice(None, None, 2), slice(len(vector) // 2, None)]
    taken = part[int(random.integers(3))]

    def looked_up(xp: Any, a: Any, v: Any) -> Any:
        places = xp.searchsorted(a[taken], v + v[:1] * 0, side)
        return a[xp.minimum(places, last)] * xp.asarray(2, dtype) + places

    with np.errstate(invalid="ignore"):
        lazy = looked_up(la, la.asarray(vector), la.asarray(values))
        assert len(la.explain(lazy).kernels) == (1 if in_kernel else 2)
        assert len(la.explain(lazy).library_calls) == (not in_kernel)
        check(looked_up, vector, values)


def test_positions_that_are_a_result_are_a_library_step() -> None:
    vector, values = np.arange(30.0), np.linspace(-1, 31, 100)
    places = la.searchsorted(la.asarray(vector), la.asarray(values))
    doubled = 2 * places
    (step,) = la.explain(places, doubled).device_calls
    assert step.op == "searchsorted"
    first, second = la.evaluate(places, doubled)
    np.testing.assert_array_equal(first, np.searchsorted(vector, values))
    np.testing.assert_array_equal(2 * first, second)


@pytest.mark.parametrize("seed", range(30))
def test_random_digits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng([seed, 37])
    small_rooms(random, monkeypatch)
    bins = np.sort(drawn(random, int(random.choice([1, 2, 50])), str(random.choice(DTYPES))))
    bins = bins[::-1].copy() if random.random() < 0.5 else bins
    values = drawn(random, int(random.choice([1, 3000])), str(random.choice(DTYPES)))
    values[::3] = random.choice(bins, values[::3].size).astype(values.dtype)
    right = bool(random.integers(2))
    values = with_nan(random, values)
    check(lambda xp, x, bins: xp.digitize(x, bins, right=right), values, bins)


def test_bins_in_no_order_are_refused() -> None:
    bins = la.asarray(np.tile([1.0, 3.0, 2.0], 5000))
    with pytest.raises(ValueError, match="monotonically"):
        la.evaluate(la.digitize(la.asarray(np.arange(5.0)), bins * 1))


def test_interpolation_between_points_in_no_order_reads_no_other_memory() -> None:
    points, x = np.array([3.0, 1.0, 2.0, 0.0]), np.linspace(-1, 5, 300)
    result = la.evaluate(la.interp(la.asarray(x), la.asarray(points), la.asarray(points)))
    assert result.shape == x.shape


def test_an_interpolation_is_part_of_a_graph() -> None:
    points, heights, x = np.arange(9.0), np.arange(9.0) ** 2, np.linspace(-1, 9, 500)

    def middle(xp: Any, x: Any) -> Any:
        return xp.interp(x * 0.5, points, heights) + 1

    (step,) = la.explain(middle(la, la.asarray(x))).device_calls
    assert step.op == "interp"
    np.testing.assert_array_equal(la.jit(lambda x: middle(la, x))(x), middle(np, x))
