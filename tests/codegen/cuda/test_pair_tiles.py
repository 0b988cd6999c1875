"""Tiles of pairs of rows: which reductions have them, and the order in which they add."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda import lower, tuning
from lazyarr.codegen.cuda.pair_tiles import choose_pair_tiling
from lazyarr.codegen.device_tilings import PairTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuned import tune

Array = np.ndarray[Any, Any]

#: What is reduced of each pair of rows, along the last axis.
FORMS: dict[str, Callable[..., Any]] = {
    "squares": lambda xp, a, b: xp.sum((a - b) ** 2, axis=-1),
    "distances": lambda xp, a, b: xp.sqrt(xp.sum((a - b) ** 2, axis=-1)) + a[..., 0],
    "largest": lambda xp, a, b: xp.max(xp.abs(a - b), axis=-1),
    "where it is least": lambda xp, a, b: xp.argmin(a * b, axis=-1),
    "one is below": lambda xp, a, b: xp.any(a < b - 1, axis=-1),
    "mean of products": lambda xp, a, b: xp.mean(xp.minimum(a, b) * 2, axis=-1),
    "a sum and a maximum": lambda xp, a, b: xp.sum(a - b, axis=-1) + xp.max(a + b, axis=-1),
}


@given(
    st.tuples(st.integers(1, 9000), st.integers(1, 9000), st.integers(1, 9)),
    st.integers(1, 64),
    st.integers(1, 1000),
    st.integers(1, 64),
    st.booleans(),
)
def test_a_tile_leaves_enough_threads_and_fits(
    sizes: tuple[int, int, int], state: int, elements: int, length: int, narrow: bool
) -> None:
    row = tuning.row()
    tiling = choose_pair_tiling(sizes, state, (elements, 0.1), (1, length, narrow))
    if tiling is None:
        return
    rows, columns, times = sizes
    pairs = tiling.rows * tiling.columns
    assert pairs * state <= row.pair_registers and pairs * elements <= row.pair_statements
    threads = -(-rows // tiling.rows) * -(-columns // tiling.columns) * times
    assert threads >= row.pair_threads_least
    assert columns >= tiling.columns * tiling.across


def _tiling(compute: Callable[..., Any], *arrays: Array) -> PairTiling | None:
    with la.config(device="cuda"):
        (kernel,) = la.explain(compute(la, *map(la.asarray, arrays))).kernels
    return kernel.tiling if isinstance(kernel.tiling, PairTiling) else None


def _pairs(xp: Any, a: Any, b: Any) -> Any:
    return FORMS["squares"](xp, a[:, None, :], b[None, :, :])


def test_which_reductions_have_tiles() -> None:
    a, b = np.zeros((4096, 18), "f4"), np.zeros((2048, 18), "f4")
    assert _tiling(_pairs, a, b) == PairTiling(4, 4, 2, 256, 32, 8, 128)
    assert str(_tiling(_pairs, a, b)) == "tiles of 4 x 4 pairs, vectors of 2, 256 threads a block"
    assert _tiling(_pairs, a.astype("f8"), b.astype("f8")) == PairTiling(4, 2, 2, 256, 32, 8, 128)
    long = np.zeros((4096, 32), "f4")
    assert _tiling(_pairs, long, long[:2048]) == PairTiling(8, 2, 4, 256, 32, 8, 128)
    # Functions whose code is long.
    functions = _tiling(lambda xp, a, b: xp.sum(xp.exp(a[:, None] - b), axis=-1), a, b)
    assert functions is not None and functions.rows * functions.columns < 16
    # A value of each pair, long rows, and few pairs.
    every = np.zeros((1024, 256, 18), "f4")
    assert _tiling(lambda xp, c, b: xp.sum((c - b) ** 2, axis=-1), every, b[:256]) is None
    assert _tiling(_pairs, np.zeros((512, 4096), "f4"), np.zeros((512, 4096), "f4")) is None
    assert _tiling(_pairs, a[:40], b[:40]) is None


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    tune(monkeypatch, tuning, pair_threads_least=1)
    forget_plans()
    with la.config(device="cuda"):
        yield monkeypatch
    forget_plans()


def _wide(patch: pytest.MonkeyPatch, tile: tuple[int, int]) -> None:
    """Let tiles have this many rows and columns."""
    names = "pair_tiles", "narrow_pair_tiles", "long_pair_tiles", "long_narrow_pair_tiles"
    tiles = dict.fromkeys(names, (tile,))
    tune(patch, tuning, pair_threads_least=1, pair_statements=1 << 14, **tiles)


class _InBlocks:
    """NumPy, with sums of float32 in the order of the processor's kernels for pairs."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _total(self, x: Array, axis: int) -> Array:
        total = np.zeros(x.shape[:-1])
        for block in range(0, x.shape[-1], 128):
            part = np.zeros(x.shape[:-1], "f4")
            values = np.moveaxis(x[..., block : block + 128].astype("f4"), axis, 0)
            trees = len(values) // 8 * 8
            for k in range(0, trees, 8):
                pairs = values[k : k + 8 : 2] + values[k + 1 : k + 8 : 2]
                part += (pairs[0] + pairs[1]) + (pairs[2] + pairs[3])
            for value in values[trees:]:
                part += value
            total += part
        return total.astype("f4")

    def sum(self, x: Array, axis: int) -> Array:
        return self._total(x, axis).astype(x.dtype)

    def mean(self, x: Array, axis: int) -> Array:
        """Return quotients that are rounded once, of float16 as well."""
        return np.asarray(self._total(x, axis) / np.float32(x.shape[axis])).astype(x.dtype)


def _both_ways(
    patch: pytest.MonkeyPatch, compute: Callable[..., Any], *arrays: Array
) -> tuple[Array, Array]:
    """Return the values by tiles, and by rows or in the order of sums of float32."""
    tiled = np.asarray(la.evaluate(compute(la, *map(la.asarray, arrays))))
    if arrays[0].dtype != np.float64:
        forget_plans()
        return tiled, compute(_InBlocks(), *arrays)
    with patch.context() as rows:
        rows.setattr(lower, "lower_pairs", lambda *arguments: None)
        forget_plans()
        plain = np.asarray(la.evaluate(compute(la, *map(la.asarray, arrays))))
    forget_plans()
    return tiled, plain


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_those_of_rows_or_of_blocks(
    device: pytest.MonkeyPatch, form: str, dtype: str
) -> None:
    generator = np.random.default_rng(3)
    for rows, columns, length in ((37, 70, 18), (16, 64, 9)):
        a = generator.standard_normal((rows, 1, length)).astype(dtype)
        b = generator.standard_normal((columns, length)).astype(dtype)
        tiled, plain = _both_ways(device, lambda xp, a, b: FORMS[form](xp, a, b), a, b)
        np.testing.assert_array_equal(tiled, plain)
        expected = FORMS[form](np, a, b)
        rounding = 2e-5 if dtype == "f4" else 1e-12
        np.testing.assert_allclose(tiled, expected, rtol=rounding, atol=rounding)


@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_pairs(data: st.DataObject) -> None:
    """Any lengths, batches and layouts of the operands."""
    with pytest.MonkeyPatch.context() as patch, la.config(device="cuda"):
        patch.setattr(driver, "_devices", [EmulatedDevice()])
        draw = data.draw
        tile = draw(st.sampled_from([(2, 1), (4, 1), (3, 2), (8, 2), (4, 4)]), label="tile")
        _wide(patch, tile)
        length = draw(st.integers(1, 261), label="length")
        rows = draw(st.integers(tile[0], 20))
        columns = draw(st.integers(32 * tile[1], 32 * tile[1] + 48))
        batch = draw(st.sampled_from([(), (1,), (3,)]))
        a = np.random.default_rng(length).standard_normal((*batch, rows, 1, length))
        b = np.random.default_rng(rows).standard_normal((columns, length))
        if draw(st.booleans(), label="a column after another"):
            b = np.asfortranarray(b)
        form = draw(st.sampled_from(sorted(FORMS)))
        dtype = draw(st.sampled_from(["f4", "f8", "f2"]))
        arrays = a.astype(dtype), b.astype(dtype)
        with np.errstate(over="ignore"):
            tiled, plain = _both_ways(patch, lambda xp, a, b: FORMS[form](xp, a, b), *arrays)
    np.testing.assert_array_equal(tiled, plain)
