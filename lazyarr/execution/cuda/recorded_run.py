"""Graphs of a plan's steps with the memory that their kernels report to."""

from __future__ import annotations

from typing import TypeAlias

from lazyarr.execution.cuda.bounds_reports import BoundsReport, BoundsReports, Waits
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda.graph import Graph
from lazyarr.runtime.cuda.launch_batch import not_launched
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["RecordedRun", "RecordedRuns"]


class RecordedRun:
    """All steps of a plan at fixed addresses, queued by one call of the driver.

    Indices that are out of bounds are reported to memory of the graph's own. Who queues the graph
    holds the blocks of its results until the report is read, so that no other thread queues the
    same graph meanwhile.

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

    def queue(self, stream: DeviceStream, bindings: Bindings) -> None:
        """Queue the steps; where kernels check indices, wait and read their report.

        Parameters
        ----------
        stream : DeviceStream
            That of the graph.
        bindings : Bindings
            With the user's lines, for errors.

        Raises
        ------
        DeviceError
            If the driver refuses the launch.
        IndexingError
            An index was out of bounds.
        """
        self.launch()
        self.look(stream, bindings)

    def launch(self) -> None:
        """Queue the steps; who does calls :meth:`look` with the results' blocks still in hand."""
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
