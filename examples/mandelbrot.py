"""The Mandelbrot set: every point takes turns until it escapes, all inside one kernel.

Writes mandelbrot.png where Matplotlib is installed and a file name is given.
Usage: python examples/mandelbrot.py [side] [file]
"""

import sys

import numpy as np

import lazyarr as la

LIMIT = 100


def escapes(c_re, c_im):
    """Return how many turns of z -> z**2 + c each point takes to leave the circle of radius 2."""

    def inside(state):
        z_re, z_im, turns = state
        return (z_re * z_re + z_im * z_im <= 4.0) & (turns < LIMIT)

    def turn(state):
        z_re, z_im, turns = state
        return z_re * z_re - z_im * z_im + c_re, 2.0 * z_re * z_im + c_im, turns + 1

    zero = la.zeros((c_im.shape[0], c_re.shape[1]))
    return la.while_loop(inside, turn, (zero, zero, la.zeros(zero.shape, dtype=np.int32)))[2]


def escapes_eagerly(c_re, c_im):
    """The same in NumPy, all points together."""
    z_re, z_im = np.zeros((2, c_im.shape[0], c_re.shape[1]))
    turns = np.zeros(z_re.shape, np.int32)
    while (going := (z_re * z_re + z_im * z_im <= 4.0) & (turns < LIMIT)).any():
        new_re, new_im = z_re * z_re - z_im * z_im + c_re, 2.0 * z_re * z_im + c_im
        z_re, z_im = np.where(going, new_re, z_re), np.where(going, new_im, z_im)
        turns = turns + going
    return turns


def main() -> None:
    side = int(sys.argv[1]) if sys.argv[1:] else 200
    c_re, c_im = np.linspace(-2.0, 0.6, side)[None, :], np.linspace(-1.3, 1.3, side)[:, None]
    lazy = escapes(la.asarray(c_re), la.asarray(c_im))
    turns = la.evaluate(lazy)
    np.testing.assert_array_equal(turns, escapes_eagerly(c_re, c_im))
    assert len(la.explain(lazy).kernels) == 1
    print(f"{side} × {side}: {turns.sum():,} turns in one kernel, as many as NumPy counts")
    if sys.argv[2:]:
        import matplotlib.pyplot as plt

        plt.imsave(sys.argv[2], np.log(turns + 1.0), cmap="magma")


if __name__ == "__main__":
    main()
