"""Ndarrays as operands: results have the elements that these had at the call, as NumPy's have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.graph.node import walk
from lazyarr.ops.movement import LEAF

# NumPy 2.5 deprecates it, and still has it.
pytestmark = pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")

#: Elements of a small operand, which is copied, and of a large one, beside `IMMEDIATE`.
SIZES = (40, 300)
IMMEDIATE = 64

#: Functions of a namespace, an array of either library and an ndarray.
READS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "map": lambda m, x, u: m.sin(u),
    "reduction": lambda m, x, u: m.sum(u),
    "mean of a map": lambda m, x, u: m.sqrt(m.abs(u)).mean(),
    "scan": lambda m, x, u: m.cumsum(u),
    "difference": lambda m, x, u: m.diff(u),
    "copies": lambda m, x, u: m.repeat(u, 2),
    "joined": lambda m, x, u: m.concatenate([x[0], u]),
    "operator": lambda m, x, u: x * u,
    "reflected": lambda m, x, u: u - x,
    "ufunc of NumPy": lambda m, x, u: np.arctan2(x, u),
    "function of NumPy": lambda m, x, u: np.where(x > 0.5, x, u),
    "mask of a choice": lambda m, x, u: m.where(u > 0, x, u),
    "mask beside others": lambda m, x, u: _chosen_by(m, x, u),
    "part": lambda m, x, u: x[:, 1:] + u[1:],
    "argument with a name": lambda m, x, u: m.average(x, axis=1, weights=u),
    "selection": lambda m, x, u: x[0][u > 0].sum(),
    "gather": lambda m, x, u: m.sqrt(x[0])[(m.abs(u) * 7 % 30).astype(int)],
    "method": lambda m, x, u: x.clip(-1, u),
    "joined rows": lambda m, x, u: m.vstack([u, x]),
    "appended": lambda m, x, u: m.append(x[0], u),
    "diagonal": lambda m, x, u: m.diagflat(u[:9]),
    "copied": lambda m, x, u: m.astype(u, float) if hasattr(np, "astype") else m.array(u),
    "in Fortran order": lambda m, x, u: m.ravel(u.reshape(2, -1), order="F"),
    "of part in one axis": lambda m, x, u: m.reshape(u.reshape(2, -1)[:, 1:], -1),
    "function without a compiled form": lambda m, x, u: m.trunc(u) if m is np else m.fix(u),
    "grid": lambda m, x, u: m.meshgrid(u[:9], u[:9])[1],
    "method of a ufunc": lambda m, x, u: m.add.accumulate(u),
}


def _chosen_by(m: Any, x: Any, u: Any) -> Any:
    mask = u > 0
    chosen = np.where(mask, x, 2.0) + m.where(mask, x * 2, x)
    mask[:] = ~mask
    return chosen


#: Writes of NumPy's to an ndarray, and of values of either library.
WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "operator": lambda m, x, u: u.__imul__(-3),
    "slice": lambda m, x, u: u.__setitem__(slice(1, None), u[:-1] + 1),
    "fill": lambda m, x, u: u.fill(0.75),
    "value": lambda m, x, u: u.__setitem__(slice(None), m.cos(u)),
    "sum": lambda m, x, u: np.add(u, m.cos(u), out=u),
    "copyto": lambda m, x, u: m.copyto(u, x[0] + 1),
    "element": lambda m, x, u: u.__setitem__(3, m.max(u)),
}


def _program(
    module: Any, make: Callable[[Any], Any], size: int, steps: list[tuple[str, str]]
) -> list[Any]:
    rng = np.random.default_rng(size)
    x, u = make(rng.random((3, size))), rng.random(size) - 0.3
    values = []
    for read, write in steps:
        values.append(READS[read](module, x, u))
        WRITES[write](module, x, u)
    return [*map(np.asarray, values), u]


def _check(size: int, steps: list[tuple[str, str]]) -> None:
    with la.config(immediate=IMMEDIATE):
        mine = _program(la, la.array, size, steps)
    theirs = _program(np, np.array, size, steps)
    for value, expected in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-12, strict=True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("read", READS)
def test_results_have_the_elements_of_the_call(read: str, size: int) -> None:
    """No write of NumPy's, or of a lazy value, is seen in what was read before."""
    _check(size, [(read, "operator"), (read, "value")])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SIZES),
    st.lists(st.tuples(st.sampled_from(list(READS)), st.sampled_from(list(WRITES))), max_size=6),
)
def test_programs_that_write_to_their_operands(size: int, steps: list[tuple[str, str]]) -> None:
    """Any order of reads and writes has NumPy's values."""
    _check(size, steps)


@pytest.mark.parametrize("factor", [None, 2])
@pytest.mark.parametrize("size", SIZES)
def test_operators_in_place_and_masks(size: int, factor: int | None) -> None:
    """An expression that is the next value of an array has read its right operand."""
    with la.config(immediate=IMMEDIATE):
        values = []
        for make in (la.array, np.array):
            x: Any = make(np.ones(size))
            x = x if factor is None else x * factor
            u, mask = np.ones(size), np.ones(size, bool)
            x += u
            x[1:] -= u[1:]
            x[mask] *= 3
            u *= 5
            mask[:] = False
            values.append(np.asarray(x).tolist())
    assert values[0] == values[1]


def test_views_show_what_is_written() -> None:
    """A view of an ndarray stays one, and what was wrapped is read later."""
    with la.config(immediate=IMMEDIATE):
        u = np.ones(SIZES[1])
        views = [
            la.ravel(u),
            la.reshape(u, (3, -1)),
            la.broadcast_to(u, (2, u.size)),
            la.asarray(u),
        ]
        u *= 2
        assert all((view.compute() == 2).all() for view in views)


@pytest.mark.skipif(COMPILED is None, reason="Python's form takes all operands for named ones")
def test_operands_without_a_name_stay_lazy() -> None:
    """Nothing can write to a temporary: it is read when the expression is evaluated."""
    with la.config(immediate=IMMEDIATE):
        x, u = la.array(np.ones(10 * SIZES[1])), np.ones(10 * SIZES[1])
        values = [la.sin(u + 1), x * np.sin(u), np.sin(u) * x, np.hypot(x, u + 1)]
        assert all(value._array is None for value in values)
        values = [la.sin(u), x * u, u * x, np.hypot(x, u)]
        assert not any(value._array is None for value in values)


def test_equal_copies_are_one_operand() -> None:
    """A small operand that was not written to is read once by an expression."""
    with la.config(immediate=IMMEDIATE):
        x, u = la.array(np.ones((100, SIZES[0]))), np.ones(SIZES[0])
        value = (x * u + u) * u
        leaves = {id(node) for node in walk((value._node,)) if node.op is LEAF}
        assert len(leaves) == 2
        u += 1
        assert (value * u).compute().tolist() == np.full((100, SIZES[0]), 4.0).tolist()


@pytest.mark.skipif(COMPILED is None, reason="Python's form builds an expression of each operation")
def test_operations_of_large_operands_alone_are_numpys() -> None:
    """No plan is found for one operation that is computed at the call, and no result keeps it."""
    with la.config(immediate=4096):
        u, two = np.ones(150_000), la.asarray(2.0)
        for value in (u + two, la.maximum(u, 2), la.append(u, u), la.max(u), la.diff(u)):
            assert value._array is not None
            assert value._history is None
        references = sys.getrefcount(u)
        total = la.sum(u)
        assert sys.getrefcount(u) == references
        assert float(total) == u.size


@pytest.mark.skipif(COMPILED is None, reason="Python's form does not know of names")
def test_operands_with_a_name_are_computed_with_the_result() -> None:
    """The program may go on with them: they are not computed twice."""
    with la.config(immediate=4096):
        x, u = la.array(np.arange(300_000.0)), np.ones(300_000)
        distance = (x - 3) ** 2 + x
        near = distance < u
        assert near._array is not None
        assert distance._array is not None
        assert np.asarray(distance)[:4].tolist() == [9, 5, 3, 3]
