"""The table of nodes."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph import node


def test_garbage_collected_during_a_sweep_does_no_harm() -> None:
    class Cycle:
        def __init__(self) -> None:
            self.own = self
            self.leaf = la.asarray(np.ones(3))  # forgets its entry when it goes

    data = [np.full(1, number) for number in range(5000)]
    arrays = [la.asarray(values) for values in data]
    before = gc.get_threshold()
    try:
        for _ in range(5):
            gc.disable()
            cycles = [Cycle() for _ in range(200)]
            del cycles
            gc.set_threshold(1)
            gc.enable()
            node.look_at_nodes()
            gc.set_threshold(*before)
    finally:
        gc.enable()
        gc.set_threshold(*before)
    for values, array in zip(data, arrays, strict=True):
        assert la.asarray(values)._node is array._node


def test_equal_expressions_are_one_node() -> None:
    x = la.asarray(np.ones(3))
    first, second = np.sin(x) + 1, np.sin(x) + 1
    assert first._node is second._node
    assert (np.sin(x) + 2)._node is not first._node


@pytest.mark.parametrize("other", [-0.0, np.nan, 1])
def test_constants_are_told_apart_by_their_bytes(other: float) -> None:
    x = la.asarray(np.ones(3))
    assert (x + 0.0)._node is (x + 0.0)._node
    assert (x + 0.0)._node is not (x + other)._node


def test_a_node_is_forgotten_with_its_last_user() -> None:
    x = la.asarray(np.ones(3))
    expression = np.cos(x) * 3
    number = weakref.ref(expression._node)
    del expression
    gc.collect()
    assert number() is None


def test_garbage_is_no_longer_in_the_table_when_its_attributes_are_cleared() -> None:
    shape, dtype = (3,), np.dtype(float)
    operation = (la.asarray(np.ones(3)) + 1)._node.op
    equals: list[object] = []

    class Equal:
        """An attribute that compares until the collector clears it."""

        __slots__ = ("number", "probe")

        def __init__(self, number: int) -> None:
            self.number = number
            self.probe: object = None

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal) and self.number == other.number

        def __hash__(self) -> int:
            return 7

    class Probe:
        """An object that builds an equal node while the collector clears."""

        __slots__ = ()

        def __del__(self) -> None:
            equals.append(node.node(operation, (), dtype, shape, Equal(1)))

    first = Equal(1)
    first.probe = np.array([Probe()], object)  # the collector does not look into arrays
    value = node.node(operation, (), dtype, shape, first)
    node.set_memo(value, [value])
    del first, value
    gc.collect()
    assert len(equals) == 1
    assert node.node(operation, (), dtype, shape, Equal(1)) is equals[0]


@pytest.mark.parametrize("name", ["op", "src", "dtype", "shape", "attr", "origin", "memo", "other"])
def test_nodes_are_frozen(name: str) -> None:
    value = (la.asarray(np.arange(3.0)) + 1)._node
    before = getattr(value, name, None)
    with pytest.raises(AttributeError, match="frozen"):
        setattr(value, name, before)
    with pytest.raises(AttributeError, match="frozen"):
        delattr(value, name)
    assert getattr(value, name, None) is before


def test_the_first_leaf_that_holds_a_value_stays() -> None:
    x = la.asarray(np.arange(3.0))
    value = (x * 7 - 3)._node
    first, second = (la.asarray(np.arange(3.0) * 7 - 3)._node for _ in range(2))
    node.set_stored(value, first)
    node.set_stored(value, second)  # of another thread, which computed it, too
    assert value.stored is first
