"""Leaves whose elements lie outside of memory: in a file, or wherever an object reads them from."""

from __future__ import annotations

from math import prod
from operator import index
from threading import current_thread
from typing import Any, Protocol

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.errors import ArgumentError, MemoryLimitError
from lazyarr.graph.leaf import Leaf

__all__ = ["Source", "StreamedLeaf", "is_sink", "is_stored_in_chunks", "read"]


class Source(Protocol):
    """An array whose elements are read by slices: of HDF5, of Zarr, or of a user's own class."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return the elements of a tuple of integers and slices, as an array."""


def shape_of(source: Source) -> tuple[int, ...]:
    """Return the shape of a source.

    Raises
    ------
    ArgumentError
        If it is none: a sequence of integers of which none is negative.
    """
    try:
        shape = tuple(map(index, source.shape))
    except TypeError:
        shape = (-1,)
    if min(shape, default=0) < 0:
        raise ArgumentError(
            f"the shape of {type(source).__name__} must be a tuple of lengths, "
            f"got {source.shape!r}",
        )
    return shape


class StreamedLeaf(Leaf):
    """An array that is read piece by piece while an evaluation goes on.

    Parameters
    ----------
    source : Source
        Where its elements are read from.
    dtype : numpy.dtype
        Type of the elements in memory: that of the source in the machine's byte order.

    Attributes
    ----------
    shape : tuple of int
        Sizes of the axes.
    source, dtype
        As given.
    """

    __slots__ = ("dtype", "shape", "source")
    shows_order = False

    def __init__(self, source: Source, dtype: np.dtype[Any]) -> None:
        self.source = source
        self.shape = shape_of(source)
        self.dtype = dtype

    @property
    def strides(self) -> tuple[int, ...]:  # type: ignore[override]
        """In elements, not bytes: pieces lie in C order once they are read."""
        return contiguous_strides(self.shape)

    @property
    def key(self) -> tuple[object, ...]:  # type: ignore[override]
        """The identity by which leaves are compared: their source."""
        return "streamed", id(self.source)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]
        """All elements, read now.

        Raises
        ------
        MemoryLimitError
            If they take more than the setting ``max_memory``.
        """
        limit = get_config().max_memory
        if limit and self.nbytes > limit:
            raise MemoryLimitError(
                f"an array of shape {self.shape} that is streamed from "
                f"{type(self.source).__name__} takes {self.nbytes:,} bytes, the limit is {limit:,}",
                hint="raise max_memory, or take a part of the array",
            )
        whole = read(self.source, (slice(None),) * len(self.shape))
        return whole.astype(self.dtype, copy=False).reshape(self.shape)

    @property
    def address(self) -> int:  # type: ignore[override]
        """Not known: an evaluation in pieces is asked for by this error."""
        raise MemoryLimitError(
            f"an array of shape {self.shape} that is streamed from {type(self.source).__name__} "
            "is not in memory",
            hint="evaluate the expression with lazyarr.evaluate, or read the array: "
            "lazyarr.asarray(source[...])",
        )


def read(source: Source, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
    """Return elements of a source.

    Parameters
    ----------
    source : Source
        Where they are.
    key : tuple of int and slice
        Which ones.

    Raises
    ------
    ArgumentError
        If Zarr asks for them while it writes, in its own thread, in which it cannot read.
    """
    if current_thread().name == "zarr_io":
        raise ArgumentError(
            "an expression of a Zarr array cannot be computed while Zarr writes it",
            hint="write its value: z[...] = np.asarray(x)",
        )
    return np.asarray(source[key])


def is_stored_in_chunks(value: object) -> bool:
    """Return whether an object is an array of a file: of HDF5, of Zarr, or one like these."""
    names = ("chunks", "shape", "dtype", "__getitem__")
    return all(hasattr(value, name) for name in names) and not hasattr(value, "__dask_graph__")


def is_sink(value: object) -> bool:
    """Return whether results can be written to an object piece by piece, by assigning to slices.

    Containers in memory with indexing rules of their own, such as a Series of pandas, are none.
    """
    if is_stored_in_chunks(value):
        return hasattr(value, "__setitem__")
    names = ("shape", "dtype", "__getitem__", "__setitem__")
    others = ("__dask_graph__", "__array_ufunc__", "__cuda_array_interface__", "__dlpack__")
    return all(hasattr(value, name) for name in names) and not any(
        hasattr(value, name) for name in others
    )
