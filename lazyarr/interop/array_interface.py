"""``__array_interface__`` of host arrays, with memory that lives as long as its taker.

https://numpy.org/doc/stable/reference/arrays.interface.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["copied_with_strides", "interface_of", "lent"]

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


class _Memory(Array):
    """The memory of an array as a read-only buffer, whose items are its address and True.

    Takers keep it. Programs read its items in the place of those of the pair that NumPy's arrays
    have: the address of the first element, and whether the memory is read-only.

    Attributes
    ----------
    address : int
        Of the first element.
    """

    address: int

    def __getitem__(self, key: Any) -> Any:
        return (self.address, True)[key]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.address, True))

    def __len__(self) -> int:
        return 2


def lent(memory: Array, offset: int) -> Array:
    """Return memory for the interface of an array that lies in it; the compiled form calls this.

    Parameters
    ----------
    memory : numpy.ndarray
        The memory, in C order.
    offset : int
        Bytes before the first element of the array.
    """
    data = memory.view(_Memory)
    data.flags.writeable = False
    data.address = memory.__array_interface__["data"][0] + offset
    return data


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
        "data": lent(values, 0),
    }
    if not values.flags.c_contiguous and values.size:
        span = np.asarray(_Span(values))
        low = np.lib.array_utils.byte_bounds(values)[0]
        interface["offset"] = values.__array_interface__["data"][0] - low
        interface["data"] = lent(span, interface["offset"])
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
