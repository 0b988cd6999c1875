"""Sums whose few columns share what is computed for each row: a thread takes all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.device_tilings import ColumnTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda", cache_dir="off", immediate=0):
        yield
    forget_plans()


def _takes_all(value: Any) -> bool:
    """Whether the last kernel of a value is a sum whose threads take all columns."""
    tiling = la.explain(value).kernels[-1].tiling
    return isinstance(tiling, ColumnTiling) and tiling.is_apart


def _points(seed: int) -> tuple[Array, Array, Array, str]:
    """Return random places, others, and a mass of each of these."""
    random = np.random.default_rng([seed, 3])
    dtype = ("f4", "f8")[seed % 2]
    columns = int(random.integers(2, 9))
    rows, others = int(random.integers(2, 40)), int(random.choice([50, 300, 1100, 5000]))
    a, b = (random.standard_normal((n, columns)).astype(dtype) for n in (rows, others))
    return a, b, random.random(others).astype(dtype), dtype


@pytest.mark.parametrize("seed", range(16))
def test_forces_have_the_bits_of_stored_terms(seed: int) -> None:
    a, b, masses, dtype = _points(seed)
    between = la.asarray(b)[None] - la.asarray(a)[:, None]
    # No sum of squares, whose order depends on where it is taken.
    far = la.sqrt(abs(between[..., 0] * between[..., -1]) + 0.5)
    weights = la.asarray(masses) / (far * far * far)
    forces = (between * weights[..., None]).sum(axis=1)
    assert _takes_all(forces)
    apart = b[None] - a[:, None]
    root = np.sqrt(abs(apart[..., 0] * apart[..., -1]) + np.dtype(dtype).type(0.5))
    stored = la.asarray(apart * (masses / (root * root * root))[..., None])
    assert not _takes_all(stored.sum(axis=1))
    assert np.asarray(forces).tobytes() == np.asarray(stored.sum(axis=1)).tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_several_sums_of_weights_in_memory(seed: int) -> None:
    a, b, _, dtype = _points(seed)
    weights = np.random.default_rng(seed).random((len(a), len(b))).astype(dtype)
    between = la.asarray(b)[None] - la.asarray(a)[:, None]
    weighted = between * la.asarray(weights)[..., None]
    total, most = weighted.sum(axis=1), weighted.max(axis=1)
    assert _takes_all(total) and _takes_all(most)
    stored = la.asarray((b[None] - a[:, None]) * weights[..., None])
    for value, expected in zip(
        la.evaluate(total, most), la.evaluate(stored.sum(axis=1), stored.max(axis=1)), strict=True
    ):
        assert np.asarray(value).tobytes() == np.asarray(expected).tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("columns", [2, 3, 4])
def test_squared_distances_are_part_of_the_kernel(dtype: str, columns: int) -> None:
    random = np.random.default_rng(columns)
    places = random.standard_normal((300, columns)).astype(dtype)
    x = la.asarray(places)
    between = x[None] - x[:, None]
    weights = ((between * between).sum(axis=-1) + 0.01) ** -1.5
    forces = (weights[..., None] * between).sum(axis=1)
    (kernel,) = la.explain(forces).kernels
    assert kernel.bytes_written == forces.nbytes
    wide = places.astype("f8")
    apart = wide[None] - wide[:, None]
    expected = ((((apart * apart).sum(axis=-1) + 0.01) ** -1.5)[..., None] * apart).sum(axis=1)
    close = 3e-5 if dtype == "f4" else 1e-12
    np.testing.assert_allclose(np.asarray(forces), expected, rtol=close, atol=close * 100)


def test_short_columns_and_many_columns_are_shared() -> None:
    random = np.random.default_rng(0)
    for rows, columns in ((30, 3), (300, 9)):
        a, b = random.random((20, columns)), random.random((rows, columns))
        between = la.asarray(b)[None] - la.asarray(a)[:, None]
        value = (between / la.sqrt(between[..., :1] + 2)).sum(axis=1)
        assert not _takes_all(value)
        apart = b[None] - a[:, None]
        expected = (apart / np.sqrt(apart[..., :1] + 2)).sum(axis=1)
        np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-12)
