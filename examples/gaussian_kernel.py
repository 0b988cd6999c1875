"""Gaussian kernel of paired rows: K[i] = exp(-sum_j (A[i, j] - B[i, j])**2).

NumPy writes two arrays as large as A on the way; lazyarr reads A and B once and writes K.
Usage: python examples/gaussian_kernel.py [rows]      (default: 1,000, then 1,000,000)
"""

import sys
import time
from functools import partial

import numpy as np

import lazyarr as la


def gaussian_kernel(a, b):
    return np.exp(-((a - b) ** 2).sum(axis=1))


def fastest(call, repeats: int = 3):
    """Return the result of `call`, and the seconds of the fastest of a few calls."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begun)
    return result, min(times)


def main() -> None:
    random = np.random.default_rng(0)
    for rows in [int(text) for text in sys.argv[1:]] or [1_000, 1_000_000]:
        a, b = random.random((rows, 20)), random.random((rows, 20))

        kernel = gaussian_kernel(la.asarray(a), la.asarray(b))
        expected, eager = fastest(partial(gaussian_kernel, a, b))
        result, lazy = fastest(partial(la.evaluate, kernel))  # the first call compiles

        np.testing.assert_allclose(result, expected, rtol=1e-13)
        assert len(la.explain(kernel).kernels) == 1
        print(f"{rows:,} × 20: NumPy {eager * 1e3:.2f} ms, lazyarr {lazy * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
