"""Models of many kinds: exact derivatives, and steps that plan, compile and allocate nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn

pytestmark = pytest.mark.host

RANDOM = np.random.default_rng(0)


def some(*shape: int, scale: float = 0.3) -> Any:
    return RANDOM.standard_normal(shape) * scale


def autoencoder(p: Any, x: Any, noise: Any) -> Any:
    """Variational: a Gaussian code, and the likelihood of bits."""
    hidden = la.tanh(x @ p["in"] + p["bias"])
    mean, log_variance = hidden @ p["mean"], hidden @ p["variance"]
    logits = nn.relu((mean + la.exp(0.5 * log_variance) * noise) @ p["back"]) @ p["out"]
    divergence = 1 + log_variance - mean**2 - la.exp(log_variance)
    return ((nn.softplus(logits) - x * logits).sum(-1) - 0.5 * divergence.sum(-1)).mean()


def transformer(p: Any, words: Any, following: Any, present: Any) -> Any:
    """One block with masked attention; the logits are products with the embeddings."""
    x = p["words"][words] + p["places"]
    count, length, width = x.shape

    def heads(a: Any) -> Any:
        return a.reshape(count, length, 2, width // 2).transpose(0, 2, 1, 3)

    y = nn.layer_norm(x, p["scale"], p["shift"])
    mask = present[:, None, None, :] & np.tri(length, dtype=bool)
    mixed = nn.attention(*(heads(y @ w) for w in p["attention"]), mask=mask)
    x = x + mixed.transpose(0, 2, 1, 3).reshape(x.shape) @ p["mix"]
    x = x + nn.gelu(nn.layer_norm(x) @ p["wide"]) @ p["narrow"]
    likely = nn.log_softmax(x @ p["words"].T)
    chosen = la.take_along_axis(likely, following[..., None], -1)[..., 0]
    return -(chosen * present).sum() / present.sum()


def u_net(p: Any, x: Any, y: Any) -> Any:
    """Down, up, and a connection past both; the loss of overlapping areas."""
    fine = nn.relu(nn.conv2d(x, p["fine"], padding=1))
    coarse = nn.relu(nn.conv2d(nn.max_pool2d(fine, 2), p["coarse"], padding=1))
    joined = la.concatenate([nn.conv_transpose2d(coarse, p["up"], stride=2), fine], axis=1)
    logits = nn.conv2d(nn.relu(nn.conv2d(joined, p["joined"], padding=1)), p["out"])
    area = nn.sigmoid(logits)
    dice = (2 * (area * y).sum((1, 2, 3)) + 1) / (area.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)
    return nn.binary_cross_entropy(logits, y) - dice.mean()


def graph_convolution(p: Any, x: Any, source: Any, target: Any, labels: Any) -> Any:
    """Sums over the edges of each node, weighted by attention."""

    def summed(values: Any) -> Any:
        result = la.zeros((x.shape[0], values.shape[1]))
        la.add.at(result, target, values)
        return result

    hidden = nn.relu(summed((x @ p["in"])[source]) + x @ p["self"])
    score = la.concatenate([hidden[source], hidden[target]], axis=1) @ p["score"]
    weight = la.exp(score - la.stop_gradient(score.max()))[:, None]
    mixed = summed(weight * (hidden @ p["out"])[source]) / (summed(weight) + 1e-9)
    return nn.cross_entropy(mixed, labels)


def mixture(p: Any, x: Any, y: Any) -> Any:
    """The density of a mixture of Gaussians."""
    weight, mean, scale = la.split(la.tanh(x @ p["in"] + p["bias"]) @ p["out"], 3, axis=1)
    density = nn.log_softmax(weight) - 0.5 * ((y - mean) / la.exp(scale)) ** 2 - scale
    return -nn.logsumexp(density).mean()


def differential_equation(p: Any, x: Any) -> Any:
    """The residual of a second derivative, in both modes, and values at the ends."""

    def u(x: Any) -> Any:
        return la.tanh(la.tanh(x @ p["in"] + p["bias"]) @ p["middle"]) @ p["out"]

    one = np.ones_like(x)
    second = la.grad(lambda x: la.grad(lambda x: u(x).sum())(x).sum())(x)
    forward = la.jvp(lambda x: la.jvp(u, (x,), (one,))[1], (x,), (one,))[1]
    residual = 0.5 * (second + forward) + la.sin(np.pi * x)
    return (residual**2).mean() + (u(np.array([[0.0], [1.0]])) ** 2).mean()


def actor_critic(p: Any, x: Any, actions: Any, rewards: Any, ends: Any) -> Any:
    """Advantages and targets that are constants for parts of the loss, and a clipped ratio."""
    hidden = la.tanh(x @ p["in"] + p["bias"])
    value, policy = (hidden @ p["value"])[:, 0], nn.log_softmax(hidden[:-1] @ p["policy"])
    advantage = rewards + 0.9 * la.where(ends, 0.0, la.stop_gradient(value[1:])) - value[:-1]
    chosen = policy[la.arange(actions.size), actions]
    fixed = la.stop_gradient((advantage - advantage.mean()) / advantage.std())
    ratio = la.exp(chosen - la.stop_gradient(0.9 * chosen))
    clipped = la.minimum(ratio * fixed, la.clip(ratio, 0.8, 1.2) * fixed)
    return (advantage**2).mean() - clipped.mean() + 0.01 * (la.exp(policy) * policy).sum()


def alignment(p: Any, x: Any, labels: Any) -> Any:
    """Connectionist temporal classification: all alignments, in a loop over time."""
    likely = nn.log_softmax(la.tanh(x @ p["in"]) @ p["out"])
    count, length = x.shape[:2]
    states = la.zeros((count, 2 * labels.shape[1] + 1), labels.dtype)
    states[:, 1::2] = labels
    skips = la.zeros(states.shape, bool)
    skips[:, 2:] = (states[:, 2:] != 0) & (states[:, 2:] != states[:, :-2])
    index = la.broadcast_to(states[:, None, :], (count, length, states.shape[1]))
    emitted = la.take_along_axis(likely, index, axis=2).transpose(1, 0, 2)
    first = la.where(la.arange(states.shape[1]) < 2, emitted[0], -1e30)

    def following(t: Any, alpha: Any) -> Any:
        one = la.pad(alpha[:, :-1], ((0, 0), (1, 0)), constant_values=-1e30)
        two = la.pad(alpha[:, :-2], ((0, 0), (2, 0)), constant_values=-1e30)
        return la.logaddexp(la.logaddexp(alpha, one), la.where(skips, two, -1e30)) + emitted[t + 1]

    alpha = la.fori_loop(length - 1, following, first)
    return -la.logaddexp(alpha[:, -1], alpha[:, -2]).mean()


def learning_to_learn(p: Any, x: Any, y: Any) -> Any:
    """The loss after steps of descent, which are differentiated in turn."""

    def inner(p: Any, x: Any, y: Any) -> Any:
        return ((la.tanh(x @ p["in"] + p["bias"]) @ p["out"] - y) ** 2).mean()

    total: Any = 0.0
    for task in range(x.shape[0]):
        own = p
        for _ in range(2):
            slopes = la.grad(inner)(own, x[task, :5], y[task, :5])
            own = {name: own[name] - 0.05 * slopes[name] for name in own}
        total = total + inner(own, x[task, 5:], y[task, 5:])
    return total


def ordinary_differential_equation(p: Any, x: Any, y: Any) -> Any:
    """Steps of a Runge-Kutta method in a loop."""

    def slope(x: Any) -> Any:
        return la.tanh(x @ p["in"] + p["bias"]) @ p["out"]

    def step(i: Any, x: Any) -> Any:
        first = slope(x)
        second = slope(x + 0.05 * first)
        third = slope(x + 0.05 * second)
        return x + 0.1 / 6 * (first + 2 * second + 2 * third + slope(x + 0.1 * third))

    return ((la.fori_loop(8, step, x) - y) ** 2).mean()


def recurrent(p: Any, x: Any, labels: Any) -> Any:
    """Cells of which the gates are computed again in the backward pass."""
    cell = la.checkpoint(lambda x, state, p: nn.lstm_cell(x, state, p["x"], p["h"], p["bias"]))
    state = (la.zeros((x.shape[1], 8)),) * 2
    for k in range(x.shape[0]):
        state = cell(x[k], state, p)
    return nn.cross_entropy(state[0] @ p["out"], labels)


def hyper_network(p: Any, x: Any, task: Any, y: Any) -> Any:
    """Weights that another network computes, one set for each example."""
    weights = (nn.relu(p["tasks"] @ p["in"]) @ p["out"])[task]
    first, last = weights[:, :30].reshape(-1, 5, 6), weights[:, 30:].reshape(-1, 6, 2)
    hidden = la.tanh(la.einsum("ni,nij->nj", x, first))
    return ((la.matmul(hidden[:, None, :], last)[:, 0] - y) ** 2).mean()


def flow(p: Any, x: Any) -> Any:
    """Coupled layers behind a product with a matrix, whose determinant counts."""
    x, change = x @ p["matrix"], la.linalg.slogdet(p["matrix"])[1]
    for k, layer in enumerate(p["layers"]):
        a, b = (x[:, :2], x[:, 2:]) if k % 2 else (x[:, 2:], x[:, :2])
        scale, shift = la.split(la.tanh(a @ layer["in"]) @ layer["out"], 2, axis=1)
        x, change = la.concatenate([a, b * la.exp(scale) + shift], axis=1), change + scale.sum(1)
    return (0.5 * (x**2).sum(1) - change).mean()


def bits(*shape: int) -> Any:
    return (RANDOM.random(shape) < 0.5) * 1.0


def below(limit: int, *shape: int) -> Any:
    return RANDOM.integers(0, limit, shape)


def dense(inputs: int, hidden: int, outputs: int) -> Any:
    return {"in": some(inputs, hidden), "bias": some(hidden), "out": some(hidden, outputs)}


#: The loss, parameters, a batch, and a rate.
MODELS: list[tuple[Callable[..., Any], Any, tuple[Any, ...], float]] = [
    (
        autoencoder,
        {**dense(20, 12, 4), "mean": some(12, 3), "variance": some(12, 3)}
        | {"back": some(3, 12), "out": some(12, 20)},
        (bits(30, 20), some(30, 3, scale=1.0)),
        0.02,
    ),
    (
        transformer,
        {"words": some(11, 8), "places": some(6, 8), "scale": np.ones(8), "shift": np.zeros(8)}
        | {"attention": [some(8, 8) for _ in range(3)], "mix": some(8, 8)}
        | {"wide": some(8, 16), "narrow": some(16, 8)},
        (below(11, 5, 6), below(11, 5, 6), np.arange(6) < np.array([[6], [4], [5], [6], [2]])),
        0.1,
    ),
    (
        u_net,
        {"fine": some(4, 1, 3, 3), "coarse": some(6, 4, 3, 3), "up": some(6, 4, 2, 2)}
        | {"joined": some(4, 8, 3, 3), "out": some(1, 4, 1, 1)},
        (some(3, 1, 8, 8), bits(3, 1, 8, 8)),
        0.05,
    ),
    (
        graph_convolution,
        {"in": some(5, 7), "self": some(5, 7), "score": some(14), "out": some(7, 3)},
        (some(20, 5, scale=1.0), below(20, 60), below(20, 60), below(3, 20)),
        0.1,
    ),
    (mixture, dense(1, 9, 12), (some(40, 1), some(40, 1)), 0.02),
    (
        differential_equation,
        {**dense(1, 10, 1), "middle": some(10, 10), "out": some(10, 1)},
        (np.linspace(0, 1, 20)[:, None],),
        0.01,
    ),
    (
        actor_critic,
        {"in": some(5, 8), "bias": some(8), "value": some(8, 1), "policy": some(8, 3)},
        (some(21, 5, scale=1.0), below(3, 20), some(20), RANDOM.random(20) < 0.2),
        0.05,
    ),
    (
        alignment,
        {"in": some(4, 8), "out": some(8, 5)},
        (some(4, 9, 4, scale=1.0), 1 + below(4, 4, 3)),
        0.1,
    ),
    (learning_to_learn, dense(1, 8, 1), (some(2, 10, 1, scale=1.0), some(2, 10, 1)), 0.05),
    (
        ordinary_differential_equation,
        {**dense(2, 8, 2)},
        (some(16, 2, scale=1.0), some(16, 2, scale=1.0)),
        0.1,
    ),
    (
        recurrent,
        {"x": some(4, 32), "h": some(8, 32), "bias": some(32), "out": some(8, 3)},
        (some(6, 10, 4, scale=1.0), below(3, 10)),
        0.1,
    ),
    (
        hyper_network,
        {"tasks": some(3, 4), "in": some(4, 10), "out": some(10, 42)},
        (some(20, 5, scale=1.0), below(3, 20), some(20, 2)),
        0.1,
    ),
    (
        flow,
        {"matrix": np.eye(4) + some(4, 4, scale=0.1)}
        | {"layers": [{"in": some(2, 6), "out": some(6, 4)} for _ in range(3)]},
        (some(30, 4, scale=1.0),),
        0.02,
    ),
]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with la.config(threads=1):
        yield


def mapped(function: Callable[..., Any], *trees: Any) -> Any:
    """Return a tree of the values of a function of the leaves of trees."""
    if isinstance(trees[0], dict):
        return {name: mapped(function, *(tree[name] for tree in trees)) for name in trees[0]}
    if isinstance(trees[0], list):
        return [mapped(function, *leaves) for leaves in zip(*trees, strict=True)]
    return function(*trees)


def leaves(tree: Any) -> list[Any]:
    """Return the leaves of a tree."""
    result: list[Any] = []
    mapped(result.append, tree)
    return result


def counts() -> dict[str, int]:
    """Return the counts of kernels, plans and mappings of this process."""
    info = la.cache.info()
    return {
        "compiled": info.kernels.compiled,
        "from disk": info.kernels.disk_hits,
        "plans": info.plans.plans,
        "misses": info.plans.misses,
        "mappings": info.pool.mappings,
    }


models = pytest.mark.parametrize(
    ("loss", "parameters", "batch", "rate"), MODELS, ids=[model[0].__name__ for model in MODELS]
)


@models
def test_derivatives(
    loss: Callable[..., Any], parameters: Any, batch: tuple[Any, ...], rate: float
) -> None:
    """The slope in a direction is that of the loss."""
    value = la.jit(loss)
    random = np.random.default_rng(1)
    direction = mapped(lambda w: random.standard_normal(w.shape), parameters)

    def at(step: float) -> float:
        return float(value(mapped(lambda w, d: w + step * d, parameters, direction), *batch))

    slopes = la.jit(la.grad(loss))(parameters, *batch)
    pairs = zip(leaves(slopes), leaves(direction), strict=True)
    slope = sum(float((one * other).sum()) for one, other in pairs)
    constant = {actor_critic, graph_convolution}  # in parts, which differences do not know of
    if loss not in constant:
        expected = (at(1e-5) - at(-1e-5)) / 2e-5
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)
    eager = la.grad(loss)(mapped(la.asarray, parameters), *batch)
    for compiled, other in zip(leaves(slopes), leaves(eager), strict=True):
        np.testing.assert_allclose(compiled, np.asarray(other), rtol=1e-9, atol=1e-12)


@models
def test_steps(
    loss: Callable[..., Any], parameters: Any, batch: tuple[Any, ...], rate: float
) -> None:
    """From the second step on nothing is planned, compiled or mapped, and peaks are exact."""

    def update(p: Any, *batch: Any) -> Any:
        value, slopes = la.value_and_grad(loss)(p, *batch)
        return value, mapped(lambda w, g: w - rate * g, p, slopes)

    step = la.jit(update, donate=0)
    p = mapped(np.array, parameters)
    values = []
    for k in range(12):
        value, p = step(p, *batch)
        values.append(float(value))
        if k == 1:
            second = counts()
    assert counts() == second
    assert step.cache_info().planned == 1
    if loss is not actor_critic:  # its targets move
        assert values[-1] < values[0]
    report = step.explain(p, *batch)
    with la.profile() as profile:
        step(p, *batch)
    assert all(run.planned_peak == run.measured_peak for run in profile.runs)
    assert profile.runs[-1].measured_peak == report.peak_bytes
