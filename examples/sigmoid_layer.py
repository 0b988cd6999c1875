"""A layer with dropout: sigmoid(W @ V + column), times a random mask of the same shape.

One product by the library and one kernel, which adds, computes the sigmoid, draws the mask and
multiplies in place in the buffer of the product. With LAZYARR_DEVICE=cuda it runs on the GPU.
Usage: python examples/sigmoid_layer.py [rows inner columns]      (default: 512 784 256)
"""

import sys
import time

import numpy as np

import lazyarr as la


def main() -> None:
    rows, inner, columns = map(int, sys.argv[1:] or ("512", "784", "256"))
    random = np.random.default_rng(0)
    w = random.standard_normal((rows, inner)) / inner**0.5
    v = random.standard_normal((inner, columns))
    column = random.standard_normal((rows, 1))

    kept = la.random.default_rng(1).random((rows, columns)) > 0.5
    weights, values, bias = la.persist(la.asarray(w), la.asarray(v), la.asarray(column))
    layer = la.special.expit(weights @ values + bias) * kept

    steps = la.explain(layer)
    assert len(steps.kernels) == 1, "sum, sigmoid, draw and product are one kernel"
    la.evaluate(layer)  # the first call compiles
    begun = time.perf_counter()
    result = la.evaluate(layer)
    lazy = time.perf_counter() - begun

    mask = la.evaluate(kept)  # the same draw again: the same numbers
    begun = time.perf_counter()
    expected = 1 / (1 + np.exp(-(w @ v + column))) * mask
    eager = time.perf_counter() - begun
    np.testing.assert_allclose(result, expected, rtol=1e-12)
    print(
        f"{rows}×{inner} @ {inner}×{columns} on {weights.device}: {mask.mean():.1%} kept, "
        f"NumPy {eager * 1e3:.2f} ms with the mask given, lazyarr {lazy * 1e3:.2f} ms with the draw"
    )


if __name__ == "__main__":
    main()
