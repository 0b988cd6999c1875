"""Solutions of triangular systems, by NumPy's BLAS and by NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.linalg.triangular import solve_triangular
from lazyarr.ops import triangular
from lazyarr.ops.triangular import ROUTINES

DTYPES = ("f4", "f8", "c8", "c16")


@pytest.fixture(params=["BLAS", "NumPy"])
def routines(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "NumPy":
        monkeypatch.setattr(triangular, "ROUTINES", {})
    elif not ROUTINES:
        pytest.skip("NumPy's BLAS is not known")
    return str(request.param)


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.usefixtures("routines")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_general_solutions(dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = (int(x) for x in rng.integers(0, 40, 2))
    stacks = [((), ()), ((2,), (2,)), ((3, 1), (2,)), ((), (2, 2))][seed % 4]
    lower, transposed = bool(rng.integers(2)), bool(rng.integers(2))
    a = _drawn(rng, (*stacks[0], n, n), dtype) / max(n, 1) ** 0.5 + 2 * np.eye(n, dtype=dtype)
    b = _drawn(rng, (*stacks[1], n, k), dtype)
    other = np.triu(np.full((n, n), np.nan), 1)  # is not read
    stored = (a + (other if lower else other.T)).astype(dtype)
    triangle = np.tril(a) if lower else np.triu(a)
    expected = np.linalg.solve(triangle.mT if transposed else triangle, b)
    x = solve_triangular(la.asarray(stored), la.asarray(b), lower=lower, transposed=transposed)
    assert x.dtype == expected.dtype and x.shape == expected.shape
    tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-10
    np.testing.assert_allclose(x.compute(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("routines")
def test_operands_in_any_order_are_left_as_they_are() -> None:
    rng = np.random.default_rng(3)
    a, b = np.tril(rng.random((9, 9))) + np.eye(9), rng.random((5, 9)).T
    before = a.copy(), b.copy()
    x = triangular.solve_triangular(a.T[::-1].T[:, ::-1], b, lower=True, transposed=False)
    np.testing.assert_allclose(np.tril(a) @ x, b, rtol=1e-12)
    assert all(np.array_equal(*pair) for pair in zip(before, (a, b), strict=True))


@pytest.mark.usefixtures("routines")
def test_a_zero_on_the_diagonal_is_no_error() -> None:
    x = triangular.solve_triangular(np.zeros((1, 1)), np.ones((1, 2)), lower=True, transposed=False)
    assert np.all(np.isinf(x))


def test_all_dtypes_of_a_known_library_have_a_routine() -> None:
    if ROUTINES:
        assert {np.dtype(code) for code in DTYPES} == set(ROUTINES)
