"""Every argument that NumPy documents: honoured as NumPy does, or refused as NumPy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

Case = Callable[..., Any]

F = np.arange(12.0).reshape(3, 4)
G = np.arange(24.0).reshape(2, 3, 4)
I = np.arange(6)  # noqa: E741
C = np.array([1 + 2j, 3 - 1j, -2j])
NUL = [1.0, np.nan, 3.0]


def _into(out: Any, module: Any) -> Any:
    return out if module is np else la.asarray(out)


# What NumPy gives, lazyarr gives: dtype, shape and every bit.
VALUES: dict[str, tuple[Any, ...]] = {
    "vecdot dtype": (lambda m, x: m.vecdot(x, x, dtype="f4"), F),
    "vecdot axes": (lambda m, x: m.vecdot(x, x, axes=[0, 0, ()]), F),
    "vecdot axes 3-d": (lambda m, x: m.vecdot(x, x, axes=[1, 1]), G),
    "vecdot keepdims": (lambda m, x: m.vecdot(x, x, keepdims=True), F),
    "vecdot axis keepdims": (lambda m, x: m.vecdot(x, x, axis=0, keepdims=True), F),
    "vecdot conjugates": (lambda m, x: m.vecdot(x, x), C),
    "vecdot broadcasts": (lambda m, x, y: m.vecdot(x, y), F, np.arange(4.0)),
    "matvec axes": (lambda m, x, y: m.matvec(x, y, axes=[(1, 0), 0, 0]), F, np.arange(3.0)),
    "matvec dtype": (lambda m, x, y: m.matvec(x, y, dtype="f4"), F, np.arange(4.0)),
    "vecmat dtype": (lambda m, x, y: m.vecmat(x, y, dtype="c8"), np.arange(3.0), F),
    "vecmat axes": (lambda m, x, y: m.vecmat(x, y, axes=[0, (1, 0), 0]), np.arange(4.0), F),
    "matmul dtype": (lambda m, x: m.matmul(x, x.T, dtype="f4"), F),
    "matmul axes": (lambda m, x: m.matmul(x, x, axes=[(0, 1), (1, 0), (1, 0)]), F),
    "matmul casting unsafe": (lambda m, x: m.matmul(x, x.T, dtype="i4", casting="unsafe"), F),
    "np.matmul protocol": (lambda m, x: np.matmul(x, x.T, dtype="f4"), F),
    "np.vecdot protocol": (lambda m, x: np.vecdot(x, x, dtype="f4", keepdims=True), F),
    "dot of long long": (lambda m, x: m.dot(x, x), np.arange(4, dtype=np.longlong)),
    "dot of unsigned long long": (lambda m, x: m.dot(x, x), np.arange(4, dtype=np.ulonglong)),
    "list as f4": (lambda m: m.array([0.1, 2], dtype="f4"),),
    "list of scalars": (lambda m: m.array([np.uint8(300 % 256), 7], dtype="u1"),),
    "list of 64 bits": (lambda m: m.array([0, 2**64 - 1, np.uint64(5)], dtype="u8"),),
    "list of 64 bits, no dtype": (lambda m: m.array([0, 2**64 - 1]),),
    "asarray list": (lambda m: m.asarray([2**63, 1], dtype="u8"),),
    "unique_values": (lambda m, x: m.sort(m.unique_values(x)), np.array([3, 1, 2, 3])),
    "weighted quantile": (
        lambda m, x, w: m.quantile(x, 0.3, weights=w, method="inverted_cdf"),
        np.array([3.0, 1.0, 2.0, 5.0]),
        np.array([0.1, 0.2, 0.3, 0.4]),
    ),
    "weighted percentile along": (
        lambda m, x, w: m.percentile(x, [30, 60], axis=1, weights=w, method="inverted_cdf"),
        F,
        np.array([1.0, 2.0, 3.0, 4.0]),
    ),
    "weighted nanquantile": (
        lambda m, x, w: m.nanquantile(x, 0.6, weights=w, method="inverted_cdf"),
        np.array([3.0, np.nan, 2.0, 5.0]),
        np.array([0.1, 0.2, 0.3, 0.4]),
    ),
    "einsum of 1 with 0": (lambda m: m.einsum("i,i->i", m.ones(1), m.ones(0)),),
    "einsum of 0 with 1": (lambda m: m.einsum("i,ij->j", m.ones(0), m.ones((1, 2))),),
    "nan_to_num complex zeros": (
        lambda m, x: m.nan_to_num(x),
        np.array([complex(-0.0, -0.0), complex(np.nan, -0.0), complex(-0.0, np.inf)]),
    ),
    "polyval of bool": (lambda m, p, x: m.polyval(p, x), np.array([1, 2]), np.array([True, False])),
    "polyval of bools": (lambda m, p, x: m.polyval(p, x), np.array([True, True]), np.array(True)),
    "polyval empty": (lambda m, x: m.polyval([], x), F),
    "linspace of subnormals": (lambda m: m.linspace(0, 5e-324, 5),),
    "linspace of subnormals, more": (lambda m: m.linspace(1e-323, 4e-323, 7),),
    "gradient f4 coordinates": (
        lambda m, x, t: m.gradient(x, t),
        np.arange(5, dtype="f4") ** 2,
        np.arange(5, dtype="f4"),
    ),
    "gradient f4 with f8": (
        lambda m, x, t: m.gradient(x, t),
        np.arange(5, dtype="f4"),
        np.arange(5.0),
    ),
    "gradient f4 uneven": (
        lambda m, x, t: m.gradient(x, t, edge_order=2),
        np.arange(5, dtype="f4"),
        np.array([0, 1, 3, 6, 10.0]),
    ),
    "gradient of int": (lambda m, x, t: m.gradient(x, t), I, np.array([0, 1, 3, 6, 10, 15])),
    "gradient of f2": (lambda m, x: m.gradient(x, 2), np.arange(5, dtype="f2")),
    "conj of bool": (lambda m, x: m.conj(x), np.array([True, False])),
    "conj method of bool": (lambda m, x: x.conj(), np.array([True, False])),
    "pinv of nothing": (lambda m, x: m.linalg.pinv(x), np.zeros((0, 3), int)),
    "pinv of bool": (lambda m, x: m.linalg.pinv(x), np.eye(2, dtype=bool)),
    "index with nested nothing": (lambda m, x: x[[[]]], F),
    "take nothing": (lambda m, x: x.take([]), F),
    "take nothing along": (lambda m, x: m.take(x, [], axis=1), F),
    "add.at slice": (lambda m, x: np.add.at(x, slice(0, 2), 1), I),
    "add.at ellipsis": (lambda m, x: np.add.at(x, ..., 1), F),
    "add.at slices": (lambda m, x: np.add.at(x, (slice(None), [0, 0]), 2.0), F),
    "repeat true": (lambda m, x: m.repeat(x, True), I),
    "repeat of bools": (lambda m, x: m.repeat(x, np.array([True, False] * 3)), I),
    "argsort of 0-d": (lambda m, x: m.argsort(x), np.array(3.0)),
    "argsort of 0-d, no axis": (lambda m, x: m.argsort(x, axis=None), np.array(3.0)),
    "cumulative_sum of 0-d": (lambda m, x: m.cumulative_sum(x), np.array(3.0)),
    "convolve of 0-d": (lambda m, x: m.convolve(x, [1, 2]), np.array(3.0)),
    "correlate of 0-d": (lambda m, x: m.correlate(x, [1, 2], "full"), np.array(3.0)),
    "pad of 0-d": (lambda m, x: m.pad(x, ()), np.array(3.0)),
    "compress long": (lambda m, x: m.compress([True, False, True, False, False], x), np.arange(3)),
    "einsum out unsafe": (
        lambda m, x: m.einsum("ij->i", x, out=_into(np.zeros(3, "i4"), m), casting="unsafe"),
        F,
    ),
    "tobytes F": (lambda m, x: x.tobytes("F"), F),
    "tobytes order": (lambda m, x: x.tobytes(order="F"), np.asfortranarray(F)),
    "eye far": (lambda m: m.eye(3, k=2**63),),
    "eye far below": (lambda m: m.eye(3, k=-(2**70)),),
    "tri far": (lambda m: m.tri(2, k=5),),
    "cumsum out": (lambda m, x: m.cumsum(x, out=_into(np.zeros(12, "f4"), m)), F),
    "cumsum out int": (lambda m, x: m.cumsum(x, out=_into(np.zeros(6), m)), I),
    "cumprod out": (lambda m, x: x.cumprod(out=_into(np.zeros(6, "i4"), m)), I),
    "sum out": (lambda m, x: m.sum(x, axis=0, out=_into(np.zeros(4, "i4"), m)), F),
    "sum out f4": (lambda m, x: x.sum(axis=1, out=_into(np.zeros(3, "f4"), m)), F),
    "max out": (lambda m, x: m.max(x, axis=0, out=_into(np.zeros(4, "f4"), m)), F),
    "prod out": (lambda m, x: m.prod(x, axis=0, out=_into(np.zeros(4, "f4"), m)), F),
    "any out": (lambda m, x: m.any(x, axis=0, out=_into(np.zeros(4, "i1"), m)), F),
    "argmax out": (lambda m, x: m.argmax(x, axis=0, out=_into(np.zeros(4, "i8"), m)), F),
    "clip one": (lambda m, x: m.clip(x, 3, None), F),
    "concatenate out": (
        lambda m, x: m.concatenate([x, x], out=_into(np.zeros((6, 4), "f4"), m)),
        F,
    ),
    "concatenate unsafe": (
        lambda m, x: m.concatenate([x, x], dtype="i2", casting="unsafe"),
        F,
    ),
    "logical_or": (lambda m, x: m.logical_or(x, 2**62), I),
    "fftfreq": (lambda m: m.fft.fftfreq(5, 0.1),),
    "roll by text": (lambda m, x: m.roll(x, "1"), I),
    "compress short": (lambda m, x: m.compress([True, False], x), I),
    "choose clip": (lambda m, x: m.choose(x, [10, 20], mode="clip"), I),
    "choose wrap": (lambda m, x: m.choose(x, [I, I + 1], mode="wrap"), I),
    "sum initial": (lambda m, x: m.sum(x, axis=0, initial=2), F),
    "arange device": (lambda m: m.arange(3, device="cpu"),),
    "empty_like device": (lambda m, x: m.zeros_like(x, device="cpu"), F),
    "nan_to_num": (
        lambda m, x: m.nan_to_num(x, nan=7, posinf=8, neginf=9),
        np.array([np.nan, np.inf, -np.inf]),
    ),
    "nan_to_num array": (
        lambda m, x: m.nan_to_num(x, nan=np.array([5.0, 6.0])),
        np.array([np.nan, 1.0]),
    ),
    "ravel of 0-d": (lambda m, x: m.ravel(x), np.array(2)),
    "cov ddof": (lambda m, x: m.cov(x, ddof=2), F),
    "digitize": (lambda m, x: m.digitize(x, [0.5, 3, 7]), F),
    "digitize falling": (lambda m, x: m.digitize(x, [7, 3, 0.5], right=True), F),
    "std correction": (lambda m, x: m.std(x, correction=1), F),
    "array ndmin": (lambda m, x: m.array(x, ndmin=4), F),
}

for _order in "CFAKcfak":
    for _kind, _base in (
        ("C", F),
        ("F", np.asfortranarray(F)),
        ("3", np.asfortranarray(G)),
    ):
        VALUES[f"ravel {_order} of {_kind}"] = (
            lambda m, x, o=_order: m.ravel(x, order=o),
            _base,
        )
        VALUES[f"flatten {_order} of {_kind}"] = (lambda m, x, o=_order: x.flatten(o), _base)
        VALUES[f"reshape {_order} of {_kind}"] = (
            lambda m, x, o=_order: m.reshape(x, (x.size // 2, 2), order=o),
            _base,
        )
        VALUES[f"reshape method {_order} of {_kind}"] = (
            lambda m, x, o=_order: x.reshape(2, -1, order=o),
            _base,
        )


@pytest.mark.host
@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_numpy(name: str) -> None:
    function, *arrays = VALUES[name]
    agree(function, *arrays)


# What NumPy refuses, lazyarr refuses with an error of the same kind, on the line that builds it.
REFUSED: dict[str, tuple[Any, ...]] = {
    "list out of bounds": (lambda m: m.array([300, -1], dtype="u1"),),
    "list with a NaN": (lambda m: m.array([np.nan, 1], dtype="i4"),),
    "nested list out of bounds": (lambda m: m.array([[1, 2], [3, 400]], dtype="i1"),),
    "asarray out of bounds": (lambda m: m.asarray([300, -1], dtype="u1"),),
    "scalar out of bounds": (lambda m: m.array(300, dtype="u1"),),
    "full out of bounds": (lambda m: m.full(3, 300, dtype="u1"),),
    "full_like out of bounds": (lambda m: m.full_like(I, 2**70),),
    "setitem out of bounds": (
        lambda m, x: x.__setitem__(slice(None), [300, 1, 2]),
        np.zeros(3, "u1"),
    ),
    "setitem NaN": (lambda m, x: x.__setitem__(0, [np.nan]), np.zeros((3, 1), "i4")),
    "complex list": (lambda m: m.array([1j, 2], dtype="f8"),),
    "putmask casts": (lambda m, x: m.putmask(x, x > 2, x * 1.5), I),
    "sum out shape": (lambda m, x: m.sum(x, axis=0, out=_into(np.zeros((3, 4)), m)), F),
    "sum out ndim": (lambda m, x: m.sum(x, out=_into(np.zeros(1), m)), F),
    "mean out shape": (lambda m, x: m.mean(x, axis=0, out=_into(np.zeros((2, 4)), m)), F),
    "argmax out shape": (lambda m, x: m.argmax(x, axis=0, out=_into(np.zeros((2, 4), int), m)), F),
    "max out shape": (lambda m, x: x.max(axis=0, out=_into(np.zeros((2, 4)), m)), F),
    "any out shape": (lambda m, x: x.any(axis=0, out=_into(np.zeros((2, 4), bool), m)), F),
    "cumsum out shape": (lambda m, x: m.cumsum(x, out=_into(np.zeros((2, 12)), m)), F),
    "nansum out shape": (lambda m, x: m.nansum(x, axis=0, out=_into(np.zeros((2, 4)), m)), F),
    "concatenate out shape": (
        lambda m, x: m.concatenate([x, x], out=_into(np.zeros((2, 6, 4)), m)),
        F,
    ),
    "stack out shape": (lambda m, x: m.stack([x, x], out=_into(np.zeros((6, 4)), m)), F),
    "concatenate casting no": (
        lambda m, x: m.concatenate([x, x], out=_into(np.zeros((6, 4), "f4"), m), casting="no"),
        F,
    ),
    "concatenate casting equiv dtype": (
        lambda m, x: m.concatenate([x, x], dtype="f4", casting="safe"),
        F,
    ),
    "concatenate out and dtype": (
        lambda m, x: m.concatenate([x, x], out=_into(np.zeros((6, 4)), m), dtype="f8"),
        F,
    ),
    "matmul casting": (lambda m, x: m.matmul(x, x.T, dtype="i4", casting="no"), F),
    "matmul casting same_kind": (lambda m, x: m.matmul(x, x.T, dtype="i4"), F),
    "vecdot casting": (lambda m, x: m.vecdot(x, x, dtype="f4", casting="safe"), F),
    "vecdot unknown": (lambda m, x: m.vecdot(x, x, axs=1), F),
    "sum initial array": (lambda m, x: m.sum(x, initial=[2, 3]), F),
    "max initial array": (lambda m, x: m.max(x, initial=[2, 3]), F),
    "gradient of bool": (lambda m, x: m.gradient(x), np.array([True, False, True])),
    "clip alone": (lambda m, x: m.clip(x, 3), F),
    "clip both names": (lambda m, x: m.clip(x, 1, 2, min=1), F),
    "vsplit of 1-d": (lambda m, x: m.vsplit(x, 2), I),
    "dsplit of 2-d": (lambda m, x: m.dsplit(x, 2), F),
    "hsplit of 0-d": (lambda m, x: m.hsplit(x, 2), np.array(1)),
    "cov ddof": (lambda m, x: m.cov(x, ddof=1.5), F),
    "logical_or far": (lambda m, x: m.logical_or(x, 2**64), I),
    "ones keyword": (lambda m: m.ones(3, dtpye="f4"),),
    "zeros keyword": (lambda m: m.zeros(3, like_=1),),
    "empty keyword": (lambda m: m.empty(3, shpe=1),),
    "arange keyword": (lambda m: m.arange(3, dtpye="f4"),),
    "asanyarray keyword": (lambda m: m.asanyarray([3], dtpye="f4"),),
    "linalg.vecdot keyword": (lambda m, x: m.linalg.vecdot(x, x, axs=1), F),
    "ones device": (lambda m: m.ones(3, device="nowhere"),),
    "zeros device": (lambda m: m.zeros(3, device="tpu"),),
    "empty device": (lambda m: m.empty(3, device="tpu"),),
    "full device": (lambda m: m.full(3, 1, device="tpu"),),
    "arange device": (lambda m: m.arange(3, device="tpu"),),
    "linspace device": (lambda m: m.linspace(0, 1, 3, device="tpu"),),
    "eye device": (lambda m: m.eye(3, device="tpu"),),
    "zeros_like device": (lambda m, x: m.zeros_like(x, device="tpu"), F),
    "full_like device": (lambda m, x: m.full_like(x, 1, device="tpu"), F),
    "asarray device": (lambda m: m.asarray([1], device="tpu"),),
    "fftfreq device": (lambda m: m.fft.fftfreq(3, device="tpu"),),
    "astype device": (lambda m, x: m.astype(x, "f4", device="tpu"), F),
    "choose mode": (lambda m, x: m.choose(x, [1, 2], mode="bad"), I),
    "fill_diagonal of 1-d": (lambda m, x: m.fill_diagonal(x, 1), I),
    "fill_diagonal uneven": (lambda m, x: m.fill_diagonal(x, 1), G),
    "digitize bins": (lambda m, x: m.digitize(x, x), F),
    "digitize unsorted": (lambda m, x: m.digitize(x, [1, 3, 2]), F),
    "nanargmin of nothing": (lambda m, x: m.nanargmin(x, axis=0), np.zeros((0, 3))),
    "argmin of nothing": (lambda m, x: m.argmin(x, axis=0), np.zeros((0, 3))),
    "eigh UPLO": (lambda m, x: m.linalg.eigh(x, UPLO="x"), np.eye(2)),
    "eigvalsh UPLO": (lambda m, x: m.linalg.eigvalsh(x, UPLO="x"), np.eye(2)),
    "order": (lambda m, x: m.ravel(x, order="Z"), F),
    "reshape order": (lambda m, x: m.reshape(x, -1, order="Z"), F),
    "zeros order": (lambda m: m.zeros(3, order="Z"),),
    "array order": (lambda m: m.array([1], order="Z"),),
    "qr mode": (lambda m, x: m.linalg.qr(x, mode="bad"), F),
    "sort kind": (lambda m, x: m.sort(x, kind="bad"), F),
    "compress beyond": (lambda m, x: m.compress([0, 0, 0, 1], x), np.arange(3)),
    "isposinf of complex": (lambda m, x: m.isposinf(x), C),
    "isneginf of complex": (lambda m, x: m.isneginf(x), C),
    "vstack of an iterator": (lambda m, x: m.vstack(r for r in (x, x)), F),
    "hstack of an iterator": (lambda m, x: m.hstack(map(np.sin, (x, x))), F),
    "dstack of an iterator": (lambda m, x: m.dstack(r for r in (x, x)), F),
    "column_stack of an iterator": (lambda m, x: m.column_stack(r for r in (x, x)), F),
    "stack of an iterator": (lambda m, x: m.stack(r for r in (x, x)), F),
    "quantile range": (lambda m, x: m.quantile(x, 1.5), F),
    "quantile method": (lambda m, x: m.quantile(x, 0.5, method="bad"), F),
    "quantile weights method": (lambda m, x: m.quantile(x, 0.5, weights=x), F),
    "huge zeros": (lambda m: m.zeros(2**63),),
    "huge ones": (lambda m: m.ones((2**40, 2**40)),),
    "huge reshape": (lambda m, x: m.broadcast_to(x, (2**40, 2**40)), np.array(1.0)),
    "polyval of a number": (lambda m: m.polyval(3, [1.0]),),
}


@pytest.mark.host
@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_refuses_is_refused_when_built(name: str) -> None:
    function, *arrays = REFUSED[name]
    agree(function, *arrays)


TEXTS = {
    "choose mode",
    "polyval of a number",
    "fill_diagonal of 1-d",
    "digitize bins",
    "nanargmin of nothing",
    "eigh UPLO",
    "vsplit of 1-d",
    "clip both names",
    "cov ddof",
}


@pytest.mark.host
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_texts_are_those_of_numpy(name: str) -> None:
    function, *arrays = REFUSED[name]
    agree(function, *arrays, text=True)


# NumPy has wrong answers, or none but running out of memory, for some of these.
HUGE: dict[str, Callable[[], Any]] = {
    "zeros": lambda: la.zeros(2**63),
    "ones": lambda: la.ones((2**40, 2**40)),
    "full": lambda: la.full(2**63, 1),
    "arange": lambda: la.arange(2**63),
    "arange of floats": lambda: la.arange(1e19),
    "linspace": lambda: la.linspace(0, 1, 2**63),
    "eye": lambda: la.eye(2**40, 2**40),
    "tri": lambda: la.tri(2**40, 2**40),
    "tile": lambda: la.tile([1.0], (2**40, 2**40)),
    "repeat": lambda: la.repeat(la.arange(6), 2**62),
    "pad": lambda: la.pad(la.arange(6), 2**62),
    "broadcast": lambda: la.zeros((2**40, 1)) + la.zeros(2**40),
    "concatenate": lambda: la.concatenate([la.zeros(2**59)] * 3),
}


@pytest.mark.host
@pytest.mark.parametrize("name", HUGE)
def test_sizes_beyond_memory_are_refused_with_the_line(name: str) -> None:
    with pytest.raises(ValueError, match=r"test_keyword_arguments\.py"):
        HUGE[name]()


@pytest.mark.host
def test_pinv_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    result = la.linalg.pinv(la.asarray([[1.0, 0.0], [0.0, 0.0]])).compute()
    np.testing.assert_array_equal(result, [[1.0, 0.0], [0.0, 0.0]])
    assert not recwarn.list


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("options", [{}, {"subok": False}], ids=str)
@pytest.mark.parametrize(
    ("name", "value"), [("sin", np.inf), ("log", 0.0), ("exp", 1e3), ("cosh", 1e3), ("arctanh", 1)]
)
def test_elements_that_are_left_out_do_not_warn(
    name: str, value: float, options: dict[str, Any], immediate: int
) -> None:
    for dtype in "fdFD":
        x, mask = np.array([value, 0.25, value], dtype), np.array([False, True, False])
        with la.config(immediate=immediate):
            for chosen in (mask, mask & False):
                expected = getattr(np, name)(x, out=np.ones_like(x), where=chosen, **options)
                out = la.ones(3, dtype)
                result = getattr(la, name)(la.array(x), out=out, where=chosen, **options)
                np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)
