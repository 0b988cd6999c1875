"""Arrays whose elements lie outside of memory."""

from __future__ import annotations

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.streamed_leaf import Source

__all__ = ["from_array"]


def from_array(source: Source) -> LazyArray:
    """Return a LazyArray of an array outside of memory, which is read piece by piece.

    Its elements are read whenever an expression of it is evaluated, as many at once as the memory
    allows; see ``max_memory`` of :class:`lazyarr.Config`. :func:`lazyarr.asarray` does the same for
    datasets of h5py and arrays of Zarr.

    Parameters
    ----------
    source : object
        Has ``shape`` and ``dtype``, and returns elements for tuples of integers and slices, as
        arrays: ``source[2:4, :]``. It is read in a thread of its own.

    Returns
    -------
    LazyArray
        Of its shape and dtype.

    Raises
    ------
    ArgumentError
        If `source` lacks one of these.
    DTypeError
        If lazyarr does not compute with its dtype.

    Examples
    --------
    >>> import numpy as np, lazyarr as la
    >>> class Squares:
    ...     shape, dtype = (1000,), np.dtype("float64")
    ...
    ...     def __getitem__(self, key):
    ...         return np.arange(1000.0)[key] ** 2
    >>> float(la.from_array(Squares()).sum())
    332833500.0
    """
    for name in ("shape", "dtype", "__getitem__"):
        if not hasattr(source, name):
            raise ArgumentError(
                f"from_array needs an object with shape, dtype and slices; "
                f"{type(source).__name__} has no {name}",
                origin=origin(),
                hint="use lazyarr.asarray for sequences and arrays in memory",
            )
    return LazyArray(build.streamed_leaf(source))
