"""The work of a plan's groups that determines the time on a device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.cost import computed_by, traffic
from lazyarr.schedule.groups import Group

__all__ = ["GroupWork", "arithmetic_class", "arithmetic_of", "library_size", "unknown_count"]

#: Arithmetic of an operation, in additions, from which on it is a function such as exp.
_FUNCTION = 20
#: Additions that one of complex numbers takes.
_COMPLEX = 4
#: Library functions of matrices, whose time grows with the cube of the size.
_MATRIX = "linalg."
_TRANSFORM = "fft."


@dataclass(frozen=True, slots=True)
class GroupWork:
    """The work of a group.

    Attributes
    ----------
    elements : int
        Points of its iteration space.
    nbytes : int
        Bytes that it reads and writes.
    additions : mapping of str to float
        Arithmetic of one element, by class.
    library : str
        Function and dtype of a library call; empty for a kernel.
    size : float
        Of that call, see :func:`library_size`.
    """

    elements: int
    nbytes: int
    additions: Mapping[str, float]
    library: str = ""
    size: float = 0.0

    @classmethod
    def of(cls, group: Group, counts: Mapping[Node, int]) -> GroupWork:
        """Return the work of a group.

        Parameters
        ----------
        group : Group
            A kernel or a library call.
        counts : mapping of Node to int
            Iterations of the loops whose number a parameter says.
        """
        outputs = [output.node for output in group.outputs]
        nbytes = traffic(group.nodes, group.inputs, outputs).total
        if group.kind == "library":
            (node,) = group.members[:1]
            name, size = library_size(node)
            return cls(node.size, nbytes, {}, name, size)
        elements = max(1, prod(group.domain))
        inside = computed_by([*group.nodes, *outputs], group.inputs)
        units = arithmetic_of(inside, counts)
        return cls(elements, nbytes, {name: total / elements for name, total in units.items()})


def arithmetic_class(dtype: np.dtype[Any], cost: float) -> str:
    """Return the class of an operation by which its time was measured.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the operand or the result that is wider.
    cost : float
        Of the op table, in additions.
    """
    width = dtype.itemsize // (2 if kind_of(dtype) == "c" else 1)
    name = "float64" if width > np.dtype(np.float32).itemsize else "float32"
    return f"{name} function" if cost >= _FUNCTION else name


def arithmetic_of(nodes: Iterable[Node], counts: Mapping[Node, int]) -> dict[str, float]:
    """Return the arithmetic of nodes in additions, by class.

    Parameters
    ----------
    nodes : iterable of Node
        Each is computed once. A loop is computed by one of its states.
    counts : mapping of Node to int
        Iterations of the loops whose number a parameter says.
    """
    totals: dict[str, float] = {}

    def add(node: Node, cost: float, size: float) -> None:
        widest = max([node.dtype, *[s.dtype for s in node.src]], key=lambda dtype: dtype.itemsize)
        name = arithmetic_class(widest, cost)
        factor = _COMPLEX if kind_of(widest) == "c" else 1
        totals[name] = totals.get(name, 0.0) + cost * size * factor

    loops: set[object] = set()
    for node in nodes:
        if node.op.loop is not None:
            if (node.op.loop, node.src) not in loops:
                loops.add((node.op.loop, node.src))
                size = node.size * _iterations(node, counts)
                for step in node.op.loop.steps:
                    if step.op.kind is Kind.ELEMENTWISE:
                        add(step, step.op.cost, size)
        elif node.op.kind in (Kind.ELEMENTWISE, Kind.GENERATE):
            add(node, node.op.cost, node.size)
        elif node.op.kind in (Kind.REDUCE, Kind.SCAN):
            add(node, node.op.cost, node.src[0].size)
    return totals


def _iterations(node: Node, counts: Mapping[Node, int]) -> int:
    count = _count(node)
    assert count is not None
    if count.op.kind is Kind.CONSTANT and isinstance(count.attr, bytes):
        return int(np.frombuffer(count.attr, count.dtype)[0])
    return counts[count]


def _count(node: Node) -> Node | None:
    """Return the node that says how often a loop runs; None of a loop with a condition."""
    assert node.op.loop is not None
    count: Node | None = node.op.loop.split(node.src)[0]
    while count is not None and count.op.kind in (Kind.VIEW, Kind.RESHAPE):
        count = count.src[0]
    return count


def unknown_count(nodes: Iterable[Node], counts: Mapping[Node, int]) -> bool:
    """Return whether the number of iterations of a loop among some nodes is unknown.

    Parameters
    ----------
    nodes : iterable of Node
        All nodes of an expression.
    counts : mapping of Node to int
        Iterations of the loops whose number a parameter says.
    """
    for node in nodes:
        if node.op.loop is not None:
            count = _count(node)
            if count is None or (count.op.kind is not Kind.CONSTANT and count not in counts):
                return True
    return False


def library_size(node: Node) -> tuple[str, float]:
    """Return the name of a library call in calibrations, and its size.

    The size of a call on matrices is the side of the square ones that take as many operations, of
    a call on vectors the number of their elements.

    Parameters
    ----------
    node : Node
        A library step.
    """
    name = node.op.name
    # A transform of real numbers gives complex ones: by these it is known.
    dtype = node.dtype if name.startswith(_TRANSFORM) or not node.src else node.src[0].dtype
    key = f"{name} {dtype.name}"
    shapes: Sequence[tuple[int, ...]] = [source.shape for source in node.src]
    if name == "matmul":
        deep = shapes[0][-1] if shapes[0] else 1
        return key, max(1.0, float(node.size * deep) ** (1 / 3))
    if name.startswith(_MATRIX) and shapes and len(shapes[0]) > 1:
        rows, columns = shapes[0][-2:]
        stack = prod(shapes[0][:-2])
        sides = sum(prod(shape) * columns for shape in shapes[1:])
        return key, max(1.0, float(stack * rows * columns * min(rows, columns) + sides) ** (1 / 3))
    return key, float(max(1, *(prod(shape) for shape in shapes), node.size))
