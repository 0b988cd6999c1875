"""Derivatives of movement, indexing, reductions, scans and products."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core import tuning
from lazyarr.core.frozen import replace
from lazyarr.graph.node import walk
from tests.support.derivatives import check_derivatives, values


def _x(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)


def _written(x: Any, key: Any, value: Any) -> Any:
    copy = x.copy()
    copy[key] = value
    return copy


def _put(x: Any, places: Any, new: Any) -> Any:
    copy = x.copy()
    la.put(copy, places, new)
    return copy


def _filled(x: Any) -> Any:
    copy = x.copy()
    la.fill_diagonal(copy, 2.0)
    return copy * x


_VIEWS: dict[str, Any] = {
    "slice": lambda x: x[1:3, ::2],
    "reversed": lambda x: x[::-1, 3:0:-1],
    "strided": lambda x: x[::3, 1::2],
    "backwards in steps": lambda x: x[::-2, ::-3],
    "integer": lambda x: x[1],
    "negative integer": lambda x: x[:, -2],
    "new axis": lambda x: x[:, None, :, None],
    "transpose": lambda x: x.T,
    "broadcast": lambda x: la.broadcast_to(x[:, None], (4, 3, 6)),
    "reshape": lambda x: x.reshape(2, 12),
    "split": lambda x: x.reshape(4, 2, 3),
    "split and turn": lambda x: x.reshape(4, 2, 3).transpose(2, 0, 1)[1:],
    "split, cut, turn": lambda x: x.reshape(4, 2, 3)[:, ::-1, :2].reshape(4, 4),
    "flat": lambda x: x.reshape(-1)[3:17:5],
    "diagonal": lambda x: la.diagonal(x),
    "second diagonal": lambda x: la.diagonal(x, 2),
    "antidiagonal": lambda x: la.diagonal(x[:, ::-1]),
    "trace": lambda x: la.trace(x),
    "windows": lambda x: (
        la.lib.stride_tricks.sliding_window_view(x, (2, 3))
        if hasattr(la, "lib")
        else np.lib.stride_tricks.sliding_window_view(x, (2, 3))
    ),
    "empty": lambda x: x[2:2],
    "roll": lambda x: la.roll(x, 2, axis=1),
    "flip": lambda x: la.flip(x),
    "concatenate": lambda x: la.concatenate([x, x[:2] * 2, x], axis=0),
    "stack": lambda x: la.stack([x, x * x], axis=1),
    "pad": lambda x: la.pad(x, ((1, 2), (0, 3))),
    "pad by reflection": lambda x: la.pad(x, 2, mode="reflect"),
    "tile": lambda x: la.tile(x, (2, 1, 3)),
    "repeat": lambda x: la.repeat(x, 3, axis=1),
    "squeeze": lambda x: la.squeeze(x[:1]),
    "split into parts": lambda x: tuple(la.split(x, 3, axis=1)),
    "meshgrid": lambda x: tuple(la.meshgrid(x[0], x[1])),
    "tril": lambda x: la.tril(x),
    "diag": lambda x: la.diag(x[0]),
    "kron": lambda x: la.kron(x[:2, :2], x[2:, 2:4]),
    "diff": lambda x: la.diff(x, n=2, axis=1),
}
_INDEXING: dict[str, Any] = {
    "rows": lambda x: x[la.asarray([0, 2, 2, 1])],
    "negative": lambda x: x[la.asarray([-1, 0])],
    "two arrays": lambda x: x[la.asarray([0, 1, 1]), la.asarray([2, 2, 2])],
    "array and slice": lambda x: x[1:, la.asarray([[0, 5], [5, 0]])],
    "take": lambda x: la.take(x, la.asarray([3, 3, 0]), axis=1),
    "take_along_axis": lambda x: la.take_along_axis(x, la.argsort(x, axis=1), axis=1),
    "mask": lambda x: x[la.asarray([True, False, True, False])].sum(axis=0) * 2,
    "row of a mask": lambda x: x[:, la.asarray([True, False, True, False, True, False])],
    "full mask": lambda x: x[x > 1.0],
    "write a box": lambda x: _written(x, (slice(1, 3), slice(2)), x[:2, 3:5] ** 2),
    "write in steps": lambda x: _written(x, (slice(None, None, 2),), x[1] * 2),
    "write rows": lambda x: _written(x, la.asarray([0, 2, 0]), x[1:] ** 2),
    "write a number": lambda x: _written(x, la.asarray([0, 2]), 3.0),
    "write where": lambda x: _written(x, x > 1, x.sum()),
    "write a selection": lambda x: _written(x, x > 1, x[x > 1] ** 2),
    "put": lambda x: _put(x, la.asarray([3, 3, 7]), x[0, :3] ** 2),
    "fill the diagonal": lambda x: _filled(x),
    "insert": lambda x: la.insert(x, 2, x[0] ** 2, axis=0),
    "delete": lambda x: la.delete(x, 2, axis=1),
    "choose": lambda x: la.choose(la.asarray([0, 1, 0, 1, 1, 0]), [x[0], x[1] ** 2]),
    "masked max": lambda x: x[x < 1.2].max(),
    "masked sum": lambda x: (x * x)[x > 1].sum(),
}
_REDUCTIONS: dict[str, Any] = {
    "sum": lambda x: x.sum(),
    "sum over an axis": lambda x: x.sum(axis=1),
    "sum, kept": lambda x: x / x.sum(axis=0, keepdims=True),
    "mean": lambda x: x.mean(axis=(0, 1)),
    "prod": lambda x: la.prod(x, axis=1),
    "prod of all": lambda x: la.prod(x),
    "max": lambda x: x.max(axis=0),
    "min": lambda x: x.min(),
    "var": lambda x: la.var(x, axis=1),
    "var of all": lambda x: la.var(x, ddof=1),
    "std": lambda x: la.std(x, axis=0),
    "masked mean": lambda x: la.mean(x, where=la.asarray([True, False, True, True, False, True])),
    "average": lambda x: la.average(x, axis=1, weights=x[0]),
    "norm": lambda x: la.linalg.norm(x),
    "norm of rows": lambda x: la.linalg.norm(x, axis=1, ord=3),
    "ptp": lambda x: la.ptp(x, axis=1),
    "logsumexp": lambda x: la.log(la.sum(la.exp(x - x.max(axis=1, keepdims=True)), axis=1)),
    "softmax": lambda x: la.exp(x) / la.exp(x).sum(axis=1, keepdims=True),
    "layer norm": lambda x: (
        (x - x.mean(axis=1, keepdims=True)) / la.sqrt(la.var(x, axis=1, keepdims=True) + 1e-3)
    ),
    "cumsum": lambda x: la.cumsum(x, axis=0),
    "cumprod": lambda x: la.cumprod(x, axis=1),
    "cummax": lambda x: (
        la.maximum.accumulate(x, axis=1)
        if hasattr(la.maximum, "accumulate")
        else np.maximum.accumulate(x, axis=1)
    ),
    "cov": lambda x: la.cov(x),
    "trapezoid": lambda x: la.trapezoid(x, axis=1),
    "interpolated gradient": lambda x: la.gradient(x, axis=1),
}


@pytest.mark.parametrize("name", [*_VIEWS, *_INDEXING, *_REDUCTIONS])
def test_function_of_a_matrix(name: str) -> None:
    check_derivatives((_VIEWS | _INDEXING | _REDUCTIONS)[name], _x(4, 6))


@pytest.mark.parametrize("axis", [0, 1, None])
def test_sorts(axis: Any) -> None:
    # Far enough apart that a difference does not change their order.
    x = np.random.default_rng(0).permutation(np.linspace(0.5, 1.5, 24)).reshape(4, 6)
    check_derivatives(lambda x: la.sort(x, axis=axis) ** 2, x)
    check_derivatives(lambda x: la.sort(x, axis=axis)[-3:], x)


@pytest.mark.parametrize("name", ["slice", "split and turn", "diagonal", "pad", "rows"])
def test_complex_movement(name: str) -> None:
    check_derivatives((_VIEWS | _INDEXING)[name], _x(4, 6) + 1j * _x(4, 6, seed=1))


@pytest.mark.parametrize("name", ["sum", "prod", "prod of all", "var", "cumprod", "norm"])
def test_complex_reductions(name: str) -> None:
    check_derivatives(_REDUCTIONS[name], _x(3, 4) + 1j * _x(3, 4, seed=1))


@pytest.mark.parametrize("zeros", [(), (1,), (0, 3), (0, 1, 2, 3)])
def test_products_with_zeros_among_the_factors(zeros: tuple[int, ...]) -> None:
    x = _x(4)
    x[list(zeros)] = 0
    check_derivatives(la.prod, x)
    check_derivatives(la.cumprod, x)


def test_cumulative_products_of_long_lines() -> None:
    rng = np.random.default_rng(4)
    x, w = rng.random((2, 13)) + 0.5, rng.random((2, 13))
    x[0, 5] = x[1, 2] = x[1, 9] = 0
    expected = np.zeros_like(x)
    for j in range(13):
        others = x.copy()
        others[:, j] = 1
        expected[:, j] = (np.cumprod(others, axis=1) * w)[:, j:].sum(axis=1)
    with (
        tuning.TABLE.using(replace(tuning.row(), doubled_recurrence=2)),
        la.config(optimize=False),
    ):
        columns = la.grad(lambda a, b: (la.cumprod(a, axis=0) * b).sum())(x.T.copy(), w.T.copy())
    np.testing.assert_allclose(columns, expected.T, rtol=1e-13, atol=1e-15)


_PRODUCTS: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]] = {
    "matrices": (la.matmul, (3, 4), (4, 5)),
    "matrix and vector": (la.matmul, (3, 4), (4,)),
    "vector and matrix": (la.matmul, (4,), (4, 5)),
    "vectors": (la.matmul, (4,), (4,)),
    "stacks": (la.matmul, (2, 3, 4), (2, 4, 5)),
    "stack and matrix": (la.matmul, (2, 6, 3, 4), (4, 5)),
    "matrix and stack": (la.matmul, (3, 4), (2, 4, 5)),
    "broadcast stacks": (la.matmul, (2, 1, 3, 4), (5, 4, 2)),
    "stack and vector": (la.matmul, (2, 3, 4), (4,)),
    "vector and stack": (la.matmul, (4,), (2, 4, 3)),
    "dot": (la.dot, (2, 3, 4), (5, 4, 2)),
    "dot with a vector": (la.dot, (2, 3, 4), (4,)),
    "inner": (la.inner, (3, 4), (2, 4)),
    "outer": (la.outer, (3,), (4,)),
    "vdot": (la.vdot, (3, 4), (3, 4)),
    "vecdot": (la.vecdot, (3, 4), (3, 4)),
    "tensordot": (lambda x, y: la.tensordot(x, y, axes=([1, 0], [0, 2])), (3, 4, 2), (4, 5, 3)),
    "einsum": (lambda x, y: la.einsum("bij,bjk->bik", x, y), (2, 3, 4), (2, 4, 5)),
    "einsum, summed": (lambda x, y: la.einsum("ij,kj->", x, y), (3, 4), (2, 4)),
    "einsum, diagonal": (lambda x, y: la.einsum("ii,ij->j", x, y), (3, 3), (3, 4)),
    "kron": (la.kron, (2, 2), (2, 3)),
    "cross": (la.cross, (4, 3), (4, 3)),
    "convolve": (la.convolve, (5,), (3,)),
    "convolve, same": (lambda x, y: la.convolve(x, y, "same"), (4,), (7,)),
    "convolve, valid": (lambda x, y: la.convolve(x, y, "valid"), (7,), (3,)),
}


@pytest.mark.parametrize("name", _PRODUCTS)
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_product(name: str, is_complex: bool) -> None:
    function, left, right = _PRODUCTS[name]
    x, y = _x(*left), _x(*right, seed=1)
    if is_complex:
        x, y = x + 1j * _x(*left, seed=2), y - 1j * _x(*right, seed=3)
    check_derivatives(function, x, y)


def test_equal_extrema_share_the_cotangent() -> None:
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    (gradient,) = values(la.grad(lambda x: x.max(axis=1).sum())(x))
    np.testing.assert_allclose(gradient, [[0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])


def test_a_transposed_view_needs_no_scatter_unless_it_is_irregular() -> None:
    def names(function: Any) -> set[str]:
        gradient = la.grad(lambda x: (function(x) ** 2).sum())(_x(4, 6))
        return {node.op.name for node in walk([gradient._node])}

    regular = set(_VIEWS) - {"diagonal", "second diagonal", "antidiagonal", "trace"}
    for name in regular - {"empty", "split into parts", "meshgrid"}:
        assert "scatter_add" not in names(_VIEWS[name]), name


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (4, 3, 3), (3, 4, 3), (2, 3, 4, 5)])
def test_diagonals(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).random(shape)
    for first, second in itertools.permutations(range(len(shape)), 2):
        for offset in (-2, -1, 0, 1, 2):
            if not np.diagonal(x, offset, first, second).size:
                continue

            def fun(x: Any, places: Any = (offset, first, second)) -> Any:
                return la.diagonal(x, *places) ** 2

            expected = np.zeros(shape)
            at = np.diagonal(expected, offset, first, second)
            at.setflags(write=True)
            at[...] = 2 * np.diagonal(x, offset, first, second)
            gradient = la.grad(lambda x, fun=fun: fun(x).sum())(x)
            np.testing.assert_array_equal(gradient.compute(), expected)
            if not offset:
                check_derivatives(fun, x)
                assert not la.explain(gradient).library_calls  # nothing is added at places


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_shift_that_cancels_has_no_derivative(name: str, axis: int) -> None:
    x = np.random.default_rng(0).normal(size=(5, 7))
    function = getattr(la.special, name)
    check_derivatives(lambda x: function(x, axis=axis), x)
    graph = la.grad(lambda x: (function(x, axis=axis) ** 2).sum())(x)
    assert not any(node.op.name == "equal" for node in walk((graph._node,)))
