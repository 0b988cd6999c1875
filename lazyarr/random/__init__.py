"""Random numbers that are computed where they are used: numpy.random's Generator, lazily.

A draw is a node of the expression like any other. It holds a key and a number, and each of its
elements is a function of these and of its position (Philox4x32-10, :mod:`lazyarr.ops.random`). So
a kernel makes random numbers in registers where it needs them, evaluating a draw twice gives the
same numbers, and uniform numbers and integers have the same bits on every device.
"""

from __future__ import annotations

from lazyarr.random.generator import Generator, default_rng

__all__ = ["Generator", "default_rng"]
