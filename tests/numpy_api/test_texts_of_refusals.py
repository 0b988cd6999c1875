"""Refused arguments: NumPy's class of error and its text, at the line that builds the call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host

#: Those of the calls: `z` and `n` have no axes, `e` has no elements.
ARRAYS: dict[str, Any] = {
    "f": np.arange(12.0).reshape(3, 4),
    "g": np.arange(24.0).reshape(2, 3, 4),
    "v": np.array([1.5, -2.5, 0.5]),
    "i": np.array([[1, 2, 3], [4, 5, 6]]),
    "b": np.array([True, False, True]),
    "c": np.array([1 + 2j, -1j, 3]),
    "z": np.array(2.5),
    "n": np.array(3),
    "e": np.zeros((2, 0), "i4"),
}

CALLS = {
    "loops of ufuncs": """
        ~f
        f & 1
        b - b
        -b
        +b
        c // 2
        f << i[0, 0]
        m.ldexp(v, v)
        m.gcd(v, 2)
        m.floor(c)
        m.fix(c)
        m.frexp(c)
        m.hypot(c, 1)
        m.ediff1d(b)
        m.cos(c, dtype='f4')
        m.add(v, v, dtype='i4')
        m.floor(v, dtype='u1')
        m.invert(i, dtype=bool)
        m.absolute(v, dtype='c16')
        m.less(v, v, dtype='f8')
        m.bitwise_xor.outer(v, v)
        m.maximum.at(v, [0], c[0])
    """,
    "methods of ufuncs": """
        m.sqrt.outer(v, v)
        m.sin.reduce(v)
        m.sin.accumulate(z)
        m.isnan.reduceat(z, [0])
        m.isnan.reduceat(v, 0)
        m.frexp.accumulate(v)
        m.divmod.reduce(v)
        m.divmod.accumulate(v)
        m.divmod.reduceat(v, [0])
        m.modf.at(v, [0])
        m.add.at(v, [5], 1)
        m.sin.at(v, 5)
        m.add.at(v, [0])
        m.sin.at(v, [0], 1)
        m.add.reduceat(v, [5])
    """,
    "shapes of ufuncs": """
        m.add(v, f.T)
        m.sin(v, where=f > 5)
        m.hypot(f, f, where=v > 0)
        m.sin(v, out=m.zeros((2,)))
        m.add(v, 1, out=m.zeros((2, 4)))
        m.add(f, 1, out=m.zeros((4,)))
        m.add(f, 1, out=m.zeros((1, 4)))
        m.add(v[:1], 1, out=m.zeros((3,)), where=m.ones(2, bool))
        m.add(v[:1], 1, out=m.zeros((1,)), where=b)
        m.divmod(f, 2, out=(m.zeros(4), m.zeros((3, 4))))
        m.fix(v, out=m.zeros((4,)))
    """,
    "options of ufuncs": """
        m.sin(v, subok=1)
        m.add(v, v, subok=None)
        m.add(v, v, subok='a')
        m.sin(v, dtype=v)
        m.sum(v, dtype=v)
        m.cumsum(v, dtype=v)
        m.ones(3, dtype=v)
        m.modf(v, out=m.zeros(3))
        m.divmod(v, 2, out=m.zeros(3))
        m.divmod(v, 2, out=(m.zeros(3),))
    """,
    "orders of bytes": """
        m.add(v, v, dtype='>f8')
        m.sin(i, dtype='>f8')
        m.clip(v, 0, 1, dtype='>f4')
        m.divmod(i, i, dtype='>i4')
        m.add.reduce(i, dtype='>i4')
        m.hypot.reduce(v, dtype='>f8')
        m.add.accumulate(v, dtype='>c16')
        m.multiply.outer(v, v, dtype='>f8')
        m.maximum.reduceat(v, [0], dtype='>f8')
        m.sum(v, dtype='>f8')
        m.prod(i, dtype='>i2')
        m.mean(i, dtype='>f8')
        m.var(v, dtype='>f8')
        m.nanstd(v, dtype='>f8')
        m.nansum(v, dtype='>f8')
        m.cumulative_sum(v, dtype='>f8')
        m.matmul(f, f.T, dtype='>f8')
        m.vecdot(v, v, dtype='>f4')
    """,
    "initial values": """
        m.max(i.astype('i2'), initial=m.uint64(2**63))
        m.min(i.astype('i2'), initial=m.uint32(2**31))
        m.maximum.reduce(i, initial=m.uint64(2**63), axis=None)
        m.sum(i.astype('u1'), dtype='u1', initial=m.int64(-1))
        m.prod(i, initial=2**63)
        m.max(i, initial=m.float64('nan'))
        m.nanmin(i, initial=m.uint64(2**63))
    """,
    "masks of reductions": """
        m.sum(v, where=f > 5)
        m.any(z, where=b)
        m.max(v, where=f > 5, initial=0)
        m.sum(f, where=m.ones((2, 4), bool))
        m.sum(f[:1], where=m.ones((2, 4), bool))
        m.nansum(v, where=f > 5)
        m.var(v, out=m.zeros(2))
        m.nanmean(v, out=m.zeros(2))
        m.nanmax(v, out=m.zeros(2))
        m.ptp(v, out=m.zeros(2))
        m.logaddexp.reduce(z, where=b)
        m.hypot.reduce(f, where=m.ones((2, 4), bool))
        m.argmin(v, out=m.zeros(2, int))
        m.mean(f, out=m.zeros(3))
        m.median(f, out=m.zeros(3))
    """,
    "products": """
        m.dot(f, f)
        m.dot(v, f[:, :2].T)
        m.dot(v, g[:, :2])
        m.dot(g, g)
        m.inner(f, v)
        m.inner(g, v)
        f.dot(f)
        m.linalg.multi_dot([f, f])
        m.linalg.multi_dot([v, f, v])
        f @ f
        v @ v[:2]
        m.matmul(f, v)
        m.matmul(v, f.T)
        m.matmul(g, g)
        m.matmul(f, z)
        m.matmul(2, f)
        m.vecdot(f, v)
        m.vecdot(v, z)
        m.matvec(f, v)
        m.matvec(v, v)
        m.vecmat(f, v)
        m.vecmat(v[:2], f)
        m.vecmat(v, v)
        m.linalg.vecdot(f, v)
        m.linalg.matmul(f, f)
    """,
    "matrices": """
        m.linalg.inv(f)
        m.linalg.inv(v)
        m.linalg.det(g)
        m.linalg.slogdet(e)
        m.linalg.eig(f)
        m.linalg.eigh(f)
        m.linalg.eigvals(f)
        m.linalg.eigvalsh(f, UPLO='U')
        m.linalg.eigh(v, UPLO='X')
        m.linalg.cholesky(f)
        m.linalg.solve(f, v)
        m.linalg.solve(f[:, :3], v[:2])
        m.linalg.solve(f[:, :3], 0)
        m.linalg.solve(f[:, :3], i)
        m.linalg.matrix_power(f, 2)
        m.linalg.norm(f, ord=3)
        m.linalg.norm(f, ord='bad')
        m.linalg.norm(v, ord='fro')
        m.linalg.norm(v, ord='bad')
        m.linalg.matrix_norm(f, ord=1.5)
        m.linalg.svd(g, hermitian=True)
        m.linalg.svd(f, compute_uv=False, hermitian=True)
        m.linalg.pinv(g, hermitian=True)
        m.linalg.cond(e)
        m.linalg.matrix_rank(f, hermitian=True)
    """,
    "other functions": """
        m.cov(g)
        m.cov(f, g)
        m.corrcoef(g)
        m.corrcoef(z, g)
        m.correlate(v, v, mode='bad')
        m.convolve(v, v, mode='reflect')
        m.correlate(z, f)
        m.correlate(f, v)
        m.diag_indices_from(v)
        m.diag_indices_from(f)
        m.diagonal(f, axis1=-5)
        m.diagonal(f, axis2=5)
        m.trace(f, axis1=5)
        m.digitize(c, [0, 2, 1])
        m.cross(f, v)
        m.cross(v, f[:, :3][:2, :2])
        m.meshgrid(v, v, indexing='bad')
        m.copyto(v, f)
        m.copyto(f, v)
        m.copyto(b, n)
        m.argmax(v, out=m.zeros(2))
        m.quantile(e, 0.5)
        m.percentile(e * 1.0, [25, 50])
        m.percentile(e, 30, axis=1, method='lower')
        m.fft.fft2(f, s=(2.5, 2))
        m.swapaxes(f, 5, 0)
        m.swapaxes(f, 0, 5)
        m.reshape(f, (4, 3), copy='a')
        m.argsort(v, order='k')
        m.sort(v, order='k')
    """,
    "choose": """
        m.choose(i[0], [v, v], out=m.zeros((2, 3)))
        m.choose(v, [v, v])
        m.choose(z, [v, v])
        m.choose(i, [f, f])
        m.choose(i[0], [v, v], mode='bad')
    """,
    "masks as indices": """
        f[:, b]
        f[b[:2]]
        f[0, m.ones((3, 4), bool)]
        g[:, f[:, :3] > 5]
        m.abs.at(f, [True, False])
    """,
    "shapes and words": """
        f.reshape(5)
        z.reshape()
        f.reshape(5, 3)
        f.reshape(-1, 7)
        f.reshape(5, -1, 7)
        f.reshape(())
        m.reshape(e, (2, 3))
        f.transpose(0)
        f.transpose((0, 1, 2))
        m.searchsorted(f, 1)
        m.searchsorted(z, 1)
        v.view('f4', 'x')
        v.view(type=int)
        m.searchsorted(v, 1, side='bad')
        m.searchsorted(v, 1, side='l')
        m.searchsorted(v, 1, side='Right')
        m.convolve(v, v, mode='f')
        m.convolve(v, v, mode='bad')
        m.correlate(v, v, mode='validly')
        m.correlate(v, v, mode=7)
        m.correlate(v, v, mode=-1)
        m.correlate(v, n, mode='bad')
        m.correlate(v, v, mode=None)
        m.convolve(v, e[0], mode='bad')
        m.fft.rfft(c)
        m.fft.ihfft(c, n=2)
        m.fft.rfftn(f * 1j, s=(2, 3), axes=(0, 1))
        m.fft.fft(v, out=m.zeros(5, 'c16'))
        m.einsum('ij->ji', f, dtype='bad')
        m.einsum('', 0, dtype='bad')
    """,
    "beginnings": """
        m.linalg.det(v)
        m.bitwise_or.reduce(f)
        m.vecdot(i, b, casting='no')
        m.einsum('ij->ji', v, v)
        m.vdot(f, v)
        m.cumulative_sum(f)
        m.gradient(v[:1])
        m.nonzero(n)
        m.rot90(v)
        m.rot90(f, 1, (0, 5))
        v.mT
        v[:1].view('c16')
        n.view('c16')
        m.fft.irfft(v[:1])
        m.average(v, axis=4)
        m.average(f, axis=(0, -2))
        m.broadcast_to(v, (2, -3))
        m.repeat(v, -1)
        m.repeat(v, [-1, 1, 1])
        m.delete(f, 4, axis=-1)
        m.delete(f, [9], axis=1)
        m.compress([False, True], f[:0], axis=0)
        m.place(v, b, [])
        m.place(v, b & False, e[:0])
        exec('x += y', {'x': v, 'y': f})
        exec('x /= 0', {'x': i})
        exec('x -= 0j', {'x': v})
        exec('x //= y', {'x': b, 'y': f})
        m.full((), v)
        m.full((2, 4), f)
    """,
    "outputs": """
        m.add(v, 1, out=locked(m.zeros(3)))
        m.sum(f, 0, out=locked(m.zeros(4)))
        m.cumsum(v, out=locked(m.zeros(3)))
        m.sin(v, out=1)
        m.sum(v, out=1)
        m.matmul(g[:, :, :3], f, out=m.zeros((3, 4)))
        m.vecdot(f, f, out=m.zeros(()))
        m.copyto(v, [[[[1.0]]]])
        exec('x[:] = [[[[1.0]]]]', {'x': v})
    """,
}


def _locked(array: Any) -> Any:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("limit", [0, 4096], ids=["compiled", "immediate"])
@pytest.mark.parametrize(
    "call", [line.strip() for lines in CALLS.values() for line in lines.strip().splitlines()]
)
def test_classes_and_texts_are_those_of_numpy(call: str, limit: int) -> None:
    def calls(m: Any, *arrays: Any) -> Any:
        return eval(call, {"m": m, "locked": _locked, **dict(zip(ARRAYS, arrays, strict=True))})

    with la.config(immediate=limit):
        agree(calls, *ARRAYS.values(), text=True)
