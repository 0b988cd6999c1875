"""Operands that lie the other way round, read in tiles on every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime import run_log
from tests.support.targets import TARGETS

pytestmark = pytest.mark.parametrize("target", TARGETS, indirect=True)


CASES: dict[str, Callable[..., Any]] = {
    "alone": lambda a, b, c: a.T,
    "added": lambda a, b, c: a + b.T,
    "flipped": lambda a, b, c: a.T[::-1] * b[:, ::-1] + b,
    "both": lambda a, b, c: a.T + (b * 2).T.T,
    "reversed axes": lambda a, b, c: c.transpose(2, 1, 0),
    "inner axes": lambda a, b, c: c.transpose(0, 2, 1) + c.transpose(0, 2, 1) * 2,
    "rotated": lambda a, b, c: c.transpose(1, 2, 0),
    "broadcast": lambda a, b, c: a[:, None, :] + b.T[:, None, :],
    "sliced": lambda a, b, c: a.T[3:, 5:60] + b[:130, :55],
    "two ways": lambda a, b, c: c[:, :, :33].transpose(2, 1, 0) + c[:, :, :33].transpose(1, 2, 0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", "?bhildfeFD")
def test_is_numpys(target: str, name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    shapes = ((70, 133), (133, 70), (17, 33, 70))
    arrays = [(rng.standard_normal(shape) * 9).astype(dtype) for shape in shapes]
    expected = CASES[name](*arrays)
    runs: list[run_log.RunRecord] = []
    with run_log.listen(runs.append):
        result = la.evaluate(CASES[name](*map(la.asarray, arrays)))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    assert runs[-1].planned_peak == runs[-1].measured_peak


@pytest.mark.parametrize("seed", range(12))
def test_any_lengths_and_permutations(target: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 90, 3))
    axes = tuple(int(axis) for axis in rng.permutation(3))
    dtype = np.dtype("?bhildefF"[rng.integers(9)])
    a = (rng.standard_normal(shape) * 9).astype(dtype)
    a = a[:, :: rng.integers(1, 3), rng.integers(0, 3) :]
    b = (rng.standard_normal(a.transpose(axes).shape) * 9).astype(dtype)
    result = la.evaluate(la.asarray(a).transpose(axes) + la.asarray(b))
    np.testing.assert_array_equal(result, a.transpose(axes) + b, strict=True)


def test_tiles_are_used(target: str) -> None:
    a, b = la.asarray(np.ones((70, 133))), la.asarray(np.ones((133, 70)))
    (kernel,) = la.explain(a + b.T).kernels
    assert "tile" in kernel.source or "tmp0" in kernel.source
    (kernel,) = la.explain(a + b.reshape(70, 133)).kernels
    assert "tile" not in kernel.source and "tmp0" not in kernel.source
