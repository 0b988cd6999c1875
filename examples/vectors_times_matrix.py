"""Many vectors against one matrix: v -> tanh(v @ M + b) for each of them.

The product and the elementwise operations are one kernel, or the product is one call of BLAS where
that is faster. In both cases the result is the only large buffer.
Usage: python examples/vectors_times_matrix.py [vectors length]      (for timings: 50000 1000)
"""

import os
import sys
import time

import numpy as np

import lazyarr as la


def layer(vectors, matrix, bias):
    return np.tanh(vectors @ matrix + bias)


def main() -> None:
    vectors, length = map(int, sys.argv[1:] or ("5000", "300"))
    random = np.random.default_rng(0)
    v = random.standard_normal((vectors, length))
    m = random.standard_normal((length, length)) / length**0.5
    b = random.standard_normal(length)

    layer(v, m, b)
    begun = time.perf_counter()
    expected = layer(v, m, b)
    eager = time.perf_counter() - begun

    expression = layer(la.asarray(v), la.asarray(m), la.asarray(b))
    la.evaluate(expression)  # the first call compiles
    begun = time.perf_counter()
    result = la.evaluate(expression)
    lazy = time.perf_counter() - begun

    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-13)
    # A block of each operand that every thread packs.
    blocks = la.explain(expression).peak_bytes - result.nbytes
    assert blocks <= 4e6 * os.cpu_count(), "one buffer of the result's size"
    megabytes = [round(n / 1e6) for n in (result.nbytes + blocks, result.nbytes)]
    print(
        f"{vectors:,} vectors of {length:,}: NumPy {eager * 1e3:.1f} ms, "
        f"lazyarr {lazy * 1e3:.1f} ms, peak {megabytes[0]} MB (result: {megabytes[1]})"
    )


if __name__ == "__main__":
    main()
