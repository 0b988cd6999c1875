"""Products of n×n matrices, n over powers of two: the size from which a GPU is faster.

Usage: python examples/matrix_product.py [largest n]      (default: 512; for timings: 8192)
"""

import sys
import time

import numpy as np

import lazyarr as la
from lazyarr.errors import DeviceError


def fastest(call, *args):
    """Return the result of a call, and the milliseconds of the fastest of three."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        result = call(*args)
        times.append(time.perf_counter() - begun)
    return result, min(times) * 1e3


def product(a, b, device):
    with la.config(device=device):
        return la.evaluate(la.asarray(a) @ la.asarray(b))


def main() -> None:
    largest = int((sys.argv[1:] or ["512"])[0])
    random = np.random.default_rng(0)
    devices = ["cpu", "cuda"]
    try:
        product(np.eye(2), np.eye(2), "cuda")
    except DeviceError:
        devices.remove("cuda")
    print("    n", *(f"{device:>9} ms  L2 error" for device in devices))
    won = None
    n = 16
    while n <= largest:
        a, b = random.random((2, n, n), np.float32)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        line, times = f"{n:5d}", []
        for device in devices:  # copies to and from the GPU included
            result, milliseconds = fastest(product, a, b, device)
            error = np.linalg.norm(result - exact) / np.linalg.norm(exact)
            assert error < 1e-5
            times.append(milliseconds)
            line += f" {milliseconds:12.3f} {error:9.1e}"
        print(line)
        won = (won or n) if times[-1] < times[0] else None
        n *= 2
    if "cuda" in devices:
        print(f"Including copies, the GPU is faster from n = {won or 'a larger size'}")


if __name__ == "__main__":
    main()
