"""The cost of a group of nodes: bytes moved and arithmetic operations.

Counted at the memory bus: what a step reads several times is read once, and a slice of an
operand costs what the slice touches, not what the operand holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd, prod

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Leaf, Node, walk
from lazyarr.ops.library import LIBRARY
from lazyarr.schedule.groups import Group

__all__ = [
    "Traffic",
    "arithmetic",
    "computed_by",
    "computed_elements",
    "eager_elements",
    "is_scalar_argument",
    "loop_iterations",
    "read_bytes",
    "stored_bytes",
    "touched_elements",
    "traffic",
]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes that a step reads and writes."""

    read: int
    written: int

    @property
    def total(self) -> int:
        """Both directions together."""
        return self.read + self.written


def touched_elements(view: View, shape: Shape) -> int:
    """Return the number of elements of its source that a view reads.

    Exact for slices, transposes, broadcasts, diagonals and sliding windows whose steps leave no
    gaps; an upper bound for every other affine map.

    Parameters
    ----------
    view : View
        From the result to the source.
    shape : tuple of int
        Of the result.

    Examples
    --------
    >>> from lazyarr.core.shapes import broadcast_view, slice_view
    >>> touched_elements(slice_view((1,), (2,)), (4,))
    4
    >>> touched_elements(broadcast_view((3,), (5, 3)), (5, 3))
    3
    """
    if prod(shape) == 0:
        return 0
    by_source = 1
    used = [False] * len(shape)
    for row in view.coefficients:
        combinations, reach = 1, 0
        factors: list[int] = []
        for axis, factor in enumerate(row):
            if factor and shape[axis] > 1:
                used[axis] = True
                combinations *= shape[axis]
                reach += abs(factor) * (shape[axis] - 1)
                factors.append(abs(factor))
        by_source *= min(combinations, reach // _common_step(factors) + 1) if factors else 1
    by_result = prod(size for size, is_used in zip(shape, used, strict=True) if is_used)
    return min(by_source, by_result)


def _common_step(factors: Sequence[int]) -> int:
    """Return a step that divides all of some factors: the largest, unless lengths are symbols."""
    if len(factors) == 1:
        return factors[0]
    return gcd(*factors) if all(type(factor) is int for factor in factors) else 1


def is_scalar_argument(node: Node) -> bool:
    """Return whether a value is handed to kernels as a scalar, and lies in no memory."""
    if node.op.kind is Kind.PARAMETER and isinstance(node.attr, tuple):
        return bool(node.attr[0] == "scalar")
    return node.op.kind is Kind.CONSTANT


def computed_by(nodes: Iterable[Node], inputs: Iterable[Node]) -> list[Node]:
    """Return all that has to be computed for `nodes` from `inputs`, operands before users.

    Views on the way are among it; inputs, leaves and scalars are not.

    Parameters
    ----------
    nodes : iterable of Node
        What is asked for.
    inputs : iterable of Node
        What is known.
    """
    known = frozenset(inputs)
    outside = (Kind.LEAF, Kind.PARAMETER, Kind.CONSTANT)  # these have no operands
    walked = walk(tuple(nodes), stop=known.__contains__)
    return [node for node in walked if node not in known and node.op.kind not in outside]


def stored_bytes(node: Node) -> int:
    """Return the bytes of memory behind a value: fewer than ``nbytes`` for a broadcast leaf."""
    if is_scalar_argument(node):
        return 0
    strides: tuple[int, ...] | None = None
    if isinstance(node.attr, Leaf):
        strides = node.attr.strides
    elif node.op.kind is Kind.PARAMETER and isinstance(node.attr, tuple):
        strides = node.attr[2]
    if strides is None:
        return prod(node.shape) * node.dtype.itemsize
    pairs = zip(node.shape, strides, strict=True)
    return prod(size if stride else 1 for size, stride in pairs) * node.dtype.itemsize


def read_bytes(node: Node) -> int:
    """Return the bytes that reading all of `node` moves: of a view, those that it touches."""
    if node.op.kind is Kind.VIEW and isinstance(node.attr, View):
        touched = touched_elements(node.attr, node.shape) * node.dtype.itemsize
        return min(touched, stored_bytes(base_of(node)))
    return stored_bytes(node)


def base_of(node: Node) -> Node:
    """Return the node whose memory `node` views; `node` itself if it is no view."""
    while node.op.kind is Kind.VIEW:
        node = node.src[0]
    return node


def traffic(nodes: Iterable[Node], inputs: Sequence[Node], outputs: Sequence[Node]) -> Traffic:
    """Return the traffic of a step that computes `nodes`.

    Parameters
    ----------
    nodes : iterable of Node
        What the step computes; views on the way may be left out.
    inputs : sequence of Node
        What it reads from memory. Parts of one array are added up, and never cost more than
        the whole array.
    outputs : sequence of Node
        What it writes to memory; a value written to two places is named twice.
    """
    input_ids = {id(node) for node in inputs}
    users: dict[int, list[Node]] = {key: [] for key in input_ids}
    for node in computed_by([*nodes, *outputs], inputs):
        for source in {id(source) for source in node.src}:
            if source in input_ids:
                users[source].append(node)
    read: dict[int, int] = {}
    for node in {id(node): node for node in inputs}.values():
        views = users[id(node)]
        if views and all(user.op.kind is Kind.VIEW for user in views):
            amount = sum(read_bytes(user) for user in views)
        else:
            amount = read_bytes(node)
        base = base_of(node)
        read[id(base)] = min(read.get(id(base), 0) + amount, stored_bytes(base))
    written = sum(prod(node.shape) * node.dtype.itemsize for node in outputs)
    return Traffic(sum(read.values()), written)


_MATMUL = LIBRARY["matmul"]
#: What computes its elements; views and reshapes at most copy them.
_COMPUTING = frozenset(
    {Kind.GENERATE, Kind.ELEMENTWISE, Kind.SCAN, Kind.GATHER, Kind.CONCATENATE, Kind.LIBRARY}
)


def eager_elements(nodes: Iterable[Node]) -> int:
    """Return the number of elements that NumPy computes for nodes, one operation after another.

    A reduction counts the elements that it takes in, and a matrix product those that it multiplies
    and adds. Operations on constants alone, such as ``zeros``, count nothing: they are written, and
    not computed.
    """
    total = 0
    for node in nodes:
        if all(source.op.kind is Kind.CONSTANT for source in node.src):
            continue
        if node.op.kind is Kind.REDUCE:
            total += prod(node.src[0].shape)
        elif node.op is _MATMUL:
            total += 2 * prod(node.shape) * node.src[0].shape[-1]
        elif node.op.kind in _COMPUTING:
            total += prod(node.shape)
    return total


def computed_elements(group: Group) -> int:
    """Return the number of elements that a group computes, as :func:`eager_elements` counts.

    A value that its kernel computes once for each of several others, along an axis in which it
    does not differ, counts once; of one that it computes at some indices only, these count. The
    parts of a complex number are one element.
    """
    if group.trace is None:
        return eager_elements(group.members)
    total = 0
    counted: set[tuple[Node, View]] = set()
    for term in group.trace.terms:
        if not term.loaded and (term.node, term.view) not in counted:
            counted.add((term.node, term.view))
            whole = eager_elements((term.node,))
            pointwise = whole and term.node.op.kind is not Kind.REDUCE
            total += min(whole, touched_elements(term.view, group.domain)) if pointwise else whole
    return total


def loop_iterations(node: Node) -> int:
    """Return the iterations of a loop, as far as its expression says; else 1."""
    assert node.op.loop is not None
    count, _, _ = node.op.loop.split(node.src)
    if count is None or count.op.kind is not Kind.CONSTANT or not isinstance(count.attr, bytes):
        return 1
    return int(np.frombuffer(count.attr, count.dtype)[0])


def _same_loop(node: Node, other: Node) -> bool:
    return node.op.loop == other.op.loop and node.src == other.src


def arithmetic(nodes: Iterable[Node]) -> int:
    """Return the arithmetic of computing `nodes` once each, in additions (``Op.cost``).

    A loop counts as often as it is known to iteration, and once if that is not known.
    """
    seen: list[Node] = []
    total = 0
    for node in nodes:
        if node.op.loop is not None:
            steps = (s for s in node.op.loop.steps if s.op.kind is Kind.ELEMENTWISE)
            iterations, of_iteration = loop_iterations(node), sum(step.op.cost for step in steps)
            # States of one loop come out of the same iterations.
            if not any(_same_loop(node, other) for other in seen):
                total += of_iteration * iterations * node.size
            seen.append(node)
        elif node.op.kind in (Kind.ELEMENTWISE, Kind.GENERATE):
            total += node.op.cost * node.size
        elif node.op.kind is Kind.REDUCE:
            total += node.op.cost * node.src[0].size
    return total
