"""Gradients of each function against central differences along random directions, in float64."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from tests.support.bfloat16 import BFLOAT16, needs_bfloat16

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)


def some(*shape: int) -> Array:
    return RANDOM.standard_normal(shape)


LABELS = np.array([0, 2, 1, 2])
MASK = np.array([True, False, True, True])
TABLE = np.array([[0, 1], [1, 1], [3, 0]])
SEEN = np.array([[True, True, False], [False, True, True], [True, False, True]])

CASES: dict[str, tuple[Callable[..., Any], tuple[Array, ...]]] = {
    **{
        name: (getattr(nn, name), (some(3, 4),))
        for name in (
            "celu",
            "elu",
            "gelu",
            "glu",
            "hard_sigmoid",
            "hard_swish",
            "hard_tanh",
            "leaky_relu",
            "log_sigmoid",
            "log_softmax",
            "logsumexp",
            "mish",
            "normalize",
            "relu",
            "relu6",
            "rms_norm",
            "selu",
            "sigmoid",
            "silu",
            "softmax",
            "softplus",
            "softsign",
        )
    },
    "gelu by tanh": (lambda x: nn.gelu(x, "tanh"), (some(3, 4),)),
    "cross_entropy": (lambda x: nn.cross_entropy(x, LABELS), (some(4, 3),)),
    "cross_entropy, masked and smooth": (
        lambda x: nn.cross_entropy(x, LABELS, where=MASK, label_smoothing=0.2),
        (some(4, 3),),
    ),
    "binary_cross_entropy": (nn.binary_cross_entropy, (some(5), RANDOM.random(5))),
    "mean_squared_error": (nn.mean_squared_error, (some(5), some(5))),
    "mean_absolute_error": (nn.mean_absolute_error, (some(5), some(5))),
    "huber_loss": (lambda x, y: nn.huber_loss(x, y, delta=0.7), (some(9), some(9))),
    "smooth_l1_loss": (lambda x, y: nn.smooth_l1_loss(x, y, beta=0.7), (some(9), some(9))),
    "kl_divergence": (nn.kl_divergence, (some(4, 3), RANDOM.random((4, 3)))),
    "kl_divergence of logarithms": (
        lambda x, y: nn.kl_divergence(x, y, log_targets=True, axis=0, where=MASK[:3]),
        (some(4, 3), some(4, 3)),
    ),
    "cosine_similarity": (nn.cosine_similarity, (some(2, 1, 4), some(3, 4))),
    "prelu": (nn.prelu, (some(2, 3, 4), some(3))),
    "group_norm": (
        lambda x, w, b: nn.group_norm(x, 2, w, b),
        (some(2, 4, 3), some(4), some(4)),
    ),
    "instance_norm, channels last": (
        lambda x, w, b: nn.instance_norm(x, w, b, axis=-1),
        (some(2, 3, 5, 4), some(4), some(4)),
    ),
    "layer_norm": (nn.layer_norm, (some(3, 4), some(4), some(4))),
    "layer_norm of two axes": (
        lambda x, w: nn.layer_norm(x, w, axis=(1, 2)),
        (some(2, 3, 4), some(3, 4)),
    ),
    "rms_norm, weighted": (nn.rms_norm, (some(3, 4), some(4))),
    "batch_norm": (
        lambda x, w, b: nn.batch_norm(x, w, b, np.zeros(3), np.ones(3), training=True)[0],
        (some(4, 3, 2), some(3), some(3)),
    ),
    "batch_norm, running": (
        lambda x, w, b: nn.batch_norm(x, w, b, np.zeros(3), np.ones(3))[0],
        (some(4, 3, 2), some(3), some(3)),
    ),
    "linear": (nn.linear, (some(2, 3, 4), some(4, 5), some(5))),
    "embedding": (lambda table: nn.embedding(TABLE, table), (some(4, 3),)),
    "dropout": (lambda x: nn.dropout(x, 0.5, la.random.default_rng(0)), (some(4, 5),)),
    "conv1d": (nn.conv1d, (some(2, 3, 7), some(4, 3, 3), some(4))),
    "conv2d": (nn.conv2d, (some(2, 3, 5, 6), some(4, 3, 3, 2), some(4))),
    "conv2d with steps": (
        lambda x, w: nn.conv2d(x, w, stride=(2, 3), padding=((1, 0), (2, 1)), dilation=(1, 2)),
        (some(2, 2, 6, 8), some(3, 2, 3, 2)),
    ),
    "conv2d in groups": (
        lambda x, w: nn.conv2d(x, w, groups=2, padding=1),
        (some(2, 4, 4, 4), some(6, 2, 3, 3)),
    ),
    "conv2d of each channel": (
        lambda x, w: nn.conv2d(x, w, groups=3, padding="same"),
        (some(2, 3, 4, 4), some(6, 1, 3, 3)),
    ),
    "conv2d, channels last": (
        lambda x, w: nn.conv2d(x, w, channels="last"),
        (some(2, 5, 6, 3), some(4, 3, 3, 2)),
    ),
    "conv2d, mirrored": (
        lambda x, w: nn.conv2d(x, w, padding=(1, 2), padding_mode="reflect"),
        (some(2, 2, 4, 5), some(3, 2, 3, 3)),
    ),
    "conv2d, edges repeated": (
        lambda x, w: nn.conv2d(x, w, padding="same", padding_mode="replicate"),
        (some(2, 2, 4, 5), some(3, 2, 3, 3)),
    ),
    "conv1d, periodic": (
        lambda x, w: nn.conv1d(x, w, padding=2, padding_mode="circular"),
        (some(2, 2, 5), some(3, 2, 3)),
    ),
    "conv_transpose2d": (
        lambda x, w, b: nn.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        (some(2, 3, 3, 4), some(3, 2, 3, 3), some(2)),
    ),
    "conv_transpose1d": (
        lambda x, w: nn.conv_transpose1d(x, w, stride=3, dilation=2, groups=2),
        (some(2, 4, 4), some(4, 3, 2)),
    ),
    "max_pool2d": (lambda x: nn.max_pool2d(x, 2), (some(2, 3, 4, 6),)),
    "max_pool2d, overlapping": (
        lambda x: nn.max_pool2d(x, 3, stride=2, padding=1),
        (some(2, 3, 5, 6),),
    ),
    "avg_pool2d": (
        lambda x: nn.avg_pool2d(x, (2, 3), padding=1, count_padding=False),
        (some(2, 3, 5, 6),),
    ),
    "global_avg_pool": (nn.global_avg_pool, (some(2, 3, 4, 4),)),
    "global_max_pool": (nn.global_max_pool, (some(2, 3, 4, 4),)),
    "adaptive_avg_pool2d": (lambda x: nn.adaptive_avg_pool2d(x, (2, 3)), (some(2, 3, 5, 6),)),
    "adaptive_max_pool2d": (lambda x: nn.adaptive_max_pool2d(x, (2, 3)), (some(2, 3, 5, 6),)),
    "upsample": (lambda x: nn.upsample(x, 2), (some(2, 3, 2, 3),)),
    "upsample, linear": (
        lambda x: nn.upsample(x, size=(5, 2), mode="linear"),
        (some(2, 3, 3, 3),),
    ),
    "attention": (nn.attention, (some(2, 3, 4), some(2, 5, 4), some(2, 5, 3))),
    "attention, causal": (
        lambda q, k, v: nn.attention(q, k, v, causal=True),
        (some(3, 4), some(5, 4), some(5, 3)),
    ),
    "attention, masked": (
        lambda q, k, v: nn.attention(q, k, v, mask=SEEN),
        (some(3, 4), some(3, 4), some(3, 3)),
    ),
    "attention over blocks": (
        lambda q, k, v: nn.attention(q, k, v, block=2),
        (some(2, 3, 4), some(2, 5, 4), some(2, 5, 3)),
    ),
    "attention over blocks, causal": (
        lambda q, k, v: nn.attention(q, k, v, block=2, causal=True, mask=SEEN),
        (some(3, 4), some(3, 4), some(3, 3)),
    ),
    "attention over blocks, broadcast": (
        lambda q, k, v: nn.attention(q, k, v, block=3),
        (some(2, 3, 4), some(4, 4), some(1, 4, 3)),
    ),
    "attention, biased": (
        lambda q, k, v, b: nn.attention(q, k, v, bias=b, causal=True),
        (some(2, 3, 4), some(2, 5, 4), some(2, 5, 3), some(3, 5)),
    ),
    "attention over blocks, biased": (
        lambda q, k, v, b: nn.attention(q, k, v, bias=b, block=3),
        (some(2, 3, 4), some(2, 5, 4), some(2, 5, 3), some(1, 3, 5)),
    ),
    "attention over blocks, biased by query": (
        lambda q, k, v, b: nn.attention(q, k, v, bias=b, block=2, causal=True),
        (some(2, 3, 4), some(2, 5, 4), some(2, 5, 3), some(2, 3, 1)),
    ),
    "attention over blocks, biased by key": (
        lambda q, k, v, b: nn.attention(q, k, v, bias=b, block=2),
        (some(3, 4), some(5, 4), some(5, 3), some(2, 1, 5)),
    ),
    "multi_head_attention": (
        lambda x, q, k, v, o: nn.multi_head_attention(x, q, k, v, o, 2),
        (some(3, 4), some(4, 6), some(4, 6), some(4, 6), some(6, 4)),
    ),
    "lstm_cell": (
        lambda x, h, c, wx, wh, b: la.concatenate(nn.lstm_cell(x, (h, c), wx, wh, b), axis=-1),
        (some(2, 3), some(2, 4), some(2, 4), some(3, 16), some(4, 16), some(16)),
    ),
    "gru_cell": (
        nn.gru_cell,
        (some(2, 3), some(2, 4), some(3, 12), some(4, 12), some(12), some(12)),
    ),
}


def check(function: Callable[..., Any], arguments: tuple[Array, ...]) -> None:
    weights = np.cos(np.arange(function(*arguments).size) + 0.5)

    def total(*values: Any) -> Any:
        return (function(*values).reshape(-1) * weights).sum()

    gradients = la.grad(total, argnums=tuple(range(len(arguments))))(*arguments)
    results = [gradient.compute() for gradient in gradients]
    random = np.random.default_rng(1)
    h = 1e-6
    for place, (x, gradient) in enumerate(zip(arguments, results, strict=True)):
        assert gradient.shape == x.shape
        assert gradient.dtype == x.dtype
        direction = random.standard_normal(x.shape)
        ends = []
        for sign in (1, -1):
            moved = [*arguments]
            moved[place] = x + sign * h * direction
            ends.append(total(*moved))
        above, below = la.evaluate(*ends)
        slope = (above - below) / (2 * h)
        np.testing.assert_allclose((gradient * direction).sum(), slope, 2e-6, 2e-8)


@pytest.mark.parametrize("name", CASES)
def test_gradient(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("relu", 0),
        ("leaky_relu", 0.01),
        ("elu", 1),
        ("silu", 0.5),
        ("gelu", 0.5),
        ("sigmoid", 0.25),
        ("softplus", 0.5),
        ("log_sigmoid", 0.5),
        ("celu", 1),
        ("hard_sigmoid", 1 / 6),
        ("hard_swish", 0.5),
        ("hard_tanh", 1),
        ("mish", 0.6),
        ("relu6", 0),
        ("selu", 1.0507009873554805 * 1.6732632423543772),
        ("softsign", 1),
    ],
)
def test_the_derivative_at_zero(name: str, slope: float) -> None:
    assert float(la.grad(getattr(nn, name))(0.0)) == pytest.approx(slope)


@pytest.mark.parametrize(
    "name",
    """celu elu gelu hard_sigmoid hard_swish hard_tanh log_sigmoid mish relu6 selu sigmoid silu
    softplus softsign""".split(),
)
def test_derivatives_far_from_zero_are_finite(name: str) -> None:
    for x in (-800.0, 800.0):
        assert np.isfinite(float(la.grad(getattr(nn, name))(x)))


def test_the_gradient_of_the_cross_entropy_is_that_of_its_formula() -> None:
    logits = 100 * some(4, 3)
    result = la.grad(lambda x: nn.cross_entropy(x, LABELS, reduction="sum"))(logits).compute()
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    expected = shifted / shifted.sum(axis=1, keepdims=True) - np.eye(3)[LABELS]
    np.testing.assert_allclose(result, expected, 1e-12, 1e-12)


def test_a_query_that_sees_no_key_has_no_gradient() -> None:
    q, k, v = some(2, 3), some(4, 3), some(4, 3)
    seen = np.array([[True] * 4, [False] * 4])
    for block in (None, 3):
        result = la.grad(lambda q, b=block: nn.attention(q, k, v, mask=seen, block=b).sum())(q)
        assert np.isfinite(result.compute()).all()
        assert (result[1] == 0).all()
        assert (result[0] != 0).any()


def test_the_gradient_over_many_keys_has_no_array_of_all_scores() -> None:
    q, k, v = (la.asarray(some(1536, 8)) for _ in range(3))
    result = la.grad(lambda *x: nn.attention(*x, causal=True).sum(), argnums=(0, 1, 2))(q, k, v)
    assert la.explain(*result).peak_bytes < 1536 * 1536 * 8
    at_once = la.grad(
        lambda *x: nn.attention(*x, causal=True, block=1536).sum(), argnums=(0, 1, 2)
    )(q, k, v)
    for one, other in zip(la.evaluate(*result), la.evaluate(*at_once), strict=True):
        np.testing.assert_allclose(one, other, 1e-9, 1e-11)


def test_dropout_draws_the_same_bits_backward() -> None:
    x = np.ones(1000)
    loss, slope = la.value_and_grad(lambda x: nn.dropout(x, 0.5, la.random.default_rng(3)).sum())(x)
    kept = nn.dropout(x, 0.5, la.random.default_rng(3)).compute()
    np.testing.assert_array_equal(slope.compute(), kept)
    assert float(loss) == kept.sum()


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_gradients_have_the_dtype_of_their_parameters(dtype: str) -> None:
    x, w = np.ones((2, 3), dtype), np.full((3, 4), 0.1, dtype)
    result = la.grad(lambda w: nn.cross_entropy(nn.linear(x, w), [0, 1]))(w).compute()
    assert result.dtype == dtype
    assert np.isfinite(result).all()


@needs_bfloat16
@pytest.mark.parametrize("name", sorted(CASES.keys() - {"dropout"}))  # draws follow the dtype
def test_bfloat16_keeps_its_dtype_and_three_digits(name: str) -> None:
    """Functions and gradients, against those of the same numbers in float64."""
    function, arrays = CASES[name]
    narrow = [x.astype(BFLOAT16) if x.dtype == np.float64 else x for x in arrays]
    wide = [x.astype(np.float64) if x.dtype == BFLOAT16 else x for x in narrow]
    places = tuple(k for k, x in enumerate(narrow) if x.dtype == BFLOAT16)
    assert la.asarray(function(*map(la.asarray, narrow))).dtype == BFLOAT16

    def total(*values: Any) -> Any:
        return function(*values).sum()

    slopes = la.evaluate(*la.grad(total, argnums=places)(*map(la.asarray, narrow)))
    exact = la.evaluate(*la.grad(total, argnums=places)(*map(la.asarray, wide)))
    for slope, expected in zip(slopes, exact, strict=True):
        assert slope.dtype == BFLOAT16
        scale = np.abs(expected).max() + 1
        np.testing.assert_allclose(slope.astype(np.float64), expected, atol=0.05 * scale)
