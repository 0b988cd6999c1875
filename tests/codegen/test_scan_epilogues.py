"""Cheap operations on scans are computed in the scan's kernel, with NumPy's bits on processors."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

Array = np.ndarray[Any, Any]
Form = Callable[[Any, Any, Any, int], Any]

FORMS: dict[str, Form] = {
    "half": lambda xp, a, b, axis: xp.cumsum(2 * a - 1, axis=axis) / 2,
    "by another": lambda xp, a, b, axis: xp.cumsum(a, axis=axis) * b - a,
    "by a row": lambda xp, a, b, axis: xp.cumsum(a, axis=axis) - b[..., :1],
    "of products": lambda xp, a, b, axis: 1 - xp.cumprod(a % 2, axis=axis),
    "bounded": lambda xp, a, b, axis: xp.minimum(xp.cumsum(a, axis=axis), 3),
    "compared": lambda xp, a, b, axis: xp.cumsum(a, axis=axis) > b,
    "used twice": lambda xp, a, b, axis: (lambda c: xp.where(c > 0, c, b) + c)(
        xp.cumsum(a, axis=axis)
    ),
}
#: Shapes and axes: rows, columns, pieces of long rows, and rows with an odd end.
SHAPES = [((7, 6, 33), 2), ((7, 6, 33), 0), ((5, 40, 3), 1), ((3, 2050), 1), ((30_001,), 0)]


def _arrays(shape: tuple[int, ...], dtype: str) -> tuple[Array, Array]:
    generator = np.random.default_rng(len(shape))
    first, second = generator.standard_normal((2, *shape)) * 2
    return first.astype(dtype), second.astype(dtype)


def _kernels(expression: Any) -> int:
    return len(la.explain(expression).kernels)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_one_kernel_with_the_bits_of_numpy(
    shape: tuple[int, ...], axis: int, form: str, dtype: str
) -> None:
    a, b = _arrays(shape, dtype)
    with np.errstate(all="ignore"):
        expected = FORMS[form](np, a, b, axis)
        lazy = FORMS[form](la, la.asarray(a), la.asarray(b), axis)
        assert _kernels(lazy) == 1
        np.testing.assert_array_equal(la.evaluate(lazy), expected)


def test_the_scan_is_stored_only_if_it_is_asked_for() -> None:
    a, _ = _arrays((9, 4000), "f8")
    with la.config(immediate=0):
        total = la.cumsum(la.asarray(a), axis=1)
        half = total / 2
    assert la.explain(half).bytes_moved < la.explain(total, half).bytes_moved
    ours, theirs = la.evaluate(total, half)
    np.testing.assert_array_equal(ours, np.cumsum(a, axis=1))
    np.testing.assert_array_equal(theirs, np.cumsum(a, axis=1) / 2)


@pytest.mark.parametrize(
    "follow",
    [
        lambda xp, c: xp.exp(c),
        lambda xp, c: c[:, ::-1] + c,
        lambda xp, c: xp.cumsum(c, axis=0),
        lambda xp, c: c.sum(axis=1),
    ],
    ids=["expensive", "elsewhere", "another scan", "reduced"],
)
def test_what_does_not_follow_elements_has_a_kernel_of_its_own(
    follow: Callable[[Any, Any], Any],
) -> None:
    a, _ = _arrays((50, 400), "f8")
    lazy = follow(la, la.cumsum(la.asarray(a), axis=1))
    assert _kernels(lazy) == 2
    np.testing.assert_allclose(la.evaluate(lazy), follow(np, np.cumsum(a, axis=1)), rtol=1e-12)


@given(st.integers(1, 5), st.integers(1, 300), st.sampled_from(sorted(FORMS)), st.integers(0, 1))
def test_any_lengths(rows: int, length: int, form: str, axis: int) -> None:
    a, b = _arrays((rows, length), "f8")
    with np.errstate(all="ignore"), la.config(immediate=0):
        expected = FORMS[form](np, a, b, axis)
        result = la.evaluate(FORMS[form](la, la.asarray(a), la.asarray(b), axis))
    np.testing.assert_array_equal(result, expected)


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


@pytest.mark.usefixtures("_emulated")
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("form", FORMS)
def test_one_kernel_on_an_emulated_gpu(shape: tuple[int, ...], axis: int, form: str) -> None:
    a, b = _arrays(shape, "f8")
    a[a == 0] = 1
    lazy = FORMS[form](la, la.asarray(a), la.asarray(b), axis)
    assert _kernels(lazy) == 1
    with np.errstate(all="ignore"):
        expected = FORMS[form](np, a, b, axis)
        result = la.evaluate(lazy)
    if expected.dtype == bool:
        assert np.mean(result != expected) < 0.001
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
