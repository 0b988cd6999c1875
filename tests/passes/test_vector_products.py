"""Products of matrices and vectors as sums: which, over which axis, and that they are right."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


def _templates(expression: Any) -> list[str]:
    with la.config(device="cuda"):
        explained = la.explain(expression)
    assert not explained.library_calls
    return [kernel.template for kernel in explained.kernels]


def test_rows_are_summed_where_the_summed_axis_lies_along_memory() -> None:
    x = la.asarray(np.zeros((3000, 500)))
    v, w = la.asarray(np.zeros(500)), la.asarray(np.zeros(3000))
    assert _templates(x @ v) == ["rows"]
    assert _templates(w @ x) == ["columns"]
    assert _templates(x.T @ w) == ["columns"]
    assert _templates(v @ x.T) == ["rows"]
    assert _templates((x - 1).T @ w) == ["columns"]


def test_what_precedes_and_follows_shares_the_kernel() -> None:
    x, v = la.asarray(np.zeros((3000, 500))), la.asarray(np.zeros(500))
    assert _templates(np.tanh((x - 1) @ v + 2)) == ["rows"]


def test_matrices_and_integers_are_left_to_the_library() -> None:
    a = la.asarray(np.zeros((300, 200)))
    with la.config(device="cuda"):
        assert la.explain(a @ a.T).library_calls
        integers = la.asarray(np.zeros((300, 200), "i8"))
        assert la.explain(integers @ integers[0]).library_calls


_LENGTHS = st.sampled_from([1, 2, 3, 7, 33])


@st.composite
def _products(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the operands of a product, one of which is a vector, with or without stacks."""
    n, k = draw(_LENGTHS), draw(_LENGTHS)
    stack = tuple(draw(st.lists(st.sampled_from([1, 2, 3]), max_size=2)))
    thin = tuple(draw(st.sampled_from([1, size])) for size in stack)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    matrix_first = draw(st.booleans())
    flat = draw(st.booleans())
    dtype = draw(st.sampled_from(["f8", "f4"]))
    shape = (*stack, n, k) if matrix_first else (*stack, k, n)
    matrix = rng.uniform(0.5, 1.5, shape).astype(dtype)
    if draw(st.booleans()):
        matrix = np.ascontiguousarray(matrix.swapaxes(-1, -2)).swapaxes(-1, -2)
    column = (k,) if flat else (*thin, *((k, 1) if matrix_first else (1, k)))
    vector = rng.uniform(0.5, 1.5, column).astype(dtype)
    return (matrix, vector) if matrix_first else (vector, matrix)


@given(operands=_products())
@settings(max_examples=25, deadline=None)
def test_random_products(operands: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]) -> None:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    expected = np.matmul(*operands)
    with pytest.MonkeyPatch.context() as patch, la.config(device="cuda"):
        patch.setattr(driver, "_devices", [EmulatedDevice()])
        forget_plans()
        result = np.asarray(np.sqrt(la.matmul(*map(la.asarray, operands))))
        forget_plans()
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, np.sqrt(expected), rtol=3e-6)


@pytest.mark.usefixtures("_emulated")
def test_dot_products() -> None:
    v = np.linspace(0, 1, 1001)
    assert float(la.asarray(v) @ la.asarray(v)) == pytest.approx(float(v @ v), rel=1e-14)
    assert la.explain(la.asarray(v) @ la.asarray(v)).kernels[0].template == "rows"
