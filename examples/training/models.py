"""Classifiers of images: functions of parameters, running statistics and images."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr import nn

Random = np.random.Generator
Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Model:
    """A classifier.

    Attributes
    ----------
    init : callable
        ``init(random, shape, classes)`` returns parameters and running statistics for images of
        a shape (channels, height, width).
    apply : callable
        ``apply(parameters, statistics, images, training)`` returns logits and the next running
        statistics.
    defaults : dict
        Settings for the bundled digits, and under "large" those that differ for larger images.
    """

    init: Callable[[Random, Shape, int], tuple[Any, Any]]
    apply: Callable[[Any, Any, Any, bool], tuple[Any, Any]]
    defaults: dict[str, Any]


def _dense(random: Random, inputs: int, outputs: int, gain: float = 2.0) -> dict[str, Any]:
    """Return a product's weights, of the variance of He et al., Delving deep, 2015."""
    weight = random.standard_normal((inputs, outputs)) * (gain / inputs) ** 0.5
    return {"w": weight.astype(np.float32), "b": np.zeros(outputs, np.float32)}


def _filters(random: Random, inputs: int, outputs: int, size: int) -> dict[str, Any]:
    weight = random.standard_normal((outputs, inputs, size, size))
    weight *= (2.0 / (inputs * size * size)) ** 0.5
    return {"w": weight.astype(np.float32), "b": np.zeros(outputs, np.float32)}


def _linear(layer: Any, x: Any) -> Any:
    return nn.linear(x, layer["w"], layer["b"])


def _flat(images: Any) -> Any:
    return images.reshape(images.shape[0], -1)


# -- logistic regression ------------------------------------------------------------------------


def _init_logreg(random: Random, shape: Shape, classes: int) -> tuple[Any, Any]:
    layer = _dense(random, int(np.prod(shape)), classes)
    return {"out": {"w": np.zeros_like(layer["w"]), "b": layer["b"]}}, {}


def _logreg(p: Any, statistics: Any, images: Any, training: bool) -> tuple[Any, Any]:
    return _linear(p["out"], _flat(images)), statistics


# -- multilayer perceptron: 784-256-100-10 ------------------------------------------------------


def _init_mlp(random: Random, shape: Shape, classes: int) -> tuple[Any, Any]:
    sizes = [int(np.prod(shape)), 256, 100, classes]
    return [_dense(random, n, m) for n, m in itertools.pairwise(sizes)], {}


def _mlp(p: Any, statistics: Any, images: Any, training: bool) -> tuple[Any, Any]:
    x = _flat(images)
    for layer in p[:-1]:
        x = nn.relu(_linear(layer, x))
    return _linear(p[-1], x), statistics


# -- two convolutions ---------------------------------------------------------------------------


def _init_cnn(random: Random, shape: Shape, classes: int) -> tuple[Any, Any]:
    channels, height, width = shape
    if height < 24:
        sizes, features, rows = (3, 16, 32), (128,), (height // 2) * (width // 2)
    else:
        # The net of the multi-GPU tutorial of TensorFlow, without local response normalisation.
        sizes, features, rows = (5, 64, 64), (384, 192), -(-height // 4) * -(-width // 4)
    size, first, second = sizes
    steps = [rows * second, *features, classes]
    return {
        "conv": [_filters(random, channels, first, size), _filters(random, first, second, size)],
        "dense": [_dense(random, n, m) for n, m in itertools.pairwise(steps)],
    }, {}


def _cnn(p: Any, statistics: Any, images: Any, training: bool) -> tuple[Any, Any]:
    x = images
    large = p["conv"][0]["w"].shape[-1] == 5
    for layer in p["conv"]:
        x = nn.relu(nn.conv2d(x, layer["w"], layer["b"], padding="same"))
        if large:
            x = nn.max_pool2d(x, 3, stride=2, padding="same")
    x = _flat(x if large else nn.max_pool2d(x, 2))
    for layer in p["dense"][:-1]:
        x = nn.relu(_linear(layer, x))
    return _linear(p["dense"][-1], x), statistics


# -- ResNet-20: He et al., Deep residual learning, 2016, section 4.2 -----------------------------

_WIDTHS = (16, 32, 64)
_BLOCKS = 3


def _normalised(p: Any, s: Any, x: Any, training: bool) -> tuple[Any, Any]:
    y, mean, variance = nn.batch_norm(
        x, p["scale"], p["shift"], s["mean"], s["variance"], training=training
    )
    return y, {"mean": mean, "variance": variance}


def _init_norm(width: int) -> tuple[Any, Any]:
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return {"scale": ones, "shift": zeros}, {"mean": zeros.copy(), "variance": ones.copy()}


def _init_unit(random: Random, inputs: int, outputs: int) -> tuple[Any, Any]:
    scale, statistics = _init_norm(outputs)
    return {"w": _filters(random, inputs, outputs, 3)["w"], **scale}, statistics


def _init_resnet(random: Random, shape: Shape, classes: int) -> tuple[Any, Any]:
    units = [_init_unit(random, shape[0], _WIDTHS[0])]
    inputs = _WIDTHS[0]
    for width in _WIDTHS:
        for _ in range(_BLOCKS):
            units += [_init_unit(random, inputs, width), _init_unit(random, width, width)]
            inputs = width
    out = _dense(random, inputs, classes, 1.0)
    return {"units": [unit for unit, _ in units], "out": out}, [s for _, s in units]


def _resnet(p: Any, statistics: Any, images: Any, training: bool) -> tuple[Any, Any]:
    later = []

    def unit(x: Any, stride: int = 1) -> Any:
        own = p["units"][len(later)]
        y = nn.conv2d(x, own["w"], stride=stride, padding=1)
        y, after = _normalised(own, statistics[len(later)], y, training)
        later.append(after)
        return y

    x = nn.relu(unit(images))
    for stage in range(len(_WIDTHS)):
        for block in range(_BLOCKS):
            stride = 2 if stage and not block else 1
            y = unit(nn.relu(unit(x, stride)))
            if stride == 2:
                # The shortcut without parameters: every second pixel, zeros for new channels.
                x = x[:, :, ::2, ::2]
                extra = y.shape[1] - x.shape[1]
                x = np.pad(x, ((0, 0), (0, extra), (0, 0), (0, 0)))
            x = nn.relu(x + y)
    return _linear(p["out"], nn.global_avg_pool(x)), later


MODELS = {
    "logreg": Model(
        _init_logreg, _logreg, {"batch": 50, "rate": 0.5, "epochs": 20, "large": {"batch": 1000}}
    ),
    "mlp": Model(
        _init_mlp,
        _mlp,
        {"batch": 50, "rate": 0.1, "epochs": 40, "large": {"batch": 1000, "epochs": 60}},
    ),
    "cnn": Model(
        _init_cnn,
        _cnn,
        {
            "batch": 50,
            "rate": 0.05,
            "momentum": 0.9,
            "epochs": 15,
            "schedule": "cosine",
            "large": {"batch": 128, "rate": 0.01, "epochs": 30},
        },
    ),
    "resnet": Model(
        _init_resnet,
        _resnet,
        {
            "batch": 64,
            "rate": 0.1,
            "momentum": 0.9,
            "decay": 1e-4,
            "epochs": 10,
            "schedule": "cosine",
            "large": {"batch": 128, "epochs": 160},
        },
    ),
}
