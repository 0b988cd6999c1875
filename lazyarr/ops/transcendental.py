"""Rows of the elementwise table: roots, exponentials, logarithms, powers and trigonometry."""

from __future__ import annotations

import numpy as np

from lazyarr.ops.table import elementwise

__all__ = ["ROWS"]

ROWS = (
    elementwise("sqrt", np.sqrt, cost=4),
    elementwise("cbrt", np.cbrt, cost=20),
    elementwise("exp", np.exp, cost=20),
    elementwise("exp2", np.exp2, cost=20),
    elementwise("expm1", np.expm1, cost=20),
    elementwise("log", np.log, cost=20),
    elementwise("log2", np.log2, cost=20),
    elementwise("log10", np.log10, cost=20),
    elementwise("log1p", np.log1p, cost=20),
    elementwise("power", np.power, cost=40),
    elementwise("float_power", np.float_power, cost=40),
    elementwise("logaddexp", np.logaddexp, cost=40, commutative=True),
    elementwise("logaddexp2", np.logaddexp2, cost=40, commutative=True),
    elementwise("sin", np.sin, cost=20),
    elementwise("cos", np.cos, cost=20),
    elementwise("tan", np.tan, cost=20),
    elementwise("arcsin", np.arcsin, cost=20),
    elementwise("arccos", np.arccos, cost=20),
    elementwise("arctan", np.arctan, cost=20),
    elementwise("arctan2", np.arctan2, cost=20),
    elementwise("hypot", np.hypot, cost=20, commutative=True),
    elementwise("sinh", np.sinh, cost=20),
    elementwise("cosh", np.cosh, cost=20),
    elementwise("tanh", np.tanh, cost=20),
    elementwise("arcsinh", np.arcsinh, cost=20),
    elementwise("arccosh", np.arccosh, cost=20),
    elementwise("arctanh", np.arctanh, cost=20),
    elementwise("degrees", np.degrees),
    elementwise("radians", np.radians),
    elementwise("deg2rad", np.deg2rad),
    elementwise("rad2deg", np.rad2deg),
)
