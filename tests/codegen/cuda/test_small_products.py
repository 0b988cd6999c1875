"""Stacks of small products as elementwise kernels: which, and that their sums are right."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

Shape = tuple[int, ...]


@pytest.fixture
def _emulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
    forget_plans()
    with la.config(device="cuda"):
        yield
    forget_plans()


def _steps(left: Shape, right: Shape, dtype: str = "f8") -> tuple[int, int]:
    """Return the numbers of kernels and of library calls of a product with what follows it."""
    a, b = (la.asarray(np.zeros(shape, dtype)) for shape in (left, right))
    with la.config(device="cuda"):
        explained = la.explain(np.tanh(2 * a @ b + 1))
    return len(explained.kernels), len(explained.library_calls)


def test_which_products_are_written_out() -> None:
    """As measured: the faster way of each."""
    assert _steps((999, 33, 4), (999, 4, 4)) == (1, 0)
    assert _steps((999, 4, 64), (999, 64, 4))[1] == 0
    assert _steps((999, 8, 33), (999, 33, 4), "f4") == (1, 0)
    assert _steps((7, 9, 4, 4), (9, 4, 4)) == (1, 0)
    assert _steps((999, 12, 40), (999, 40, 10))[1] == 0
    assert _steps((999, 24, 24), (999, 24, 24))[1] == 1
    assert _steps((999, 32, 32), (999, 32, 32))[1] == 1
    assert _steps((999, 64, 16), (999, 16, 64))[1] == 1
    assert _steps((999, 64, 16), (999, 16, 64), "f4")[1] == 1
    # What follows is in the same kernel.
    assert _steps((999, 20, 20), (999, 20, 20)) == (1, 0)
    a = la.asarray(np.zeros((999, 20, 20)))
    with la.config(device="cuda"):
        assert len(la.explain(a @ a).library_calls) == 1
    # More terms, no stack, other dtypes, nothing to add: the library's.
    depth = tuning.row().product_depth
    assert _steps((999, 4, depth + 1), (999, depth + 1, 4))[1] == 1
    assert _steps((4, 4), (4, 4))[1] == 1
    assert _steps((9, 4, 4), (9, 4, 4), "c16")[1] == 1
    assert _steps((9, 4, 0), (9, 0, 4))[1] == 1


def test_a_library_step_has_products_of_few_columns_whose_left_rows_lie_in_memory() -> None:
    """Of transposed left matrices the kernel for few columns reads no rows."""
    rows = la.asarray(np.zeros((4000, 33, 64), "f4"))
    columns = la.asarray(np.zeros((4000, 64, 33), "f4")).swapaxes(1, 2)
    right = la.asarray(np.zeros((4000, 64, 4), "f4"))
    with la.config(device="cuda"):
        assert len(la.explain(rows @ right).library_calls) == 1
        assert not la.explain(columns @ right).library_calls


@st.composite
def _operands(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return two stacks of matrices that broadcast together, as they lie or transposed."""
    m, k, n = (draw(st.integers(1, 6)) for _ in range(3))
    stack = draw(st.sampled_from([(3,), (2, 3), (1, 2)]))
    dropped = draw(st.integers(0, len(stack)))
    single = tuple(draw(st.sampled_from([size, 1])) for size in stack[dropped:])
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from(["f4", "f8"]))

    def matrices(shape: Shape) -> Any:
        if draw(st.booleans()):
            turned = rng.standard_normal((*shape[:-2], shape[-1], shape[-2])).astype(dtype)
            return turned.swapaxes(-1, -2)
        return rng.standard_normal(shape).astype(dtype)

    return matrices((*stack, m, k)), matrices((*single, k, n))


@pytest.mark.usefixtures("_emulated")
@settings(max_examples=25, deadline=None)
@given(_operands(), st.booleans())
def test_sums_of_products(operands: tuple[Any, Any], swapped: bool) -> None:
    a, b = operands
    if swapped:
        a, b = b.swapaxes(-1, -2), a.swapaxes(-1, -2)
    x, y = la.asarray(a), la.asarray(b)
    result, expected = la.evaluate(x @ y * 2 - 1), a @ b * 2 - 1
    assert result.shape == expected.shape and result.dtype == expected.dtype
    tolerance = 8 * np.finfo(a.dtype).eps
    largest = np.abs(a).max() * np.abs(b).max() * a.shape[-1] * 2 + 1
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * largest)
