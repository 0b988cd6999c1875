"""Solutions with the factors for their derivatives: rows of which few programs have any."""

from __future__ import annotations

from lazyarr.ops.library import LIBRARY, library_op
from lazyarr.ops.triangular import solved, solved_sides

__all__ = ["SOLVED", "SOLVED_SIDES"]

SOLVED = LIBRARY["linalg.solved"] = library_op("linalg.solved", solved, supports_out=True)
"""Factors with solutions behind them; the sources are matrices and right sides."""

SOLVED_SIDES = LIBRARY["linalg.solved_sides"] = library_op(
    "linalg.solved_sides", solved_sides, supports_out=True
)
"""The solutions behind factors, which are the source."""
