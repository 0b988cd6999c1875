"""Checkpoints: the same derivatives from fewer stored values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import walk
from lazyarr.inspect.program import analyse
from tests.support.derivatives import check_derivatives


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


def _activated(x: Any, w: Any) -> Any:
    """Layers of which one value each is enough to compute the others again."""
    for k in range(4):
        x = nn.gelu(x @ w[k]) + 0.25 * la.sin(x)
    return x


def _steps(block: Any, weights: Any, x: Any) -> Any:
    value, gradient = la.value_and_grad(_loss(block))(weights, x)
    return value, *(
        g for block in gradient for g in (block if isinstance(block, list) else [block])
    )


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("block", [_block, _activated])
def test_derivatives_are_the_same_to_any_order(block: Any, everything: bool) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3)), rng.normal(size=(4, 3, 3)) / 2
    again = la.checkpoint(block, everything=everything)
    check_derivatives(again, x, w)
    weights = [w, w * 0.5]
    plain = la.evaluate(*_steps(block, weights, x))
    for one, other in zip(plain, la.evaluate(*_steps(again, weights, x)), strict=True):
        np.testing.assert_array_equal(one, other)
    nested = la.checkpoint(lambda x, w: again(x, w) * 2)
    check_derivatives(nested, x, w)


def _peak(results: Any) -> int:
    return analyse(tuple(x._node for x in results)).plan.peak_bytes


def test_by_default_the_fewest_bytes_are_stored_and_nothing_expensive_is_done_twice() -> None:
    x = la.asarray(np.zeros((256, 64)))
    weights = [[la.asarray(np.zeros((64, 64))) for _ in range(4)] for _ in range(4)]
    plain = _steps(_activated, weights, x)
    cheap = _steps(la.checkpoint(_activated), weights, x)
    results = sum(w.nbytes for block in weights for w in block)
    assert _peak(cheap) - results < 0.7 * (_peak(plain) - results)

    def products(steps: Any) -> int:
        nodes = walk([x._node for x in steps])
        return [node.op.name for node in nodes].count("matmul")

    assert products(cheap) == products(plain)
    text = str(la.explain(*cheap))
    assert "again of test_checkpointing.py" in text
    assert "again of" not in str(la.explain(*plain))


def test_a_small_value_is_stored_in_place_of_large_ones() -> None:
    @la.checkpoint
    def fun(x: Any) -> Any:
        small = la.tanh(x.reshape(64, 1000) @ la.ones((1000, 2)))
        wide = la.sin(small) @ la.ones((2, 1000))
        return la.exp(wide) * la.cos(wide)

    # The argument is stored by who passes it; the first product is 1,000 numbers less a row.
    x = la.asarray(np.zeros(64_000))
    value, gradient = la.value_and_grad(lambda x: la.sum(fun(x)))(x)
    names = [node.op.name for node in walk([value._node, gradient._node])]
    assert names.count("tanh") <= 2 and names.count("exp") == 2


def test_memory_is_that_of_the_arguments_and_one_block() -> None:
    blocks = 8
    x = la.asarray(np.zeros((256, 64)))
    weights = [[la.asarray(np.zeros((64, 64))) for _ in range(4)] for _ in range(blocks)]

    results = sum(w.nbytes for block in weights for w in block)
    once = la.checkpoint(_block, everything=True)
    plain = _peak(_steps(_block, weights, x)) - results
    again = _peak(_steps(once, weights, x)) - results
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
