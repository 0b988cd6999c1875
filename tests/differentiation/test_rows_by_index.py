"""Gradients of arrays of which rows are read by an index: embeddings, tables, permutations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import walk


@pytest.mark.each_device
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(12))
def test_rows_are_added_where_they_were_read(seed: int, dtype: str) -> None:
    random = np.random.default_rng(seed)
    rest = tuple(int(n) for n in random.integers(1, 5, random.integers(0, 3)))
    w = random.normal(size=(int(random.integers(1, 20)), *rest)).astype(dtype)
    places = random.integers(-len(w), len(w), tuple(random.integers(1, 9, random.integers(1, 3))))
    index: Any = places.astype(random.choice(["i4", "i8"]))
    weight = random.normal(size=w[index].shape).astype(dtype)
    got = la.grad(lambda w: (w[la.asarray(index)] * weight).sum())(la.asarray(w))
    expected = np.zeros(w.shape)
    np.add.at(expected, index, weight)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-4, atol=1e-5)


def test_rows_have_one_place_each() -> None:
    """Not one for each element: these would be sorted one by one."""
    w, index = la.asarray(np.ones((30, 8))), la.asarray(np.arange(20) % 7)
    with la.config(immediate=0):
        gradient = la.grad(lambda w: la.sin(w[index]).sum())(w)
    (added,) = [node for node in walk([gradient._node]) if node.op.name == "scatter"]
    assert [source.shape for source in added.src] == [(30, 8), (20,), (20, 8)]


def test_columns_by_an_index_and_broadcast_places() -> None:
    random = np.random.default_rng(0)
    w, column = random.normal(size=(5, 6)), np.array([0, 3, 3, -1])
    rows = np.array([[0], [4], [4]])
    for key in ((slice(None), column), (rows, column), (column[:2], slice(1, 5, 2))):
        got = la.grad(lambda w, key=key: (w[key] ** 2).sum())(la.asarray(w))
        expected = np.zeros_like(w)
        np.add.at(expected, key, 2 * w[key])
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12)


def test_second_derivatives_of_rows() -> None:
    w, index = np.random.default_rng(1).normal(size=4), np.array([1, 3, 1])
    got = la.hessian(lambda w: (w[la.asarray(index)] ** 3).sum() * w[0])(la.asarray(w))
    expected = np.zeros((4, 4))
    for k in index:
        expected[k, k] += 6 * w[k] * w[0]
        expected[0, k] += 3 * w[k] ** 2
        expected[k, 0] += 3 * w[k] ** 2
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-10)


def test_narrow_rows_are_added_in_float32() -> None:
    index = np.zeros(3000, int)
    w = la.asarray(np.zeros((2, 3), np.float16))
    got = np.asarray(la.grad(lambda w: (w[la.asarray(index)] * np.float16(0.5)).sum())(w))
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, [[1500] * 3, [0] * 3])


@pytest.mark.parametrize("ufunc", [np.add, np.subtract])
@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 2, 0, -1]),
        np.array([[0, 2], [3, 3]]),
        (np.array([0, 2, 0]), np.array([1, 1, 1])),
        (slice(None), np.array([0, 0, 3])),
        (np.array([1, 1]), slice(None, None, 2)),
        2,
    ],
)
def test_additions_at_places_are_transposed_by_reading_there(ufunc: Any, index: Any) -> None:
    random = np.random.default_rng(0)
    x, weight = random.normal(size=(2, 5, 4))
    v = random.normal(size=x[index].shape)

    def function(x: Any, v: Any) -> Any:
        a = la.asarray(x) * 2
        ufunc.at(a, index, v)
        return (a**2 * weight).sum() / 2

    result = 2 * x
    ufunc.at(result, index, v)
    sign = 1 if ufunc is np.add else -1
    of_x, of_v = la.grad(function, argnums=(0, 1))(x, v)
    np.testing.assert_allclose(of_x, 2 * result * weight, rtol=1e-12)
    np.testing.assert_allclose(of_v, sign * (result * weight)[index], rtol=1e-12)
    tangent = np.zeros_like(x)
    ufunc.at(tangent, index, v)
    _, slope = la.jvp(lambda v: function(x, v), (v,), (v,))
    np.testing.assert_allclose(slope, (tangent * result * weight).sum(), rtol=1e-12)


def test_rows_that_are_added_are_read_as_rows_in_the_gradient() -> None:
    index = la.asarray(np.array([0, 2, 0]))

    def function(rows: Any) -> Any:
        a = la.zeros((4, 8))
        np.add.at(a, index, rows)
        return la.sin(a).sum()

    with la.config(immediate=0):
        gradient = la.grad(function)(la.asarray(np.ones((3, 8))))
    gathers = [node for node in walk([gradient._node]) if node.op.name == "gather"]
    assert [[source.shape for source in node.src] for node in gathers] == [[(4, 8), (3, 1)]]
