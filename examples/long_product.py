"""A long product: A(2000×40000) @ B(40000×2000), where each element is a sum of 40,000 products.

How fast is it, and what does float32 lose on the way?
Usage: python examples/long_product.py [rows length]      (for real: 2000 40000)
"""

import sys
import time

import numpy as np

import lazyarr as la
from lazyarr.errors import DeviceError


def product(a, b, device):
    """Return the product, the seconds that it takes, and those of its copy to the host."""
    with la.config(device=device):
        left, right = la.persist(la.asarray(a), la.asarray(b))  # copied to the GPU once
        expression = left @ right
        la.evaluate(expression)  # the first call loads libraries
        begun = time.perf_counter()
        result = la.persist(expression)
        corner = float(result[0, 0])  # waits for it
        computed = time.perf_counter()
        actual = result.compute()
        assert actual[0, 0] == corner
        return actual, computed - begun, time.perf_counter() - computed


def main() -> None:
    rows, length = map(int, sys.argv[1:] or ("500", "4000"))
    random = np.random.default_rng(0)
    a, b = random.random((rows, length)), random.random((length, rows))
    exact = a @ b
    devices = ["cpu", "cuda"]
    try:
        product(np.eye(2), np.eye(2), "cuda")
    except DeviceError:
        devices.remove("cuda")
    print(f"A({rows}×{length}) @ B({length}×{rows})")
    print("device  dtype     product ms  copy ms  GFLOP/s  L2 error")
    for device in devices:
        for dtype, limit in (("float32", 1e-5), ("float64", 1e-13)):
            result, seconds, copying = product(a.astype(dtype), b.astype(dtype), device)
            error = np.linalg.norm(result - exact) / np.linalg.norm(exact)
            assert error < limit
            speed = 2 * rows * length * rows / seconds / 1e9
            print(
                f"{device:6}  {dtype}  {seconds * 1e3:11.2f} {copying * 1e3:8.2f} "
                f"{speed:8.0f}  {error:8.1e}"
            )


if __name__ == "__main__":
    main()
