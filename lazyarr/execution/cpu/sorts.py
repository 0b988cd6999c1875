"""Sorts of rows as calls of NumPy's own functions, without Python, which several threads share.

NumPy sorts along other axes, and what lies otherwise than in even rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lazyarr.codegen.launch import Argument, Number
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import LibraryKernel, address_in, layouts_of_step
from lazyarr.execution.cpu.selections import row_step
from lazyarr.graph.node import Node
from lazyarr.ops.library import Call, thaw
from lazyarr.ops.sorted_rows import SORTED_ROWS
from lazyarr.schedule.groups import Group, Layout

__all__ = ["has_kernel", "sort_of"]


def sort_of(group: Group, layouts: Mapping[Node, Layout]) -> LibraryKernel | None:
    """Return the call of a library step that sorts rows; None if NumPy has to compute it.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    node = group.members[0]
    places = layouts_of_step(group, layouts)
    if places is None or node.op is not SORTED_ROWS or not has_kernel(node):
        return None
    from lazyarr.runtime.cpu.line_sorts import kernel, routine_of

    target, source = places
    (values,) = node.src
    points = node.shape[-1]
    if row_step(node.shape, target.strides) != points:
        return None
    step, size = row_step(node.shape, source.strides), values.dtype.itemsize
    routine = routine_of(values.dtype, *_options(node))
    if step is None or routine is None:
        return None
    arguments: tuple[Argument, ...] = (
        *map(Number, routine),
        address_in(source, size),
        address_in(target, node.dtype.itemsize),
        *(Number(number) for number in (points, size, step * size)),
    )
    chunk = max(1, tuning.row().sorted_elements // points)
    return LibraryKernel(kernel(), arguments, node.size // points, chunk)


def has_kernel(node: Node) -> bool:
    """Return whether NumPy has a function for the rows of a sort, if they lie evenly.

    Parameters
    ----------
    node : Node
        A call of :data:`~lazyarr.ops.sorted_rows.SORTED_ROWS`.
    """
    if 0 in node.shape:
        return False
    from lazyarr.runtime.cpu.line_sorts import routine_of

    return routine_of(node.src[0].dtype, *_options(node)) is not None


def _options(node: Node) -> tuple[Any, Any, Any]:
    """Return whether positions are sorted, the kind, and whether stably."""
    call = node.attr
    assert isinstance(call, Call)
    positions, kind, stable = (thaw(argument, ()) for argument in call.args[1:])
    return positions, kind, stable
