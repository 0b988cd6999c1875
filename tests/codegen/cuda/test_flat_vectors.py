"""Vectors that go on from one line to the next: the kernels run on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.device_tilings import GridTiling
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda", cache_dir="off", immediate=0):
        yield
    forget_plans()


def _tiling(value: Any) -> Any:
    (kernel,) = la.explain(value).kernels
    return kernel.tiling


def _expression(random: np.random.Generator, xp: Any, arrays: dict[str, Any]) -> Any:
    """An expression of an array, of others that are broadcast to it, and of a transposed one."""
    value, names = arrays["whole"] * 2, list(arrays)
    for _ in range(int(random.integers(1, 5))):
        other = arrays[names[int(random.integers(len(names)))]]
        match random.integers(4):
            case 0:
                value = value + other
            case 1:
                value = xp.maximum(value, other) - 3
            case 2:
                value = xp.where(other > 2, value, other)
            case 3:
                value = value * other
    return value


@pytest.mark.parametrize("seed", range(40))
def test_random_lines(seed: int) -> None:
    random = np.random.default_rng([seed, 52])
    dtype = np.dtype(str(random.choice(["f4", "f8", "i4", "i2", "u1"])))
    rank = int(random.integers(2, 5))
    shape = tuple(int(n) for n in random.integers(1, [9, 9, 5, 40][-rank:]))

    def array(lengths: Any) -> Any:
        return random.integers(-3, 6, lengths).astype(dtype)

    arrays = {"whole": array(shape), "number": array(())}
    for k in range(3):
        some = random.random(rank) < 0.5
        arrays[f"broadcast {k}"] = array(
            [n if is_in else 1 for n, is_in in zip(shape, some, strict=True)]
        )
    arrays["row"] = array(shape[-1:])
    state = random.bit_generator.state
    expected = _expression(random, np, arrays)
    random.bit_generator.state = state
    lazy = _expression(random, la, {name: la.asarray(a) for name, a in arrays.items()})
    result = la.evaluate(lazy)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype, width", [("f4", 4), ("f8", 2), ("f2", 8), ("u1", 8)])
@pytest.mark.parametrize("columns", [3, 33, 103, 1003])
def test_odd_lines_are_loaded_and_stored_as_vectors(columns: int, dtype: str, width: int) -> None:
    x = la.asarray(np.ones((90, columns), dtype))
    row, column = x[0].copy(), x[:, :1].copy()
    tiling = _tiling(x * row + column)
    if columns > 3:  # others have tiles of a few rows
        assert tiling == GridTiling(width, 256, is_flat=True)
        assert str(tiling) == f"vectors of {width} of all lines, 256 threads a block"


def test_repeated_elements_are_stored_as_vectors() -> None:
    x = la.asarray(np.arange(1000, dtype="f4").reshape(40, 25))
    value = la.repeat(x, 3, 1) * 2 + 1
    assert _tiling(value).is_flat
    np.testing.assert_array_equal(la.evaluate(value), np.repeat(np.asarray(x), 3, 1) * 2 + 1)


def test_what_lies_in_another_order_is_no_vector() -> None:
    x = la.asarray(np.ones((90, 1004), "f4"))
    assert not getattr(_tiling(x[:, 1:] * 2 + x[0, 1:]), "is_flat", False)
