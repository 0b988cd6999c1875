"""The cases in PyTorch: eager or compiled, with its own fused optimisers."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.nn import functional

from benchmarks.networks import data, may_round
from benchmarks.networks.data import RATE


def step(name: str, size: int, device: str, compiled: bool) -> Any:
    """Return a step of a case; see :func:`benchmarks.networks.step_of`."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = may_round()
    how = torch.compile if compiled else lambda function: function
    if name == "grad":
        start = torch.ones(10_000, dtype=torch.float64, requires_grad=True)
        return lambda: torch.autograd.grad(data.chain(start, torch.sin, size).sum(), start)
    if name == "adam":
        return _adam(size, device)
    if name in ("attention", "layer_norm", *data.OF_SLICES):
        return _operation(name, size, device, how)
    return _training(name, size, device, how)


def _tree(value: Any, function: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tree(item, function) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tree(item, function) for item in value]
    return function(value)


def _training(name: str, size: int, device: str, how: Any) -> Any:
    arrays, *batch = data.training_data(name, size)
    logits = {"mlp": _mlp, "cnn": _cnn, "resnet": _resnet, "lstm": _lstm}[name]
    leaves: list[Any] = []

    def parameter(array: Any) -> Any:
        leaves.append(torch.tensor(array, device=device, requires_grad=True))
        return leaves[-1]

    parameters = _tree(arrays, parameter)
    optimizer = torch.optim.SGD(leaves, lr=RATE if name == "mlp" else RATE / 10, fused=True)
    x, labels = (torch.tensor(each, device=device) for each in batch)
    loss = how(lambda p, x, labels: functional.cross_entropy(logits(p, x), labels))

    def run() -> float:
        optimizer.zero_grad()
        value = loss(parameters, x, labels)
        value.backward()
        optimizer.step()
        return float(value.detach())

    return run


def _mlp(layers: Any, x: Any) -> Any:
    for weight, bias in layers[:-1]:
        x = torch.relu(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def _cnn(p: Any, x: Any) -> Any:
    for weight, bias in p["kernels"]:
        x = functional.max_pool2d(torch.relu(functional.conv2d(x, weight, bias, padding=2)), 2)
    return _mlp(p["products"], x.reshape(x.shape[0], -1))


def _resnet(p: Any, x: Any) -> Any:
    (weight, bias), *rest = p["kernels"]
    x = torch.relu(functional.conv2d(x, weight, bias, padding=1))
    shapes = data.units()
    for k in range(0, len(rest), 2):
        inputs, outputs, stride = shapes[k]
        y = torch.relu(functional.conv2d(x, *rest[k], stride=stride, padding=1))
        y = functional.conv2d(y, *rest[k + 1], padding=1)
        skip = functional.pad(x[:, :, ::stride, ::stride], (0, 0, 0, 0, 0, outputs - inputs))
        x = torch.relu(y + skip)
    return x.mean((2, 3)) @ p["products"][0][0] + p["products"][0][1]


def _lstm(p: Any, x: Any) -> Any:
    h = c = torch.zeros(x.shape[1], data.FEATURES, device=x.device)
    for k in range(data.STEPS):
        i, f, g, o = (x[k] @ p["x"] + h @ p["h"] + p["b"]).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return h @ p["out"]


def _adam(size: int, device: str) -> Any:
    p = torch.ones(size, device=device, requires_grad=True)
    p.grad = torch.full((size,), 0.1, device=device)
    optimizer = torch.optim.Adam([p], lr=1e-3, fused=True)

    def run() -> None:
        optimizer.step()
        float(p.detach()[0])  # it waits for a GPU

    return run


def _operation(name: str, size: int, device: str, how: Any) -> Any:
    if name in data.OF_SLICES:
        operand = torch.tensor(data.sliced_data(name, size), device=device, requires_grad=True)
        sliced = how(data.OF_SLICES[name])
        return lambda: float(torch.autograd.grad(sliced(operand), operand)[0].ravel()[0])
    arrays = data.attention_data(size) if name == "attention" else data.norm_data(size)
    tensors = [torch.tensor(x, device=device, requires_grad=True) for x in arrays[:3]]
    if name == "attention":

        def value(q: Any, k: Any, v: Any) -> Any:
            return functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum()
    else:
        cotangent = torch.tensor(arrays[3], device=device)

        def value(x: Any, scale: Any, shift: Any) -> Any:
            return (functional.layer_norm(x, (x.shape[-1],), scale, shift) * cotangent).sum()

    compiled = how(value)
    return lambda: float(torch.autograd.grad(compiled(*tensors), tensors)[0].ravel()[0])
