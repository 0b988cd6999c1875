"""Operations with numbers on values that are added at places: kernels of the sums compute them.

A kernel that did it would read the values and write them once more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from lazyarr.execution.arguments import is_leaf
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import LIBRARY, Call, Slot, freeze
from lazyarr.ops.mapped_sums import MAPPED_SUMS

__all__ = ["fold_maps"]

_SCATTER = LIBRARY["scatter"]
_FORWARD = {ELEMENTWISE[name]: name for name in ("multiply", "add", "subtract")}
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
    if not any(_adds(current) for current in order):
        return tuple(roots)
    users: Counter[Node] = Counter(roots)
    for current in order:
        users.update(current.src)
    replaced: dict[Node, Node] = {}
    for current in order:
        whole = _folded(current, users, replaced) if _adds(current) else None
        if whole is None or not is_library_step(whole):
            whole = replace_sources(current, tuple([replaced[s] for s in current.src]))
        replaced[current] = whole
    for old, new in final.items():
        final[old] = replaced.get(new, new)
    return tuple(replaced[root] for root in roots)


def _adds(value: Node) -> bool:
    """Whether a value has sums of rows at places."""
    call = value.attr
    if value.op is not _SCATTER or not isinstance(call, Call) or len(value.src) != 3:
        return False
    ufunc, *arrays = call.arguments(value.src)[0]
    return ufunc is np.add and tuple(arrays) == value.src


def _folded(value: Node, users: Counter[Node], replaced: dict[Node, Node]) -> Node | None:
    """Return the sums with the operations on what they add, or None if there are none."""
    start, places, values = value.src
    steps: list[str] = []
    numbers: list[Node] = []
    while users[values] == 1 and (match := _operation(values)) is not None:
        step, values, number = match
        steps.append(step)
        numbers.append(number)
    if not steps or values.op.kind in (Kind.ELEMENTWISE, Kind.CONSTANT):
        return None
    sources = (start, places, values, *reversed(numbers))
    slots = [Slot(k) for k in range(len(sources))]
    name = freeze(" ".join(reversed(steps)), lambda _: None)
    new = tuple([replaced.get(source, source) for source in sources])
    call = Call((name, *slots))
    return node(MAPPED_SUMS, new, value.dtype, value.shape, call, value.origin)


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
