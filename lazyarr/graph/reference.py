"""The NumPy interpreter of a DAG: one call of each op's evaluate. It defines the semantics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.errors import ContractError
from lazyarr.graph.node import Node, walk

__all__ = ["evaluate_reference"]

Array = np.ndarray[Any, Any]


def evaluate_reference(roots: Sequence[Node]) -> list[Array]:
    """Return the values of `roots`, computed node by node with NumPy.

    Values are dropped after their last use. The results may be views of leaves.

    Parameters
    ----------
    roots : sequence of Node
        What to compute.

    Returns
    -------
    list of numpy.ndarray
        One for each root.

    Raises
    ------
    ContractError
        If an op gives another shape or dtype than its node says.
    """
    order = list(walk(roots))
    users: dict[int, int] = {}
    for current in order:
        for source in current.src:
            users[id(source)] = users.get(id(source), 0) + 1
    for root in roots:
        users[id(root)] = users.get(id(root), 0) + 1
    values: dict[int, Array] = {}
    for current in order:
        result = current.op.evaluate(current, *(values[id(source)] for source in current.src))
        if result.shape != current.shape or result.dtype != current.dtype:
            raise ContractError(
                f"{current.op.name} returned {result.dtype}{list(result.shape)}, its node says "
                f"{current.dtype}{list(current.shape)}",
                origin=current.origin,
            )
        values[id(current)] = result
        for source in current.src:
            users[id(source)] -= 1
            if not users[id(source)]:
                values.pop(id(source), None)
    return [values[id(root)] for root in roots]
