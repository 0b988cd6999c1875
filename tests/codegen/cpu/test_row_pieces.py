"""Short innermost loops of maps: several a work item, and in pieces that are whole vectors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.row_pieces import blocks_of_chain
from lazyarr.core.frozen import replace
from lazyarr.core.vector_registers import Registers
from lazyarr.loop_ir.axes import AxisKind


@pytest.fixture(params=[16, 32, 64])
def vector_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Have vectors of so many bytes chosen for, whatever this processor has."""
    for module in (
        "lazyarr.codegen.cpu.row_pieces",
        "lazyarr.codegen.cpu.column_blocks",
    ):
        monkeypatch.setattr(f"{module}.registers", lambda: Registers(request.param, 16))
    return int(request.param)


def _stencil(m: Any, x: Any, y: Any, reach: tuple[int, ...]) -> Any:
    """Return a sum of neighbours, of the array and of another one in turn."""
    total = 0.0
    for number, axis in enumerate((*range(x.ndim), 0, x.ndim - 1)):
        for step in (-reach[axis], reach[axis]):
            where = tuple(
                slice(r + step * (k == axis), n - r + step * (k == axis))
                for k, (n, r) in enumerate(zip(x.shape, reach, strict=True))
            )
            total = total + (0.25 + number) * (x, y)[number % 2][where]
    return total


def test_stencils_with_short_rows_have_the_bits_of_numpy(vector_bytes: int) -> None:
    rng = np.random.default_rng(vector_bytes)
    for _ in range(8):
        rank = int(rng.integers(2, 5))
        shape = (*rng.integers(5, 9, rank - 1), int(rng.integers(4, 70)))
        reach = (*(int(n) for n in rng.integers(0, 2, rank - 1)), 1)
        dtype = rng.choice(["f4", "f8"])
        x, y = (rng.random(shape).astype(dtype) for _ in range(2))
        computed = la.evaluate(_stencil(la, la.asarray(x), la.asarray(y), reach))
        np.testing.assert_array_equal(computed, _stencil(np, x, y, reach))


def _windows(m: Any, arrays: list[Any], places: list[tuple[int, ...]], reach: int) -> Any:
    """Return a weighted sum of windows of arrays, in turn."""
    total = 0.0
    for number, place in enumerate(places):
        x = arrays[number % len(arrays)]
        window = tuple(slice(reach + k, n - reach + k) for k, n in zip(place, x.shape, strict=True))
        total = total + (0.25 + 0.01 * number) * x[window]
    return total


def test_vectors_of_short_rows_take_turns_with_the_bits_of_numpy(vector_bytes: int) -> None:
    rng = np.random.default_rng(7 + vector_bytes)
    for length in (8, 13, 20, 23, 33, 50, 64, 81, 150):
        shape = (int(rng.integers(5, 9)), int(rng.integers(5, 9)), length + 4)
        dtype = rng.choice(["f4", "f8"])
        count = int(rng.integers(9, 26))
        places = [tuple(int(k) for k in rng.integers(-2, 3, 3)) for _ in range(count)]
        arrays = [rng.random(shape).astype(dtype) for _ in range(int(rng.integers(1, 3)))]
        lazy = [la.asarray(x) for x in arrays]
        computed = la.evaluate(_windows(la, lazy, places, 2))
        np.testing.assert_array_equal(computed, _windows(np, arrays, places, 2))


@pytest.mark.parametrize("width", [13, 40, 300])
def test_rows_of_one_value_have_no_chain(width: int) -> None:
    x = np.random.default_rng(width).random((3, 5, width))
    padded = np.pad(la.asarray(x), ((0, 0), (2, 2), (width, 0)))
    np.testing.assert_array_equal(la.evaluate(padded), np.pad(x, ((0, 0), (2, 2), (width, 0))))
    rows = la.broadcast_to(la.asarray(x[..., :1]) * 2 + 1, x.shape)
    np.testing.assert_array_equal(la.evaluate(la.stack([rows, la.asarray(x)])[0]), rows.compute())


@pytest.mark.parametrize(
    ("length", "lanes", "expected"),
    [
        (50, 4, (4, 1)),  # 48 elements in blocks of four vectors, and the last four
        (32, 8, (4, 0)),
        (20, 8, (2, 1)),
        (44, 4, (4, 4)),
        (16, 8, (2, 0)),
    ],
)
def test_blocks_of_rows(length: int, lanes: int, expected: tuple[int, int]) -> None:
    blocks = blocks_of_chain(length, lanes, AxisKind.INTERLEAVED)
    assert blocks is not None and (blocks.vectors, blocks.last) == expected
    assert blocks_of_chain(length, lanes, AxisKind.SERIAL) is None
    pairs = blocks_of_chain(length, lanes, AxisKind.PAIRED)
    assert pairs is not None and pairs.vectors == 2
    assert blocks_of_chain(2 * lanes - 1, lanes, AxisKind.INTERLEAVED) is None


def test_short_rows_that_lie_apart_have_the_bits_of_numpy(vector_bytes: int) -> None:
    rng = np.random.default_rng(3 + vector_bytes)
    for _ in range(8):
        outer = tuple(int(n) for n in rng.integers(2, 12, int(rng.integers(1, 4))))
        length = int(rng.integers(2, 67))
        dtype = rng.choice(["f4", "f8", "i2", "c8", "?"])
        x = (rng.random((*outer, length + 3)) * 4 - 1).astype(dtype)[..., 1:-2]
        y = (rng.random((*outer[:-1], 1, length)) * 4).astype(dtype)
        a, b = la.asarray(x), la.asarray(y)
        np.testing.assert_array_equal(la.evaluate((a + b) * a + b), (x + y) * x + y)
        np.testing.assert_array_equal(
            la.evaluate(la.where(a == b, a, b[..., ::-1])), np.where(x == y, x, y[..., ::-1])
        )


def test_results_over_operands_are_not_computed_twice() -> None:
    rng = np.random.default_rng(11)
    for length in (5, 11, 13, 29, 31):
        x = rng.random((40, 6, length + 2)).astype("f4")
        expected = x.copy()
        expected[:, :, 1:-1] = expected[:, :, 1:-1] * 3 + 1
        a = la.asarray(x.copy())
        a[:, :, 1:-1] = a[:, :, 1:-1] * 3 + 1
        np.testing.assert_array_equal(la.evaluate(a), expected)


def test_a_work_item_has_several_short_loops_where_divisions_would_find_each() -> None:
    def tiling(x: Any) -> str:
        (kernel,) = la.explain(la.asarray(x)[..., 1:-1, 1:-1] * 2.0 + 1).kernels
        return str(kernel.tiling)

    assert "loops together" in tiling(np.ones((300, 40, 9)))
    assert "loops together" not in tiling(np.ones((300, 900))), "nothing is divided"
    with tuning.TABLE.using(replace(tuning.row(), nested_loop=0)):
        assert "loops together" not in tiling(np.ones((301, 40, 9)))


def test_second_lengths_have_loops_together() -> None:
    rng = np.random.default_rng(7)
    for planes, rows, length in ((30, 20, 9), (31, 19, 11), (64, 33, 8), (5, 100, 23)):
        x = rng.random((planes, rows, length))
        a = la.asarray(x)
        expected = x[1:, 1:, 1:] * 2 + x[:-1, :-1, :-1]
        np.testing.assert_array_equal(la.evaluate(a[1:, 1:, 1:] * 2 + a[:-1, :-1, :-1]), expected)


def test_blocks_of_short_rows_warn_as_numpy_does() -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        length = int(rng.integers(13, 120))
        x = rng.random((9, length)).astype(rng.choice(["f4", "f8"])) + 1
        scale = np.full(length, np.finfo(x.dtype).max / 8, x.dtype)
        row, place = int(rng.integers(9)), int(rng.integers(length))

        def chosen(m: Any, x: Any, scale: Any) -> Any:
            return m.where(x < 4, x * scale, x) + scale

        lazy = la.jit(lambda x, scale: chosen(la, x, scale))
        for part, warns in ((8, False), (3, True)):
            x[row, place], scale[place] = 3.9, np.finfo(x.dtype).max / part
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                result = lazy(x, scale)
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(result, chosen(np, x, scale))
            assert bool(seen) == warns
