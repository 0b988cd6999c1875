"""Random numbers that are computed where they are used: numpy.random's Generator, lazily.

A draw is a node of the expression like any other. It holds a key and a number, and each of its
elements is a function of these and of its position (Philox4x32-10, :mod:`lazyarr.ops.random`). So
a kernel makes random numbers in registers where it needs them, evaluating a draw twice gives the
same numbers, and uniform numbers and integers have the same bits on every device.

The names of NumPy's older interface, and a Generator of one of NumPy's bit generators, draw NumPy's
numbers on the host instead (:mod:`lazyarr.random.numpy_draws`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.random import (
    MT19937,
    PCG64,
    PCG64DXSM,
    SFC64,
    BitGenerator,
    Philox,
    SeedSequence,
    bit_generator,
)

from lazyarr.random import legacy, mtrand
from lazyarr.random.generator import Generator, default_rng
from lazyarr.random.legacy import RandomState

__all__ = [
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "BitGenerator",
    "Generator",
    "Philox",
    "RandomState",
    "SeedSequence",
    "bit_generator",
    "default_rng",
    "mtrand",
    *legacy.FUNCTIONS,
]

globals().update(legacy.FUNCTIONS)

_REFUSED = {
    "test": "it is NumPy's own test suite",
}
"""Names of numpy.random that are none here, and why."""

if not TYPE_CHECKING:

    def __getattr__(name):
        reason = _REFUSED.get(name)
        why = "" if reason is None else f": {reason}"
        raise AttributeError(f"module 'lazyarr.random' has no attribute {name!r}{why}")


def __dir__() -> list[str]:
    return sorted(__all__)
