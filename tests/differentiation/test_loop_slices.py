"""Derivatives of loops whose iterations read slices of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.differentiation import backward_iteration, loops
from lazyarr.differentiation.loop_slices import sliced_invariants
from lazyarr.graph.node import Loop
from tests.support.derivatives import check_derivatives

_X = np.random.default_rng(0).standard_normal((4, 3)) / 2
_W = np.array([[0.5, 0.1, 0.0], [0.2, 0.3, 0.1], [0.0, 0.4, 0.2]])

#: What an iteration reads, of an array of four rows of three.
_READS: dict[str, Callable[[Any, Any], Any]] = {
    "rows": lambda x, i: x[i],
    "columns": lambda x, i: x.T[:, i],
    "the other way": lambda x, i: x[-1 - i],
    "some rows, shifted": lambda x, i: x[1:][i % 3],
    "twice": lambda x, i: x[i] * x[i // 2],
    "beside the whole": lambda x, i: x[i] + x.sum(0),
    "beside another slice": lambda x, i: x[i] * x[:3, 0],
    "a part of a row": lambda x, i: x[i, 1:].sum(),
    "at two positions": lambda x, i: x[i, i % 3],
}


def _loop(read: Callable[[Any, Any], Any], x: Any, w: Any, count: int) -> Any:
    def body(i: Any, state: Any) -> Any:
        hidden, total = state
        hidden = la.tanh(hidden @ w + read(x, i))
        return hidden, total + la.sum(hidden * read(x, i))

    return la.fori_loop(count, body, (x[0], la.asarray(0.0)))


@pytest.mark.parametrize("name", _READS)
def test_slices(name: str) -> None:
    read = _READS[name]
    check_derivatives(lambda x, w: _loop(read, x, w, 3), _X, _W)
    check_derivatives(lambda x, w: _loop(read, x, w, 4), _X, _W)


@pytest.mark.parametrize("name", ["rows", "the other way", "twice", "beside the whole"])
def test_second_derivatives(name: str) -> None:
    def slope(x: Any, w: Any) -> Any:
        return la.grad(lambda x, w: _loop(_READS[name], x, w, 3)[1], argnums=(0, 1))(x, w)

    check_derivatives(slope, _X, _W)


def test_positions_that_depend_on_states() -> None:
    def body(i: Any, state: Any) -> Any:
        hidden, place = state
        return hidden * 0.5 + _rows[place] @ _W, (place + 2) % 4

    _rows: Any = None

    def loop(x: Any) -> Any:
        nonlocal _rows
        _rows = x
        return la.fori_loop(3, body, (x[0], la.asarray(1)))[0]

    check_derivatives(loop, _X)


def test_no_iteration_works_on_the_whole_array(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of a backward loop is in proportion to its length."""
    traced: list[Loop] = []
    record = loops._record

    def noted(loop: Loop, shape: Any, values: Any, is_backward: bool) -> Any:
        if is_backward:
            traced.append(loop)
        return record(loop, shape, values, is_backward)

    monkeypatch.setattr(loops, "_record", noted)
    length = 50
    x = np.zeros((length, 8, 16), np.float32)
    w = np.eye(16, dtype=np.float32)

    def loss(x: Any) -> Any:
        return la.fori_loop(length, lambda i, h: la.tanh(h @ w + x[i]), x[0] * 0).sum()

    assert (np.asarray(la.grad(loss)(x)) == 1).all()
    (loop,) = traced
    assert x.shape not in [step.shape for step in loop.steps if step.src]


def test_slices_are_found() -> None:
    def reads(read: Callable[[Any, Any], Any]) -> int:
        sizes: list[int] = []

        def noted(loop: Loop, active: Any) -> Any:
            slices = sliced_invariants(loop, active)
            sizes.append(len(slices))
            return slices

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(backward_iteration, "sliced_invariants", noted)
            la.grad(lambda x: _loop(read, x, _W, 3)[1])(_X)
        return max(sizes)

    names = [name for name, read in _READS.items() if reads(read)]
    # What does not depend on the iteration is computed before the loop, and is another invariant.
    assert set(_READS) - set(names) == {"a part of a row", "at two positions"}
