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


def _written_through_a_view(xp: Any, array: Any) -> Any:
    x = xp.asarray(array)
    x.T.reshape(-1)[:5] = 3  # a view of an array in Fortran order alone
    return x


def _written_whole(xp: Any, array: Any) -> Any:
    x = xp.asarray(array)
    x[...] = xp.asarray(np.arange(20.0).reshape(4, 5)) * 2
    return x


def _filled(xp: Any, array: Any) -> Any:
    x = xp.asarray(array)
    x[...] = 7
    return x


def _written_often(xp: Any, array: Any) -> Any:
    x = xp.asarray(array)
    for row in range(12):
        x[row % 4] += row
    return x


def _transpose_written(xp: Any, array: Any) -> Any:
    x = xp.asarray(array)
    view = x.T
    view[...] = xp.asarray(np.arange(20.0).reshape(5, 4)) + 1
    return view


def _copied_in_c_order(xp: Any, array: Any) -> Any:
    return xp.asarray(array).copy()


def _copied_in_its_order(xp: Any, array: Any) -> Any:
    return np.broadcast_to(xp.asarray(array)[:, None], (4, 2, 5)).copy("K")


def _itself(x: Any) -> Any:
    return x


def _incremented(x: Any) -> Any:
    return x + 1


def _transposed(x: Any) -> Any:
    return x.T + 1


def _differences(x: Any) -> Any:
    return (x * x)[1:] - x[1:]


_WAYS = [
    _written_through_a_view,
    _written_whole,
    _filled,
    _written_often,
    _transpose_written,
    _copied_in_c_order,
    _copied_in_its_order,
]


@pytest.mark.parametrize("immediate", [0, 4, 1000])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("way", _WAYS)
def test_what_is_made_of_a_written_array_lies_in_its_order(
    way: Any, order: Any, immediate: int
) -> None:
    def build() -> Any:
        return np.asarray(np.arange(20.0).reshape(4, 5), order=order)

    expected = way(np, build())
    with la.config(immediate=immediate):
        written = way(la, build())
        for function in (_itself, _incremented, _transposed, _differences):
            theirs, ours = function(expected), function(written)
            assert ours.strides == theirs.strides
            is_view = np.shares_memory(theirs, theirs.ravel())
            assert la.shares_memory(ours, ours.ravel()) == is_view
            np.testing.assert_array_equal(ours.compute(), theirs)


def test_a_value_that_was_stored_lies_as_its_expression() -> None:
    array = np.asfortranarray(np.arange(20.0).reshape(4, 5))
    with la.config(immediate=0):
        x = la.asarray(array)
        for _ in range(4):  # the second evaluation stores what the first has computed
            x, array = x * 0.5 + 1, array * 0.5 + 1
            assert float(x.sum()) == array.sum()
            assert (x + 1).strides == (array + 1).strides
        assert np.asarray(x).shape == (4, 5)
        assert (x + 1).strides == (array + 1).strides
