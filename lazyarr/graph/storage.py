"""Storage layouts: the strides, offsets and flags that NumPy would give an array.

A lazy array has no memory of its own before it is computed, and what is computed may lie in any
order. But a program can see by its writes which arrays share elements, and this follows from the
strides that NumPy's arrays would have had. A :class:`Layout` holds these; nothing here touches
memory.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Sequence
from operator import gt
from typing import Any, TypeGuard

import numpy as np

from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.leaf import ComputedLeaf, Leaf, SharedLeaf
from lazyarr.graph.node import Kind, Node, walk

__all__ = [
    "Layout",
    "layout_of",
    "lies_as",
    "lies_as_copied",
    "note_layout",
    "operand_layout",
    "operand_strides",
    "repeats",
]

#: Where storages lie, for questions about them: no memory is at this address.
_NOWHERE = 1 << 44


@dataclass(frozen=True, slots=True)
class Layout:
    """A storage layout: offset and strides in bytes.

    Attributes
    ----------
    offset : int
        Of the first element, from the start of the storage.
    shape : tuple of int
        Sizes of the axes.
    strides : tuple of int
        Steps of the axes.
    itemsize : int
        Size of an element.
    """

    offset: int
    shape: Shape
    strides: tuple[int, ...]
    itemsize: int

    @classmethod
    def contiguous(cls, shape: Shape, itemsize: int) -> Layout:
        """Return the layout of an array in C order.

        Parameters
        ----------
        shape : tuple of int
            Sizes of the axes.
        itemsize : int
            Bytes of an element.
        """
        return cls(0, shape, shapes.contiguous_strides(shape, itemsize), itemsize)

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie one after another in C order."""
        return self._packed(range(len(self.shape) - 1, -1, -1))

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie one after another in Fortran order."""
        return self._packed(range(len(self.shape)))

    @property
    def order(self) -> tuple[int, ...]:
        """The axes, the slowest first."""
        return tuple(sorted(range(len(self.shape)), key=lambda axis: -abs(self.strides[axis])))

    def apart(self) -> Layout:
        """Return the layout of the same elements, each in a place of its own.

        That is this one, unless elements lie in each other's places, as those of a broadcast array
        or of windows do. Then they lie in the order of the axes, without gaps.
        """
        order, reach = self.order, self.itemsize
        for axis in reversed(order):
            if self.shape[axis] > 1:
                step = abs(self.strides[axis])
                if step < reach:
                    break
                reach += step * (self.shape[axis] - 1)
        else:
            return self
        strides = [self.itemsize] * len(order)
        for slower, axis in zip(reversed(order[:-1]), reversed(order), strict=False):
            strides[slower] = strides[axis] * max(self.shape[axis], 1)
        return Layout(0, self.shape, tuple(strides), self.itemsize)

    def _packed(self, axes: Sequence[int]) -> bool:
        if 0 in self.shape:
            return True
        step = self.itemsize
        for axis in axes:
            if self.shape[axis] != 1:
                if self.strides[axis] != step:
                    return False
                step *= self.shape[axis]
        return True

    def indexed(self, index_map: View, shape: Shape) -> Layout:
        """Return the layout of the elements that an index map chooses.

        Parameters
        ----------
        index_map : View
            From an index of the result to one of this array.
        shape : tuple of int
            Of the result.
        """
        offset, strides = shapes.view_strides(index_map, self.strides, len(shape))
        return Layout(self.offset + offset, shape, strides, self.itemsize)

    def at_positions(self, index_map: View, shape: Shape) -> Layout:
        """Return the layout of a view by the positions of its elements among all, in C order.

        Parameters
        ----------
        index_map : View
            From an index of the result to a position.
        shape : tuple of int
            Of the result.
        """
        if 0 in shape:
            return Layout(self.offset, shape, (self.itemsize,) * len(shape), self.itemsize)
        first = index_map.offsets[0]
        begin = self._address(first)
        steps = zip(index_map.coefficients[0], shape, strict=True)
        strides = [self._address(first + c) - begin if n > 1 else self.itemsize for c, n in steps]
        return Layout(begin, shape, tuple(strides), self.itemsize)

    def _address(self, position: int) -> int:
        """Return the offset of an element by its position among all, in C order."""
        address = self.offset
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            position, index = divmod(position, size)
            address += index * stride
        return address

    def reshaped(self, shape: Shape) -> Layout | None:
        """Return the layout of the same elements in another shape; None if they must be copied."""
        strides: tuple[int, ...] | None
        if self.c_contiguous:
            strides = shapes.contiguous_strides(shape, self.itemsize)
        else:
            strides = shapes.reshape_strides(self.shape, self.strides, shape)
        return None if strides is None else Layout(self.offset, shape, strides, self.itemsize)

    def copied(self, order: str) -> Layout:
        """Return the layout of a copy in an order of NumPy's: "C", "F", "A" or "K"."""
        if order == "A":
            order = "F" if self.f_contiguous and not self.c_contiguous else "C"
        if order == "K":
            strides = _ordered(self.shape, self.order, self.itemsize)
        elif order == "F":
            strides = shapes.contiguous_strides(self.shape[::-1], self.itemsize)[::-1]
        else:
            strides = shapes.contiguous_strides(self.shape, self.itemsize)
        return Layout(0, self.shape, strides, self.itemsize)

    def part(self, name: str) -> Layout:
        """Return the layout of the real or imaginary parts of complex numbers."""
        half = self.itemsize // 2
        return Layout(self.offset + half * (name == "imag"), self.shape, self.strides, half)

    def read_as(self, itemsize: int) -> Layout | None:
        """Return the layout of the same bytes as elements of another size, along the last axis."""
        if itemsize == self.itemsize:
            return self
        if not self.shape:
            return None
        if self.strides[-1] != self.itemsize and self.shape[-1] != 1 and 0 not in self.shape:
            return None
        length = self.shape[-1] * self.itemsize // itemsize
        return Layout(
            self.offset, (*self.shape[:-1], length), (*self.strides[:-1], itemsize), itemsize
        )

    def shadow(self, address: int = _NOWHERE) -> np.ndarray[Any, Any]:
        """Return an array of this layout to ask NumPy about; its elements must not be read."""
        interface = {
            "version": 3,
            "typestr": f"|V{self.itemsize}",
            "data": (address + self.offset, True),
            "shape": self.shape,
            "strides": self.strides,
        }
        return np.asarray(_Interface(interface))


class _Interface:
    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def layout_of(root: Node) -> Layout:
    """Return the layout that NumPy's array of this value would have.

    The user's own memory keeps its layout. Elementwise operations keep the order of their operands,
    and reductions that of the axes that remain (``order="K"``); all else is in C order.
    """
    if _all_in_c_order(root):
        return Layout.contiguous(root.shape, root.dtype.itemsize)
    strides: dict[Node, tuple[int, ...]] = {}
    for visited in walk((root,), _is_plain):
        strides[visited] = _strides(visited, strides, visited is root)
    return Layout(0, root.shape, strides[root], root.dtype.itemsize)


#: Kinds of operations whose results have the order of their operands.
_KEEPING = (Kind.ELEMENTWISE, Kind.REDUCE, Kind.MARKER)

#: Values that are known to be made of nothing but what lies in C order.
_in_c_order: weakref.WeakSet[Node] = weakref.WeakSet()


def lies_as(value: Node, layout: Layout) -> bool:
    """Return whether a value has the memory order of an array, as operands of NumPy.

    Parameters
    ----------
    value : Node
        The value.
    layout : Layout
        Of an array that holds it.
    """
    shape = value.shape
    if len(shape) < 2 or 0 in shape:
        return True
    if repeats(value):
        return False  # views of it would not know the order of its axes
    own, other = operand_layout(value).strides, _kept_order(shape, [layout.strides], 1)
    return all(n == 1 or a == b for n, a, b in zip(shape, own, other, strict=True))


def lies_as_copied(value: Node) -> bool:
    """Return whether a value surely lies as a copy of it: of one axis, and no leaf with gaps."""
    if len(value.shape) > 1:
        return False
    attr: Any = value.attr
    return type(attr) not in (Leaf, SharedLeaf) or bool(attr.array.flags.c_contiguous)


def repeats(value: Node) -> bool:
    """Return whether a value is a view that shows elements along an axis again and again."""
    if value.op.kind is not Kind.VIEW:
        return False
    assert isinstance(value.attr, View)
    rows = value.attr.coefficients
    return any(n > 1 and not any(row[k] for row in rows) for k, n in enumerate(value.shape))


def operand_layout(value: Node) -> Layout:
    """Return the layout of a new array of the order in which a value lies as an operand.

    That of what is made of it element by element, with elements of one byte.
    """
    strides = operand_strides(value)
    if strides is None:
        return Layout.contiguous(value.shape, 1)
    return Layout(0, value.shape, _kept_order(value.shape, [strides], 1), 1)


def operand_strides(value: Node) -> tuple[int, ...] | None:
    """Return the strides of a value as an operand; None if its axes lie in C order."""
    source, is_view = value, value.op.kind is Kind.VIEW
    if is_view:
        assert isinstance(value.attr, View)
        source = value.src[0]
    if (not is_view or _keeps_order(value.attr)) and _all_in_c_order(source):
        return None
    strides: dict[Node, tuple[int, ...]] = {}
    for visited in walk((value,), _is_plain):
        strides[visited] = _strides(visited, strides, False)
    return strides[value]


def note_layout(leaf: Node, layout: Layout) -> None:
    """Record the memory order of the array of a computed leaf.

    Parameters
    ----------
    leaf : Node
        The value; of a :class:`~lazyarr.graph.leaf.ComputedLeaf`.
    layout : Layout
        Of an array of its shape.
    """
    if isinstance(leaf.attr, ComputedLeaf) and not lies_as(leaf, layout):
        leaf.attr.order = layout.order


def _shows_order(attr: object) -> TypeGuard[Leaf]:
    """Return whether memory lies as NumPy's array of the same history would."""
    return isinstance(attr, Leaf) and attr.shows_order


def _all_in_c_order(root: Node) -> bool:
    """Return whether nothing that a value is made of lies in another order; False if in doubt."""
    seen: set[Node] = set()
    stack = [root]
    while stack:
        visited = stack.pop()
        if visited in seen:
            continue
        seen.add(visited)
        kind = visited.op.kind
        if kind is Kind.VIEW:
            if visited is not root and visited.src[0].shape:
                if not isinstance(visited.attr, View) or not _keeps_order(visited.attr):
                    return False
                stack += visited.src
        elif _shows_order(visited.attr):
            own = visited.attr.strides
            if own != shapes.contiguous_strides(visited.shape) and (
                visited is root or not _descend(visited.shape, own)
            ):
                return False
        elif len(visited.shape) > 1 and kind in _KEEPING:
            if visited not in _in_c_order:
                stack += visited.src
        elif _noted_order(visited) is not None:
            return False
    if not _is_plain(root):
        _in_c_order.add(root)  # what is made of it later is not followed through it again
    return True


def _descend(shape: Shape, strides: tuple[int, ...]) -> bool:
    """Return whether memory with gaps has its axes in C order, and is so as an operand."""
    own = [stride for n, stride in zip(shape, strides, strict=True) if n != 1]
    return all(map(gt, own, [*own[1:], 0]))


def _noted_order(value: Node) -> tuple[int, ...] | None:
    """Return the order of axes that was noted for a value; None for C order."""
    attr = value.attr
    if isinstance(attr, ComputedLeaf):
        return attr.order
    return attr if value.op.kind is Kind.RESHAPE and isinstance(attr, tuple) else None


@functools.lru_cache(maxsize=1024)
def _keeps_order(index_map: View) -> bool:
    """Return whether a view of an array in C order has its axes in the order of their strides."""
    last = -1
    for row in index_map.coefficients:
        axes = [axis for axis, factor in enumerate(row) if factor]
        if len(axes) > 1 or (axes and (axes[0] <= last or row[axes[0]] < 0)):
            return False
        last = axes[0] if axes else last
    return True


def _is_plain(visited: Node) -> bool:
    """Return whether a value is stored in C order for all layouts of its operands."""
    kind = visited.op.kind
    if kind is Kind.VIEW:
        return False
    return len(visited.shape) < 2 or kind not in _KEEPING


def _strides(visited: Node, known: dict[Node, tuple[int, ...]], is_root: bool) -> tuple[int, ...]:
    attr, size = visited.attr, visited.dtype.itemsize
    kind = visited.op.kind
    if _shows_order(attr):
        return tuple([stride * size for stride in attr.strides])
    order = _noted_order(visited)
    if order is not None:
        return _ordered(visited.shape, order, size)
    if len(visited.shape) > 1 and not isinstance(attr, ComputedLeaf):
        if kind is Kind.ELEMENTWISE:
            operands = [
                _broadcast(source.shape, known[source], visited.shape) for source in visited.src
            ]
            return _kept_order(visited.shape, operands, size)
        if kind is Kind.MARKER and visited.src[0].shape == visited.shape:
            return _kept_order(visited.shape, [known[visited.src[0]]], size)
        if kind is Kind.REDUCE and isinstance(attr, tuple):
            source = visited.src[0]
            remaining = [stride for axis, stride in enumerate(known[source]) if axis not in attr]
            return _kept_order(visited.shape, [tuple(remaining)], size)
        if kind is Kind.VIEW and not is_root and isinstance(attr, View):
            source = visited.src[0]
            return shapes.view_strides(attr, known[source], len(visited.shape))[1]
    return shapes.contiguous_strides(visited.shape, size)


def _broadcast(shape: Shape, strides: tuple[int, ...], target: Shape) -> tuple[int, ...]:
    extra = len(target) - len(shape)
    return (0,) * extra + tuple(
        [0 if n == 1 else stride for n, stride in zip(shape, strides, strict=True)]
    )


def _kept_order(
    shape: Shape, operands: Sequence[tuple[int, ...]], itemsize: int
) -> tuple[int, ...]:
    """Return the strides of a new array in the order of its operands, as NumPy's iterator does.

    Axes are sorted by insertion, the fastest first; where operands disagree, C order wins.
    """
    order: list[int] = []
    for axis in range(len(shape) - 1, -1, -1):
        place = len(order)
        for at in range(len(order) - 1, -1, -1):
            swap, ambiguous = False, True
            for strides in operands:
                mine, other = abs(strides[axis]), abs(strides[order[at]])
                if mine and other:
                    if other <= mine:
                        swap = False
                    elif ambiguous:
                        swap = True
                    ambiguous = False
            if not ambiguous:
                if not swap:
                    break
                place = at
        order.insert(place, axis)
    return _ordered(shape, order[::-1], itemsize)


def _ordered(shape: Shape, order: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the strides of an array whose axes lie in an order, the slowest first."""
    result = [0] * len(shape)
    step = itemsize
    for axis in reversed(order):
        result[axis] = step
        step *= max(shape[axis], 1)
    return tuple(result)
