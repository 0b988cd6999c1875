"""Memory of a stream: its allocations, and copies that are queued in it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from lazyarr.core.addresses import extent
from lazyarr.core.device_group import DeferredChecks
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.deferred_reports import DeferredReports
from lazyarr.runtime.cuda.device_array import DeviceArray, DeviceBlock, Queue, array_at
from lazyarr.runtime.cuda.interfaces import DriverStream, StreamDevice
from lazyarr.runtime.cuda.memory_pool import DevicePool

__all__ = ["StreamMemory"]


class StreamMemory(Queue):
    """The memory and the copies of one stream, which is made by its subclass."""

    device: StreamDevice
    stream: DriverStream
    pool: DevicePool
    #: Of work that is exchanged with other devices, to be made when results are read.
    checks: DeferredChecks | None
    deferred: DeferredReports
    _cuda: Any
    _lock: threading.Lock
    #: The last is handed out: kernels in the stream may be counting with those before it.
    _counters: list[DeviceBlock]
    _pad: DeviceBlock | None

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""
        return int(self.device.allocate(nbytes))

    def free(self, address: int) -> None:
        """Give memory back, once all work in this stream is done."""
        self.synchronize()
        self.device.free(address)

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Queue a copy of a flat array of bytes to the device; it may be written on return.

        Parameters
        ----------
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8.
        """
        staging = self.device.staging
        if host.nbytes >= staging.least:
            staging.upload(self.stream, address, host)
            return
        with self.device.current():
            self._cuda.memcpy_htod_async(address, host, self.stream)

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work in this stream, and copy to a flat array of bytes.

        Parameters
        ----------
        host : numpy.ndarray
            Flat, of uint8.
        address : int
            Where from, on the device.
        """
        reached = self.ticket() if self.deferred.pending else 0
        staging = self.device.staging
        if host.nbytes >= staging.least:
            staging.download(self.stream, host, address)
        else:
            with self.device.current():
                self._cuda.memcpy_dtoh_async(host, address, self.stream)
                self.stream.synchronize()
        if reached:
            self.deferred.settle(reached)
        if self.checks is not None:
            self.checks.settle_all()

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device; the context must be current.

        Parameters
        ----------
        to, source : int
            Addresses on the device; the memory does not overlap.
        nbytes : int
            How much.
        """
        if nbytes:
            self._cuda.memcpy_dtod_async(to, source, nbytes, self.stream)

    def copy_from(self, other: Queue, to: int, source: int, nbytes: int) -> None:
        """Queue a copy of memory of another stream's device, which may be this one.

        Parameters
        ----------
        other : Queue
            The other stream.
        to, source : int
            Addresses on this device, and on that of `other`.
        nbytes : int
            How much.
        """
        if not nbytes:
            return
        device: Any = other.device  # type: ignore[attr-defined]
        if device is not self.device:
            self.device.copy_from(device, self.stream, to, source, nbytes)
            return
        with self.device.current():
            self.copy(to, source, nbytes)

    def clear(self, address: int, nbytes: int) -> None:
        """Queue filling with zeros; the context must be current.

        Parameters
        ----------
        address : int
            On the device.
        nbytes : int
            How much.
        """
        self._cuda.memset_d8_async(address, 0, nbytes, self.stream)

    def duplicate(
        self, array: DeviceArray, limit: int = 0, origin: tuple[str, int] | None = None
    ) -> DeviceArray:
        """Return a copy in new memory of this stream's pool, with the same strides.

        Parameters
        ----------
        array : DeviceArray
            On this device or another; what computes it is waited for.
        limit : int, optional
            Bytes that lazyarr may have of the device after this; 0 means no limit.
        origin : tuple of (str, int), optional
            The user's line that needs it, for errors.
        """
        array.refuse_wrong()
        low, high = extent(array.shape, array.strides, array.itemsize)
        block = self.pool.allocate(high - low, limit, origin)
        if array.queue is not self:
            array.cross(self)
        self.copy_from(array.queue, block.address, array.address + low, high - low)
        address = block.address - low
        ticket = self.ticket()
        return array_at(address, array.shape, array.dtype, array.strides, block, self, ticket)

    def counters(self, count: int, limit: int = 0) -> int:
        """Return the address of uint32 counters that are 0; kernels leave them so.

        Parameters
        ----------
        count : int
            How many.
        limit : int, optional
            Bytes that lazyarr may have of the device after this; 0 means no limit.
        """
        known = self._counters
        if known and known[-1].nbytes >= 4 * count:
            return known[-1].address
        with self._lock:
            known = self._counters
            if not known or known[-1].nbytes < 4 * count:
                block = self.pool.allocate(4 * max(count, tuning.row().counters), limit)
                with self.device.current():
                    self.clear(block.address, block.nbytes)
                known.append(block)
            return known[-1].address

    def pad(self, limit: int = 0) -> int:
        """Return the address of ``pad_bytes`` of the tuning row for intermediates of graphs.

        They run one after another, each as a whole, so all of them may use the same memory. Kernels
        that threads queue one by one may not. `limit` is as of the pool's.
        """
        if self._pad is None:
            with self._lock:
                if self._pad is None:
                    self._pad = self.pool.allocate(tuning.row().pad_bytes, limit)
        return self._pad.address
