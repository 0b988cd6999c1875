"""The cost of the same expression in eager NumPy, operation by operation."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import View
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.schedule.cost import (
    is_scalar_argument,
    loop_iterations,
    stored_bytes,
    touched_elements,
)

__all__ = ["Eager", "bytes_by_operation", "eager_cost"]


@dataclass(frozen=True, slots=True)
class Eager:
    """The cost of evaluating an expression eagerly.

    Attributes
    ----------
    operations : int
        Calls that do work, so passes over memory.
    bytes_moved : int
        Each call reads its operands and writes its result.
    temporaries : int
        Arrays allocated that are not results.
    peak_bytes : int
        Bytes of arrays live at once, results included and inputs not. A temporary dies with its
        last user.
    """

    operations: int
    bytes_moved: int
    temporaries: int
    peak_bytes: int


def eager_cost(roots: Sequence[Node]) -> Eager:
    """Return the cost of eager NumPy for an expression.

    On the side of NumPy where there is doubt: views and reshapes are free, a dtype conversion
    with one user is made in passing by that user, and reading a value twice in one call counts
    once.
    """
    return _count(roots)[0]


def bytes_by_operation(roots: Sequence[Node]) -> dict[Node, int]:
    """Return the bytes that NumPy would move for each operation that does work."""
    return _count(roots)[1]


def _count(roots: Sequence[Node]) -> tuple[Eager, dict[Node, int]]:
    """Return the cost, and the bytes that each operation moves."""
    order = list(walk(roots))
    results = {id(root) for root in roots}
    uses: dict[int, int] = {}
    for node in order:
        for key in {id(source) for source in node.src}:
            uses[key] = uses.get(key, 0) + 1
    owner: dict[int, int] = {}  # where a value lies: the value that was allocated for it
    cost: dict[int, int] = {}  # bytes that reading a value moves
    size: dict[int, int] = {}  # bytes allocated
    last_use: dict[int, int] = {}
    allocated_at: dict[int, int] = {}
    operations = 0
    moved: dict[Node, int] = {}
    for at, node in enumerate(order):
        me = id(node)
        if _is_free(node, uses.get(me, 0), me in results):
            source = node.src[0]
            owner[me] = owner[id(source)]
            cost[me] = cost[id(source)]
            if node.op.kind is Kind.VIEW and isinstance(node.attr, View):
                touched = touched_elements(node.attr, node.shape) * source.dtype.itemsize
                cost[me] = min(cost[me], touched)
        else:
            owner[me] = me
            cost[me] = stored_bytes(node)
            if node.op.kind not in (Kind.LEAF, Kind.PARAMETER) and not is_scalar_argument(node):
                read = sum(cost[key] for key in {id(s) for s in node.src})
                if node.op.loop is None:
                    operations += 1
                    moved[node] = node.nbytes + read
                elif not node.op.output:
                    # All states come out of the same iterations, of which each operation is a call.
                    passes, each = _iteration(node)
                    operations += passes * loop_iterations(node)
                    moved[node] = each * loop_iterations(node)
                size[me] = node.nbytes
                allocated_at[at] = me
        for source in node.src:
            last_use[owner[id(source)]] = at
    result_memory = {owner[id(root)] for root in roots}
    temporaries = sum(me not in result_memory for me in size)
    peak = _peak(len(order), size, allocated_at, last_use, result_memory)
    return Eager(operations, sum(moved.values()), temporaries, peak), moved


def _iteration(node: Node) -> tuple[int, int]:
    """Return the calls that one iteration of a loop is, and the bytes that they move."""
    assert node.op.loop is not None
    free = (Kind.CONSTANT, Kind.VIEW, Kind.RESHAPE)
    steps = [step for step in node.op.loop.steps if step.op.kind not in free]
    moved = 0
    for step in steps:
        values = [step, *{source for source in step.src if source.op.kind is not Kind.CONSTANT}]
        if node.op.kind is Kind.ELEMENTWISE:  # the steps are of one element
            moved += node.size * sum(value.dtype.itemsize for value in values)
        else:
            moved += sum(value.nbytes for value in values)
    return len(steps), moved


def _is_free(node: Node, uses: int, is_result: bool) -> bool:
    if node.op.kind is Kind.VIEW:
        return True
    if node.op.kind is Kind.RESHAPE:
        return node.src[0].op.kind is not Kind.VIEW
    return node.op.converts and uses == 1 and not is_result


def _peak(
    count: int,
    size: dict[int, int],
    allocated_at: dict[int, int],
    last_use: dict[int, int],
    result_memory: set[int],
) -> int:
    dying: dict[int, list[int]] = {}
    for value, at in last_use.items():
        if value in size and value not in result_memory:
            dying.setdefault(at, []).append(value)
    live = peak = 0
    for at in range(count):
        if at in allocated_at:
            live += size[allocated_at[at]]
            peak = max(peak, live)
        for value in dying.get(at, ()):
            live -= size[value]
    return peak
