"""Steps of training beside PyTorch and JAX: ``python -m benchmarks.training``.

Each library runs in a process of its own, and these alternate, so that a busy machine is busy for
all. The fastest step counts; beside it stand the median and the first step, compile included.
Peers that are not installed are left out; ``--python PATH`` names the interpreter that has them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SIZES = (784, 256, 100, 10)
RATE = 0.1
PEERS = ("lazyarr", "jax", "torch")
CASES = ("mlp 32", "mlp 1000", "mlp 8192", "grad 1000")
#: Nodes of the chain whose gradient is built.
CHAIN = 1000
Step = Callable[[], Any]


def data(batch: int) -> tuple[Any, Any, Any]:
    """Return weights with biases, images and labels, the same for each peer.

    Parameters
    ----------
    batch : int
        Number of images.
    """
    random = np.random.default_rng(0)
    layers = []
    for inputs, outputs in itertools.pairwise(SIZES):
        weight = random.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5
        layers.append((weight.astype(np.float32), np.zeros(outputs, np.float32)))
    images = random.standard_normal((batch, SIZES[0])).astype(np.float32)
    return layers, images, random.integers(0, SIZES[-1], batch)


def lazyarr_step(case: str, size: int) -> Step:
    """Return a step of lazyarr: the parameters packed, and updated in place."""
    import lazyarr as la
    from lazyarr import nn, optim

    if case == "grad":
        slope = la.grad(lambda x: chain(x, np.sin).sum())
        x = la.asarray(np.ones(10_000))
        return lambda: slope(x)
    layers, images, labels = data(size)

    def loss(layers: Any) -> Any:
        x = images_
        for weight, bias in layers[:-1]:
            x = nn.relu(nn.linear(x, weight, bias))
        return nn.cross_entropy(nn.linear(x, *layers[-1]), labels_)

    descent = optim.sgd(RATE)
    images_: Any = None
    labels_: Any = None

    def step(packed: Any, state: Any, images: Any, labels: Any) -> Any:
        nonlocal images_, labels_
        images_, labels_ = images, labels
        value, slopes = la.value_and_grad(loss)(packed.unpack())
        return value, *descent.update(slopes, state, packed)

    compiled = la.jit(step, donate=(0, 1))
    packed = optim.pack(layers)
    state = descent.init(packed)

    def run() -> float:
        nonlocal packed, state
        value, packed, state = compiled(packed, state, images, labels)
        return float(value)

    return run


def jax_step(case: str, size: int) -> Step:
    """Return a step of JAX, with donated parameters."""
    import jax
    import jax.numpy as jnp

    if case == "grad":
        # Building the derivative as a graph, as lazyarr does: nothing is compiled.
        return lambda: jax.make_jaxpr(jax.grad(lambda x: chain(x, jnp.sin).sum()))(np.ones(10_000))
    layers, images, labels = data(size)

    def loss(layers: Any, images: Any, labels: Any) -> Any:
        x = images
        for weight, bias in layers[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        logits = x @ layers[-1][0] + layers[-1][1]
        return -jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels].mean()

    def step(layers: Any, images: Any, labels: Any) -> Any:
        value, slopes = jax.value_and_grad(loss)(layers, images, labels)
        return value, jax.tree.map(lambda p, g: p - RATE * g, layers, slopes)

    compiled = jax.jit(step, donate_argnums=0)
    parameters = jax.tree.map(jnp.asarray, layers)

    def run() -> float:
        nonlocal parameters
        value, parameters = compiled(parameters, images, labels)
        return float(value)

    return run


def torch_step(case: str, size: int) -> Step:
    """Return a step of PyTorch, eager, with its own optimiser."""
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    if case == "grad":
        start = torch.ones(10_000, dtype=torch.float64, requires_grad=True)
        return lambda: torch.autograd.grad(chain(start, torch.sin).sum(), start)
    layers, images, labels = data(size)
    parameters = [torch.tensor(x, requires_grad=True) for layer in layers for x in layer]
    optimizer = torch.optim.SGD(parameters, lr=RATE)
    x, y = torch.tensor(images), torch.tensor(labels)

    def run() -> float:
        optimizer.zero_grad()
        hidden = x
        for k in range(0, len(parameters) - 2, 2):
            hidden = torch.relu(hidden @ parameters[k] + parameters[k + 1])
        value = torch.nn.functional.cross_entropy(hidden @ parameters[-2] + parameters[-1], y)
        value.backward()
        optimizer.step()
        return float(value)

    return run


def chain(x: Any, sine: Callable[[Any], Any]) -> Any:
    """Return a chain of elementwise operations of an array."""
    for _ in range(CHAIN // 2):
        x = sine(x) * 1.5
    return x


STEPS = {"lazyarr": lazyarr_step, "jax": jax_step, "torch": torch_step}


def measure(peer: str, case: str, seconds: float) -> dict[str, Any]:
    """Return the times of one peer's steps, in seconds.

    Parameters
    ----------
    peer : str
        One of the libraries.
    case : str
        What to run: a name and a size.
    seconds : float
        How long to go on.
    """
    name, size = case.split()
    begun = time.perf_counter()
    step = STEPS[peer](name, int(size))
    prepared = time.perf_counter()
    value = step()
    first = time.perf_counter() - prepared
    times: list[float] = []
    while time.perf_counter() - begun < seconds or len(times) < 5:
        started = time.perf_counter()
        value = step()
        times.append(time.perf_counter() - started)
    loss = value if isinstance(value, float) else None
    return {"first": first, "times": times, "loss": loss}


def table(rows: dict[tuple[str, str], list[dict[str, Any]]], peers: list[str]) -> str:
    """Return the results as a table: the fastest step, the median, and the fastest first step."""
    lines = ["| case | " + " | ".join(peers) + " |", "|---" * (len(peers) + 1) + "|"]
    for case in dict.fromkeys(case for case, _ in rows):
        cells = []
        for peer in peers:
            runs = rows[case, peer]
            times = sorted(t for run in runs for t in run["times"])
            first = min(run["first"] for run in runs)
            cells.append(
                f"{times[0] * 1e3:.2f} ms (median {times[len(times) // 2] * 1e3:.2f}, "
                f"first {first * 1e3:.0f})"
            )
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=PEERS)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(*chosen.one, chosen.seconds)))
        return
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=str(chosen.threads),
        OPENBLAS_NUM_THREADS=str(chosen.threads),
        LAZYARR_THREADS=str(chosen.threads),
    )
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for _ in range(chosen.rounds):
        for case in chosen.cases:
            for peer in chosen.peers:
                command = [chosen.python, "-m", "benchmarks.training", "--one", peer, case]
                command += ["--seconds", str(chosen.seconds)]
                run = subprocess.run(command, env=environment, capture_output=True, text=True)
                if run.returncode:
                    sys.exit(f"{peer}, {case}: {run.stderr[-2000:]}")
                rows.setdefault((case, peer), []).append(json.loads(run.stdout.splitlines()[-1]))
    print(table(rows, chosen.peers))


if __name__ == "__main__":
    main()
