"""Calls as NumPy's own tests make them: the value, the dtype, or the class of the error."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import config
from lazyarr.core.numpy_releases import CROSSES_PLANE_VECTORS

pytestmark = pytest.mark.host

ARRAYS: dict[str, Any] = {
    "F": np.arange(12.0).reshape(3, 4),
    "G": np.arange(24.0).reshape(2, 3, 4),
    "I": np.array([[1, 2, 3], [4, 5, 6]]),
    "B": np.array([True, False, True]),
    "U": np.array([1, 2, 3], "u8"),
    "S": np.array([1, -2, 3], "i1"),
    "C": np.array([1 + 2j, complex(1, np.inf), complex(np.nan, 1)]),
    "E": np.zeros((0,)),
    "N": np.zeros((0,), int),
    "H": np.array([1.5, 2.5, 3.5], "f4"),
    "Y": np.arange(12.0).reshape(2, 2, 3),
    "W": np.array([[1.0, 0.0], [0.5, 1.0], [0.25, 2.0]]),
}

VALUES = [
    # A mask leaves the dtype of the result alone.
    "m.add(B, B, where=B, out=m.zeros(3, bool))",
    "m.isnan(H, where=B, out=m.ones(3, bool))",
    "m.isnan(H, where=True)",
    "m.less(H, 2, where=B, out=m.ones(3, bool))",
    "m.add(U, U, where=B, out=m.array([2**62 + 1, 2**62 + 1, 2**62 + 1]))",
    "m.logical_or(U, 0, where=B, out=m.zeros(3, bool))",
    # Numbers of Python's to the left of arrays without axes.
    "1j * m.sqrt(2)",
    "(1 + 2j) / m.sqrt(2)",
    "1j - m.float64(1) * m.sqrt(3)",
    "1j + m.sum(H)",
    # Axes, as indices and numbers.
    "m.sum(I, axis=np.array(1))",
    "m.any(B, axis=np.int8(0), keepdims=1)",
    "m.median(F, axis=[0, 1])",
    "m.expand_dims(I, np.array(1))",
    # Weights along several axes, in the order in which these are named.
    "m.average(Y, axis=(2, 0), weights=W)",
    "m.average(Y, axis=(0, 2), weights=W.T)",
    "m.average(F, axis=-1, weights=[1.0, 2, 3, 4])",
    # Values longer than positions.
    "m.insert(I, 0, (7, 8))",
    "m.insert([1, 2, 3], 1, [1, 2, 3])",
    "m.insert([1, 2, 3], [-1], [True, False])",
    "m.insert(I, [1], [[7], [8]], axis=1)",
    "m.insert(I, 1, [7, 8], axis=1)",
    # What statistics take.
    "m.median([3.0, 1, 2], overwrite_input=True)",
    "m.percentile([3.0, 1, 2], 30, overwrite_input=True)",
    "m.nanquantile([3.0, m.nan, 2], 0.5, overwrite_input=True)",
    "m.nanquantile(N, [0, 1], method='higher')",
    "m.nanpercentile(E, [10, 20])",
    "m.percentile(F, 5, None, m.ones((1,)), False, 'linear')",
    # Roundings of parts that are not finite.
    "m.round(C, 1)",
    "m.round(C, -1)",
    # Transforms of no elements, and of one axis twice.
    "m.fft.fft(E, n=2)",
    "m.fft.ifft(N, n=1)",
    "m.fft.fftn(m.asarray(3))",
    "m.fft.fft2(I, axes=(0, 0))",
    "m.fft.rfft2(I, axes=(-1, -1))",
    "m.fft.fftn(I, axes=(0, 1, 0))",
    "m.fft.fftn(I, axes=(0, 1, 0), s=(2, 3, 4))",
    "m.fft.ifftn(I, axes=(1, 1), s=(2, 3))",
    "m.fft.rfftn(F, axes=(0, 0, 1), s=(5, 6, 7))",
    "m.fft.irfftn(F, axes=(0, 0, 1), s=(5, 6, 7))",
    "m.fft.rfftn(F, axes=(1, 1))",
    # Names and numbers of modes, places.
    "m.convolve([1, 2, 3], [0, 1], mode=1)",
    "m.correlate([1, 2, 3], [0, 1], mode=0)",
    "m.tri(-1)",
    "m.tri(-1, 3)",
    "m.tri(2.5)",
    "m.tri(2.0, 3.2)",
    "m.reshape(I, (-2, 2))",
    "I.reshape(3, -5)",
    "m.zeros((2, 0)).reshape(-2, 2)",
    "m.rollaxis(G, 2, -3)",
    "m.choose([0, 1, 0], [H, [7, 8, 9]], out=m.zeros(3, 'i4'))",
    "m.isclose(m.float32(1), 0.9999999999999998, atol=0, rtol=0)",
    "m.isclose(H[0], 1.5000000001, atol=0, rtol=0)",
    "m.isclose(0.1 + 0.2, 0.3, atol=0, rtol=0)",
    "m.ediff1d([1, 2, 4], to_begin=9, to_end=[7, 8])",
    "m.ediff1d([1.0, 2, 4], to_end=1)",
    "m.array(I, ndmin=3)",
    "m.logspace(1, 2, 3, base=[2, 3])",
    "m.logspace([1, 2], [2, 3], 4, base=[[2], [3]])",
    "m.logspace(1, [2, 3], 4, base=[2, 3], axis=1)",
    "m.logspace(1, [2, 3], 4, base=[[2, 3]], axis=-1)",
    "m.isin(I, [1, 9], kind='table')",
    "m.linalg.svd([[1.0, 9], [2, 3]], compute_uv=False, hermitian=True)",
    "m.linalg.svd(I, compute_uv=False)",
    "m.nanmax(m.asarray(2.5), axis=np.array(0))",
    "m.vectorize(lambda x: x.mean(), signature='(n)->()')(I)",
    "m.vectorize(lambda x, y: x - y.max(), signature='(),(n)->()')(H, I[:1])",
    "m.vectorize(signature='(n)->(n)', otypes=['f4'])(lambda x: x[::-1])(I)",
    "m.linalg.cross([1, 2, 3], [4, 5, 6])",
    "m.linalg.outer([1, 2], [3, 4, 5])",
    "m.interp(2.5, [1, 2, 3], [3, 2, 0])",
    "m.cov(F, fweights=[1, 2, 1, 1], aweights=[0.5, 1, 1, 2])",
    "m.exp(H, casting='no')",
    "m.add(S, S, casting='equiv')",
    "m.add(S, I[0], casting='safe')",
    "m.sqrt(S, casting='unsafe', dtype='f4')",
    # Keywords that all ufuncs take.
    "m.add(H, 2, out=...)",
    "m.add.reduce(H, out=...)",
    "m.divmod(H, 2, out=...)[1]",
    "m.add(H, H, sig='dd->d')",
    "m.add(I, 1, where=[[0, 1, 1], [1, 0, 0]], out=m.zeros((2, 3), int))",
    "m.add(H, 1, where=2, out=m.zeros(3, 'f4'))",
    # Integers beyond int64, alone.
    "m.bitwise_count(2**64 - 1)",
    "m.invert(2**63)",
    "m.negative(2**63)",
    "m.absolute(2**63)",
    "m.square(2**63)",
    "m.sign(2**63)",
    "m.isnan(2**63)",
    "m.logical_not(2**63)",
    "m.floor(2**63)",
    # Numbers of Python's among others take their dtype.
    "m.concatenate([m.float32(1), 1.0], axis=None)",
    "m.choose(1, [m.float32(1), 1.0])",
    "m.r_[S, 7]",
    # Subscripts of einsum in an array, and flat iterators.
    "m.einsum(F, np.array([0, 1]), [0])",
    "F.flat[[True, 1]]",
    # Borders by axis.
    "m.pad(F, {0: (1, 2)})",
    "m.pad(F, {0: 1, -1: (0, 1)})",
    # Arguments by name, and one by one.
    "m.arange(start=0, stop=5)",
    "m.arange(stop=5)",
    "m.arange(1, 9, 3, 'f4')",
    "I[0].choose(10, 20, 30, 40)",
    "m.linalg.norm(m.zeros((2, 0)), ord=2)",
    "m.linalg.norm(m.zeros((2, 0)), ord=1)",
    "m.linalg.norm(E, ord=m.inf)",
    "m.linalg.norm(F, keepdims=np.array(True))",
    "m.linalg.vector_norm(F, axis=0, keepdims=None)",
    # Statistics of nothing, and what is no truth value.
    "m.cov(E.reshape(0, 3), F[:, :3])",
    "m.corrcoef(E.reshape(0, 3), F[:, :3])",
    "m.cov(I, bias=None)",
    "m.cov(I, bias=2)",
    "m.quantile(E.reshape(0, 3), 0.5, axis=1)",
    "m.put(I, [], [1.5])",
    # The constructor of arrays.
    "m.ndarray((2,), 'u1', buffer=b'abc', offset=1)",
    "m.ndarray(shape=(2, 2), dtype='f8', buffer=np.arange(8.0), strides=(16, 8))",
    "m.broadcast(m.broadcast(H, I), 1).shape",
    "m.broadcast(H, I).iters[1].base",
    # Where elements lie.
    *(
        f"{call}.strides"
        for call in (
            "m.einsum('...ft,mf->...mt', m.ones((2, 3, 5)), m.ones((4, 3)), order='f')",
            "m.full_like(G.T, 1, order='A')",
            "m.full_like(G.T, 1, order='K')",
            "m.full_like(G.T, 1, order='C')",
            "m.full_like(G.T, 1, shape=(4, 5))",
            "m.zeros_like(G.transpose(1, 0, 2), shape=(4, 5, 6))",
            "m.zeros_like(G.transpose(1, 0, 2), dtype='f4')",
            "m.ones_like(F, shape=(4, 5), order='F')",
            "m.empty_like(G.transpose(2, 0, 1))",
            "m.zeros((3, 4), order='F')",
            "m.eye(3, 4, order='F')",
            "m.array(F, order='F')",
            "m.array(F.T)",
            "m.array(F.T, order='C')",
            "m.asarray(F.T, order='A')",
            "m.array([[1, 2, 3], [4, 5, 6]], order='F')",
            "m.require(F, requirements='F')",
            "np.sin(F, order='F')",
            "m.full((3, 4), 2, 'i2', 'F')",
            "m.pad(F.T, 1)",
            "F.astype('f4', order='F')",
            "m.add(F, 1, order='F')",
            "m.add(F.T, F.T, order='A')",
            "m.divmod(F, 2, order='F')[1]",
            "np.add(F, 1, order='F')",
        )
    ),
]

ERRORS = [
    "m.compress(array('b', [1, 0, 1]), H)",
    "H.compress(array('i', [1, 0, 1]))",
    "F.diagonal(10**20)",
    "m.trace(F, -(10**20))",
    "H.view(H)",
    "H.view(np.ones(3))",
    "m.clip(H, 1, 2, casting='bad')",
    "H.clip(1, casting='bad')",
    "H.clip(max=U, casting='equiv')",
    "m.clip(H, U, 2, casting='no')",
    "F.diagonal(2**40)",
    "m.trace(F, -(2**40))",
    "m.nan_to_num(H, 'x')",
    "m.mean(H, where=None)",
    "m.std(H, where=None)",
    "m.linalg.norm(F, axis=1, keepdims=np.True_)",
    "m.ones_like(F, subok=np.True_)",
    "m.full_like(F, 1, subok='x')",
    "m.select([B, B], [-1, U])",
    "m.cumsum(H, out=[1, 2])",
    "m.einsum('', 0, casting='blah')",
    "m.block(([1, 2], [3, 4]))",
    "m.block([(1, 2), (3, 4)])",
    "m.block([1, [2]])",
    "m.block([[1], []])",
    "m.block([[[1], [2]], [[3, 4]], [5]])",
    "m.reshape(F, (True, -1))",
    "m.reshape(F, (-2, -3))",
    "m.reshape(F, (-2, 5))",
    "m.zeros((True, 2))",
    "F.flat[None]",
    "F.flat.__setitem__((), 70)",
    "m.broadcast(*[H] * 65)",
    "m.broadcast(1, x=1)",
    "m.add(1, 2, ...)",
    "m.add(H, H, sig='dd->d', dtype='f8')",
    "m.add(H, H, sig='dd->d', signature='dd->d')",
    "m.add(H, 2, m.zeros(3), out=m.zeros(3))",
    "m.add(H, 2, out=(m.zeros(3), m.zeros(3)))",
    "m.add(H, 1, where=I[0], out=m.zeros(3))",
    "m.vecdot(H, H, axes=[-1, -1, -1])",
    "m.vecdot(H, H, axes=[-1, -1, (-1,)])",
    "m.matmul(F, F.T, axes=[(0, 1), (0, 1), (0,)])",
    "m.sqrt(2**64)",
    "m.isfinite(2**64)",
    "m.r_[S, 255]",
    "m.pad(F, {5: 1})",
    "m.pad(F, 'x')",
    "m.pad(F, [1.5, 2])",
    "m.pad(F, ((3, 4, 5), (0, 1, 2)))",
    "m.array(3.0, copy=False)",
    "m.array([1, 2], copy=False)",
    "m.asarray(F.T, order='C', copy=False)",
    "m.asarray(F, dtype='f4', copy=False)",
    "m.full((2, 3), 1.0, order='K')",
    "m.zeros((2, 3), order='A')",
    "F.__dlpack__(stream=1)",
    "m.ndarray((2, 2), strides=(1,))",
    "m.arange()",
    "m.fft.rfftn(m.zeros(()))",
    "m.linalg.norm(m.zeros((2, 0)), ord=-2)",
    "H.__setitem__(0, [1])",
    "F.__setitem__(0, [[1, 2, 3, 4]])",
    "F.__setitem__((slice(None), 0), [[1, 2, 3]])",
    "I.__setitem__((0, 0), np.float64(np.nan))",
    "I.__setitem__((0, 0), np.float64(np.inf))",
    "I.__setitem__((0, slice(None)), np.float32(np.nan))",
    "m.exp(I, casting='no')",
    "m.exp(H, casting='bad')",
    "m.add(H, 2, casting='equiv')",
    "m.arctan2(H, U, casting='equiv')",
    "m.multiply(S, I[0], casting='no')",
    "m.sqrt(H, casting=3)",
    "m.add(H, H, where=H)",
    "m.add(U, 1.5, out=m.zeros(3, int), where=B)",
    "m.sum(F, axis=[0, 1])",
    "m.sum(F, axis=True)",
    "m.all(B, axis=[0])",
    "m.sum(F, keepdims='a')",
    "m.max(F, keepdims=None)",
    "m.mean(F, keepdims='a')",
    "m.var(F, keepdims=None)",
    "m.any(F, keepdims=b'x')",
    "m.nansum(F, keepdims='a')",
    "m.pad(m.asarray(3), -1)",
    "m.pad(H, -1)",
    "m.round(B, 1)",
    "m.array(I, ndmin=3, ndmax=1)",
    "m.ediff1d([1, 2, 4], to_end=m.nan)",
    "m.ediff1d(U, to_begin=1.5)",
    "m.diagonal(F, offset=1.5)",
    "m.linalg.outer(2, [1])",
    "m.linalg.outer(F, [1])",
    "m.linalg.cross([1, 2], [3, 4])",
    "m.linalg.cross([1, 2, 3], [3, 4])",
    "m.concatenate([U, S], casting='no')",
    "m.concatenate([U, S], casting='bad')",
    "m.stack([H, S], casting='equiv')",
    "m.vstack([U, S], casting='no')",
    "m.interp(0, [], [])",
    "m.interp(0, [1, 2], [1])",
    "m.interp(0, [1, 2], [1, 2], period=0)",
    "m.interp(0, F, F)",
    "m.rollaxis(F, 0, -3)",
    "m.rollaxis(F, 0, 3)",
    "m.moveaxis(F, 3, 0)",
    "m.moveaxis(F, 0, 3)",
    "m.moveaxis(F, (0, 0), (0, 1))",
    "m.select([I], [I])",
    "m.select([B, H], [H, H])",
    "m.cross(2, [1, 2, 3])",
    "m.partition(H, 0, order='f')",
    "m.partition(H, 0, kind='bad')",
    "m.argpartition(H, 0, kind=None)",
    "m.nanquantile(E, -1)",
    "m.nanpercentile(E, 101)",
    "m.isin(I, [1], kind='quicksort')",
    "m.isin(H, [1], kind='table')",
    "m.vectorize(lambda x: x, signature='(n')",
    "m.convolve([], [1])",
    "m.fft.fft(F, out=m.zeros((2, 3, 4), complex))",
    "m.fft.fftn(F, out=m.zeros((1, 3, 4), complex))",
    "m.correlate([1], [])",
    "m.cov(F, fweights=[1.5, 1, 1, 1])",
    "m.cov(F, fweights=[-1, 1, 1, 1])",
    "m.cov(F, aweights=[-1, 1, 1, 1])",
    "m.cov(F, aweights=[1, 1])",
    "m.cov(F, fweights=F)",
    "m.quantile([1.0, 2], 0.5, weights=[1, -1], method='inverted_cdf')",
]

TEXTS = [
    "m.compress(array('b', [1, 0, 1]), H)",
    "F.diagonal(10**20)",
    "F.diagonal(2**40)",
    "H.view(H)",
    "m.nan_to_num(H, 'x')",
    "m.mean(H, where=None)",
    "m.full_like(F, 1, subok='x')",
    "m.select([B, B], [-1, U])",
    "m.cumsum(H, out=[1, 2])",
    "H.cumprod(out=5)",
    "m.nancumsum(H, out=5)",
    "m.add.accumulate(H, out=5)",
    "m.block([1, [2]])",
    "m.block([[1], []])",
    "m.vecdot(H, H, axes=[-1, -1, -1])",
    "m.pad(F, 'x')",
    "m.add(F, 1, out=m.zeros((3, 1)))",
    "F.flat.__setitem__((), 70)",
    "m.moveaxis(F, 3, 0)",
    "m.moveaxis(F, 0, 3)",
    "m.moveaxis(F, (0, 0), (0, 1))",
    "m.convolve([], [1])",
    "m.convolve([1], [])",
    "m.rollaxis(F, 0, 3)",
    "m.interp(0, [], [])",
    "m.linalg.outer(2, [1])",
    "m.linalg.cross([1, 2], [3, 4])",
    "m.cov(F, aweights=[-1, 1, 1, 1])",
    "m.sum(F, keepdims='a')",
    "m.exp(I, casting='no')",
    "m.select([I], [I])",
]


@pytest.fixture(params=[0, 4096], ids=["compiled", "immediate"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with config(immediate=request.param):
        yield


def _names(module: Any) -> dict[str, Any]:
    wrap = (lambda values: values.copy()) if module is np else la.array
    return {
        "np": np,
        "m": module,
        "array": array,
        **{name: wrap(values) for name, values in ARRAYS.items()},
    }


def _evaluated(call: str, module: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.asarray(eval(call, _names(module)))


@pytest.mark.parametrize("call", VALUES)
def test_values(call: str) -> None:
    theirs, mine = _evaluated(call, np), _evaluated(call, la)
    assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
    if mine.dtype.kind in "fc":
        np.testing.assert_allclose(mine, theirs, rtol=1e-6 if mine.itemsize == 4 else 1e-14)
    else:
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("call", ERRORS)
def test_errors(call: str) -> None:
    with pytest.raises(Exception) as theirs:
        _evaluated(call, np)
    refused = next(
        kind
        for kind in (
            OverflowError,
            np.exceptions.AxisError,
            TypeError,
            ValueError,
            IndexError,
            RuntimeError,
        )
        if isinstance(theirs.value, kind)
    )
    with pytest.raises(refused):
        eval(call, _names(la))  # when it is built, before its value is asked for


@pytest.mark.parametrize("call", TEXTS)
def test_texts(call: str) -> None:
    with pytest.raises(Exception) as theirs:
        _evaluated(call, np)
    with pytest.raises(Exception) as mine:
        eval(call, _names(la))
    assert str(theirs.value) in str(mine.value)


@pytest.mark.skipif(not CROSSES_PLANE_VECTORS, reason="gone since NumPy 2.5")
@pytest.mark.parametrize(
    "call",
    [
        "m.cross([1, 2], [3, 4])",
        "m.cross([1, 2], [3, 4, 5])",
        "m.cross([[1, 2], [3, 4]], [5, 6, 7])",
    ],
)
def test_vectors_of_the_plane(call: str) -> None:
    with pytest.warns(DeprecationWarning, match="2-dimensional vectors are deprecated"):
        mine = eval(call, _names(la))
    np.testing.assert_array_equal(np.asarray(mine), _evaluated(call, np))


def test_flags_compare() -> None:
    x = la.zeros((2, 3))
    assert x.flags == np.zeros((2, 3)).flags
    assert x.T.flags != x.flags
    assert x.flags != "C_CONTIGUOUS"


def test_arrays_that_need_no_copy_are_themselves() -> None:
    x = la.zeros((2, 3))
    assert x.astype("f8", copy=False) is x
    assert la.astype(x, x.dtype, copy=False) is x
    assert la.array(x, copy=False) is x
    assert la.asarray(x, "f8", "C", copy=False) is x
    assert x.astype("f8", order="F", copy=False).flags.f_contiguous


@pytest.mark.parametrize(
    "call",
    [
        "m.isclose(H, H, rtol=m.nan)",
        "m.isclose(H, H, atol=m.inf)",
        "m.allclose(H, H, rtol=[m.nan, 1, 1])",
        "F.flat[True]",
        "F.flat[False]",
        "m.linalg.qr(F, 'full')[1]",
        "m.linalg.qr(F, 'economic')",
        "m.linalg.qr(F.T, 'e')",
        "m.fft.fftn(F, s=(2, 2))",
        "m.fft.fft2(F, s=(2, None))",
    ],
)
def test_warnings_of_arguments(call: str) -> None:
    with pytest.warns() as theirs:
        expected = eval(call, _names(np))
    with pytest.warns() as mine:
        value = eval(call, _names(la))
    np.testing.assert_allclose(np.asarray(value), expected)
    assert [(w.category, w.filename) for w in mine] == [(theirs[0].category, "<string>")]


def test_a_broadcast_has_the_elements_of_each_array() -> None:
    x, y = la.arange(3), la.zeros((2, 1))
    first, second = la.broadcast(x, y).iters
    assert first.base is x and second.base is y


def test_place_casts_numbers_as_numpy_does() -> None:
    x, expected = la.arange(6), np.arange(6)
    la.place(x, x > 2, [1.5, 2])
    np.place(expected, expected > 2, [1.5, 2])
    np.testing.assert_array_equal(x.compute(), expected)
