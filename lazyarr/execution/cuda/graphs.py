"""Graphs of a plan: all its steps queued together, for repeated addresses and numbers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from lazyarr.errors import DeviceError, DeviceMemoryError
from lazyarr.execution.cuda.bounds_reports import without_leaves
from lazyarr.execution.cuda.graph_replay import Replay
from lazyarr.execution.cuda.memory import DeviceRun, GraphKey, RunMemory, RunRequest
from lazyarr.execution.cuda.recorded_run import RecordedRun, RecordedRuns
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_array import DeviceArray
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.graph import Graph
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["GraphCache"]


class GraphCache:
    """The graphs of one plan.

    Parameters
    ----------
    device : Device
        Where they run.
    memory : RunMemory
        The plan's memory.
    replayable : bool
        Whether graphs may be made.
    noted : bool, optional
        Whether replays may be noted beside a plan's leaves, to be queued by whoever comes next:
        not where devices have to meet before.

    Attributes
    ----------
    replayable : bool
        Whether graphs may be made: false from the first on that could not be.
    graphs : dict
        The graphs by leaves and numbers, then by memory of its own.
    runs : dict
        How often runs came that may become a graph.
    mark : object
        What replays of this plan are known by, where they are noted beside its leaves.
    """

    def __init__(
        self, device: Device, memory: RunMemory, *, replayable: bool, noted: bool = True
    ) -> None:
        self.replayable = replayable
        self._device = device
        self._is_noted = noted
        self._memory = memory
        self.mark = object()
        self.runs: dict[object, int] = {}
        self.graphs: dict[GraphKey, RecordedRuns] = {}

    def launch(self, request: RunRequest) -> list[DeviceArray] | None:
        """Replay the graph for these leaves and numbers; None if there is none.

        Parameters
        ----------
        request : RunRequest
            The run.
        """
        if request.graph_key is None or not self.graphs or request.bindings.notes:
            return None
        graphs = self.graphs.get(request.graph_key)
        if graphs is None:
            return None
        results = self._replay(request.stream, request.bindings, graphs).launch()
        if results is not None:
            self._note(request.stream, request.bindings, graphs)
        return results

    def recorded(
        self, run: DeviceRun, graph_key: GraphKey, record: Callable[[Recorder], None]
    ) -> RecordedRun | None:
        """Return the graph of all steps of a run, if their like came often; else None.

        Parameters
        ----------
        run : DeviceRun
            The memory.
        graph_key : tuple
            What a graph depends on.
        record : callable
            Queues all steps, to be recorded.
        """
        graphs = self.graphs.get(graph_key, {})
        graph = graphs.get(run.own)
        if graph is None:
            graph = self._captured(run, graph_key, record)
            graphs = self.graphs.get(graph_key, {})
        if graph is not None and run.stream.partner is None:
            self._note(run.stream, run.bindings, graphs)
        return graph

    def _captured(
        self, run: DeviceRun, graph_key: GraphKey, record: Callable[[Recorder], None]
    ) -> RecordedRun | None:
        """Return the graph of a run that came so often that it will come again."""
        if not self.comes_again(graph_key, run.own):
            return None
        graph = self._record_in_pad(run, record)
        if graph is None:
            self.replayable = False
            return None
        if sum(map(len, self.graphs.values())) >= tuning.row().replays:
            self.forget()
        # The report that the kernels write to stays with the graph.
        recorded = RecordedRun(graph, self._memory.bounds, run.report)
        run.report = None
        self.graphs.setdefault(graph_key, {})[run.own] = recorded
        return recorded

    def comes_again(self, graph_key: GraphKey, own: tuple[int, ...]) -> bool:
        """Count a run; return whether its like came so often that it will come again.

        Parameters
        ----------
        graph_key : tuple
            What a graph of it depends on.
        own : tuple of int
            The addresses of its own blocks.
        """
        key = (graph_key, own)
        # Memory moves between the first runs; what came twice will come again.
        before = self.runs.get(key, 0)
        if before + 1 >= tuning.row().runs_before_replay:
            return True
        if len(self.runs) > tuning.row().replays:
            self.runs.clear()
        self.runs[key] = before + 1
        return False

    def forget(self) -> None:
        """Let the next run queue its steps one by one. Any thread may call this."""
        for graphs in list(self.graphs.values()):
            graphs.clear()  # notes have them, too
        self.graphs = {}

    def record(self, run: DeviceRun, record: Callable[[Recorder], None]) -> Graph | None:
        """Return a graph of all steps in the memory of a run; None if there can be none.

        Parameters
        ----------
        run : DeviceRun
            The memory.
        record : callable
            Queues all steps, to be recorded.
        """
        with suppress(DeviceError):  # what is wrong, if anything is, the plain run says
            return run.stream.capture(record)
        return None

    def _record_in_pad(self, run: DeviceRun, record: Callable[[Recorder], None]) -> Graph | None:
        """Return a graph as :meth:`record` does, its arena in the stream's pad if it fits."""
        if not self._memory.padded:
            return self.record(run, record)
        plain = list(run.addresses)
        try:
            self._memory.place_arena(run.addresses, run.stream.pad(run.limit))
            return self.record(run, record)
        except DeviceMemoryError:
            return None  # no room for it
        finally:
            run.addresses[:] = plain

    def _note(self, stream: DeviceStream, bindings: Bindings, graphs: RecordedRuns) -> None:
        """Enable the direct replay of an equal run, unless it has to wait for other streams."""
        if not self._is_noted or bindings.notes is None:
            return
        if all(_lies_in(stream, leaf) for leaf in bindings.leaves):
            bindings.notes[stream] = self._replay(stream, without_leaves(bindings), graphs)

    def _replay(self, stream: DeviceStream, bindings: Bindings, graphs: RecordedRuns) -> Replay:
        memory = self._memory
        requests = memory.requests(bindings)[memory.padded :]
        views = memory.own_views
        return Replay(self.mark, self._device, stream, graphs, bindings, requests, views)


def _lies_in(stream: DeviceStream, leaf: Node) -> bool:
    array = getattr(leaf.attr, "device_array", None)
    return array is not None and array.queue is stream
