"""Protocols between the parts of the CUDA runtime that would otherwise import one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

import numpy as np

from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.device_array import DeviceBlock
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction, DeviceKernels
from lazyarr.runtime.cuda.memory_pool import DeviceMemory

__all__ = [
    "ChainStream",
    "DriverStream",
    "LibraryStream",
    "MemorySource",
    "RetiringDevice",
    "StreamDevice",
    "TransferDevice",
    "WorkStream",
    "WorkingDevice",
]

Bytes: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
#: A stream of PyCUDA's.
DriverStream: TypeAlias = Any


class RetiringDevice(Protocol):
    """Calls functions once all work queued by now is done."""

    def retire(self, function: Callable[[], None]) -> None:
        """Call a function once all work queued by now is done."""


class TransferDevice(Protocol):
    """Copies between the host and the device."""

    def current(self) -> AbstractContextManager[None]:
        """Make the device's context that of this thread inside a ``with``."""

    def page_locked(self, nbytes: int) -> Bytes:
        """Return memory of the host that the bus reads and writes by itself."""

    def event(self) -> Any:
        """Return a mark for a stream."""

    def send(self, stream: DriverStream, address: int, host: Bytes) -> None:
        """Queue a plain copy to the device.

        Parameters
        ----------
        stream : object
            PyCUDA's, where it is queued.
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8.
        """

    def receive(self, stream: DriverStream, host: Bytes, address: int) -> None:
        """Queue a plain copy to the host.

        Parameters
        ----------
        stream : object
            PyCUDA's, where it is queued.
        host : numpy.ndarray
            Flat, of uint8.
        address : int
            Where from, on the device.
        """


class _Staging(Protocol):
    least: int

    def upload(self, stream: DriverStream, address: int, host: Bytes) -> None:
        """Queue a copy to the device.

        Parameters
        ----------
        stream : object
            PyCUDA's, where it is queued.
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8.
        """

    def download(self, stream: DriverStream, host: Bytes, address: int) -> None:
        """Wait for all work, and copy to the host.

        Parameters
        ----------
        stream : object
            PyCUDA's.
        host : numpy.ndarray
            Flat, of uint8.
        address : int
            Where from, on the device.
        """


class WorkingDevice(RetiringDevice, Protocol):
    """Memory of a device, and the order of its streams."""

    def order(self, before: int, after: int) -> None:
        """Make later work of one stream wait for the earlier work of another.

        Parameters
        ----------
        before : int
            Handle of the stream that is waited for.
        after : int
            Handle of the stream that waits.
        """

    def part(self) -> None:
        """Call the retired functions that nothing waits for."""

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""

    def allocate(self, nbytes: int) -> int:
        """Return new memory."""

    def free(self, address: int) -> None:
        """Give memory back that no work uses any more."""


class StreamDevice(WorkingDevice, Protocol):
    """The device of a stream."""

    #: The driver's own functions, for what PyCUDA has not.
    bindings: Any
    identity: str
    #: The name by which settings know it.
    label: str
    kernels: DeviceKernels
    memory: DeviceMemory

    def copy_from(self, peer: Any, stream: DriverStream, to: int, source: int, nbytes: int) -> None:
        """Queue a copy from another device's memory.

        Parameters
        ----------
        peer : Device
            Whose memory it is.
        stream : object
            PyCUDA's, of this device.
        to, source : int
            Addresses on this device, and on the other.
        nbytes : int
            How much.
        """

    @property
    def staging(self) -> _Staging:
        """Return the buffers through which large arrays are copied."""

    def current(self) -> AbstractContextManager[None]:
        """Make the device's context that of this thread inside a ``with``."""


class MemorySource(Protocol):
    """Lends memory of a device."""

    def allocate(
        self, nbytes: int, limit: int = 0, origin: tuple[str, int] | None = None
    ) -> DeviceBlock:
        """Return new memory.

        Parameters
        ----------
        nbytes : int
            How much.
        limit : int, optional
            Bytes that lazyarr may have of the device after this; 0 means no limit.
        origin : tuple of (str, int), optional
            The user's line that needs it, for errors.
        """


class _Chains(Protocol):
    def add(self, item: Any, /) -> None:
        """Add a chain."""


class ChainStream(Protocol):
    """The stream in which kernels are queued immediately."""

    handle: int

    @property
    def device(self) -> RetiringDevice:
        """Return the device of the stream."""

    @property
    def chains(self) -> _Chains:
        """Return the chains that are to be closed with the stream."""

    def counters(self, count: int, limit: int = 0) -> int:
        """Return the address of counters that are 0.

        Parameters
        ----------
        count : int
            How many uint32 counters.
        limit : int, optional
            Bytes that lazyarr may have of the device after this; 0 means no limit.
        """


class _Identified(Protocol):
    identity: str


class LibraryStream(Protocol):
    """The stream that NVIDIA's libraries work in."""

    handle: int

    @property
    def device(self) -> _Identified:
        """Return the device of the stream."""

    @property
    def pool(self) -> MemorySource:
        """Return the source of memory."""

    def current(self) -> AbstractContextManager[None]:
        """Make the device's context that of this thread inside a ``with``."""

    def synchronize(self) -> None:
        """Wait for all work."""


class WorkStream(Protocol):
    """The queue of a library step: a stream, or the recorder of a graph."""

    @property
    def compile(self) -> Callable[[Source, Config], DeviceFunction]:
        """Return the function that compiles and loads kernels."""

    @property
    def pool(self) -> MemorySource:
        """Return the source of memory."""

    def clear(self, address: int, nbytes: int) -> None:
        """Queue filling with zeros.

        Parameters
        ----------
        address : int
            On the device.
        nbytes : int
            How much.
        """

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Queue a copy to the device.

        Parameters
        ----------
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8; it may be written on return.
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

    def seconds(self, series: Sequence[Callable[[], None]]) -> list[float]:
        """Return the device's time, in seconds, for the work that each function queues."""

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device.

        Parameters
        ----------
        to, source : int
            Addresses on the device; the memory does not overlap.
        nbytes : int
            How much.
        """

    def launch(
        self, function: DeviceFunction, blocks: int, threads: int, args: Sequence[Any]
    ) -> None:
        """Queue a kernel.

        Parameters
        ----------
        function : DeviceFunction
            The kernel.
        blocks, threads : int
            Its grid.
        args : sequence of int or float
            One a parameter; addresses are integers.
        """
