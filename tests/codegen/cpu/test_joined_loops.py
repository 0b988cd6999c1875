"""Short innermost loops of elementwise kernels are joined to a long one, with the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.joined_loops import joined_tilings
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.processor_tilings import MapTiling
from lazyarr.compiler import compilation
from tests.support.candidates import results_of_candidates

pytestmark = pytest.mark.host


def cheap(x: Any, y: Any, z: Any) -> Any:
    return (x - y) * z + abs(y * 2 - x)


def functions(x: Any, y: Any, z: Any) -> Any:
    return la.exp(x * z) * y + la.sin(x) / la.log(z + 3) + (x + la.tanh(y) + 2) ** 1.7


def tiling_of(function: Callable[..., Any], *arrays: Any) -> MapTiling:
    kernel = la.jit(function).explain(*arrays).kernels[-1]
    assert isinstance(kernel.tiling, MapTiling)
    return kernel.tiling


@st.composite
def operands(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], ...]:
    """Return an array with short last axes, and others that lack axes or step otherwise."""
    rank = draw(st.integers(2, 4))
    shape = tuple(draw(st.integers(2, 14)) for _ in range(rank))
    shape = (draw(st.integers(2, 150)), *shape[1:])
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    arrays = [rng.random(shape).astype(dtype)]
    for _ in range(2):
        own = tuple(draw(st.sampled_from([1, n])) for n in shape)
        step = draw(st.sampled_from([1, 1, 2, -1]))
        wide = rng.random((*own[:-1], own[-1] * abs(step) + 1)).astype(dtype)
        arrays.append(wide[..., ::step][..., : own[-1]])
    return tuple(arrays)


@settings(max_examples=25, deadline=None)
@given(operands(), st.integers(1, 2))
def test_bits_are_those_of_numpy(arrays: tuple[np.ndarray[Any, Any], ...], threads: int) -> None:
    with la.config(threads=threads):
        np.testing.assert_array_equal(la.jit(cheap)(*arrays), cheap(*arrays))


@settings(max_examples=25, deadline=None)
@given(operands())
def test_functions_have_the_bits_of_long_loops(arrays: tuple[np.ndarray[Any, Any], ...]) -> None:
    shape = arrays[0].shape
    long = [np.ascontiguousarray(np.broadcast_to(array, shape)).ravel() for array in arrays]
    expected = la.jit(functions)(*long).reshape(shape)
    np.testing.assert_array_equal(la.jit(functions)(*arrays), expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 400), st.integers(2, 13), st.sampled_from([np.float32, np.float64]))
def test_repeated_elements(size: int, times: int, dtype: Any) -> None:
    random = np.random.default_rng([size, times])
    x, y = (random.random(size).astype(dtype) for _ in range(2))
    repeated = la.jit(lambda x, y: la.repeat(cheap(x, y, x), times))(x, y)
    np.testing.assert_array_equal(repeated, np.repeat(cheap(x, y, x), times))


def test_elements_repeated_twice_are_not_copied() -> None:
    """A value that is the same along the innermost loop is computed once for both."""
    x = np.ones(5000)
    assert tiling_of(lambda x: la.repeat(x * 2, 2), x).joined is None
    assert tiling_of(lambda x: la.repeat(x * 2, 3), x).joined is not None


@settings(max_examples=15, deadline=None)
@given(operands())
def test_any_number_of_loops_may_be_joined(arrays: tuple[np.ndarray[Any, Any], ...]) -> None:
    assert results_of_candidates(functions(*map(la.asarray, arrays)))


@settings(max_examples=50, deadline=None)
@given(operands())
def test_tiles_hold_whole_rows_and_no_less_than_a_vector(
    arrays: tuple[np.ndarray[Any, Any], ...],
) -> None:
    row = tuning.row()
    program = compilation.analyse((cheap(*map(la.asarray, arrays))._node,))
    for code in program.kernels:
        for tiling in joined_tilings(GroupTerms(code.group, dict(program.fusion.layouts))):
            assert row.least_lane_bytes < tiling.block <= row.tile_elements
            left = tiling.length % tiling.block
            assert left == 0 or left >= row.least_lane_bytes
            assert tiling.blocks * tiling.block >= tiling.length


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.complex64, np.bool_])
def test_other_dtypes(dtype: type) -> None:
    rng = np.random.default_rng(1)
    x, y, z = ((rng.random(shape) * 50).astype(dtype) for shape in ((40, 9, 5), (9, 1), (40, 1, 5)))
    function = la.jit(lambda x, y, z: np.where(x != y, x * z, y))
    np.testing.assert_array_equal(function(x, y, z), np.where(x != y, x * z, y))


def test_positions_and_several_results() -> None:
    x, y = np.random.default_rng(1).random((40, 9, 5)), np.arange(9.0)[:, None]
    places = np.arange(40 * 5).reshape(40, 1, 5)

    def both(x: Any, y: Any) -> Any:
        return la.exp(x * y) + la.arange(200).reshape(40, 1, 5), x - y

    first, second = la.jit(both)(x, y)
    np.testing.assert_array_equal(first, la.exp(la.asarray(x * y)).compute() + places)
    np.testing.assert_array_equal(second, x - y)


@pytest.mark.parametrize("function", [cheap, functions])
def test_results_may_overwrite_operands(function: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    x, y, z = rng.random((50, 7, 3)), rng.random((7, 1)), rng.random((50, 1, 3))
    expected = la.jit(function)(x, y, z)
    assert tiling_of(function, x, y, z).joined
    np.testing.assert_array_equal(la.jit(function, donate=[0])(x.copy(), y, z), expected)


@pytest.mark.parametrize("place", [(0, 0, 0), (3, 4, 1), (39, 8, 2)])
def test_warnings_are_those_of_the_elements(place: tuple[int, ...]) -> None:
    function = la.jit(lambda x, y: la.log(x) * y)
    x, y = np.ones((40, 9, 3)), np.ones((9, 1))
    assert tiling_of(lambda x, y: la.log(x) * y, x, y).joined
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(x, y)
        function(x, y)
    x[place] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert function(x, y)[place] == -np.inf


def test_a_function_of_fewer_axes_is_computed_once_a_row() -> None:
    x, y = np.ones((50, 9, 3)), np.ones((50, 9, 1))

    def sine(x: Any, y: Any) -> Any:
        return x * la.sin(y)

    joined = tiling_of(sine, x, y).joined
    assert joined is not None and len(joined.copied) == 1
    (kernel,) = la.jit(sine).explain(x, y).kernels
    copies, product = kernel.source.split("fmul")
    assert copies.count("@sin") == 1 and "@sin" not in product


@pytest.mark.parametrize(
    ("shapes", "is_joined"),
    [
        (((400, 30, 3), (30, 1), (1,)), True),
        (((400, 300), (400, 1), (300,)), False),
        (((5, 3), (5, 1), (3,)), False),
        (((4000, 3), (4000, 3), (1,)), False),
    ],
)
def test_which_are_joined(shapes: tuple[tuple[int, ...], ...], is_joined: bool) -> None:
    tiling = tiling_of(functions, *(np.ones(shape) for shape in shapes))
    assert (tiling.joined is not None) == is_joined
    if is_joined:
        assert "loops joined" in str(tiling) and "copied" in str(tiling)
        assert tiling.length <= prod(shapes[0])


@pytest.mark.parametrize("seed", range(6))
def test_selections_in_rows_of_more_loops_are_joined(seed: int) -> None:
    random = np.random.default_rng([seed, 53])
    outer, rows, length = (int(n) for n in random.integers([20, 200, 2], [60, 500, 12]))
    dtype = random.choice(["f4", "f8"])
    shapes = (outer, rows, length), (rows, length), (outer, rows, 1)
    x, y, z = (random.standard_normal(shape).astype(dtype) for shape in shapes)

    def select(xp: Any, x: Any, y: Any, z: Any) -> Any:
        return xp.where(x * z > y, x + y, 0.5 * y) - z

    assert tiling_of(lambda *arrays: select(la, *arrays), x, y, z).joined is not None
    result = la.jit(lambda *arrays: select(la, *arrays))(x, y, z)
    np.testing.assert_array_equal(result, select(np, x, y, z))


@pytest.mark.parametrize("seed", [1, 4])
def test_functions_of_short_rows_at_places(seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = ("f4", "f8")[seed % 2]
    rows, count, width = (int(n) for n in rng.integers((2, 600, 2), (90, 3000, 12)))
    places = rng.integers(-rows, rows, count)
    x, y = rng.random((rows, width)).astype(dtype), rng.random((count, width)).astype(dtype)
    value = np.tanh(la.asarray(x)[places]) * y
    if seed > 3:
        value = np.tanh(la.asarray(x)[places, :-1]) * y[:, 1:] + la.asarray(places)[:, None]
    expected = np.tanh(x[places]) * y
    if seed > 3:
        expected = np.tanh(x[places, :-1]) * y[:, 1:] + places[:, None]
    tolerance = 1e-5 if dtype == "f4" else 1e-14
    np.testing.assert_allclose(value.compute(), expected, rtol=tolerance)
    wrong = places.copy()
    wrong[count // 2] = rows
    with pytest.raises(IndexError, match=f"index {rows} is out of bounds"):
        np.tanh(la.asarray(x)[wrong]).compute()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_many_windows_are_read_where_they_lie(dtype: str) -> None:
    x = np.random.default_rng(0).random((1175, 7, 7)).astype(dtype)
    corners = [(i, j, k) for i in range(5) for j in (0, 2, 4) for k in (1, 4)][:25]

    def windows(x: Any) -> Any:
        total = 0.5 * x[:1171, :3, :3]
        for i, j, k in corners:
            total = total + 0.25 * x[i : i + 1171, j : j + 3, k : k + 3]
        return total

    function = la.jit(windows)
    np.testing.assert_array_equal(function(x), windows(x))
    (kernel,) = function.explain(x).kernels
    assert "joined" not in str(kernel.tiling)
