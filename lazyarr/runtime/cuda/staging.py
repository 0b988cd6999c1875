"""Copies between the host and a GPU through page-locked buffers that are used again and again.

The bus is idle while one thread copies pages into a buffer, so a few threads do, each with buffers
of its own: while one of its buffers travels, the thread fills the next.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.interfaces import DriverStream, TransferDevice

__all__ = ["Staging"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_ROW = tuning.row()
_CHUNK, _BUFFERS, _THREADS = _ROW.staging_bytes, _ROW.staging_buffers, _ROW.staging_threads


class _Lane:
    """The buffers of one thread, each with the event that ends its last journey."""

    def __init__(self, device: TransferDevice) -> None:
        self.buffers: list[Bytes] = [device.page_locked(_CHUNK) for _ in range(_BUFFERS)]
        self.events = [device.event() for _ in range(_BUFFERS)]


class Staging:
    """Page-locked buffers of a device.

    Parameters
    ----------
    device : Device
        Has ``page_locked``, ``event``, ``current``, ``send`` and ``receive``.
    """

    #: Copies below this go the plain way, which is as fast up to some 20 MiB.
    least = _ROW.staging_least

    def __init__(self, device: TransferDevice) -> None:
        self._device = device
        self._lanes: list[_Lane] = []
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of page-locked memory held."""
        return len(self._lanes) * _BUFFERS * _CHUNK

    def upload(self, stream: DriverStream, address: int, host: Bytes) -> None:
        """Queue a copy in a stream to the device; the host array may be written again on return.

        Parameters
        ----------
        stream : object
            PyCUDA's, where the copy is queued.
        address : int
            Where to, on the device.
        host : numpy.ndarray
            Flat, of uint8.
        """

        def move(lane: _Lane, slot: int, start: int, stop: int) -> None:
            buffer, event = lane.buffers[slot], lane.events[slot]
            event.synchronize()  # its last journey
            part = buffer[: stop - start]
            np.copyto(part, host[start:stop])
            self._device.send(stream, address + start, part)
            event.record(stream)

        self._run(host.nbytes, move, lambda lane, slot, start, stop: None)

    def download(self, stream: DriverStream, host: Bytes, address: int) -> None:
        """Wait for all work queued in a stream before, and copy to the host.

        Parameters
        ----------
        stream : object
            PyCUDA's.
        host : numpy.ndarray
            Flat, of uint8.
        address : int
            Where from, on the device.
        """

        def move(lane: _Lane, slot: int, start: int, stop: int) -> None:
            self._device.receive(stream, lane.buffers[slot][: stop - start], address + start)
            lane.events[slot].record(stream)

        def finish(lane: _Lane, slot: int, start: int, stop: int) -> None:
            lane.events[slot].synchronize()
            np.copyto(host[start:stop], lane.buffers[slot][: stop - start])

        self._run(host.nbytes, move, finish)

    def _run(
        self,
        nbytes: int,
        move: Callable[[_Lane, int, int, int], None],
        finish: Callable[[_Lane, int, int, int], None],
    ) -> None:
        """Work through chunks: a lane takes every so many, and finishes one an iteration later."""
        with self._lock:
            threads = self._opened()
            lanes = self._lanes

            def work(own: int) -> None:
                lane = lanes[own]
                waiting: list[tuple[int, int, int]] = []
                with self._device.current():
                    step = _CHUNK * len(lanes)
                    for number, start in enumerate(range(own * _CHUNK, nbytes, step)):
                        slot = number % _BUFFERS
                        if len(waiting) == _BUFFERS:
                            finish(lane, *waiting.pop(0))
                        stop = min(start + _CHUNK, nbytes)
                        move(lane, slot, start, stop)
                        waiting.append((slot, start, stop))
                    for piece in waiting:
                        finish(lane, *piece)

            waiting: list[Future[None]] = []
            for own in range(len(lanes)):
                try:
                    waiting.append(threads.submit(work, own))
                except RuntimeError:  # the interpreter is ending, and starts no threads any more
                    work(own)
            for done in waiting:
                done.result()

    def _opened(self) -> ThreadPoolExecutor:
        if self._threads is None:
            with self._device.current():
                self._lanes = [_Lane(self._device) for _ in range(_THREADS)]
            self._threads = ThreadPoolExecutor(_THREADS, "lazyarr-staging")
        return self._threads

    def close(self) -> None:
        """Give the buffers back; the context must be current and all work done."""
        with self._lock:
            if self._threads is not None:
                self._threads.shutdown()
            self._threads = None
            self._lanes = []
