"""Steps of training after the first one: nothing is planned, compiled, walked over or allocated."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, optim

#: Packages that a step may enter: calls of jitted functions, their runs, and memory.
STEADY = {"function_transforms", "execution", "runtime", "core", "tracing", "optim", "arrays"}


def perceptron(p: Any, x: Any) -> Any:
    hidden = nn.relu(nn.linear(x.reshape(x.shape[0], -1), p["w"], p["b"]))
    return nn.linear(hidden, p["out"], None)


def convolutional(p: Any, x: Any) -> Any:
    y = nn.max_pool2d(nn.relu(nn.conv2d(x, p["filters"], padding="same")), 2)
    return nn.linear(y.reshape(x.shape[0], -1), p["out"], None)


def some(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 0.1


NETS: dict[str, tuple[Callable[[Any, Any], Any], dict[str, Any]]] = {
    "perceptron": (perceptron, {"w": some(64, 24), "b": some(24), "out": some(24, 10)}),
    "convolutional": (convolutional, {"filters": some(8, 1, 3, 3), "out": some(128, 10)}),
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Nets as small as these wait for other threads longer than they compute."""
    with la.config(threads=1):
        yield


class Training:
    """A net that is trained step by step."""

    def __init__(self, name: str) -> None:
        logits, parameters = NETS[name]
        descent = optim.adam(1e-3)

        def loss(p: Any, x: Any, labels: Any) -> Any:
            return nn.cross_entropy(logits(p, x), labels)

        def step(packed: Any, state: Any, x: Any, labels: Any) -> Any:
            value, slopes = la.value_and_grad(loss)(packed.unpack(), x, labels)
            return value, *descent.update(slopes, state, packed)

        self.compiled = la.jit(step, donate=(0, 1))
        self.packed = optim.pack(parameters)
        self.state = descent.init(self.packed)
        self.batch = some(32, 1, 8, 8), np.arange(32) % 10

    def run(self, steps: int) -> float:
        """Take steps and return the last loss."""
        value: Any = None
        for _ in range(steps):
            value, self.packed, self.state = self.compiled(self.packed, self.state, *self.batch)
        return float(value)


def counts() -> dict[str, int]:
    """Return the counts of kernels, plans and mappings of this process."""
    info = la.cache.info()
    return {
        "compiled": info.kernels.compiled,
        "from disk": info.kernels.disk_hits,
        "plans": info.plans.plans,
        "misses": info.plans.misses,
        "mappings": info.pool.mappings,
        "held": info.pool.held,
    }


def growth(training: Training, steps: int) -> dict[str, int]:
    """Return by how much each count grows over some steps."""
    before = counts()
    training.run(steps)
    after = counts()
    return {name: after[name] - before[name] for name in before}


@pytest.mark.parametrize("name", NETS)
def test_a_thousand_steps_count_as_ten(name: str) -> None:
    training = Training(name)
    first = training.run(2)
    ten, thousand = growth(training, 10), growth(training, 1_000)
    assert ten == thousand == dict.fromkeys(ten, 0)
    assert training.compiled.cache_info().planned == 1
    assert training.run(1) < first


@pytest.mark.parametrize("name", NETS)
def test_pages_that_a_thousand_steps_touch_first(name: str) -> None:
    """A result or an intermediate in fresh memory would be at least one page a step."""
    resource = pytest.importorskip("resource")

    def faults() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)

    training = Training(name)
    training.run(50)
    touched = []
    for _ in range(3):  # a system short of memory takes pages away, and gives them back
        before = faults()
        training.run(1_000)
        touched.append(faults() - before)
        if touched[-1] < 250:
            break
    assert min(touched) < 250


@pytest.mark.parametrize("name", NETS)
def test_no_stage_of_the_compiler_is_entered(name: str) -> None:
    training = Training(name)
    training.run(20)
    entered: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("lazyarr."):
            entered[module.split(".")[1]] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        training.run(3)
    finally:
        sys.setprofile(before)
    assert {"function_transforms"} <= set(entered) <= STEADY, entered


@pytest.mark.parametrize("name", NETS)
def test_the_planned_peak_is_exact(name: str) -> None:
    """What `explain` says of a step is what its runs hold, each of them."""
    training = Training(name)
    training.run(2)
    arguments = (training.packed, training.state, *training.batch)
    report = training.compiled.explain(*arguments)
    with la.profile() as profile:
        training.run(3)
    assert len(profile.runs) == 3
    peaks = {(run.planned_peak, run.measured_peak) for run in profile.runs}
    assert peaks == {(report.peak_bytes, report.peak_bytes)}
    assert 0 < report.peak_bytes < report.eager_bytes
