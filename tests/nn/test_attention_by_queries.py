"""Attention over blocks of queries against attention with all scores at once."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.core import tuning
from lazyarr.nn import scaled_products
from lazyarr.nn.query_blocks import QueryBlocks, by_queries
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.derivatives import check_derivatives
from tests.support.tuned import tune

RANDOM = np.random.default_rng(3)


def _at_once(queries, keys, values, seen, causal, bias=0):
    scores = queries @ np.swapaxes(keys, -1, -2) + bias
    if causal:
        places = np.arange(queries.shape[-2])[:, None] + keys.shape[-2] - queries.shape[-2]
        scores = np.where(np.arange(keys.shape[-2]) <= places, scores, -np.inf)
    if seen is not None:
        scores = np.where(seen, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    weight = powers.sum(axis=-1, keepdims=True)
    return powers @ values / np.where(weight == 0, 1, weight)


def _drawn(seed):
    random = np.random.default_rng(seed)
    count, total = random.integers(1, 9, 2)
    front = tuple(random.integers(1, 3, random.integers(0, 3)))
    size = int(random.integers(1, 5))
    queries, keys, values = (
        random.normal(size=(*front, *shape)) for shape in ((count, 3), (total, 3), (total, 2))
    )
    mask = random.integers(0, 3)
    rows, columns = count if mask == 1 else 1, total if random.integers(0, 2) else 1
    seen = None if mask == 0 else random.random((rows, columns)) < 0.7
    return queries, keys, values, seen, bool(random.integers(0, 2)), size


def _lazy(seen):
    return None if seen is None else la.asarray(seen)


def _blocks(queries, keys, seen, causal, size):
    return QueryBlocks(queries.shape[-2], keys.shape[-2], _lazy(seen), causal, size)


@pytest.mark.parametrize("seed", range(30))
def test_values(seed):
    queries, keys, values, seen, causal, size = _drawn(seed)
    expected = _at_once(queries, keys, values, seen, causal)
    lazy = map(la.asarray, (queries, keys, values))
    result = by_queries(*lazy, _blocks(queries, keys, seen, causal, size))
    np.testing.assert_allclose(result, expected, 1e-12, 1e-13)


@pytest.mark.parametrize("stores_weights", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_derivatives(seed, stores_weights):
    *arrays, seen, causal, size = _drawn(100 + seed)
    blocks = _blocks(*arrays[:2], seen, causal, size)

    def attended(*x):
        return by_queries(*x, blocks, stores_weights=stores_weights)

    check_derivatives(attended, *arrays, order=1)


@pytest.mark.parametrize("stores_weights", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_biases(seed, stores_weights):
    """Values and derivatives, with a bias that is one number along some of the axes."""
    *arrays, seen, causal, size = _drawn(200 + seed)
    queries, keys, _ = arrays
    shape = [*queries.shape[:-2], queries.shape[-2], keys.shape[-2]]
    single = np.random.default_rng(seed).random(len(shape)) < 0.5
    bias = RANDOM.normal(size=[1 if one else n for n, one in zip(shape, single, strict=True)])
    blocks = _blocks(queries, keys, seen, causal, size)

    def attended(*x):
        return by_queries(*x[:3], blocks, x[3], stores_weights=stores_weights)

    expected = _at_once(*arrays, seen, causal, bias)
    np.testing.assert_allclose(attended(*map(la.asarray, (*arrays, bias))), expected, 1e-12, 1e-13)
    check_derivatives(attended, *arrays, bias, order=1)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("count", "total"), [(9, 9), (8, 12), (12, 7)])
def test_causal_attention_leaves_half_of_the_scores_out(monkeypatch, count, total, masked):
    """Values and first and second derivatives are those of all scores at once."""
    tune(monkeypatch, tuning, attention_causal_queries=2, attention_causal_scores=8)
    queries, values = (RANDOM.normal(size=(2, n, 3)) for n in (count, total))
    keys = RANDOM.normal(size=(2, total, 3))
    seen = RANDOM.random((count, total)) < 0.7 if masked else None

    def attended(*arrays):
        return nn.attention(*arrays, mask=_lazy(seen), causal=True, scale=1.0)

    result = attended(*map(la.asarray, (queries, keys, values)))
    np.testing.assert_allclose(result, _at_once(queries, keys, values, seen, True), 1e-12, 1e-13)
    assert scaled_products._causal_block(la.asarray(queries), total) == 2
    assert scaled_products._causal_block(la.asarray(queries), 3 * count) == 0
    check_derivatives(attended, queries, keys, values, order=2)


def test_axes_in_front_broadcast():
    queries, keys, values = (RANDOM.normal(size=s) for s in ((2, 5, 4), (4, 4), (1, 4, 3)))
    blocks = _blocks(queries, keys, None, False, 2)
    result = by_queries(*map(la.asarray, (queries, keys, values)), blocks)
    np.testing.assert_allclose(result, _at_once(queries, keys, values, None, False), 1e-12)


@pytest.mark.lazy
@pytest.mark.parametrize(("most", "loops"), [(60, False), (20, True)])
def test_attention_chooses_it_while_blocks_have_few_scores(monkeypatch, most, loops):
    tune(
        monkeypatch,
        tuning,
        attention_direct=4,
        attention_block=3,
        attention_queries=3,
        attention_scores=most,
    )
    queries, keys, values = (la.asarray(RANDOM.normal(size=(9, 2))) for _ in range(3))
    attended = nn.attention(queries, keys, values, scale=1.0)
    with la.config(immediate=0):
        text = str(la.explain(attended))
    assert ("fori_loop" in text) == loops
    np.testing.assert_allclose(attended, _at_once(queries, keys, values, None, False), 1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_training_step_on_a_gpu_has_nothing_on_the_host(dtype, monkeypatch):
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    tune(monkeypatch, tuning, attention_direct=8, attention_scores=64, attention_queries=4)
    arrays = [la.asarray(RANDOM.normal(size=(2, 12, 3)).astype(dtype)) for _ in range(3)]

    def loss(queries, keys, values):
        return (nn.attention(queries, keys, values, causal=True) ** 2).sum()

    with la.config(device="cuda"):
        value, slopes = la.value_and_grad(loss, argnums=(0, 1, 2))(*arrays)
        steps = [array - 0.1 * slope for array, slope in zip(arrays, slopes, strict=True)]
        assert not la.explain(value, *steps).fallbacks


@pytest.mark.parametrize(("count", "expected"), [(40, 16), (9, 16), (400, 25), (80, 12), (300, 19)])
def test_a_gpu_takes_more_queries_together(
    count: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to as many as have few scores, and not less than the sixteenth part."""
    tune(
        monkeypatch,
        tuning,
        attention_queries=4,
        attention_queries_of_gpu=16,
        attention_scores=2 * 12 * 80,
        attention_scores_of_gpu=1 << 20,
    )
    keys = {40: 10, 9: 10, 400: 80, 80: 80, 300: 20}[count]
    with la.config(device="cuda"):
        assert scaled_products._query_block(la.zeros((2, count, 3)), keys) == expected
    with la.config(device="cpu"):
        assert scaled_products._query_block(la.zeros((2, count, 3)), 2) == max(4, -(-count // 16))
