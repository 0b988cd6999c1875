"""The logistic map x = x*x - 0.25, iterated 1,000 times in one kernel that reads and writes once.

NumPy walks memory twice in each iteration; lazyarr keeps each element in a register for all of
them.

Usage: python examples/logistic_map.py [elements] [iterations]   (default: 100,000 and 1,000)
"""

import sys
import time

import numpy as np

import lazyarr as la
from lazyarr.errors import DeviceError


def milliseconds(call):
    """Return the result of a call, and the milliseconds of the faster of two."""
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begun)
    return result, min(times) * 1e3


def iterated(x, iterations):
    return la.fori_loop(iterations, lambda i, v: v * v - 0.25, la.asarray(x))


def eager(x, iterations):
    for _ in range(iterations):
        x = x * x - 0.25
    return x


def main() -> None:
    arguments = [int(argument) for argument in sys.argv[1:]]
    elements, iterations = (arguments + [100_000, 1000][len(arguments) :])[:2]
    start = np.random.default_rng(0).uniform(-1, 1, elements)
    expected, time_of_numpy = milliseconds(lambda: eager(start, iterations))
    print(f"NumPy {time_of_numpy:10.3f} ms")
    for device in ("cpu", "cuda"):
        with la.config(device=device):
            try:
                result, taken = milliseconds(lambda: la.evaluate(iterated(start, iterations)))
            except DeviceError:
                continue
            assert len(la.explain(iterated(start, iterations)).kernels) == 1
        np.testing.assert_array_equal(result, expected)
        print(f"{device:5} {taken:10.3f} ms, the bits of NumPy, {time_of_numpy / taken:.0f} times")


if __name__ == "__main__":
    main()
