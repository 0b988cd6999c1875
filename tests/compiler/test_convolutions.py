"""Convolutions as products of matrices, where a device has no kernel for them."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

import lazyarr as la
from lazyarr import nn
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.compiler.convolutions import legalize_convolutions
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Node, walk
from lazyarr.ops.convolution import (
    CONVOLUTION,
    FILTER_PARTS,
    FILTERS,
    Sliding,
    convolution,
    filters,
)

random = np.random.default_rng(0)


def some(*shape: int) -> Any:
    return random.standard_normal(shape)


def node_of(array: Any) -> Node:
    return as_node(la.asarray(array))


def pair(low: int, high: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(low, high), st.integers(low, high))


@settings(max_examples=20, deadline=None)
@given(
    how=st.builds(Sliding, pair(1, 5), pair(1, 3), pair(1, 3), pair(1, 2), pair(-2, 4), pair(1, 3)),
    size=pair(1, 6),
)
def test_products_are_the_convolution(how: Sliding, size: tuple[int, int]) -> None:
    x, w, g = some(2, *size, 3), some(*how.taps, 3, 2), some(2, *how.windows, 2)
    own, slope = some(*how.taps, 1, 3), some(2, *how.windows, 3)
    apart = replace(how, apart=True)
    for build, other, windows in (
        (convolution, w, how),
        (filters, g, how),
        (convolution, own, apart),
        (filters, slope, apart),
    ):
        value = build(node_of(x), node_of(other), windows)
        (root,) = legalize_convolutions((value,), lambda node: False, {})
        assert not {CONVOLUTION, FILTERS} & {node.op for node in walk((root,))}
        assert root.shape == value.shape
        expected = value.op.evaluate(value, x, other)
        np.testing.assert_allclose(la.evaluate(LazyArray(root)), expected, 1e-12, 1e-12)


def test_what_became_of_a_node_is_noted() -> None:
    value = filters(node_of(some(3, 5, 5, 2)), node_of(some(3, 5, 5, 2)), Sliding((5, 5), (1, 1)))
    final = {value: value}
    (root,) = legalize_convolutions((value,), lambda node: True, final)
    assert final[value] is root
    assert FILTER_PARTS in {node.op for node in walk((root,))}


def test_where_no_convolution_is_nothing_changes() -> None:
    value = node_of(some(3))
    assert legalize_convolutions((value,), lambda node: True, {}) == (value,)


def test_other_dtypes() -> None:
    x, w = some(2, 3, 6, 6), some(4, 3, 3, 3)
    exact = nn.conv2d(x, w, padding=1).compute()
    half = nn.conv2d(x.astype("f2"), w.astype("f2"), padding=1).compute()
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, exact, 0.02, 0.02)


def test_within_a_bound_on_the_memory() -> None:
    """Tiles are computed by generated kernels, which take products of windows."""
    x, w = la.asarray(some(6, 2, 12, 12)), la.asarray(some(3, 2, 3, 3))
    expected = nn.conv2d(x, w).compute()
    value = nn.conv2d(la.asarray(np.asarray(x).copy()), w)
    result = la.evaluate(value, max_memory=200_000)
    np.testing.assert_allclose(result, expected, 1e-12, 1e-12)
