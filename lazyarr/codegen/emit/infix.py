"""Infix operators that C and Python have in common."""

from __future__ import annotations

from lazyarr.loop_ir.kernel import Index, Value

__all__ = ["ARITHMETIC", "COMPARISONS", "index_text"]

ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}
COMPARISONS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}


def index_text(index: Index) -> str:
    """Return the text of an index."""
    parts = []
    for factor, variable in index.terms:
        if factor == 1:
            parts.append(variable.name)
        elif isinstance(factor, Value):
            parts.append(f"{factor.name} * {variable.name}")
        else:
            parts.append(f"{factor} * {variable.name}")
    if isinstance(index.constant, Value):
        parts.append(index.constant.name)
    elif index.constant or not parts:
        parts.append(str(index.constant))
    return " + ".join(parts)
