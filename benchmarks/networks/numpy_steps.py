"""The cases in plain NumPy, with derivatives that a person wrote down: those of few operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.networks import data
from benchmarks.networks.data import RATE

__all__ = ["step"]

Array = np.ndarray[Any, Any]
_EPSILON = np.float32(1e-5)


def step(name: str, size: int, device: str, compiled: bool) -> Callable[[], Any]:
    """Return a step of a case; see :func:`benchmarks.networks.step_of`."""
    if device != "cpu" or compiled or name not in _STEPS:
        raise NotImplementedError(f"{name} on {device} has no step in plain NumPy")
    return _STEPS[name](size)


def _mlp(size: int) -> Callable[[], float]:
    layers, x, labels = data.training_data("mlp", size)
    weights = [(weight.copy(), bias.copy()) for weight, bias in layers]
    rows = np.arange(size)

    def run() -> float:
        values = [x]
        for k, (weight, bias) in enumerate(weights):
            value = values[-1] @ weight + bias
            values.append(np.maximum(value, 0) if k + 1 < len(weights) else value)
        logits = values[-1] - values[-1].max(axis=1, keepdims=True)
        exponentials = np.exp(logits)
        sums = exponentials.sum(axis=1, keepdims=True)
        loss = float((np.log(sums[:, 0]) - logits[rows, labels]).mean())
        slope = exponentials / sums
        slope[rows, labels] -= 1
        slope /= np.float32(size)
        for k in range(len(weights) - 1, -1, -1):
            weight, bias = weights[k]
            of_weight, of_bias = values[k].T @ slope, slope.sum(axis=0)
            if k:
                slope = (slope @ weight.T) * (values[k] > 0)
            weight -= np.float32(RATE) * of_weight
            bias -= np.float32(RATE) * of_bias
        return loss

    return run


def _adam(size: int) -> Callable[[], None]:
    p, g = np.ones(size, np.float32), np.full(size, 0.1, np.float32)
    first, second = np.zeros_like(p), np.zeros_like(p)
    count = 0
    one, two = np.float32(0.9), np.float32(0.999)

    def run() -> None:
        nonlocal count
        count += 1
        first[...] = one * first + (1 - one) * g
        second[...] = two * second + (1 - two) * g * g
        mean, variance = first / (1 - one**count), second / (1 - two**count)
        p[...] = p - np.float32(1e-3) * mean / (np.sqrt(variance) + np.float32(1e-8))

    return run


def _layer_norm(size: int) -> Callable[[], float]:
    x, scale, shift, cotangent = data.norm_data(size)

    def run() -> float:
        centred = x - x.mean(axis=-1, keepdims=True)
        inverse = 1 / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
        normal = centred * inverse
        value = normal * scale + shift
        slope = cotangent * scale
        of_x = slope - slope.mean(axis=-1, keepdims=True)
        of_x -= normal * (slope * normal).mean(axis=-1, keepdims=True)
        of_x *= inverse
        of_scale, of_shift = (cotangent * normal).sum(axis=0), cotangent.sum(axis=0)
        assert value.shape == x.shape and of_scale.shape == of_shift.shape
        return float(of_x.flat[0])

    return run


def _attention(size: int) -> Callable[[], float]:
    q, k, v = data.attention_data(size)
    factor = np.float32(q.shape[-1] ** -0.5)
    hidden = np.triu(np.ones((q.shape[-2], k.shape[-2]), bool), 1)

    def run() -> float:
        scores = q @ k.swapaxes(-1, -2) * factor
        scores[..., hidden] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        value = weights @ v
        cotangent = np.ones_like(value)
        of_v = weights.swapaxes(-1, -2) @ cotangent
        slope = cotangent @ v.swapaxes(-1, -2)
        slope = weights * (slope - (slope * weights).sum(axis=-1, keepdims=True)) * factor
        of_q, of_k = slope @ k, slope.swapaxes(-1, -2) @ q
        assert of_k.shape == of_v.shape
        return float(of_q.flat[0])

    return run


_STEPS: dict[str, Callable[[int], Callable[[], Any]]] = {
    "mlp": _mlp,
    "adam": _adam,
    "layer_norm": _layer_norm,
    "attention": _attention,
}
