"""Steps of training on an emulated GPU after the first ones: each is one launch of a graph."""

from __future__ import annotations

import ctypes
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, optim
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import IndexingError
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

#: Steps until memory has settled and graphs are recorded.
WARM = 12
#: Packages that a step may enter.
STEADY = {"function_transforms", "execution", "runtime", "core", "tracing", "arrays", "graph"}
OPTIMISERS = {
    "sgd": lambda: optim.sgd(0.1),
    "adam": lambda: optim.adam(0.01),
    "scheduled": lambda: optim.sgd(optim.cosine(0.1, 100), momentum=0.9),
}


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


def some(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 0.3


class Training:
    """A perceptron that is trained step by step.

    Parameters
    ----------
    device : EmulatedDevice
        Where.
    optimiser : str
        One of ``OPTIMISERS``.
    where : str
        Where batches are: "device" or "host".
    """

    def __init__(self, device: EmulatedDevice, optimiser: str, where: str = "device") -> None:
        self.device = device
        descent = OPTIMISERS[optimiser]()

        def loss(p: Any, x: Any, labels: Any) -> Any:
            hidden = nn.relu(nn.linear(x, p["w"], p["b"]))
            return nn.cross_entropy(nn.linear(hidden, p["out"], None), labels)

        def step(packed: Any, state: Any, x: Any, labels: Any) -> Any:
            value, slopes = la.value_and_grad(loss)(packed.unpack(), x, labels)
            return value, *descent.update(slopes, state, packed)

        self.compiled = la.jit(step, donate=(0, 1))
        self.plain = la.jit(step)
        self.packed = optim.pack({"w": some(6, 8), "b": some(8), "out": some(8, 4)})
        self.state = descent.init(self.packed)
        self.batch: tuple[Any, Any] = some(5, 6), np.arange(5) % 4
        if where == "device":
            x, labels = self.batch
            self.batch = la.asarray(x, device="cuda"), la.asarray(labels, device="cuda")

    def run(self, steps: int) -> float:
        """Take steps, each of which is waited for, and return the last loss."""
        result = np.inf
        for _ in range(steps):
            value, self.packed, self.state = self.compiled.persist(
                self.packed, self.state, *self.batch
            )
            result = float(value)
        return result

    def counts(self) -> dict[str, int]:
        """Return the counts of what was done so far."""
        device, plans = self.device, la.cache.info().plans
        return {
            "graphs": device.replays,
            "other work": device.driver.queued_singly,
            "allocations": device.memory.info().allocations,
            "held": device.memory.info().held,
            "uploaded": device.uploaded,
            "downloaded": device.downloaded,
            "kernels": len(device.kernels.functions),
            "plans": plans.plans,
            "planned": self.compiled.cache_info().planned,
        }

    def growth(self, steps: int) -> dict[str, int]:
        """Return by how much each count grows over some steps."""
        before = self.counts()
        self.run(steps)
        return {name: count - before[name] for name, count in self.counts().items()}


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_a_step_is_one_launch(device: EmulatedDevice, optimiser: str) -> None:
    training = Training(device, optimiser)
    first = training.run(WARM)
    for steps in (10, 1_000 if optimiser == "sgd" else 100):
        # The loss comes to the host: 4 bytes.
        expected = {"graphs": steps, "other work": steps, "downloaded": 4 * steps}
        growth = training.growth(steps)
        assert growth == dict.fromkeys(growth, 0) | expected
    assert training.run(1) < first


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_batches_of_the_host_are_copied_to_the_same_memory(
    device: EmulatedDevice, optimiser: str
) -> None:
    training = Training(device, optimiser, where="host")
    training.run(WARM)
    nbytes = sum(part.nbytes for part in training.batch)
    for steps in (10, 100):
        expected = {
            "graphs": steps,
            "other work": 3 * steps,  # images, labels and the loss
            "uploaded": nbytes * steps,
            "downloaded": 4 * steps,
        }
        growth = training.growth(steps)
        assert growth == dict.fromkeys(growth, 0) | expected


def test_batches_that_change_are_those_that_are_learned(device: EmulatedDevice) -> None:
    """The same losses and parameters as without graphs, from batches of the host."""
    random = np.random.default_rng(1)
    batches = [
        (random.standard_normal((5, 6)).astype(np.float32), random.integers(0, 4, 5))
        for _ in range(3 * WARM)
    ]
    training = Training(device, "adam", where="host")
    other = Training(device, "adam", where="host")
    packed, state = other.packed, other.state
    for k, batch in enumerate(batches):
        training.batch = batch
        value = training.run(1)
        expected, packed, state = training.plain(packed, state, *batch)  # by the host's memory
        assert value == expected, k
    assert device.replays
    for ours, theirs in zip(training.packed.buffers, packed.buffers, strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))


def test_a_step_of_a_convolutional_net_is_one_launch(device: EmulatedDevice) -> None:
    """Windows are copied by kernels, and multiplied by cuBLAS."""
    descent = optim.sgd(0.1)

    def loss(p: Any, x: Any, labels: Any) -> Any:
        y = nn.max_pool2d(nn.relu(nn.conv2d(x, p["filters"], padding="same")), 2)
        return nn.cross_entropy(nn.linear(y.reshape(x.shape[0], -1), p["out"], None), labels)

    def step(packed: Any, state: Any, x: Any, labels: Any) -> Any:
        value, slopes = la.value_and_grad(loss)(packed.unpack(), x, labels)
        return value, *descent.update(slopes, state, packed)

    training = Training(device, "sgd")
    training.compiled = la.jit(step, donate=(0, 1))
    training.packed = optim.pack({"filters": some(2, 1, 3, 3), "out": some(18, 4)})
    training.state = descent.init(training.packed)
    x, labels = some(3, 1, 6, 6), np.arange(3)
    training.batch = la.asarray(x, device="cuda"), la.asarray(labels, device="cuda")
    first = training.run(WARM)
    growth = training.growth(20)
    assert growth == dict.fromkeys(growth, 0) | {"graphs": 20, "other work": 20, "downloaded": 80}
    assert training.run(1) < first


def test_losses_that_are_kept_are_not_overwritten(device: EmulatedDevice) -> None:
    training = Training(device, "sgd")
    kept, values = [], []
    for _ in range(2 * WARM):
        value, training.packed, training.state = training.compiled.persist(
            training.packed, training.state, *training.batch
        )
        kept.append(value)
        values.append(float(np.array(value)))
    assert [float(value.compute()) for value in kept] == values
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("where", ["device", "host"])
def test_labels_out_of_range_are_errors_of_the_step_that_reads_them(
    device: EmulatedDevice, where: str
) -> None:
    training = Training(device, "sgd", where)
    wrong = np.array([0, 1, 4, 2, 3])
    x, labels = training.batch
    for round_ in range(2 * WARM):
        loss = training.run(1)
        if round_ % 3:
            continue
        if where == "host":
            training.batch = x, wrong
        else:  # written in place, as another library does
            right = np.array(labels.compute())
            device.synchronize()
            address = labels._node.attr.device_array.address
            _write(address, wrong)
        packed, state = training.packed, training.state
        with pytest.raises(IndexingError, match="index 4 is out of bounds for axis 0 with size 4"):
            training.run(1)
        assert (training.packed, training.state) == (packed, state)
        if where == "host":
            training.batch = x, labels
        else:
            _write(address, right)
    assert training.run(1) < loss
    assert device.replays


def _write(address: int, values: Any) -> None:
    """Write to the memory of the emulated device."""
    ctypes.memmove(address, values.ctypes.data, values.nbytes)


def test_no_stage_of_the_compiler_is_entered(device: EmulatedDevice) -> None:
    training = Training(device, "sgd")
    training.run(WARM)
    entered: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("lazyarr."):
            entered[module.split(".")[1]] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        training.run(4)
    finally:
        sys.setprofile(before)
    assert {"function_transforms", "execution"} <= set(entered) <= STEADY, entered
    assert entered.total() < 4 * 150, entered
