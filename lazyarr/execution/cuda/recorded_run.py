"""Graphs of a plan's steps with the memory that their kernels report to."""

from __future__ import annotations

import functools
from typing import TypeAlias

from lazyarr.execution.cuda.bounds_reports import (
    BoundsReport,
    BoundsReports,
    Waits,
    without_leaves,
)
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda.graph import Graph
from lazyarr.runtime.cuda.launch_batch import not_launched
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["RecordedRun", "RecordedRuns"]


class RecordedRun:
    """All steps of a plan at fixed addresses, queued by one call of the driver.

    Indices that are out of bounds are reported to memory of the graph's own, which is read once the
    host waits for the stream, for all the times that it was queued by then.

    Parameters
    ----------
    graph : Graph
        The steps.
    bounds : BoundsReports, optional
        The reports of the plan, if its kernels check indices.
    report : BoundsReport, optional
        That of the graph.
    """

    __slots__ = ("_bounds", "_graph", "_report")

    def __init__(
        self, graph: Graph, bounds: BoundsReports | None, report: BoundsReport | None
    ) -> None:
        self._graph = graph
        self._bounds = bounds
        self._report = report

    def queue(self, stream: DeviceStream, bindings: Bindings) -> int:
        """Queue the steps; where kernels check indices, their report is read later.

        Parameters
        ----------
        stream : DeviceStream
            That of the graph.
        bindings : Bindings
            With the user's lines, for errors.

        Returns
        -------
        int
            The ticket of the results.

        Raises
        ------
        DeviceError
            If the driver refuses the launch.
        """
        if self._bounds is None or self._report is None:
            self.launch()
            return stream.ticket()
        if not self._bounds.is_clean(self._report):
            stream.synchronize()  # reads it
        after = stream.ticket()
        self.launch()
        look = functools.partial(self._bounds.read, self._report, without_leaves(bindings))
        return stream.deferred.add(self, after, look)

    def launch(self) -> None:
        """Queue the steps; the caller has to read the report."""
        status = self._graph.launch()
        if status:
            raise not_launched(status)

    def look(self, stream: Waits, bindings: Bindings) -> None:
        """Wait and read the report, if kernels check indices.

        Parameters
        ----------
        stream : DeviceStream or StreamMark
            That of the graph, or a place in it behind the steps.
        bindings : Bindings
            With the user's lines, for errors.
        """
        if self._bounds is not None and self._report is not None:
            self._bounds.look(self._report, stream, bindings)


#: By the addresses of a run's own blocks.
RecordedRuns: TypeAlias = dict[tuple[int, ...], RecordedRun]
