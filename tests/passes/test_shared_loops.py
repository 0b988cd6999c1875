"""One loop for its last states and for what a derivative reads of its iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.control_flow import iteration
from lazyarr.graph.node import walk
from lazyarr.ops.loop_records import record_of
from lazyarr.passes.shared_loops import share_loops

_X = np.random.default_rng(0).standard_normal((2, 3))
_W = np.random.default_rng(1).standard_normal((3, 3)) / 2


def _one_state(w: Any) -> Any:
    return (la.fori_loop(3, lambda i, h: la.tanh(h @ w), _X) ** 2).sum()


def _two_states(w: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        h = la.tanh(s[0] @ w)
        return h, s[1] + h.sum()

    h, total = la.fori_loop(3, body, (_X, la.asarray(0.0)))
    return total + (h**2).sum()


@pytest.mark.parametrize("loss", [_one_state, _two_states])
def test_value_and_gradient_run_one_forward_loop(loss: Callable[[Any], Any]) -> None:
    both = la.value_and_grad(loss)(_W)
    roots = tuple(x._node for x in both)
    shared = share_loops(roots, {})
    records = [x for x in walk(shared) if (r := record_of(x)) and not r.is_backward]
    assert len(records) == 1
    forward = record_of(records[0])
    assert forward is not None
    assert all(x.op.loop is not forward.loop for x in walk(shared))
    value, gradient = la.evaluate(*both)
    np.testing.assert_array_equal(value, loss(_W))
    np.testing.assert_array_equal(gradient, la.grad(loss)(_W))


def test_iterations_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three iterations forward and three backward, six are computed."""
    computed = 0
    call, repeat = iteration.Iteration.__call__, iteration.Iteration.repeat
    pack = iteration.Iteration.pack

    def counted(self: Any, operands: Any) -> Any:
        nonlocal computed
        computed += 1
        return call(self, operands)

    def counted_in_c(self: Any, numbers: tuple[int, int], *args: Any, **options: Any) -> Any:
        nonlocal computed
        results = repeat(self, numbers, *args, **options)
        computed += results[0] - numbers[0]
        return results

    def counted_as_a_whole(self: Any, count: int, *args: Any) -> Any:
        nonlocal computed
        results = pack(self, count, *args)
        computed += results[0]
        return results

    monkeypatch.setattr(iteration.Iteration, "__call__", counted)
    monkeypatch.setattr(iteration.Iteration, "pack", counted_as_a_whole)
    monkeypatch.setattr(iteration.Iteration, "repeat", counted_in_c)
    step = la.jit(la.value_and_grad(_two_states))
    step(_W)
    computed = 0
    step(_W)
    assert computed == 6
