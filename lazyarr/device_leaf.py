"""Leaves that live in a device's memory."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lazyarr.ir import Leaf

__all__ = ["DeviceLeaf", "OnDevice"]


class OnDevice(Protocol):
    """An array in a device's memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

    def get(self) -> np.ndarray[Any, Any]:
        """Return a copy in the host's memory, with the same strides."""


class DeviceLeaf(Leaf):
    """Memory of a device. What asks for it on the host gets a copy, made once.

    Attributes
    ----------
    device_array : OnDevice
        The array itself.
    """

    __slots__ = ("_host", "device_array")

    def __init__(self, array: OnDevice) -> None:
        self.device_array = array
        self._host: np.ndarray[Any, Any] | None = None
        size = array.dtype.itemsize
        self.strides = tuple(stride // size for stride in array.strides)
        self.key = ("device", array.address, array.shape, array.strides, array.dtype)  # type: ignore[assignment]

    @property
    def array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]
        """The copy in the host's memory; read-only."""
        if self._host is None:
            host = self.device_array.get()
            host.flags.writeable = False
            self._host = host
        return self._host

    @property
    def address(self) -> int:  # type: ignore[override]
        """Address of the host copy's first element."""
        return int(self.array.__array_interface__["data"][0])
