"""Rows of the elementwise table: arithmetic, rounding, extrema and integer bits."""

from __future__ import annotations

import importlib

import numpy as np

from lazyarr.ops.table import elementwise

__all__ = ["ROWS"]

# The ufunc under np.clip, which has no public name.
CLIP: np.ufunc = importlib.import_module("numpy._core.umath").clip

ROWS = (
    elementwise("add", np.add, commutative=True),
    elementwise("subtract", np.subtract),
    elementwise("multiply", np.multiply, commutative=True),
    elementwise("divide", np.divide, cost=4),
    elementwise("floor_divide", np.floor_divide, cost=8),
    elementwise("remainder", np.remainder, cost=8),
    elementwise("fmod", np.fmod, cost=8),
    elementwise("negative", np.negative),
    elementwise("positive", np.positive),
    elementwise("absolute", np.absolute),
    elementwise("fabs", np.fabs),
    elementwise("sign", np.sign),
    elementwise("heaviside", np.heaviside),
    elementwise("reciprocal", np.reciprocal, cost=4),
    elementwise("square", np.square),
    elementwise("conjugate", np.conjugate),
    elementwise("rint", np.rint),
    elementwise("floor", np.floor),
    elementwise("ceil", np.ceil),
    elementwise("trunc", np.trunc),
    elementwise("maximum", np.maximum),
    elementwise("minimum", np.minimum),
    elementwise("fmax", np.fmax),
    elementwise("fmin", np.fmin),
    elementwise("clip", CLIP),
    elementwise("gcd", np.gcd, cost=20, commutative=True, associative=True),
    elementwise("lcm", np.lcm, cost=20, commutative=True),
    elementwise("bitwise_and", np.bitwise_and, commutative=True, associative=True),
    elementwise("bitwise_or", np.bitwise_or, commutative=True, associative=True),
    elementwise("bitwise_xor", np.bitwise_xor, commutative=True, associative=True),
    elementwise("invert", np.invert),
    elementwise("left_shift", np.left_shift),
    elementwise("right_shift", np.right_shift),
    elementwise("bitwise_count", np.bitwise_count, cost=4),
)
