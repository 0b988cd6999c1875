"""Derivatives of convolutions, to any order, one by one and many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.core.frozen import replace
from lazyarr.differentiation.batching import batched
from lazyarr.graph.node import walk
from lazyarr.ops.convolution import CONVOLUTION, FILTERS, Sliding, convolution, filters

random = np.random.default_rng(0)
HOW = Sliding((3, 4), (2, 3), (2, 1), (1, 2), (1, 2), (2, 1))
APART = replace(HOW, apart=True)


def some(*shape: int) -> Any:
    return random.standard_normal(shape)


X, W, G = some(2, 4, 5, 3), some(2, 3, 3, 2), some(2, 3, 4, 2)
OWN, SLOPE = some(2, 3, 1, 3), some(2, 3, 4, 3)
#: By name: the operation as a function of two arrays, and the arrays.
CASES: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "convolution": (lambda a, b: LazyArray(convolution(as_node(a), as_node(b), HOW)), X, W),
    "filters": (lambda a, b: LazyArray(filters(as_node(a), as_node(b), HOW)), X, G),
    "channels": (lambda a, b: LazyArray(convolution(as_node(a), as_node(b), APART)), X, OWN),
    "channel filters": (lambda a, b: LazyArray(filters(as_node(a), as_node(b), APART)), X, SLOPE),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("position", [0, 1])
def test_cotangents_are_the_transpose_of_tangents(name: str, position: int) -> None:
    function, *operands = CASES[name]

    def of_one(value: Any) -> Any:
        both = list(map(la.asarray, operands))
        both[position] = value
        return function(*both)

    point = la.asarray(operands[position])
    tangent = some(*point.shape)
    value, slope = la.jvp(of_one, (point,), (tangent,))
    cotangent = some(*value.shape)
    _, pull = la.vjp(of_one, point)
    (back,) = pull(cotangent)
    # Linear: its slope is its value at the tangent.
    np.testing.assert_allclose(slope.compute(), of_one(la.asarray(tangent)).compute(), 1e-12, 1e-12)
    left, right = (slope * cotangent).sum(), (back * tangent).sum()
    np.testing.assert_allclose(left.compute(), right.compute(), 1e-11)


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives(name: str) -> None:
    """Of a cube of what is bilinear, by differences of gradients."""
    function, a, b = CASES[name]
    slope = la.grad(lambda a, b: (function(a, b) ** 3).sum(), (0, 1))
    by_a, by_b = some(*a.shape), some(*b.shape)

    def along(a: Any, b: Any) -> Any:
        first, second = slope(a, b)
        return (first * by_a).sum() + (second * by_b).sum()

    second = [value.compute() for value in la.grad(along, (0, 1))(a, b)]
    step = 1e-5
    above = slope(a + step * by_a, b + step * by_b)
    below = slope(a - step * by_a, b - step * by_b)
    for exact, high, low in zip(second, above, below, strict=True):
        estimate = (high.compute() - low.compute()) / (2 * step)
        np.testing.assert_allclose(exact, estimate, 1e-5, 1e-5 * abs(estimate).max())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("which", [(0,), (1,), (0, 1)])
def test_many_at_once(name: str, which: tuple[int, ...]) -> None:
    function, *operands = CASES[name]
    leaves = [as_node(la.asarray(operand)) for operand in operands]
    root = as_node(function(*map(LazyArray, leaves)))
    many = [some(3, *operand.shape) for operand in operands]
    inputs = {leaves[k]: as_node(la.asarray(many[k])) for k in which}
    (value,) = batched([root], inputs, 3)
    for k, result in enumerate(la.evaluate(LazyArray(value))):
        each = [many[p][k] if p in which else operands[p] for p in range(2)]
        np.testing.assert_allclose(result, root.op.evaluate(root, *each), 1e-12, 1e-12)


def test_jacobians() -> None:
    x, w = some(1, 2, 4, 4), some(2, 2, 3, 3)

    def value(x: Any) -> Any:
        return nn.conv2d(x, w, padding=1)

    jacobian = la.jacobian(value)(x).compute()
    direction = some(*x.shape)
    expected = value(direction).compute()
    np.testing.assert_allclose(np.tensordot(jacobian, direction, 4), expected, 1e-12, 1e-12)


@pytest.mark.lazy
@pytest.mark.parametrize("groups", [1, 3])
def test_gradients_of_nets_are_convolutions(groups: int) -> None:
    """No matrix of windows: each gradient is one operation."""
    x, w = la.asarray(some(2, 3, 8, 8)), la.asarray(some(6, 3 // groups, 3, 3))

    def loss(x: Any, w: Any) -> Any:
        return (nn.conv2d(x, w, stride=2, padding=1, groups=groups) ** 2).sum()

    slopes = la.grad(loss, (0, 1))(x, w)
    ops = [node.op for node in walk(tuple(map(as_node, slopes)))]
    assert ops.count(CONVOLUTION) == 2
    assert ops.count(FILTERS) == 1
