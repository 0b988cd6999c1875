"""Terms: nodes seen through maps, each computed once."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.index_terms import SCALAR, domain_view, levels, outer_view, trace


def is_leaf(node: Node) -> bool:
    return node.op.kind is Kind.LEAF


def terms_of(x: Any, *others: Any) -> Any:
    nodes = [value._node for value in (x, *others)]
    domain = nodes[0].shape
    return trace([(n, domain_view(domain)) for n in nodes], domain, is_leaf)


def names(traced: Any) -> list[str]:
    return [term.node.op.name for term in traced.terms]


X = la.asarray(np.arange(12.0).reshape(3, 4))
ROW = la.asarray(np.arange(4.0))


def test_views_vanish() -> None:
    traced = terms_of(X.T[::-1] + 1)
    assert names(traced) == ["leaf", "constant", "add"]
    leaf = traced.terms[0]
    assert leaf.loaded
    assert leaf.view == View((0, 3), ((0, 1), (-1, 0)))


def test_a_stencil_reads_one_leaf_at_several_maps() -> None:
    traced = terms_of(X[:, :-1] + X[:, 1:])
    assert names(traced) == ["leaf", "leaf", "add"]
    assert [t.view.offsets for t in traced.terms[:2]] == [(0, 0), (0, 1)]
    assert traced.terms[2].args == (0, 1)


def test_equal_maps_are_one_term() -> None:
    square = X * X
    traced = terms_of(square + square[:, :], square)
    assert names(traced) == ["leaf", "multiply", "add"]
    assert traced.sinks == ((2,), (1,))


def test_broadcast_operands_do_not_move_along_the_axis() -> None:
    traced = terms_of(X + ROW + X[:, :1])
    maps = {t.view for t in traced.terms if t.loaded}
    assert View((0,), ((0, 1),)) in maps
    assert View((0, 0), ((1, 0), (0, 0))) in maps
    assert len(maps) == 3


def test_scalars_have_no_map() -> None:
    traced = terms_of(X * 2.5)
    assert traced.terms[1].view == SCALAR


def test_axes_of_length_one_have_no_coefficient() -> None:
    assert domain_view((1, 3)) == View((0, 0), ((0, 0), (0, 1)))
    assert outer_view((2, 3, 1), (1,)) == View((0, 0), ((1, 0, 0), (0, 0, 0)))


def test_levels_count_the_reductions_below() -> None:
    largest = X.max(axis=1, keepdims=True)
    e = np.exp(X - largest)
    total = e.sum(axis=1, keepdims=True)
    traced = trace([((e / total)._node, domain_view((3, 4)))], (3, 4), is_leaf)
    result = dict(zip(names(traced), levels(traced), strict=True))
    assert result == {"leaf": 0, "max": 1, "subtract": 1, "exp": 1, "sum": 2, "divide": 2}


def test_a_loaded_reduction_is_level_zero() -> None:
    total = X.sum(axis=1)._node
    normal = X / X.sum(axis=1)[:, None]
    traced = trace(
        [(normal._node, domain_view((3, 4)))],
        (3, 4),
        lambda node: is_leaf(node) or node is total,
    )
    assert set(levels(traced)) == {0}
