"""Products that sum over axes, and linear algebra, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

RNG = np.random.default_rng(2)
A = RNG.random((3, 4, 5))
B = RNG.random((3, 5, 2))
S = RNG.random((2, 4, 4)) + 4 * np.eye(4)
U = RNG.random(5)


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a @ b,
        lambda a, b: np.matmul(a, b),
        lambda a, b: a[0] @ b[0],
        lambda a, b: a @ b[0, :, 0],
        lambda a, b: a[0, 0] @ b,
        lambda a, b: a[0, 0] @ b[0, :, 0],
        lambda a, b: a @ a,
        lambda a, b: a @ b[:2],
        lambda a, b: np.matmul(a, 2.0),
        lambda a, b: a.astype("f4") @ b.astype("i4"),
        lambda a, b: (a > 0.5) @ (b > 0.5),
        lambda a, b: np.dot(a, b[0]),
        lambda a, b: a.dot(b),
        lambda a, b: np.dot(a, 2),
        lambda a, b: np.dot(a, b[:, :2]),
        lambda a, b: np.vdot(a * 1j, a * 2j),
        lambda a, b: np.vdot(a, b),
        lambda a, b: np.inner(a, a[0]),
        lambda a, b: np.inner(a, b),
        lambda a, b: np.outer(a[0, 0], b),
        lambda a, b: np.tensordot(a, b, axes=([0, 2], [0, 1])),
        lambda a, b: np.tensordot(a, b[0], axes=1),
        lambda a, b: np.tensordot(a, b, axes=0),
        lambda a, b: np.tensordot(a, b),
        lambda a, b: np.einsum("ijk,ikl->ijl", a, b),
        lambda a, b: np.einsum("ijk,ikl", a, b),
        lambda a, b: np.einsum("ijk->kj", a),
        lambda a, b: np.einsum("...jk,...kl->...jl", a, b),
        lambda a, b: np.einsum("ijk", a),
        lambda a, b: np.einsum("kji", a),
        lambda a, b: np.einsum("iij->j", a[:, :3]),
        lambda a, b: np.einsum(a, [0, 1, 2], b, [0, 2, 3], [1, 3]),
        lambda a, b: np.einsum("ij,jk", a, b),
        lambda a, b: np.einsum("ijk,ijk->i", a, b),
        lambda a, b: np.kron(a[0], b[0]),
        lambda a, b: np.vecdot(a, a * 2),
        lambda a, b: np.linalg.multi_dot([a[0], b[0], b[0].T]),
    ],
)
def test_products(compare, function):
    compare(function, A, B, rtol=1e-6)


def _without_signs(left, values, right):
    """Return the quantities that are the same for either sign of the singular vectors."""
    return abs(left), values, abs(right), (left * values[..., None, :]) @ right


@pytest.mark.parametrize(
    "function",
    [
        np.linalg.inv,
        np.linalg.det,
        np.linalg.slogdet,
        np.linalg.pinv,
        np.linalg.qr,
        np.linalg.svdvals,
        np.linalg.eigvalsh,
        np.linalg.eigvals,
        np.linalg.cond,
        np.linalg.matrix_rank,
        np.linalg.norm,
        np.linalg.matrix_norm,
        np.linalg.vector_norm,
        np.linalg.matrix_transpose,
        lambda s: np.linalg.cholesky(s @ s.mT),
        lambda s: np.linalg.eigh(s + s.mT)[0],
        lambda s: np.linalg.svd(s)[1],
        lambda s: _without_signs(*np.linalg.svd(s[..., :3], full_matrices=False)),
        lambda s: np.linalg.svd(s, compute_uv=False),
        lambda s: np.linalg.qr(s[..., :2], mode="r"),
        lambda s: np.linalg.solve(s, s[..., :2]),
        lambda s: np.linalg.solve(s[0], s[0, 0]),
        lambda s: np.linalg.matrix_power(s, 3),
        lambda s: np.linalg.norm(s, axis=1),
        lambda s: np.linalg.norm(s, 1, axis=(1, 2)),
        lambda s: np.linalg.norm(s, 2, axis=(0, 1)),
        lambda s: np.linalg.norm(s, np.inf, axis=(2, 1), keepdims=True),
        lambda s: np.linalg.norm(s, 3, axis=-1),
        lambda s: np.linalg.norm(s[0], "nuc"),
        lambda s: np.linalg.norm(s[0], "bad"),
        lambda s: np.linalg.norm(s * 1j),
        lambda s: np.linalg.trace(s),
        lambda s: np.linalg.diagonal(s, offset=1),
        lambda s: np.linalg.lstsq(s[0], s[0, 0])[0],
        lambda s: np.linalg.inv(s[0, 0]),
        lambda s: np.linalg.inv(s[:, :2]),
    ],
)
def test_linear_algebra(compare, function):
    compare(function, S, rtol=1e-9)


def test_singular_matrix_raises_when_evaluated(compare):
    compare(np.linalg.inv, np.zeros((2, 2)))


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) >= "2.5.0", reason="gone")
@pytest.mark.filterwarnings("ignore:.*2-dimensional vectors:DeprecationWarning")
def test_a_component_that_is_missing_is_no_factor() -> None:
    x = np.array([[np.inf, 1.0, -0.0], [0.0, -2.0, np.inf]])
    y = np.array([3.0, -0.0])
    for a, b in ((x, y), (y, x)):
        with np.errstate(invalid="ignore"):
            expected, result = np.cross(a, b), la.cross(la.array(a), la.array(b)).compute()
        np.testing.assert_array_equal(result, expected)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result[known]), np.signbit(expected[known]))


@pytest.mark.host
@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize(
    "function",
    [
        lambda m, a, b: m.tensordot(a, b, axes=0),
        lambda m, a, b: m.tensordot(a[:, None], b[None], axes=1),
        lambda m, a, b: m.linalg.tensordot(a, b, axes=0),
        lambda m, a, b: m.dot(a[:, None], b[None]),
        lambda m, a, b: m.inner(a[:, None], b[:, None]),
        lambda m, a, b: m.matmul(a[:, None], b[None]),
        lambda m, a, b: m.outer(a, b),
    ],
)
@pytest.mark.parametrize("dtypes", [("c16", "c16"), ("c8", "c8"), ("c16", "f8"), ("f4", "c8")])
def test_columns_times_rows_of_complex_have_numpys_bits(dtypes, function, immediate) -> None:
    special = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -2.0, *RNG.random(3)]
    numbers = np.array([complex(real, imaginary) for real in special for imaginary in special])
    a, b = (
        (numbers if np.dtype(dtype).kind == "c" else numbers.real).astype(dtype)[place]
        for dtype, place in zip(dtypes, (slice(None), slice(1, None, 3)), strict=True)
    )
    with np.errstate(all="ignore"), la.config(immediate=immediate):
        expected, result = function(np, a, b), function(la, la.array(a), la.array(b)).compute()
    for part in ("real", "imag"):
        mine, theirs = getattr(result, part), getattr(expected, part)
        np.testing.assert_array_equal(mine, theirs)
        known = ~np.isnan(theirs)
        np.testing.assert_array_equal(np.signbit(mine[known]), np.signbit(theirs[known]))
