"""What one run of a plan binds: the user's arrays and numbers, and memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.graph.node import Kind, Leaf, Node, part_dtype
from lazyarr.passes.canonicalize import Shell
from lazyarr.runtime.cpu import fp_flags as flags
from lazyarr.schedule.fusion import Layout

__all__ = ["Run", "constant_of", "is_leaf", "memory_of", "position_of", "scalar_of", "view_at"]

Array = np.ndarray[Any, Any]


class Run:
    """The memory of one evaluation."""

    __slots__ = ("addresses", "arrays", "farthest", "held", "keep", "peak", "signals")

    def __init__(self) -> None:
        self.addresses: list[int] = []
        self.arrays: dict[int, Array] = {}
        self.keep: list[object] = []
        self.farthest: bytearray | None = None  # on a device, of each gather that is too far
        self.signals: flags.Signals | None = None
        self.held = 0
        self.peak = 0

    def count(self, nbytes: int) -> None:
        """Count bytes that lazyarr holds, or with a negative number no longer holds."""
        self.held += nbytes
        if self.held > self.peak:
            self.peak = self.held


def is_leaf(node: Node) -> bool:
    """Return whether a node stands for one of the user's arrays."""
    return (
        node.op.kind is Kind.PARAMETER and isinstance(node.attr, tuple) and (node.attr[0] == "leaf")
    )


def position_of(node: Node) -> int:
    """Return which leaf or scalar a parameter stands for."""
    assert isinstance(node.attr, tuple)
    position: int = node.attr[1]
    return position


def memory_of(leaf: Node) -> Leaf:
    """Return the array of a leaf."""
    assert isinstance(leaf.attr, Leaf)
    return leaf.attr


_numbers: dict[tuple[object, object, int], Any] = {}


def scalar_of(node: Node, part: int = 0) -> Any:
    """Return a constant's value as a Python number; of a complex one, a part."""
    key = (node.dtype, node.attr, part)
    value = _numbers.get(key)
    if value is None:
        assert isinstance(node.attr, bytes)
        if len(_numbers) > 4096:
            _numbers.clear()
        value = _numbers[key] = np.frombuffer(node.attr, part_dtype(node.dtype))[part].item()
    return value


def constant_of(found: Shell, node: Node) -> Array:
    """Return a constant, or the constant that a parameter stands for, as an array."""
    if node.op.kind is Kind.PARAMETER:
        node = found.scalars[position_of(node)]
    assert isinstance(node.attr, bytes) and not isinstance(node.attr, Leaf)
    return np.frombuffer(node.attr, node.dtype).reshape(())


class _Memory:
    """Memory at an address, for NumPy to view; keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def view_at(address: int, node: Node, layout: Layout, owner: object) -> Array:
    """Return a view of the memory at an address; it keeps its owner alive."""
    size = node.dtype.itemsize
    interface = {
        "data": (address, False),
        "shape": node.shape,
        "strides": tuple(stride * size for stride in layout.strides),
        "typestr": node.dtype.str,
        "version": 3,
    }
    return np.asarray(_Memory(owner, interface))
