"""Index maps against NumPy's views."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lazyarr.core.shapes import (
    View,
    broadcast_shapes,
    broadcast_view,
    compose,
    contiguous_strides,
    expand_view,
    identity_view,
    permute_view,
    reshape_shape,
    reshape_strides,
    reshape_view,
    slice_view,
    view_strides,
)
from lazyarr.errors import ShapeError
from lazyarr.ops.movement import apply_view

Array = np.ndarray[Any, Any]
SMALL = settings(max_examples=150, deadline=None, derandomize=True, database=None)
SIZES = st.integers(1, 4)
SHAPES = st.lists(SIZES, max_size=4).map(tuple)


def numbered(shape: tuple[int, ...]) -> Array:
    return np.arange(prod(shape)).reshape(shape)


@st.composite
def views(draw: Any, shape: tuple[int, ...]) -> tuple[View, Array]:
    """Return a view of an array of `shape`, and what NumPy makes of the same."""
    array = numbered(shape)
    kind = draw(st.sampled_from(["slice", "permute", "broadcast", "expand"]))
    if kind == "slice":
        starts, steps, keys = [], [], []
        for size in shape:
            step = draw(st.sampled_from([1, 2, -1, -2]))
            start = draw(st.integers(0, size - 1))
            starts.append(start)
            steps.append(step)
            keys.append(slice(start, None, step))
        return slice_view(starts, steps), array[tuple(keys)]
    if kind == "permute":
        axes = draw(st.permutations(range(len(shape))))
        return permute_view(axes), array.transpose(axes)
    if kind == "broadcast":
        wide = tuple(draw(SIZES) if n == 1 else n for n in shape)
        new = (*draw(st.lists(SIZES, max_size=1)), *wide)
        return broadcast_view(shape, new), np.broadcast_to(array, new)
    at = draw(st.integers(0, len(shape)))
    new = (*shape[:at], 1, *shape[at:])
    view = expand_view(shape, new)
    assert view is not None
    return view, array.reshape(new)


@SMALL
@given(st.data())
def test_views_are_numpys(data: Any) -> None:
    shape = data.draw(SHAPES)
    view, expected = data.draw(views(shape))
    np.testing.assert_array_equal(apply_view(view, numbered(shape), expected.shape), expected)


@SMALL
@given(st.data())
def test_composition_is_one_view_after_the_other(data: Any) -> None:
    shape = data.draw(SHAPES)
    first, between = data.draw(views(shape))
    second, _ = data.draw(views(between.shape))
    after = apply_view(second, between, _.shape)
    both = compose(first, second, after.ndim)
    np.testing.assert_array_equal(apply_view(both, numbered(shape), after.shape), after)


@SMALL
@given(st.data())
def test_composition_is_associative_with_identity(data: Any) -> None:
    shape = data.draw(SHAPES)
    first, one = data.draw(views(shape))
    second, two = data.draw(views(one.shape))
    third, three = data.draw(views(two.shape))
    left = compose(compose(first, second, two.ndim), third, three.ndim)
    right = compose(first, compose(second, third, three.ndim), three.ndim)
    assert left == right
    assert compose(identity_view(len(shape)), first, one.ndim) == first
    assert compose(first, identity_view(one.ndim), one.ndim) == first


@SMALL
@given(st.data())
def test_strides_of_a_view(data: Any) -> None:
    shape = data.draw(SHAPES)
    view, expected = data.draw(views(shape))
    offset, strides = view_strides(view, contiguous_strides(shape), expected.ndim)
    for index in np.ndindex(*expected.shape):
        at = offset + sum(i * s for i, s in zip(index, strides, strict=True))
        assert at == expected[index]


@SMALL
@given(st.data())
def test_reshapes_that_are_views(data: Any) -> None:
    shape = data.draw(SHAPES)
    size = prod(shape)
    first = data.draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
    second = data.draw(st.sampled_from([n for n in range(1, 5) if size // first % n == 0]))
    new = data.draw(st.permutations([first, second, size // first // second, 1]))
    view = reshape_view(shape, tuple(new))
    if view is not None:
        expected = numbered(shape).reshape(new)
        np.testing.assert_array_equal(apply_view(view, numbered(shape), tuple(new)), expected)
    # A C-contiguous array can be seen in every shape.
    strides = reshape_strides(shape, contiguous_strides(shape), tuple(new))
    assert strides is not None
    for stride, n, reference in zip(strides, new, contiguous_strides(tuple(new)), strict=True):
        assert n == 1 or stride == reference


@SMALL
@given(st.data())
def test_strides_of_reshapes_are_numpys(data: Any) -> None:
    shape = data.draw(SHAPES)
    _, array = data.draw(views(shape))
    size = array.size
    first = data.draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
    new = (first, size // first)
    item = array.itemsize
    strides = reshape_strides(array.shape, [s // item for s in array.strides], new)
    if strides is not None:
        seen = np.lib.stride_tricks.as_strided(array, new, [s * item for s in strides])
        np.testing.assert_array_equal(seen, array.reshape(new))
    else:
        assert not np.shares_memory(array.reshape(new), array)


def test_empty_reshapes() -> None:
    assert reshape_view((0, 3), (3, 0)) is None
    assert reshape_strides((0, 3), (3, 1), (3, 0)) == contiguous_strides((3, 0))
    assert contiguous_strides((2, 0, 3)) == (3, 3, 1)
    assert contiguous_strides((2, 3), 8) == (24, 8)
    assert contiguous_strides(()) == ()


@pytest.mark.parametrize(
    "shapes", [((3, 1), (4,)), ((), (2,)), ((1,), (0,)), ((2, 3), (3,), (1, 1)), ((5,), (5,))]
)
def test_broadcasting_is_numpys(shapes: tuple[tuple[int, ...], ...]) -> None:
    assert broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_what_does_not_broadcast() -> None:
    for shapes in [((3,), (4,)), ((2, 3), (2,)), ((0,), (2,))]:
        with pytest.raises(ShapeError, match="cannot be broadcast"):
            broadcast_shapes(*shapes)
        with pytest.raises(ValueError):
            np.broadcast_shapes(*shapes)


def test_reshape_arguments() -> None:
    assert reshape_shape((2, 3), (-1,)) == (6,)
    assert reshape_shape((2, 3), (3, -1)) == (3, 2)
    assert reshape_shape((0, 3), (3, -1)) == (3, 0)
    for wrong in [(4,), (-1, -1), (5, -1), (0, -1)]:
        with pytest.raises(ShapeError):
            reshape_shape((2, 3), wrong)
