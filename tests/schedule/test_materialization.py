"""The code behind values is collected in time that their number bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.lazy_array import as_node
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.targets import CPU
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.schedule import materialization
from lazyarr.schedule.index_terms import domain_view
from lazyarr.schedule.materialization import COMPUTED, Placement, code_size

SHAPE = (60, 70)


def chain(length: int) -> Any:
    """Return a chain of operations, each of which reads one before the last as well."""
    values = [la.asarray(np.full(SHAPE, 0.5)), la.asarray(np.full(SHAPE, 1.5))]
    for k in range(length):
        values.append(la.sqrt(values[-1]) * values[-2] if k % 3 else values[-1] + values[-2])
    return values[-1]


def sizes_asked(length: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the number of questions for the size of an operation that a chain has."""
    asked: list[Node] = []

    def counted(node: Node, function_code: int) -> int:
        asked.append(node)
        return code_size(node, function_code)

    with monkeypatch.context() as patch, la.config(immediate=0):
        patch.setattr(materialization, "code_size", counted)
        analyse((as_node(chain(length)),))
    return len(asked)


def test_planning_is_linear_in_the_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = (sizes_asked(length, monkeypatch) for length in (150, 600))
    assert 100 < long <= 5 * short
    assert long <= 10 * 1000  # operations of the longer chain


def random_step(draw: st.DrawFn, values: list[Any]) -> Any:
    """Return an operation on two of the last values."""
    places = st.integers(1, min(6, len(values)))
    first, second = values[-draw(places)], values[-draw(places)]
    match draw(st.integers(0, 7)):
        case 0:
            return la.exp(first)
        case 1:
            return first[..., ::-1] * second
        case 2:
            return first - first.mean(0, keepdims=True)
        case 3:
            return la.where(first > second, first, 2.0)
        case _:
            return first + second * 0.5


@st.composite
def expressions(draw: st.DrawFn) -> Node:
    """Return a random expression of elements, views, reductions and generated values."""
    with la.config(immediate=0):
        values: list[Any] = [la.asarray(np.ones(shape)) for shape in (SHAPE, SHAPE[1:])]
        values.append(la.arange(70.0))
        for _ in range(draw(st.integers(1, 150))):
            values.append(random_step(draw, values))
        return as_node(sum(values[-3:]))


@given(expressions())
@settings(max_examples=40, deadline=None)
def test_code_behind_a_value_is_what_a_traversal_finds(root: Node) -> None:
    planner = Placement((root,), CPU)
    planner.choose_stored(())
    unit = CPU.costs.function_code
    for value in planner.order:
        if value in planner.owners or value.op.kind is Kind.LEAF:
            continue

        def is_end(other: Node) -> bool:
            return other in planner.owners or other.op.kind is Kind.GENERATE

        behind = [other for other in walk((value,), stop=is_end) if other not in planner.owners]
        expected = {
            other: code_size(other, unit)
            for other in behind
            if other.op.kind in COMPUTED or (other.op.kind is Kind.GENERATE and other.src)
        }
        assert planner.operations_of(value) == expected


def test_nodes_of_terms_are_collected_once() -> None:
    x = la.asarray(np.ones(SHAPE))
    with la.config(immediate=0):
        value = as_node(la.sin(x) * 2 + x)
    planner = Placement((value,), CPU)
    planner.choose_stored(())
    traced = planner.terms.of(value, domain_view(SHAPE), SHAPE, computed=True)
    nodes = planner.nodes_of(traced)
    assert planner.nodes_of(traced) is nodes
    assert [node.op.name for node in nodes.computed[-3:]] == ["sin", "multiply", "add"]
    assert nodes.operations == sum(nodes.code.values())
