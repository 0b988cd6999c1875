"""Every kernel template against NumPy, its threads emulated on the CPU."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.device_check import check, check_draw, check_rows_divided
from tests.support.expressions import (
    EXPRESSIONS,
    Expression,
    costly_complex_rows,
    costly_rows,
)
from tests.support.random_draws import DRAWS, Draw
from tests.support.tuned import tune

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_agrees_with_numpy(expression: Expression) -> None:
    check(expression)


@pytest.mark.parametrize("columns", [64, 1024, 8192])
def test_rows_divided_by_one_number_are_numpys(columns: int) -> None:
    check_rows_divided(columns)


@pytest.mark.parametrize("draw", DRAWS, ids=str)
def test_draws_are_those_of_the_cpu(draw: Draw) -> None:
    check_draw(draw)


def _standardised(xp: Any, x: Any) -> Any:
    y = x - xp.mean(x, axis=-1, keepdims=True)
    return y / xp.std(y, axis=-1, keepdims=True)


def _distances(xp: Any, x: Any, y: Any) -> Any:
    d = xp.exp(x - y[:, None])
    return d / xp.sum(d, axis=-1, keepdims=True)


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "c8"])
@pytest.mark.parametrize("shape", [(9, 2048), (3, 5, 1024), (40, 1040), (6, 2, 4096)], ids=str)
def test_rows_that_are_fetched_for_later_blocks(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], dtype: str
) -> None:
    tune(monkeypatch, tuning, prefetch_bytes=1)
    name = f"rows ahead {shape} {dtype}"
    check(Expression(name, _standardised, ((shape, dtype),)))
    with la.config(device="cuda"):
        (kernel,) = la.explain(_standardised(la, la.asarray(np.ones(shape, dtype)))).kernels
    assert "prefetch(in0" in kernel.source
    # Halves are added as float32, four neighbours a thread: vectors of 8 bytes, which need no hint.
    assert ("store_passing(" in kernel.source) == (dtype != "f2")


def test_rows_of_two_operands_are_fetched_and_what_they_share_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tune(monkeypatch, tuning, prefetch_bytes=1)
    check(Expression("shared", _distances, (((4, 6, 1024), "f4"), ((4, 1024), "f4"))))
    check(Expression("two", lambda xp, x, y: _standardised(xp, x * y), (((8, 1024), "f4"),) * 2))
    x = la.asarray(np.ones((8, 1024), np.float32))
    (kernel,) = la.explain(_standardised(la, x * la.asarray(np.ones((8, 1024), "f4")))).kernels
    assert kernel.source.count("prefetch(in") == 2


@pytest.mark.parametrize(
    ("dtype", "function"),
    [("f4", costly_rows), ("f8", costly_rows), ("c16", costly_complex_rows)],
)
@pytest.mark.parametrize(
    "shape", [(19, 512), (11, 301), (3, 2048), (2, 2, 2051), (4, 1500), (5, 12288)], ids=str
)
def test_rows_of_costly_code_lie_in_shared_memory(
    device: EmulatedDevice, shape: tuple[int, ...], dtype: str, function: Any
) -> None:
    expression = Expression(f"costly rows {shape} {dtype}", function, ((shape, dtype),))
    check(expression)
    (x,) = expression.arrays()
    result = la.evaluate(function(la, la.asarray(x)))
    (kernel,) = la.explain(function(la, la.asarray(x))).kernels
    forget_plans()
    device.shared_bytes = 4 << 10
    smaller = la.evaluate(function(la, la.asarray(x)))
    assert result.tobytes() == smaller.tobytes()
    # Where there is no room for it in any GPU, it is not there.
    assert ("extern __shared__" in kernel.source) == (shape[-1] < 12288 or dtype == "f4")


@pytest.mark.parametrize("shape", [(16, 64), (64, 248), (300, 1000)], ids=str)
def test_the_best_of_a_part_of_a_matrix_is_found_where_it_is(shape: tuple[int, ...]) -> None:
    whole = np.zeros((shape[0], shape[1] + 8), np.float32)
    part = whole[:, 4:-4]
    for place in np.random.default_rng(0).integers(0, part.size, 6):
        part[...] = 0
        part[divmod(int(place), shape[1])] = 1
        assert int(la.argmax(la.asarray(part))) == place


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i8", "u4", "b1"])
def test_the_first_of_elements_that_are_all_alike_is_the_best(dtype: str, axis: Any) -> None:
    kind = np.dtype(dtype)
    worst: list[Any] = [0, 1]
    if kind.kind == "f":
        worst = [-np.inf, np.inf, np.nan]
    elif kind.kind in "iu":
        worst = [np.iinfo(kind).min, np.iinfo(kind).max]
    for value in worst:
        x = np.full((300, 130), value, kind)
        for name in ("argmax", "argmin"):
            result = getattr(la, name)(la.asarray(x), axis=axis)
            np.testing.assert_array_equal(la.evaluate(result), getattr(np, name)(x, axis=axis))


def test_small_arrays_are_not_fetched_beforehand() -> None:
    (kernel,) = la.explain(_standardised(la, la.asarray(np.ones((9, 2048))))).kernels
    assert "prefetch" not in kernel.source
    assert "passing" not in kernel.source


def test_equal_runs_are_queued_at_once(device: EmulatedDevice) -> None:
    rng = np.random.default_rng(0)
    host = rng.random((30, 40))
    x = la.persist(la.asarray(host))
    expression = (x - x.mean(axis=0)) / x.std(axis=0)
    expected = (host - host.mean(axis=0)) / host.std(axis=0)
    for _ in range(8):
        np.testing.assert_allclose(la.persist(expression)._value("test"), expected, rtol=1e-12)
    assert device.replays
    arrays = [la.persist(expression) for _ in range(4)]  # each in memory of its own
    for value in arrays:
        np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-12)


def test_a_plan_of_one_kernel_is_queued_as_a_graph(device: EmulatedDevice) -> None:
    """Queueing a graph takes the host half the time of queueing a kernel."""
    x = la.asarray(np.arange(20.0), device="cuda")
    expression = x * 2 + 1
    for _ in range(6):
        np.testing.assert_array_equal(np.asarray(la.persist(expression)), np.arange(20.0) * 2 + 1)
    assert device.replays


def test_scalars_are_arguments(device: EmulatedDevice) -> None:
    x = la.persist(la.asarray(np.arange(100.0)))
    before = device.info().compiled
    for factor in (3.5, 4.5, 5.5):
        np.testing.assert_array_equal(la.evaluate(x * factor), np.arange(100.0) * factor)
    assert device.info().compiled == before + 1


def test_arrays_off_a_vector_take_the_other_kernel(device: EmulatedDevice) -> None:
    whole = la.persist(la.asarray(np.arange(101.0, dtype=np.float32)))
    interface = whole.__cuda_array_interface__
    shifted = type(
        "Shifted",
        (),
        {
            "__cuda_array_interface__": interface
            | {"data": (interface["data"][0] + 4, False), "shape": (100,), "strides": None}
        },
    )()
    before = device.info().compiled
    np.testing.assert_array_equal(la.evaluate(la.asarray(shifted) * 2), np.arange(1, 101) * 2.0)
    assert device.info().compiled == before + 2


def test_views_of_host_arrays(device: EmulatedDevice) -> None:
    host = np.arange(600.0).reshape(20, 30)
    for view in (host.T, host[::-1, ::2], host[3:, 4:], np.broadcast_to(host[0], (5, 30))):
        np.testing.assert_array_equal(la.evaluate(la.asarray(view) + 1), view + 1)


def test_out_arrays_are_written(device: EmulatedDevice) -> None:
    out = np.empty(50)
    assert la.evaluate(la.asarray(np.arange(50.0)) * 3, out=out) is out
    np.testing.assert_array_equal(out, np.arange(50.0) * 3)


def test_profile_lists_the_steps(device: EmulatedDevice) -> None:
    x = la.asarray(np.arange(50.0))
    with la.profile() as timings:
        la.evaluate(x * 2)
    assert timings.runs


@pytest.mark.parametrize("seed", range(12))
def test_random_shapes_of_reductions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 60, size=rng.integers(1, 4)))
    axes = tuple(k for k in range(len(shape)) if rng.random() < 0.5) or None
    host = rng.standard_normal(shape)
    x = la.asarray(host)
    for name in ("sum", "max", "var", "argmin"):
        axis = axes[0] if axes and name == "argmin" else None if name == "argmin" else axes
        ours = la.evaluate(getattr(x, name)(axis=axis))
        np.testing.assert_allclose(ours, getattr(host, name)(axis=axis), rtol=1e-11, atol=1e-11)


def test_jitted_functions_keep_their_lines_under_changing_settings(device: EmulatedDevice) -> None:
    shifted = la.jit(lambda x: x.sum() + 1)
    for limit in range(30, 36):
        with la.config(memory_limit=1 << limit):
            assert shifted(np.arange(5.0)) == 11


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("function", [lambda x: x + x, lambda x: x.cumsum()], ids=["map", "scan"])
def test_nothing_is_written_behind_an_odd_length(dtype: str, function: Any) -> None:
    nbytes = 70_001 * np.dtype(dtype).itemsize
    x = la.persist(la.asarray(np.ones(70_001, dtype)) * 1)
    la.cache.clear()  # so that the result lies in fresh memory
    value = la.persist(function(x))
    address = value.__cuda_array_interface__["data"][0]
    assert ctypes.string_at(address + nbytes, 15) == b"\xa5" * 15
    np.testing.assert_array_equal(la.evaluate(value)[-3:], function(np.ones(70_001, dtype))[-3:])


@pytest.mark.parametrize("seed", range(16))
def test_transposes_of_any_lengths(seed: int) -> None:
    """Tiles in equal parts along one axis or both, and squares."""
    random = np.random.default_rng([seed, 23])
    lengths = [int(n) for n in random.choice([2, 3, 17, 31, 32, 35, 38, 45, 64, 70, 100], 3)]
    axes = [(1, 2, 0), (0, 2, 1), (2, 0, 1), (2, 1, 0)][seed % 4]
    dtype = str(random.choice(["f4", "f8", "u1", "c16"]))
    a = (random.standard_normal(lengths) * 9).astype(dtype)
    b = (random.standard_normal(a.transpose(axes).shape) * 9).astype(dtype)
    result = la.evaluate(la.asarray(a).transpose(axes) * 2 + la.asarray(b))
    np.testing.assert_array_equal(result, a.transpose(axes) * 2 + b, strict=True)


@pytest.mark.parametrize("width", [2, 4, 8])
def test_windows_of_positions(width: int) -> None:
    """Neighbours of a vector follow a number that need not be a multiple of their count."""
    windows = np.lib.stride_tricks.sliding_window_view
    expected: Any = windows(np.arange(40), width)
    np.testing.assert_array_equal(np.asarray(windows(la.arange(40), width) + 0), expected)
    spread = la.arange(0, 120, 3)[:, None] + la.arange(width)
    expected = np.arange(0, 120, 3)[:, None] + np.arange(width)
    np.testing.assert_array_equal(np.asarray(spread), expected)
