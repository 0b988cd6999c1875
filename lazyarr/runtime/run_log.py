"""The log of evaluations: written by the pipeline while recording is on, read by ``profile``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from lazyarr.core.frozen import dataclass

__all__ = [
    "RetraceRecord",
    "RunRecord",
    "StepRecord",
    "asked_by",
    "asking",
    "listen",
    "listen_for_retraces",
    "listeners",
    "listening",
    "publish",
    "publish_retrace",
    "suspended",
]


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of an evaluation.

    Attributes
    ----------
    name : str
        Of the kernel, or of the library operation.
    kind : {"kernel", "library", "copy"}
        What ran.
    seconds : float
        Wall time of the step; compilation is not in it.
    bytes_read, bytes_written : int
        Memory that the step has to move at least: each operand once, each result once.
    """

    name: str
    kind: str
    seconds: float
    bytes_read: int = 0
    bytes_written: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One evaluation.

    Attributes
    ----------
    steps : tuple of StepRecord
        In the order in which they ran.
    planned_peak, measured_peak : int
        Bytes of buffers live at once: as the memory plan has it, and as the pool counted it.
    compiled : int
        Kernels that had to be compiled; those found in a cache are not counted.
    compile_seconds : float
        Wall time of compiling or loading kernels.
    trace_seconds : float
        Wall time from the DAG to a plan: simplify, fuse, schedule, plan, lower and print.
    seconds : float
        Wall time of the whole call, everything above included; 0.0 if it was not measured.
    origin : tuple of (str, int), optional
        File and line that asked for the evaluation.
    asked : tuple of (str, str), optional
        Of an evaluation that nobody wrote: what asked for the value, such as ``float(x)``, and why
        it could not wait.
    plan, bindings : object, optional
        The compiler's description of the plan, and what filled it in this run.
    """

    steps: tuple[StepRecord, ...]
    planned_peak: int = 0
    measured_peak: int = 0
    compiled: int = 0
    compile_seconds: float = 0.0
    trace_seconds: float = 0.0
    seconds: float = 0.0
    origin: tuple[str, int] | None = None
    asked: tuple[str, str] | None = None
    plan: object = None
    bindings: object = None


@dataclass(frozen=True, slots=True)
class RetraceRecord:
    """A function that was traced again.

    Attributes
    ----------
    name : str
        Of the function.
    reason : str
        The guard that failed.
    origin : tuple of (str, int), optional
        File and line that read a size or a number, or that defines the function.
    hint : str
        The way to fewer traces.
    """

    name: str
    reason: str
    origin: tuple[str, int] | None
    hint: str = ""


Listener = Callable[[RunRecord], None]
RetraceListener = Callable[[RetraceRecord], None]

# A context variable, as for the settings: a profile sees the evaluations of its own thread or
# task, and one thread's profile costs the others nothing.
_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("lazyarr_run_listeners", default=())

_retrace_listeners: ContextVar[tuple[RetraceListener, ...]] = ContextVar(
    "lazyarr_retrace_listeners", default=()
)

_asked: ContextVar[tuple[str, str] | None] = ContextVar("lazyarr_asked", default=None)
#: Return what asks for the value that is computed now, and why it cannot wait; None: the user did.
asked_by = _asked.get


#: Return who wants the record of an evaluation started here: :func:`listening` without a call.
listeners = _listeners.get


def listening() -> bool:
    """Return whether anybody wants the record of an evaluation started here."""
    return bool(_listeners.get())


def publish(record: RunRecord) -> None:
    """Pass `record` to all listeners of this thread or task."""
    for listener in _listeners.get():
        listener(record)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Call `listener` with the record of every evaluation inside the ``with`` block."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)


@contextmanager
def asking(reason: str, why: str) -> Iterator[None]:
    """Set the cause in the records of evaluations inside the ``with`` block.

    Parameters
    ----------
    reason : str
        What asks for a value, such as ``float(x)``.
    why : str
        Why it cannot wait.
    """
    token = _asked.set((reason, why))
    try:
        yield
    finally:
        _asked.reset(token)


def publish_retrace(record: RetraceRecord) -> None:
    """Pass `record` to all listeners for traces of this thread or task."""
    for listener in _retrace_listeners.get():
        listener(record)


@contextmanager
def listen_for_retraces(listener: RetraceListener) -> Iterator[None]:
    """Call `listener` with the record of every trace made again inside the ``with`` block."""
    token = _retrace_listeners.set((*_retrace_listeners.get(), listener))
    try:
        yield
    finally:
        _retrace_listeners.reset(token)


@contextmanager
def suspended() -> Iterator[None]:
    """Report no evaluations inside the ``with`` block, which are part of another."""
    token = _listeners.set(())
    try:
        yield
    finally:
        _listeners.reset(token)
