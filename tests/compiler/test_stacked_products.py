"""Stacks of small matrix products, which kernels compute term by term."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.core.frozen import replace

pytestmark = pytest.mark.host  # a GPU has a rule of its own


def _has_library_calls(function: Callable[..., Any], *arrays: Any) -> bool:
    return bool(la.explain(function(*map(la.asarray, arrays))).library_calls)


def test_stacks_of_small_products_are_as_exact_as_numpys() -> None:
    rng = np.random.default_rng(4)
    with la.config(immediate=0):
        for _ in range(5):
            rows, columns = (int(n) for n in rng.integers(1, 40, 2))
            deep = int(rng.integers(1, 9))
            stack = tuple(int(n) for n in rng.integers(2, 40, int(rng.integers(1, 3))))
            dtype = rng.choice(["f4", "f8"])
            a = rng.standard_normal((*stack, rows, deep)).astype(dtype)
            b = rng.standard_normal((*stack[-1:], deep, columns)).astype(dtype)
            if rng.random() < 0.5:
                a = np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
            exact = (2 * a.astype(np.longdouble) - 1) @ b.astype(np.longdouble) + 1
            bound = deep * 4 * np.finfo(dtype).eps * (np.abs(2 * a - 1) @ np.abs(b) + 1)
            result = la.evaluate((2 * la.asarray(a) - 1) @ la.asarray(b) + 1)
            assert result.dtype == dtype and result.shape == exact.shape
            assert np.all(np.abs(result - exact) <= bound)
            results = []
            for threads in (1, 2):
                with la.config(threads=threads):
                    results.append(la.jit(np.matmul)(a, b))
            np.testing.assert_array_equal(*results)


def test_which_products_are_written_out() -> None:
    a, b, c = np.ones((500, 8, 4)), np.ones((500, 4, 8)), np.ones((500, 16, 8))
    with la.config(immediate=0):
        assert not _has_library_calls(lambda a, b: a @ b + 1, a, b)
        assert _has_library_calls(lambda a, b: la.exp(a @ b), a, b), "functions have other loops"
        assert _has_library_calls(lambda a, b: (a @ b).sum(axis=1), a, b)
        assert _has_library_calls(lambda a, c: a @ c.mT, np.ones((500, 8, 8)), c), "columns"
        assert _has_library_calls(lambda a, b: a @ b, a[:2], b[:2]), "not worth a compilation"
        assert _has_library_calls(lambda a, c: a @ c, np.ones((500, 8, 16)), c), "many terms"
        with tuning.TABLE.using(replace(tuning.row(), terms=0)):
            assert _has_library_calls(lambda a, b: a @ b + 2, a, b)


def test_plans_of_many_lengths_are_written_out_too() -> None:
    rng = np.random.default_rng(3)
    sides = [(3, 3, 3), (3, 3, 3), (4, 4, 4), (3, 5, 1), (2, 4, 4), (3, 3, 3)]
    with la.config(immediate=0):
        for length, (rows, deep, columns) in zip(range(5000, 11000, 1000), sides, strict=True):
            a, b = rng.random((length, rows, deep)), rng.random((length, deep, columns))
            before = la.cache.info().work
            result = la.evaluate(la.asarray(a) @ la.asarray(b))
            work = la.cache.info().work
            assert work.computed - before.computed < work.eager - before.eager, "the library's call"
            exact = np.einsum("nij,njk->nik", a.astype("g"), b.astype("g"))
            bound = deep * 4 * np.finfo("f8").eps
            assert np.all(np.abs(result - exact) <= bound * exact)


@pytest.mark.parametrize("stack", [(), (3,), (2, 2), (500,)])
def test_products_of_one_number_everywhere(stack: tuple[int, ...]) -> None:
    one, rows = np.ones((4, 4)), np.arange(16.0).reshape(4, 4)
    with la.config(immediate=0):
        number = la.full((*stack, 4, 4), 2.0)
        spread = la.broadcast_to(la.asarray(rows[0]), (*stack, 4, 4))
        columns = la.broadcast_to(la.asarray(rows[:, :1]), (*stack, 4, 4))
        others = [number, spread, columns, la.broadcast_to(la.asarray(2.0), (*stack, 4, 4)), rows]
        for left in others:
            for right in others:
                expected = np.asarray(left) @ np.asarray(right)
                np.testing.assert_array_equal(la.matmul(left, right), expected)
                np.testing.assert_array_equal(la.asarray(one) @ right, one @ np.asarray(right))


@pytest.mark.parametrize(
    "fault, left, right", [("invalid value", np.inf, 0.0), ("overflow", 1e200, 1e200)]
)
@pytest.mark.parametrize("deep", [1, 4])
def test_warns_once_of_the_whole_product(fault: str, left: float, right: float, deep: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(2):  # the second time the plan is known
        a, b = rng.random((300, 8, deep)), rng.random((300, deep, 8))
        for place in (3, 7):
            a[place, 4, place % deep], b[place, place % deep, 5] = left, right
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            la.evaluate(la.asarray(a) @ la.asarray(b) + 1)
        assert [str(w.message) for w in caught] == [f"{fault} encountered in matmul"]
        assert caught[0].filename == __file__
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="in matmul"):
        la.evaluate(la.asarray(a) @ la.asarray(b) + 1)


@pytest.mark.parametrize("overflowing", [(0,), (1,), (0, 1), (0, 2), (0, 1, 2)])
def test_each_product_of_a_line_warns_for_itself(overflowing: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    stacks = [rng.random((300, 4, 4)) for _ in range(3)]
    for k in overflowing:
        stacks[k][7, 1, 2] = stacks[k][7, 2, 1] = 1e200
    caught = []
    for m in np, la:
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            a, b, c = map(m.asarray, stacks)
            results = a @ a, b @ b, c @ c
            if m is la:
                la.evaluate(*results)
        caught.append([str(w.message) for w in noted])
    assert caught[0] == caught[1] == ["overflow encountered in matmul"] * len(overflowing)
