"""Integer arrays as indices, in kernels of every target, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime import run_log
from tests.support.targets import TARGETS

pytestmark = pytest.mark.parametrize("target", TARGETS, indirect=True)


def _check(function: Any, *arrays: Any, kernels: int | None = 1) -> None:
    """Compare with NumPy, bit for bit, and check that kernels alone compute it."""
    expected = function(*arrays)
    lazy = function(*map(la.asarray, arrays))
    runs: list[run_log.RunRecord] = []
    with run_log.listen(runs.append):
        result = la.evaluate(lazy)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(result, expected)
    assert runs[-1].planned_peak == runs[-1].measured_peak
    report = la.explain(lazy)
    assert not report.fallbacks
    if kernels is not None:
        assert len(report.kernels) == kernels


RNG = np.random.default_rng(0)
BOX = RNG.standard_normal((7, 9, 5))
I, J, K = RNG.integers(-7, 7, (4, 3)), RNG.integers(0, 9, 3), RNG.integers(-5, 5, 4)  # noqa: E741
KEYS: list[Any] = [
    lambda i, j, k: i,
    lambda i, j, k: (slice(None), j),
    lambda i, j, k: (..., k),
    lambda i, j, k: (i, j),
    lambda i, j, k: (i, slice(None), k[:3]),
    lambda i, j, k: (slice(None), j[:, None], k),
    lambda i, j, k: (2, j),
    lambda i, j, k: (-1, slice(None), k),
    lambda i, j, k: (None, slice(None), j, slice(None, None, -2)),
    lambda i, j, k: (slice(5, 0, -2), j),
    lambda i, j, k: (i, j, k[:3]),
    lambda i, j, k: (j[0] * 0, i[0]),
]


@pytest.mark.parametrize("at", range(len(KEYS)))
def test_keys(target: str, at: int) -> None:
    _check(lambda x, i, j, k: x[KEYS[at](i, j, k)], BOX, I, J, K)
    _check(lambda x, i, j, k: x.T.swapaxes(0, 2)[KEYS[at](i, j, k)] * 2 + 1, BOX, I, J, K)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_dtypes(target: str, dtype: str) -> None:
    x = (RNG.standard_normal(40) * 9).astype(dtype)
    _check(lambda x, i: x[i], x, RNG.integers(-40, 40, (30, 3)))
    if np.dtype(dtype).kind in "iu":
        _check(lambda x, i: x[i], BOX.reshape(-1), np.arange(60).astype(dtype))


def test_fused_on_both_sides(target: str) -> None:
    x, i = RNG.standard_normal(300), RNG.integers(0, 100, (20, 30))
    _check(lambda x, i: np.sqrt(abs(x[i * 2 + 1] - x[i])) * 3, x, i)
    _check(lambda x, i: x[i].max(axis=1), x, i)
    _check(lambda x, i: x[i].max(axis=0), x, i, kernels=None)
    _check(lambda x, i: x[::-2][i[:, 0]], x, i)
    _check(lambda x, i: (x + 1)[i] * 2, x, i, kernels=2)
    _check(lambda x, i: x[i[np.arange(20) % 7, 3]], x, i)


def test_take(target: str) -> None:
    x, i = RNG.standard_normal((6, 8)), RNG.integers(-20, 20, (3, 4))
    for mode in ("wrap", "clip"):
        for axis in (None, 0, 1):
            _check(lambda x, i, m=mode, a=axis: np.take(x, i, axis=a, mode=m), x, i)
    _check(lambda x, i: np.take(x, i), x, i)
    p = RNG.integers(-8, 8, (6, 3))
    _check(lambda x, p: np.take_along_axis(x, p, axis=1), x, p)
    _check(lambda x, p: np.take_along_axis(x, p[:, :1] % 6, axis=0), x, p)
    _check(lambda x, p: np.take_along_axis(x[:1], p, axis=1), x, p)
    _check(lambda x, p: np.take_along_axis(x.T, p.T, axis=0) + 1, x, p)


def test_nothing_is_gathered_from_what_the_kernel_computes(target: str) -> None:
    x = RNG.standard_normal((30, 1))
    _check(lambda x, i: (x * 2)[np.arange(30)[:, None], i] + x * 2, x, np.zeros((30, 1), int),
           kernels=2)  # fmt: skip


def test_from_constants(target: str) -> None:
    i = la.asarray(np.array([0, 3, -1])) + 0
    np.testing.assert_array_equal(la.evaluate(la.full(5, 2.5)[i]), [2.5] * 3)
    np.testing.assert_array_equal(la.evaluate(la.arange(5)[i] * 2), [0, 6, 8])
    assert la.evaluate(la.zeros((0, 3))[:, i[:1]]).shape == (0, 1)


@pytest.mark.parametrize("bad", [6, -7, 10**12, -(2**63), 2**63 - 1])
def test_out_of_bounds(target: str, bad: int) -> None:
    x = la.asarray(np.arange(12.0).reshape(2, 6))
    index = la.asarray(np.array([0, -6, bad, 5])) + 0
    expression = la.sqrt(x[:, index])
    with pytest.raises(IndexError) as caught:
        la.evaluate(expression)
    text = str(caught.value)
    assert f"index {bad} is out of bounds for axis 1 with size 6" in text
    assert "test_gather.py:" in text
    good = la.asarray(np.array([0, -6, 3, 5])) + 0
    np.testing.assert_array_equal(
        la.evaluate(x[:, good]), np.arange(12.0).reshape(2, 6)[:, [0, 0, 3, 5]]
    )


def test_out_of_bounds_of_one_among_several(target: str) -> None:
    x = la.asarray(np.arange(12.0).reshape(2, 6))
    first, second = la.asarray(np.array([0, 1])) + 0, la.asarray(np.array([3, 6])) + 0
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 1 with size 6"):
        la.evaluate(x[first, second].sum())
    with pytest.raises(IndexError, match="index 6 is out of bounds for axis 0 with size 2"):
        la.evaluate(x[second, first].sum())


def test_many_elements(target: str) -> None:
    if target == "cuda":
        pytest.skip("slow under emulation")
    x, i = RNG.standard_normal(1000), RNG.integers(-1000, 1000, 300_000)
    _check(lambda x, i: x[i] + 1, x, i)
    bad = i.copy()
    bad[123_456] = 1000
    with pytest.raises(IndexError, match="index 1000 "):
        la.evaluate(la.asarray(x)[la.asarray(bad)])


@pytest.mark.parametrize("dtype", "fdbe")
def test_rows_side_by_side(target: str, dtype: str) -> None:
    x = (RNG.standard_normal((30, 2, 64)) * 50).astype(dtype)
    i = RNG.integers(-30, 30, 70)
    _check(lambda x, i: x[i], x, i)
    _check(lambda x, i: x[i, 1] * 2, x, i)
    _check(lambda x, i: x[i, i % 2, 3:51] + x[0, 0, 3:51], x, i)
    _check(lambda x, i: x[i, :, 3], x, i)


def test_an_axis_without_elements_is_found_out_at_once(target: str) -> None:
    """Whatever the indices will be, there is nothing that they could choose."""
    x, w = la.asarray(np.zeros((0, 2))), la.asarray(np.array([3])) % 2
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        x[w]
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        x[w, w]
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        x[w] = 1.0
    assert x[:, w].shape == (0, 1)
    assert x[w[:0], w].shape == (0,)
    assert x[w[:0], w].compute().shape == x.compute()[np.zeros(0, int), np.array([1])].shape
