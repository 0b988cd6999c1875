"""A reader takes apart what ``flatten`` does and refuses the rest; a builder puts it together."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, namedtuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr.tracing.known_structure import builder, reader
from lazyarr.tracing.pytree import flatten, unflatten

Pair = namedtuple("Pair", "left right")


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def is_leaf(value: object) -> bool:
    return isinstance(value, float)


def trees() -> st.SearchStrategy[Any]:
    leaves = st.floats(allow_nan=False) | st.sampled_from([None, "a", True, 1, 0])
    return st.recursive(
        leaves,
        lambda items: st.one_of(
            st.lists(items, max_size=3),
            st.lists(items, max_size=3).map(tuple),
            st.dictionaries(st.sampled_from(["a", "b", 1, True, (1, 2)]), items, max_size=3),
            st.tuples(items, items).map(lambda pair: Pair(*pair)),
            st.tuples(items, items).map(lambda pair: Point(*pair)),
        ),
        max_leaves=8,
    )


@given(trees(), trees())
def test_agrees_with_flatten(known: Any, value: Any) -> None:
    of_known: list[Any] = []
    structure = flatten(known, is_leaf, of_known)
    results: list[Any] = []
    assert reader(structure)(known, results)
    assert results == of_known
    of_value: list[Any] = []
    same = flatten(value, is_leaf, of_value) == structure
    results = []
    # What a leaf may be is for the caller to say.
    fits = reader(structure)(value, results) and all(map(is_leaf, results))
    assert fits == same
    if same:
        assert results == of_value


@given(trees())
def test_builds_what_unflatten_builds(value: Any) -> None:
    leaves: list[Any] = []
    structure = flatten(value, is_leaf, leaves)
    again = builder(structure)(iter(leaves))
    assert again == unflatten(structure, iter(leaves)) == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ([1.0], (1.0,)),
        ({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}),
        ({"a": 1.0}, OrderedDict(a=1.0)),
        ({"a": 1.0}, {"a": 1.0, "b": 1.0}),
        ((1.0, 1), (1.0, True)),
        ((1.0, None), (1.0, [])),
    ],
)
def test_refuses(known: Any, other: Any) -> None:
    assert not reader(flatten(known, is_leaf, []))(other, [])
