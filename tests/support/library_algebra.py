"""Library calls of linear algebra: products with what follows them, and decompositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.library_case import Case, draw, hermitian, positive, shapes

ALL = ("f2", "f4", "f8", "c8", "c16")

PRODUCTS = [
    Case("matmul", lambda xp, a, b: xp.matmul(a, b), shapes((17, 23), (23, 31)), ALL),
    Case("matmul-turned-left", lambda xp, a, b: a.T @ b, shapes((23, 17), (23, 31)), ALL),
    Case("matmul-turned-right", lambda xp, a, b: a @ b.T, shapes((17, 23), (31, 23)), ALL),
    Case("matmul-turned-both", lambda xp, a, b: a.T @ b.T, shapes((23, 17), (31, 23)), ALL),
    Case("matmul-slices", lambda xp, a, b: a[1:9, 2:20] @ b[::2, 3:], shapes((17, 23), (36, 31))),
    Case("matmul-reversed", lambda xp, a, b: a[::-1] @ b[:, ::-1], shapes((7, 9), (9, 5))),
    Case("matmul-vector", lambda xp, a, b: a @ b, shapes((17, 23), (23,)), ALL),
    Case("vector-matmul", lambda xp, a, b: a @ b, shapes((17,), (17, 23)), ALL),
    Case("vector-vector", lambda xp, a, b: a @ b, shapes((170,), (170,))),
    Case("matmul-stacks", lambda xp, a, b: a @ b, shapes((5, 7, 9), (5, 9, 4)), ALL),
    Case("matmul-stack-left", lambda xp, a, b: a @ b, shapes((5, 7, 9), (9, 4))),
    Case("matmul-stack-right", lambda xp, a, b: a @ b, shapes((7, 9), (5, 9, 4))),
    Case("matmul-stack-vector", lambda xp, a, b: a @ b, shapes((5, 7, 9), (9,))),
    Case("matmul-vector-stack", lambda xp, a, b: a @ b, shapes((9,), (5, 9, 4))),
    Case("matmul-broadcast", lambda xp, a, b: a @ b, shapes((3, 1, 7, 9), (5, 9, 4))),
    Case("matmul-broadcast-both", lambda xp, a, b: a @ b, shapes((3, 1, 7, 9), (1, 5, 9, 4))),
    Case(
        "matmul-stacks-turned",
        lambda xp, a, b: xp.swapaxes(a, -1, -2) @ b,
        shapes((5, 9, 7), (5, 9, 4)),
    ),
    Case("matmul-empty-sum", lambda xp, a, b: a[:, :0] @ b[:0], shapes((4, 3), (3, 5))),
    Case("matmul-empty", lambda xp, a, b: a[:0] @ b, shapes((4, 3), (3, 5))),
    Case(
        "matmul-computed",
        lambda xp, a, b: (a + 1) @ (b * 2) - a.sum(),
        shapes((14, 13), (13, 15)),
        ("f4", "f8"),
    ),
    Case("dot-nd", lambda xp, a, b: xp.dot(a, b), shapes((3, 4, 5), (2, 5, 6))),
    Case("dot-turned", lambda xp, a, b: xp.dot(a.T, b), shapes((5, 4, 3), (2, 5, 6))),
    Case("inner", lambda xp, a, b: xp.inner(a, b), shapes((3, 4, 5), (2, 5))),
    Case("vdot", lambda xp, a, b: xp.vdot(a, b), shapes((3, 40), (40, 3))),
    Case("vdot-step", lambda xp, a, b: xp.vdot(a[::2], b[::-2]), shapes((40,), (40,))),
    Case("tensordot", lambda xp, a, b: xp.tensordot(a, b), shapes((3, 4, 5), (4, 5, 6))),
    Case(
        "tensordot-axes",
        lambda xp, a, b: xp.tensordot(a, b, axes=([0, 2], [1, 0])),
        shapes((3, 4, 5), (5, 3, 6)),
    ),
    Case("vecdot", lambda xp, a, b: xp.vecdot(a, b), shapes((30, 8), (30, 8)), ("f4", "f8")),
    Case("einsum-matmul", lambda xp, a, b: xp.einsum("ij,jk->ik", a, b), shapes((7, 8), (8, 9))),
    Case("einsum-turned", lambda xp, a, b: xp.einsum("ji,kj->ki", a, b), shapes((8, 7), (9, 8))),
    Case(
        "einsum-stack",
        lambda xp, a, b: xp.einsum("bij,bjk->bik", a, b),
        shapes((4, 7, 8), (4, 8, 9)),
    ),
    Case(
        "einsum-stack-last",
        lambda xp, a, b: xp.einsum("ijb,jkb->ikb", a, b),
        shapes((7, 8, 4), (8, 9, 4)),
    ),
    Case(
        "einsum-dots", lambda xp, a, b: xp.einsum("...ij,...jk", a, b), shapes((4, 7, 8), (4, 8, 9))
    ),
    Case("einsum-outer", lambda xp, a, b: xp.einsum("i,j->ij", a, b), shapes((4,), (5,))),
    Case(
        "einsum-chain",
        lambda xp, a, b, c: xp.einsum("ij,jk,kl->il", a, b, c),
        shapes((4, 5), (5, 6), (6, 7)),
    ),
    Case(
        "einsum-two-sums",
        lambda xp, a, b: xp.einsum("abc,cbd->ad", a, b),
        shapes((4, 5, 6), (6, 5, 7)),
    ),
    Case(
        "einsum-diagonal",
        lambda xp, a, b: xp.einsum("ii,ij->ij", a, b) if False else xp.einsum("iij,jk->ik", a, b),
        shapes((4, 4, 6), (6, 5)),
    ),
    Case("einsum-turn", lambda xp, a: xp.einsum("ijk->kji", a), shapes((4, 5, 6))),
    Case(
        "einsum-lists",
        lambda xp, a, b: xp.einsum(a, [0, 1], b, [1, 2], [2, 0]),
        shapes((4, 5), (5, 6)),
    ),
]


def with_nan(*expected: tuple[int, ...]) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        value = tuple(draw(rng, dtype, *shape) for shape in expected)
        value[0][0, 0] = np.nan
        return value

    return make


#: What follows a product.
EPILOGUES = [
    Case("bias", lambda xp, a, b, c: a @ b + c, with_nan((17, 23), (23, 31), (31,)), ("f8", "f4")),
    Case("bias-row", lambda xp, a, b, c: c + a @ b, shapes((17, 23), (23, 31), (1, 31)), ("f4",)),
    Case(
        "bias-step", lambda xp, a, b, c: a @ b + c[::2], shapes((7, 23), (23, 31), (62,)), ("f4",)
    ),
    Case(
        "bias-computed",
        lambda xp, a, b, c: a @ b + xp.exp(c),
        shapes((17, 23), (23, 31), (31,)),
        ("f4",),
    ),
    Case(
        "bias-column",
        lambda xp, a, b, c: a @ b + c,
        shapes((17, 23), (23, 31), (17, 1)),
        ("f4",),
    ),
    Case("ramp", lambda xp, a, b: xp.maximum(a @ b, 0), with_nan((17, 23), (23, 31)), ("f4",)),
    Case(
        "bias-ramp",
        lambda xp, a, b, c: xp.maximum(a.T @ b.T + c, 0),
        with_nan((23, 17), (31, 23), (31,)),
        ("f4",),
    ),
    Case(
        "two-layers",
        lambda xp, a, b, c: xp.maximum(xp.maximum(a @ b + c, 0) @ b + c, 0) * 2,
        shapes((17, 31), (31, 31), (31,)),
        ("f4",),
    ),
]


def _svd_back(u: Any, s: Any, vh: Any) -> Any:
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]


def _without_rank(result: Any) -> Any:
    solution, residuals, rank, values = result
    assert isinstance(rank, (int, np.integer))
    return solution, residuals, values


SOLVERS = [
    Case("solve", lambda xp, a, b: xp.linalg.solve(a, b), shapes((9, 9), (9, 4))),
    Case("solve-vector", lambda xp, a, b: xp.linalg.solve(a, b), shapes((9, 9), (9,))),
    Case("solve-turned", lambda xp, a, b: xp.linalg.solve(a.T, b[::-1]), shapes((9, 9), (9, 4))),
    Case("solve-stacks", lambda xp, a, b: xp.linalg.solve(a, b), shapes((3, 6, 6), (3, 6, 2))),
    Case("solve-broadcast", lambda xp, a, b: xp.linalg.solve(a, b), shapes((6, 6), (3, 6, 2))),
    Case(
        "solve-broadcast-both",
        lambda xp, a, b: xp.linalg.solve(a, b),
        shapes((2, 1, 6, 6), (3, 6, 2)),
    ),
    Case("solve-one-many", lambda xp, a, b: xp.linalg.solve(a, b), shapes((6, 6), (3, 2, 6, 4))),
    Case(
        "solve-large-stacks",
        lambda xp, a, b: xp.linalg.solve(a, b),
        shapes((2, 150, 150), (2, 150, 3)),
    ),
    Case("inv", lambda xp, a: xp.linalg.inv(a), shapes((17, 17))),
    Case("inv-stacks", lambda xp, a: xp.linalg.inv(a), shapes((2, 3, 5, 5))),
    Case("det", lambda xp, a: xp.linalg.det(a), shapes((7, 7))),
    Case("det-stacks", lambda xp, a: xp.linalg.det(a), shapes((4, 5, 5))),
    Case("slogdet", lambda xp, a: tuple(xp.linalg.slogdet(a)), shapes((4, 5, 5))),
    Case("cholesky", lambda xp, a: xp.linalg.cholesky(a), positive(12, 12)),
    Case("cholesky-upper", lambda xp, a: xp.linalg.cholesky(a, upper=True), positive(3, 8, 8)),
    Case("qr", lambda xp, a: tuple(xp.linalg.qr(a)), shapes((12, 7)), invariant=lambda q, r: q @ r),
    Case(
        "qr-wide",
        lambda xp, a: tuple(xp.linalg.qr(a)),
        shapes((3, 5, 9)),
        invariant=lambda q, r: q @ r,
    ),
    Case(
        "qr-complete",
        lambda xp, a: tuple(xp.linalg.qr(a, "complete")),
        shapes((9, 5)),
        invariant=lambda q, r: q @ r,
    ),
    Case("qr-r", lambda xp, a: xp.linalg.qr(a, "r"), shapes((9, 5)), invariant=np.abs),
    Case(
        "eigh",
        lambda xp, a: tuple(xp.linalg.eigh(a)),
        hermitian(13, 13),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2)),
    ),
    Case(
        "eigh-upper-stacks",
        lambda xp, a: tuple(xp.linalg.eigh(a, "U")),
        hermitian(3, 6, 6),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2)),
    ),
    Case("eigvalsh", lambda xp, a: xp.linalg.eigvalsh(a), hermitian(2, 9, 9)),
    Case(
        "svd",
        lambda xp, a: tuple(xp.linalg.svd(a, full_matrices=False)),
        shapes((12, 7)),
        invariant=_svd_back,
    ),
    Case(
        "svd-small",
        lambda xp, a: tuple(xp.linalg.svd(a, full_matrices=False)),
        shapes((3, 12, 7)),
        invariant=_svd_back,
    ),
    Case("svd-small-values", lambda xp, a: xp.linalg.svdvals(a), shapes((3, 7, 12))),
    Case(
        "svd-stacks",
        lambda xp, a: tuple(xp.linalg.svd(a, full_matrices=False)),
        shapes((2, 40, 7)),
        invariant=_svd_back,
    ),
    Case("svd-full", lambda xp, a: tuple(xp.linalg.svd(a)), shapes((2, 9, 5)), invariant=_svd_back),
    Case(
        "svd-wide",
        lambda xp, a: tuple(xp.linalg.svd(a, full_matrices=False)),
        shapes((2, 5, 9)),
        invariant=_svd_back,
    ),
    Case(
        "svd-wide-full", lambda xp, a: tuple(xp.linalg.svd(a)), shapes((5, 9)), invariant=_svd_back
    ),
    Case(
        "eig",
        lambda xp, a: tuple(xp.linalg.eig(a)),
        shapes((9, 9)),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.linalg.inv(v),
    ),
    Case(
        "eig-real",
        lambda xp, a: tuple(xp.linalg.eig(a)),
        positive(7, 7),
        ("f4", "f8"),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.linalg.inv(v),
    ),
    Case(
        "eig-stacks",
        lambda xp, a: tuple(xp.linalg.eig(a)),
        shapes((3, 5, 5)),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.linalg.inv(v),
    ),
    Case(
        "eigvals-real", lambda xp, a: xp.linalg.eigvals(a), positive(3, 6, 6), ("f4", "f8"), np.sort
    ),
    Case(
        "eigvals-stacks", lambda xp, a: xp.linalg.eigvals(a), shapes((3, 5, 5)), invariant=np.sort
    ),
    Case(
        "eigh-large-stacks",
        lambda xp, a: tuple(xp.linalg.eigh(a)),
        hermitian(2, 40, 40),
        invariant=lambda w, v: (v * w[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2)),
    ),
    Case("eigvals", lambda xp, a: xp.linalg.eigvals(a), shapes((8, 8)), invariant=np.sort),
    Case(
        "lstsq",
        lambda xp, a, b: _without_rank(xp.linalg.lstsq(a, b)),
        shapes((12, 5), (12, 3)),
        ("f4", "f8"),
    ),
    Case(
        "lstsq-vector",
        lambda xp, a, b: _without_rank(xp.linalg.lstsq(a, b)),
        shapes((12, 5), (12,)),
        ("f4", "f8"),
    ),
    Case(
        "lstsq-wide",
        lambda xp, a, b: _without_rank(xp.linalg.lstsq(a, b)),
        shapes((5, 9), (5, 3)),
        ("f4", "f8"),
    ),
    Case("svdvals", lambda xp, a: xp.linalg.svdvals(a), shapes((5, 9))),
    Case("pinv", lambda xp, a: xp.linalg.pinv(a), shapes((9, 5)), ("f4", "f8")),
    Case("matrix-rank", lambda xp, a: xp.linalg.matrix_rank(a), shapes((3, 5, 9)), ("f4", "f8")),
    Case("norm-2", lambda xp, a: xp.linalg.norm(a, 2), shapes((5, 9)), ("f4", "f8")),
]
