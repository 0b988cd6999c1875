"""Operands that repeat along rows, and values beside arrays in memory, against NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.needed_values import is_one_pass

pytestmark = pytest.mark.host

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "product": operator.mul,
    "sum": operator.add,
    "maximum": np.maximum,
    "less": operator.lt,
}
_SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "outer": ((230, 1), (230,)),
    "row first": ((230,), (230, 1)),
    "column": ((230, 230), (230, 1)),
    "row": ((230, 230), (230,)),
    "stack": ((40, 1, 35), (40, 35, 35)),
    "few columns": ((20_000, 3), (3,)),
    "long rows": ((20, 1), (3_000,)),
    "none": ((230, 230), (230, 230)),
}


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _operands(shapes: Any, dtype: str, seed: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [random.integers(1, 90, shape).astype(dtype) for shape in shapes]


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(_OPERATIONS)),
    shapes=st.sampled_from(sorted(_SHAPES)),
    dtype=st.sampled_from(["f8", "f4", "i8", "u1"]),
    seed=st.integers(0, 1 << 16),
)
def test_operands_that_repeat(name: str, shapes: str, dtype: str, seed: int) -> None:
    x, y = _operands(_SHAPES[shapes], dtype, seed)
    function = _OPERATIONS[name]
    expected = function(x, y)
    computed = la.evaluate(function(la.array(x), la.array(y)))
    assert computed.dtype == expected.dtype
    np.testing.assert_array_equal(computed, expected)


@pytest.mark.lazy
@pytest.mark.parametrize("shapes", sorted(_SHAPES))
def test_kernels_compute_operands_that_repeat_in_short_rows(shapes: str) -> None:
    x, y = _operands(_SHAPES[shapes], "f8", 1)
    value = (la.array(x) * la.array(y))._current
    assert is_one_pass(value) == (shapes in ("none", "long rows"))


@settings(max_examples=40, deadline=None, database=None, derandomize=True)
@given(
    name=st.sampled_from(["isub", "iadd", "imul"]),
    dtype=st.sampled_from(["f8", "f4", "i8"]),
    side=st.sampled_from([40, 270, 400]),
    own=st.booleans(),
    seed=st.integers(0, 1 << 16),
)
def test_outer_products_change_a_part_in_place(
    name: str, dtype: str, side: int, own: bool, seed: int
) -> None:
    x, column, row = _operands([(side, side), (side - 1, 1), (side - 1,)], dtype, seed)
    lazy, shown = la.array(x), None
    view = lazy[1:, :3] if seed % 2 else None
    if own:
        column, row = x[1:, 0, None], x[0, 1:]
    factors = (lazy[1:, 0, None], lazy[0, 1:]) if own else (la.array(column), la.array(row))
    change = getattr(operator, name)
    x[1:, 1:] = change(x[1:, 1:], column * row)
    lazy[1:, 1:] = change(lazy[1:, 1:], factors[0] * factors[1])
    np.testing.assert_array_equal(np.asarray(lazy), x)
    if view is not None:
        shown = np.asarray(view)
        np.testing.assert_array_equal(shown, x[1:, :3])


@pytest.mark.parametrize("size", [10, 70_000, 300_000])
def test_values_beside_arrays_in_memory_are_fresh(size: int) -> None:
    x, y = _operands([size, size], "f8", 3)
    lazy, other = la.array(x), la.array(y)
    first, total, second, both = la.evaluate(lazy, (lazy * other).sum(), other, lazy + other)
    single = la.evaluate(lazy, lazy * other)[1]
    for computed, expected in ((first, x), (second, y), (both, x + y), (single, x * y)):
        np.testing.assert_array_equal(computed, expected)
        assert computed.flags.writeable
    assert total == pytest.approx((x * y).sum())
    first[:] = both[:] = single[:] = 0
    lazy[:3] = 7
    x[:3] = 7
    np.testing.assert_array_equal(np.asarray(lazy), x)
    np.testing.assert_array_equal(second, y)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("deep", [3, 7, 8, 12])
@pytest.mark.parametrize("count", [30, 900])
def test_stacks_of_products_have_the_bits_of_numpy(count: int, deep: int, dtype: str) -> None:
    random = np.random.default_rng([count, deep])
    stack = random.random((count, deep, deep)).astype(dtype)
    single = random.random((deep, deep)).astype(dtype)
    x, m = la.array(stack), la.array(single)
    steps: dict[str, Callable[[Any, Any], Any]] = {
        "right": lambda s, f: s @ f,
        "right transpose": lambda s, f: s @ f.T,
        "left": lambda s, f: f @ s,
        "both": lambda s, f: f @ (s - 1) @ f.T,
        "transposes": lambda s, f: s @ s.transpose(0, 2, 1),
    }
    for name, step in steps.items():
        expected, computed = step(stack, single), la.evaluate(step(x, m))
        assert computed.dtype == expected.dtype
        exact = deep > 6 and memory_of(step(x, m)) is not None
        tolerance = 0 if exact else 8 * float(np.finfo(dtype).eps)
        np.testing.assert_allclose(computed, expected, tolerance, 0, err_msg=name)
