"""Functions as attributes of classes, and pickles of functions."""

from __future__ import annotations

import pickle
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import lazyarr as la

NAMES = "array asarray zeros empty arange ascontiguousarray matmul vecdot add sum concatenate sort"


@pytest.mark.parametrize("name", NAMES.split())
def test_functions_become_methods_where_those_of_numpy_do(name: str) -> None:
    theirs, ours = getattr(np, name), getattr(la, name)
    is_free = isinstance(theirs, (np.ufunc, BuiltinFunctionType))
    for function in (theirs, ours):
        holder = type("Holder", (), {"function": function})()
        assert (holder.function is function) is is_free


def test_a_class_may_have_functions_in_c_as_attributes() -> None:
    class Kit:
        array, product = la.array, la.matmul

    kit = Kit()
    for size in (2, 200):
        x = kit.array(np.ones((size, size)), dtype="f4")
        result = kit.product(x, x, out=la.zeros((size, size), "f4"))
        np.testing.assert_array_equal(np.asarray(result), np.full((size, size), size, "f4"))


@pytest.mark.parametrize("space", [la, la.linalg, la.fft], ids=lambda space: space.__name__)
def test_functions_are_pickled_by_name(space: ModuleType) -> None:
    functions: dict[str, Any] = {name: getattr(space, name) for name in dir(space)}
    plain = {
        name: value
        for name, value in functions.items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    }
    assert len(plain) > 10
    for name, function in plain.items():
        assert pickle.loads(pickle.dumps(function)) is function, name
