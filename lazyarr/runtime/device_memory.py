"""Memory of a GPU: a pool that reuses blocks, and the arrays in it.

Everything runs in one stream, in order. So a block may be handed out again as soon as its owner
drops it: what uses it next is queued behind what used it before.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lazyarr.errors import DeviceError

__all__ = ["DeviceArray", "DeviceBlock", "DevicePool", "DevicePoolInfo", "Driver"]

DType = np.dtype[Any]
_SMALL = 1 << 20
_ALIGNMENT = 256


class Driver(Protocol):
    """What a pool and an array need of a device."""

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""

    def free(self, address: int) -> None:
        """Give memory back."""

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Copy a flat array of bytes to the device."""

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work, and copy to a flat array of bytes."""

    def synchronize(self) -> None:
        """Wait for all work."""


@dataclass(frozen=True, slots=True)
class DevicePoolInfo:
    """What a device's pool holds.

    Attributes
    ----------
    in_use, peak : int
        Bytes in blocks that somebody holds, now and at most.
    held : int
        Bytes taken from the device, idle ones included.
    allocations : int
        Calls of the driver so far.
    """

    in_use: int
    peak: int
    held: int
    allocations: int


class DeviceBlock:
    """Memory of a device; goes back to its pool when it is dropped."""

    __slots__ = ("_pool", "address", "nbytes", "size")

    def __init__(self, pool: DevicePool, address: int, size: int, nbytes: int) -> None:
        self._pool = pool
        self.address = address
        self.size = size
        self.nbytes = nbytes

    def __del__(self) -> None:
        # Only notes it: a finaliser may run anywhere, with any lock held.
        self._pool._dropped.append((self.address, self.size))


class DevicePool:
    """Blocks by size class; thread-safe.

    Parameters
    ----------
    driver : Driver
        Whose memory it is.
    limit : int, optional
        Bytes that may be held; 0 means what the device has.
    """

    def __init__(self, driver: Driver, limit: int = 0) -> None:
        self.driver = driver
        self.limit = limit
        self._idle: dict[int, list[int]] = {}
        self._dropped: deque[tuple[int, int]] = deque()
        self._lock = threading.Lock()
        self._all: dict[int, int] = {}
        self._in_use = 0
        self._peak = 0
        self._held = 0
        self._allocations = 0

    def allocate(self, nbytes: int) -> DeviceBlock:
        """Return a block of at least `nbytes`, aligned to 256 bytes.

        Raises
        ------
        DeviceError
            If the device has no more memory, after idle blocks were given back.
        """
        size = _size_class(nbytes)
        with self._lock:
            self._settle()
            idle = self._idle.get(size)
            address = idle.pop() if idle else self._fresh(size, nbytes)
            self._in_use += size
            self._peak = max(self._peak, self._in_use)
        return DeviceBlock(self, address, size, nbytes)

    def info(self) -> DevicePoolInfo:
        """Return the counters."""
        with self._lock:
            self._settle()
            return DevicePoolInfo(self._in_use, self._peak, self._held, self._allocations)

    def trim(self) -> None:
        """Give idle memory back to the device."""
        with self._lock:
            self._settle()
            self._trim()

    def close(self) -> None:
        """Give everything back, whoever holds it: the process ends."""
        with self._lock:
            for address in list(self._all):
                self.driver.free(address)
            self._all.clear()
            self._idle.clear()

    def _settle(self) -> None:
        while self._dropped:
            address, size = self._dropped.popleft()
            if address in self._all:
                self._idle.setdefault(size, []).append(address)
                self._in_use -= size

    def _trim(self) -> None:
        for size, addresses in self._idle.items():
            for address in addresses:
                self.driver.free(address)
                del self._all[address]
                self._held -= size
        self._idle.clear()

    def _fresh(self, size: int, nbytes: int) -> int:
        if self.limit and self._held + size > self.limit:
            self._trim()
        address = 0
        if not self.limit or self._held + size <= self.limit:
            address = self.driver.allocate(size)
            if not address:
                self._trim()
                address = self.driver.allocate(size)
        if not address:
            raise DeviceError(
                f"the device has no {nbytes:,} bytes left; {self._in_use:,} are in use",
                hint="drop results that are not needed, or evaluate fewer at a time",
            )
        self._allocations += 1
        self._held += size
        self._all[address] = size
        return address


def _size_class(nbytes: int) -> int:
    """Return the size of the block that serves a request: an eighth of waste at most."""
    if nbytes <= _SMALL:
        return max(_ALIGNMENT, 1 << max(0, nbytes - 1).bit_length())
    step = 1 << (nbytes.bit_length() - 4)
    return -(-nbytes // step) * step


class DeviceArray:
    """An array in a device's memory; other libraries take it without a copy.

    Attributes
    ----------
    shape : tuple of int
        Sizes of the axes.
    dtype : numpy.dtype
        Of the elements.
    strides : tuple of int
        In bytes.
    address : int
        Of the first element.
    """

    __slots__ = ("__weakref__", "_driver", "_owner", "address", "dtype", "shape", "strides")

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        dtype: DType,
        strides: tuple[int, ...],
        owner: object,
        driver: Driver,
    ) -> None:
        self.address = address
        self.shape = shape
        self.dtype = dtype
        self.strides = strides
        self._owner = owner
        self._driver = driver

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "stream": 1,  # ours is ordered with the legacy default stream
        }

    def get(self) -> np.ndarray[Any, Any]:
        """Return a copy in the host's memory, with the same strides."""
        low, high = extent(self.shape, self.strides, self.itemsize)
        data = np.empty(high - low, np.uint8)
        if data.size:
            self._driver.download(data, self.address + low)
        return np.ndarray(self.shape, self.dtype, data, -low, self.strides)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype.name}{list(self.shape)} at {self.address:#x}>"


def extent(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """Return the bytes before and behind the first element's address that an array spans.

    Examples
    --------
    >>> extent((3, 2), (8, -4), 4)
    (-4, 20)
    """
    if 0 in shape:
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + itemsize
