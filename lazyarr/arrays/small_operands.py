"""Small operands of library functions, which are computed for them when they are called.

No kernel takes in what a library computes of, so nothing fuses over the call. What is in memory
lets NumPy's function run at once, and so do the functions after it: of sixty sums of a large array
``cumsum`` and ``interp`` take some microseconds then, and a plan of steps takes sixty or more.
"""

from __future__ import annotations

from lazyarr.arrays import tuning
from lazyarr.arrays.early_evaluation import evaluate_now
from lazyarr.arrays.immediate import limit
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.graph.leaf import Leaf
from lazyarr.graph.node import Kind, Node, is_of_constants
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.ops.markers import stays_expression
from lazyarr.tracing import scope

__all__ = ["in_memory"]

#: Elements of each value in the expressions of such operands, and nodes of them.
_MOST_ELEMENTS = tuning.row().operand_elements
_MOST_NODES = tuning.row().straight_nodes
_CAUSE = "a small operand", "a library call of few elements runs at once"


def in_memory(operands: list[Node]) -> list[Node]:
    """Return the operands of a library call, small ones that had to be computed as leaves.

    Parameters
    ----------
    operands : list of Node
        All arrays that the function takes.
    """
    most = limit()
    pending = [value for value in operands if value.src and value.stored is None]
    if not most or not pending or any([value.size > most for value in operands]):  # noqa: C419
        return operands
    shown = list(dict.fromkeys([_source_of_views(value) for value in pending]))
    if any([value.size > most for value in shown]) or not _are_of_few(shown):  # noqa: C419
        return operands
    if scope() is not None or stays_expression(pending):
        return operands
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import reuse

    missing = tuple([value for value in shown if value.stored is None])
    if missing:
        reuse.store_arrays(missing, evaluate_now(missing, *_CAUSE))
    return list(reuse.current(operands))


def _source_of_views(value: Node) -> Node:
    while value.op.kind in (Kind.VIEW, Kind.RESHAPE) and value.src[0].src:
        value = value.src[0]
    return value


def _are_of_few(values: list[Node]) -> bool:
    """Return whether few values of middle size at most, in the host's memory, are to be computed.

    What is made of constants alone is part of plans, which keep their nodes.
    """
    if any(map(is_of_constants, values)):
        return False
    stack, seen = list(values), set(map(id, values))
    while stack:
        value = stack.pop()
        if not value.src or value.stored is not None:
            attr = value.attr
            if isinstance(attr, Leaf) and (
                isinstance(attr, StreamedLeaf) or is_bfloat16(value.dtype)
            ):
                return False
            continue
        if value.size > _MOST_ELEMENTS or len(seen) > _MOST_NODES:
            return False
        for source in value.src:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append(source)
    return not any(map(is_on_device, values))
