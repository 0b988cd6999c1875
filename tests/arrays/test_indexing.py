"""Indexing and assignment against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la

pytestmark = pytest.mark.each_device

X = np.arange(120.0).reshape(4, 5, 6)
I = np.array([0, 2, -1])  # noqa: E741
J = np.array([[1, 0, 3]])
M = np.arange(4) % 2 == 0
M2 = np.arange(20).reshape(4, 5) % 3 == 0
M3 = X % 7 < 3

KEYS = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    (-1, -2, -3),
    (np.int64(2), np.uint8(1)),
    slice(None),
    slice(1, 3),
    slice(None, None, -1),
    slice(3, 0, -2),
    slice(10, 20),
    slice(2, 1),
    slice(-3, None, 2),
    (slice(None), slice(None, None, -2)),
    ...,
    (..., 0),
    (0, ...),
    (..., slice(1, 3)),
    (1, ..., slice(None, None, 3)),
    None,
    (None, 0, None),
    (slice(None), None, 2),
    (..., None),
    I,
    [0, 1],
    (I, J),
    (slice(None), I),
    (I, slice(None), J),
    (0, I),
    (I, 0),
    (0, slice(None), I),
    (slice(None), I, J),
    (None, I),
    (I, None, J),
    (..., I),
    (slice(1, 3), [0, 1], slice(2)),
    [],
    (slice(None), []),
    M,
    M2,
    M3,
    (M, 0),
    (slice(None), np.arange(5) > 2),
    (M, slice(1, 3)),
    (M2, 1),
    (I, np.array([1, 2, 3]), np.array([0, 0, 5])),
    True,
    False,
    (True, 0),
    (),
    4,
    -5,
    (0, 5),
    (0, 0, 0, 0),
    (slice(None), 9),
    [7],
    (I, [1, 2]),
    "a",
    1.5,
    (..., ...),
    np.array([0.5]),
    np.ones(3, bool),
    (slice(None, None, 0),),
    ([True, False, True, False],),
]


@pytest.mark.parametrize("key", KEYS, ids=lambda k: repr(k).replace("\n", "")[:40])
def test_getitem(compare, key):
    compare(lambda x: x[key], X)
    compare(lambda x: (x * 2)[key], X)


@pytest.mark.parametrize("value", [7, 2.5, "row", "full"])
@pytest.mark.parametrize("key", KEYS, ids=lambda k: repr(k).replace("\n", "")[:40])
def test_setitem(compare, key, value):
    def assign(x):
        if value == "row":
            x[key] = np.arange(x[key].shape[-1]) + 0.5 if x[key].ndim else 0.5
        elif value == "full":
            x[key] = x[key] * 2 + 1
        else:
            x[key] = value
        return x

    compare(assign, X)


def test_setitem_casts(compare):
    def assign(x):
        x[1:3] = 2.7
        x[0, 0] = True
        return x

    compare(assign, X.astype("i4"))


@pytest.mark.parametrize("value", [1j, np.ones(4), np.ones((2, 3)), "a"])
def test_setitem_wrong_values(compare, value):
    def assign(x):
        x[1:3, 0] = value
        return x

    compare(assign, X)


def test_setitem_leaves_memory_alone_and_is_seen_in_views():
    memory = X.copy()
    x = la.asarray(memory)
    view = x[0]
    x[0, 0, 0] = -1
    np.testing.assert_array_equal(memory, X)
    assert view.compute()[0, 0] == -1
    np.testing.assert_array_equal(view.compute()[1:], X[0][1:])
    assert float(x[0, 0, 0]) == -1


def test_stencil_assignment(compare):
    def step(u):
        for _ in range(3):
            u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        return u

    compare(step, X[0] ** 2)


def test_augmented_assignment_through_an_index(compare):
    def run(x):
        x[1:3] += 1
        x[:, 0] *= 2
        x[x > 50] -= 3
        x[[0, 1]] /= 2
        return x

    compare(run, X)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "prod", "any", "all", "var", "std"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "f4"])
def test_reductions_of_a_selection(compare, name, dtype):
    x = (X[0] / 10).astype(dtype) + 1
    compare(lambda a: getattr(a[a > 2], name)(), x, rtol=1e-6)
    compare(lambda a: getattr(np, name)(a[a > 2] * 2 + 1, axis=0), x, rtol=1e-6)
    compare(lambda a: getattr(a[a > 2], name)(keepdims=True), x, rtol=1e-6)


def test_selections_stay_unevaluated():
    with la.config(implicit="raise"):
        x = la.asarray(X)
        picked = x[x > 50]
        total = (np.sqrt(picked) + 1).sum()
        assert picked.dtype == np.float64
        assert picked.ndim == 1
        repr(picked)
        x[x > 50] = 0
        x[x < 5] += 1
    np.testing.assert_allclose(float(total), (np.sqrt(X[X > 50]) + 1).sum())


@pytest.mark.parametrize("name", ["min", "max"])
def test_extreme_of_an_empty_selection(compare, name):
    compare(lambda a: getattr(a[a > 1000], name)(), X)


def test_operations_that_gather(compare):
    compare(lambda a: np.sort(a[a > 50])[::-1], X)
    compare(lambda a: a[a > 50] + np.arange(69), X)
    compare(lambda a: np.median(a[a > 50]), X)
    compare(lambda a: a[a > 50] + a[a <= 68], X)
    compare(lambda a: np.log(a[a > 50]) * a[a > 50], X, rtol=1e-14)
    compare(lambda a: 2 ** a[a >= 0], np.arange(-3, 5))


def test_size_of_a_selection():
    x = la.asarray(X)
    assert x[x > 50].size == 69
    assert x[x > 50].shape == (69,)
    assert len(x[x > 50]) == 69


def test_lazy_integers_are_arrays(compare):
    compare(lambda x: x[np.argmax(x[:, 0, 0])], X)
    compare(lambda x: x[:, np.argmin(x[0, :, 0]), 1], X)


def test_iteration_and_contains():
    x = la.asarray(X)
    rows = [row.compute() for row in x]
    assert len(rows) == 4
    np.testing.assert_array_equal(rows[2], X[2])
    assert 7.0 in x
    assert -7.0 not in x


@given(st.data())
def test_an_ellipsis_keeps_index_arrays_apart(data: st.DataObject) -> None:
    """An Ellipsis that stands for no axis decides where the axes of index arrays go, too."""
    ndim = data.draw(st.integers(2, 4))
    shape = (2, 3, 4, 2)[:ndim]
    items: list[object] = []
    for size in shape:
        items.append(
            data.draw(
                st.one_of(
                    st.just(slice(None)),
                    st.integers(0, size - 1),
                    st.lists(st.integers(0, size - 1), min_size=2, max_size=2).map(np.array),
                )
            )
        )
        if data.draw(st.integers(0, 4)) == 0:
            items.append(None)
    items.insert(data.draw(st.integers(0, len(items))), Ellipsis)
    x = np.arange(np.prod(shape)).reshape(shape)
    key = tuple(items)
    np.testing.assert_array_equal(la.asarray(x)[key].compute(), x[key])
    written, lazy = x.copy(), la.asarray(x)
    value = -np.arange(x[key].size).reshape(x[key].shape)
    written[key] = value
    lazy[key] = value
    np.testing.assert_array_equal(lazy.compute(), written)


@pytest.mark.parametrize("dtype", ["f8", "f2", "c8", "?", "i1"])
@pytest.mark.parametrize(
    "shape, axes", [((7,), 1), ((0,), 1), ((5, 3), 1), ((5, 3), 2), ((4, 0, 2), 1)]
)
@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_selections_of_arrays_in_any_order(dtype, shape, axes, order) -> None:
    rng = np.random.default_rng(1)
    array = (rng.random(shape) * 9).astype(dtype)
    mask = rng.random(shape[:axes]) < 0.5
    if order == "F":
        array, mask = np.asfortranarray(array), np.asfortranarray(mask)
    elif order == "strided":
        array, mask = np.repeat(array, 2, axis=0)[::2], np.repeat(mask, 2, axis=0)[::2]
    expected = array[mask]
    for immediate in (0, 4096):
        with la.config(immediate=immediate):
            part = la.asarray(array)[la.asarray(mask)]
            assert len(part) == len(expected)
            np.testing.assert_array_equal(part, expected, strict=True)
