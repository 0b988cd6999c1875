"""Terms are traced once as long as the same values are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.arrays.lazy_array import as_node
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.program import Program
from lazyarr.core.shapes import contiguous_strides
from lazyarr.graph.node import Node
from lazyarr.schedule import known_terms
from lazyarr.schedule.groups import Layout
from lazyarr.schedule.index_terms import KernelTerms, domain_view, trace
from lazyarr.schedule.known_terms import KnownTerms

X = la.asarray(np.arange(12.0).reshape(3, 4))


def place(node: Node) -> Layout:
    return Layout(node, 0, contiguous_strides(node.shape))


def texts(traced: KernelTerms) -> list[tuple[str, bool]]:
    return [(term.node.op.name, term.loaded) for term in traced.terms]


def test_what_is_stored_decides() -> None:
    x, view = as_node(X), X.T
    sine = la.sin(view)
    value = as_node(sine * 2 + sine)
    owners = {x: place(x)}
    known, at = KnownTerms(owners), domain_view((4, 3))
    first = known.of(value, at, (4, 3), computed=True)
    assert known.of(value, at, (4, 3), computed=True) is first
    assert ("sin", False) in texts(first)
    owners[as_node(sine)] = place(as_node(sine))
    known.choice_changed()
    second = known.of(value, at, (4, 3), computed=True)
    assert ("sin", True) in texts(second)
    assert known.of(value, at, (4, 3), computed=True) is second
    # Something that this value does not touch.
    other = as_node(X + 1)
    owners[other] = place(other)
    known.choice_changed()
    assert known.of(value, at, (4, 3), computed=True) is second


def test_a_view_that_is_stored() -> None:
    x, view = as_node(X), as_node(X.T)
    value = as_node(la.sin(X.T))
    owners = {x: place(x)}
    known, at = KnownTerms(owners), domain_view((4, 3))
    (leaf,) = (t for t in known.of(value, at, (4, 3), computed=True).terms if t.loaded)
    assert leaf.node is x
    owners[view] = place(view)
    known.choice_changed()
    (leaf,) = (t for t in known.of(value, at, (4, 3), computed=True).terms if t.loaded)
    assert leaf.node is view


def test_values_of_one_kernel() -> None:
    """Several values are traced together, and those that the kernel computes are not loaded."""
    x, one = as_node(X), as_node(la.sin(X))
    other = as_node(la.sin(X) * 2)
    known, at = KnownTerms({node: place(node) for node in (x, one, other)}), domain_view((3, 4))
    sinks = (one, at), (other, at)
    together = known.of_all(sinks, (3, 4), frozenset((one, other)))
    assert [name for name, loaded in texts(together) if loaded] == ["leaf"]
    assert known.of_all(sinks, (3, 4), frozenset((other, one))) is together
    alone = known.of(other, at, (3, 4), computed=True)
    assert [name for name, loaded in texts(alone) if loaded] == ["sin"]


def test_a_stored_value_is_computed_or_read() -> None:
    value = as_node(X * X)
    known = KnownTerms({as_node(X): place(as_node(X)), value: place(value)})
    at = domain_view((3, 4))
    assert ("multiply", False) in texts(known.of(value, at, (3, 4), computed=True))
    assert texts(known.of(value, at, (3, 4), computed=False)) == [("multiply", True)]


def recurrent(steps: int) -> Any:
    """Return the gradient of a recurrent net, whose parts are joined, sliced and shared."""
    random = np.random.default_rng(0)
    x, w, h, b = (la.asarray(random.standard_normal(s)) for s in ((4, 6), (6, 24), (6, 24), (24,)))

    def loss(w: Any, h: Any) -> Any:
        state: Any = (la.zeros((4, 6)), la.zeros((4, 6)))
        for _ in range(steps):
            state = nn.lstm_cell(x, state, w, h, b)
        return (state[0] ** 2).sum()

    return la.grad(loss, (0, 1))(w, h)


def plan_of(steps: int) -> Program:
    return analyse(tuple(map(as_node, recurrent(steps))))


def test_plans_are_those_of_traces_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cached = plan_of(4)

    def of_all(self: Any, sinks: Any, domain: Any, computed: Any) -> KernelTerms:
        def is_loaded(other: Node) -> bool:
            return self._is_stored(other) and other not in computed

        return trace(sinks, domain, is_loaded)

    monkeypatch.setattr(KnownTerms, "of_all", of_all)
    anew = plan_of(4)
    assert [code.source for code in cached.kernels] == [code.source for code in anew.kernels]
    assert cached.plan.peak_bytes == anew.plan.peak_bytes


def test_few_traces_of_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each decision about a recurrent net asks again; not every one traces again."""
    asked, traced = [], []
    of_all = KnownTerms.of_all

    def counted(self: Any, *args: Any) -> KernelTerms:
        asked.append(args)
        return of_all(self, *args)

    def noted(*args: Any) -> KernelTerms:
        traced.append(args)
        return trace(*args)

    monkeypatch.setattr(KnownTerms, "of_all", counted)
    monkeypatch.setattr(known_terms, "trace", noted)
    plan_of(6)
    distinct = set(asked)
    assert len(distinct) < 0.8 * len(asked)
    assert len(traced) <= 1.25 * len(distinct)
