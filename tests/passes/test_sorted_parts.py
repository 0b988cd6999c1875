"""Orders of which little is read: what is selected is what the slice of the whole would be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.passes.sorted_parts import fold_slices

ORDERS = {
    "sort": lambda x, axis: np.sort(x, axis=axis),
    "argsort": lambda x, axis: np.argsort(x, axis=axis, stable=True),
    "partition": lambda x, axis: np.partition(x, 3, axis=axis),
    "argpartition": lambda x, axis: np.argpartition(x, 3, axis=axis),
}


def always(_: Node) -> bool:
    return True


def folded(array: Any) -> tuple[Node, list[str]]:
    (root,) = fold_slices((array._node,), always, {})
    return root, [value.op.name for value in walk((root,)) if value.op.kind is Kind.LIBRARY]


def evaluated(root: Node) -> Any:
    return la.evaluate(LazyArray(root))


@st.composite
def slices(draw: st.DrawFn, size: int) -> slice:
    ends = st.none() | st.integers(-size, size)
    return slice(draw(ends), draw(ends), draw(st.sampled_from([None, 1, 2, -1, -3])))


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(["sort", "argsort"]), st.integers(0, 2))
def test_any_slices_of_an_order_are_slices_of_what_is_selected(
    data: st.DataObject, name: str, axis: int
) -> None:
    shape = (5, 8, 6)
    x = np.random.default_rng(0).integers(0, 9, shape).astype(float)
    ordered = ORDERS[name](la.asarray(x), axis)
    keys = [tuple(data.draw(slices(size)) for size in shape) for _ in range(2)]
    parts = [ordered[key] for key in keys]
    roots = fold_slices(tuple(part._node for part in parts), always, {})
    for root, key in zip(roots, keys, strict=True):
        expected = ORDERS[name](x, axis)[key]
        assert root.shape == expected.shape
        np.testing.assert_array_equal(evaluated(root), expected)


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("key", [np.s_[:3], np.s_[-2:], np.s_[2], np.s_[:-3:-1]])
def test_slices_select(name: str, key: Any) -> None:
    x = la.asarray(np.random.default_rng(1).random(20))
    root, steps = folded(ORDERS[name](x, 0)[key] + 1)
    assert steps == ["sorted_part"]
    part = next(value for value in walk((root,)) if value.op.kind is Kind.LIBRARY)
    assert part.size <= 3


def test_what_is_selected_is_not_sorted_again() -> None:
    values = np.random.default_rng(1).random((7, 30))
    x = la.asarray(values)
    root, steps = folded(np.sort(np.partition(x, 3, axis=1)[:, :4], axis=1) * 2)
    assert steps == ["sorted_part"]
    np.testing.assert_array_equal(evaluated(root), np.sort(values, axis=1)[:, :4] * 2)
    _, across = folded(np.sort(np.sort(x, axis=1)[:, :4], axis=0))
    assert across == ["sorted_part", "sort"]


def test_orders_that_others_read_stay() -> None:
    x = la.asarray(np.random.default_rng(1).random(30))
    ordered = np.sort(x)
    _, steps = folded(ordered[:3] + ordered.sum())
    assert steps == ["sort"]
    roots = fold_slices((ordered._node, ordered[:3]._node), always, {})
    assert roots[0] is ordered._node


def test_nothing_is_selected_where_the_target_has_no_step_for_it() -> None:
    root = np.sort(la.asarray(np.ones(30)))[:3]._node
    assert fold_slices((root,), lambda _: False, {}) == (root,)
