"""Writes that are joined while one kernel computes them from memory: bounded, and NumPy's bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import pending_writes
from lazyarr.arrays.pending_writes import _JOINED_OPERATIONS, MOST_WRITES
from lazyarr.compiler import pipeline
from lazyarr.graph.node import Kind, walk


@pytest.fixture
def evaluations(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the values that runs of writes let be computed, and what is stored beside them."""
    seen: list[Any] = []
    store = pipeline._record_run

    def recorded(roots: Any, request: Any, form: Any, plan: Any, *others: Any) -> None:
        seen.append(others[1])
        store(roots, request, form, plan, *others)

    monkeypatch.setattr(pipeline, "_record_run", recorded)
    return seen


def _filtered(xp: Any, image: Any, taps: Any, dtype: str) -> Any:
    side = len(taps)
    height, width = image.shape[0] - side + 1, image.shape[1] - side + 1
    out = xp.zeros((height, width), dtype=dtype)
    for i in range(side):
        for j in range(side):
            out += taps[i, j] * image[i : i + height, j : j + width]
    return out


@pytest.mark.parametrize(("side", "most"), [(3, 0), (5, 0), (7, 1), (9, 2)])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_filter_over_offsets_is_few_kernels(
    side: int, most: int, dtype: str, evaluations: list[Any]
) -> None:
    random = np.random.default_rng(side)
    image, taps = random.random((70, 60)).astype(dtype), random.random((side, side)).astype(dtype)
    expected = _filtered(np, image, taps, dtype)
    with la.config(immediate=0):
        out = _filtered(la, la.asarray(image), taps, dtype)
        assert len(evaluations) <= most
        assert all(len(stored) == 1 for stored in evaluations)  # products of one statement are not
        np.testing.assert_array_equal(np.asarray(out), expected)


def test_joined_writes_are_bounded() -> None:
    x = np.random.default_rng(2).random(500)
    expected, longest = np.zeros(500), 0
    with la.config(immediate=0):
        total, lazy = la.zeros(500), la.asarray(x)
        for k in range(300):
            expected -= x * k
            total -= lazy * k
            nodes = list(walk((total._node,)))
            longest = max(longest, sum(node.op.kind is Kind.ELEMENTWISE for node in nodes))
        np.testing.assert_array_equal(np.asarray(total), expected)
    assert longest <= _JOINED_OPERATIONS + 2 * MOST_WRITES


def test_memory_that_writes_refer_to_is_bounded() -> None:
    with la.config(immediate=0):
        total = la.zeros(500)
        for k in range(5 * MOST_WRITES):
            total += la.asarray(np.full(500, float(k)))
            leaves = [node for node in walk((total._node,)) if not node.src and node.size > 1]
            assert len(leaves) <= 2 * MOST_WRITES
        assert float(total[3]) == sum(range(5 * MOST_WRITES))


def test_an_operand_with_a_name_is_computed_once(evaluations: list[Any]) -> None:
    x = np.random.default_rng(3).random(400)
    with la.config(immediate=0):
        lazy, total = la.asarray(x), la.zeros(400)
        for _ in range(MOST_WRITES):
            total[1:] += lazy[1:]
            part = lazy * 3
            total += part
        assert any(len(stored) > 1 for stored in evaluations)
        np.testing.assert_array_equal(np.asarray(part), x * 3)


def test_other_values_are_computed_after_as_many_writes() -> None:
    random = np.random.default_rng(4)
    x = random.random((30, 30))
    value = la.asarray(x)
    with la.config(immediate=0):
        assert pending_writes._is_one_pass((value * 2 + value.T[::-1])._node)
        assert not pending_writes._is_one_pass((value @ value)._node)
        assert not pending_writes._is_one_pass((value - value.sum())._node)
        assert not pending_writes._is_one_pass((value * 2).T._node)
