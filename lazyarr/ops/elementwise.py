"""The table of elementwise ops: one op, one row, gathered from the files beside this one."""

from __future__ import annotations

import numpy as np

from lazyarr.graph.node import Op
from lazyarr.ops import arithmetic, conversion, logic, special, transcendental
from lazyarr.ops.table import output_of, resolve

__all__ = ["BY_UFUNC", "ELEMENTWISE", "resolve"]

ELEMENTWISE: dict[str, Op] = {
    op.name: op
    for file in (arithmetic, transcendental, logic, conversion, special)
    for op in file.ROWS
}
"""Every elementwise op by its name."""


def _by_ufunc() -> dict[np.ufunc, tuple[Op, ...]]:
    outputs: dict[np.ufunc, dict[int, Op]] = {}
    for op in ELEMENTWISE.values():
        if op.ufunc is not None:
            outputs.setdefault(op.ufunc, {})[output_of(op)] = op
    return {ufunc: tuple(ops[i] for i in sorted(ops)) for ufunc, ops in outputs.items()}


BY_UFUNC: dict[np.ufunc, tuple[Op, ...]] = _by_ufunc()
"""The ops that a ufunc stands for, one for each of its outputs."""
