"""Rows at places in no order, on a GPU whose lanes count in another order than theirs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver, tuning
from lazyarr.runtime.cuda.libraries.kernels import bucket_rows, owned_sums, partitioned_sums
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def backwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The GPU, and texts of kernels that have numbers of the test's tuning table."""
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice(warps=-2)])
    modules = (bucket_rows, owned_sums, partitioned_sums)
    values = [value for module in modules for value in vars(module).values()]
    texts = [text for text in values if hasattr(text, "cache_clear")]
    forget_plans()
    for text in texts:
        text.cache_clear()
    with la.config(device="cuda", cache_dir="off"):
        yield
    forget_plans()
    for text in texts:
        text.cache_clear()


@pytest.mark.parametrize("seed", range(12))
def test_lanes_that_count_backwards(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a warp that meet are put in order, whichever lane's addition came first."""
    random = np.random.default_rng([seed, 41])
    use_row(monkeypatch, tuning, places_looked=0, places_alone=0, places_sample=64)
    use_row(monkeypatch, tuning, partition_rows=1, partition_wide=1, partition_many=1)
    use_row(monkeypatch, tuning, partition_tile=256, partition_threads=64, partition_least=1)
    use_row(monkeypatch, tuning, owned_threads=64, owned_each=int(random.choice([1, 4])))
    use_row(monkeypatch, tuning, partition_units=int(random.choice([1, 16])), lists_rows=1)
    rows, count = int(random.integers(2, 5000)), int(random.integers(20, 2000))
    dtype, row = str(random.choice(["f4", "f8"])), [(), (), (3,), (5,)][seed % 4]
    start: Array = (random.random((count, *row)) * 100).astype(dtype)
    values = (random.standard_normal((rows, *row)) * 1e6).astype(dtype)
    places = random.integers(0, count, rows)
    lazy = la.asarray(start) * 1
    np.add.at(lazy, la.asarray(places), la.asarray(values))
    expected = start.copy()
    np.add.at(expected, places, values)
    assert la.evaluate(lazy).tobytes() == expected.tobytes()
