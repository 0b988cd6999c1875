"""Bytes moved and arithmetic, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lazyarr.core.shapes import View, broadcast_view, identity_view, permute_view, slice_view
from lazyarr.graph.node import Leaf, node
from lazyarr.schedule.cost import arithmetic, computed_by, stored_bytes, touched_elements, traffic
from tests.support import inspect_programs as make


@pytest.mark.parametrize(
    ("view", "shape", "expected"),
    [
        (identity_view(2), (3, 4), 12),
        (slice_view((2, 0), (3, 1)), (5, 4), 20),
        (permute_view((1, 0)), (4, 3), 12),
        (broadcast_view((1, 4), (100, 4)), (100, 4), 4),
        (broadcast_view((), (100, 4)), (100, 4), 1),
        (View((0, 0), ((1,), (1,))), (7,), 7),  # a diagonal
        (View((0,), ((1, 1),)), (8, 3), 10),  # windows of 3 over 10 elements
        (View((9,), ((-1,),)), (10,), 10),  # flipped
        (identity_view(1), (0,), 0),
    ],
)
def test_touched_elements(view, shape, expected):
    assert touched_elements(view, shape) == expected


def test_a_broadcast_leaf_is_stored_once():
    array = np.broadcast_to(np.zeros(10), (1000, 10))
    leaf = node(make.LEAF, (), array.dtype, array.shape, Leaf(array))
    assert leaf.nbytes == 80_000
    assert stored_bytes(leaf) == 80


def test_a_kernel_reads_each_input_once_and_writes_each_output_once():
    a, b = make.leaf(100), make.leaf(100)
    squared = make.apply(make.MULTIPLY, make.apply(make.SUBTRACT, a, b), a)
    result = make.total(squared, 0)
    actual = traffic((squared.src[0], squared, result), (a, b), (result,))
    assert (actual.read, actual.written, actual.total) == (1600, 8, 1608)


def test_views_that_the_caller_leaves_out_are_found():
    grid = make.leaf(100, 100)
    corner = make.part(grid, (0, 0), (10, 10))
    result = make.apply(make.EXP, corner)
    assert traffic((result,), (grid,), (result,)).read == 10 * 10 * 8
    assert computed_by((result,), (grid,)) == [corner, result]


def test_overlapping_views_never_cost_more_than_the_whole():
    result = make.stencil()
    grid = next(n for n in [result.src[0]] for n in _leaves(n))
    assert traffic((result,), (grid,), (result,)).read == 1000 * 1000 * 8


def test_an_input_that_is_itself_a_view_costs_what_it_touches():
    grid = make.leaf(100, 100)
    row = make.part(grid, (3, 0), (1, 100))
    result = make.apply(make.EXP, row)
    assert traffic((result,), (row,), (result,)).read == 800


def test_scalars_cost_nothing_to_read():
    a = make.leaf(100)
    result = make.apply(make.MULTIPLY, a, make.constant(2.0))
    assert traffic((result,), (a, result.src[1]), (result,)).read == 800


def test_a_value_written_to_two_places_counts_twice():
    result = make.apply(make.EXP, make.leaf(100))
    assert traffic((result,), result.src, (result, result)).written == 1600


def test_arithmetic_counts_the_elements_that_a_reduction_reads():
    a = make.leaf(10, 20)
    power = make.apply(make.EXP, a)
    result = make.total(power, 1)
    assert arithmetic((power, result)) == 20 * 200 + 200


def _leaves(root):
    from lazyarr.graph.node import Kind, walk

    return [n for n in walk([root]) if n.op.kind is Kind.LEAF]
