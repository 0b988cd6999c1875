"""Values written to files, and conversions that drop imaginary parts, against NumPy."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]


def test_values_go_to_files(tmp_path: Path) -> None:
    x = np.arange(6.0).reshape(2, 3)
    doubled = la.asarray(x) * 2
    doubled.tofile(tmp_path / "bytes")
    np.testing.assert_array_equal(np.fromfile(tmp_path / "bytes"), 2 * x.ravel())
    doubled.tofile(tmp_path / "text", sep=",", format="%d")
    assert (tmp_path / "text").read_text() == "0,2,4,6,8,10"
    doubled.dump(tmp_path / "pickle")
    for data in ((tmp_path / "pickle").read_bytes(), doubled.dumps()):
        np.testing.assert_array_equal(pickle.loads(data), 2 * x)


@pytest.mark.parametrize(
    "convert",
    [
        lambda z, x: z.astype(np.float32),
        lambda z, x: z.astype(np.int8),
        lambda z, x: x.__setitem__(0, z[0]),
        lambda z, x: np.copyto(x, z, casting="unsafe"),
    ],
)
def test_imaginary_parts_that_are_dropped(convert: Callable[[Any, Any], Any]) -> None:
    z, x = np.array([1 + 2j, 3]), np.zeros((2, 2))
    for make in (np.array, la.asarray):
        with pytest.warns(
            np.exceptions.ComplexWarning, match="discards the imaginary part"
        ) as caught:
            convert(make(z), make(x))
        if make is la.asarray:
            assert [w.filename for w in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.asarray(z).astype(bool)


@pytest.mark.parametrize("immediate", [0, 4096])
def test_vectors_iterate_over_numbers(immediate: int) -> None:
    with la.config(immediate=immediate):
        x = la.asarray([3.0, 1.0, 3.0]) + 1
        assert set(x) == {4.0, 2.0}
        assert [type(value) for value in x] == [np.float64] * 3
        rows = list(la.asarray([[1, 2], [3, 4]]) * 2)
        assert [type(row) for row in rows] == [la.LazyArray] * 2
        assert [list(row) for row in rows] == [[2, 4], [6, 8]]


def test_vectors_of_a_trace_iterate_over_arrays() -> None:
    def total(x: la.LazyArray) -> la.LazyArray:
        first, second = x
        return first * first + 3 * second

    x = np.array([2.0, 5.0])
    np.testing.assert_array_equal(la.grad(total)(x), [4.0, 3.0])
    assert float(la.jit(total)(x)) == 19


@pytest.mark.parametrize("size", [2, 40_000])
@pytest.mark.parametrize(
    "convert",
    [
        lambda z, x: x.__setitem__(0, z[0]),
        lambda z, x: x.__setitem__(0, 1j * z[1]),
        lambda z, x: x.__setitem__(slice(None), z),
        lambda z, x: np.copyto(x, z, casting="unsafe"),
        lambda z, x: z.astype("f4"),
    ],
)
def test_imaginary_parts_are_warned_of_once(convert: Callable[[Any, Any], Any], size: int) -> None:
    z, x = np.arange(size) * (1 + 2j), np.zeros(size)
    with la.config(immediate=4096), pytest.warns(np.exceptions.ComplexWarning) as caught:
        lazy, target = la.asarray(z), la.asarray(x)
        convert(lazy, target)
        la.evaluate(target)
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("items", [[0], (1, "a"), [], [[1, 2], None]])
def test_integers_repeat_lists(items: Any, limit: int) -> None:
    """NumPy's numbers do, and its arrays without axes multiply."""
    x = np.array([[1, 2], [3, 0]], "i4")
    with la.config(immediate=limit):
        mine = la.array(x)
        for theirs, ours in (
            (x[0, 1], mine[0, 1]),
            (x.max() + 1, mine.max() + 1),
            (x[1, 1], mine[1, 1]),
            (-x[0, 0], -mine[0, 0]),
        ):
            assert items * ours == items * theirs and ours * items == theirs * items
            assert type(items * ours) is type(items)
        assert (la.array(2) * [1, 2]).tolist() == [2, 4]
        assert ([1, 2] * mine[0]).tolist() == [1, 4]
        assert ([1, 2] * (mine.sum() / 2)).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8", "c16"])
def test_numbers_are_keys(dtype: str, limit: int) -> None:
    """NumPy's numbers can be hashed, and its arrays without axes cannot."""
    x = np.array([1, 0, 1, 1], dtype)
    with la.config(immediate=limit):
        mine = la.array(x)
        for theirs, ours in ((x[2], mine[2]), (x.max(), mine.max()), (x[0] + x[1], mine[:2].sum())):
            assert hash(ours) == hash(theirs)
            assert {theirs: "a"}[ours] == "a" and {ours: "b"}[theirs] == "b"
        assert mine[1] in {0, 5} and mine[0] not in {0, 5}
        for array in (mine, la.array(x[0]), la.zeros(()), mine[:1].reshape(())):
            with pytest.raises(TypeError, match="unhashable type: 'LazyArray'"):
                hash(array)
    with pytest.raises(la.errors.TracingError, match="needs the values"):
        la.jit(lambda v: v * {1: 2}[v[0]])(x)
