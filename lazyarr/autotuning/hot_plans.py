"""Plans that may prove hot: their time is counted, and then their kernels are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lazyarr.autotuning import tuning
from lazyarr.codegen.launch import Lowered
from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import ScalarValue, memory_of
from lazyarr.execution.cpu.executor import CpuExecutor
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings

if TYPE_CHECKING:
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.tiling import Tiling

__all__ = ["HotPlan", "TunableKernel", "watch"]


@dataclass(frozen=True, eq=False, slots=True)
class TunableKernel:
    """A kernel of a plan, and its possible tilings.

    Attributes
    ----------
    step : int
        Its place in the plan.
    key : str
        Of its record.
    elements : int
        Of its iteration space.
    candidates : callable
        Returns the ways to cut it, today's first.
    build : callable
        Returns it, and its sources, cut in some way.
    """

    step: int
    key: str
    elements: int
    candidates: Callable[[], Sequence[Candidate]]
    build: Callable[[Tiling], tuple[Lowered, tuple[Source, ...]]]


class HotPlan:
    """Counts the time of a plan; once it is hot, its kernels are tried.

    Parameters
    ----------
    executor : CpuExecutor
        What runs the plan.
    sequence : KernelSequence
        Its launches.
    kernels : sequence of TunableKernel
        Those without a record.
    settings : Config
        How to compile, and where records are kept.
    """

    def __init__(
        self,
        executor: CpuExecutor,
        sequence: KernelSequence,
        kernels: Sequence[TunableKernel],
        settings: Config,
    ) -> None:
        self._executor, self._sequence = executor, sequence
        self._kernels, self._settings = kernels, settings
        self._spent = 0.0
        self._due = tuning.current().hot_seconds

    def ran(
        self, seconds: float, scalars: Sequence[ScalarValue], bindings: Callable[[], Bindings]
    ) -> None:
        """Count a run; once that is worth it, copy its arrays and begin.

        Parameters
        ----------
        seconds : float
            That it took.
        scalars : sequence of number
            The values of its scalars.
        bindings : callable
            Returns its leaves.
        """
        self._spent += seconds
        if self._spent < self._due:
            return
        # Imported here: most plans never get hot.
        from lazyarr.autotuning.trials import try_kernels
        from lazyarr.autotuning.worker import WORKER
        from lazyarr.execution.cpu.trial import Trial, extent

        rules = tuning.current()
        leaves = [memory_of(leaf).array for leaf in bindings().leaves]
        nbytes = sum(map(extent, leaves)) + self._sequence.arena_bytes
        needed = nbytes / rules.copy_rate / rules.copy_share
        if nbytes > rules.most_bytes:
            self._sequence.meter = None
        elif self._spent < needed:
            self._due = needed
        else:
            self._sequence.meter = None
            trial = Trial(self._sequence, leaves, scalars, self._executor.plan.status.nbytes)
            job = try_kernels(self._executor, self._sequence, self._kernels, trial, self._settings)
            if rules.beforehand:
                for _ in job:
                    pass
            else:
                WORKER.submit(job)


def watch(executor: CpuExecutor, kernels: Sequence[TunableKernel], settings: Config) -> None:
    """Count the time of a plan's runs from now on, if it may prove worth tuning.

    Parameters
    ----------
    executor : CpuExecutor
        What runs it.
    kernels : sequence of TunableKernel
        Those of its kernels that were not tuned yet.
    settings : Config
        How to compile, and where records are kept.
    """
    sequence = executor.by_address
    if sequence is None or any(step.group.kind == "library" for step in executor.plan.steps):
        return  # what a library does is not ours to vary, and its thread limit is the process's
    elements = max((kernel.elements for kernel in kernels), default=0)
    if elements >= tuning.current().least_elements:
        sequence.meter = HotPlan(executor, sequence, kernels, settings)
