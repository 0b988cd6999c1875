"""Leaves that live in a device's memory, and where expressions of them run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from lazyarr.core.config import AUTO, CPU, Config, get_config, is_host
from lazyarr.errors import DeviceError
from lazyarr.graph.node import Leaf, Node, leaves_of

__all__ = ["DeviceLeaf", "OnDevice", "device_of", "is_on_device", "placed"]


@lru_cache(maxsize=1024)
def _in_elements(strides: tuple[int, ...], size: int) -> tuple[int, ...]:
    return tuple([stride // size for stride in strides])


class OnDevice(Protocol):
    """An array in a device's memory."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

    @property
    def device(self) -> str:
        """The name of the device."""

    @property
    def shared(self) -> bool:
        """Whether another library knows the memory, and may write it."""

    def get(self) -> np.ndarray[Any, Any]:
        """Return a copy in the host's memory, with the same strides."""


class DeviceLeaf(Leaf):
    """Memory of a device. Asked for on the host, it is copied once for each content.

    Another library writes memory that it shares at any time: that is copied each time.

    Attributes
    ----------
    device_array : OnDevice
        The array itself.
    """

    __slots__ = ("_host", "_ticket", "device_array")
    shows_order = False
    is_on_host = False

    def __init__(self, array: OnDevice) -> None:
        self.device_array = array
        self._host: np.ndarray[Any, Any] | None = None
        self._ticket = 0

    @property
    def strides(self) -> tuple[int, ...]:  # type: ignore[override]
        """In elements, not bytes."""
        array = self.device_array
        return _in_elements(array.strides, array.dtype.itemsize)

    @property
    def key(self) -> tuple[object, ...]:  # type: ignore[override]
        """The identity by which leaves are compared."""
        array = self.device_array
        return "device", array.address, array.shape, array.strides, array.dtype

    @property
    def array(self) -> np.ndarray[Any, Any]:  # type: ignore[override]
        """The copy in the host's memory; read-only."""
        ticket = getattr(self.device_array, "ticket", 0)
        if self._host is None or self._ticket != ticket:
            host = self.device_array.get()
            host.flags.writeable = False
            self._host, self._ticket = host, ticket
        return self._host

    def current(self) -> np.ndarray[Any, Any]:
        """Return a copy of the memory's present content in the host's memory; read-only."""
        if not self.device_array.shared:
            return self.array
        host = self.device_array.get()
        host.flags.writeable = False
        return host

    @property
    def address(self) -> int:  # type: ignore[override]
        """Address of the host copy's first element, which an evaluation on the host begins with."""
        known, host = self._host, self.array
        if host is known and self.device_array.shared:
            host.flags.writeable = True
            np.copyto(host, self.device_array.get())
            host.flags.writeable = False
        return int(host.__array_interface__["data"][0])


def placed(leaves: Iterable[Node], settings: Config) -> str:
    """Return the device that an expression of these leaves runs on: "cpu", or a GPU's name.

    Parameters
    ----------
    leaves : iterable of Node
        All leaves of the expression.
    settings : Config
        Its ``device``, unless "auto", decides; else a leaf in a GPU's memory does.

    Raises
    ------
    DeviceError
        If leaves lie on different GPUs, and no setting says where the expression runs.
    """
    if settings.device != AUTO:
        return settings.device
    device = CPU
    for leaf in leaves:
        if type(leaf.attr) is DeviceLeaf:
            own = leaf.attr.device_array.device
            if is_host(device):
                device = own
            elif own != device:
                device, own = sorted((device, own))
                raise DeviceError(
                    f"one expression has arrays on both {device!r} and {own!r}",
                    origin=leaf.origin,
                    hint=f'copy one with lazyarr.asarray(x, device="{device}"), or choose the '
                    f'device of the expression with lazyarr.config(device="{device}")',
                )
    return device


def device_of(value: Node) -> str:
    """Return the device that holds a value, or will once it is computed: "cpu" or a GPU's name."""
    if type(value.attr) is DeviceLeaf:
        return value.attr.device_array.device
    settings = get_config()
    return settings.device if settings.device != AUTO else placed(leaves_of(value), settings)


def is_on_device(value: Node) -> bool:
    """Return whether a value lies in a device's memory, or will once it is computed."""
    return not is_host(device_of(value))
