"""Times of the operations of a plan in eager NumPy, one call after the other."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.errors import LazyarrError
from lazyarr.execution.arguments import constant_of
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Kind, Leaf, Node, walk
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.passes.canonicalize import Bindings

__all__ = ["eager_seconds"]

Array = np.ndarray[Any, Any]


def eager_seconds(roots: Sequence[Node], bindings: Bindings) -> Mapping[Node, float] | None:
    """Return the seconds that NumPy takes for each operation of a plan's expression.

    Each is called twice, and the second call counts: the first takes memory from the system.

    Parameters
    ----------
    roots : sequence of Node
        The expression, with parameters for its arrays and scalars.
    bindings : Bindings
        The arrays and scalars of one evaluation.

    Returns
    -------
    mapping of Node to float
        None if NumPy cannot compute it: an array lies on a GPU or is read piece by piece, or an
        operation raises.
    """
    if any(isinstance(leaf.attr, DeviceLeaf | StreamedLeaf) for leaf in bindings.leaves):
        return None
    order = list(walk(roots))
    last_use = {source: at for at, node in enumerate(order) for source in node.src}
    values: dict[Node, Array] = {}
    seconds: dict[Node, float] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for at, node in enumerate(order):
            if node.op.kind is Kind.PARAMETER:
                values[node] = _argument(node, bindings)
                continue
            sources = [values[source] for source in node.src]
            try:
                node.op.evaluate(node, *sources)
                started = time.perf_counter()
                values[node] = node.op.evaluate(node, *sources)
            except (LazyarrError, ArithmeticError, ValueError, TypeError, MemoryError):
                return None
            if node.op.kind is not Kind.CONSTANT:
                seconds[node] = time.perf_counter() - started
            for source in node.src:
                if last_use[source] == at:
                    values.pop(source, None)
    return seconds


def _argument(parameter: Node, bindings: Bindings) -> Array:
    """Return the array or the scalar that a parameter stands for in one evaluation."""
    assert isinstance(parameter.attr, tuple)
    kind, position = parameter.attr[:2]
    if kind == "leaf":
        leaf = bindings.leaves[position].attr
        assert isinstance(leaf, Leaf)
        return leaf.array
    return constant_of(bindings, parameter)
