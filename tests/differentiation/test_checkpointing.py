"""Checkpoints: the same derivatives from fewer stored values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import walk
from lazyarr.inspect.program import analyse
from tests.support.derivatives import check_derivatives, values


def _block(x: Any, w: Any) -> Any:
    for k in range(4):
        x = la.tanh(x @ w[k])
    return x


def _loss(block: Any) -> Any:
    def loss(weights: Any, x: Any) -> Any:
        for w in weights:
            x = block(x, w)
        return la.sum(x * x)

    return loss


def test_derivatives_are_the_same_to_any_order() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3)), rng.normal(size=(4, 3, 3)) / 2
    check_derivatives(la.checkpoint(_block), x, w)
    weights = [w, w * 0.5]
    plain = values(la.grad(_loss(_block))(weights, x))
    again = values(la.grad(_loss(la.checkpoint(_block)))(weights, x))
    for one, other in zip(plain, again, strict=True):
        np.testing.assert_array_equal(one, other)
    nested = la.checkpoint(lambda x, w: la.checkpoint(_block)(x, w) * 2)
    check_derivatives(nested, x, w)


def test_memory_is_that_of_the_arguments_and_one_block() -> None:
    blocks = 8
    x = la.asarray(np.zeros((256, 64)))
    weights = [[la.asarray(np.zeros((64, 64))) for _ in range(4)] for _ in range(blocks)]

    def peak(block: Any) -> int:
        value, gradient = la.value_and_grad(_loss(block))(weights, x)
        flat = [value, *(g for block in gradient for g in block)]
        return analyse(tuple(g._node for g in flat)).plan.peak_bytes

    results = sum(w.nbytes for block in weights for w in block)
    plain, again = peak(_block) - results, peak(la.checkpoint(_block)) - results
    # 32 values between products are stored without checkpoints; with them 8 and those of a block.
    assert again < 0.5 * plain
    assert again < (blocks + 4 + 4) * x.nbytes
    assert plain < (4 * blocks + 4) * x.nbytes


def test_what_a_function_captures_is_differentiated_too() -> None:
    w = np.array([[0.5, 0.1], [0.2, 0.3]])
    x = np.array([1.0, 2.0])

    def loss(w: Any, x: Any) -> Any:
        layer = la.checkpoint(lambda x: {"out": la.tanh(x @ w), "size": 2})
        return layer(layer(x)["out"])["out"].sum()

    check_derivatives(loss, w, x)


def test_parts_that_are_no_elementwise_functions_are_computed_again() -> None:
    @la.checkpoint
    def fun(x: Any) -> Any:
        return la.cumsum(x) * x[::-1] + la.sort(x)[la.asarray([0, 0, 1, 2])]

    x = np.array([0.5, -1.0, 2.0, 0.25])
    check_derivatives(lambda x: la.sum(fun(x) ** 2), x)
    value, gradient = la.value_and_grad(lambda x: la.sum(fun(x) ** 2))(x)
    names = [node.op.name for node in walk([value._node, gradient._node])]
    assert names.count("cumsum") >= 2


def test_numbers_and_constants_pass_through() -> None:
    assert la.checkpoint(lambda x: 3)(la.ones(2)) == 3
    assert la.grad(la.checkpoint(lambda x: x**2))(3.0).compute() == 6
    with pytest.raises(ArgumentError, match="function"):
        la.checkpoint(3)
