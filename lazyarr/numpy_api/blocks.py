"""Arrays put together from nested lists of blocks."""

from __future__ import annotations

from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, ShapeError
from lazyarr.numpy_api.joining import concatenate

__all__ = ["block"]


def block(arrays: Any) -> LazyArray:
    """Return an array put together from nested lists of blocks.

    Parameters
    ----------
    arrays : array_like or nested list of array_like
        Blocks: those of the innermost lists are joined along the last axis, those of the lists
        around them along the axis before, and so on.

    Returns
    -------
    LazyArray
        Its blocks are written straight into their places.

    Raises
    ------
    ShapeError
        If the lists are nested unevenly or empty, or shapes do not fit.
    DTypeError
        If there is a tuple in the place of a list.
    """
    empty: list[str] = []
    levels = _depth(arrays, "arrays", empty)
    if empty:
        raise ShapeError(f"List at {empty[0]} cannot be empty", origin=origin())

    def ndim(item: Any) -> int:
        return max(map(ndim, item)) if isinstance(item, list) else asarray(item).ndim

    total = max(levels, ndim(arrays))

    def join(item: Any, level: int) -> LazyArray:
        if not isinstance(item, list):
            leaf = as_lazy(item)
            return leaf.reshape((1,) * (total - leaf.ndim) + leaf.shape)
        parts = [join(part, level + 1) for part in item]
        return as_lazy(concatenate(parts, axis=total - levels + level))

    joined = join(arrays, 0)
    return joined if isinstance(arrays, list) else joined.copy()


def _depth(item: Any, name: str, empty: list[str]) -> int:
    """Return the depth of nested lists of blocks; those without any are noted in `empty`."""
    if isinstance(item, tuple):
        raise DTypeError(
            f"{name} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
            "allow implicit conversion from tuple to ndarray.",
            origin=origin(),
        )
    if not isinstance(item, list):
        return 0
    if not item:
        empty.append(name)
        return 1
    first, *others = [_depth(part, f"{name}[{k}]", empty) for k, part in enumerate(item)]
    for k, other in enumerate(others, 1):
        if other != first:
            raise ShapeError(
                f"List depths are mismatched. First element was at depth {first + 1}, but there "
                f"is an element at depth {other + 1} ({name}[{k}]{'[0]' * other})",
                origin=origin(),
            )
    return first + 1
