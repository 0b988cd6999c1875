"""Library steps against NumPy, with NVIDIA's libraries emulated on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from lazyarr import pipeline
from lazyarr.errors import DeviceError
from lazyarr.runtime import cuda
from tests.support import library_calls
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.library_calls import Case

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    made = EmulatedDevice()
    monkeypatch.setattr(cuda, "_devices", [made])
    pipeline.PLANS.clear()
    with la.config(device="cuda"):
        yield made
    pipeline.PLANS.clear()


CASES = [
    pytest.param(case, dtype, id=f"{case.name}-{dtype}")
    for case in library_calls.CASES
    for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "dtype"), CASES)
def test_agrees_with_numpy(case: Case, dtype: str) -> None:
    lazy = case.function(la, *(la.asarray(a) for a in case.arrays(np.random.default_rng(0), dtype)))
    steps = la.explain(*lazy if isinstance(lazy, tuple) else (lazy,)).fallbacks
    steps = tuple(step for step in steps if step.when == "evaluated")
    assert all("no kernel code" in step.reason for step in steps), steps
    library_calls.check(case, dtype, la)


REPEATED = [case for case in library_calls.CASES if case not in library_calls.SOLVERS]


@pytest.mark.parametrize("case", REPEATED, ids=str)
def test_repeated_runs_agree(case: Case, device: EmulatedDevice) -> None:
    """From the third run on, what was queued is queued again as one graph."""
    dtype = case.dtypes[-1]
    arrays = case.arrays(np.random.default_rng(0), dtype)
    expected = case.function(np, *arrays)
    held = [la.asarray(a, device="cuda") for a in arrays]
    lazy = case.function(la, *held)
    if isinstance(lazy, tuple) or np.asarray(expected).dtype.kind == "c":
        return
    lazy = lazy * 1
    for _ in range(8):
        found = la.persist(lazy).compute()
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    if not la.explain(lazy).fallbacks and lazy.size:
        assert device.replays


def test_what_no_graph_can_hold_runs_anyway(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def refuse(queue: object) -> None:
        tries.append(1)
        raise DeviceError("this work cannot be part of a graph")

    monkeypatch.setattr(device.main, "capture", refuse)
    host = np.arange(16.0).reshape(4, 4)
    lazy = la.asarray(host, device="cuda") @ la.asarray(host.T, device="cuda")
    for _ in range(8):
        np.testing.assert_array_equal(la.persist(lazy).compute(), host @ host.T)
    assert len(tries) == 1
