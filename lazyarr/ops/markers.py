"""Operations that give their first operand, and say something of its elements to who warns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.graph.node import Kind, Node, Op

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand

__all__ = ["SELECTED", "TOLD"]

Array = np.ndarray[Any, Any]


def _first(builder: Builder, value: Any, condition: Operand) -> Any:
    return value


def _evaluate(node: Node, *arrays: Array) -> Array:
    return np.array(np.broadcast_to(arrays[0], node.shape))


TOLD = Op("told", Kind.ELEMENTWISE, _evaluate, expand=_first, cost=0, tells=True)
"""A value, and a bool that says where what the node's ``Says`` tells has happened."""

SELECTED = Op("selected", Kind.ELEMENTWISE, _evaluate, expand=_first, cost=0, selects=True)
"""A value, and a bool that says which elements the user knows of."""
