"""Rows that threads reduce side by side: which have them, and that their bits are those of rows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda import row_tiles, tuning
from lazyarr.codegen.cuda.row_tiles import choose_height
from lazyarr.codegen.device_tilings import RowTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuned import tune

Array = np.ndarray[Any, Any]

#: What is reduced along the last axis of a column beside a row.
FORMS: dict[str, Callable[..., Any]] = {
    "nearest": lambda xp, a, b: xp.min(xp.abs(a - b), axis=-1),
    "where it is nearest": lambda xp, a, b: xp.argmin(xp.abs(a - b), axis=-1),
    "kernel sums": lambda xp, a, b: xp.sum(xp.exp(-((a - b) ** 2)), axis=-1),
    "how many are below": lambda xp, a, b: xp.sum(b < a, axis=-1),
    "two of one pass": lambda xp, a, b: xp.sum(a * b, axis=-1) - xp.max(a + b, axis=-1),
    "of rows alone too": lambda xp, a, b: xp.mean(xp.sin(a) * b + xp.cos(b), axis=-1) * a[..., 0],
}


@given(
    st.integers(1, 1 << 20),
    st.integers(1, 1 << 20),
    st.integers(1, 100),
    st.integers(0, 40),
    st.integers(1, 1000),
    st.sampled_from([256, 512, 1024]),
)
def test_a_tile_leaves_enough_blocks_and_fits(
    rows: int, blocks: int, registers: int, shared: int, statements: int, threads: int
) -> None:
    row = tuning.row()
    high = choose_height(rows, blocks, registers, shared, statements, threads)
    if high == 1:
        return
    assert high in row.row_tiles and high <= rows
    assert high * registers + shared < min(row.row_tile_registers[0], row.registers // threads)
    assert blocks // high >= row.row_tile_blocks_least


def _tilings(compute: Callable[..., Any], *arrays: Array) -> list[int]:
    with la.config(device="cuda"):
        kernels = la.explain(compute(la, *map(la.asarray, arrays))).kernels
    return [kernel.tiling.high for kernel in kernels if isinstance(kernel.tiling, RowTiling)]


def test_which_reductions_have_tiles() -> None:
    a, b = np.zeros((5000, 1), "f4"), np.zeros(4000, "f4")
    for form in FORMS.values():
        assert _tilings(form, a, b) == [8]

    # Distances of points whose coordinates are added within the kernel.
    def nearest(xp: Any, a: Any, b: Any) -> Any:
        return xp.min(xp.sum((a[:, None] - b) ** 2, axis=-1), axis=-1)

    assert _tilings(nearest, np.zeros((5000, 3), "f4"), np.zeros((4000, 3), "f4")) == [8]
    # A value of each element, rows that are all alike, short rows, and few rows.
    assert _tilings(FORMS["nearest"], np.zeros((5000, 4000), "f4"), b) == [1]
    assert _tilings(lambda xp, b: xp.sum(b[:, None] * b[:5], axis=-1), b) != [8]
    assert _tilings(FORMS["nearest"], a[:300], b) == [1]


def test_the_tiling_is_shown() -> None:
    a, b = np.zeros((5000, 1), "f4"), np.zeros(4000, "f4")
    with la.config(device="cuda"):
        (kernel,) = la.explain(FORMS["nearest"](la, la.asarray(a), la.asarray(b))).kernels
    shown = "8 rows a block, 256 threads a row and 7 more, 4 vectors of 4 a thread, read once"
    assert str(kernel.tiling) == shown


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    tune(monkeypatch, tuning, row_tile_blocks_least=0, row_tile_threads_least=0)
    forget_plans()
    with la.config(device="cuda"):
        yield monkeypatch
    forget_plans()


def _both_ways(
    patch: pytest.MonkeyPatch, compute: Callable[..., Any], *arrays: Array
) -> tuple[Array, Array]:
    """Return the values by rows side by side, and by rows one after another."""
    tiled = np.asarray(la.evaluate(compute(la, *map(la.asarray, arrays))))
    with patch.context() as rows:
        rows.setattr(row_tiles, "lower_row_tiles", lambda *arguments: None)
        forget_plans()
        plain = np.asarray(la.evaluate(compute(la, *map(la.asarray, arrays))))
    forget_plans()
    return tiled, plain


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_those_of_rows(device: pytest.MonkeyPatch, form: str, dtype: str) -> None:
    generator = np.random.default_rng(3)
    for rows, length in ((37, 300), (8, 4500), (5, 140)):
        a = generator.standard_normal((rows, 1)).astype(dtype)
        b = generator.standard_normal(length).astype(dtype)
        assert _tilings(FORMS[form], a, b) == [8 if rows >= 8 else 4]
        tiled, plain = _both_ways(device, FORMS[form], a, b)
        np.testing.assert_array_equal(tiled, plain)
        expected = FORMS[form](np, a, b)
        rounding = 2e-5 if dtype == "f4" else 1e-12
        np.testing.assert_allclose(tiled, expected, rtol=rounding, atol=rounding)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_rows(data: st.DataObject) -> None:
    """Any lengths, batches and layouts of the operands."""
    with pytest.MonkeyPatch.context() as patch, la.config(device="cuda"):
        patch.setattr(driver, "_devices", [EmulatedDevice()])
        draw = data.draw
        high = draw(st.sampled_from([2, 3, 4, 8]), label="rows of a thread")
        tune(patch, tuning, row_tile_blocks_least=0, row_tiles=(high,))
        length = draw(st.integers(64, 2100), label="length")
        rows, batch = draw(st.integers(2, 20)), draw(st.sampled_from([(), (1,), (3,)]))
        generator = np.random.default_rng(length)
        a = generator.standard_normal((*batch, rows, 1))
        b = generator.standard_normal((*draw(st.sampled_from([(), batch and (3, 1)])), length))
        if draw(st.booleans(), label="reversed"):
            b = b[..., ::-1]
        form = draw(st.sampled_from(sorted(FORMS)))
        dtype = draw(st.sampled_from(["f4", "f8", "f2", "i4"]))
        arrays = a.astype(dtype), b.astype(dtype)
        with np.errstate(over="ignore"):
            tiled, plain = _both_ways(patch, FORMS[form], *arrays)
    np.testing.assert_array_equal(tiled, plain)
