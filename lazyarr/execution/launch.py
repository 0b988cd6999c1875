"""Ways to launch a plan, and the description of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ParamSpec, Protocol, TypeVar

from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import LazyarrError
from lazyarr.graph.node import Node
from lazyarr.runtime import run_log

__all__ = ["LaunchStrategy", "RunReporter", "blame"]

P = ParamSpec("P")
ResultT = TypeVar("ResultT", covariant=True)


class LaunchStrategy(Protocol[P, ResultT]):
    """One way to launch the steps of a plan.

    An executor has several, the one with the least work for the host first, and takes the first
    that serves a run.
    """

    def launch(self, *args: P.args, **keywords: P.kwargs) -> Sequence[ResultT] | None:
        """Return the results of a run; None: it needs another way, and nothing was launched."""


class RunReporter:
    """Reports the runs of a plan to profilers.

    Parameters
    ----------
    planned_peak : int
        Bytes of buffers live at once, as the memory plan has it.
    trace_seconds : float
        Time from the expression to the plan.
    observed : object, optional
        The compiler's description of the plan.

    Attributes
    ----------
    compiled : int
        Kernels that had to be compiled.
    compile_seconds : float
        Time that this took; the executor counts it.
    first_run : bool
        Whether the plan has not run yet: compiling is part of its first run.
    """

    __slots__ = (
        "compile_seconds",
        "compiled",
        "first_run",
        "observed",
        "planned_peak",
        "trace_seconds",
    )

    def __init__(self, planned_peak: int, trace_seconds: float, observed: object = None) -> None:
        self.planned_peak = planned_peak
        self.trace_seconds = trace_seconds
        self.observed = observed
        self.compiled = 0
        self.compile_seconds = 0.0
        self.first_run = True

    def publish(
        self,
        records: Sequence[run_log.StepRecord],
        measured_peak: int,
        seconds: float,
        bindings: object = None,
        elsewhere: int = 0,
    ) -> None:
        """Publish the record of a run.

        Parameters
        ----------
        records : sequence of StepRecord
            Its steps.
        measured_peak : int
            Bytes that it held at most.
        seconds : float
            What it took.
        bindings : Bindings, optional
            The arrays, scalars and lines of the run.
        elsewhere : int
            Bytes of results that are written to memory of the caller's.
        """
        first = self.first_run
        run_log.publish(
            run_log.RunRecord(
                tuple(records),
                self.planned_peak - elsewhere,
                measured_peak,
                self.compiled if first else 0,
                self.compile_seconds if first else 0.0,
                self.trace_seconds if first else 0.0,
                seconds + (self.compile_seconds + self.trace_seconds if first else 0.0),
                origin(),
                run_log.asked_by(),
                self.observed,
                bindings,
            )
        )


def blame(error: Exception, node: Node, line: Origin | None) -> None:
    """Add to an error the user's line that built the node which failed.

    Parameters
    ----------
    error : Exception
        What a step raised. It is changed in place.
    node : Node
        The node that the step computes.
    line : tuple of (str, int) or None
        The user's file and line; None: nothing is added.
    """
    if line is None:
        return
    if isinstance(error, LazyarrError) and error.origin is None:
        error.origin = line
    else:
        error.add_note(f"in {node.op.name}, built at {line[0]}:{line[1]}")
