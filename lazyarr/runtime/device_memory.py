"""Memory of a GPU: a pool that reuses blocks, and the arrays in it.

Everything runs in one stream, in order. So a block may be handed out again as soon as its owner
drops it: what uses it next is queued behind what used it before. A block that another library has
seen may be in use in streams of that library; it is handed out again after all of them are done.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter, deque
from typing import Any, Protocol

import numpy as np

from lazyarr.errors import DeviceMemoryError
from lazyarr.runtime import dlpack
from lazyarr.values import dataclass

__all__ = ["DeviceArray", "DeviceBlock", "DevicePool", "DevicePoolInfo", "Driver"]

DType = np.dtype[Any]
Origin = tuple[str, int]
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

    def duplicate(self, array: DeviceArray) -> DeviceArray:
        """Return a copy in new memory, with the same strides."""

    def let_wait(self, stream: int) -> None:
        """Make what is queued in another library's stream from now on wait for ours."""

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""


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
    """Memory of a device; goes back to its pool when it is dropped.

    Attributes
    ----------
    address, nbytes, size : int
        Where it is, what was asked for, and what it has.
    shared : bool
        Whether another library has seen the address.
    """

    __slots__ = ("_pool", "address", "nbytes", "shared", "size")

    def __init__(self, pool: DevicePool, address: int, size: int, nbytes: int) -> None:
        self._pool = pool
        self.address = address
        self.size = size
        self.nbytes = nbytes
        self.shared = False

    def __del__(self) -> None:
        # Only notes it: a finaliser may run anywhere, with any lock held.
        self._pool._dropped.append((self.address, self.size, self.shared))


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
        self._shared: dict[int, list[int]] = {}  # idle for us, maybe not for other libraries
        self._dropped: deque[tuple[int, int, bool]] = deque()
        self._lock = threading.Lock()
        self._all: dict[int, int] = {}
        self._users: dict[int, tuple[int, Origin | None]] = {}
        self._in_use = 0
        self._peak = 0
        self._held = 0
        self._allocations = 0

    def allocate(self, nbytes: int, limit: int = 0, origin: Origin | None = None) -> DeviceBlock:
        """Return a block of at least `nbytes`, aligned to 256 bytes.

        Parameters
        ----------
        nbytes : int
            What is needed.
        limit : int, optional
            Bytes that the pool may hold after this; 0 means the pool's own limit.
        origin : tuple of (str, int), optional
            The user's line that needs it, for the error of whoever asks in vain.

        Raises
        ------
        DeviceMemoryError
            If the device has no more memory, after idle blocks were given back.
        """
        size = _size_class(nbytes)
        with self._lock:
            if self._dropped:
                self._settle()
            idle = self._idle.get(size)
            if not idle and size in self._shared:
                self._reclaim()
                idle = self._idle.get(size)
            address = idle.pop() if idle else self._fresh(size, nbytes, limit, origin)
            self._users[address] = (nbytes, origin)
            self._in_use += size
            if self._in_use > self._peak:
                self._peak = self._in_use
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
            self._shared.clear()

    def _settle(self) -> None:
        while self._dropped:
            address, size, shared = self._dropped.popleft()
            if address in self._all:
                (self._shared if shared else self._idle).setdefault(size, []).append(address)
                self._in_use -= size
                self._users.pop(address, None)

    def _reclaim(self) -> None:
        """Make blocks that other libraries have seen ours again, once all their work is done."""
        self.driver.synchronize_all()
        for size, addresses in self._shared.items():
            self._idle.setdefault(size, []).extend(addresses)
        self._shared.clear()

    def _trim(self) -> None:
        if self._shared:
            self._reclaim()
        for size, addresses in self._idle.items():
            for address in addresses:
                self.driver.free(address)
                del self._all[address]
                self._held -= size
        self._idle.clear()

    def _fresh(self, size: int, nbytes: int, limit: int, origin: Origin | None) -> int:
        limit = limit or self.limit
        address = self._taken(size, limit)
        if not address:
            # Cycles of garbage may hold blocks; then whatever is idle goes back, for one more try.
            gc.collect()
            self._settle()
            self._trim()
            address = self._taken(size, limit)
        if not address:
            raise self._refusal(nbytes, limit, origin)
        self._allocations += 1
        self._held += size
        self._all[address] = size
        return address

    def _taken(self, size: int, limit: int) -> int:
        """Return the address of new memory of the device's; 0 if there is none, or too little."""
        if limit and self._held + size > limit:
            return 0
        return self.driver.allocate(size)

    def _refusal(self, nbytes: int, limit: int, origin: Origin | None) -> DeviceMemoryError:
        by_line: Counter[Origin | None] = Counter()
        for held, line in self._users.values():
            by_line[line] += held
        lines = [
            f"{held:,} bytes by " + (f"{line[0]}:{line[1]}" if line else "lazyarr's own buffers")
            for line, held in by_line.most_common(4)
        ]
        limited = f"memory_limit is {limit:,} bytes" if limit else "the device is full"
        message = f"the device has no {nbytes:,} bytes left: {limited}; {self._in_use:,} are in use"
        if lines:
            message += "\n  held: " + "\n        ".join(lines)
        return DeviceMemoryError(
            message,
            origin=origin,
            hint="drop results that are not needed, or evaluate fewer at a time",
        )


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

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

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
        self._share()
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self.address if 0 not in self.shape else 0, False),
            "version": 3,
            "stream": 1,  # ours is ordered with the legacy default stream
        }

    def _share(self) -> None:
        """Note that another library will know the address."""
        if isinstance(self._owner, DeviceArray):
            self._owner._share()
        elif isinstance(self._owner, DeviceBlock):
            self._owner.shared = True

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CUDA, 0)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule for another library; work in `stream` waits for ours.

        Parameters
        ----------
        stream : int, optional
            The taker's stream: None or 1 is the legacy default stream, 2 that of the thread, -1
            asks for no order.
        max_version : tuple of (int, int), optional
            The newest DLPack that the taker knows.
        dl_device : tuple of (int, int), optional
            Where the taker wants it: this GPU, or the host.
        copy : bool, optional
            Whether a copy is made: True always, False never, None if need be.
        """
        if dl_device is not None and tuple(dl_device) == (dlpack.CPU, 0):
            if copy is False:
                raise BufferError("memory of a GPU reaches the host by a copy only")
            host = self.get()
            return host.__dlpack__(max_version=max_version) if max_version else host.__dlpack__()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array cannot go to DLPack's device {tuple(dl_device)}")
        if stream == 0:
            raise BufferError("stream 0 is ambiguous: give 1 or 2")
        held = self._driver.duplicate(self) if copy else self
        held._share()
        if stream not in (None, 1, -1):
            self._driver.let_wait(stream)
        steps = tuple(step // self.itemsize for step in held.strides)
        return dlpack.export(
            held.address if 0 not in self.shape else 0,
            self.shape,
            steps,
            self.dtype,
            held,
            max_version=max_version,
            copied=bool(copy),
        )

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
