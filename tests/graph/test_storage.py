"""Where the elements of an expression would lie: the strides of NumPy's result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

Array = np.ndarray[Any, Any]


@settings(max_examples=200, deadline=None, database=None)
@given(data=st.data())
def test_strides_of_expressions_of_views_are_numpys(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(6, 7), (5, 4, 6)]))
    array = np.ones(shape)
    lazy: Any = la.asarray(array)
    for _ in range(data.draw(st.integers(1, 4))):
        way = data.draw(st.sampled_from(["slice", "transpose", "flip", "add", "sum"]))
        if way == "slice":
            key = tuple(slice(data.draw(st.integers(0, 1)), None, 1) for _ in array.shape)
            array, lazy = array[key], lazy[key]
        elif way == "transpose":
            order = data.draw(st.permutations(range(array.ndim)))
            array, lazy = array.transpose(order), lazy.transpose(order)
        elif way == "flip":
            array, lazy = np.flip(array, 0), np.flip(lazy, 0)
        elif way == "add":
            array, lazy = array + 1, lazy + 1
        elif array.ndim > 2:
            array, lazy = array.sum(axis=1), lazy.sum(axis=1)
        assert lazy.strides == array.strides


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_stencil_lies_as_its_array(order: Any) -> None:
    array = np.asarray(np.ones((8, 9)), order=order)
    lazy = la.asarray(array)
    theirs = array[1:, 1:] + array[:-1, :-1]
    assert (lazy[1:, 1:] + lazy[:-1, :-1]).strides == theirs.strides
