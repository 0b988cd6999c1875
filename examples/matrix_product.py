"""Products of n×n matrices, n over powers of two: where does a GPU begin to win?

Without a GPU the table has the processor's column alone.
Usage: python examples/matrix_product.py [largest n]      (default: 512; for real: 8192)
"""

import sys
import time
from functools import partial

import numpy as np

import lazyarr as la
from lazyarr.errors import DeviceError


def fastest(call, repeats: int = 3):
    """Return what `call` gives, and the milliseconds of the fastest of a few calls."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begun)
    return result, min(times) * 1e3


def has_gpu() -> bool:
    try:
        with la.config(device="cuda"):
            la.persist(la.asarray(np.ones(1)) + 1)
    except DeviceError:
        return False
    return True


def on_gpu(a, b):
    """Return product, milliseconds with the data there, and milliseconds of the copies."""
    with la.config(device="cuda"):
        (x, y), there = fastest(lambda: la.persist(la.asarray(a) + 0, la.asarray(b) + 0))
        one = np.zeros(1)
        ready = la.persist(la.asarray(one))

        def compute():
            product = la.persist(x @ y)
            la.evaluate(ready + product[0, 0])  # waits for the product
            return product

        product, milliseconds = fastest(compute)
        result, back = fastest(partial(la.evaluate, product))
    return result, milliseconds, there + back


def main() -> None:
    largest = int((sys.argv[1:] or ["512"])[0])
    random = np.random.default_rng(0)
    gpu = has_gpu()
    print(
        "    n    CPU ms    GPU ms   copies ms   L2 error" if gpu else "    n    CPU ms   L2 error"
    )
    crossover = None
    n = 16
    while n <= largest:
        a, b = random.random((2, n, n), np.float32)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        product, cpu = fastest(partial(la.evaluate, la.asarray(a) @ la.asarray(b)))
        line = f"{n:5d} {cpu:9.3f}"
        if gpu:
            product, milliseconds, copies = on_gpu(a, b)
            line += f" {milliseconds:9.3f} {copies:11.3f}"
            faster = milliseconds + copies < cpu
            crossover = (crossover or n) if faster else None
        error = np.linalg.norm(product - exact) / np.linalg.norm(exact)
        assert error < 1e-5
        print(f"{line} {error:10.1e}")
        n *= 2
    if gpu:
        print(
            f"The GPU wins, copies included, from n = {crossover}" if crossover else "It never won"
        )


if __name__ == "__main__":
    main()
