"""Whole arrays on their way between the host's memory and a GPU's."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.core.shapes import contiguous_strides
from lazyarr.runtime.cuda.device_array import DeviceArray, array_at
from lazyarr.runtime.cuda.streams import DeviceStream
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = ["to_device", "to_host"]

Array = np.ndarray[Any, Any]


def to_host(value: DeviceArray, out: Array | None = None) -> Array:
    """Return a copy in the host's memory; waits for the work in the array's stream.

    Parameters
    ----------
    value : DeviceArray
        The array.
    out : numpy.ndarray, optional
        Where to write it, of the same shape and dtype; default: pages that were used before, in C
        order.
    """
    if out is not None:
        value.verify()  # before it is written to
    if value.strides != contiguous_strides(value.shape, value.itemsize):
        host = value.get()
        if out is None:
            return np.array(host, order="C")
        np.copyto(out, host)
        return out
    target = out
    if target is None or not target.flags.carray or not target.dtype.isnative:
        nbytes = prod(value.shape) * value.itemsize
        if nbytes < SMALL:
            target = np.empty(value.shape, value.dtype)
        else:
            target = pool.allocate(nbytes).array(value.shape, value.dtype)
    if target.size:
        value.queue.download(target.reshape(-1).view(np.uint8), value.address)
        value.refuse_wrong()
    if out is not None and target is not out:
        np.copyto(out, target)
        return out
    return target


def to_device(
    queue: DeviceStream, host: Array, limit: int = 0, origin: tuple[str, int] | None = None
) -> DeviceArray:
    """Return a copy in a GPU's memory, in C order; `host` may be written on return.

    Parameters
    ----------
    queue : DeviceStream
        Where the copy is queued.
    host : numpy.ndarray
        The array.
    limit : int
        Bytes that lazyarr may hold of the device; 0 means no limit.
    origin : tuple of (str, int), optional
        The user's line, for errors.

    Raises
    ------
    DeviceMemoryError
        If there is no room.
    """
    with queue.device.current():
        queue.device.part()
        block = queue.pool.allocate(host.nbytes, limit, origin)
        if host.nbytes:
            queue.upload(block.address, np.ascontiguousarray(host).reshape(-1).view(np.uint8))
    steps = contiguous_strides(host.shape, host.itemsize)
    return array_at(block.address, host.shape, host.dtype, steps, block, queue, queue.ticket())
