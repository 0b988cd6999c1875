"""Arguments at the edges of what NumPy takes: nothing, numbers, truth values, signs of zero."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host

Case = Callable[..., Any]
METHODS: dict[str, Case] = {
    "reduceat": lambda m, f, x, **k: getattr(m, f).reduceat(x, [], **k),
    "reduceat places": lambda m, f, x, **k: getattr(m, f).reduceat(x, [0, 2, 1], **k),
    "accumulate": lambda m, f, x, **k: getattr(m, f).accumulate(x, **k),
}
SHAPES: list[tuple[int, ...]] = [(), (5,), (3, 4)]


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "bitwise_xor"])
@pytest.mark.parametrize("method", METHODS)
def test_methods_of_ufuncs(method: str, name: str, shape: tuple[int, ...], limit: int) -> None:
    x = np.random.default_rng(len(shape)).integers(0, 9, shape)
    with la.config(immediate=limit):
        agree(lambda m, x: METHODS[method](m, name, x), x)
        if len(shape) == 1:
            agree(lambda m, x: METHODS[method](m, name, x, axis=None), x)


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("initial", [-0.0, 0.0, 0, np.float64(-0.0), -1.0])
@pytest.mark.parametrize("count", [0, 1, 3, 70])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_sums_that_begin_at_a_zero(dtype: str, count: int, initial: Any, limit: int) -> None:
    rng = np.random.default_rng(count)
    for x in (
        np.full(count, -0.0).astype(dtype),
        rng.choice([0.0, -0.0], (2, count)).astype(dtype),
    ):
        with la.config(immediate=limit):
            agree(lambda m, x: m.sum(x, axis=-1, initial=initial), x)
            agree(lambda m, x: m.sum(x, initial=initial, where=x == 0, keepdims=True), x)


VALUES: dict[str, tuple[Any, ...]] = {
    "tile True": (lambda m, x: m.tile(x, True), np.arange(3)),
    "tile bools": (lambda m, x: m.tile(x, (True, 2)), np.arange(3)),
    "tile nothing": (lambda m, x: m.tile(x, np.False_), np.arange(3)),
    "view as nothing": (lambda m, x: x.view(None), np.arange(3)),
    "view": (lambda m, x: x.view(), np.arange(3, dtype="f4")),
    "view as bytes": (lambda m, x: x.view("u1"), np.arange(6, dtype="f4").reshape(2, 3)),
    "view of a part": (lambda m, x: x[:, ::2].view("i4"), np.arange(6, dtype="f4").reshape(2, 3)),
    "view as long": (lambda m, x: x.view("c8"), np.arange(6, dtype="f4").reshape(3, 2)),
    "view too long": (lambda m, x: x.view("c8"), np.arange(6, dtype="f4").reshape(2, 3)),
    "pinv of no half": (lambda m, x: m.linalg.pinv(x), np.zeros((0, 3), "f2")),
    "pinv of no integers": (lambda m, x: m.linalg.pinv(x), np.zeros((2, 0), "i4")),
    "pinv of no matrices": (lambda m, x: m.linalg.pinv(x), np.zeros((0, 2, 3), "f4")),
    "imag": (lambda m, x: x.imag, np.array([1 + 2j, 3 - 4j], "c8")),
    "imag of a part": (lambda m, x: x[::2].imag, np.arange(5) * (1 - 2j)),
    "mgrid": (lambda m: m.mgrid[:3, 1:2:4j],),
    "mgrid of one": (lambda m: m.mgrid[2:5],),
    "indices of a number": (lambda m: m.indices(3),),
    "indices": (lambda m: m.indices((3, 2)),),
    "r_ numbers": (lambda m: m.r_[1, 2.5, 3],),
    "r_ slices": (lambda m: m.r_[:3, 5, 0:1:3j],),
    "c_ slices": (lambda m: m.c_[:3, 4:7],),
    "r_ backwards": (lambda m: m.r_[5:0:-2],),
    **{
        f"pad {mode} of nothing {width}": (
            lambda m, x, mode=mode, width=width: m.pad(x, width, mode),
            np.zeros((0, 3)),
        )
        for mode in ("edge", "reflect", "mean", "linear_ramp", "wrap", "constant")
        for width in (1, ((0, 0), (1, 1)))
    },
}


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, limit: int) -> None:
    function, *arrays = VALUES[name]
    with la.config(immediate=limit):
        agree(function, *arrays)


def test_parts_of_complex_numbers_are_views() -> None:
    x = la.array([1 + 2j, 3 - 4j])
    x.imag[0] = 7
    x.view("f8")[2] = 9
    np.testing.assert_array_equal(x.compute(), [1 + 7j, 9 - 4j])


@pytest.mark.parametrize("name", ["median", "mean"])
def test_means_of_nothing_warn_once(name: str) -> None:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        float(getattr(la, name)(la.array([])))
    assert sum("empty slice" in str(warning.message) for warning in record) == 1


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("value", [0, 2**40, -1, 1j, [1, 2]])
def test_filling_what_is_read_only(value: Any, limit: int) -> None:
    with la.config(immediate=limit):
        agree(
            lambda m, x: m.broadcast_to(m.asarray(x), (2, 3)).fill(value),
            np.zeros(3, "u1"),
            text=True,
        )


KEYS: dict[str, Any] = {
    "too many indices": (0, 0, 0),
    "out of range": 7,
    "a float": 1.5,
    "a text": "a",
    "a list": [[0, 1], [1, 9]],
    "a mask of another shape": [True, False, True],
    "all": ...,
}


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("value", [0, 2**40, 1j, [1, 2], "b"])
@pytest.mark.parametrize("key", KEYS)
def test_writes_to_what_is_read_only(key: str, value: Any, limit: int) -> None:
    def write(m: Any, x: Any) -> None:
        m.broadcast_to(m.asarray(x), (2, 3))[KEYS[key]] = value

    with la.config(immediate=limit):
        agree(write, np.zeros(3, "u1"), text=True)
