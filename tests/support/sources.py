"""Arrays outside of memory, for tests: they count what is read, and refuse other keys."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Dataset"]

Array = np.ndarray[Any, Any]


class Dataset:
    """An array with shape, dtype, chunks and slices, as h5py and Zarr have them.

    Attributes
    ----------
    array : numpy.ndarray
        Its elements.
    most : int
        The bytes that were read or written at once, at most.
    reads, elements : int
        How often was read, and how many elements in all.
    """

    chunks = None

    def __init__(self, array: Array) -> None:
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype
        self.most = 0
        self.reads = self.elements = 0

    def _key(self, key: Any) -> Any:
        assert isinstance(key, tuple) and len(key) == self.array.ndim
        for part, length in zip(key, self.shape, strict=True):
            if isinstance(part, slice):
                start, stop, step = part.indices(length)
                assert step == 1 and 0 <= start < stop <= length
                assert part.stop is None or part.stop <= length
            else:
                assert type(part) is int and 0 <= part < length
        return key

    def __getitem__(self, key: Any) -> Array:
        elements = np.array(self.array[self._key(key)])
        self.most = max(self.most, elements.nbytes)
        self.reads += 1
        self.elements += elements.size
        return elements

    def __setitem__(self, key: Any, value: Array) -> None:
        self.most = max(self.most, value.nbytes)
        self.array[self._key(key)] = value
