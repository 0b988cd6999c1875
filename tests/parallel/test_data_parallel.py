"""Steps that several devices take together, with CPU workers in their place."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn, optim, parallel
from lazyarr.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    IndexingError,
    NonFiniteError,
    ShapeError,
)

ADAM = optim.adam(0.01)


def net() -> Any:
    random = np.random.default_rng(0)
    first, last = (random.standard_normal(s).astype(np.float32) / 4 for s in ((20, 32), (32, 5)))
    return {"w": (first, last), "b": (np.zeros(32, np.float32), np.zeros(5, np.float32))}


def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
    (first, last), (one, two) = parameters["w"], parameters["b"]
    return nn.cross_entropy(nn.linear(nn.relu(nn.linear(x, first, one)), last, two), labels)


def step(parameters: Any, state: Any, x: Any, labels: Any) -> Any:
    loss, gradients = la.value_and_grad(loss_of)(parameters, x, labels)
    loss, gradients = parallel.mean((loss, gradients))
    return loss, *ADAM.update(gradients, state, parameters)


def batches(count: int) -> Any:
    random = np.random.default_rng(1)
    return [
        (random.standard_normal((24, 20)).astype(np.float32), random.integers(0, 5, 24))
        for _ in range(count)
    ]


def trained(call: Any, count: int = 12) -> tuple[list[float], bytes]:
    parameters = net()
    state = ADAM.init(parameters)
    losses = []
    for x, labels in batches(count):
        loss, parameters, state = call(parameters, state, x, labels)
        losses.append(float(loss))
    return losses, b"".join(x.tobytes() for x in (*parameters["w"], *parameters["b"]))


@pytest.mark.parametrize("devices", [1, 2, 3, ["cpu"] * 4])
def test_losses_are_those_of_one_device_with_the_whole_batch(devices):
    alone, _ = trained(la.jit(step))
    together = parallel.data_parallel(step, devices=devices, batch=(2, "labels"))
    losses, parameters = trained(together)
    np.testing.assert_allclose(losses, alone, rtol=1e-5)
    again = parallel.data_parallel(la.jit(step), devices=devices, batch=("x", 3))
    assert trained(again) == (losses, parameters)


def test_a_mean_is_that_of_all_devices_in_their_order():
    values = np.random.default_rng(0).standard_normal((3, 7))

    def function(x: Any) -> Any:
        return parallel.mean({"half": (x[0] / 3).astype(np.float16), "whole": [x[0], x[0, 0]]})

    result = parallel.data_parallel(function, devices=3, batch=0)(values)
    expected = ((values[0] + values[1]) + values[2]) / 3
    assert result["whole"][0].tobytes() == expected.tobytes()
    assert result["whole"][1] == expected[0]
    assert result["half"].dtype == np.float16
    np.testing.assert_allclose(result["half"], expected / 3, rtol=2e-3)


def test_outside_of_a_step_there_is_one_device():
    x = np.arange(5000.0)
    np.testing.assert_array_equal(la.jit(parallel.mean)(x), x)
    with pytest.raises(DTypeError):
        parallel.mean(np.arange(3))


def test_many_arrays_are_averaged_together():
    arrays = [la.zeros((50, 50), dtype=d) for d in ("float32", "float64") * 6]
    results = parallel.mean(arrays)
    blocks = {x._node for x in results}
    assert len(blocks) == 12
    with la.profile() as run:
        la.evaluate(*[x + 1 for x in parallel.mean([2 * la.asarray(np.ones(5000))] * 3)])
    names = [record.name for record in run.runs[0].steps]
    assert sum("all_mean" in name for name in names) == 1


def test_a_device_that_fails_is_an_error_and_no_hang():
    together = parallel.data_parallel(step, devices=3, batch=(2, 3))
    parameters = net()
    ((x, labels),) = batches(1)
    labels[17] = 5  # of the last device
    with pytest.raises(IndexingError, match="5"):
        together(parameters, ADAM.init(parameters), x, labels)
    labels[17] = 0
    together(parameters, ADAM.init(parameters), x, labels)  # and works again
    x[0] = np.nan
    with la.config(debug="nan"), pytest.raises(NonFiniteError):
        together(parameters, ADAM.init(parameters), x, labels)


def test_devices_that_go_different_ways_are_an_error_and_no_hang():
    here = threading.local()
    counter = iter(range(100))

    class Step:
        def __call__(self, x: Any) -> Any:
            here.count = next(counter)
            value = parallel.mean(x * 2)
            return parallel.mean(np.sin(value)) if here.count else value

    function = Step()
    # Not jitted alike: each device traces its own function.
    together = parallel.data_parallel(lambda x: x, devices=2, batch=0)
    together._step = lambda x: la.jit(lambda x: function(x))(x)  # type: ignore[assignment]
    with pytest.raises(ArgumentError, match="different numbers of times"):
        together(np.ones((4, 5000)))


def test_gradients_that_nobody_averages_are_noticed():
    together = parallel.data_parallel(lambda w, x: w - x.sum(axis=0), devices=2, batch=1)
    with pytest.raises(ArgumentError, match="different results"):
        together(np.zeros(3), np.arange(12.0).reshape(4, 3))


def test_what_cannot_be_divided_or_is_missing_is_refused():
    with pytest.raises(ShapeError, match=r"\(5, 2\) cannot be divided among 2"):
        parallel.data_parallel(np.sin, devices=2, batch=0)(np.ones((5, 2)))
    with pytest.raises(DeviceError, match="cuda:1"):
        parallel.data_parallel(step, devices=["cpu", "cuda:1"], batch=2)
    with pytest.raises(ArgumentError, match="needs at least one device"):
        parallel.data_parallel(step, devices=0, batch=2)
    with pytest.raises(ArgumentError, match="batch has 'z'"):
        parallel.data_parallel(step, devices=1, batch="z")
