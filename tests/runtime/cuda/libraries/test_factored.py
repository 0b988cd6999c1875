"""Systems by shared LU factors on an emulated GPU."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.linalg.factored import factored_inverse, factored_solution

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator"),
    pytest.mark.usefixtures("emulated_gpu"),
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("stacks", [((4,), (4,)), ((2, 1), (3,)), ((3,), ())], ids=str)
def test_agrees_with_numpy(dtype: str, stacks: Any) -> None:
    rng = np.random.default_rng(0)
    n, k = 7, 5
    a = (rng.random((*stacks[0], n, n)) + 2 * np.eye(n)).astype(dtype)
    b = rng.random((*stacks[1], n, k)).astype(dtype)
    if dtype[0] == "c":
        a, b = a * np.dtype(dtype).type(0.6 + 0.8j), b + 1j * b[..., ::-1]
    plain = factored_solution(la.asarray(a), la.asarray(b))
    turned = factored_solution(la.asarray(a), la.asarray(b), transposed=True)
    inverse = factored_inverse(la.asarray(a))
    assert not la.explain(plain, turned, inverse).fallbacks
    tolerance = 1e-4 if dtype in ("f4", "c8") else 1e-10
    expected = np.linalg.solve(a, b), np.linalg.solve(a.mT, b), np.linalg.inv(a).mT
    for value, other in zip(la.evaluate(plain, turned, inverse), expected, strict=True):
        np.testing.assert_allclose(value, other, rtol=tolerance, atol=tolerance)


def test_a_value_shares_the_factors_of_its_derivative() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random((3, 6, 6)) + 2 * np.eye(6), rng.random((3, 6, 2))

    def function(a: Any, b: Any) -> Any:
        x = la.linalg.solve(a, b)
        return x.sum(), x

    (_, x), gradient = la.value_and_grad(function, has_aux=True)(a, b)
    explanation = la.explain(x, gradient)
    assert not explanation.fallbacks
    assert str(explanation).count("cuSOLVER") >= 3
    x, gradient = la.evaluate(x, gradient)
    expected = np.linalg.solve(a, b)
    right = np.linalg.solve(a.mT, np.ones_like(b))
    np.testing.assert_allclose(x, expected, rtol=1e-10)
    np.testing.assert_allclose(gradient, -right @ expected.mT, rtol=1e-10)
