"""Short sums that are written out on a GPU: the same bits, in the kernel of what reduces them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

TERMS: dict[str, Callable[[Any], Any]] = {
    "squares": lambda t: t**2,
    "absolute": lambda t: abs(t) * 0.5,
    "zeros": lambda t: t * 0 - 0.0,
}
AFTER: dict[str, Callable[[Any], Any]] = {
    "min": lambda s: s.min(axis=1),
    "argmin": lambda s: s.argmin(axis=1),
    "any": lambda s: (s < 0.25).any(axis=1),
    "largest of all": lambda s: la.exp(-s).max(),
}


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    use_row(monkeypatch, tuning, short_sum_share=1)
    forget_plans()
    with la.config(device="cuda", cache_dir="off", immediate=0):
        yield
    forget_plans()


def pairs(dtype: str, width: int) -> tuple[Any, Any]:
    random = np.random.default_rng(width)
    rows, columns = (random.random((n, width)) - 0.5 for n in (20, 41))
    return la.asarray(rows.astype(dtype)), la.asarray(columns.astype(dtype))


@pytest.mark.parametrize(
    ("width", "dtype"), [*product(range(2, 11), ["f4", "f8"]), (11, "f4"), (12, "f4")]
)
def test_sums_have_the_bits_of_stored_ones(
    dtype: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = pairs(dtype, width)
    after = AFTER[list(AFTER)[width % len(AFTER)]]
    term = list(TERMS.values())[(width + (dtype == "f4")) % len(TERMS)]
    fused = after(term(a[:, None] - b).sum(axis=-1))
    assert len(la.explain(fused).kernels) <= 2 - (fused.ndim > 0)
    got = np.asarray(fused)
    none = {"short_sum": (0, 0), "short_sum_of_extremum": (0, 0)}
    use_row(monkeypatch, tuning, **none, pair_threads_least=1)
    forget_plans()
    apart = after(term(a[:, None] - b).sum(axis=-1))
    assert len(la.explain(apart).kernels) >= 2
    assert np.asarray(apart).tobytes() == got.tobytes()


@pytest.mark.parametrize(("width", "after"), [(9, "sum"), (10, "sum"), (12, "max"), (12, "argmin")])
def test_longer_sums_are_stored_where_sums_follow(width: int, after: str) -> None:
    """Of nine float64 and ten float32 on: their kernels take longer than to store them does."""
    for dtype in ("f4", "f8"):
        a, b = pairs(dtype, width)
        squares = ((a[:, None] - b) ** 2).sum(axis=-1)
        kernels = la.explain(getattr(la, after)(squares, axis=1)).kernels
        written_out = dtype == "f4" and (after != "sum" or width == 9)
        assert len(kernels) == (1 if written_out else 2)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_sums_of_squares_begin_with_zero(dtype: str) -> None:
    """The imaginary part of a square may be -0, to which a sum adds 0; a real square never is."""
    a, b = np.ones((20, 2), dtype), np.zeros((41, 2), dtype)
    if dtype.startswith("c"):
        a.imag = -0.0
    squares = (la.asarray(a)[:, None] - la.asarray(b)) ** 2
    part = squares.sum(axis=-1).imag if dtype.startswith("c") else squares.sum(axis=-1)
    expected = ((a[:, None] - b) ** 2).sum(axis=-1)
    expected = expected.imag if dtype.startswith("c") else expected
    result = np.asarray(part.max(axis=1))
    assert result.tobytes() == expected.max(axis=1).tobytes()


def test_what_is_read_again_or_not_reduced_is_stored() -> None:
    a, b = pairs("f8", 3)
    squares = ((a[:, None] - b) ** 2).sum(axis=-1)
    assert len(la.explain(squares, squares.min(axis=1)).kernels) == 2
    assert len(la.explain(squares.min(axis=1) + squares.sum(axis=1)).kernels) >= 2
    np.testing.assert_allclose(
        la.evaluate(squares.min(axis=1)), np.asarray(squares).min(axis=1), rtol=1e-15
    )


def test_sums_of_what_lies_in_memory_stay_sums() -> None:
    x = la.asarray(np.random.default_rng(0).random((40, 30, 4)))
    assert len(la.explain((x * 2).sum(axis=2).max(axis=1)).kernels) == 2


def test_stacks_and_one_element_along_the_last_axis() -> None:
    random = np.random.default_rng(1)
    a, b, c = (random.random(shape) for shape in [(3, 1, 20, 4), (3, 30, 1, 4), (30, 1, 1)])
    x, y, z = map(la.asarray, (a, b, c))
    nearest = ((x - y) ** 2 * z).sum(axis=-1).min(axis=2)
    assert len(la.explain(nearest).kernels) == 1
    expected = ((a - b) ** 2 * c).sum(axis=-1).min(axis=2)
    np.testing.assert_allclose(np.asarray(nearest), expected, rtol=1e-14)
