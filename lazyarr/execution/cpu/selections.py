"""Parts of sorted rows as calls of a kernel, which puts few elements in order.

NumPy selects more elements, the largest ones, positions, those of other types or along other axes,
and from what lies otherwise than the kernel reads it.
"""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Argument, Number
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import LibraryKernel, address_in, layouts_of_step
from lazyarr.graph.node import Node
from lazyarr.ops.library import LIBRARY, Call, thaw
from lazyarr.runtime.cpu.selection import MOST_SELECTED, NUMBERS, kernel
from lazyarr.schedule.groups import Group, Layout

__all__ = ["has_kernel", "row_step", "selection_of"]

_PART = LIBRARY["sorted_part"]


def selection_of(group: Group, layouts: Mapping[Node, Layout]) -> LibraryKernel | None:
    """Return the call of a library step that selects from rows; None if NumPy has to compute it.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    node = group.members[0]
    places = layouts_of_step(group, layouts)
    if places is None or not has_kernel(node):
        return None
    target, source = places
    (rows,) = node.src
    length, count = rows.shape[-1], node.shape[-1]
    read = row_step(rows.shape, source.strides)
    if read is None or row_step(node.shape, target.strides) != count:
        return None
    size = rows.dtype.itemsize
    arguments: tuple[Argument, ...] = (
        address_in(target, size),
        address_in(source, size),
        *(Number(number) for number in (length, count, read)),
    )
    items = 1
    for extent in rows.shape[:-1]:
        items *= extent
    row = tuning.row()
    chunk = max(1, row.selected_elements // (length + row.selected_cost * count))
    return LibraryKernel(kernel(rows.dtype), arguments, items, chunk)


def has_kernel(node: Node) -> bool:
    """Return whether a kernel computes a library step, if its rows lie evenly.

    Parameters
    ----------
    node : Node
        The step.
    """
    if node.op is not _PART or node.src[0].dtype not in NUMBERS or 0 in node.shape:
        return False
    call = node.attr
    assert isinstance(call, Call)
    axis, count, last, positions = (thaw(argument, ()) for argument in call.args[1:])
    return axis == node.ndim - 1 and count <= MOST_SELECTED and not (last or positions)


def row_step(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """Return the elements from one row to the next; None where rows do not lie evenly.

    Parameters
    ----------
    shape, strides : tuple of int
        Of the array; strides are of elements.
    """
    if shape[-1] != 1 and strides[-1] != 1:
        return None
    step: int | None = None
    reach = 0
    for extent, stride in reversed(list(zip(shape[:-1], strides[:-1], strict=True))):
        if extent == 1:
            continue
        if step is None:
            step = stride
        elif stride != reach:
            return None
        reach = stride * extent
    return shape[-1] if step is None else step
