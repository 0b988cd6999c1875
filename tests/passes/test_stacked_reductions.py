"""Exact reductions over the axis of a stack, as operations between its parts."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.ops.movement import CONCATENATE
from lazyarr.passes.canonicalize import bind, canonicalize
from lazyarr.passes.simplify import simplify
from lazyarr.passes.stacked_reductions import reduce_between_parts
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.derivatives import check_derivatives


@pytest.fixture(autouse=True)
def pending() -> Iterator[None]:
    """Leave small arrays expressions."""
    la.cache.clear()
    with la.config(immediate=0):
        yield
    la.cache.clear()


def _nodes(*expressions: Any) -> list[Node]:
    roots = tuple(expression._node for expression in expressions)
    canonical = simplify(canonicalize(bind(roots)[1]).roots)
    return list(walk(reduce_between_parts(canonical, {})))


def _program(rng: np.random.Generator) -> tuple[Any, tuple[int, ...], int]:
    rank = int(rng.integers(1, 4))
    shape = tuple(int(n) for n in rng.integers(2, 7, rank))
    axis = int(rng.integers(rank + 1))
    count = int(rng.integers(2, 6))
    name = str(rng.choice(["max", "min", "any", "all"]))
    kind = int(rng.integers(6))
    fewer = int(rng.integers(1, rank + 2))

    def function(xp: Any, *x: Any) -> Any:
        stacked = xp.stack(x, axis=axis)
        if kind == 1:
            stacked = stacked * 2 - xp.expand_dims(x[0], axis)
        if kind == 5:  # an operand of fewer axes
            stacked = stacked * xp.stack(x[::-1], axis=axis)[(0,) * fewer]
        reduced = getattr(xp, name)(stacked, axis=axis)
        if kind == 2:
            equal = stacked == xp.expand_dims(reduced, axis)
            return xp.sum(equal, axis=axis)
        if kind == 3:
            shares = stacked / (2 + xp.expand_dims(reduced, axis))
            place = (slice(None),) * axis
            return shares[(*place, count - 1)] + shares[(*place, 0)][::-1]
        if kind == 4:
            return reduced, stacked + 1
        return reduced

    return function, shape, count


@pytest.mark.parametrize("seed", range(100))
def test_random_programs_have_the_bits_of_numpy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    function, shape, count = _program(rng)
    dtype = ("f8", "f4", "i4")[seed % 3]
    special = [-0.0, 0.0, np.nan, np.inf, -np.inf, 1.0, 2.0] if dtype[0] == "f" else [0, 1, 2, 3]
    arrays = [rng.choice(special, shape).astype(dtype) for _ in range(count)]
    with np.errstate(all="ignore"):
        expected = function(np, *arrays)
        for backend in ("llvm", "numba") if seed % 10 == 0 else ("llvm",):
            with la.config(backend=backend):
                expression = function(la, *map(la.asarray, arrays))
                several = isinstance(expression, tuple)
                result = la.evaluate(*expression) if several else (la.evaluate(expression),)
            for one, other in zip(result, expected if several else (expected,), strict=True):
                assert np.asarray(one).dtype == np.asarray(other).dtype
                np.testing.assert_array_equal(one, other)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")
@pytest.mark.parametrize("seed", range(6))
def test_a_gpu_has_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    rng = np.random.default_rng(seed)
    function, shape, count = _program(rng)
    arrays = [rng.integers(0, 3, shape).astype("f4") for _ in range(count)]
    expected = function(np, *arrays)
    with la.config(device="cuda", cache_dir="off"):
        expression = function(la, *map(la.asarray, arrays))
        several = isinstance(expression, tuple)
        result = la.evaluate(*expression) if several else (la.evaluate(expression),)
    for one, other in zip(result, expected if several else (expected,), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_extremum_of_a_stack_stacks_nothing(axis: int) -> None:
    x, y = (la.asarray(np.arange(12.0).reshape(3, 4) * sign) for sign in (1, -1))
    for function in (la.max, la.min):
        nodes = _nodes(function(la.stack([x, y, x * y], axis=axis), axis=axis))
        assert not any(n.op is CONCATENATE or n.op.kind is Kind.REDUCE for n in nodes)

        def fun(x: Any, y: Any, function: Any = function) -> Any:
            return function(la.stack([x, y, 4 * x * y], axis=axis), axis=axis) ** 2

        gradient = la.grad(lambda x, y, fun=fun: fun(x, y).sum(), (0, 1))(x, y)
        explained = la.explain(*gradient)
        assert len(explained.kernels) == 1
        rng = np.random.default_rng(0)
        far = rng.choice([0.1, 0.3], (3, 4)) + rng.random((3, 4)) / 10  # no kink is near
        check_derivatives(fun, far, rng.random((3, 4)) + 2)


def test_equal_parts_share_the_cotangent() -> None:
    x = np.ones((3, 4))
    gradients = la.grad(lambda *x: la.stack(x).max(axis=0).sum(), (0, 1, 2))(x, x, x - 1)
    for gradient, share in zip(la.evaluate(*gradients), (0.5, 0.5, 0), strict=True):
        np.testing.assert_array_equal(gradient, np.full((3, 4), share))


@pytest.mark.parametrize("seed", range(12))
def test_sums_have_the_bits_of_those_of_what_is_stored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name, dtype = ("sum", "prod")[seed % 2], ("f8", "f4")[seed // 2 % 2]
    shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 4))))
    axis = int(rng.integers(len(shape) + 1))
    special = rng.choice([-0.0, 0.0, np.nan, np.inf, 1e30], (12, *shape))
    parts = np.where(rng.random(special.shape) < seed / 24, special, rng.normal(size=special.shape))
    parts = np.full(parts.shape, -0.0) if seed < 4 else parts
    parts = parts[: int(rng.integers(2, 13))]
    with np.errstate(all="ignore"):
        parts = parts.astype(dtype)
        stacked = getattr(la.stack(list(map(la.asarray, parts)), axis=axis), name)(axis=axis)
        result = la.evaluate(stacked)
        expected = la.evaluate(getattr(la.asarray(np.stack(list(parts), axis=axis)), name)(axis))
    assert len(la.explain(stacked).kernels) == 1
    np.testing.assert_array_equal(result, expected)
    numbers = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("numbers", [(1.0, np.inf, -np.inf, 2.0, 3.0), (2.0, 1e200, 1e200, 0.0)])
def test_faults_of_partial_results_are_those_of_the_reduction(numbers: tuple[float, ...]) -> None:
    parts = [np.full(5, number) for number in numbers]
    name = "sum" if np.inf in numbers else "prod"
    texts = []
    for space in (la, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            doubled = space.stack([space.asarray(part) for part in parts]) * 1.5
            np.asarray(getattr(doubled, name)(axis=0))
        texts.append({str(warning.message) for warning in caught})
    assert texts[0] == texts[1] and "encountered in reduce" in str(texts)


def test_what_is_rounded_is_reduced_as_before() -> None:
    x = la.asarray(np.ones((3, 4)))
    assert any(n.op.kind is Kind.REDUCE for n in _nodes(la.stack([x, x * 2]).sum(axis=0)))
    assert any(n.op.kind is Kind.REDUCE for n in _nodes(la.concatenate([x, x * 2]).max(axis=0)))
    assert any(n.op.kind is Kind.REDUCE for n in _nodes(la.stack([x] * 40).max(axis=0)))


def test_a_stack_that_is_stored_stays() -> None:
    x = la.asarray(np.ones((3, 4)))
    doubled = la.stack([x, x * 2]) * 2
    nodes = _nodes(doubled, doubled[0] + 1)
    assert any(n.op is CONCATENATE for n in nodes)
