"""Parameters and batches of the cases, the same for each library."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

__all__ = [
    "CHANNELS",
    "DECAY",
    "FEATURES",
    "HEADS",
    "OF_SLICES",
    "RATE",
    "STEPS",
    "attention_data",
    "chain",
    "norm_data",
    "sliced_data",
    "training_data",
    "units",
]

RATE = 0.1
DECAY = 0.9
SIZES = (784, 256, 100, 10)
CLASSES = 10
#: Of the recurrent net: steps of a sequence, and features.
STEPS, FEATURES = 32, 128
HEADS = 8
#: Widths of ResNet-20: three units of two convolutions each.
CHANNELS = (16, 32, 64)
BLOCKS = 3


def _normal(random: np.random.Generator, *shape: int, fan: int = 1) -> Any:
    return (random.standard_normal(shape) * (2 / fan) ** 0.5).astype(np.float32)


def _mlp_data(batch: int) -> tuple[Any, Any, Any]:
    """Return weights with biases, images and labels of a perceptron."""
    random = np.random.default_rng(0)
    layers = [
        (_normal(random, inputs, outputs, fan=inputs), np.zeros(outputs, np.float32))
        for inputs, outputs in itertools.pairwise(SIZES)
    ]
    return layers, _normal(random, batch, SIZES[0], fan=2), random.integers(0, CLASSES, batch)


def units() -> list[tuple[int, int, int]]:
    """Return channels before and after each convolution of ResNet-20's blocks, and its stride."""
    pairs = []
    before = CHANNELS[0]
    for width in CHANNELS:
        for block in range(BLOCKS):
            pairs += [(before, width, 2 if before != width and not block else 1)]
            pairs += [(width, width, 1)]
            before = width
    return pairs


def _image_data(name: str, batch: int) -> tuple[Any, Any, Any]:
    """Return filters and weights, images of CIFAR's size and labels.

    Parameters
    ----------
    name : str
        "cnn": two convolutions of 64 channels and three products; "resnet": ResNet-20, with a
        scale and a shift in place of each normalisation.
    batch : int
        Number of images.
    """
    random = np.random.default_rng(0)

    def filters(inputs: int, outputs: int, size: int) -> Any:
        return _normal(random, outputs, inputs, size, size, fan=inputs * size * size)

    def dense(inputs: int, outputs: int) -> Any:
        return _normal(random, inputs, outputs, fan=inputs), np.zeros(outputs, np.float32)

    if name == "cnn":
        kernels = [(filters(3, 64, 5), np.zeros(64, np.float32))]
        kernels += [(filters(64, 64, 5), np.zeros(64, np.float32))]
        products = [dense(n, m) for n, m in itertools.pairwise((64 * 64, 384, 192, CLASSES))]
    else:
        pairs = [(3, CHANNELS[0], 1), *units()]
        kernels = [(filters(n, m, 3) * 0.5, np.zeros(m, np.float32)) for n, m, _ in pairs]
        products = [dense(CHANNELS[-1], CLASSES)]
    images = _normal(random, batch, 3, 32, 32, fan=2)
    return {"kernels": kernels, "products": products}, images, random.integers(0, CLASSES, batch)


def _lstm_data(batch: int) -> tuple[Any, Any, Any]:
    """Return weights of a recurrent net, sequences and labels."""
    random = np.random.default_rng(0)
    weights = {
        "x": _normal(random, FEATURES, 4 * FEATURES, fan=2 * FEATURES),
        "h": _normal(random, FEATURES, 4 * FEATURES, fan=2 * FEATURES),
        "b": np.zeros(4 * FEATURES, np.float32),
        "out": _normal(random, FEATURES, CLASSES, fan=FEATURES),
    }
    return weights, _normal(random, STEPS, batch, FEATURES, fan=2), random.integers(0, 10, batch)


def attention_data(tokens: int) -> tuple[Any, Any, Any]:
    """Return queries, keys and values of (heads, tokens, 64)."""
    random = np.random.default_rng(0)
    return tuple(_normal(random, HEADS, tokens, 64, fan=2) for _ in range(3))  # type: ignore[return-value]


def norm_data(rows: int) -> tuple[Any, Any, Any, Any]:
    """Return rows of 1,024 features, scale, shift and the cotangent of the result."""
    random = np.random.default_rng(0)
    x, cotangent = (_normal(random, rows, 1024, fan=2) for _ in range(2))
    return x, np.ones(1024, np.float32), np.zeros(1024, np.float32), cotangent


def sliced_data(name: str, size: int) -> Any:
    """Return the operand of :data:`OF_SLICES`.

    Parameters
    ----------
    name : str
        "stencil" or "filter".
    size : int
        Points along each axis of a square, or samples.
    """
    random = np.random.default_rng(0)
    return _normal(random, *((size, size) if name == "stencil" else (size,)))


def _stencil(u: Any) -> Any:
    inner = u[1:-1, 1:-1]
    change = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * inner
    return (change * change).sum()


def _filter(x: Any) -> Any:
    taps = [0.1 * k + 1 for k in range(16)]
    count = x.shape[0] - len(taps) + 1
    y = sum(x[k : k + count] * tap for k, tap in enumerate(taps))
    return (y * y).sum()


#: Sums over slices that overlap, which libraries differentiate.
OF_SLICES = {"stencil": _stencil, "filter": _filter}


def chain(x: Any, sine: Any, count: int) -> Any:
    """Return a chain of elementwise operations of an array.

    Parameters
    ----------
    x : array
        Where it begins.
    sine : callable
        The library's sine.
    count : int
        How many operations.
    """
    for _ in range(count // 2):
        x = sine(x) * 1.5
    return x


def training_data(name: str, batch: int) -> tuple[Any, Any, Any]:
    """Return parameters, inputs and labels of a network that is trained.

    Parameters
    ----------
    name : {"mlp", "cnn", "resnet", "lstm"}
        The network.
    batch : int
        Samples of a batch.
    """
    if name == "mlp":
        return _mlp_data(batch)
    return _lstm_data(batch) if name == "lstm" else _image_data(name, batch)
