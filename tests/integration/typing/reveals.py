"""What type checkers say of programs that use lazyarr: each assert_type is a claim."""

from typing import Any, assert_type

import numpy as np

import lazyarr as la

x = la.zeros(3)
assert_type(x, la.LazyArray)
assert_type(la.ones((2, 3), dtype="f4", device="cpu"), la.LazyArray)
assert_type(la.arange(5), la.LazyArray)
assert_type(la.asarray(np.ones(3)), la.LazyArray)
assert_type(la.full(3, 1.5), la.LazyArray)
assert_type(la.sin(x), la.LazyArray)
assert_type(la.add(x, 1), la.LazyArray)
assert_type(la.sin(x, out=np.zeros(3)), np.ndarray[tuple[int], np.dtype[np.float64]])
assert_type(la.divmod(x, 2), tuple[la.LazyArray, la.LazyArray])
assert_type(la.sum(x), la.LazyArray)
assert_type(la.mean(x, axis=0, keepdims=True), la.LazyArray)
assert_type(la.where(x > 0, x, 0), la.LazyArray)
assert_type(la.where(x > 0), tuple[la.LazyArray, ...])
assert_type(la.linspace(0, 1, 5), la.LazyArray)
assert_type(la.concatenate([x, x]), la.LazyArray)
assert_type(la.matmul(x, x), la.LazyArray)
assert_type(la.broadcast_shapes((2, 1), (3,)), tuple[int, ...])

assert_type(x.sum(), la.LazyArray)
assert_type(x.mean(axis=0), la.LazyArray)
assert_type(x.reshape(3, 1), la.LazyArray)
assert_type(x[1:], la.LazyArray)
assert_type(x.T, la.LazyArray)
assert_type(x.astype("f4"), la.LazyArray)
assert_type(x.nonzero(), tuple[la.LazyArray, ...])
assert_type(x.shape, tuple[int, ...])
assert_type(x + 1, la.LazyArray)
assert_type(2 * x, la.LazyArray)
assert_type(x @ x, la.LazyArray)
assert_type(x > 0, la.LazyArray)
assert_type(-x, la.LazyArray)
assert_type(x == x, la.LazyArray)
assert_type(x + np.ones(3), la.LazyArray)

assert_type(la.evaluate(x), np.ndarray[Any, Any])
assert_type(x.compute(), np.ndarray[Any, Any])
assert_type(la.evaluate(x, x), tuple[np.ndarray[Any, Any], ...])
assert_type(la.persist(x), la.LazyArray)
assert_type(la.persist(x, x), tuple[la.LazyArray, ...])

rng = la.random.default_rng(0)
assert_type(rng, la.random.Generator)
assert_type(rng.normal(0.0, 1.0, 3), la.LazyArray)
assert_type(rng.poisson(3.0, size=3), la.LazyArray)
assert_type(la.random.rand(3), la.LazyArray)
assert_type(la.random.normal(size=3), la.LazyArray)
assert_type(la.special.erf(x), la.LazyArray)
assert_type(la.special.softmax(x), la.LazyArray)
assert_type(la.fft.fft(x), la.LazyArray)
assert_type(la.linalg.inv(la.eye(3)), la.LazyArray)
assert_type(la.linalg.svd(la.eye(3)).S, la.LazyArray)
assert_type(la.linalg.svd(la.eye(3), compute_uv=False), la.LazyArray)
assert_type(la.linalg.eigh(la.eye(3)).eigenvectors, la.LazyArray)
assert_type(la.linalg.eig(la.eye(3)).eigenvalues, la.LazyArray)
assert_type(la.linalg.slogdet(la.eye(3)).logabsdet, la.LazyArray)
assert_type(la.linalg.qr(la.eye(3)).Q, la.LazyArray)
assert_type(la.linalg.qr(la.eye(3), "r"), la.LazyArray)
assert_type(la.linalg.lstsq(la.eye(3), x)[0], la.LazyArray)
assert_type(la.add.reduce(x), la.LazyArray)
assert_type(la.add.reduce(x, out=np.zeros(())), np.ndarray[tuple[()], np.dtype[np.float64]])
assert_type(la.maximum.accumulate(x), la.LazyArray)
assert_type(la.multiply.outer(x, x), la.LazyArray)
assert_type(la.average(x, weights=x), la.LazyArray)
assert_type(la.average(x, returned=True), tuple[la.LazyArray, la.LazyArray])
assert_type(la.gradient(x, axis=0), la.LazyArray)
assert_type(la.quantile(x, 0.5), la.LazyArray)
assert_type(la.indices((2, 3)), la.LazyArray)
assert_type(la.indices((2, 3), sparse=True), tuple[la.LazyArray, ...])
assert_type(la.unique(x), la.LazyArray)
assert_type(la.unique(x, return_counts=True), tuple[la.LazyArray, la.LazyArray])
assert_type(la.atleast_2d(x), la.LazyArray)
assert_type(la.atleast_2d(x, x), tuple[la.LazyArray, ...])
assert_type(la.intersect1d(x, x), la.LazyArray)
assert_type(la.histogram(x), tuple[la.LazyArray, la.LazyArray])
assert_type(la.polyadd(x, x), la.LazyArray)
assert_type(la.array2string(x), str)
assert_type(la.fori_loop(3, lambda i, state: state + 1, x), la.LazyArray)
assert_type(la.fori_loop(3, lambda i, state: state, (x, x)), tuple[la.LazyArray, la.LazyArray])
assert_type(la.while_loop(lambda state: state < 3, lambda state: state + 1, x), la.LazyArray)

with la.eager():
    assert_type(x * 2, la.LazyArray)

report = la.explain(x)
assert_type(report.peak_bytes, int)


@la.jit
def scaled(values: la.LazyArray, factor: float, *, offset: int = 0) -> la.LazyArray:
    return values * factor + offset


assert_type(scaled(x, 2.0, offset=1), la.LazyArray)
