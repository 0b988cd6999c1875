"""Results that are views of an argument, or the argument itself, where NumPy's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

SHARING: dict[str, Callable[[Any, Any], Any]] = {
    "a view of einsum": lambda m, a: m.einsum("ij->ji", a),
    "einsum of axis numbers": lambda m, a: m.einsum(a, [0, 1], [1, 0]),
    "einsum of an ellipsis": lambda m, a: m.einsum("...", a),
    "einsum of another order": lambda m, a: m.einsum("ij->ji", a, order="C", dtype="f4"),
    "a diagonal of einsum": lambda m, a: m.einsum("ii->i", a[:3]),
    "diagonals of a stack": lambda m, a: m.einsum("...ii->i...", a[None, :3]),
    "a sum of einsum": lambda m, a: m.einsum("ij->i", a),
    "optimized": lambda m, a: m.einsum("ij->ji", a, optimize=True),
    "block": lambda m, a: m.block(a),
    "blocks": lambda m, a: m.block([[a]]),
    "meshgrid": lambda m, a: m.meshgrid(a[0], a[1])[1],
    "sparse meshgrid": lambda m, a: m.meshgrid(a[0], a[1], sparse=True)[1],
    "sparse views": lambda m, a: m.meshgrid(a[0], a[1], sparse=True, copy=False)[1],
    "first power": lambda m, a: m.linalg.matrix_power(a[:3], 1),
    "second power": lambda m, a: m.linalg.matrix_power(a[:3], 2),
    "real_if_close": lambda m, a: m.real_if_close(a),
    "imag": lambda m, a: m.imag(a),
    "real": lambda m, a: m.real(a),
    "ravel": lambda m, a: m.ravel(a.T, "K"),
    "rot90": lambda m, a: m.rot90(a, 4),
    "atleast_3d": lambda m, a: m.atleast_3d(a),
    "diag": lambda m, a: m.diag(a),
    "require": lambda m, a: m.require(a, None, "C"),
    "roll": lambda m, a: m.roll(a, 0),
    "pad": lambda m, a: m.pad(a, 0),
    "positive": lambda m, a: m.positive(a),
    "nan_to_num": lambda m, a: m.nan_to_num(a, copy=False),
}


def _seen(module: Any, array: Any, call: Callable[[Any, Any], Any]) -> list[Any]:
    result = call(module, array)
    array[1, 1] = 50
    seen = [np.asarray(result).tolist()]
    try:
        result[...] = 9
    except ValueError:
        seen.append("read-only")
    return [*seen, np.asarray(array).tolist()]


@pytest.mark.parametrize("call", SHARING)
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("immediate", [0, 512])
def test_results_share_elements_as_numpys_do(call: str, pending: bool, immediate: int) -> None:
    values = np.arange(12.0).reshape(4, 3)
    with la.config(immediate=immediate):
        array = la.array(values) + 1 if pending else la.array(values + 1)
        assert _seen(la, array, SHARING[call]) == _seen(np, values + 1, SHARING[call])


@pytest.mark.parametrize("immediate", [0, 512])
def test_grids_that_are_no_copies_are_locked_views(immediate: int) -> None:
    with la.config(immediate=immediate):
        x = la.array(np.arange(3.0))
        grid, _ = la.meshgrid(x, x, copy=False)
        x[1] = 7
        if not grid.flags.writeable:
            np.testing.assert_array_equal(grid, [[0, 7, 2]] * 3)


@pytest.mark.parametrize("immediate", [0, 512])
def test_real_parts_that_are_close_are_a_view(immediate: int) -> None:
    with la.config(immediate=immediate):
        z = la.array([1 + 1e-20j, 2])
        real = la.real_if_close(z)
        real[0] = 5
        np.testing.assert_array_equal(z, [5 + 1e-20j, 2])
        assert la.real_if_close(z + 1j).dtype == "c16"


@pytest.mark.parametrize("size", [6, 100_000])
def test_a_write_to_the_real_parts_of_a_real_ndarray_leaves_that_as_it_is(size: int) -> None:
    memory = np.arange(float(size))
    parts = la.real(memory)
    parts[...] = 7
    np.testing.assert_array_equal(memory, np.arange(float(size)))
    np.testing.assert_array_equal(np.asarray(parts), np.full(size, 7.0))
