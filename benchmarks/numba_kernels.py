"""Each case as one would write it by hand in Numba: explicit loops, parallel over the outer one.

Constants take the dtype of the arrays, so that float32 stays float32.
"""

from __future__ import annotations

from math import cos, exp, log, sin, sqrt
from typing import Any

import numba
import numpy as np
from numba import prange

from benchmarks.cases import LOGISTIC_STEPS

Array = np.ndarray[Any, Any]

parallel = numba.njit(parallel=True, error_model="numpy", nogil=True)
inline = numba.njit(error_model="numpy")


@parallel
def poly(a: Array, b: Array, c: Array) -> Array:
    real = a.dtype.type
    out = np.empty_like(a)
    for i in prange(a.size):
        out[i] = real(2) * a[i] + real(3) * b[i] * c[i] - a[i] * b[i] / (c[i] + real(1))
    return out


@parallel
def trans(a: Array, b: Array, c: Array) -> Array:
    out = np.empty_like(a)
    for i in prange(a.size):
        s, t = sin(a[i]), cos(b[i])
        out[i] = s * s + t * t + exp(-c[i])
    return out


@parallel
def ssq(a: Array, b: Array, c: Array) -> float:
    total = a.dtype.type(0)
    for i in prange(a.size):
        difference = a[i] - b[i]
        total += difference * difference * c[i]
    return total


@parallel
def softmax(a: Array) -> Array:
    rows, columns = a.shape
    out = np.empty_like(a)
    for i in prange(rows):
        top = a[i, 0]
        for j in range(1, columns):
            top = max(top, a[i, j])
        total = a.dtype.type(0)
        for j in range(columns):
            out[i, j] = exp(a[i, j] - top)
            total += out[i, j]
        for j in range(columns):
            out[i, j] /= total
    return out


@parallel
def layernorm(a: Array) -> Array:
    rows, columns = a.shape
    real = a.dtype.type
    out = np.empty_like(a)
    for i in prange(rows):
        total = real(0)
        for j in range(columns):
            total += a[i, j]
        mean = total / real(columns)
        squares = real(0)
        for j in range(columns):
            squares += (a[i, j] - mean) * (a[i, j] - mean)
        scale = real(1) / sqrt(squares / real(columns) + real(1e-5))
        for j in range(columns):
            out[i, j] = (a[i, j] - mean) * scale
    return out


@parallel
def gauss(a: Array, b: Array) -> Array:
    rows, columns = a.shape
    out = np.empty(rows, a.dtype)
    for i in prange(rows):
        total = a.dtype.type(0)
        for j in range(columns):
            difference = a[i, j] - b[i, j]
            total += difference * difference
        out[i] = exp(-total)
    return out


@parallel
def stencil(a: Array) -> Array:
    rows, columns = a.shape
    quarter = a.dtype.type(0.25)
    out = np.empty((rows - 2, columns - 2), a.dtype)
    for i in prange(rows - 2):
        for j in range(columns - 2):
            out[i, j] = quarter * (a[i + 1, j] + a[i + 1, j + 2] + a[i, j + 1] + a[i + 2, j + 1])
    return out


@parallel
def _moments(a: Array) -> tuple[Array, Array]:
    """Return mean and variance of each column; each thread reads rows of a band of columns."""
    rows, columns = a.shape
    real = a.dtype.type
    mean = np.zeros(columns, a.dtype)
    variance = np.zeros(columns, a.dtype)
    bands = (columns + 255) // 256
    for band in prange(bands):
        start, stop = band * 256, min(columns, band * 256 + 256)
        for i in range(rows):
            for j in range(start, stop):
                mean[j] += a[i, j]
        for j in range(start, stop):
            mean[j] /= real(rows)
        for i in range(rows):
            for j in range(start, stop):
                variance[j] += (a[i, j] - mean[j]) * (a[i, j] - mean[j])
        for j in range(start, stop):
            variance[j] /= real(rows)
    return mean, variance


@inline
def var0(a: Array) -> Array:
    return _moments(a)[1]


@parallel
def standardise(a: Array) -> Array:
    rows, columns = a.shape
    mean, variance = _moments(a)
    scale = a.dtype.type(1) / np.sqrt(variance)
    out = np.empty_like(a)
    for i in prange(rows):
        for j in range(columns):
            out[i, j] = (a[i, j] - mean[j]) * scale[j]
    return out


@inline
def _normal_cdf(x: Any, real: Any) -> Any:
    t = real(1) / (real(1) + real(0.2316419) * abs(x))
    series = t * (
        real(0.319381530)
        + t
        * (
            real(-0.356563782)
            + t * (real(1.781477937) + t * (real(-1.821255978) + t * real(1.330274429)))
        )
    )
    tail = real(0.3989422804014327) * exp(real(-0.5) * x * x) * series
    return real(1) - tail if x >= real(0) else tail


@parallel
def black_scholes(a: Array, b: Array, c: Array) -> Array:
    real = a.dtype.type
    out = np.empty_like(a)
    for i in prange(a.size):
        spread = real(0.3) * sqrt(c[i])
        d1 = (log(a[i] / b[i]) + real(0.065) * c[i]) / spread
        discounted = b[i] * exp(real(-0.02) * c[i])
        out[i] = a[i] * _normal_cdf(d1, real) - discounted * _normal_cdf(d1 - spread, real)
    return out


@parallel
def logistic(a: Array) -> Array:
    real = a.dtype.type
    out = np.empty_like(a)
    for i in prange(a.size):
        x = a[i]
        for _ in range(LOGISTIC_STEPS):
            x = real(3.7) * x * (real(1) - x)
        out[i] = x
    return out


@parallel
def pairwise(a: Array, b: Array) -> Array:
    width = a.shape[1]
    out = np.empty((a.shape[0], b.shape[0]), a.dtype)
    for i in prange(a.shape[0]):
        for j in range(b.shape[0]):
            total = a.dtype.type(0)
            for k in range(width):
                difference = a[i, k] - b[j, k]
                total += difference * difference
            out[i, j] = total
    return out


@parallel
def masked_sum(a: Array) -> float:
    threshold = a.dtype.type(0.3)
    total = a.dtype.type(0)
    for i in prange(a.size):
        if a[i] > threshold:
            total += a[i]
    return total


@parallel
def _sigmoid(product: Array, c: Array) -> Array:
    one = product.dtype.type(1)
    for i in prange(product.shape[0]):
        for j in range(product.shape[1]):
            product[i, j] = one / (one + exp(-(product[i, j] + c[i, 0])))
    return product


def sigmoid_layer(a: Array, b: Array, c: Array) -> Array:
    return _sigmoid(a @ b, c)


@inline
def _small(a: Array, b: Array, c: Array) -> Array:
    real = a.dtype.type
    out = np.empty_like(a)
    for i in range(a.size):
        difference = a[i] - b[i]
        out[i] = (
            exp(-(difference * difference) * c[i])
            + real(2) * a[i] * b[i]
            - real(3) * c[i] / (a[i] + real(1))
        )
    return out


small_1 = small_1000 = small_10000 = small_100000 = _small
