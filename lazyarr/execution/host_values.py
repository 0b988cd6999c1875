"""Stored values of a run as NumPy arrays, for steps that NumPy computes on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution.arguments import Bases, constant_of, is_leaf, memory_of
from lazyarr.graph.node import Kind, Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.schedule.fusion import Layout, layout_of

__all__ = ["HostValues", "view_at"]

Array = np.ndarray[Any, Any]


class _Memory:
    """Memory at an address, for NumPy to view; keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def view_at(address: int, node: Node, layout: Layout, owner: object) -> Array:
    """Return a view of the memory at an address; it keeps its owner alive.

    Parameters
    ----------
    address : int
        Of the first element.
    node : Node
        A value of the view's shape and dtype.
    layout : Layout
        Its strides.
    owner : object
        What keeps the memory alive; None: somebody else does.
    """
    if not node.size:
        return np.empty(node.shape, node.dtype)  # it has no address, which NumPy 2.0 asks for
    size = node.dtype.itemsize
    interface = {
        "data": (address, False),
        "shape": node.shape,
        "strides": tuple(stride * size for stride in layout.strides),
        "typestr": node.dtype.str,
        "version": 3,
    }
    array = np.asarray(_Memory(owner, interface))
    return array if array.dtype is node.dtype else array.view(node.dtype)  # bfloat16 has no name


class HostValues:
    """The values of one run, by their nodes.

    Parameters
    ----------
    layouts : mapping of Node to Layout
        Where stored values lie.
    bases : Bases
        The numbers of memory.
    bindings : Bindings
        The leaves and scalars.
    addresses : list of int
        Where each base lies.
    arrays : dict of int to numpy.ndarray
        Bases that are arrays of their own.
    owner : object
        What keeps the memory of the others alive.
    """

    __slots__ = ("_addresses", "_arrays", "_bases", "_bindings", "_layouts", "_owner")

    def __init__(
        self,
        layouts: Mapping[Node, Layout],
        bases: Bases,
        bindings: Bindings,
        addresses: list[int],
        arrays: dict[int, Array],
        owner: object,
    ) -> None:
        self._layouts = layouts
        self._bases = bases
        self._bindings = bindings
        self._addresses = addresses
        self._arrays = arrays
        self._owner = owner

    def array(self, node: Node) -> Array:
        """Return the value of a stored node, a view of one, or a constant, as an array."""
        base = node
        while base.op.kind is Kind.VIEW and base not in self._layouts:
            base = base.src[0]
        layout = layout_of(node, self._layouts)
        if layout is None:
            return np.broadcast_to(constant_of(self._bindings, base), node.shape)
        index = self._bases.of(layout.owner)
        if is_leaf(layout.owner):
            owner = memory_of(self._bindings.leaves[index]).array
            if node is layout.owner:
                return owner
        else:
            owner = self.stored(index, layout.owner)
        if layout.offset == 0 and layout.strides == contiguous_strides(node.shape):
            if owner.flags.c_contiguous and owner.size == node.size:
                return owner.reshape(node.shape)
        # as_strided cannot start elsewhere than the owner does; go there by address.
        return view_at(address_of(owner) + layout.offset * owner.itemsize, node, layout, owner)

    def stored(self, base: int, owner: Node) -> Array:
        """Return a computed value that lies in memory of its own.

        Parameters
        ----------
        base : int
            The number of its memory.
        owner : Node
            The value.
        """
        array = self._arrays.get(base)
        if array is None:
            layout = Layout(owner, 0, contiguous_strides(owner.shape))
            return view_at(self._addresses[base], owner, layout, self._owner)
        if array.dtype == owner.dtype and array.shape == owner.shape:
            return array
        return array.reshape(-1).view(owner.dtype).reshape(owner.shape)
