"""Expressions of which small parts are read again and again are computed, as NumPy does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

SIZE = 40_000


@pytest.fixture(autouse=True)
def small_arrays_run_at_once() -> Iterator[None]:
    with la.config(immediate=4096):
        yield


def wave(np_: Any) -> Any:
    return np_.sin(np_.arange(SIZE) * 0.01) + np_.cos(np_.linspace(0.0, 9.0, SIZE))


def frames(np_: Any, x: Any, join: Callable[..., Any]) -> Any:
    window = np_.hanning(64)
    return join([x[k : k + 64] * window for k in range(0, SIZE - 64, 300)])


@pytest.mark.parametrize("name", ["stack", "concatenate", "vstack", "array", "hstack"])
def test_frames_are_numpys(name: str) -> None:
    ours = frames(la, wave(la), getattr(la, name))
    expected = frames(np, wave(np), getattr(np, name))
    assert ours.shape == expected.shape
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-12, atol=1e-13)


def test_an_expression_is_computed_after_some_reads_of_small_parts() -> None:
    x = wave(la)
    for k in range(20):
        x[k : k + 64]
    assert x._array is not None


@pytest.mark.parametrize(
    "read",
    [lambda x, k: x[k : SIZE - 64 + k], lambda x, k: x[::2]],
    ids=["shifted", "every second"],
)
def test_large_parts_leave_it_an_expression(read: Callable[[Any, int], Any]) -> None:
    x = wave(la)
    for k in range(20):
        read(x, k)
    assert x._array is None


@pytest.mark.parametrize("is_view", [False, True])
def test_columns_of_a_middle_size_are_read_of_the_whole(is_view: bool) -> None:
    table = la.array(np.arange(60_000.0).reshape(-1, 3))
    y = (table * 2.0 + 1.0)[:, ::-1] if is_view else table * 2.0 + 1.0
    first, second = y[:, 0], y[:, 1]
    assert y._array is not None
    assert (first - second)._array is not None
    expected = (np.arange(60_000.0).reshape(-1, 3) * 2.0 + 1.0)[:, :: -1 if is_view else 1]
    first *= 3.0
    expected[:, 0] *= 3.0
    np.testing.assert_array_equal(np.asarray(y), expected)
    long = la.array(np.ones((60_000, 3))) * 2.0
    assert long[:, 0]._array is None
    with la.config(immediate=0):
        z = table * 3.0
        assert (z[:, 0]._array, z[:0, 0]._array) == (None, None)


def test_settings_that_ask_for_expressions_get_them() -> None:
    with la.config(immediate=0):
        x = wave(la)
        for k in range(20):
            x[k : k + 64]
        assert x._array is None


def test_writes_after_parts_were_read_are_seen_by_the_views() -> None:
    ours, expected = wave(la), wave(np)
    parts = [(x, [x[k : k + 8] for k in range(12)]) for x in (ours, expected)]
    for x, views in parts:
        x[2:6] = 7.0
        views[9][0] = -1.0
    for mine, theirs in zip(parts[0][1], parts[1][1], strict=True):
        np.testing.assert_allclose(np.asarray(mine), theirs, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-12, atol=1e-13)


def test_what_is_joined_in_memory_is_explained_and_of_its_own() -> None:
    rows = [la.asarray(np.full(4_000, float(k))) for k in range(150)]
    joined = la.stack(rows)
    assert "stack" in str(la.explain(joined + 1))
    rows[3][:] = -1.0
    assert np.asarray(joined)[3, 0] == 3.0
    joined[4, 1] = 9.0
    assert float(rows[4][1]) == 4.0


@pytest.mark.parametrize("dtypes", [("int32", "float32"), ("uint8", "int8"), ("bool", "int64")])
def test_joined_arrays_have_numpys_dtype(dtypes: tuple[str, str]) -> None:
    parts = [np.arange(6).astype(dtypes[k % 2]) for k in range(50)]
    ours = la.concatenate([la.asarray(part) for part in parts], axis=None)
    expected = np.concatenate(parts, axis=None)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(ours), expected)


def test_shapes_that_do_not_fit_are_refused() -> None:
    parts = [la.asarray(np.ones((200, 3))) for _ in range(50)]
    with pytest.raises(la.errors.ShapeError, match=r"dimension|shape"):
        la.concatenate([*parts, la.asarray(np.ones((200, 4)))], axis=0)


def test_a_reduction_is_computed_when_an_element_is_read() -> None:
    x = np.random.default_rng(0).random((20_000, 20))
    wrapped = la.asarray(x)  # what is made of the user's memory is not stored when it is computed
    norms, numbers = np.sqrt((wrapped**2).sum(axis=0)), np.zeros(20)
    before = la.cache.info().work.computed
    for k in range(20):
        twice = norms[k] * 2.0
        numbers[k] = max(twice - 1.0, 0.0) / norms[k]
    computed = la.cache.info().work.computed - before
    expected = np.sqrt((x**2).sum(axis=0))
    assert np.allclose(numbers, (expected * 2.0 - 1.0) / expected, rtol=1e-13)
    assert computed < 3 * x.size


_KEYS = [
    np.s_[1:-1, 1:-1],
    np.s_[::-1, 2:],
    np.s_[..., None, 1:],
    np.s_[None, :, ::3],
    np.s_[5:900, -1:0:-1],
    np.s_[..., 0],
    np.s_[-200:, ...],
    np.s_[:, :, None],
]


@pytest.mark.parametrize("key", _KEYS, ids=repr)
@pytest.mark.parametrize("inner", [np.s_[:, :], np.s_[1:, ::-1], np.s_[::2]], ids=repr)
def test_parts_of_the_same_keys_are_numpys(key: Any, inner: Any) -> None:
    x = np.arange(200_000.0).reshape(1000, 200)
    for k in range(3):  # from the second time on, index maps are known
        whole, expected = la.asarray(x) + k, x + k
        part, view = whole[inner][key], expected[inner][key]
        assert part.shape == view.shape and part._array is None
        again = part[1:] * 2.0
        part += 1.0
        view += 1.0
        np.testing.assert_array_equal(again, (view - 1.0)[1:] * 2.0)
        np.testing.assert_array_equal(whole, expected)
        np.testing.assert_array_equal(part, view)


def test_keys_that_normalise_to_the_same_part_refuse_what_numpy_refuses() -> None:
    x = la.asarray(np.arange(200_000.0).reshape(1000, 200)) * 2.0
    for _ in range(2):
        for key in (np.s_[:, 200], np.s_[:, :, 0], np.s_[..., 0, ...], np.s_[:, "a"]):
            with pytest.raises(IndexError):
                x[key]
        np.testing.assert_array_equal(x[:, 199], x[:, -1])
        assert x[np.int64(1) :].shape == (999, 200)


def shortest_paths(np_: Any, path: Any) -> Any:
    for k in range(path.shape[0]):
        path = np_.minimum(path, path[:, k, None] + path[None, k, :])
    return path


def test_rows_and_columns_of_a_matrix_that_is_computed_anew() -> None:
    a = np.random.default_rng(3).random((200, 200))
    np.testing.assert_array_equal(shortest_paths(la, la.array(a)), shortest_paths(np, a.copy()))


def test_a_part_of_an_expression_is_a_view_of_it() -> None:
    a = np.random.default_rng(3).random((200, 200))
    x, y = la.array(a) * 2 + 1, a * 2 + 1
    column, expected = x[:, 3], y[:, 3]
    column[5:9] = -1
    expected[5:9] = -1
    np.testing.assert_array_equal(x, y)
    x += 1
    np.testing.assert_array_equal(column, expected + 1)
