"""Library calls to compare with NumPy: under the emulator and on a GPU alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """One call. `exact` results are compared as they are, others by what they stand for."""

    name: str
    function: Callable[..., Any]
    arrays: Callable[[np.random.Generator, str], tuple[Any, ...]]
    dtypes: tuple[str, ...] = ("f4", "f8", "c8", "c16")
    #: From results to what does not depend on signs and phases.
    invariant: Callable[..., Any] | None = None

    def __str__(self) -> str:
        return self.name


def draw(rng: np.random.Generator, dtype: str, *shape: int) -> Any:
    value = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        value = value + 1j * rng.standard_normal(shape)
    return value.astype(dtype)


def shapes(*expected: tuple[int, ...]) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    return lambda rng, dtype: tuple(draw(rng, dtype, *shape) for shape in expected)


def positive(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        x = draw(rng, dtype, *shape)
        return (x @ np.conj(np.swapaxes(x, -1, -2)) + shape[-1] * np.eye(shape[-1], dtype=dtype),)

    return make


def hermitian(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        x = draw(rng, dtype, *shape)
        return (x + np.conj(np.swapaxes(x, -1, -2)),)

    return make


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

FFT_DTYPES = ("f4", "f8", "c8", "c16")
TRANSFORMS = [
    Case("fft", lambda xp, a: xp.fft.fft(a), shapes((6, 30)), FFT_DTYPES),
    Case("fft-axis", lambda xp, a: xp.fft.fft(a, axis=0), shapes((30, 7)), FFT_DTYPES),
    Case("fft-cut", lambda xp, a: xp.fft.fft(a, 12), shapes((6, 30)), FFT_DTYPES),
    Case(
        "fft-padded",
        lambda xp, a: xp.fft.fft(a, 45, axis=1, norm="ortho"),
        shapes((6, 30, 2)),
        FFT_DTYPES,
    ),
    Case("fft-turned", lambda xp, a: xp.fft.fft(a.T), shapes((30, 6)), FFT_DTYPES),
    Case("ifft", lambda xp, a: xp.fft.ifft(a), shapes((6, 30)), FFT_DTYPES),
    Case("ifft-forward", lambda xp, a: xp.fft.ifft(a, norm="forward"), shapes((6, 31)), FFT_DTYPES),
    Case("rfft", lambda xp, a: xp.fft.rfft(a), shapes((6, 31)), ("f4", "f8")),
    Case(
        "rfft-axis",
        lambda xp, a: xp.fft.rfft(a, 16, axis=0, norm="forward"),
        shapes((20, 5)),
        ("f4", "f8"),
    ),
    Case("irfft", lambda xp, a: xp.fft.irfft(a), shapes((6, 17)), ("c8", "c16")),
    Case(
        "irfft-odd", lambda xp, a: xp.fft.irfft(a, 31, norm="ortho"), shapes((6, 17)), ("c8", "c16")
    ),
    Case("irfft-axis", lambda xp, a: xp.fft.irfft(a, axis=0), shapes((17, 5)), ("c8", "c16")),
    Case("irfft-real", lambda xp, a: xp.fft.irfft(a), shapes((6, 17)), ("f4", "f8")),
    Case("hfft-real", lambda xp, a: xp.fft.hfft(a, 9), shapes((3, 7)), ("f4", "f8")),
    Case(
        "irfftn-real",
        lambda xp, a: xp.fft.irfftn(a, (6, 9), axes=(2, 0)),
        shapes((5, 2, 8)),
        ("f4", "f8"),
    ),
    Case("hfft", lambda xp, a: xp.fft.hfft(a, 12), shapes((3, 7)), ("c8", "c16")),
    Case("ihfft", lambda xp, a: xp.fft.ihfft(a), shapes((3, 12)), ("f4", "f8")),
    Case("fft2", lambda xp, a: xp.fft.fft2(a), shapes((3, 8, 10)), FFT_DTYPES),
    Case(
        "ifft2",
        lambda xp, a: xp.fft.ifft2(a, s=(9, 6), norm="ortho"),
        shapes((3, 8, 10)),
        FFT_DTYPES,
    ),
    Case("fftn", lambda xp, a: xp.fft.fftn(a), shapes((4, 5, 6)), FFT_DTYPES),
    Case("fftn-four", lambda xp, a: xp.fft.fftn(a), shapes((2, 3, 4, 5)), FFT_DTYPES),
    Case("ifftn-axes", lambda xp, a: xp.fft.ifftn(a, axes=(2, 0)), shapes((4, 5, 6)), FFT_DTYPES),
    Case("rfft2", lambda xp, a: xp.fft.rfft2(a), shapes((3, 8, 10)), ("f4", "f8")),
    Case("rfftn-four", lambda xp, a: xp.fft.rfftn(a), shapes((2, 3, 4, 5)), ("f4", "f8")),
    Case("irfft2", lambda xp, a: xp.fft.irfft2(a), shapes((3, 8, 6)), ("c8", "c16")),
    Case(
        "irfftn-axes",
        lambda xp, a: xp.fft.irfftn(a, (6, 9), axes=(0, 1)),
        shapes((6, 5, 3)),
        ("c8", "c16"),
    ),
    Case("irfftn-four", lambda xp, a: xp.fft.irfftn(a), shapes((2, 3, 4, 5)), ("c8", "c16")),
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


def special(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    """Few distinct values, with the ends of the dtype, NaN and both zeros."""

    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        kind = np.dtype(dtype)
        if kind.kind == "b":
            return (rng.random(shape) < 0.5,)
        array = rng.integers(0, 100, shape).astype(dtype)
        if kind.kind == "i":
            array -= 50
        if kind.kind in "iu":
            array.flat[::7] = np.iinfo(kind).max
            array.flat[3::11] = np.iinfo(kind).min
            return (array,)
        array = array - kind.type(50)
        for start, value in enumerate((np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0)):
            array.flat[start::13] = value
        return (array,)

    return make


def spread(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    """Any bits that an element may have."""

    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        data = rng.integers(0, 256, (*shape[:-1], shape[-1] * np.dtype(dtype).itemsize), np.uint8)
        return (data.view(dtype),)

    return make


def among(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
    return np.sort(special(700)(rng, dtype)[0]), special(20, 9)(rng, dtype)[0]


EVERY = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
ORDERING = [
    Case("sort", lambda xp, a: xp.sort(a), special(3, 50), EVERY),
    Case(
        "sort-long",
        lambda xp, a: xp.sort(a),
        special(40001),
        ("?", "i1", "u2", "i4", "i8", "f2", "f4", "f8"),
    ),
    Case(
        "sort-spread",
        lambda xp, a: xp.sort(a),
        spread(2, 20001),
        ("u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8"),
    ),
    Case(
        "argsort-spread",
        lambda xp, a: xp.argsort(a, stable=True),
        spread(2, 20001),
        ("u1", "i2", "u4", "i8", "f2", "f4", "f8"),
    ),
    Case("sort-short", lambda xp, a: xp.sort(a), special(400, 10), EVERY),
    Case("sort-middling", lambda xp, a: xp.sort(a), special(21, 200), ("i4", "f4", "f8")),
    Case("sort-merged", lambda xp, a: xp.sort(a), special(2, 4000), ("i4", "f4", "f8")),
    Case("sort-axis", lambda xp, a: xp.sort(a, axis=0), special(2100, 3), ("i4", "f8")),
    Case("argsort", lambda xp, a: xp.argsort(a, stable=True), special(4, 70), EVERY),
    Case(
        "argsort-long",
        lambda xp, a: xp.argsort(a, axis=0, stable=True),
        special(17000, 2),
        ("i4", "u8", "f4", "f8"),
    ),
    Case("partition", lambda xp, a: xp.partition(a, 11)[..., 11], special(3, 50), EVERY),
    Case("searchsorted", lambda xp, a, v: xp.searchsorted(a, v), among, EVERY),
    Case(
        "searchsorted-right", lambda xp, a, v: xp.searchsorted(a, v.T, side="right"), among, EVERY
    ),
]


def mask_and_values(*shape: int) -> Callable[[np.random.Generator, str], tuple[Any, ...]]:
    def make(rng: np.random.Generator, dtype: str) -> tuple[Any, ...]:
        return draw(rng, dtype, *shape), rng.random(shape) < 0.4

    return make


def _every_part(xp: Any, a: Any) -> Any:
    return tuple(xp.unique(a, return_index=True, return_inverse=True, return_counts=True))


# What computes as it is built, or looks at positions, is no single graph.
DISTINCT = [
    Case(
        "argpartition",
        lambda xp, a: xp.take_along_axis(a, xp.argpartition(a, (3, 9), axis=0), 0)[3:10:6],
        special(50, 3),
        ("i4", "f8"),
    ),
    Case("unique", lambda xp, a: xp.unique(a), special(3, 500), EVERY),
    Case("unique-parts", _every_part, special(3, 500), EVERY),
    Case("unique-long", _every_part, special(30001), ("i4", "f4")),
    Case("unique-alike", _every_part, lambda rng, dtype: (np.zeros(700, dtype),), ("i4", "f8")),
    Case("unique-one", _every_part, lambda rng, dtype: (np.ones(1, dtype),), ("i4", "f8")),
    Case(
        "unique-nan",
        lambda xp, a: tuple(xp.unique(a, True, True, equal_nan=False)),
        special(3, 50),
        ("f4", "f8"),
    ),
    Case("unique-all", lambda xp, a: tuple(xp.unique_all(a)), special(4, 50), ("i4", "f8")),
    Case("unique-counts", lambda xp, a: tuple(xp.unique_counts(a)), special(4, 50), ("i4", "f8")),
    Case("unique-inverse", lambda xp, a: tuple(xp.unique_inverse(a)), special(4, 50), ("i4", "u1")),
    Case("nonzero", lambda xp, a: tuple(xp.nonzero(a)), special(7, 11, 13), ("i4", "f8", "?")),
    Case("nonzero-flat", lambda xp, a: xp.flatnonzero(a), special(70, 130), ("i4", "f8", "?")),
    Case("nonzero-none", lambda xp, a: xp.flatnonzero(a > 1000), special(70), ("f8",)),
    Case("mask", lambda xp, a, m: a[m], mask_and_values(70, 133), ("f2", "f4", "f8", "c8", "c16")),
    Case("mask-rows", lambda xp, a, m: a[m[:, 0]], mask_and_values(9001, 3), ("f4", "c16")),
    Case("mask-turned", lambda xp, a, m: a.T[m.T], mask_and_values(30, 40), ("f4", "f8")),
    Case("mask-max", lambda xp, a, m: a[m].max(), mask_and_values(30, 40), ("f4", "f8")),
]

TOLERANCE = dict.fromkeys(EVERY, 0.0) | {
    "f2": 2e-2,
    "f4": 2e-4,
    "c8": 2e-4,
    "f8": 1e-11,
    "c16": 1e-11,
}


def check(case: Case, dtype: str, la: Any, seed: int = 0) -> None:
    """Compare one call with NumPy, evaluated where the settings say."""
    arrays = case.arrays(np.random.default_rng(seed), dtype)
    expected = case.function(np, *arrays)
    lazy = case.function(la, *(la.asarray(a) for a in arrays))
    result = la.evaluate(*lazy) if isinstance(lazy, tuple) else (la.evaluate(lazy),)
    reference = expected if isinstance(expected, tuple) else (expected,)
    for ours, theirs in zip(result, reference, strict=True):
        assert ours.shape == np.shape(theirs), (ours.shape, np.shape(theirs))
        assert ours.dtype == np.asarray(theirs).dtype, (ours.dtype, np.asarray(theirs).dtype)
    if case.invariant is not None:
        result, reference = (case.invariant(*result),), (case.invariant(*reference),)
    for ours, theirs in zip(result, reference, strict=True):
        if case in ORDERING or case in DISTINCT:
            np.testing.assert_array_equal(ours, theirs)
            continue
        scale = float(np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs)))
        np.testing.assert_allclose(
            ours, theirs, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale
        )


CASES = (*PRODUCTS, *EPILOGUES, *TRANSFORMS, *SOLVERS, *ORDERING, *DISTINCT)
