"""Triangular systems by cuBLAS, emulated on the CPU, and derivatives that are made of them."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.linalg.triangular import solve_triangular

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]


STACKS = [((), ()), ((4,), (4,)), ((), (3,)), ((2, 1), (3,)), ((3,), ())]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("stacks", STACKS, ids=str)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
def test_agrees_with_numpy(dtype: str, stacks: Any, lower: bool, transposed: bool) -> None:
    rng = np.random.default_rng(0)
    n, k = 7, 5
    a = (rng.random((*stacks[0], n, n)) + 2 * np.eye(n)).astype(dtype)
    b = rng.random((*stacks[1], n, k)).astype(dtype)
    if dtype[0] == "c":
        a, b = a * np.dtype(dtype).type(0.6 + 0.8j), b + 1j * b[..., ::-1]
    triangle = np.tril(a) if lower else np.triu(a)
    expected = np.linalg.solve(triangle.mT if transposed else triangle, b)
    x = solve_triangular(la.asarray(a), la.asarray(b), lower=lower, transposed=transposed)
    assert not la.explain(x).fallbacks
    tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-10
    np.testing.assert_allclose(x.compute(), expected, rtol=tolerance, atol=tolerance)


def test_derivatives_of_factors_stay_on_the_device() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((6, 6))

    def function(x: Any) -> Any:
        return la.linalg.cholesky(x @ x.T + 3 * np.eye(6)).sum()

    gradient = la.grad(function)(x)
    assert not la.explain(gradient).fallbacks
    with la.config(device="cpu"):
        expected = la.grad(function)(x).compute()
    np.testing.assert_allclose(gradient.compute(), expected, rtol=1e-10)
