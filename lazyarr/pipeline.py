"""Evaluation by the reference interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.ir import Node
from lazyarr.reference import evaluate_reference

__all__ = ["evaluate"]

Array = np.ndarray[Any, Any]


def evaluate(roots: tuple[Node, ...], outs: tuple[Array | None, ...] | None = None) -> list[Array]:
    """Return the values of `roots`, fresh or written into `outs`."""
    results = [np.array(value) for value in evaluate_reference(roots)]
    for position, out in enumerate(outs or ()):
        if out is not None:
            np.copyto(out, results[position])
            results[position] = out
    return results
