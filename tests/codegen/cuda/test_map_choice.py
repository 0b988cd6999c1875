"""Elementwise kernels whose lines are no whole vectors: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.device_tilings import GridTiling, RegisterTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    use_row(monkeypatch, tuning, multiprocessors=1, resident_threads=1, tile_idle=1.0)
    forget_plans()
    with la.config(device="cuda", cache_dir="off"):
        yield
    forget_plans()


@pytest.mark.parametrize("seed", range(24))
def test_several_vectors_of_a_thread(seed: int) -> None:
    random = np.random.default_rng([seed, 31])
    dtype = str(random.choice(["f4", "f8", "i4"]))
    shape = (
        int(random.integers(1, 5)),
        int(random.integers(1, 4)),
        int(random.integers(200, 2500)),
    )
    x = (random.random(shape) * 50 + 1).astype(dtype)
    column, row = x[:, :, :1].copy(), x[0, 0].copy()
    a, b, c = map(la.asarray, (x, column, row))
    wide = la.asarray(np.zeros((*shape[:2], shape[2] + 3), dtype)) + 1
    expressions = [
        (a[:, :, 1:] * b - c[1:], x[:, :, 1:] * column - row[1:]),
        (la.maximum(a, b) + c * 2, np.maximum(x, column) + row * 2),
        (wide[:, :, 2:-1] + a * b, 1 + x * column),
        (a[:, :, ::-1] - c, x[:, :, ::-1] - row),
    ]
    lazy, expected = expressions[seed % len(expressions)]
    assert np.array_equal(la.evaluate(lazy), expected)


def test_narrow_lines_have_several_elements_a_thread() -> None:
    x = la.asarray(np.ones((9, 1002), "f4"))[:, 1:]
    (kernel,) = la.explain(x * la.asarray(np.ones((9, 1), "f4"))).kernels
    assert kernel.tiling == GridTiling(1, 256, 256, 1, 4)
    assert "elements, 4 a thread" in str(kernel.tiling)


def test_lines_that_threads_do_not_divide_evenly_have_several_lines_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_row(monkeypatch, tuning, tile_idle=0.125)
    x = la.asarray(np.ones((90, 178), "f4"))[:, 1:]
    (kernel,) = la.explain(x * la.asarray(np.ones((90, 1), "f4"))).kernels
    assert kernel.tiling == GridTiling(1, 256, 64, 4, lines=4)
    assert str(kernel.tiling) == "elements, 4 lines of 64 threads, 4 a thread, a block"


@pytest.mark.parametrize("seed", range(24))
def test_several_lines_of_a_thread(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    use_row(monkeypatch, tuning, tile_idle=0.125)
    random = np.random.default_rng([seed, 45])
    dtype = str(random.choice(["f4", "f8", "i4", "i2"]))
    width = int(random.choice([49, 61, 101, 177, 190]))
    outer = [int(n) for n in random.integers(1, 9, int(random.integers(1, 3)))]
    x = (random.random((int(random.integers(9, 60)), *outer, width)) * 50 + 1).astype(dtype)
    column, row = x[..., :1].copy(), x[0, ..., ::-1].copy()
    a, b, c = map(la.asarray, (x, column, row))
    expressions = [
        (a * b - c, x * column - row),
        (la.maximum(a, b) + a[..., ::-1], np.maximum(x, column) + x[..., ::-1]),
        (a[::-1] + c, x[::-1] + row),
        (2 * a[:, ..., 1:] - b, 2 * x[:, ..., 1:] - column),
    ]
    lazy, expected = expressions[seed % len(expressions)]
    assert np.array_equal(la.evaluate(lazy), expected)


@pytest.mark.parametrize("seed", range(12))
def test_rolled_vectors_have_several_elements_a_thread(seed: int) -> None:
    random = np.random.default_rng([seed, 46])
    x = random.random(2 * int(random.integers(500, 1500)) + 1).astype("f4")
    first, second = int(random.integers(1, 20)), -int(random.integers(1, 20))
    a = la.asarray(x)
    lazy = 2 * la.roll(a, first) + 3 * la.roll(a, second)
    (kernel,) = la.explain(lazy).kernels
    assert kernel.tiling == GridTiling(1, 256, each=4)
    expected = 2 * np.roll(x, first) + 3 * np.roll(x, second)
    assert np.array_equal(la.evaluate(lazy), expected)


@pytest.mark.parametrize("seed", range(24))
def test_several_vectors_of_threads_that_are_counted_through_short_lines(seed: int) -> None:
    random = np.random.default_rng([seed, 32])
    dtype = str(random.choice(["f4", "f8", "i4", "i2"]))
    width = int(random.integers(2, 40))
    x = (random.random((int(random.integers(1, 300)), 3, width)) * 50 + 1).astype(dtype)
    column, row = x[0, :, :1].copy(), x[0, 0].copy()
    rows = random.integers(-len(x), len(x), int(random.integers(1, 400)))
    a, b, c, i = map(la.asarray, (x, column, row, rows))
    expressions = [
        (a * b - c, x * column - row),
        (la.maximum(a, b) + a[:, ::-1], np.maximum(x, column) + x[:, ::-1]),
        (a[i] + c, x[rows] + row),
        (2 * a[:, 1, 1:][i], 2 * x[:, 1, 1:][rows]),
    ]
    lazy, expected = expressions[seed % len(expressions)]
    assert np.array_equal(la.evaluate(lazy), expected)


def test_gathered_rows_of_odd_lengths_have_several_elements_a_thread() -> None:
    x, rows = la.asarray(np.ones((90, 33), "f4")), la.asarray(np.arange(50))
    (kernel,) = la.explain(x[rows] * 2).kernels
    assert kernel.tiling == GridTiling(1, 256, each=4)
    with pytest.raises(IndexError, match="out of bounds"):
        la.evaluate(x[la.asarray(np.arange(50, 100))] * 2)


@pytest.mark.parametrize(
    "shape, order, dtype, pays",
    [
        ((7, 66001), (1, 0), "f8", True),
        ((15, 70000), (1, 0), "f4", True),
        ((2, 3, 22000), (2, 1, 0), "f8", True),
        ((4, 9, 1501, 5), (3, 2, 1, 0), "f8", True),  # lines of five follow one another
        ((6, 20000, 5), (2, 1, 0), "f8", True),
        ((41, 3001, 7), (2, 1, 0), "f4", True),  # eight lines of 41
        ((30000, 4), (1, 0), "f4", False),  # lines of four, eight of which would lie apart
        ((11, 6, 1111), (0, 2, 1), "f4", False),  # too few threads
        ((5, 200, 70), (2, 0, 1), "i4", False),
    ],
)
def test_thin_transposes_are_read_in_whole_sectors(
    shape: tuple[int, ...],
    order: tuple[int, ...],
    dtype: str,
    pays: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_row(monkeypatch, tuning, tile_threads_least=1, multiprocessors=132, resident_threads=2048)
    use_row(monkeypatch, tuning, tile_idle=0.125)
    random = np.random.default_rng(list(shape))
    a = (random.random(shape) * 50).astype(dtype)
    b = (random.random([shape[order.index(k)] for k in range(len(shape))]) * 50).astype(dtype)
    lazy = 2 * la.asarray(b).transpose(order) + la.asarray(a)
    (kernel,) = la.explain(lazy).kernels
    assert isinstance(kernel.tiling, RegisterTiling) == pays
    assert np.array_equal(la.evaluate(lazy), 2 * b.transpose(order) + a)
