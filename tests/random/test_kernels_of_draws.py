"""Draws in the kernels of the expressions that they are part of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.lazy


@pytest.mark.host  # tests/runtime/cuda asks what a GPU leaves to libraries
def test_random_mask_is_made_in_the_kernel() -> None:
    rng = la.random.default_rng(0)
    weights, values = la.asarray(np.ones((64, 32))), la.asarray(np.ones((32, 128)))
    bias = la.asarray(np.ones((64, 1)))
    layer = la.special.expit(weights @ values + bias) * (rng.random((64, 128)) > 0.5)
    report = la.explain(layer)
    (kernel,) = report.kernels
    assert kernel.bytes_read == (64 * 128 + 64) * 8
    assert kernel.bytes_written == 64 * 128 * 8
    assert [step.op for step in report.fallbacks] == ["matmul"]
    assert any(node.op.name == "random" for node in kernel.nodes)
    kept = la.evaluate(layer) > 0
    np.testing.assert_array_equal(kept, la.random.default_rng(0).random((64, 128)).compute() > 0.5)


def test_a_mean_of_draws_needs_no_memory() -> None:
    x = la.random.default_rng(0).standard_normal(100_000)
    report = la.explain((x * x).mean())
    assert len(report.kernels) <= 2
    assert report.peak_bytes < 10_000


def test_many_draws_are_several_kernels() -> None:
    rng = la.random.default_rng(0)
    draws = [rng.standard_normal(50) for _ in range(40)]
    total: Any = sum(draws)
    assert len(la.explain(total).kernels) > 4
    np.testing.assert_allclose(total.compute(), np.sum([x.compute() for x in draws], 0), atol=1e-12)
