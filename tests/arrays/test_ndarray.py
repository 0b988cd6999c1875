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


def test_subclasses_have_instances_of_their_own() -> None:
    class Vector(la.ndarray):
        __slots__ = ()

    vector = Vector((3,))
    assert type(vector) is Vector
    assert isinstance(vector, Vector)
    assert isinstance(vector, la.ndarray)
    assert not isinstance(la.ones(3), Vector)
    assert not isinstance(np.ones(3), Vector)
    assert issubclass(Vector, la.ndarray)
    assert not issubclass(la.LazyArray, Vector)
    assert Vector != la.LazyArray


def test_pickling_gives_the_same_type() -> None:
    assert pickle.loads(pickle.dumps(la.ndarray)) is la.ndarray
