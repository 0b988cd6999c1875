"""Operations with numbers on values that are added at places: kernels of the sums compute them.

A kernel that did it would read the values and write them once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.execution.arguments import is_leaf
from lazyarr.graph.node import Kind, Node, node, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze
from lazyarr.ops.mapped_sums import MAPPED_SUMS, STEPS
from lazyarr.passes.rewrite import replace_nodes

__all__ = ["fold_maps"]

_SCATTER = LIBRARY["scatter"]
#: The names of operations, by whether the number is their second operand or the first.
_FORWARD = {ELEMENTWISE[name]: name for name in STEPS if name in ELEMENTWISE}
_BACKWARD = _FORWARD | {ELEMENTWISE["subtract"]: "subtract_from"}


def fold_maps(
    roots: Sequence[Node], is_library_step: Callable[[Node], bool], final: dict[Node, Node]
) -> tuple[Node, ...]:
    """Return the roots, with operations before sums at places computed by these.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    is_library_step : callable
        Whether a library step on the GPU computes a node.
    final : dict of Node to Node
        What became of each node; what is rewritten here is added.
    """
    order = list(walk(tuple(roots)))
    sums = [value for value in order if _adds(value)]
    if not sums:
        return tuple(roots)
    users: Counter[Node] = Counter(roots)
    for current in order:
        users.update(current.src)
    counts = {value: _operations_before(value, users) for value in sums}
    chosen = {x for x, count in counts.items() if count and is_library_step(_folded(x, count))}
    if not chosen:
        return tuple(roots)

    def rewritten(old: Node, moved: Node) -> Node:
        return _folded(moved, counts[old])

    return replace_nodes(roots, order, chosen, rewritten, final)


def _adds(value: Node) -> bool:
    """Whether a value has sums of rows at places."""
    call = value.attr
    if value.op is not _SCATTER or not isinstance(call, Call) or len(value.src) != 3:
        return False
    ufunc, *arrays = call.arguments(value.src)[0]
    return ufunc is np.add and tuple(arrays) == value.src


def _operations_before(value: Node, users: Counter[Node]) -> int:
    """Return the number of operations with numbers that lead to the values of sums alone."""
    values, count = value.src[2], 0
    while users[values] == 1 and (match := _operation(values)) is not None:
        _, values, _ = match
        count += 1
    return 0 if values.op.kind in (Kind.ELEMENTWISE, Kind.CONSTANT) else count


def _folded(value: Node, count: int) -> Node:
    """Return sums with so many operations on what they add."""
    start, places, values = value.src
    steps: list[str] = []
    numbers: list[Node] = []
    for _ in range(count):
        match = _operation(values)
        assert match is not None
        step, values, number = match
        steps.append(step)
        numbers.append(number)
    sources = (start, places, values, *reversed(numbers))
    slots = [Slot(k) for k in range(len(sources))]
    call = Call((freeze(" ".join(reversed(steps)), lambda _: None), *slots))
    return node(MAPPED_SUMS, sources, value.dtype, value.shape, call, value.origin)


def _operation(value: Node) -> tuple[str, Node, Node] | None:
    """Return an operation with a number: its name, what it works on, and the number."""
    if value.op not in _FORWARD:
        return None
    for names, (operand, other) in ((_FORWARD, value.src), (_BACKWARD, value.src[::-1])):
        number = other
        while number.op.kind is Kind.VIEW:
            number = number.src[0]
        parameter = number.op.kind is Kind.PARAMETER and not is_leaf(number)
        is_number = (parameter or number.op.kind is Kind.CONSTANT) and number.shape == ()
        alike = operand.dtype == number.dtype == value.dtype
        if is_number and alike and operand.shape == value.shape:
            return names[value.op], operand, number
    return None
