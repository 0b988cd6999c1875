"""One factorisation for a solution and its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.linalg.factored import factored_inverse, factored_solution
from lazyarr.ops import triangular
from lazyarr.runtime.cpu.blas_threads import limited

DTYPES = ("f4", "f8", "c8", "c16")


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_values_beside_derivatives_have_the_bits_of_numpy(seed: int, threads: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = DTYPES[seed % 4]
    # On several threads LAPACK's bits are other ones from 100 on.
    n, k = int(rng.integers(1, 60)) + 80 * (threads > 1), int(rng.integers(1, 9))
    stacks = [((), ()), ((2,), (2,)), ((), (3,)), ((2, 1), (3,))][seed % 3]
    a, b = _drawn(rng, (*stacks[0], n, n), dtype), _drawn(rng, (*stacks[1], n, k), dtype)
    if seed == 5:
        b = b[0, :, 0]

    def function(a: Any, b: Any) -> Any:
        x = la.linalg.solve(a, b)
        return abs(x).sum(), x

    with la.config(threads=threads), limited(threads):
        (_, x), gradients = la.value_and_grad(function, (0, 1), has_aux=True)(a, b)
        text = str(la.explain(x, *gradients))
        # A matrix for several stacks is factorised for each, where its two calls have other bits.
        is_own = stacks[0] == stacks[1] or b.ndim == 1
        apart = threads > 1 and not is_own
        assert ("linalg.solve" in text.replace("linalg.solved", "")) == apart
        assert ("linalg.solved_sides" in text) == is_own
        x, *_ = la.evaluate(x, *gradients)
        np.testing.assert_array_equal(x, np.linalg.solve(a, b))


@pytest.mark.parametrize("lapack", [True, False], ids=["LAPACK", "NumPy"])
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_numpy(seed: int, lapack: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not lapack:
        monkeypatch.setattr(triangular, "LAPACK", {})
    rng = np.random.default_rng(seed)
    dtype = DTYPES[seed % 4]
    n, k = (int(x) for x in rng.integers(0, 30, 2))
    stacks = [((), ()), ((2,), (2,)), ((3, 1), (2,)), ((), (2, 2))][seed // 2]
    a = _drawn(rng, (*stacks[0], n, n), dtype) / max(n, 1) ** 0.5 + 2 * np.eye(n, dtype=dtype)
    b = _drawn(rng, (*stacks[1], n, k), dtype)
    transposed = bool(rng.integers(2))
    x = factored_solution(la.asarray(a), la.asarray(b), transposed=transposed)
    inverse = factored_inverse(la.asarray(a))
    tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-10
    options = {"rtol": tolerance, "atol": tolerance}
    expected = np.linalg.solve(a.mT if transposed else a, b)
    assert x.dtype == expected.dtype and x.shape == expected.shape
    np.testing.assert_allclose(x.compute(), expected, **options)
    np.testing.assert_allclose(inverse.compute(), np.linalg.inv(a).mT, **options)


def test_singular_matrices() -> None:
    gradient = la.grad(lambda a, b: la.linalg.solve(a, b).sum())(np.zeros((3, 3)), np.ones((3, 1)))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        gradient.compute()


def test_right_sides_made_of_factors_are_solved_for_after_them() -> None:
    rng = np.random.default_rng(0)
    a, b = _drawn(rng, (20, 20), "f8"), _drawn(rng, (20, 2), "f8")
    with la.config(threads=2), limited(2):
        matrix = la.asarray(a)
        x = factored_solution(matrix, la.asarray(b))
        y, expected = la.linalg.solve(matrix, x), np.linalg.solve(a, np.linalg.solve(a, b))
        np.testing.assert_allclose(la.evaluate(y), expected, rtol=1e-9)
