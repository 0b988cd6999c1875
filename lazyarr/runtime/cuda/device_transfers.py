"""Memory of a GPU, as the driver lends it, and copies to, from and between GPUs."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from lazyarr.runtime.cuda.interfaces import DriverStream, TransferDevice
from lazyarr.runtime.cuda.peers import Peers, number_at

__all__ = ["DeviceTransfers"]


class DeviceTransfers(TransferDevice):
    """The driver's memory and copies of one GPU, which is opened by its subclass."""

    number: int
    count: int
    _cuda: Any
    _context: Any
    _allocations: dict[int, Any]
    _peers: Peers

    def current(self) -> AbstractContextManager[None]:
        """Return a context manager that makes the device's context that of this thread."""
        raise NotImplementedError

    def number_at(self, address: int) -> int:
        """Return the number of the device whose memory an address lies in."""
        return self.number if self.count == 1 else number_at(address)

    def page_locked(self, nbytes: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return memory of the host that the bus reads and writes by itself."""
        memory: np.ndarray[Any, np.dtype[np.uint8]] = self._cuda.pagelocked_empty(nbytes, np.uint8)
        return memory

    def event(self) -> Any:
        """Return a mark for a stream; the context must be current."""
        return self._cuda.Event(self._cuda.event_flags.DISABLE_TIMING)

    def send(self, stream: DriverStream, address: int, host: np.ndarray[Any, Any]) -> None:
        """Queue a plain copy to the device; the context must be current."""
        self._cuda.memcpy_htod_async(address, host, stream)

    def receive(self, stream: DriverStream, host: np.ndarray[Any, Any], address: int) -> None:
        """Queue a plain copy to the host; the context must be current."""
        self._cuda.memcpy_dtoh_async(host, address, stream)

    def copy_from(
        self, peer: DeviceTransfers, stream: DriverStream, to: int, source: int, nbytes: int
    ) -> None:
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
        with self.current():
            self._peers.copy(peer._context, stream, to, source, nbytes)

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""
        with self.current():
            try:
                memory = self._cuda.mem_alloc(nbytes)
            except self._cuda.MemoryError:
                return 0
        address = int(memory)
        self._allocations[address] = memory
        return address

    def free(self, address: int) -> None:
        """Give memory back that no work uses any more."""
        with self.current():
            self._allocations.pop(address).free()
