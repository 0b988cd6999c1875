"""Pieces of arrays outside of memory: the elements of each read, and their destination."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Protocol

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.errors import DTypeError, ShapeError
from lazyarr.graph.streamed_leaf import Source, read
from lazyarr.runtime.host_memory_pool import Block, address_of, pool

__all__ = ["Piece", "Sink", "Window", "window_of", "windows_of"]

Array = np.ndarray[Any, Any]
Key = tuple[int | slice, ...]


class Sink(Protocol):
    """An array whose elements are written by slices: of HDF5, of Zarr, or of a user's own class."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return the elements of a tuple of integers and slices, as an array."""

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Write the elements of a tuple of integers and slices."""


@dataclass(frozen=True, slots=True)
class Window:
    """The elements of one key, which lie one behind the other in C order.

    Attributes
    ----------
    key : tuple of int or slice
        Selects them.
    shape : tuple of int
        Of what the key selects.
    first, stop : int
        Their places in C order.
    """

    key: Key
    shape: tuple[int, ...]
    first: int
    stop: int


def window_of(shape: tuple[int, ...], first: int, stop: int) -> Window:
    """Return the least window that holds a range of elements.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    first, stop : int
        The elements ``first <= i < stop`` in C order, at least one.

    Examples
    --------
    >>> window_of((10, 4), 6, 14)
    Window(key=(slice(1, 4, None), slice(None, None, None)), shape=(3, 4), first=4, stop=16)
    >>> window_of((10, 4), 5, 7).key
    (1, slice(1, 3, None))
    """
    key: list[int | slice] = []
    start, size = 0, prod(shape)
    for axis, length in enumerate(shape):
        size //= length
        low, high = (first - start) // size, -((start - stop) // size)
        rest = shape[axis + 1 :]
        if high - low > 1 or not rest:
            key += [slice(low, high), *[slice(None)] * len(rest)]
            return Window(tuple(key), (high - low, *rest), start + low * size, start + high * size)
        key.append(low)
        start += low * size
    return Window((), (), 0, 1)


def windows_of(shape: tuple[int, ...], first: int, stop: int) -> Iterator[Window]:
    """Yield windows that hold a range of elements and no other.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    first, stop : int
        The elements ``first <= i < stop`` in C order, at least one.

    Examples
    --------
    >>> [window.key for window in windows_of((10, 4), 6, 14)]
    [(1, slice(2, 4, None)), (slice(2, 3, None), slice(None, None, None)), (3, slice(0, 2, None))]
    """
    if not shape:
        yield Window((), (), 0, 1)
        return
    sizes = contiguous_strides(shape)
    place = first
    while place < stop:
        axis = next(axis for axis, n in enumerate(sizes) if place % n == 0 and place + n <= stop)
        size, length = sizes[axis], shape[axis]
        at = place // size % length
        count = min((stop - place) // size, length - at)
        leading = [place // sizes[k] % shape[k] for k in range(axis)]
        rest = shape[axis + 1 :]
        key: Key = (*leading, slice(at, at + count), *[slice(None)] * len(rest))
        yield Window(key, (count, *rest), place, place + count * size)
        place += count * size


class Piece:
    """Memory for a range of bytes of an array.

    Parameters
    ----------
    first, stop : int
        The bytes ``first <= i < stop`` of the array.

    Attributes
    ----------
    address : int
        Where the first byte of the array would lie: kernels add the places of elements to it.
    nbytes : int
        Bytes of the memory.
    """

    __slots__ = ("_first", "_memory", "_start", "address", "nbytes")

    def __init__(self, first: int, stop: int) -> None:
        shift = first % ALIGNMENT
        self.nbytes = stop - first
        self._memory: Block | Array = pool.allocate(self.nbytes + shift)
        self._first = first
        self._start = shift
        self.address = self._memory.address + shift - first

    @classmethod
    def read(
        cls, source: Source, window: Window, dtype: np.dtype[Any], *, writable: bool = False
    ) -> Piece:
        """Return a piece with the elements of a window.

        Parameters
        ----------
        source : Source
            Where they lie.
        window : Window
            What to read.
        dtype : numpy.dtype
            Of the elements in memory.
        writable : bool, optional
            Whether the piece will be written to. If not, it may be the memory in which the source
            gives the elements.

        Raises
        ------
        ShapeError
            If the source gives another shape than it says that it has.
        DTypeError
            If it gives elements that are not converted to the dtype that it says it has.
        """
        elements = read(source, window.key)
        if elements.shape != window.shape:
            raise ShapeError(
                f"{type(source).__name__} returned shape {elements.shape} for {window.key}, "
                f"not {window.shape}"
            )
        first = window.first * dtype.itemsize
        if (
            not writable
            and elements.dtype == dtype
            and elements.flags.c_contiguous
            and elements.flags.aligned
        ):
            piece = object.__new__(cls)
            piece.nbytes = elements.nbytes
            piece._memory = elements
            piece._first, piece._start = first, 0
            piece.address = address_of(elements) - first
            return piece
        if not np.can_cast(elements.dtype, dtype, "same_kind"):
            raise DTypeError(
                f"{type(source).__name__} returned elements of dtype {elements.dtype}, not {dtype}"
            )
        piece = cls(first, window.stop * dtype.itemsize)
        np.copyto(piece.array(window, dtype), elements, casting="same_kind")
        return piece

    def array(self, window: Window, dtype: np.dtype[Any]) -> Array:
        """Return the memory of a window.

        Parameters
        ----------
        window : Window
            Of the array, inside of the piece.
        dtype : numpy.dtype
            Of its elements.
        """
        assert isinstance(self._memory, Block)
        begin = self._start + window.first * dtype.itemsize - self._first
        return self._memory.array(window.shape, dtype, begin)

    def write(self, sink: Sink, window: Window, dtype: np.dtype[Any]) -> None:
        """Write a window to where its elements are to lie.

        Parameters
        ----------
        sink : Sink
            The array.
        window : Window
            What to write, inside of the piece.
        dtype : numpy.dtype
            Of its elements.
        """
        sink[window.key] = self.array(window, dtype)
