"""Products, tables, random masks, recurrent cells and attention against their formulas."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax

import lazyarr as la
from lazyarr import nn

Array = np.ndarray[Any, Any]


def test_linear() -> None:
    random = np.random.default_rng(0)
    for shape in ((3,), (4, 3), (2, 4, 3)):
        x, w, b = random.standard_normal(shape), random.standard_normal((3, 5)), np.arange(5.0)
        np.testing.assert_allclose(nn.linear(x, w, b).compute(), x @ w + b, 1e-13)
    with pytest.raises(la.errors.ShapeError, match="inputs"):
        nn.linear(np.zeros(4), np.zeros((3, 5)))
    with pytest.raises(la.errors.ShapeError, match="bias"):
        nn.linear(np.zeros(3), np.zeros((3, 5)), np.zeros(1))


def test_embedding() -> None:
    table = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    indices = np.array([[0, 3], [1, 1]])
    result = nn.embedding(indices, table).compute()
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, table[indices])
    for bad in (-1, 4):
        with pytest.raises(la.errors.IndexingError, match=f"is {bad}, out of range for 4 rows"):
            nn.embedding([bad], table)
        with pytest.raises(la.errors.IndexingError, match="out of bounds"):
            la.jit(nn.embedding)(np.array([bad]), table)


def test_indices_of_other_dtypes_never_count_from_the_end() -> None:
    table = np.arange(1000.0)[:, None]
    for index in (np.int8(-2), np.int16(-2), np.uint64(2**64 - 2)):
        with pytest.raises(la.errors.IndexingError, match="out of bounds"):
            la.jit(nn.embedding)(np.array([index]), table)
        inside = np.array([7], index.dtype)
        np.testing.assert_array_equal(la.jit(nn.embedding)(inside, table), [[7]])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dropout(dtype: str) -> None:
    x = np.full((200, 50), 3.0, dtype)
    result = nn.dropout(x, 0.25, la.random.default_rng(0)).compute()
    assert result.dtype == dtype
    assert set(np.unique(result)) == {0, dtype and np.dtype(dtype).type(4)}
    assert abs((result == 0).mean() - 0.25) < 5 * (0.25 * 0.75 / x.size) ** 0.5
    again = nn.dropout(x, 0.25, la.random.default_rng(0)).compute()
    np.testing.assert_array_equal(result, again)
    rng = la.random.default_rng(1)
    first, second = nn.dropout(x, 0.5, rng), nn.dropout(x, 0.5, rng)
    assert (first.compute() != second.compute()).any()
    np.testing.assert_array_equal(first.compute(), first.compute())
    np.testing.assert_array_equal(nn.dropout(x, 0.5, rng, training=False).compute(), x)
    np.testing.assert_array_equal(nn.dropout(x, 0.0, rng).compute(), x)


def test_dropout_draws_in_the_kernel_that_uses_it() -> None:
    x = la.asarray(np.ones(10_000))
    report = la.explain((nn.dropout(x * 2, 0.5, la.random.default_rng(0)) + 1).sum())
    assert len(report.kernels) == 1
    assert report.peak_bytes < 10_000


def test_dropout_draws_anew_at_each_call_of_a_traced_function() -> None:
    step = la.jit(lambda x, rng: nn.dropout(x, 0.5, rng))
    rng, other = la.random.default_rng(5), la.random.default_rng(5)
    for size in (20, 20, 30):
        x = np.ones(size)
        np.testing.assert_array_equal(step(x, rng), nn.dropout(x, 0.5, other).compute())
    assert step.cache_info().traced == 1


def test_dropout_refuses() -> None:
    rng = la.random.default_rng(0)
    for rate in (1.0, -0.1, np.nan):
        with pytest.raises(la.errors.ArgumentError, match="rate"):
            nn.dropout([1.0], rate, rng)
    with pytest.raises(la.errors.ArgumentError, match="generator"):
        nn.dropout([1.0], 0.5, np.random.default_rng(0))  # type: ignore[arg-type]


@pytest.mark.parametrize("front", [(), (3,), (2, 3)])
def test_cells(front: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    x, h, c = (random.standard_normal((*front, n)) for n in (3, 4, 4))
    wx, wh, b = (random.standard_normal(n) for n in ((3, 16), (4, 16), 16))
    i, f, g, o = np.split(x @ wx + h @ wh + b, 4, axis=-1)
    memory = expit(f) * c + expit(i) * np.tanh(g)
    result = la.evaluate(*nn.lstm_cell(x, (h, c), wx, wh, b))
    np.testing.assert_allclose(result[1], memory, 1e-12)
    np.testing.assert_allclose(result[0], expit(o) * np.tanh(memory), 1e-12)
    wx, wh, bx, bh = (random.standard_normal(n) for n in ((3, 12), (4, 12), 12, 12))
    r, z, n = np.split(x @ wx + bx, 3, axis=-1)
    rh, zh, nh = np.split(h @ wh + bh, 3, axis=-1)
    kept = expit(z + zh)
    expected = (1 - kept) * np.tanh(n + expit(r + rh) * nh) + kept * h
    np.testing.assert_allclose(nn.gru_cell(x, h, wx, wh, bx, bh).compute(), expected, 1e-12)


def test_cells_that_do_not_fit() -> None:
    with pytest.raises(la.errors.ShapeError, match=r"4 \* 2"):
        nn.lstm_cell(np.zeros(3), (np.zeros(2), np.zeros(2)), np.zeros((3, 6)), np.zeros((2, 8)))
    with pytest.raises(la.errors.ShapeError, match="the memory c"):
        nn.lstm_cell(np.zeros(3), (np.zeros(2), np.zeros(1)), np.zeros((3, 8)), np.zeros((2, 8)))
    with pytest.raises(la.errors.ShapeError, match="all axes but the last"):
        nn.gru_cell(np.zeros((5, 3)), np.zeros((4, 2)), np.zeros((3, 6)), np.zeros((2, 6)))


def attended(q: Array, k: Array, v: Array, mask: Any, causal: bool, bias: Any = 0) -> Array:
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + bias
    n, m = scores.shape[-2:]
    seen = np.ones((n, m), bool) if mask is None else mask
    if causal:
        seen = seen & (np.arange(n)[:, None] + m - n >= np.arange(m))
    seen = np.broadcast_to(seen, scores.shape)
    weights = np.where(seen, softmax(np.where(seen, scores, -1e30), axis=-1), 0)
    return weights @ v


@st.composite
def attentions(draw: st.DrawFn) -> tuple[Array, Array, Array, Any, bool, int | None]:
    front = draw(st.sampled_from([(), (2,), (2, 3)]))
    n, m, d, e = (draw(st.integers(1, 7)) for _ in range(4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    q, k, v = (
        random.standard_normal((*front, rows, columns))
        for rows, columns in ((n, d), (m, d), (m, e))
    )
    shape = draw(st.sampled_from([None, (n, m), (1, m), (n, 1), (*front, n, m)]))
    mask = None if shape is None else random.random(shape) < 0.7
    return q, k, v, mask, draw(st.booleans()), draw(st.sampled_from([None, 1, 2, 3]))


@settings(max_examples=25, deadline=None)
@given(case=attentions())
def test_attention(case: tuple[Array, Array, Array, Any, bool, int | None]) -> None:
    q, k, v, mask, causal, block = case
    result = nn.attention(q, k, v, mask=mask, causal=causal, block=block).compute()
    np.testing.assert_allclose(result, attended(q, k, v, mask, causal), 1e-11, 1e-12)


@settings(max_examples=25, deadline=None)
@given(case=attentions(), shape=st.integers(0, 5), seed=st.integers(0, 2**32))
def test_attention_with_a_bias(
    case: tuple[Array, Array, Array, Any, bool, int | None], shape: int, seed: int
) -> None:
    q, k, v, mask, causal, block = case
    n, m = q.shape[-2], k.shape[-2]
    shapes = [(), (m,), (n, 1), (n, m), (*q.shape[:-2], 1, m), (*q.shape[:-2], n, m)]
    bias = np.random.default_rng(seed).standard_normal(shapes[shape])
    result = nn.attention(q, k, v, mask=mask, bias=bias, causal=causal, block=block).compute()
    np.testing.assert_allclose(result, attended(q, k, v, mask, causal, bias), 1e-11, 1e-12)


def test_minus_infinity_as_a_bias_hides_a_key() -> None:
    q, k, v = np.random.default_rng(1).standard_normal((3, 6, 4))
    seen = np.tri(6, dtype=bool) & ~np.eye(6, dtype=bool)  # none for the first query
    bias = np.where(seen, 0, -np.inf)
    for block in (None, 2):
        by_bias, by_mask = (
            la.value_and_grad(
                lambda *x, b=block, w=keywords: (nn.attention(*x, block=b, **w) ** 2).sum(),
                argnums=(0, 1, 2),
            )(q, k, v)
            for keywords in ({"bias": bias}, {"mask": seen})
        )
        np.testing.assert_allclose(by_bias[0], by_mask[0], 1e-12)
        for slope, expected in zip(by_bias[1], by_mask[1], strict=True):
            np.testing.assert_allclose(slope, expected, 1e-12, 1e-13)


def test_a_bias_that_does_not_fit() -> None:
    q = np.ones((5, 4))
    with pytest.raises(la.errors.ShapeError, match=r"bias has shape \(4, 5\), expected"):
        nn.attention(q, q, q, bias=np.ones((4, 5)))
    with pytest.raises(la.errors.ArgumentError, match="booleans are a mask"):
        nn.attention(q, q, q, bias=np.ones((5, 5), bool))


def test_attention_over_many_keys_has_no_array_of_all_scores() -> None:
    random = np.random.default_rng(0)
    q, k, v = (la.asarray(random.standard_normal((2048, 16))) for _ in range(3))
    for causal in (False, True):
        y = nn.attention(q, k, v, causal=causal)
        report = la.explain(y)
        assert report.peak_bytes < 2048 * 2048 * 8 / 2
        expected = attended(q.compute(), k.compute(), v.compute(), None, causal)
        np.testing.assert_allclose(y.compute(), expected, 1e-10, 1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_no_keys_is_zero(causal: bool) -> None:
    query, key, value = np.ones((2, 5, 4)), np.ones((2, 0, 4)), np.ones((2, 0, 3))
    result = nn.attention(query, key, value, causal=causal)
    np.testing.assert_array_equal(result.compute(), np.zeros((2, 5, 3)))
    slope = la.grad(lambda q: nn.attention(q, key, value).sum())(query)
    np.testing.assert_array_equal(slope.compute(), np.zeros((2, 5, 4)))


def test_attention_of_float16() -> None:
    q = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float16)
    for block in (None, 2):
        result = nn.attention(q, q, q, block=block)
        assert result.dtype == np.float16
        wide = q.astype(float)
        np.testing.assert_allclose(result.compute(), attended(wide, wide, wide, None, False), 4e-3)


def test_many_heads() -> None:
    random = np.random.default_rng(3)
    x, memory = random.standard_normal((2, 5, 6)), random.standard_normal((2, 7, 6))
    wq, wk, wv, wo = random.standard_normal((4, 6, 6))
    mask, bias = random.random((2, 5, 7)) < 0.8, random.standard_normal((3, 1, 7))
    keywords = {"memory": memory, "mask": mask, "bias": bias}
    result = nn.multi_head_attention(x, wq, wk, wv, wo, 3, **keywords).compute()
    q, k, v = (
        part.reshape(2, -1, 3, 2).swapaxes(1, 2) for part in (x @ wq, memory @ wk, memory @ wv)
    )
    expected = attended(q, k, v, mask[:, None], False, bias).swapaxes(1, 2).reshape(2, 5, 6) @ wo
    np.testing.assert_allclose(result, expected, 1e-11)
    with pytest.raises(la.errors.ShapeError, match="heads=4 must divide the 6"):
        nn.multi_head_attention(x, wq, wk, wv, wo, 4)


def test_attention_that_does_not_fit() -> None:
    x = np.zeros((3, 2))
    with pytest.raises(la.errors.ShapeError, match="expected"):
        nn.attention(x, np.zeros((3, 4)), x)
    with pytest.raises(la.errors.ShapeError, match="at least 2 axes"):
        nn.attention(np.zeros(3), x, x)
    with pytest.raises(la.errors.ShapeError, match="mask has shape"):
        nn.attention(x, x, x, mask=np.ones((2, 3), bool))
    with pytest.raises(la.errors.ArgumentError, match="boolean, True"):
        nn.attention(x, x, x, mask=np.ones((3, 3)))
    with pytest.raises(la.errors.ArgumentError, match="block"):
        nn.attention(x, x, x, block=0)
