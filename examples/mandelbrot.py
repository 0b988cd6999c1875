"""The Mandelbrot set: every point is iterated until it escapes, in one kernel.

Writes mandelbrot.png where Matplotlib is installed and a file name is given.
Usage: python examples/mandelbrot.py [side] [file]
"""

import sys

import numpy as np

import lazyarr as la

LIMIT = 100


def escapes(c_re, c_im):
    """Return the number of iterations of z -> z**2 + c before each point leaves the circle."""

    def inside(state):
        z_re, z_im, iterations = state
        return (z_re * z_re + z_im * z_im <= 4.0) & (iterations < LIMIT)

    def iteration(state):
        z_re, z_im, iterations = state
        return z_re * z_re - z_im * z_im + c_re, 2.0 * z_re * z_im + c_im, iterations + 1

    zero = la.zeros((c_im.shape[0], c_re.shape[1]))
    return la.while_loop(inside, iteration, (zero, zero, la.zeros(zero.shape, dtype=np.int32)))[2]


def escapes_eagerly(c_re, c_im):
    """The same in NumPy, all points together."""
    z_re, z_im = np.zeros((2, c_im.shape[0], c_re.shape[1]))
    iterations = np.zeros(z_re.shape, np.int32)
    while (going := (z_re * z_re + z_im * z_im <= 4.0) & (iterations < LIMIT)).any():
        new_re, new_im = z_re * z_re - z_im * z_im + c_re, 2.0 * z_re * z_im + c_im
        z_re, z_im = np.where(going, new_re, z_re), np.where(going, new_im, z_im)
        iterations = iterations + going
    return iterations


def main() -> None:
    side = int(sys.argv[1]) if sys.argv[1:] else 200
    c_re, c_im = np.linspace(-2.0, 0.6, side)[None, :], np.linspace(-1.3, 1.3, side)[:, None]
    lazy = escapes(la.asarray(c_re), la.asarray(c_im))
    iterations = la.evaluate(lazy)
    np.testing.assert_array_equal(iterations, escapes_eagerly(c_re, c_im))
    assert len(la.explain(lazy).kernels) == 1
    print(
        f"{side} × {side}: {iterations.sum():,} iterations in one kernel, as many as NumPy counts"
    )
    if sys.argv[2:]:
        import matplotlib.pyplot as plt

        plt.imsave(sys.argv[2], np.log(iterations + 1.0), cmap="magma")


if __name__ == "__main__":
    main()
