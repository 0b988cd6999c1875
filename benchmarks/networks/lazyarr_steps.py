"""The cases in lazyarr: parameters are packed, and updated in place."""

from __future__ import annotations

from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.networks import data, may_round
from benchmarks.networks.data import RATE
from lazyarr import nn, optim


def step(name: str, size: int, device: str, compiled: bool) -> Any:
    """Return a step of a case; see :func:`benchmarks.networks.step_of`."""
    if device == "cuda":
        la.set_config(device=device, numerics="fast" if may_round() else "strict")
    if name == "grad":
        x = la.asarray(np.ones(10_000))
        return lambda: la.grad(lambda x: data.chain(x, np.sin, size).sum())(x)
    if name == "adam":
        return _adam(size, device)
    if name in ("attention", "layer_norm", *data.OF_SLICES):
        return _operation(name, size, device)
    return _training(name, size, device)


def _placed(arrays: Any, device: str) -> Any:
    """Return arrays where the steps run."""
    return [la.persist(la.asarray(x)) if device == "cuda" else x for x in arrays]


def training_step(name: str, size: int) -> tuple[Any, Any, Any, list[Any]]:
    """Return a step of training, packed parameters, the optimiser's state, and a batch.

    The step averages loss and gradients over the devices that take it together.
    """
    parameters, *batch = data.training_data(name, size)
    logits = {"mlp": _mlp, "cnn": _cnn, "resnet": _resnet, "lstm": _lstm}[name]
    descent = optim.sgd(RATE if name == "mlp" else RATE / 10)

    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        return nn.cross_entropy(logits(parameters, x), labels)

    def step(packed: Any, state: Any, x: Any, labels: Any) -> Any:
        value, slopes = la.value_and_grad(loss)(packed.unpack(), x, labels)
        if la.parallel.device_count() > 1:
            value, slopes = la.parallel.mean((value, slopes))
        return value, *descent.update(slopes, state, packed)

    packed = optim.pack(parameters)
    return la.jit(step, donate=(0, 1)), packed, descent.init(packed), batch


def _training(name: str, size: int, device: str) -> Any:
    compiled, packed, state, batch = training_step(name, size)
    call = compiled.persist if device == "cuda" else compiled
    x, labels = _placed(batch, device)

    def run() -> float:
        nonlocal packed, state
        value, packed, state = call(packed, state, x, labels)
        return float(value)

    return run


def _mlp(layers: Any, x: Any) -> Any:
    for weight, bias in layers[:-1]:
        x = nn.relu(nn.linear(x, weight, bias))
    return nn.linear(x, *layers[-1])


def _cnn(p: Any, x: Any) -> Any:
    for weight, bias in p["kernels"]:
        x = nn.relu(nn.conv2d(x, weight, bias, padding="same"))
        x = nn.max_pool2d(x, 2)
    return _mlp(p["products"], x.reshape(x.shape[0], -1))


def _resnet(p: Any, x: Any) -> Any:
    (weight, bias), *rest = p["kernels"]
    x = nn.relu(nn.conv2d(x, weight, bias, padding=1))
    shapes = data.units()
    for k in range(0, len(rest), 2):
        inputs, outputs, stride = shapes[k]
        y = nn.relu(nn.conv2d(x, *rest[k], stride=stride, padding=1))
        y = nn.conv2d(y, *rest[k + 1], padding=1)
        skip = x[:, :, ::stride, ::stride]
        skip = la.pad(skip, ((0, 0), (0, outputs - inputs), (0, 0), (0, 0)))
        x = nn.relu(y + skip)
    return nn.linear(x.mean(axis=(2, 3)), *p["products"][0])


def _lstm(p: Any, x: Any) -> Any:
    zeros = la.zeros((x.shape[1], data.FEATURES), np.float32)
    state = zeros, zeros
    for k in range(data.STEPS):
        state = nn.lstm_cell(x[k], state, p["x"], p["h"], p["b"])
    return state[0] @ p["out"]


def _adam(size: int, device: str) -> Any:
    descent = optim.adam(1e-3)
    update = la.jit(lambda g, state, p: descent.update(g, state, p), donate=(1, 2))
    call = update.persist if device == "cuda" else update
    p, g = _placed((np.ones(size, np.float32), np.full(size, 0.1, np.float32)), device)
    state = descent.init(p)

    def run() -> None:
        nonlocal p, state
        p, state = call(g, state, p)
        int(state["step"])  # it waits for a GPU

    return run


def _operation(name: str, size: int, device: str) -> Any:
    """Return an operation with its derivative."""
    if name == "attention":
        arrays: Any = _placed(data.attention_data(size), device)

        def value(q: Any, k: Any, v: Any) -> Any:
            return nn.attention(q, k, v, causal=True).sum()

        compiled = la.jit(la.grad(value, (0, 1, 2)))
    elif name in data.OF_SLICES:
        arrays = _placed([data.sliced_data(name, size)], device)
        compiled = la.jit(la.grad(data.OF_SLICES[name], (0,)))
    else:
        *arrays, cotangent = _placed(data.norm_data(size), device)

        def weighted(x: Any, scale: Any, shift: Any) -> Any:
            return (nn.layer_norm(x, scale, shift) * cotangent).sum()

        compiled = la.jit(la.grad(weighted, (0, 1, 2)))
    if device == "cuda":
        return lambda: float(compiled.persist(*arrays)[0].reshape(-1)[0])
    return lambda: float(np.asarray(compiled(*arrays)[0]).flat[0])
