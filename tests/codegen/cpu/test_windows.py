"""Many windows of one array are read from few addresses, with the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.host


def weighted(arrays: tuple[Any, ...], windows: list[tuple[slice, ...]]) -> Any:
    total = 0.0
    for k, window in enumerate(windows):
        total = total + (0.5 - 0.03 * k) * arrays[k % len(arrays)][window]
    return total


def pointers(source: str) -> int:
    (line,) = (line for line in source.splitlines() if line.startswith("define"))
    return line.count("readonly %in")


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.integers(0, 300), min_size=3, max_size=30),
    st.integers(1, 3),
    st.sampled_from([np.float32, np.float64, np.complex64]),
    st.sampled_from([1, 2, -1]),
    st.booleans(),
)
def test_bits_are_those_of_numpy(
    offsets: list[int], rank: int, dtype: type, step: int, jitted: bool
) -> None:
    rng = np.random.default_rng(len(offsets))
    shape = ((331,), (5, 331), (3, 4, 331))[rank - 1]
    arrays = tuple(
        (rng.random((*shape[:-1], shape[-1] * abs(step))) - 0.5).astype(dtype)[..., ::step]
        for _ in range(2)
    )
    windows = [
        (*(slice(k % 2, n - 1 + k % 2) for n in shape[:-1]), slice(k, k + 30)) for k in offsets
    ]
    if jitted:
        result = la.jit(lambda *a: weighted(a, windows))(*arrays)
    else:
        result = weighted(tuple(map(la.asarray, arrays)), windows).compute()
    np.testing.assert_array_equal(result, weighted(arrays, windows))


@pytest.mark.parametrize(
    ("count", "apart", "addresses"), [(5, 1, 5), (8, 1, 8), (12, 1, 1), (12, 7, 2), (12, 90, 12)]
)
def test_how_many_addresses(count: int, apart: int, addresses: int) -> None:
    x = np.random.default_rng(0).random(2000)
    windows = [(slice(apart * k, apart * k + 900),) for k in range(count)]
    function = la.jit(lambda x: weighted((x,), windows))
    (kernel,) = function.explain(x).kernels
    assert pointers(kernel.source) == addresses


@pytest.mark.parametrize("shape", [(5000,), (3, 1500)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_vectors_of_many_windows_take_turns(shape: tuple[int, ...], dtype: type) -> None:
    arrays = ((100 * np.random.default_rng(1).standard_normal(shape)).astype(dtype),)
    most = shape[-1] - 40
    whole = (slice(None),) * (len(shape) - 1)

    def function(count: int) -> Any:
        windows = [(*whole, slice(k, k + most)) for k in range(count)]
        return la.jit(lambda x: weighted((x,), windows)), weighted(arrays, windows)

    many, expected = function(31)
    assert "interleave" in many.explain(*arrays).kernels[0].source
    np.testing.assert_array_equal(many(*arrays), expected)
    few, expected = function(1)
    assert "interleave" not in few.explain(*arrays).kernels[0].source
    np.testing.assert_array_equal(few(*arrays), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_vectors_of_long_chains_take_turns(dtype: type) -> None:
    x = (100 * np.random.default_rng(2).standard_normal(3001)).astype(dtype)
    factors = np.arange(9).astype(dtype)

    def horner(x: Any, degree: int) -> Any:
        total = x
        for factor in factors[:degree]:
            total = total * x - factor
        return total

    for degree, interleaved in ((9, True), (2, False)):
        function = la.jit(lambda x, degree=degree: horner(x, degree))
        assert ("interleave" in function.explain(x).kernels[0].source) is interleaved
        np.testing.assert_array_equal(function(x), horner(x, degree))


def _interleaved(function: Any, *arrays: Any) -> str:
    """Return the number of vectors that take turns in a kernel, as its code says it."""
    (kernel,) = la.jit(function).explain(*arrays).kernels
    _, _, count = kernel.source.partition('interleave.count", i32 ')
    return count[:1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_of_chains_of_functions_take_turns(dtype: type) -> None:
    x = np.random.default_rng(3).random(3001).astype(dtype)

    def chain(x: Any, count: int) -> Any:
        for _ in range(count):
            x = 1 / (1 + la.exp(-x)) + x
        return x

    assert _interleaved(lambda x: chain(x, 1), x) == ""  # is no chain yet
    assert _interleaved(lambda x: chain(x, 2), x) == "4"
    assert _interleaved(lambda x: chain(x, 12), x) == "2"  # functions of each vector are code
    assert _interleaved(lambda x: 1 / (x + 1 / (x + 1 / (x + 1))), x) == "4"


def test_powers_of_one_base_and_of_integers_do_not_take_turns() -> None:
    x = np.random.default_rng(4).random(3001)
    assert _interleaved(lambda x: sum(0.5 * x**k for k in range(3, 7)), x) == ""
    assert _interleaved(lambda x: 0.5 * (0.1 * (x**3 + 1) ** 3 + 1) + x, x) == "4"
    assert _interleaved(lambda k: ((k**3 + 1) ** 3 + k) * k + 2, np.arange(3001)) == ""


@settings(max_examples=25, deadline=None)
@given(
    st.integers(512, 1400),
    st.lists(st.integers(0, 4), min_size=3, max_size=6),
    st.sampled_from([np.float32, np.float64]),
)
def test_elements_have_the_same_bits_wherever_vectors_take_turns(
    size: int, steps: list[int], dtype: type
) -> None:
    x = np.random.default_rng(size).random(size).astype(dtype)

    def chain(x: Any) -> Any:
        value = x
        for step in steps:
            value = (
                lambda v: la.tanh(v) - 0.5 * x,
                lambda v: x / (1 + la.exp(-v)),
                lambda v: la.log(1.5 + v * v) + x,
                lambda v: v / (1 + x * x),
                lambda v: la.sqrt(1 + v * v) - x,
            )[step](value)
        return value

    function = la.jit(chain)
    whole = np.asarray(function(x))
    assert np.isfinite(whole).all()
    few = np.asarray(la.jit(chain)(x[: size // 7]))  # too few elements to take turns
    np.testing.assert_array_equal(whole[: size // 7], few)
    reversed_ = np.asarray(function(np.ascontiguousarray(x[::-1])))
    np.testing.assert_array_equal(whole, reversed_[::-1])
