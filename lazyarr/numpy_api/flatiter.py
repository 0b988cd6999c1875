"""``x.flat``: the elements of an array in C order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import settle
from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.numpy_api.repetition import resize

__all__ = ["Flat"]

Array = np.ndarray[Any, Any]


class Flat:
    """The elements of an array in C order, as ``ndarray.flat`` gives them.

    Parameters
    ----------
    base : LazyArray
        The array; what is assigned to its elements is written to it.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.zeros((2, 2))
    >>> x.flat[1:3] = [5, 6]
    >>> x.compute()
    array([[0., 5.],
           [6., 0.]])
    """

    __slots__ = ("_rest", "base")

    def __init__(self, base: LazyArray) -> None:
        self.base = base
        self._rest: Iterator[LazyArray] | None = None

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[LazyArray]:
        return iter(self.base.reshape(-1))

    def __next__(self) -> LazyArray:
        if self._rest is None:
            self._rest = iter(self)
        return next(self._rest)

    def __getitem__(self, key: Any) -> LazyArray:
        return self.base.reshape(-1)[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        base = self.base
        # Of a view in one piece a view, so that the rest of the base is not touched.
        flat = base.reshape(-1)
        chosen = flat[key]
        values = asarray(value).reshape(-1) if value is not None else None
        if values is not None and values.size != 1:
            # Values are repeated, or cut, to what is chosen.
            values = resize(values, chosen.shape)
        flat[key] = value if values is None else values if values.size != 1 else values[0]
        settle(flat)
        if flat._alias is None:
            base._become(flat.reshape(base.shape)._node)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.base.reshape(-1).__array__(dtype, copy)
