"""What a user could do to jitted and vectorized functions, and what should come of it."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import live_nodes

X = np.arange(6.0).reshape(2, 3)


@la.jit
def doubled(x: Any) -> Any:
    """A jitted function that a module holds."""
    return x * 2


def test_a_number_that_does_not_fit_is_an_error_also_where_nothing_needs_it() -> None:
    @la.jit
    def dead(x: Any, n: Any) -> Any:
        n + x
        return x

    x = np.arange(3, dtype=np.uint8)
    dead(x, 3)
    dead(x, 5)
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        dead(x, -1)
    dead(x, 7)
    assert dead.cache_info().traced == 1


@pytest.mark.parametrize("number", [1, True, 2**63, 2**64 - 1, -(2**63)])
def test_integers_take_the_dtype_that_numpy_gives_them(number: int) -> None:
    result = la.jit(lambda n: (la.asarray(n), la.full(2, n)))(number)
    for got, expected in zip(result, (np.asarray(number), np.full(2, number)), strict=True):
        np.testing.assert_array_equal(got, expected, strict=True)


def test_integers_beyond_all_dtypes_are_a_dtype_error() -> None:
    for number in (2**70, -(2**70)):
        with pytest.raises(la.errors.DTypeError):
            la.jit(lambda n: la.asarray(n))(number)


def test_scalars_of_numpy_may_be_returned() -> None:
    x, n = la.jit(lambda x: (x, np.float32(2) * 3))(X)
    assert type(n) is np.float32 and n == 6
    np.testing.assert_array_equal(x, X)


def test_limits_of_clip_beyond_the_dtype() -> None:
    x = np.arange(6, dtype=np.uint8)
    clipped = la.jit(lambda x, low, high: np.clip(x, low, high))
    for low, high in [(-5, 300), (1, 300), (-5, 3), (1, 3)]:
        expected = np.clip(x, low, high)
        np.testing.assert_array_equal(clipped(x, low, high), expected, strict=True)


def test_out_with_an_array_is_refused_where_only_numbers_are_traced() -> None:
    def into(s: Any) -> Any:
        return la.multiply(la.ones(3), s, out=np.zeros(3))

    with pytest.raises(la.errors.TracingError, match="out="):
        la.jit(into)(2.0)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ArgumentError, match="jit takes a function, got int"):
        la.jit(3)  # type: ignore[call-overload]


def test_numbers_kept_from_a_call_can_be_shown() -> None:
    kept: list[Any] = []
    la.jit(lambda x, n: (kept.append(n), x)[1])(X, 3)
    assert "3" in repr(kept[0])


def test_jitted_functions_are_pickled_and_copied() -> None:
    doubled(X)
    if sys.modules.get(__name__) is not None:
        assert pickle.loads(pickle.dumps(doubled)) is doubled
        assert copy.deepcopy(doubled) is doubled
    sine = la.jit(np.sin)
    sine(X)
    again = pickle.loads(pickle.dumps(sine))
    np.testing.assert_array_equal(again(X), sine(X))
    assert again.cache_info().traced == 1
    local = la.jit(lambda x, how: x + how, static_argnums=1)
    local(X, 1)
    other = copy.copy(local)
    assert other is not local and other.cache_info().traced == 0
    np.testing.assert_array_equal(other(X, 2), X + 2)


def test_traces_leave_nothing_behind() -> None:
    """Placeholders know their trace, and the table of nodes knows the placeholders."""

    def used() -> weakref.ref[Any]:
        array = np.ones(3)
        function = la.jit(lambda x: np.sort(x) + array * 2)
        function(np.ones(3))
        return weakref.ref(function)

    @la.jit
    def fails(x: Any) -> Any:
        x + 1
        raise ValueError("mine")

    def leaves() -> int:
        gc.collect()
        return sum(1 for value in live_nodes() if not value.src)

    used()
    gone = used()
    before = leaves()
    for _ in range(50):
        gone = used()
        with pytest.raises(ValueError, match="mine"):
            fails(X)
    assert gone() is None
    assert leaves() - before < 20


def test_vectorized_functions_take_keywords_and_defaults() -> None:
    @la.vectorize
    def scaled(x: float, factor: float = 3.0, shift: int = 0) -> float:
        return x * factor + shift

    np.testing.assert_array_equal(scaled(X).compute(), X * 3)
    np.testing.assert_array_equal(scaled(X, shift=2).compute(), X * 3 + 2)
    np.testing.assert_array_equal(scaled(factor=2.0, x=X).compute(), X * 2)
    with pytest.raises(ArgumentError, match="unexpected keyword"):
        scaled(X, other=1)
    with pytest.raises(ArgumentError, match="does not support"):
        la.vectorize(lambda *xs: xs[0])(X)


def test_loops_take_dataclasses_none_and_any_order_of_keys() -> None:
    result = la.fori_loop(
        3,
        lambda i, s: {"b": s["b"] + 1, "a": (s["a"][0] * 2, None)},
        {"a": (X, None), "b": 0},
    )
    assert list(result) == ["a", "b"] and result["a"][1] is None
    np.testing.assert_array_equal(result["a"][0].compute(), X * 8)
    assert int(result["b"]) == 3
    with pytest.raises(ArgumentError, match="returned"):
        la.fori_loop(3, lambda i, s: {"a": s["a"]}, {"a": X, "b": 0})


def test_numbers_of_a_jitted_function_are_weak_states() -> None:
    """As the numbers themselves are, where the function is not jitted."""

    def summed(x: Any, start: Any) -> Any:
        return la.fori_loop(3, lambda i, s: s + x.sum(), start)

    for dtype in (np.float32, np.float64, np.int32):
        x = np.ones(3, dtype)
        expected = summed(la.asarray(x), 0).compute()
        np.testing.assert_array_equal(la.jit(summed)(x, 0), expected, strict=True)


@pytest.mark.host
@pytest.mark.parametrize("dtype", ["u8", "?"])
@pytest.mark.parametrize(
    "function",
    [lambda x, y: x + 1, lambda x, y: x * y, lambda x, y: (x | 3) ^ y],
    ids=["adds", "multiplies", "combines"],
)
def test_vectorized_functions_of_64_bits_without_a_sign(function: Any, dtype: str) -> None:
    x = np.arange(2**64 - 40, 2**64 - 1, dtype=np.uint64)
    y = np.ones(x.size, dtype)
    expected = np.vectorize(function)(x, y)
    result = la.vectorize(function)(la.asarray(x), la.asarray(y)).compute()
    np.testing.assert_array_equal(result, expected, strict=True)
