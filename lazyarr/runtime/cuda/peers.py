"""Copies between GPUs of one host."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any

from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda.interfaces import DriverStream
from lazyarr.runtime.cuda.launch_batch import driver_library

__all__ = ["Peers", "number_at"]


def number_at(address: int) -> int:
    """Return the number of the device whose memory an address lies in.

    Raises
    ------
    DeviceError
        If the driver does not know the address.
    """
    number, device_ordinal = ctypes.c_int(), 9  # the driver's number of the attribute
    pointer = ctypes.c_uint64(address)
    # The bindings' call answers 0 for memory of any device.
    status = driver_library().cuPointerGetAttribute(ctypes.byref(number), device_ordinal, pointer)
    if status:
        raise DeviceError(f"address {address:#x} is in no GPU's memory: the driver says {status}")
    return number.value


class Peers:
    """The other GPUs, whose memory one GPU reads.

    Parameters
    ----------
    cuda : module
        ``pycuda.driver``.
    context : object
        PyCUDA's context of the GPU that reads.
    """

    def __init__(self, cuda: Any, context: Any) -> None:
        self._cuda = cuda
        self._context = context
        self._reachable: list[Any] = []

    def copy(self, peer: Any, stream: DriverStream, to: int, source: int, nbytes: int) -> None:
        """Queue a copy from another GPU's memory; the reader's context must be current.

        Parameters
        ----------
        peer : object
            PyCUDA's context of the other GPU.
        stream : object
            PyCUDA's, of the GPU that reads.
        to, source : int
            Addresses on this GPU, and on the other.
        nbytes : int
            How much.
        """
        if not any(context is peer for context in self._reachable):
            self._reachable.append(peer)
            # Where there is no access, the driver copies by way of the host.
            with suppress(self._cuda.Error):
                self._cuda.Context.enable_peer_access(peer)
        self._cuda.memcpy_peer_async(to, source, nbytes, self._context, peer, stream)
