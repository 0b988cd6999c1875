"""`lazyarr.ndarray` as programs use it that were written for NumPy's."""

from __future__ import annotations

import functools
import pickle
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


@pytest.mark.parametrize("x", [la.ones(3), la.ones((2, 2)) + 1, np.ones(3)])
def test_arrays_of_both_libraries_are_instances(x: Any) -> None:
    assert isinstance(x, la.ndarray)
    assert isinstance(x, (list, la.ndarray))
    assert issubclass(type(x), la.ndarray)
    match x:
        case la.ndarray():
            pass
        case _:
            pytest.fail("no array")


@pytest.mark.parametrize("x", [1.0, [1.0], None, np.float64(1), memoryview(b"a")])
def test_others_are_none(x: Any) -> None:
    assert not isinstance(x, la.ndarray)
    assert not issubclass(type(x), la.ndarray)


def test_only_lazy_arrays_are_of_their_class() -> None:
    assert not isinstance(np.ones(2), la.LazyArray)
    assert isinstance(la.ndarray(3), la.LazyArray)


def test_a_type_equals_the_type_of_lazy_arrays() -> None:
    kind = type(la.ones(2))
    assert kind == la.ndarray
    assert la.ndarray == kind
    assert {la.ndarray: "array", list: "list"}[kind] == "array"
    for other in (np.ndarray, list):
        assert la.ndarray != other


def test_functions_dispatch_by_type() -> None:
    @functools.singledispatch
    def describe(x: Any) -> str:
        return "other"

    @describe.register(la.ndarray)
    def _(x: Any) -> str:
        return "array"

    assert [describe(x) for x in (la.ones(1), np.ones(1), [1.0])] == ["array", "array", "other"]


def test_a_call_has_the_arguments_of_numpys() -> None:
    buffer = np.arange(6.0)
    x = la.ndarray((2, 2), float, buffer, 8, (24, 8))
    assert type(x) is la.LazyArray
    np.testing.assert_array_equal(x, np.ndarray((2, 2), float, buffer, 8, (24, 8)))  # type: ignore[call-overload]


def test_it_has_the_methods_of_arrays() -> None:
    assert la.ndarray.sum(la.arange(4)) == 6
    assert list(map(la.ndarray.tolist, [la.arange(2), la.arange(1)])) == [[0, 1], [0]]


def test_it_stands_in_types() -> None:
    assert la.ndarray[Any, np.dtype[np.float64]].__origin__ is la.ndarray
    assert isinstance(la.ones(1), la.ndarray | None)
    assert isinstance(np.ones(1), la.ndarray | None)


class Named(la.ndarray):
    """The example of NumPy's documentation of subclasses."""

    def __new__(cls, values: Any, name: str | None = None) -> Any:
        array = la.asarray(values).view(cls)
        array.name = name
        return array

    def __array_finalize__(self, other: Any) -> None:
        self.name = getattr(other, "name", None)

    def doubled(self) -> Any:
        return super().__mul__(2)


class Plain(la.ndarray):
    """One that makes its memory itself."""

    def __new__(cls, *shape: int) -> Any:
        array = la.ndarray.__new__(cls, shape, float)
        array[...] = 1
        return array


def test_subclasses_are_numpys() -> None:
    for vector in (Named([1.0, 2.0], "a"), Named(la.arange(2) + 1, "a")):
        assert type(vector) is Named and isinstance(vector, np.ndarray)
        assert isinstance(vector, la.ndarray)
        assert vector.name == vector[1:].name == (vector + 1).name == "a"
        assert type(vector.doubled()) is Named and vector.doubled().tolist() == [2.0, 4.0]
        assert la.asarray(vector).tolist() == [1.0, 2.0]
        assert type(vector.view(la.ndarray)) is type(vector.view(type=la.ndarray)) is np.ndarray
        assert vector.view(np.int64, la.ndarray).dtype == np.int64
        np.testing.assert_array_equal(la.sqrt(vector), np.sqrt(np.asarray(vector)))
    assert not isinstance(la.ones(3), Named) and not isinstance(np.ones(3), Named)
    assert issubclass(Named, la.ndarray) and issubclass(Named, np.ndarray)
    assert not issubclass(la.LazyArray, Named)
    assert Named != la.LazyArray
    assert pickle.loads(pickle.dumps(Plain(2, 3))).tolist() == Plain(2, 3).tolist()
    assert type(Plain(2, 3)[0]) is Plain and Plain(2, 3).sum() == 6.0


def test_subclasses_of_several_bases() -> None:
    class Mixin:
        def total(self: Any) -> Any:
            return self.sum()

    class Both(Mixin, la.ndarray):
        __slots__ = ()

    class Further(Both):
        pass

    for kind in (Both, Further):
        array = np.arange(3).view(kind)
        assert array.total() == 3 and type(array + 1) is kind


def test_pickling_gives_the_same_type() -> None:
    assert pickle.loads(pickle.dumps(la.ndarray)) is la.ndarray
