"""Long code is cut where few values are alive, and by one kernel a cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.graph.node import walk
from lazyarr.schedule.narrow_cuts import NarrowCuts

SHAPE = (60, 70)


def _escape_times(xp: Any, x: Any, y: Any, iterations: int) -> Any:
    """Return the number of iterations of a complex square that stay small: a state of three."""
    zr, zi, count = x * 0, y * 0, x * 0
    for _ in range(iterations):
        zr, zi = zr * zr - zi * zi + x, 2 * zr * zi + y
        count = count + (zr * zr + zi * zi < 4)
    return count


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_state_of_an_iteration_is_stored_and_nothing_else(device: str) -> None:
    with la.config(device=device):
        x, y = (la.asarray(np.zeros(SHAPE)) for _ in range(2))
        explained = la.explain(_escape_times(la, x, y, 100))
        moved = explained.bytes_moved // x.nbytes
    cuts = len(explained.kernels) - 1
    assert cuts >= 2
    # Each kernel reads two operands and three values of the state, and stores as many.
    assert moved <= 2 + 1 + cuts * (3 + 3 + 2)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_nothing_is_computed_by_two_kernels(device: str) -> None:
    with la.config(device=device):
        x, y = (la.asarray(np.zeros(SHAPE)) for _ in range(2))
        explained = la.explain(_escape_times(la, x, y, 100))
    operations = sum(len(kernel.nodes) for kernel in explained.kernels)
    assert operations <= 1.1 * 100 * 11


def test_a_chain_stores_the_value_behind_which_code_is_too_long() -> None:
    x = la.asarray(np.zeros(SHAPE))
    chain = [x]
    for k in range(20):
        chain.append(np.sqrt(chain[-1]) + k)
    nodes = [node for node in walk((chain[-1]._node,)) if node.src]
    cut = NarrowCuts(list(walk((chain[-1]._node,)))).cut(dict.fromkeys(nodes[:12], 1), 11, 4)
    assert cut.stored == (nodes[11],)
    assert cut.operations == 12


def test_arrays_of_other_lengths_are_cut_alike() -> None:
    """The sizes that a cut compares are conditions of a plan for any lengths."""

    def computed(*shape: int) -> tuple[Any, Any]:
        x, y = np.random.default_rng(1).uniform(-0.1, 0.1, (2, *shape))
        mine = _escape_times(la, la.asarray(x), la.asarray(y), 40)
        return np.asarray(la.evaluate(mine)), _escape_times(np, x, y, 40)

    for shape in ((60, 70), (50, 80), (60, 70)):
        np.testing.assert_array_equal(*computed(*shape))
    before = la.cache.info().kernels
    np.testing.assert_array_equal(*computed(45, 91))
    after = la.cache.info().kernels
    assert after.compiled + after.disk_hits == before.compiled + before.disk_hits


@st.composite
def _programs(draw: st.DrawFn) -> tuple[list[tuple[str, int, int, int]], list[int]]:
    """Return operations on earlier values, with shifts of the second operand, and the results."""
    count = draw(st.integers(30, 120))
    steps = []
    for place in range(2, 2 + count):
        near = st.integers(max(0, place - draw(st.sampled_from([2, 5, 40]))), place - 1)
        name = draw(st.sampled_from(["add", "subtract", "multiply", "maximum", "sqrt", "floor"]))
        steps.append((name, draw(near), draw(near), draw(st.sampled_from([0, 0, 0, 1]))))
    results = draw(st.lists(st.integers(2, 1 + count), min_size=1, max_size=3))
    return steps, [*results, 1 + count]


def _run(xp: Any, program: tuple[list[tuple[str, int, int, int]], list[int]]) -> list[Any]:
    steps, results = program
    rng = np.random.default_rng(0)
    values = [xp.asarray(rng.uniform(-1, 1, (5, 9))) for _ in range(2)]
    for name, first, second, shift in steps:
        other = xp.roll(values[second], shift, 1) if shift else values[second]
        if name in ("sqrt", "floor"):
            values.append(getattr(xp, name)(xp.abs(values[first])))
        else:
            values.append(getattr(xp, name)(values[first], other) * 0.5)
    return [values[k] for k in results]


@given(_programs())
@settings(max_examples=40, deadline=None)
def test_random_long_programs(program: tuple[list[tuple[str, int, int, int]], list[int]]) -> None:
    expected = _run(np, program)
    results = la.evaluate(*_run(la, program))
    for result, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), right)
