"""Entries: functions that calls in C run without Python, and their arguments in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.graph.node import Node
from lazyarr.ops.library import Call, Slot, thaw
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = [
    "Block",
    "Place",
    "Reserve",
    "Row",
    "copy_entry",
    "even_step",
    "keywords_of",
    "reserved",
    "whole",
]

#: Axes of a copy that the C source has room for.
_MOST_AXES = 6
#: How elements are copied: as in the C source.
_SAME, _TO_DOUBLE, _TO_SINGLE = range(3)

#: Returns the base and the offset of so many bytes of the memory of a call.
Reserve: TypeAlias = Callable[[int], tuple[int, int]]
#: A kernel as calls in C read it.
Row: TypeAlias = tuple[int, int, bytes, tuple[tuple[int, int, int], ...], bytearray]


@dataclass(frozen=True, slots=True)
class Place:
    """An array in the memory of a call.

    Attributes
    ----------
    base : int
        The number of its memory; -1: the offset is an address.
    offset : int
        Bytes from there to its first element.
    dtype : numpy.dtype
        Of its elements.
    shape, strides : tuple of int
        Its lengths, and bytes from one element to the next along each axis.
    """

    base: int
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def in_order(cls, where: tuple[int, int], dtype: np.dtype[Any], shape: Sequence[int]) -> Place:
        """Return the place of an array in C order.

        Parameters
        ----------
        where : (int, int)
            Base and offset.
        dtype, shape
            As of the class.
        """
        strides = tuple(step * dtype.itemsize for step in contiguous_strides(tuple(shape)))
        return cls(*where, dtype, tuple(shape), strides)

    @property
    def is_in_order(self) -> bool:
        """Whether the elements lie in C order."""
        steps = contiguous_strides(self.shape)
        return all(
            length == 1 or stride == step * self.dtype.itemsize
            for length, stride, step in zip(self.shape, self.strides, steps, strict=True)
        )

    @property
    def transposed(self) -> Place:
        """The place of the transposed matrices."""
        shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        strides = (*self.strides[:-2], self.strides[-1], self.strides[-2])
        return Place(self.base, self.offset, self.dtype, shape, strides)

    @property
    def as_columns(self) -> Place:
        """The place of a vector as the one column of a matrix; matrices are as they are."""
        if len(self.shape) > 1:
            return self
        strides = (*self.strides, self.dtype.itemsize)
        return Place(self.base, self.offset, self.dtype, (*self.shape, 1), strides)


class Block:
    """The arguments of an entry.

    Parameters
    ----------
    entry : int
        The address of its function.
    """

    def __init__(self, entry: int) -> None:
        self._entry = entry
        self._words: list[int] = []
        self._places: list[tuple[int, int, int]] = []

    def add(self, *numbers: int) -> None:
        """Add numbers."""
        self._words += numbers

    def add_address(self, base: int, offset: int) -> None:
        """Add an address in the memory of the call.

        Parameters
        ----------
        base, offset : int
            As of a :class:`Place`.
        """
        if base >= 0:
            self._places.append((len(self._words), base, offset))
        self._words.append(0 if base >= 0 else offset)

    @property
    def row(self) -> Row:
        """The entry as calls in C read it."""
        words = np.array(self._words, np.int64).tobytes()
        return self._entry, 1, words, tuple(self._places), bytearray()


def copy_entry(source: Place, target: Place) -> Row | None:
    """Return the entry that copies an array; None if C has no room for its axes.

    Parameters
    ----------
    source, target : Place
        Of arrays of one shape, which may be of single and of double precision.
    """
    conversion, itemsize = _SAME, target.dtype.itemsize
    axes = list(zip(target.shape, source.strides, target.strides, strict=True))
    if source.dtype != target.dtype:
        conversion = _TO_DOUBLE if itemsize > source.dtype.itemsize else _TO_SINGLE
        if kind_of(source.dtype) == "c":
            axes.append((2, source.dtype.itemsize // 2, itemsize // 2))
    axes = [axis for axis in axes if axis[0] != 1] or [(1, 0, 0)]
    if len(axes) > _MOST_AXES or (conversion == _SAME and itemsize not in (4, 8, 16)):
        return None
    assert COMPILED is not None
    block = Block(COMPILED.COPY)
    block.add_address(source.base, source.offset)
    block.add_address(target.base, target.offset)
    block.add(conversion, itemsize, len(axes))
    for axis in axes:
        block.add(*axis)
    return block.row


def keywords_of(node: Node, first: int = 0) -> dict[str, Any] | None:
    """Return the keywords of a call whose sources are its positional arguments; None of others.

    Parameters
    ----------
    node : Node
        A library call.
    first : int, optional
        How many arguments precede the sources.
    """
    call = node.attr
    if not isinstance(call, Call) or call.args[first:] != tuple(map(Slot, range(len(node.src)))):
        return None
    return {key: thaw(value, ()) for key, value in call.keywords}


def reserved(reserve: Reserve, dtype: np.dtype[Any], shape: Sequence[int]) -> Place:
    """Return the place of an intermediate array in C order.

    Parameters
    ----------
    reserve : callable
        Returns memory of the call.
    dtype, shape
        Of the array.
    """
    return Place.in_order(reserve(prod(shape) * dtype.itemsize), dtype, shape)


def whole(entries: Sequence[Row | None]) -> list[Row] | None:
    """Return entries if there are all."""
    rows = [entry for entry in entries if entry is not None]
    return rows if len(rows) == len(entries) else None


def even_step(
    shape: tuple[int, ...], strides: tuple[int, ...], stack: tuple[int, ...]
) -> int | None:
    """Return the bytes from one matrix of a stack to the next; None if they differ.

    Parameters
    ----------
    shape, strides : tuple of int
        Of the leading axes of an operand.
    stack : tuple of int
        Those of all operands.
    """
    if prod(shape) == 1:
        return 0
    if shape != stack:
        return None
    axes = [axis for axis in zip(shape, strides, strict=True) if axis[0] != 1]
    for (_, outer), (length, inner) in pairwise(axes):
        if outer != length * inner:
            return None
    return axes[-1][1]
