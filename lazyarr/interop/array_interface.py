"""``__array_interface__`` of host arrays, with memory that lives as long as its taker.

https://numpy.org/doc/stable/reference/arrays.interface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["copied_with_strides", "interface_of"]

Array = np.ndarray[Any, Any]


class _Span:
    """The bytes from the first to the last of an array's, which keeps the array alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Array) -> None:
        low, high = np.lib.array_utils.byte_bounds(owner)
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (high - low,),
            "data": (low, not owner.flags.writeable),
        }


def interface_of(values: Array) -> dict[str, Any]:
    """Return the interface of an array in host memory.

    A lazy array may come to hold another value while a taker still reads this one, so that the
    taker has to keep the memory and not the lazy array: "data" is an object with the memory, which
    takers keep, and no address. Takers that read bytes themselves see by "strides", which is
    always there, that they have to ask for ``tobytes()``.
    """
    interface: dict[str, Any] = {
        "version": 3,
        "typestr": values.dtype.str,
        "descr": values.dtype.descr,
        "shape": values.shape,
        "strides": values.strides,
        "data": values,
    }
    if not values.flags.c_contiguous and values.size:
        span = np.asarray(_Span(values))
        low = np.lib.array_utils.byte_bounds(values)[0]
        interface["data"] = span
        interface["offset"] = values.__array_interface__["data"][0] - low
    return interface


def copied_with_strides(values: Array, strides: tuple[int, ...]) -> Array:
    """Return a copy of an array in memory of its own, with given strides.

    Parameters
    ----------
    values : numpy.ndarray
        Any array.
    strides : tuple of int
        Of the copy, in bytes.
    """
    reach = [stride * (n - 1) for stride, n in zip(strides, values.shape, strict=True) if n > 1]
    low = sum([step for step in reach if step < 0])
    high = sum([step for step in reach if step > 0]) + values.itemsize
    memory = np.zeros(high - low, np.uint8)
    copy: Array = np.ndarray(values.shape, values.dtype, memory.data, -low, strides)
    copy[...] = values
    return copy
