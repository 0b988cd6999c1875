"""Memory that expressions share: no copies, one leaf, and no write that anybody sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays import pending_writes, shared_memory
from lazyarr.arrays.shared_memory import steps_in_memory
from lazyarr.arrays.steps import in_memory
from lazyarr.graph.node import walk
from lazyarr.ops.movement import LEAF
from lazyarr.passes.canonicalize import bind

Array = np.ndarray[Any, Any]
SHAPE = (280, 270)  # more elements than run at once


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _stencil(u: Any) -> Any:
    return u[2:, 1:-1] + u[:-2, 1:-1] * u[1:-1, 2:] - u[1:-1, :-2] + u[1:-1, 1:-1].T.T


def _owned(shape: tuple[int, int] = SHAPE) -> tuple[Array, Any]:
    values = np.random.default_rng(3).random(shape)
    u = la.array(values)
    u[0, 0] = values[0, 0] = 2
    return values, u


def test_the_views_of_a_stencil_are_index_maps_of_one_leaf() -> None:
    values, owned = _owned()
    wrapped = la.asarray(values)
    expected = [_stencil(values)] * 2
    with la.config(immediate=0):
        built = _stencil(la.asarray(values))
        form = bind((built._node,))[0]
    for u in (owned, wrapped):
        value = _stencil(u)._node
        assert sum(part.op is LEAF for part in walk((value,))) == 1
        assert bind((value,))[0] == form
    np.testing.assert_array_equal(np.stack([_stencil(owned), _stencil(wrapped)]), expected)


def test_writes_are_in_place_while_nobody_sees_them(copies: list[int]) -> None:
    values, u = _owned()
    view = u[1:-1]
    for k in range(50):
        for x in (u, values):
            x[k] = k
            x[:, 3] += x[:, 2]
        view *= 0.5
        values[1:-1] *= 0.5
    assert not copies  # u is a copy, which nobody else knows
    np.testing.assert_array_equal(la.evaluate(u), values)
    np.testing.assert_array_equal(la.evaluate(view), values[1:-1])


def test_who_sees_a_write_takes_one_copy(copies: list[int]) -> None:
    values, u = _owned((400, 400))  # of which copy() makes none
    del copies[:]
    pending, same = u + 1, u.copy()
    old = values.copy()
    for k in range(9):
        u[k, 1:] = values[k, 1:] = k
    assert len(copies) == 1
    np.testing.assert_array_equal(pending.compute(), old + 1)
    np.testing.assert_array_equal(same.compute(), old)
    np.testing.assert_array_equal(u.compute(), values)


def test_arrays_that_were_handed_out_never_change() -> None:
    values, u = _owned()
    copy = u.copy()
    shown = [np.asarray(u), np.asarray(u[3:]), np.asarray(copy)]
    expected = [values.copy(), values[3:].copy(), values.copy()]
    del copy
    u[5] = -1
    u[:, 5] = -2
    for array, before in zip(shown, expected, strict=True):
        np.testing.assert_array_equal(array, before)
        assert not array.flags.writeable


def test_small_parts_of_what_is_written_to_are_copied(copies: list[int]) -> None:
    x = la.array(np.arange(100_000.0))
    x[0] = 1
    del copies[:]
    sums = []
    for k in range(10):
        part = x[k * 5000 : (k + 1) * 5000] * 2  # pending while the next write comes
        x[k] = 0.0
        sums.append(part.sum())
    assert len(copies) <= 1
    expected = [np.arange(k * 5000.0, (k + 1) * 5000).sum() * 2 for k in range(10)]
    expected[0] += 2
    np.testing.assert_array_equal(np.array([float(s) for s in sums]), expected)


def test_an_operation_keeps_no_large_array_alive() -> None:
    x = la.array(np.ones(100_000))
    row = x[:10] + 1
    assert row._history is None


@settings(max_examples=200, deadline=None, database=None)
@given(data=st.data())
def test_steps_lead_to_the_view(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(6,), (4, 5), (1, 7), (3, 4, 2), (5, 1)]))
    order = data.draw(st.permutations(range(len(shape))))
    owned = np.zeros([shape[axis] for axis in order]).transpose(np.argsort(order))
    view = owned
    for _ in range(data.draw(st.integers(0, 3))):
        way = data.draw(st.sampled_from(["slice", "flip", "swap", "diagonal", "new", "flat"]))
        if way == "slice" and view.ndim:
            start = data.draw(st.integers(0, view.shape[0]))
            view = view[start :: data.draw(st.sampled_from([1, 2, 3]))]
        elif way == "flip":
            view = np.flip(view)
        elif way == "swap" and view.ndim > 1:
            view = view.swapaxes(0, -1)
        elif way == "diagonal" and view.ndim > 1:
            view = view.diagonal()
        elif way == "new":
            view = view[..., None]
        elif way == "flat" and view.flags.c_contiguous:
            view = view.reshape(-1)
    owned[...] = np.arange(owned.size).reshape(owned.shape)
    shown: Array | None = owned
    for step in steps_in_memory(owned, view):
        assert shown is not None
        shown = in_memory(shown, step)
    assert shown is not None
    np.testing.assert_array_equal(shown, view)


def test_a_copy_that_does_not_fit_leaves_the_array_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = la.asarray(np.zeros(600_000), copy=True)
    x[0] = 1
    seen = x + 1

    def full(memory: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(shared_memory, "copied_as_it_lies", full)
        with pytest.raises(MemoryError):
            x[1] = 2
    assert x[1] == 0
    x[1] = 3
    assert x[1] == 3
    np.testing.assert_array_equal(la.evaluate(seen)[:3], [2, 1, 1])


def test_a_next_value_that_cannot_be_computed_is_an_expression(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = la.asarray(np.zeros(600_000), copy=True)
    x[0] = 1

    def full(value: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(pending_writes, "MOST_WRITES", getattr(x, "_writes", 0) + 1)
        patched.setattr(pending_writes, "computed", full)
        with pytest.raises(MemoryError):
            x += la.arange(600_000.0)
    values = np.arange(600_000.0)
    values[0] += 1
    np.testing.assert_array_equal(la.evaluate(x * 1), values)
    np.testing.assert_array_equal(np.asarray(x), values)
