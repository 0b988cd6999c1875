"""Reports of kernels on indices that are out of bounds, in page-locked memory of the host.

Kernels write there only if an index is out of bounds, and zeros are put back then. So a run clears
nothing on the device and copies nothing from it: once the host has waited for the stream, it looks.
A run that is queued at once is waited for when its results are read, or given to others
(:mod:`lazyarr.runtime.cuda.deferred_reports`).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from lazyarr.execution.fp_errors.status import Reports
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda.interfaces import RetiringDevice, TransferDevice

__all__ = ["BoundsReport", "BoundsReports", "Waits", "without_leaves"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def without_leaves(bindings: Bindings) -> Bindings:
    """Return bindings for errors only, which do not keep the memory of the leaves."""
    return Bindings(bindings.order, [], [], bindings.lines)


class Waits(Protocol):
    """A stream, or a place in one."""

    def synchronize(self) -> None:
        """Wait for all work."""


class _Device(TransferDevice, RetiringDevice, Protocol):
    """A device that has page-locked memory, and takes it back."""


class BoundsReport:
    """The memory of one run's report.

    Attributes
    ----------
    address : int
        Where it lies, for the host and for the device.
    memory : numpy.ndarray
        Of uint8.
    """

    __slots__ = ("address", "memory")

    def __init__(self, memory: Bytes) -> None:
        memory.fill(0)
        self.memory = memory
        self.address: int = memory.ctypes.data


class BoundsReports:
    """The reports of the runs of one plan. Thread-safe.

    Parameters
    ----------
    device : Device
        Has page-locked memory.
    status : Reports
        What lies where in a report.
    """

    def __init__(self, device: _Device, status: Reports) -> None:
        self._device = device
        self._status = status
        self._idle: list[BoundsReport] = []
        self._clean: bytes | None = None

    def __del__(self) -> None:
        # Any thread may drop a plan, but only one in which the context is current gives
        # page-locked memory back.
        if self._idle:
            self._device.retire(self._idle.clear)

    def take(self) -> BoundsReport:
        """Return a report without entries, for one run; the context must be current."""
        try:
            return self._idle.pop()
        except IndexError:
            return BoundsReport(self._device.page_locked(self._status.nbytes))

    def give_back(self, report: BoundsReport) -> None:
        """Take the memory of a run back that did not begin, or whose report was read."""
        self._idle.append(report)

    def check(self, report: BoundsReport, stream: Waits, bindings: Bindings) -> None:
        """Do as :meth:`look`, and take the memory back.

        Parameters
        ----------
        report, stream, bindings
            As those of :meth:`look`.
        """
        try:
            self.look(report, stream, bindings)
        finally:
            self.give_back(report)

    def look(self, report: BoundsReport, stream: Waits, bindings: Bindings) -> None:
        """Wait for a run, and raise its reported errors.

        Parameters
        ----------
        report : BoundsReport
            Of the run.
        stream : DeviceStream
            Where it was queued.
        bindings : Bindings
            Its leaves and scalars.

        Raises
        ------
        IndexingError
            An index was out of bounds.
        """
        stream.synchronize()
        self.read(report, bindings)

    def is_clean(self, report: BoundsReport) -> bool:
        """Return whether nothing is reported by now."""
        if self._clean is None:
            self._clean = bytes(report.memory.nbytes)
        return report.memory.tobytes() == self._clean

    def read(self, report: BoundsReport, bindings: Bindings) -> None:
        """Raise the error that a finished run reports.

        Parameters
        ----------
        report, bindings
            As those of :meth:`look`.

        Raises
        ------
        IndexingError
            An index was out of bounds.
        """
        if not self.is_clean(report):
            data = report.memory.tobytes()
            report.memory.fill(0)
            self._status.check_bounds(data, bindings)

    def close(self, report: BoundsReport, bindings: Bindings) -> None:
        """Do as :meth:`read`, and take the memory back.

        Parameters
        ----------
        report, bindings
            As those of :meth:`look`.
        """
        try:
            self.read(report, bindings)
        finally:
            self.give_back(report)
