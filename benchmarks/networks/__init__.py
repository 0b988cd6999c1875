"""Steps of training in each library, of the same nets on the same data.

A case is a name and a size. ``STEPS[peer](name, size, device)`` returns a function without
arguments that takes one step and waits for its end; it returns the loss where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["CASES", "PEERS", "Step", "may_round", "step_of"]

Step = Callable[[], Any]
#: NumPy has those cases alone whose derivatives are written down.
PEERS = ("lazyarr", "jax", "torch", "torch-compiled", "numpy")
#: By name: sizes that are measured on a processor, and on a GPU. A size is a batch, a number of
#: parameters, of tokens, of rows, of nodes, of points along an axis, or of samples.
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "mlp": ((32, 1000, 8192), (32, 1000, 8192)),
    "cnn": ((64,), (256,)),
    "resnet": ((32,), (256,)),
    "lstm": ((32,), (256,)),
    "attention": ((1024,), (4096,)),
    "layer_norm": ((4096,), (65536,)),
    "adam": ((10_000_000,), (100_000_000,)),
    "grad": ((1000,), (1000,)),
    "stencil": ((1000,), (8000,)),
    "filter": ((1_000_000,), (64_000_000,)),
}


def may_round() -> bool:
    """Return whether factors of float32 may be rounded to TF32 on a GPU."""
    return os.environ.get("BENCHMARK_PRECISION") == "tf32"


def step_of(peer: str, name: str, size: int, device: str) -> Step:
    """Return a step of a case in one library.

    Parameters
    ----------
    peer : str
        One of :data:`PEERS`.
    name : str
        One of :data:`CASES`.
    size : int
        Of the case.
    device : str
        "cpu" or "cuda".
    """
    library, _, how = peer.partition("-")
    module = import_module(f"benchmarks.networks.{library}_steps")
    step: Step = module.step(name, size, device, how == "compiled")
    return step
