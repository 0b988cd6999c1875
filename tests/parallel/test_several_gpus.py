"""Arrays on numbered GPUs, and steps that GPUs take together; emulated, but for the last tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import optim, parallel
from lazyarr.compiler import targets
from lazyarr.core.frozen import replace
from lazyarr.errors import ArgumentError, ConfigError, DeviceError, IndexingError, ShapeError
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.libraries import nccl
from tests.parallel.test_data_parallel import ADAM, batches, loss_of, net, step
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.library_memory import vector
from tests.support.nccl_emulator import Nccl

GPUS = ["cuda:0", "cuda:1"]


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EmulatedDevice]]:
    """Two emulated GPUs."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    devices = [EmulatedDevice(number=number) for number in range(2)]
    monkeypatch.setattr(driver, "_devices", devices)
    monkeypatch.setattr(nccl, "_known", {})
    yield devices
    la.cache.clear()


def trained(
    call: Any, count: int, divide: Any = None, optimizer: optim.Optimizer = ADAM
) -> tuple[list[float], bytes]:
    parameters: Any = net()
    state = optimizer.init(parameters)
    losses = []
    for x, labels in batches(count):
        part = (x, labels) if divide is None else divide(x, labels)
        loss, parameters, state = call(parameters, state, *part)
        losses.append(float(loss))
    return losses, b"".join(np.asarray(x).tobytes() for x in (*parameters["w"], *parameters["b"]))


# -- names and arrays ----------------------------------------------------------------------------


def test_names_of_devices_are_those_of_settings(gpus: list[EmulatedDevice]) -> None:
    with la.config(device="cuda:0") as settings:
        assert settings.device == "cuda"
    with la.config(device="cuda:1") as settings:
        assert settings.device == "cuda:1"
        assert (la.asarray(np.ones(3)) + 1).persist().device == "cuda:1"
    for wrong in ("cuda:", "cuda:01", "cuda:-1", "gpu", "cuda:1.0", "CUDA:1", "cuda:1000"):
        with pytest.raises(ConfigError, match="device must be one of"), la.config(device=wrong):
            pass
        with pytest.raises(ArgumentError, match="no device"):
            la.asarray(np.ones(3), device=wrong)


def test_arrays_move_between_gpus_without_the_host(gpus: list[EmulatedDevice]) -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    x = la.asarray(values, device="cuda:1")
    assert x.device == "cuda:1" and x.__dlpack_device__() == (2, 1)
    expression = x.transpose(2, 0, 1) * 2
    assert expression.device == "cuda:1"
    y = expression.to_device("cuda")
    downloaded = [gpu.downloaded for gpu in gpus]
    assert y.device == "cuda" and gpus[0].peer_bytes == values.nbytes
    assert [gpu.downloaded for gpu in gpus] == downloaded
    np.testing.assert_array_equal(y, values.transpose(2, 0, 1) * 2)
    np.testing.assert_array_equal(la.zeros(3, device="cuda:1"), np.zeros(3))
    strided = x[:, ::2, ::-1].persist().to_device("cuda:0")
    np.testing.assert_array_equal(strided, values[:, ::2, ::-1])
    assert la.asarray(x, device="cuda:1") is x


def test_an_expression_runs_on_the_gpu_of_its_arrays_or_of_the_settings(
    gpus: list[EmulatedDevice],
) -> None:
    x, y = (la.asarray(np.arange(5.0) + k, device=GPUS[k]) for k in range(2))
    with pytest.raises(DeviceError, match=r"one expression has arrays on both 'cuda' and 'cuda:1'"):
        la.evaluate(x + y)
    for number, name in enumerate(GPUS):
        launches = [gpu.launches for gpu in gpus]
        with la.config(device=name):
            np.testing.assert_array_equal(la.evaluate(x * y), np.arange(5.0) * (np.arange(5) + 1))
        changed = [gpu.launches > before for gpu, before in zip(gpus, launches, strict=True)]
        assert changed == [number == 0, number == 1]
    with la.config(device="cpu"):
        np.testing.assert_array_equal(la.evaluate(x - y), -np.ones(5))


def test_memory_of_other_libraries_belongs_to_its_gpu(gpus: list[EmulatedDevice]) -> None:
    x = la.asarray(np.arange(6.0), device="cuda:1")

    class Other:
        """An array of another library."""

        __cuda_array_interface__ = x.__cuda_array_interface__

    other: Any = Other()
    assert la.asarray(other).device == "cuda:1"
    again = la.from_dlpack(x)
    assert again.device == "cuda:1"
    np.testing.assert_array_equal(again, np.arange(6.0))


# -- steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("donate", [(), (0, 1)])
def test_gpus_that_share_a_batch_have_the_losses_of_one(
    gpus: list[EmulatedDevice], donate: tuple[int, ...]
) -> None:
    alone, _ = trained(la.jit(step), 12)
    together = parallel.data_parallel(
        la.jit(step, donate=donate), devices=GPUS, batch=(2, "labels")
    )
    losses, parameters = trained(together, 12)
    np.testing.assert_allclose(losses, alone, rtol=1e-5)
    assert gpus[0].replays and gpus[1].replays  # a launch a step
    again, same = trained(together, 12, together.divide)
    assert (again, same) == (losses, parameters)
    assert len(Nccl.calls) > 0


def test_gpus_keep_their_own_parameters(gpus: list[EmulatedDevice]) -> None:
    with la.config(device="cuda"):
        together = parallel.data_parallel(step, devices=2, batch=(2, 3))
    parameters: Any = {
        name: tuple(la.asarray(x, device="cuda") for x in arrays) for name, arrays in net().items()
    }
    state = ADAM.init(parameters)
    moved = []
    for x, labels in batches(4):
        loss, parameters, state = together(parameters, state, x, labels)
        assert loss.device == "cuda" and parameters["w"][0].device == "cuda"
        moved.append(gpus[1].peer_bytes)
    assert moved[0] > 0 and set(moved) == {moved[0]}  # the first step alone has copied


def test_one_gpu_alone_averages_nothing(gpus: list[EmulatedDevice]) -> None:
    alone = parallel.data_parallel(step, devices=["cuda:1"], batch=(2, 3))
    calls = len(Nccl.calls)
    losses, _ = trained(alone, 3)
    assert losses == pytest.approx(trained(la.jit(step), 3)[0], rel=1e-5)
    assert len(Nccl.calls) == calls and not gpus[0].launches


def test_means_of_all_dtypes(gpus: list[EmulatedDevice]) -> None:
    values = np.random.default_rng(3).standard_normal((2, 9))

    def function(x: Any) -> Any:
        parts = {str(d): (x * 3).astype(d) for d in (np.float16, np.float32, np.float64)}
        return parallel.mean({**parts, "c": x[0] * (1 + 2j), "empty": x[:, :0]})

    result = parallel.data_parallel(function, devices=GPUS, batch=0)(values)
    mean = (values[:1] * 3 + values[1:] * 3) / 2
    np.testing.assert_allclose(result[str(np.float64)], mean, rtol=1e-15)
    np.testing.assert_allclose(result[str(np.float32)], mean, rtol=1e-6)
    np.testing.assert_allclose(result[str(np.float16)], mean, rtol=4e-3)
    np.testing.assert_allclose(result["c"], (values[0] + values[1]) / 2 * (1 + 2j), rtol=1e-15)
    assert result["empty"].shape == (1, 0)


def test_an_index_out_of_bounds_is_an_error_when_results_are_read(
    gpus: list[EmulatedDevice],
) -> None:
    together = parallel.data_parallel(step, devices=GPUS, batch=(2, 3))
    trained(together, 8)
    ((x, labels),) = batches(1)
    for place in (3, 17):  # of either GPU
        wrong = labels.copy()
        wrong[place] = 5
        with pytest.raises(IndexingError, match="5"):
            loss, *_ = together(net(), ADAM.init(net()), x, wrong)
            float(loss)
    losses, _ = trained(together, 3)
    np.testing.assert_allclose(losses, trained(la.jit(step), 3)[0], rtol=1e-5)


def packed_step(packed: Any, state: Any, x: Any, labels: Any) -> Any:
    loss, gradients = la.value_and_grad(loss_of)(packed.unpack(), x, labels)
    loss, gradients = parallel.mean((loss, gradients))
    return loss, *ADAM.update(gradients, state, packed)


def test_a_replayed_step_reports_its_index_later(gpus: list[EmulatedDevice]) -> None:
    together = parallel.data_parallel(
        la.jit(packed_step, donate=(0, 1)), devices=GPUS, batch=(2, 3)
    )
    packed = optim.pack(net())
    state = ADAM.init(packed)
    batch = together.divide(*batches(1)[0])
    labels = batch[1].parts[1]._on_device()  # those of the second GPU
    memory = vector(labels.address, labels.shape[0], labels.dtype)

    def take(count: int = 1) -> Any:
        nonlocal packed, state
        for _ in range(count):
            loss, packed, state = together(packed, state, *batch)
        return loss

    take(20)
    right, replays = int(memory[3]), [gpu.replays for gpu in gpus]
    memory[3] = 7
    loss = take()  # which the host does not wait for
    assert [gpu.replays for gpu in gpus] == [count + 1 for count in replays]
    with pytest.raises(IndexingError, match="7"):
        float(loss)
    memory[3] = right
    assert np.isfinite(float(take(20)))
    memory[3] = 7
    take()
    memory[3] = right
    with pytest.raises(IndexingError, match="7"):  # though nobody reads the results
        take(2)
    take(4)


def test_a_gpu_that_fails_is_an_error_and_no_hang(
    gpus: list[EmulatedDevice], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = parallel.data_parallel(step, devices=GPUS, batch=(2, 3))
    expected, _ = trained(together, 8)
    aborts = Nccl.aborts
    with monkeypatch.context() as patch:

        def fail(*_: Any) -> None:
            raise DeviceError("the driver failed: an illegal address")

        patch.setattr(gpus[1].main, "upload", fail)
        with pytest.raises(DeviceError, match="illegal address"):
            trained(together, 1)
    assert Nccl.aborts == aborts + 2
    assert trained(together, 8)[0] == expected  # connected anew


def test_what_gpus_cannot_do_together_is_refused(
    gpus: list[EmulatedDevice], monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in (["cuda", "cuda:0"], ["cpu", "cuda:1"]):
        with pytest.raises(DeviceError, match="cannot use the devices"):
            parallel.data_parallel(step, devices=names, batch=2)
    with pytest.raises(DeviceError, match="does not support device 'tpu'"):
        parallel.data_parallel(step, devices=["tpu"], batch=2)
    with pytest.raises(ArgumentError, match="cannot be donated"):
        parallel.data_parallel(la.jit(step, donate=(0, 1)), devices=2, batch=2)
    one = parallel.data_parallel(step, devices=GPUS, batch=(2, 3))
    other = parallel.data_parallel(step, devices=GPUS, batch=(2, 3))
    ((x, labels),) = batches(1)
    with pytest.raises(ArgumentError, match="divided for other devices"):
        one(net(), ADAM.init(net()), *other.divide(x, labels))
    with pytest.raises(ShapeError, match="cannot be divided among 2"):
        one.divide(x[:5])

    def missing(name: str) -> Any:
        raise ImportError(f"no {name}")

    monkeypatch.setattr(gpus[0].main.libraries, "_load", missing)
    with pytest.raises(DeviceError, match=r"nccl4py .*\n.*lazyarr\[multi\]"):
        one(net(), ADAM.init(net()), x, labels)


def test_workers_on_the_processors_take_divided_batches() -> None:
    together = parallel.data_parallel(step, devices=2, batch=(2, 3))
    assert trained(together, 3, together.divide) == trained(together, 3)


# -- the exchange beside other steps -------------------------------------------------------------


def deep_step(layers: Any, x: Any) -> Any:
    """A step without products of libraries, which the emulator computes when they are called."""

    def loss_of_layers(layers: Any) -> Any:
        value = x
        for layer in layers:
            value = la.tanh(value * layer + value.mean(axis=1, keepdims=True))
        return (value * value).mean()

    loss, slopes = la.value_and_grad(loss_of_layers)(layers)
    # Each in an exchange of its own, and one of what has to be copied for that.
    slopes = [parallel.mean(slope) for slope in slopes]
    loss = parallel.mean(loss) + parallel.mean(x.T).mean()
    return loss, [w - 0.5 * slope for w, slope in zip(layers, slopes, strict=True)]


def deep_losses(call: Any, is_enough: Callable[[int], bool]) -> tuple[list[float], bytes]:
    """Return losses and the last layers of so many steps that it is enough, or of a hundred."""
    random = np.random.default_rng(5)
    layers: Any = [random.standard_normal(400) for _ in range(5)]
    x, losses = random.standard_normal((8, 400)), []
    while len(losses) < 100 and not is_enough(len(losses)):
        loss, layers = call(layers, x)
        losses.append(float(loss))
    return losses, b"".join(np.asarray(layer).tobytes() for layer in layers)


def deep(donate: tuple[int, ...] = ()) -> Any:
    return parallel.data_parallel(la.jit(deep_step, donate=donate), devices=GPUS, batch=1)


def losses_in_order(gpus: list[EmulatedDevice], count: int) -> tuple[list[float], bytes]:
    """What steps give if exchanges run in order, on devices that do work at once."""
    for gpu in gpus:
        gpu.driver.random = None
    la.cache.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Nccl, "streams", [])
        replaced = replace(targets.CUDA, overlaps_exchanges=False)
        patch.setitem(targets.TARGETS, "cuda", replaced)
        targets.target_named.cache_clear()
        try:
            result = deep_losses(deep(), lambda steps: steps == count)
        finally:
            targets.target_named.cache_clear()
        assert set(Nccl.streams) == {gpus[0].main.handle}
    la.cache.clear()
    return result


@pytest.mark.parametrize("donate", [(), (0,)])
@pytest.mark.parametrize("seed", range(4))
def test_exchanges_beside_other_steps_change_no_bit(
    gpus: list[EmulatedDevice],
    donate: tuple[int, ...],
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streams run late, in any order: what was not waited for would not be there."""
    monkeypatch.setattr(Nccl, "streams", [])
    for number, gpu in enumerate(gpus):
        gpu.driver.random = Random(10 * seed + number)

    def are_replayed(steps: int) -> bool:
        """Whether graphs were replayed: memory has to lie where it lay before, which is chance."""
        return steps >= 14 and all(gpu.replays for gpu in gpus)

    losses, layers = deep_losses(deep(donate), are_replayed)
    assert are_replayed(len(losses))
    assert gpus[0].main.handle not in Nccl.streams
    assert (losses, layers) == losses_in_order(gpus, len(losses))


# -- on GPUs -------------------------------------------------------------------------------------


@pytest.mark.cuda
def test_two_gpus_train_as_one(two_gpus: list[str]) -> None:
    together = parallel.data_parallel(la.jit(step, donate=(0, 1)), devices=two_gpus, batch=(2, 3))
    losses, parameters = trained(together, 60)
    with la.config(device="cuda"):
        alone, _ = trained(la.jit(step), 60)
    np.testing.assert_allclose(losses, alone, rtol=1e-5)
    assert trained(together, 60, together.divide) == (losses, parameters)


@pytest.mark.cuda
def test_gradients_of_two_gpus_are_those_of_the_whole_batch(two_gpus: list[str]) -> None:
    def gradients(parameters: Any, x: Any, labels: Any) -> Any:
        return parallel.mean(la.grad(loss_of)(parameters, x, labels))

    together = parallel.data_parallel(gradients, devices=two_gpus, batch=(1, 2))
    for x, labels in batches(3):
        whole = la.jit(la.grad(loss_of))(net(), x, labels)
        parts = together(net(), x, labels)
        for name in whole:
            for mine, its in zip(whole[name], parts[name], strict=True):
                np.testing.assert_allclose(its, mine, rtol=1e-4, atol=1e-6)


@pytest.mark.cuda
def test_labels_out_of_bounds_on_two_gpus(two_gpus: list[str]) -> None:
    together = parallel.data_parallel(step, devices=two_gpus, batch=(2, 3))
    trained(together, 8)
    ((x, labels),) = batches(1)
    labels[17] = 5
    with pytest.raises(IndexingError, match="5"):
        float(together(net(), ADAM.init(net()), x, labels)[0])
    trained(together, 8)
