"""Lookups in sorted vectors as calls of a kernel.

NumPy looks up few values, those of other types, and what does not lie in C order.
"""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Address, Argument, Number
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import LibraryKernel
from lazyarr.graph.node import Node
from lazyarr.ops.library import Call, thaw
from lazyarr.ops.lookups import INTERPOLATED, SEARCHED
from lazyarr.runtime.cpu.lookups import BLOCK, NUMBERS, interpolation, search
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["has_kernel", "lookup_of"]


def has_kernel(node: Node) -> bool:
    """Return whether a kernel computes a library step, if its arrays lie in C order.

    Parameters
    ----------
    node : Node
        The step.
    """
    if node.op is INTERPOLATED:
        return node.size >= BLOCK and node.src[1].size > 1
    if node.op is not SEARCHED or node.src[0].dtype not in NUMBERS:
        return False
    return node.size >= BLOCK and node.src[0].size > 0


def lookup_of(group: Group, layouts: Mapping[Node, Layout]) -> LibraryKernel | None:
    """Return the call of a library step that looks values up; None if NumPy has to compute it.

    Parameters
    ----------
    group : Group
        The step.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """
    node = group.members[0]
    if not has_kernel(node):
        return None
    call = node.attr
    assert isinstance(call, Call)
    options = [thaw(argument, ()) for argument in call.args[len(node.src) :]]
    ends: list[Argument] = []
    arrays: tuple[Node, ...]
    if node.op is INTERPOLATED:
        values, table, heights = node.src
        arrays, function = (table, heights, values), interpolation()
        for side in options:
            ends += [Number(int(side is not None)), Number(0.0 if side is None else side)]
    else:
        arrays = table, values = node.src
        function = search(table.dtype, options[0])
    places = [(node, group.outputs[0].layout)]
    for array in arrays:
        place = layout_of(array, layouts)
        if place is None:
            return None
        places.append((array, place))
    addresses: list[Argument] = []
    for array, place in places:
        if not _is_dense(array.shape, place.strides):
            return None
        addresses.append(Address(place.owner, place.offset * array.dtype.itemsize))
    arguments = (*addresses, Number(table.size), Number(values.size), *ends)
    steps = BLOCK * max(int(table.size).bit_length(), 1)
    chunk = max(1, tuning.row().looked_up_steps // steps)
    return LibraryKernel(function, arguments, -(-values.size // BLOCK), chunk)


def _is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether elements lie in C order; steps along axes of one element do not count."""
    sizes = zip(shape, strides, contiguous_strides(shape), strict=True)
    return all(size == 1 or step == dense for size, step, dense in sizes)
