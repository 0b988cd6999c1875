"""Blocks of a device's memory, and arrays in them."""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from lazyarr.core.addresses import extent
from lazyarr.core.config import gpu_number
from lazyarr.runtime.cuda import dlpack
from lazyarr.runtime.cuda.deferred_reports import DeferredReports

__all__ = [
    "DeviceArray",
    "DeviceBlock",
    "Mark",
    "PassingArray",
    "Queue",
    "Shelf",
    "Used",
    "array_at",
    "passing",
]

DType = np.dtype[Any]


class Mark(Protocol):
    """A place in a stream."""

    #: The driver's, recorded there.
    event: Any

    def query(self) -> bool:
        """Return whether all that was queued before is done."""

    def synchronize(self) -> object:
        """Wait for all that was queued before."""


class Queue(Protocol):
    """The protocol of streams that pools and arrays use."""

    #: The name of the device, as settings have it.
    label: str
    #: What its kernels report.
    deferred: DeferredReports

    def current(self) -> AbstractContextManager[None]:
        """Return a context manager that makes the device's context that of this thread."""

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""

    def free(self, address: int) -> None:
        """Give memory back, once all work in the stream is done."""

    def mark(self) -> Mark:
        """Return the place behind all that is queued by now."""

    def after(self, other: Queue, ticket: int) -> None:
        """Let later work wait for the earlier work of another stream.

        Parameters
        ----------
        other : Queue
            The other stream.
        ticket : int
            Of that stream: what it had queued when it gave the ticket out is waited for.
        """

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Queue a copy to the device; the array may be written on return.

        Parameters
        ----------
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8.
        """

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work, and copy to the host.

        Parameters
        ----------
        host : numpy.ndarray
            Flat, of uint8.
        address : int
            Where from, on the device.
        """

    def synchronize(self) -> None:
        """Wait for all work."""

    def wait_for_reports(self) -> None:
        """Wait for work whose reports are not read yet, and raise the first that is of an error."""

    def duplicate(self, array: DeviceArray) -> DeviceArray:
        """Return a copy in new memory of this stream's pool, with the same strides."""

    def ticket(self) -> int:
        """Return a number that is larger than those of earlier work."""

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device; the context must be current.

        Parameters
        ----------
        to, source : int
            Addresses on the device; the memory does not overlap.
        nbytes : int
            How much.
        """

    def let_wait(self, stream: int) -> None:
        """Let later work in another library's stream wait for this one."""

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""


class DeviceBlock:
    """Memory of a device; goes back to its pool when it is dropped.

    Attributes
    ----------
    address, nbytes : int
        Where it is, and what was asked for.
    shared : bool
        Whether another library has seen the address.
    readers : tuple of Queue
        Other streams that have used it.
    shelf : Shelf
        Where it goes back to.
    """

    __slots__ = ("address", "nbytes", "readers", "shared", "shelf")

    shelf: Shelf
    address: int
    nbytes: int
    shared: bool
    readers: tuple[Queue, ...]

    def __del__(self) -> None:
        # Only notes it: a finaliser may run anywhere, with any lock held.
        if self.shared or self.readers:
            shelf = self.shelf
            shelf.used.append((self.address, shelf.size, self.shared, self.readers))
        else:
            self.shelf.dropped.append(self.address)


#: Address, size, whether another library knows the address, and other streams that have used it.
Used = tuple[int, int, bool, tuple[Queue, ...]]


class Shelf:
    """The free blocks of one size in a pool, by their addresses.

    Attributes
    ----------
    size : int
        Bytes that each has.
    idle : list of int
        Those that can be handed out.
    dropped : deque of int
        The same, but still counted as in use: they came back since the pool last looked.
    used : deque
        Those of the pool that came back since, too, but that others may still use: another library,
        or other streams.
    """

    __slots__ = ("dropped", "idle", "size", "used")

    def __init__(self, size: int, used: deque[Used]) -> None:
        self.size = size
        self.idle: list[int] = []
        self.dropped: deque[int] = deque()
        self.used = used


class DeviceArray:
    """An array in a device's memory; other libraries take it without a copy.

    Made by :func:`array_at`.

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
    queue : Queue
        The stream that its elements are computed in.
    ticket : int
        Given out by that stream when the computation was queued.
    """

    __slots__ = (
        "__weakref__",
        "_owner",
        "address",
        "dtype",
        "queue",
        "shape",
        "strides",
        "ticket",
    )

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    queue: Queue
    ticket: int
    _owner: object

    def cross(self, reader: Queue) -> None:
        """Let another stream use the array in its later work.

        Raises
        ------
        IndexError
            An index was out of bounds in what computed it.
        """
        self.verify()
        reader.after(self.queue, self.ticket)
        owner = self._owner
        while isinstance(owner, DeviceArray):
            owner = owner._owner
        if isinstance(owner, DeviceBlock) and reader not in owner.readers:
            owner.readers = (*owner.readers, reader)

    def verify(self) -> None:
        """Wait for reports on the array, if there may be any, before others get to know it.

        Raises
        ------
        IndexError
            An index was out of bounds in what computed it.
        """
        if self.queue.deferred.pending:
            self.queue.synchronize()
        self.refuse_wrong()

    def refuse_wrong(self) -> None:
        """Raise the errors that are known of the elements.

        Raises
        ------
        IndexError
            An index was out of bounds in what computed it.
        """
        deferred = self.queue.deferred
        if deferred.failures:
            deferred.refuse(self.ticket)

    def settle(self) -> None:
        """Let the next write to the array wait for other streams' reads of it."""
        owner = self._owner
        if isinstance(owner, DeviceBlock) and owner.readers:
            for reader in owner.readers:
                self.queue.after(reader, reader.ticket())

    @property
    def device(self) -> str:
        """The name of the device, as settings have it."""
        return self.queue.label

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self.verify()
        self._share()
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self.address if 0 not in self.shape else 0, False),
            "version": 3,
            "stream": 1,  # ours is ordered with the legacy default stream
        }

    @property
    def shared(self) -> bool:
        """Whether another library knows the memory, and may write it."""
        owner = self._owner
        if isinstance(owner, DeviceArray):
            return owner.shared
        return owner.shared if isinstance(owner, DeviceBlock) else True

    def _share(self) -> None:
        """Note that another library will know the address."""
        if isinstance(self._owner, DeviceArray):
            self._owner._share()
        elif isinstance(self._owner, DeviceBlock):
            self._owner.shared = True

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CUDA, gpu_number(self.device))

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
                raise BufferError("GPU memory cannot be exported to the host without a copy")
            host = self.get()
            return host.__dlpack__(max_version=max_version) if max_version else host.__dlpack__()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array cannot be exported to DLPack device {tuple(dl_device)}")
        if stream == 0:
            raise BufferError("stream 0 is ambiguous: pass 1 or 2")
        self.verify()
        array = self.queue.duplicate(self) if copy else self
        array._share()
        if stream not in (None, 1, -1):
            self.queue.let_wait(stream)
        steps = tuple(step // self.itemsize for step in array.strides)
        return dlpack.export(
            array.address if 0 not in self.shape else 0,
            self.shape,
            steps,
            self.dtype,
            array,
            device=self.__dlpack_device__(),
            max_version=max_version,
            copied=bool(copy),
        )

    def get(self) -> np.ndarray[Any, Any]:
        """Return a copy in the host's memory, with the same strides."""
        low, high = extent(self.shape, self.strides, self.itemsize)
        data = np.empty(high - low, np.uint8)
        if data.size:
            self.queue.download(data, self.address + low)
            self.refuse_wrong()
        return np.ndarray(self.shape, self.dtype, data, -low, self.strides)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype.name}{list(self.shape)} at {self.address:#x}>"


class PassingArray(DeviceArray):
    """An array that one plan reads once: copied to where the plan has read its like before.

    Each has memory of its own, and a graph works at fixed addresses.
    """

    __slots__ = ()


def passing(array: DeviceArray) -> PassingArray:
    """Return an array, which keeps its memory, as one that is read once."""
    copy = PassingArray()
    copy.address, copy.shape, copy.dtype = array.address, array.shape, array.dtype
    copy.strides, copy.queue, copy.ticket = array.strides, array.queue, array.ticket
    copy._owner = array
    return copy


def array_at(
    address: int,
    shape: tuple[int, ...],
    dtype: DType,
    strides: tuple[int, ...],
    owner: object,
    queue: Queue,
    ticket: int = 0,
) -> DeviceArray:
    """Return the array at an address, in memory that `owner` keeps alive.

    Parameters
    ----------
    address : int
        Of the first element.
    shape : tuple of int
        Sizes of the axes.
    dtype : numpy.dtype
        Of the elements.
    strides : tuple of int
        In bytes.
    owner : object
        A block, another array, or an object of another library.
    queue : Queue
        The stream in which the elements are computed.
    ticket : int, optional
        Of that stream, after the computation was queued.
    """
    array = DeviceArray()  # filled here, as a call of an __init__ takes as long as all of this
    array.address = address
    array.shape = shape
    array.dtype = dtype
    array.strides = strides
    array._owner = owner
    array.queue = queue
    array.ticket = ticket
    return array
