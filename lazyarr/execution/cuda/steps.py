"""Single steps of a run on a device, queued in a stream or recorded for a graph."""

from __future__ import annotations

from typing import Any

from lazyarr.execution.cuda.kernels import KernelCall, KernelLoader
from lazyarr.execution.cuda.library_steps import LibrarySteps
from lazyarr.execution.cuda.memory import DeviceRun
from lazyarr.execution.plan import CompiledStep
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["StepQueue"]


class StepQueue:
    """Queues single steps.

    Parameters
    ----------
    kernels : KernelLoader
        Compiles what takes addresses as they come.
    library : LibrarySteps
        Queues library steps.
    """

    __slots__ = ("_kernels", "_library")

    def __init__(self, kernels: KernelLoader, library: LibrarySteps) -> None:
        self._kernels = kernels
        self._library = library

    def queue(
        self,
        run: DeviceRun,
        step: CompiledStep[KernelCall],
        queue: DeviceStream | Recorder,
        branch: Branch | None = None,
    ) -> None:
        """Queue one step.

        Parameters
        ----------
        run : DeviceRun
            The memory.
        step : CompiledStep
            The step.
        queue : DeviceStream or Recorder
            Where.
        branch : Branch, optional
            Where steps go on that run beside others; without any they run in order.
        """
        for planned in step.calls:
            call, arguments = self._aligned(run, planned)
            if call.blocks:
                queue.launch(call.function, call.blocks, call.threads, arguments)
        if step.group in self._library:
            self._library.queue(run, step.group, queue, branch if step.group.beside else None)

    def _aligned(self, run: DeviceRun, call: KernelCall) -> tuple[KernelCall, list[Any]]:
        """Return the call that the addresses of a run allow, and its arguments."""
        arguments = run.arguments(call)
        for position, nbytes in call.aligned:
            if arguments[position] % nbytes:
                call = self._kernels.unaligned(call)
                return call, run.arguments(call)
        return call, arguments
