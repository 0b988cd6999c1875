"""The cases in JAX: steps are jitted, with donated parameters."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.networks import data, may_round
from benchmarks.networks.data import RATE


def step(name: str, size: int, device: str, compiled: bool) -> Any:
    """Return a step of a case; see :func:`benchmarks.networks.step_of`."""
    jax.config.update("jax_default_device", jax.devices("gpu" if device == "cuda" else "cpu")[0])
    precision = "tensorfloat32" if may_round() else "highest"
    jax.config.update("jax_default_matmul_precision", precision)
    if name == "grad":
        # Building the derivative as a graph, as lazyarr does: nothing is compiled. A function of
        # its own each time, as JAX keeps what it traced of one.
        return lambda: jax.make_jaxpr(jax.grad(lambda x: data.chain(x, jnp.sin, size).sum()))(
            np.ones(10_000)
        )
    if name == "adam":
        return _adam(size)
    if name in ("attention", "layer_norm", *data.OF_SLICES):
        return _operation(name, size)
    return _training(name, size)


def _training(name: str, size: int) -> Any:
    parameters, *batch = data.training_data(name, size)
    logits = {"mlp": _mlp, "cnn": _cnn, "resnet": _resnet, "lstm": _lstm}[name]
    rate = RATE if name == "mlp" else RATE / 10

    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        chosen = jax.nn.log_softmax(logits(parameters, x))[jnp.arange(len(labels)), labels]
        return -chosen.mean()

    def step(parameters: Any, x: Any, labels: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(parameters, x, labels)
        return value, jax.tree.map(lambda p, g: p - rate * g, parameters, slopes)

    compiled = jax.jit(step, donate_argnums=0)
    parameters = jax.tree.map(jnp.asarray, parameters)
    x, labels = map(jnp.asarray, batch)

    def run() -> float:
        nonlocal parameters
        value, parameters = compiled(parameters, x, labels)
        return float(value)

    return run


def _mlp(layers: Any, x: Any) -> Any:
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def _convolved(x: Any, weight: Any, bias: Any, stride: int = 1) -> Any:
    side = weight.shape[-1] // 2
    sides = ((side, side), (side, side))
    return jax.lax.conv_general_dilated(x, weight, (stride, stride), sides) + bias[:, None, None]


def _cnn(p: Any, x: Any) -> Any:
    for weight, bias in p["kernels"]:
        x = jax.nn.relu(_convolved(x, weight, bias))
        x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return _mlp(p["products"], x.reshape(x.shape[0], -1))


def _resnet(p: Any, x: Any) -> Any:
    (weight, bias), *rest = p["kernels"]
    x = jax.nn.relu(_convolved(x, weight, bias))
    shapes = data.units()
    for k in range(0, len(rest), 2):
        inputs, outputs, stride = shapes[k]
        y = _convolved(jax.nn.relu(_convolved(x, *rest[k], stride)), *rest[k + 1])
        skip = jnp.pad(x[:, :, ::stride, ::stride], ((0, 0), (0, outputs - inputs), (0, 0), (0, 0)))
        x = jax.nn.relu(y + skip)
    return x.mean(axis=(2, 3)) @ p["products"][0][0] + p["products"][0][1]


def _lstm(p: Any, x: Any) -> Any:
    def cell(state: Any, x: Any) -> Any:
        h, c = state
        i, f, g, o = jnp.split(x @ p["x"] + h @ p["h"] + p["b"], 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

    zeros = jnp.zeros((x.shape[1], data.FEATURES), np.float32)
    (h, _), _ = jax.lax.scan(cell, (zeros, zeros), x)
    return h @ p["out"]


def _adam(size: int) -> Any:
    def update(g: Any, m: Any, v: Any, t: Any, p: Any) -> Any:
        t = t + 1
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        m_hat, v_hat = m / (1 - 0.9**t), v / (1 - 0.999**t)
        return m, v, t, p - 1e-3 * m_hat / (jnp.sqrt(v_hat) + 1e-8)

    compiled = jax.jit(update, donate_argnums=(1, 2, 3, 4))
    g = jnp.full(size, 0.1, np.float32)
    state = (jnp.zeros(size), jnp.zeros(size), jnp.zeros(()), jnp.ones(size))

    def run() -> None:
        nonlocal state
        state = compiled(g, *state)
        state[-1].block_until_ready()

    return run


def _operation(name: str, size: int) -> Any:
    if name in data.OF_SLICES:
        operand = jnp.asarray(data.sliced_data(name, size))
        slope = jax.jit(jax.grad(data.OF_SLICES[name]))
        return lambda: float(slope(operand).ravel()[0])
    if name == "attention":
        arrays: Any = list(map(jnp.asarray, data.attention_data(size)))

        def value(q: Any, k: Any, v: Any) -> Any:
            scores = q @ jnp.swapaxes(k, -1, -2) / np.float32(8)
            mask = jnp.tril(jnp.ones((size, size), bool))
            return (jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)) @ v).sum()
    else:
        *rows, cotangent = map(jnp.asarray, data.norm_data(size))
        arrays = rows

        def value(q: Any, k: Any, v: Any) -> Any:
            centred = q - q.mean(-1, keepdims=True)
            normed = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
            return ((normed * k + v) * cotangent).sum()

    compiled = jax.jit(jax.grad(value, (0, 1, 2)))
    return lambda: float(compiled(*arrays)[0].ravel()[0])
