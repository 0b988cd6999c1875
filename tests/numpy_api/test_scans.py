"""Scans in kernels of every target, against NumPy: its bits on the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning as cpu_tuning
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime import run_log
from tests.support.program_interpreter import run_program
from tests.support.targets import TARGETS, emulate_where_there_is_none
from tests.support.tuned import tune

pytestmark = pytest.mark.each_device

SHAPES = [(1000,), (5001,), (40, 70), (3, 7, 11), (300, 3), (1, 5), (4, 1), (0,), (0, 3), (3, 0)]


@pytest.fixture
def target(target: str, monkeypatch: pytest.MonkeyPatch) -> str:
    if target == "cuda":
        tune(monkeypatch, tuning, scan_column_rows=16, scan_line_rows=2)
    return target


def _check(target: str, function: Any, *arrays: Any) -> None:
    with np.errstate(all="ignore"):
        expected = function(np, *arrays)
    lazy = function(la, *map(la.asarray, arrays))
    runs: list[run_log.RunRecord] = []
    with run_log.listen(runs.append):
        result = la.evaluate(lazy)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    assert runs[-1].planned_peak == runs[-1].measured_peak
    assert not la.explain(lazy).fallbacks
    if target != "cuda" or expected.dtype.kind in "biu":
        np.testing.assert_array_equal(result, expected)
        return
    exact = function(np, *(a.astype(np.result_type(a, np.float64)) for a in arrays))
    scale = float(np.max(np.abs(exact), initial=1.0)) * max(expected.shape, default=1)
    bound = scale * float(np.finfo(expected.dtype).eps)
    assert np.max(np.abs(result - exact), initial=0.0) <= bound


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", "?bBilefdFD")
def test_sums(target: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        x = (rng.standard_normal(shape) * 3).astype(dtype)
        for axis in range(len(shape)):
            _check(target, lambda xp, v, a=axis: xp.cumsum(v, axis=a), x)
            if dtype in "bBil":
                _check(target, lambda xp, v, a=axis: xp.cumprod(v, axis=a), x)


@pytest.mark.parametrize("target", ["cuda"], indirect=True)
@pytest.mark.parametrize("length", [2, 3, 5, 7, 15, 33, 70])
def test_many_short_rows(target: str, length: int) -> None:
    """Several elements a thread of a GPU, where rows are short and many."""
    rng = np.random.default_rng(length)
    for dtype in ("f4", "f8"):
        x = rng.standard_normal((2, 301, length)).astype(dtype)
        _check(target, lambda xp, v: xp.cumsum(2 * v - 1, axis=2) / 2, x)


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", "?bHlefd")
def test_extremes(target: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for shape in ((700,), (13, 40), (90, 5)):
        x = (rng.standard_normal(shape) * 30).astype(dtype)
        if dtype in "efd":
            x.reshape(-1)[[3, 400, 401]] = [np.inf, np.nan, -np.inf]
        for axis in range(len(shape)):
            for ufunc in (np.maximum, np.minimum):
                expected = ufunc.accumulate(x, axis=axis)
                got = la.evaluate(ufunc.accumulate(la.asarray(x), axis=axis))
                np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("target", TARGETS, indirect=True)
def test_what_comes_before_is_fused(target: str) -> None:
    x = np.random.default_rng(0).standard_normal((50, 40))
    for axis in (0, 1):
        _check(target, lambda xp, v, a=axis: xp.cumsum(v * 2 + 1, axis=a) * 3, x)
        _check(target, lambda xp, v, a=axis: xp.cumsum(v.T[::-1] * v.T, axis=a), x)
        _check(target, lambda xp, v, a=axis: xp.cumsum(v - v.max(), axis=a), x)
    report = la.explain(la.cumsum(la.sqrt(abs(la.asarray(x)) + 1), axis=1))
    assert len(report.kernels) == 1
    joined = la.concatenate([la.cumsum(la.asarray(x), axis=1), la.asarray(x)], axis=1)
    np.testing.assert_allclose(
        la.evaluate(joined), np.concatenate([np.cumsum(x, axis=1), x], axis=1), rtol=1e-12
    )


@pytest.mark.parametrize("target", TARGETS, indirect=True)
def test_long(target: str) -> None:
    rng = np.random.default_rng(0)
    _check(target, lambda xp, v: xp.cumsum(v), rng.standard_normal(70_001))
    _check(target, lambda xp, v: xp.cumsum(v), rng.integers(-9, 9, 70_000))
    _check(target, lambda xp, v: xp.cumsum(v[::-1]), rng.integers(-9, 9, 70_001).astype("i4"))
    _check(target, lambda xp, v: xp.cumsum(v, axis=0), rng.integers(-9, 9, (2000, 300)))
    zeros = np.array([-0.0, -0.0, 0.0, -0.0])
    assert np.signbit(la.evaluate(la.cumsum(la.asarray(zeros)))).tolist() == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("target", ["cuda"], indirect=True)
@pytest.mark.parametrize("rows", [1, 3])
def test_pieces_of_rows(target: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and groups of them, by as many blocks and by one block after another."""
    tune(
        monkeypatch,
        tuning,
        scan_elements=4,
        scan_piece_bytes=16,
        scan_piece_warps=2,
        scan_warps=2,
    )
    rng = np.random.default_rng(0)
    for enough in (512, 1):
        tune(monkeypatch, tuning, scan_rows=enough)
        forget_plans()
        for length in (128, 8192, 40_001):
            x = rng.integers(-99, 99, (rows, length))
            _check(target, lambda xp, v: xp.cumsum(v, axis=1), x)
            _check(target, lambda xp, v: xp.cumsum(v[:, ::-1] + 1, axis=1), x.astype("i4"))
            _check(target, lambda xp, v: xp.cumsum(v, axis=1), rng.standard_normal((rows, length)))
            _check(target, lambda xp, v: xp.cumsum(v, axis=1), x + 1j)
            highest = np.maximum.accumulate(la.asarray(x.astype("i1")), axis=1)
            expected = np.maximum.accumulate(x.astype("i1"), axis=1)
            np.testing.assert_array_equal(la.evaluate(highest), expected)


@pytest.mark.host
def test_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    tune(monkeypatch, cpu_tuning, scan_panel=2, scan_chunk=3)
    x = np.random.default_rng(0).standard_normal((4, 5, 3)).astype(np.float32)
    for axis in range(3):
        lazy = la.cumsum(la.asarray(x) + 1, axis=axis) * 2
        (got,), _ = run_program((lazy._node,))
        np.testing.assert_array_equal(got, np.cumsum(x + 1, axis=axis) * 2)


def test_devices_agree_with_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    emulate_where_there_is_none(monkeypatch)
    x = la.asarray(np.random.default_rng(0).standard_normal(9000).astype(np.float32))
    with la.config(device="cuda"):
        forget_plans()
        first, second = la.evaluate(la.cumsum(x)), la.evaluate(la.cumsum(x))
        forget_plans()
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("dtype", ["i8", "f8"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "add.accumulate", "method"])
def test_outputs_without_axes_are_refused(name: str, dtype: str, immediate: int) -> None:
    """NumPy itself reads the length of an axis that such an output has not."""
    with la.config(immediate=immediate):
        x = la.arange(4).astype(dtype)
        function = {"method": lambda v, out: v.cumsum(out=out), "add.accumulate": la.add.accumulate}
        scan = function.get(name) or getattr(la, name)
        for out in (la.zeros((), dtype), np.zeros((), dtype)):
            with pytest.raises(ValueError):
                scan(x, out=out)
            assert out == 0
