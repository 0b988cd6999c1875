"""The template of a group is the decision of the target, which knows how its operands lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.compiler.targets import CPU
from tests.support.tuned import tune


def _array(*shape: int) -> la.LazyArray:
    return la.asarray(np.ones(shape))


def _template(expression: la.LazyArray, device: str) -> str:
    with la.config(device=device):
        (kernel,) = la.explain(expression).kernels
    return kernel.template


@pytest.mark.parametrize(
    ("build", "shape", "refined"),
    [
        (lambda: _array(60, 50) + 1, "map", "map"),
        (lambda: _array(60, 50) + _array(50, 60).T, "map", "tiles"),
        (lambda: _array(60, 5) + _array(5, 60).T, "map", "map"),
        (lambda: (_array(60, 1, 20) - _array(50, 20)).max(-1), "rows", "contraction"),
        (lambda: (_array(20, 60, 1) - _array(20, 1, 50)).sum(0), "columns", "contraction"),
        (lambda: (_array(60, 8, 1) * _array(50, 8).T).sum(1), "columns", "contraction"),
        (lambda: (_array(90, 7, 1) * _array(50, 7).T).sum(1), "columns", "rows"),
        (lambda: (_array(60, 50, 20) * _array(20)).sum(-1), "rows", "rows"),
        (lambda: (_array(60, 1, 20) - _array(4, 20)).max(-1), "rows", "rows"),
        (lambda: la.cumsum(_array(60, 50), axis=1), "scan", "scan"),
        (lambda: la.argmax(_array(6000, 3), axis=0), "columns", "split"),
        (lambda: la.argmin(_array(6, 2, 300), axis=1), "columns", "rows"),
        (lambda: la.argmax(_array(600, 30), axis=0), "columns", "columns"),
        (lambda: _array(6000, 3).max(0), "columns", "columns"),
        (lambda: _array(600, 3, 7).max((0, 2)), "rows", "columns"),
    ],
    ids=[
        *(
            "map",
            "transposed",
            "narrow",
            "pairs",
            "outer",
            "deep",
            "shallow",
            "one-operand",
            "few-columns",
            "scan",
        ),
        *("positions", "short-positions", "positions-side-by-side", "maxima", "between"),
    ],
)
def test_template(build: Callable[[], la.LazyArray], shape: str, refined: str) -> None:
    assert _template(build(), "cpu") == refined
    assert _template(build(), "cuda") == shape


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_contractions_may_overwrite_what_their_blocks_read_once(
    axis: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that dies with the kernel and is read where the result is written makes room."""
    tune(monkeypatch, tuning, contraction_elements=64, blocks=4)
    rng = np.random.default_rng(seed)
    n, m, depth = rng.integers(17, 70, 3)
    x = rng.integers(-4, 5, (n, depth)).astype(float)
    y = rng.integers(-4, 5, (m, depth)).astype(float)
    c = rng.integers(-4, 5, (n, m)).astype(float)
    left, right = (np.expand_dims(v, k) for k, v in ((1, x), (0, y)))
    order = np.insert([0, 1], axis, 2)
    left, right = left.transpose(order), right.transpose(order)

    def build(a: la.LazyArray, b: la.LazyArray, offset: la.LazyArray) -> la.LazyArray:
        sums: la.LazyArray = ((a - b) ** 2).sum(axis) + la.cumsum(offset, axis=0)
        return la.cumsum(sums, axis=1)

    result = build(la.asarray(left), la.asarray(right), la.asarray(c))
    kernels = {kernel.template for kernel in la.explain(result).kernels}
    assert "contraction" in kernels
    expected = ((left - right) ** 2).sum(axis) + np.cumsum(c, axis=0)
    np.testing.assert_array_equal(result.compute(), np.cumsum(expected, axis=1))


def test_the_shape_alone_decides_while_groups_are_formed() -> None:
    assert CPU.choose_template((60, 50, 20), (2,)) == "rows"


@pytest.mark.parametrize("seed", range(20))
def test_positions_down_short_and_few_columns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank, most = rng.integers(2, 5), int(rng.choice([3, 9, 30, 700]))
    shape = tuple(int(n) for n in rng.integers(1, most + 1, rank))
    shape = (*shape[:2], *(min(n, 12) for n in shape[2:]))
    values = rng.integers(0, 9, shape).astype(rng.choice(["float32", "float64", "int16"]))
    if values.dtype.kind == "f" and seed % 2:
        values.flat[rng.integers(values.size)] = np.nan
    values = values[:: rng.choice([1, -1])]
    axis = int(rng.integers(rank))
    x = la.asarray(values)
    with la.config(immediate=0):
        least, largest = la.evaluate(la.argmin(2 * x - 1, axis=axis), la.argmax(x, axis=axis))
    np.testing.assert_array_equal(least, np.argmin(2 * values - 1, axis=axis))
    np.testing.assert_array_equal(largest, np.argmax(values, axis=axis))
