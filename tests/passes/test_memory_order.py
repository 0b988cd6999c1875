"""Reductions over the axes of what lies in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.passes.canonicalize import bind, canonicalize
from lazyarr.passes.memory_order import reduce_in_memory_order
from lazyarr.passes.simplify import simplify

#: Elements of the longest rows that are summed one after another.
SEQUENTIAL = tuning.row().written_out_row
NAMES = ("sum", "max", "min", "prod", "any", "all", "mean", "var")


def _simplified(*expressions: Any) -> tuple[Node, ...]:
    roots = tuple(expression._node for expression in expressions)
    return simplify(canonicalize(bind(roots)[1]).roots)


def _reductions(expression: Any) -> list[Node]:
    moved = reduce_in_memory_order(_simplified(expression), {}, SEQUENTIAL)
    return [node for node in walk(moved) if node.op.kind is Kind.REDUCE]


def _axes(expression: Any) -> list[Any]:
    return [node.attr for node in _reductions(expression)]


def _program(rng: np.random.Generator) -> tuple[Any, list[tuple[int, ...]]]:
    """Return a function of the library and of arrays, and the shapes of these."""
    rank = int(rng.integers(2, 5))
    shape = tuple(int(n) for n in rng.integers(1, 9, rank))
    order = [int(k) for k in rng.permutation(rank)]
    turned = tuple(shape[k] for k in order)
    axes = tuple(sorted(int(k) for k in rng.permutation(rank)[: rng.integers(1, rank + 1)]))
    name = str(rng.choice(NAMES))
    kind = int(rng.integers(6))
    weights = tuple(n if rng.integers(2) else 1 for n in turned)
    steps = tuple(slice(None, None, int(rng.choice([1, 1, -1, 2]))) for _ in shape)

    def function(xp: Any, x: Any, w: Any) -> Any:
        value = xp.permute_dims(x[steps] if kind == 4 else x, order)
        if kind == 4:
            return getattr(xp, name)(value * 2, axis=axes)
        if kind == 1:
            value = value * w
        if kind == 2:
            value = (value - w) * value
        if kind == 3:
            value = value * xp.permute_dims(x, order) + 1
        if kind == 5:
            reduced = getattr(xp, name)(value, axis=axes, keepdims=True)
            return xp.sum(value * reduced, axis=axes)
        return getattr(xp, name)(value, axis=axes)

    return function, [shape, weights]


@pytest.mark.parametrize("seed", range(120))
def test_random_programs_agree_with_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    function, shapes = _program(rng)
    dtype = ("f8", "f4", "i4")[seed % 3]
    arrays = [(rng.random(shape) * 4 - 2).astype(dtype) for shape in shapes]
    if seed % 4 == 0:
        arrays = [np.asfortranarray(array) for array in arrays]
    with np.errstate(all="ignore"):
        expected = np.asarray(function(np, *arrays))
    for backend in ("llvm", "numba") if seed % 10 == 0 else ("llvm",):
        with la.config(backend=backend), np.errstate(all="ignore"):
            result = np.asarray(function(la, *map(la.asarray, arrays)).compute())
        assert result.dtype == expected.dtype and result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-4 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_lengths_may_change(seed: int) -> None:
    """A plan with symbols for lengths gives what the first one did."""
    rng = np.random.default_rng(seed)
    for n, m in rng.integers(1, 40, (4, 2)):
        x, w = rng.random((n, m)), rng.random((m, 1))
        if seed % 2:
            x = np.asfortranarray(x)
        result = la.max(la.asarray(x).T * w, axis=1).compute()
        np.testing.assert_array_equal(result, (x.T * w).max(axis=1))


def test_extrema_of_transposed_arrays_are_over_axes_in_memory() -> None:
    x = la.asarray(np.ones((30, 20)))
    w = la.asarray(np.ones((20, 1)))
    assert _axes(x.T.max(axis=1)) == [(0,)]
    assert _axes((x.T * w + 1).min(axis=1)) == [(0,)]
    assert _axes((x.T * x.T).max(axis=0)) == [(1,)]
    assert _axes((x[::-1].T > 2).any(axis=1)) == [(0,)]
    cube = la.asarray(np.ones((4, 5, 6)))
    assert _axes(cube.transpose(2, 0, 1).max(axis=(0, 2))) == [(1, 2)]
    fortran = la.asarray(np.ones((30, 20), order="F"))
    assert _axes((fortran * 2).max(axis=1)) == [(0,)]
    assert _axes((fortran.T * 2).max(axis=1)) == [(1,)]
    assert _axes(la.asarray(np.ones((30, 20), int)).T.sum(axis=1)) == [(0,)]


def test_what_has_no_common_order_stays() -> None:
    x = la.asarray(np.ones((20, 20)))
    assert _axes((x * x.T).max(axis=1)) == [(1,)]
    assert _axes((x * 2).max(axis=1)) == [(1,)]
    assert _axes(la.argmax(x.T, axis=1)) == [(1,)]
    # The products are stored for another user, in their own order.
    product = x.T * 3
    moved = reduce_in_memory_order(_simplified(product, product.max(axis=1)), {}, SEQUENTIAL)
    assert [n.attr for n in walk(moved) if n.op.kind is Kind.REDUCE] == [(1,)]


def test_sums_of_columns_and_of_short_rows_stay_for_their_bits() -> None:
    x = np.random.default_rng(0).random((33, 9, 4, 5))
    turned = la.asarray(np.asfortranarray(x))
    assert _axes(turned.sum(axis=(0, 2))) == [(0, 2)]
    assert _axes(turned.T.prod(axis=1)) == [(1,)]
    assert _axes(turned.sum(axis=0)) == [(0,)]
    short = la.asarray(np.ones((4, 3, 50)))
    assert _axes(short.T.sum(axis=(1, 2))) == [(1, 2)]
    assert _axes(short.T.max(axis=(1, 2))) == [(0, 1)]
    result = la.sum(turned, axis=(0, 2)).compute()
    assert result.tobytes() == la.sum(la.asarray(x), axis=(0, 2)).compute().tobytes()


def test_sums_of_long_rows_follow_memory() -> None:
    x = la.asarray(np.ones((30, 20)))
    assert _axes(x.T.sum(axis=1)) == [(0,)]
    assert _axes((x.T * 2).var(axis=1)) == [(0,), (0,)]
    cube = la.asarray(np.ones((4, 5, 6)))
    assert _axes(cube.transpose(0, 2, 1).sum(axis=(1, 2))) == [(1, 2)]
    assert _axes(cube.transpose(1, 2, 0).sum(axis=(1, 2))) == [(0, 2)]


@pytest.mark.parametrize("name", ["sum", "mean", "var", "prod"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("seed", range(6))
def test_all_of_an_array_has_the_bits_of_its_memory(seed: int, dtype: str, name: str) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 5))
    x = (rng.random([int(n) for n in rng.integers(2, 24, rank)]) + 0.5).astype(dtype)
    order = [int(k) for k in rng.permutation(rank)]
    if x.size <= SEQUENTIAL:
        x = np.repeat(x, SEQUENTIAL, axis=0)
    whole = la.jit(lambda a: getattr(la, name)(2 * a - 1))
    turned = la.jit(lambda a: getattr(la, name)(2 * la.permute_dims(a, order) - 1))
    expected = np.asarray(whole(x)).tobytes()
    assert np.asarray(turned(x)).tobytes() == expected
    assert np.asarray(whole(x.transpose(order))).tobytes() == expected


def test_a_plan_is_ordered_only_once() -> None:
    x = la.asarray(np.ones((4, 5, 6)))
    roots = _simplified(x.transpose(1, 2, 0).max(axis=(1, 2)))
    once = reduce_in_memory_order(roots, {}, SEQUENTIAL)
    assert reduce_in_memory_order(simplify(once), {}, SEQUENTIAL) == simplify(once)


def test_faults_are_reported_at_their_line() -> None:
    x = la.asarray(np.full((3, 4), 1e308))
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        (x.T * 10).max(axis=1).compute()
