"""A function of several kernels on an emulated GPU, and what its plan is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import get_config
from lazyarr.execution.cuda.executor import CudaExecutor
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

__all__ = [
    "KERNELS",
    "Array",
    "close",
    "executable_of",
    "on_gpu",
    "one_by_one",
    "opened",
    "queued",
    "several_kernels",
]

Array = np.ndarray[Any, Any]
#: Of the function below.
KERNELS = 4


def opened(emulated: EmulatedDevice, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


def several_kernels(x: Any, number: float = 1.0) -> Any:
    """Some kernels, with values that are stored on the way."""
    y = x - x.mean(axis=0)
    z = y / y.std(axis=0)
    return z.max() * number + z.T


def close(result: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)


def on_gpu(seed: int, shape: tuple[int, ...] = (9, 8)) -> tuple[Array, Any]:
    host = np.random.default_rng(seed).random(shape)
    return host, la.asarray(host, device="cuda")


def executable_of(*lazy: Any) -> CudaExecutor:
    result: Any = pipeline.prepare(tuple(value._node for value in lazy), get_config())[0]
    return result


def one_by_one(*lazy: Any) -> CudaExecutor:
    """Keep a plan from becoming a graph."""
    result = executable_of(*lazy)
    result.graphs.replayable = False
    return result


def queued(device: EmulatedDevice, function: Callable[[], object]) -> int:
    """Return the number of kernels that a function queues by the driver's own call."""
    before = device.ready_launches.launches
    function()
    return device.ready_launches.launches - before
