"""Arrays in a device's memory as library calls see them: an address, a shape, strides."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import contiguous_strides, reshape_strides

__all__ = ["Strided"]


@dataclass(frozen=True, slots=True)
class Strided:
    """An array in a device's memory.

    Attributes
    ----------
    address : int
        Of the first element.
    shape : tuple of int
        Sizes of the axes.
    strides : tuple of int
        In elements.
    dtype : numpy.dtype
        Of the elements.
    keep : object
        What owns the memory.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    keep: object = None

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * self.dtype.itemsize

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after another in C order."""
        expected = contiguous_strides(self.shape)
        return all(
            n == 1 or ours == theirs
            for n, ours, theirs in zip(self.shape, self.strides, expected, strict=True)
        )

    def seen(self, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> Strided:
        """Return the same memory with other axes.

        Parameters
        ----------
        shape : tuple of int
            Sizes of the axes.
        strides : tuple of int, optional
            In elements; default: those of C order.
        """
        if strides is None:
            strides = contiguous_strides(shape)
        return Strided(self.address, shape, strides, self.dtype, self.keep)

    def permuted(self, axes: Sequence[int]) -> Strided:
        """Return the view with its axes in this order."""
        return self.seen(
            tuple([self.shape[k] for k in axes]), tuple([self.strides[k] for k in axes])
        )

    @property
    def transposed(self) -> Strided:
        """The view with its last two axes exchanged."""
        return self.permuted((*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    def moved_last(self, axis: int) -> Strided:
        """Return the view with an axis put last."""
        axis %= self.ndim
        return self.permuted((*(k for k in range(self.ndim) if k != axis), axis))

    def moved_back(self, axis: int) -> Strided:
        """Return the view with the last axis put at `axis`: undoes :meth:`moved_last`."""
        axes = list(range(self.ndim - 1))
        axes.insert(axis % self.ndim, self.ndim - 1)
        return self.permuted(axes)

    def reshaped(self, shape: tuple[int, ...]) -> Strided | None:
        """Return the view of another shape, in C order; None where that takes a copy."""
        strides = reshape_strides(self.shape, self.strides, shape)
        return None if strides is None else self.seen(shape, strides)

    def broadcast(self, shape: tuple[int, ...]) -> Strided:
        """Return the view broadcast to a larger shape."""
        extra = len(shape) - self.ndim
        strides = (0,) * extra + tuple(
            0 if old == 1 and new != 1 else stride
            for old, new, stride in zip(self.shape, shape[extra:], self.strides, strict=True)
        )
        return self.seen(shape, strides)

    def cut(self, sizes: Sequence[int]) -> Strided:
        """Return the first `sizes` elements along each axis."""
        return self.seen(tuple(sizes), self.strides)

    def at(self, *index: int) -> Strided:
        """Return the part at these positions of the first axes."""
        steps = sum(i * s for i, s in zip(index, self.strides[: len(index)], strict=True))
        return replace(
            self,
            address=self.address + steps * self.dtype.itemsize,
            shape=self.shape[len(index) :],
            strides=self.strides[len(index) :],
        )

    def tail(self, first: int) -> Strided:
        """Return the part from a position of the first axis on."""
        shape = (self.shape[0] - first, *self.shape[1:])
        return replace(self, address=self.at(first).address, shape=shape)

    def diagonal(self) -> Strided:
        """Return the view of the diagonals of the last two axes."""
        return self.seen(
            (*self.shape[:-2], min(self.shape[-2:])),
            (*self.strides[:-2], self.strides[-1] + self.strides[-2]),
        )

    def viewed(self, dtype: np.dtype[Any]) -> Strided:
        """Return the elements as pairs (or quarters) of a smaller dtype: one more axis."""
        parts = self.dtype.itemsize // dtype.itemsize
        return replace(
            self,
            dtype=dtype,
            shape=(*self.shape, parts),
            strides=(*(s * parts for s in self.strides), 1),
        )
