"""Plans that may prove hot: their time is counted, and then their kernels are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lazyarr.autotuning import tuning
from lazyarr.autotuning.tunable_kernel import TunableKernel
from lazyarr.core.config import Config
from lazyarr.execution.arguments import ScalarValue, memory_of
from lazyarr.execution.cpu.executor import CpuExecutor
from lazyarr.execution.cpu.kernel_sequence import Call, KernelSequence
from lazyarr.execution.plan import CompiledPlan
from lazyarr.passes.canonicalize import Bindings

__all__ = ["HotPlan", "watch"]


class HotPlan:
    """Counts the time of a plan; once it is hot, its kernels are tried.

    The launches of the plan have it as their meter, so it has neither them nor their executor.

    Parameters
    ----------
    plan : CompiledPlan
        What runs.
    kernels : sequence of TunableKernel
        Those without a record.
    settings : Config
        How to compile, and where records are kept.
    """

    def __init__(
        self,
        plan: CompiledPlan[Call],
        kernels: Sequence[TunableKernel],
        settings: Config,
    ) -> None:
        self._plan, self._kernels, self._settings = plan, kernels, settings
        self._spent = 0.0
        self._due = tuning.current().hot_seconds

    def ran(
        self,
        sequence: KernelSequence,
        seconds: float,
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
    ) -> None:
        """Count a run; once that is worth it, copy its arrays and begin.

        Parameters
        ----------
        sequence : KernelSequence
            The launches of the plan.
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
        nbytes = sum(map(extent, leaves)) + sequence.arena_bytes
        needed = nbytes / rules.copy_rate / rules.copy_share
        if nbytes > rules.most_bytes:
            sequence.meter = None
        elif self._spent < needed:
            self._due = needed
        else:
            sequence.meter = None
            trial = Trial(sequence, leaves, scalars, self._plan.status.nbytes)
            job = try_kernels(self._plan, sequence, self._kernels, trial, self._settings)
            if rules.beforehand:
                for _ in job:
                    pass
            else:
                WORKER.submit(job)


def watch(executor: CpuExecutor, kernels: Sequence[TunableKernel], settings: Config) -> None:
    """Count the time of a plan's runs from now on, if its kernels are all that it consists of.

    Parameters
    ----------
    executor : CpuExecutor
        What runs it.
    kernels : sequence of TunableKernel
        Those of its kernels that may be worth tuning.
    settings : Config
        How to compile, and where records are kept.
    """
    sequence = executor.by_address
    if sequence is None or any(step.group.kind == "library" for step in executor.plan.steps):
        return  # what a library does is not ours to vary, and its thread limit is the process's
    sequence.meter = HotPlan(executor.plan, kernels, settings)
