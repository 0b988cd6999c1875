"""Rows of a few elements are written out: their sums are in order, whatever lies around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
Function = Callable[[Any, Any], Any]

FUNCTIONS: dict[str, Function] = {
    "sum": lambda xp, x: (x * 2 - 1).sum(axis=-1),
    "extrema": lambda xp, x: (x.max(axis=-1) - x.min(axis=-1)) * 2,
    "arg": lambda xp, x: xp.argmax(3 * x - x * x, axis=-1),
    "any": lambda xp, x: (x > 1).any(axis=-1),
    "centred": lambda xp, x: x - x.sum(axis=-1, keepdims=True),
    "several": lambda xp, x: (x - x.min(axis=-1, keepdims=True)) / x.sum(axis=-1, keepdims=True),
    "places": lambda xp, x: (x * xp.arange(x.shape[-1], dtype=x.dtype)).sum(axis=-1),
}
SHAPES = [(1, 2), (5, 3), (300, 3), (4000, 7), (6, 40, 5), (3, 2, 4)]


def _array(shape: tuple[int, ...], layout: str, dtype: str) -> Array:
    x = (np.random.default_rng(1).random(shape) * 4 + 1).astype(dtype)
    x.reshape(-1)[:: max(1, x.size // 3)] = x.reshape(-1)[0]
    match layout:
        case "last axis first":
            return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0, -1)
        case "reversed":
            return x[::-1, ..., ::-1]
        case "strided":
            return np.repeat(x, 2, axis=-1)[..., ::2]
        case _:
            return x


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("layout", ["C", "last axis first", "reversed", "strided"])
def test_short_rows_have_numpys_bits(name: str, shape: tuple[int, ...], layout: str) -> None:
    function = FUNCTIONS[name]
    # Sums of float32 are in float64 until they are finished.
    for dtype in ("f4", "f8", "i4") if name in ("extrema", "arg", "any") else ("f8", "i4"):
        x = _array(shape, layout, dtype)
        expected = function(np, np.ascontiguousarray(x))
        for _ in range(3):
            ours = la.evaluate(function(la, la.asarray(x)))
            assert ours.dtype == expected.dtype
            assert ours.tobytes() == expected.tobytes()
        assert la.jit(lambda x: function(la, x))(x).tobytes() == expected.tobytes()


COLUMNS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda xp, x, axis: (x * 2 - 1).sum(axis=axis),
    "several": lambda xp, x, axis: x.min(axis=axis) + x.max(axis=axis) + x.sum(axis=axis),
    "centred": lambda xp, x, axis: x - x.sum(axis=axis, keepdims=True),
    "any": lambda xp, x, axis: (x > 4.5).any(axis=axis),
    "product": lambda xp, x, axis: x.prod(axis=axis) + 1,
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((4, 3000), 0),
        ((7, 5, 60), 1),
        ((2, 16, 70_000), 1),
        ((3, 9, 4, 33), (0, 2)),
        ((50, 6, 3), 1),
        ((300, 2, 2, 40), (1, 2)),
    ],
    ids=str,
)
def test_short_columns_have_numpys_bits(name: str, shape: tuple[int, ...], axis: Any) -> None:
    function = COLUMNS[name]
    random = np.random.default_rng(2)
    x = random.random(shape) * 4 + 1
    special = [np.nan, np.inf, -0.0, 0.0, -np.inf, 1e308]
    x.reshape(-1)[random.choice(x.size, len(special), replace=False)] = special
    for x_ in (x, np.flip(x, -1), np.asfortranarray(x)):
        with np.errstate(all="ignore"):
            expected = function(np, np.ascontiguousarray(x_), axis)
            jitted = la.jit(lambda x: function(la, x, axis))
            ours = jitted(x_)
        assert ours.tobytes() == expected.tobytes()
        (kernel, *_) = jitted.explain(x_).kernels
        assert "written out" in str(kernel.tiling) or "side by side" in str(kernel.tiling)


@pytest.mark.parametrize("length", [2, 3, 5, 7])
def test_sums_of_single_precision_are_as_exact_as_they_can_be(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((500, length)).astype("f4")
    expected = x.astype("f8").sum(axis=1).astype("f4")
    assert la.evaluate(la.asarray(x).sum(axis=1)).tobytes() == expected.tobytes()


def test_several_short_axes_are_one_row() -> None:
    x = np.random.default_rng(3).random((50, 2, 30, 3))
    expected = x.max(axis=(1, 3)) + x.min(axis=(1, 3))
    lazy = la.asarray(x)
    assert np.array_equal(la.evaluate(lazy.max(axis=(1, 3)) + lazy.min(axis=(1, 3))), expected)


@pytest.mark.parametrize("length", [2, 7, 8, 16, 17])
def test_sums_do_not_depend_on_what_is_computed_beside_them(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((700, length)).astype("f4")
    lazy = la.asarray(x)
    alone = la.evaluate(lazy.sum(axis=1))
    beside, *_ = la.evaluate(lazy.sum(axis=1), lazy.max(axis=1), la.exp(lazy))
    assert alone.tobytes() == beside.tobytes()
    fewer = la.evaluate(la.asarray(x[:3]).sum(axis=1))
    assert fewer.tobytes() == alone[:3].tobytes()


@pytest.mark.parametrize("place", [0, 2])
def test_the_first_nan_is_the_extremum(place: int) -> None:
    x = np.ones((40, 3))
    x[7, place] = np.nan
    with np.errstate(invalid="ignore"):
        assert la.evaluate(la.argmin(la.asarray(x), axis=1))[7] == place
        assert np.isnan(la.evaluate(la.asarray(x).max(axis=1))[7])


def test_explain_names_the_rows() -> None:
    x = la.asarray(np.ones((4000, 3)))
    assert "rows of 3 elements written out" in str(la.explain((2 * x).sum(axis=1)))


@pytest.mark.parametrize(("divisions", "written_out"), [(1, True), (6, False)])
def test_long_code_is_not_written_out(divisions: int, written_out: bool) -> None:
    x = np.random.default_rng(3).random((200, 6)) + 1j
    y = la.asarray(x)
    for _ in range(divisions):
        y = 1 / (y + 2)  # of complex numbers: two dozen operations
    assert ("written out" in str(la.explain(y.sum(axis=1)))) is written_out
