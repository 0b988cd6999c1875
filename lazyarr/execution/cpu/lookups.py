"""Lookups in sorted vectors as calls of a kernel.

NumPy looks up few values, those of other types, and what does not lie in C order.
"""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Argument, Number
from lazyarr.core.shapes import is_dense
from lazyarr.execution import tuning
from lazyarr.execution.cpu.library_kernel import LibraryKernel, address_in, layouts_of_step
from lazyarr.graph.node import Node
from lazyarr.ops.library import Call, thaw
from lazyarr.ops.lookups import INTERPOLATED, SEARCHED
from lazyarr.runtime.cpu.lookups import BLOCK, NUMBERS, interpolation, search
from lazyarr.schedule.groups import Group, Layout

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
    places = layouts_of_step(group, layouts)
    if places is None:
        return None
    arrays = (node, *node.src)
    if not all(is_dense(x.shape, place.strides) for x, place in zip(arrays, places, strict=True)):
        return None
    addresses: list[Argument] = [
        address_in(place, x.dtype.itemsize) for x, place in zip(arrays, places, strict=True)
    ]
    options = [thaw(argument, ()) for argument in call.args[len(node.src) :]]
    ends: list[Argument] = []
    if node.op is INTERPOLATED:
        values, table, _ = node.src
        function = interpolation(table.dtype)
        addresses.append(addresses.pop(1))  # the kernel takes the values last
        for side in options:
            ends += [Number(int(side is not None)), Number(0.0 if side is None else side)]
    else:
        table, values = node.src
        function = search(table.dtype, options[0])
    arguments = (*addresses, Number(table.size), Number(values.size), *ends)
    steps = BLOCK * max(int(table.size).bit_length(), 1)
    chunk = max(1, tuning.row().looked_up_steps // steps)
    return LibraryKernel(function, arguments, -(-values.size // BLOCK), chunk)
