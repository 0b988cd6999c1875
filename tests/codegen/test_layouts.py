"""Every memory layout and every loop template around the sizes at which loops change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.reducers import BLOCK
from lazyarr.compiler import compilation
from lazyarr.compiler.targets import CPU

# Variances of one element with ddof=1.
pytestmark = [pytest.mark.each_device, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

TUNING = tuning.row()

Array = np.ndarray[Any, Any]


def _strided(values: Array) -> Array:
    """Every other element along every axis, off the start of the memory."""
    if not values.ndim:
        return values
    wide = np.full(tuple(2 * n + 1 for n in values.shape), -77).astype(values.dtype)
    part = wide[tuple(slice(1, None, 2) for _ in values.shape)]
    part[...] = values
    return part


def _broadcast(values: Array) -> Array:
    return np.broadcast_to(values[:1], values.shape) if values.ndim else values


def _read_only(values: Array) -> Array:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": np.copy,
    "F": np.asfortranarray,
    "strided": _strided,
    "flipped": lambda v: np.flip(np.flip(v).copy()) if v.ndim else v,
    "first axis flipped": lambda v: v[::-1].copy()[::-1] if v.ndim else v,
    "transposed": lambda v: np.moveaxis(np.moveaxis(v, 0, -1).copy(), -1, 0) if v.ndim else v,
    "broadcast": _broadcast,
    "read-only": _read_only,
}


def grid(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    """Return small multiples of a quarter: their sums are exact in any order."""
    values = np.asarray(np.random.default_rng(seed).integers(-20, 20, shape))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(values > 0)
    if dtype.kind == "u":
        return np.asarray(np.abs(values)).astype(dtype)
    return np.asarray(values / 4 if dtype.kind == "f" else values).astype(dtype)


def same(got: Any, expected: Any, note: object = "") -> None:
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected, err_msg=str(note))


def templates(*results: la.LazyArray) -> set[str]:
    return {group.template for group in compilation.analyse(tuple(r._node for r in results)).groups}


# -- layouts ---------------------------------------------------------------------------------

SHAPES = [(), (1,), (0,), (5, 7), (3, 4, 5), (1, 6), (2, 0, 3)]


@pytest.mark.parametrize("first", LAYOUTS)
def test_maps_over_pairs_of_layouts(first: str) -> None:
    for second, layout in LAYOUTS.items():
        for shape in SHAPES:
            a = LAYOUTS[first](grid(shape, np.float64))
            b = layout(grid(shape, np.int32, 1))
            x, y = la.asarray(a), la.asarray(b)
            note = (first, second, shape)
            for got, expected in zip(
                la.evaluate(x * 2 + y, np.where(x > y, x, y), (x - y).T),
                (a * 2 + b, np.where(a > b, a, b), (a - b).T),
                strict=True,
            ):
                same(got, expected, note)


def reductions(x: Any, axis: Any) -> list[Any]:
    results = [np.sum(x, axis), np.max(x, axis), np.min(x, axis), np.any(x > 1, axis)]
    results += [np.all(x > -99, axis), np.sum(np.abs(x) * 2, axis)]
    if not isinstance(axis, tuple):
        results += [np.argmax(x, axis), np.argmin(x, axis)]
    return results


def check_reductions(a: Array, axis: Any, note: object = "") -> None:
    x = la.asarray(a)
    lazy = reductions(x, axis)
    got = la.evaluate(*lazy, x.mean(axis), x.var(axis), x.std(axis, ddof=1))
    expected = reductions(a, axis)
    for result, reference in zip(got, expected, strict=False):
        same(result, reference, (note, axis, a.shape, a.dtype))
    rounding = 2e-6 if a.dtype == np.float32 else 1e-13
    for result, reference in zip(
        got[len(expected) :], (a.mean(axis), a.var(axis), a.std(axis, ddof=1)), strict=True
    ):
        assert result.dtype == reference.dtype
        np.testing.assert_allclose(
            result, reference, rtol=rounding, atol=rounding, err_msg=str(note)
        )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions_of_layouts(layout: str) -> None:
    for shape in [(7,), (5, 7), (3, 4, 5), (2, 1, 6)]:
        axes: list[Any] = [None, *range(len(shape))]
        if len(shape) > 1:
            axes += [(0, 1), (0, len(shape) - 1)]
        for axis in axes:
            check_reductions(LAYOUTS[layout](grid(shape, np.float64)), axis, layout)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4"])
def test_reductions_of_dtypes(dtype: str) -> None:
    for axis in (None, 0, 1):
        a = grid((6, 300), dtype)
        x = la.asarray(a)
        lazy = [np.max(x, axis), np.min(x, axis), np.argmax(x, axis), np.argmin(x, axis)]
        lazy += [np.any(x, axis), np.all(x, axis), np.count_nonzero(x, axis)]
        reference = [np.max(a, axis), np.min(a, axis), np.argmax(a, axis), np.argmin(a, axis)]
        reference += [np.any(a, axis), np.all(a, axis), np.asarray(np.count_nonzero(a, axis))]
        if dtype != "f2":
            lazy += [np.sum(x, axis), np.prod(x != 0, axis)]
            reference += [np.sum(a, axis), np.prod(a != 0, axis)]
        for result, expected in zip(la.evaluate(*lazy), reference, strict=True):
            same(result, expected, (dtype, axis))


# -- sizes -----------------------------------------------------------------------------------


MAX_ROW = CPU.limits.max_row


def around(*sizes: int) -> list[int]:
    return sorted({n for size in sizes for n in (size - 1, size, size + 1) if n > 0})


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_lengths_of_one_row(dtype: str) -> None:
    for length in around(
        2,
        8,
        BLOCK,
        2 * BLOCK,
        TUNING.split_elements,
        2 * TUNING.split_elements,
        MAX_ROW,
        3 * MAX_ROW,
    ):
        check_reductions(grid((length,), dtype, length), 0)


@pytest.mark.parametrize("layout", ["C", "strided", "F"])
def test_rows(layout: str) -> None:
    for length in around(1, TUNING.short_row, 2 * BLOCK):
        for rows in (3, 4, *around(TUNING.row_tile)):
            check_reductions(LAYOUTS[layout](grid((rows, length), np.float64)), 1, layout)


def test_long_rows() -> None:
    for rows, length in [(1, MAX_ROW + 1), (3, MAX_ROW), (5, MAX_ROW), (3, 20_000), (4, 20_000)]:
        check_reductions(grid((rows, length), np.float64), 1)
    for shape in [(7, 5000, 3), (3, 3, TUNING.split_elements + 1), (TUNING.split_elements + 1, 3)]:
        values = grid(shape, np.float64)
        for axis in (None, (0, len(shape) - 1)):
            check_reductions(values, axis)
            check_reductions(np.asfortranarray(values), axis)
            check_reductions(_strided(values), axis)


@pytest.mark.parametrize("layout", ["C", "strided", "flipped"])
def test_columns(layout: str) -> None:
    for rows in around(1, TUNING.panel_rows[-1], TUNING.panel_rows[0], 2 * TUNING.panel_rows[0]):
        for columns in (2, *around(TUNING.panel_columns)):
            check_reductions(LAYOUTS[layout](grid((rows, columns), np.float64)), 0, layout)
    for shape in [(3, TUNING.panel_rows[0] + 1, 5), (2, 3, 4, 5), (1, 70, 3)]:
        for axis in (1, (0, 1), (1, len(shape) - 2)):
            if not isinstance(axis, tuple) or len(set(axis)) == 2:
                check_reductions(LAYOUTS[layout](grid(shape, np.float64)), axis, layout)


def test_tiles() -> None:
    for rows in around(TUNING.row_tile, 2 * TUNING.row_tile):
        for length in (1, 3, *around(TUNING.short_row)):
            a, b = grid((rows, length), np.float64), grid((rows, length), np.float64, 1)
            x, y = la.asarray(a), la.asarray(b)
            squares = ((x - y) ** 2).sum(axis=1)
            got = la.evaluate(np.sqrt(squares) + 1, squares.max())
            expected = ((a - b) ** 2).sum(axis=1)
            same(got[0], np.sqrt(expected) + 1, (rows, length))
            same(got[1], expected.max(), (rows, length))


def test_long_inner_loops() -> None:
    for length in around(TUNING.inner_elements, 2 * TUNING.inner_elements):
        wide = grid((3, length + 5), np.float64)
        x = la.asarray(wide)[:, 2:-3]
        column = la.asarray(np.arange(3.0))[:, None]
        same((x * 2 + column).compute(), wide[:, 2:-3] * 2 + np.arange(3.0)[:, None])


def test_softmax_and_layer_norm_lengths() -> None:
    for length in around(2, BLOCK, 2 * BLOCK):
        a = grid((5, length), np.float64)
        for values in (a, np.asfortranarray(a), _strided(a)):
            x = la.asarray(values)
            e = np.exp(x - x.max(axis=1, keepdims=True))
            normal = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1)[:, None] + 1e-5)
            got = la.evaluate(e / e.sum(axis=1, keepdims=True), normal)
            exact = np.exp(a - a.max(axis=1, keepdims=True))
            np.testing.assert_allclose(got[0], exact / exact.sum(axis=1, keepdims=True), 1e-13)
            expected = (a - a.mean(axis=1, keepdims=True)) / np.sqrt(
                a.var(axis=1, keepdims=True) + 1e-5
            )
            np.testing.assert_allclose(got[1], expected, rtol=1e-12, atol=1e-12)


def test_all_templates_are_reached() -> None:
    x = la.asarray(grid((300, 300), np.float64))
    long = la.asarray(grid((MAX_ROW + 1,), np.float64))
    assert templates(x * 2) == {"map"}
    assert templates(x.sum(axis=1)) == {"rows"}
    assert templates(x.sum(axis=0)) == {"columns"}
    assert templates(long.sum()) == {"split"}


# -- inputs and outputs that share memory ------------------------------------------------------


def test_overlapping_leaves() -> None:
    memory = grid((400,), np.float64)
    left, right = memory[:-1], memory[1:]
    x, y = la.asarray(left), la.asarray(right)
    same((x + y * 2).compute(), left + right * 2)
    windows = np.lib.stride_tricks.as_strided(memory, (390, 10), (8, 8), writeable=False)
    same(la.asarray(windows).sum(axis=1).compute(), windows.sum(axis=1))
    same(la.asarray(windows).sum(axis=0).compute(), windows.sum(axis=0))


@pytest.mark.parametrize("size", [5, 70_000])
def test_out_overlaps_inputs(size: int) -> None:
    for make_in, make_out in [
        (lambda m: m[:-1], lambda m: m[1:]),
        (lambda m: m[1:], lambda m: m[:-1]),
        (lambda m: m, lambda m: m),
        (lambda m: m[::-1], lambda m: m),
        (lambda m: m, lambda m: m[::-1]),
    ]:
        memory = grid((size,), np.float64)
        operand = make_in(memory)
        flipped = operand[::-1].copy()
        expected = operand * 2 + flipped
        total = operand.sum()
        x = la.asarray(operand)
        out = make_out(memory)
        got = la.evaluate(x * 2 + x[::-1], x.sum(), out=[out, None])
        assert got[0] is out
        same(out, expected)
        same(got[1], total)


def test_out_of_every_layout() -> None:
    a = grid((6, 9), np.float64)
    x = la.asarray(a)
    for name, layout in LAYOUTS.items():
        if name in ("broadcast", "read-only"):
            continue
        out = layout(np.zeros((6, 9)))
        other = np.empty(9)
        before = la.evaluate(x + 1, (x + 1).sum(axis=0), out=[out, other])
        assert before[0] is out and before[1] is other
        same(out, a + 1, name)
        same(other, (a + 1).sum(axis=0), name)
        flipped = layout(np.zeros((9, 6)))
        la.evaluate((x + 1).T, out=flipped)
        same(flipped, (a + 1).T, name)


def test_two_outs_that_overlap_keep_the_later() -> None:
    memory = np.zeros(12)
    x = la.asarray(np.arange(10.0))
    la.evaluate(x + 1, x + 2, out=[memory[:10], memory[2:]])
    same(memory, np.concatenate([[1.0, 2.0], np.arange(10.0) + 2]))
