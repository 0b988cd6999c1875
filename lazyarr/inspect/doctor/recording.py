"""Listening to the evaluations of a script, and summing them up by line."""

from __future__ import annotations

import contextvars
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin
from lazyarr.execution.fp_errors.diagnosis import Written, written_as
from lazyarr.graph.node import Kind, Node
from lazyarr.inspect.doctor.eager_run import eager_seconds
from lazyarr.inspect.doctor.lines import LibraryCall, LineReport
from lazyarr.inspect.eager_cost import bytes_by_operation
from lazyarr.inspect.explaining import explain_program
from lazyarr.inspect.labels import operation_text
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime import run_log
from lazyarr.runtime.run_log import RetraceRecord, RunRecord, StepRecord

if TYPE_CHECKING:
    from lazyarr.compiler.program import ObservedPlan
    from lazyarr.schedule.fusion import Group

__all__ = ["Recording"]

_UNKNOWN: Origin = ("<unknown>", 0)


@dataclass(frozen=True, eq=False, slots=True)
class _PlanFacts:
    """Facts of a plan, collected at its first run.

    Attributes
    ----------
    written : dict
        By computed node, the user's operations and their positions.
    reasons : mapping of str to str
        By the name of a library step, why no kernel does it.
    eager_bytes : mapping of Node to int
        Bytes that NumPy moves for each operation.
    eager_seconds : mapping of Node to float, optional
        Seconds that NumPy takes for each; None if it was not measured.
    """

    written: Written
    reasons: Mapping[str, str]
    eager_bytes: Mapping[Node, int]
    eager_seconds: Mapping[Node, float] | None


class Recording:
    """The sums of a script's evaluations, by line.

    Attributes
    ----------
    lines : dict of (str, int) to LineReport
        By file and line.
    spent : float
        Seconds that the recording itself took, such as for running NumPy.
    unmeasured : int
        Plans that NumPy did not run.
    """

    def __init__(self) -> None:
        self.lines: dict[Origin, LineReport] = {}
        self.spent = 0.0
        self.unmeasured = 0
        self._facts: dict[int, tuple[object, _PlanFacts]] = {}
        self._run = 0
        self._seen: weakref.WeakKeyDictionary[Node, int] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Listen inside a ``with`` block: to this thread, and to threads that it starts."""
        with run_log.listen(self._add), run_log.listen_for_retraces(self._add_retrace):
            context = contextvars.copy_context()
            run = threading.Thread.run

            def run_listening(self: threading.Thread) -> None:
                context.copy().run(run, self)

            # Threads begin with no context of their own before Python 3.14.
            setattr(threading.Thread, "run", run_listening)  # noqa: B010 - a method of theirs
            try:
                yield
            finally:
                setattr(threading.Thread, "run", run)  # noqa: B010

    def _line(self, origin: Origin | None) -> LineReport:
        file, line = origin or _UNKNOWN
        entry = self.lines.get((file, line))
        if entry is None:
            entry = self.lines[file, line] = LineReport(file, line)
        return entry

    def _add_retrace(self, record: RetraceRecord) -> None:
        with self._lock:
            self._line(record.origin).retraced[record.name, record.reason, record.hint] += 1

    def _add(self, record: RunRecord) -> None:
        started = time.perf_counter()
        with self._lock:
            self._run += 1
            entry = self._line(record.origin)
            entry.evaluations += 1
            entry.evaluated_bytes += sum(s.bytes_read + s.bytes_written for s in record.steps)
            if record.asked is not None:
                entry.forced[record.asked] += 1
            entry.compiled += record.compiled
            compiling = record.compile_seconds + record.trace_seconds
            entry.compile_seconds += compiling
            steps = sum(step.seconds for step in record.steps)
            entry.overhead_seconds += max(0.0, record.seconds - compiling - steps)
            plan, bindings = record.plan, record.bindings
            if plan is not None and isinstance(bindings, Bindings):
                with run_log.suspended():
                    self._add_steps(record, plan, bindings)  # type: ignore[arg-type]
            else:
                for step in record.steps:
                    _add_step(entry, step)
            self.spent += time.perf_counter() - started

    def _add_steps(self, record: RunRecord, plan: ObservedPlan, bindings: Bindings) -> None:
        facts = self._facts_of(plan, bindings)
        asked = record.origin
        known = list(record.steps)
        for group_step, step in zip(plan.program.plan.steps, known, strict=False):
            group = group_step.group
            operations = _operations(group, facts.written, bindings)
            entry = self._line(_result_line(group, facts.written, bindings) or asked)
            _add_step(entry, step)
            if group.kind == "kernel":
                named = tuple((name, 0 if line is None else line[1]) for name, line in operations)
                entry.fused[group.name, named] += 1
            else:
                name = operation_text(group.outputs[0].node)
                reason = facts.reasons.get(group.name, "a library does it on the GPU")
                call = entry.library.setdefault((name, reason), LibraryCall())
                call.count += 1
                call.seconds += step.seconds
                call.bytes += step.bytes_read + step.bytes_written
        for node, position in plan.positions.items():
            moved = facts.eager_bytes.get(node, 0)
            seconds = 0.0 if facts.eager_seconds is None else facts.eager_seconds.get(node, 0.0)
            if (moved or seconds) and self._is_new(bindings, position):
                entry = self._line(bindings.origin(position) or asked)
                entry.eager_bytes += moved
                entry.eager_seconds += seconds

    def _is_new(self, bindings: Bindings, position: int) -> bool:
        """Return whether no evaluation before has computed a value: NumPy computes it once."""
        if not bindings.order:
            return True  # a call of a jitted function: its values are new ones
        node = bindings.order[position]
        count = self._seen.setdefault(node, self._run)
        return count == self._run

    def _facts_of(self, plan: ObservedPlan, bindings: Bindings) -> _PlanFacts:
        known = self._facts.get(id(plan))
        if known is not None:
            return known[1]
        program = plan.program
        explanation = explain_program(program)
        seconds = eager_seconds(program.raw, bindings)
        self.unmeasured += seconds is None
        facts = _PlanFacts(
            written_as(program.final, plan.positions),
            {step.name: step.reason for step in explanation.library_calls},
            bytes_by_operation(program.raw),
            seconds,
        )
        self._facts[id(plan)] = plan, facts  # the plan is kept, so that its id stays its own
        return facts


def _add_step(entry: LineReport, step: StepRecord) -> None:
    entry.seconds += step.seconds
    entry.bytes += step.bytes_read + step.bytes_written


def _operations(
    group: Group, written: Written, bindings: Bindings
) -> list[tuple[str, Origin | None]]:
    """Return the user's operations that a group computes, in order, with their lines."""
    nodes = dict.fromkeys([*group.nodes, *(output.node for output in group.outputs)])
    operations = []
    for node in nodes:
        for op, position in written.get(node, ()):
            if op.kind not in (Kind.VIEW, Kind.RESHAPE):
                operations.append((op.name, bindings.origin(position)))
    return operations


def _result_line(group: Group, written: Written, bindings: Bindings) -> Origin | None:
    """Return the line that wrote a group's result; else that of one of its operations."""
    outputs = [output.node for output in group.outputs]
    for node in (*outputs, *reversed(group.nodes)):
        for _, position in reversed(written.get(node, ())):
            line = bindings.origin(position)
            if line is not None:
                return line
    return None
