"""Refusals of runs on an emulated GPU: indices out of bounds, plans beyond a bound on memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import MemoryLimitError
from lazyarr.runtime.cuda import driver, tuning
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture
def prompt(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    """A device whose plans have their launches ready after one run."""
    use_row(monkeypatch, tuning, runs_before_ready=1)
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


def test_an_index_out_of_bounds_is_an_error_of_who_reads_the_result(
    prompt: EmulatedDevice,
) -> None:
    host = np.random.default_rng(0).random((9, 8))
    x = la.asarray(host, device="cuda")
    inside, outside = np.array([0, -9, 8]), np.array([3, 9, 2])
    good, bad = (la.asarray(index, device="cuda") for index in (inside, outside))
    jitted = la.jit(lambda values, index: values[index] * 2)
    for k in range(6):
        np.testing.assert_array_equal(jitted.persist(x, good), host[inside] * 2)
        if k % 2:
            with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 9"):
                jitted.persist(x, bad).compute()
    before = prompt.ready_launches.launches + prompt.replays
    jitted.persist(x, good)
    # Queued at once: as a chain of launches, or as a graph.
    assert prompt.ready_launches.launches + prompt.replays == before + 1


def test_what_the_host_has_left_is_no_bound_on_a_plan_for_a_gpu(
    prompt: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "memory_bound", lambda settings, peak: 1)
    host = np.random.default_rng(0).random((9, 8))
    x = la.asarray(host)
    np.testing.assert_array_equal(la.persist(x * 2), host * 2)
    with (
        la.config(max_memory=1),
        pytest.raises(MemoryLimitError, match="cannot be computed in tiles"),
    ):
        la.persist(x * 3)


def test_eigenvalues_of_real_matrices_are_refused_by_the_library_itself(
    prompt: EmulatedDevice,
) -> None:
    host = np.eye(3) + np.arange(9.0).reshape(3, 3)
    values = la.linalg.eigvals(la.asarray(host, device="cuda"))
    np.testing.assert_array_equal(values, np.linalg.eigvals(host))
    (fallback,) = la.explain(values).fallbacks
    assert "eigenvalues of real matrices have rounding errors" in fallback.reason
