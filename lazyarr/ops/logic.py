"""Rows of the elementwise table: comparisons, logic and questions about a float's make-up."""

from __future__ import annotations

import numpy as np

from lazyarr.ops.table import elementwise

__all__ = ["ROWS"]

ROWS = (
    elementwise("equal", np.equal, commutative=True),
    elementwise("not_equal", np.not_equal, commutative=True),
    elementwise("less", np.less),
    elementwise("less_equal", np.less_equal),
    elementwise("greater", np.greater),
    elementwise("greater_equal", np.greater_equal),
    elementwise("logical_and", np.logical_and, commutative=True),
    elementwise("logical_or", np.logical_or, commutative=True),
    elementwise("logical_xor", np.logical_xor, commutative=True),
    elementwise("logical_not", np.logical_not),
    elementwise("isnan", np.isnan),
    elementwise("isinf", np.isinf),
    elementwise("isfinite", np.isfinite),
    elementwise("signbit", np.signbit),
    elementwise("copysign", np.copysign),
    elementwise("nextafter", np.nextafter, cost=4),
    elementwise("spacing", np.spacing, cost=4),
    elementwise("ldexp", np.ldexp, cost=4),
    elementwise("modf_fraction", np.modf, output=0),
    elementwise("modf_integral", np.modf, output=1),
    elementwise("frexp_mantissa", np.frexp, output=0, cost=4),
    elementwise("frexp_exponent", np.frexp, output=1, cost=4),
)
