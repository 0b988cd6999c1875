"""Launches that are bound together give what they give one after the other."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import recognition
from lazyarr.core.frozen import replace
from lazyarr.execution import tuning
from lazyarr.execution.cpu import launch_batches
from lazyarr.execution.cpu.launch_batches import LaunchBatches

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[int, int]]]:
    """A list that gets the parts of each run whose launches were bound together."""
    collected: list[list[tuple[int, int]]] = []
    run = LaunchBatches.run

    def noted(self: LaunchBatches, *args: Any) -> None:
        collected.append(self._parts)
        run(self, *args)

    monkeypatch.setattr(LaunchBatches, "run", noted)
    return collected


def chained(x: Any, w: Any, factor: Any, count: int = 6) -> Any:
    """Return a value whose kernels and products wait for one another."""
    for _ in range(count):
        x = np.tanh(x @ w) * factor
        x = x - x.mean(axis=0)
    return x, x.sum()


def equal(results: Any, expected: Any) -> None:
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [8, 700])
@pytest.mark.parametrize("threads", [1, 2])
def test_results_are_those_of_single_launches(
    runs: list[Any], dtype: Any, rows: int, threads: int
) -> None:
    x, w = RANDOM.standard_normal((rows, 40)).astype(dtype), RANDOM.standard_normal((40, 40))
    w = w.astype(dtype)
    with la.config(threads=threads):
        step = la.jit(chained)
        first = step(x, w, dtype(0.5))
        assert not runs
        equal(step(x, w, dtype(0.5)), first)
        assert len(runs) == 1
        with la.profile():  # which takes the long way
            expected = step(2 * x, w, dtype(-0.25))
        equal(step(2 * x, w, dtype(-0.25)), expected)
    assert len(runs) == 2


@pytest.mark.parametrize("numbers", [(0.5, 1.5), (-0.0, 0.0), (3, 4), (np.inf, 1.0)])
def test_scalars_are_those_of_the_run(
    runs: list[Any], numbers: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recognition, "COMPILED", None)  # which would launch the plan itself

    def expression(x: Array, scale: Any) -> Any:
        value = la.asarray(x)
        for _ in range(8):
            value = value * scale
            value = value - value.mean(axis=1, keepdims=True)
            value = value[:, ::-1].sum(axis=0) + value
        return value

    x = RANDOM.standard_normal((5, 6))
    with np.errstate(all="ignore"):
        for _ in range(3):
            for scale in numbers:
                with la.profile():
                    expected = la.evaluate(expression(x, scale))
                np.testing.assert_array_equal(
                    la.evaluate(expression(x, scale)).view(np.int64), expected.view(np.int64)
                )
    assert runs


def test_scalars_of_other_dtypes_are_bound_one_by_one(runs: list[Any]) -> None:
    def expression(x: Array, scale: Any) -> Any:
        value = la.asarray(x)
        for _ in range(8):
            value = value * np.int16(scale) + value[::-1].sum()
        return value

    x = np.arange(6, dtype=np.int16)
    for scale in (2, 3, 4):
        result = la.evaluate(expression(x.astype(np.int16), scale))
        with la.profile():
            expected = la.evaluate(expression(x.astype(np.int16), scale))
        np.testing.assert_array_equal(result, expected)


def test_a_call_makes_a_bounded_number_of_launches(
    runs: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = replace(tuning.row(), batched_launches=3)
    monkeypatch.setattr(launch_batches.tuning, "row", lambda: row)
    x, w = RANDOM.standard_normal((8, 4)), RANDOM.standard_normal((4, 4))
    step = la.jit(chained)
    equal(step(x, w, 0.5), step(x, w, 0.5))
    (parts,) = runs
    assert parts[0][0] == 0 and max(end - first for first, end in parts) == 3
    assert all(one[1] == other[0] for one, other in pairwise(parts))


def test_what_kernels_report_is_followed_up(runs: list[Any]) -> None:
    x, w = RANDOM.standard_normal((8, 4)), RANDOM.standard_normal((4, 4))
    step = la.jit(chained)
    step(x, w, 0.5)
    x[0, :2], w[:2] = np.inf, [[1.0], [-1.0]]
    with pytest.warns(RuntimeWarning, match="invalid"):
        step(x, w, 0.5)
    assert runs
