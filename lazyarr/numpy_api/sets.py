"""The distinct elements of arrays, found on a GPU from their order; elsewhere NumPy finds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.evaluation import persist
from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.graph.device_leaf import is_on_device
from lazyarr.numpy_api import joining, scans, sorting
from lazyarr.numpy_api.library_calls import compute_now
from lazyarr.numpy_api.selection import true_places
from lazyarr.ops.library import DATA_SHAPED

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]

#: Positions below this are sorted as 32-bit numbers.
_NARROW = 1 << 32


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the distinct elements, in order; computes, as their number depends on the data.

    Parameters
    ----------
    ar : array_like
        Input.
    return_index, return_inverse, return_counts : bool
        Also return the position of the first occurrence of each; for every element the number of
        its value; the number of occurrences of each.
    axis : int, optional
        Find distinct slices along an axis; default: elements.
    equal_nan : bool
        Whether all NaN are one value.
    sorted : bool
        Accepted for NumPy's sake; the elements are always in order.

    Returns
    -------
    LazyArray or tuple of LazyArray
        The distinct elements, and the other results in the order of the arguments.

    Examples
    --------
    >>> import lazyarr as la
    >>> values, counts = la.unique([3, 1, 3], return_counts=True)
    >>> values.compute(), counts.compute()
    (array([1, 3]), array([1, 2]))
    """
    returns = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    x = as_lazy(ar)
    if axis is not None or not _on_device(x):
        options = returns | {"axis": axis, "equal_nan": equal_nan}
        return compute_now(np.unique, (x,), options, DATA_SHAPED)
    distinct = _Distinct.of(x, equal_nan, return_index or return_inverse)
    parts = [distinct.values]
    if return_index:
        parts.append(distinct.first())
    if return_inverse:
        parts.append(distinct.inverse())
    if return_counts:
        parts.append(distinct.counts())
    return persist(*parts)


def _ordered_values(x: Any) -> Any:
    return np.unique(x, equal_nan=False)


# Under which explain lists it.
_ordered_values.__name__, _ordered_values.__module__ = "unique_values", "numpy"


def _of(name: str, x: Any) -> Any:
    """Compute one of the Array API's functions ``unique_*``."""
    array = as_lazy(x)
    function = getattr(np, name)
    if not _on_device(array) and name == "unique_values":
        # In order, as the values of the other functions are, and those found on a GPU.
        return compute_now(_ordered_values, (array,), {}, DATA_SHAPED)
    if not _on_device(array):
        return compute_now(function, (array,), {}, DATA_SHAPED)
    kind = type(function(np.zeros(1)))
    placed = name in ("unique_all", "unique_inverse")
    distinct = _Distinct.of(array, False, placed)
    if name == "unique_values":
        return persist(distinct.values)
    getters = {
        "values": lambda: distinct.values,
        "indices": distinct.first,
        "inverse_indices": distinct.inverse,
        "counts": distinct.counts,
    }
    return kind(*persist(*(getters[field]() for field in kind._fields)))


def unique_values(x: Any) -> LazyArray:
    """Return the distinct elements in order; computes, as their number depends on the data."""
    values: LazyArray = _of("unique_values", x)
    return values


def unique_counts(x: Any) -> Any:
    """Return the distinct elements and the number of occurrences of each; computes."""
    return _of("unique_counts", x)


def unique_inverse(x: Any) -> Any:
    """Return the distinct elements and for every element the place of its value; computes."""
    return _of("unique_inverse", x)


def unique_all(x: Any) -> Any:
    """Return the distinct elements, their places, the inverse and the counts; computes."""
    return _of("unique_all", x)


def _on_device(x: LazyArray) -> bool:
    """Whether a GPU finds the distinct elements: it orders all but complex numbers."""
    return is_on_device(x._node) and x.size > 0 and kind_of(x.dtype) in "biuf"


@dataclass(frozen=True, slots=True)
class _Distinct:
    """The elements in order, and which of them differ from the one before.

    Attributes
    ----------
    shape : tuple of int
        Of the array.
    order : LazyArray, optional
        The positions of the elements in order.
    starts : LazyArray
        The position of the first element of each value in the order.
    heads : LazyArray
        Whether an ordered element is the first of its value.
    values : LazyArray
        The distinct elements.
    """

    shape: tuple[int, ...]
    order: LazyArray | None
    starts: LazyArray
    heads: LazyArray
    values: LazyArray

    @classmethod
    def of(cls, x: LazyArray, equal_nan: bool, placed: bool) -> _Distinct:
        """Return the distinct elements of an array on a GPU.

        Parameters
        ----------
        x : LazyArray
            Not empty, of any shape.
        equal_nan : bool
            Whether all NaN are one value.
        placed : bool
            Whether positions are needed, too: :meth:`first` and :meth:`inverse`.

        Returns
        -------
        _Distinct
            In ascending order.
        """
        flat = x.reshape((x.size,))
        order = None
        if placed:
            flat = persist(flat)
            order = persist(sorting.argsort(flat, stable=True))
            ordered = persist(flat[order])
        else:
            ordered = persist(sorting.sort(flat))
        differs = ordered[1:] != ordered[:-1]
        if equal_nan and kind_of(x.dtype) == "f":
            differs = differs & (ordered[:-1] == ordered[:-1])
        heads = persist(joining.concatenate([np.ones(1, np.bool_), differs]))
        starts = persist(true_places(heads))
        return cls(x.shape, order, starts, heads, ordered[starts])

    def first(self) -> LazyArray:
        """Return the position of the first of each value: equal elements are in order."""
        assert self.order is not None
        return self.order[self.starts]

    def counts(self) -> LazyArray:
        """Return the number of occurrences of each value."""
        ends = joining.concatenate([self.starts[1:], np.array([self.heads.size])])
        lengths: LazyArray = ends - self.starts
        return lengths

    def inverse(self) -> LazyArray:
        """Return for every element the place of its value."""
        assert self.order is not None
        order = self.order.astype(np.uint32) if self.heads.size < _NARROW else self.order
        back = persist(sorting.argsort(order))
        number = persist(scans.cumsum(self.heads, dtype=np.int64) - 1)
        return as_lazy(number[back].reshape(self.shape))
