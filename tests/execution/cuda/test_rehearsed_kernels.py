"""Kernels of library steps are compiled with those of the plan, before its first run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import nn
from lazyarr.runtime.cuda.rehearsal import NotRehearsed, Rehearsal
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.gpu_launches import executable_of, opened

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    yield from opened(EmulatedDevice(), monkeypatch)


def convolution(random: np.random.Generator) -> Any:
    size, stride = int(random.integers(5, 9)), int(random.integers(1, 3))
    channels, outputs = random.choice([3, 4, 8], size=2)
    x = on_gpu(random.normal(size=(2, channels, size, size)).astype("f4"))
    w = on_gpu(random.normal(size=(outputs, channels, 3, 3)).astype("f4"))
    return nn.conv2d(x, w, stride=stride, padding=1)


def slopes(random: np.random.Generator) -> Any:
    x = on_gpu(random.normal(size=(2, 4, 6, 6)).astype("f4"))
    w = on_gpu(random.normal(size=(4, 4, 3, 3)).astype("f4"))
    return la.grad(lambda w: (nn.conv2d(x, w, padding=1) ** 2).sum())(w)


def order(random: np.random.Generator) -> Any:
    x = on_gpu(random.normal(size=tuple(random.integers(2, 40, size=2))))
    return la.sort(x + 1, axis=int(random.integers(2)))


def positions(random: np.random.Generator) -> Any:
    return la.argsort(on_gpu(random.normal(size=int(random.integers(2, 700)))) * 2)


def scatter(random: np.random.Generator) -> Any:
    at = random.integers(0, 20, size=50)
    x = on_gpu(random.normal(size=20))
    return la.grad(lambda x: (x[at] ** 2).sum())(x)


def search(random: np.random.Generator) -> Any:
    edges = on_gpu(np.sort(random.normal(size=30)))
    return la.searchsorted(edges, on_gpu(random.normal(size=(4, 9))) * 0.5)


def on_gpu(array: Array) -> la.LazyArray:
    return la.asarray(array, device="cuda")


@pytest.mark.parametrize("build", [convolution, slopes, order, positions, scatter, search])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_first_run_compiles_nothing(
    build: Callable[[np.random.Generator], Any], seed: int, device: EmulatedDevice
) -> None:
    value = build(np.random.default_rng(seed))
    executable_of(value)  # a plan, without a run
    before = set(device.kernels.functions)
    assert before
    result = la.evaluate(value)
    assert set(device.kernels.functions) == before
    with la.config(device="cpu"):
        expected = la.evaluate(build(np.random.default_rng(seed)))
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_a_rehearsal_queues_nothing_and_refuses_what_only_a_device_has() -> None:
    rehearsal = Rehearsal()
    for ask in (
        lambda: rehearsal.libraries,
        lambda: rehearsal.upload(0, np.zeros(3, np.uint8)),
        lambda: rehearsal.download(np.zeros(3, np.uint8), 0),
        rehearsal.synchronize,
        lambda: rehearsal.seconds([]),
    ):
        with pytest.raises(NotRehearsed):
            ask()
    assert rehearsal.sources == {}
    assert rehearsal.pool.allocate(10, 0, None).address == 0
