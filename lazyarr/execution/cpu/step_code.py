"""Alternative code for steps of a plan, with the same results, for tuning."""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Lowered
from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.execution.cpu.calls import call_of
from lazyarr.execution.cpu.kernel_sequence import Call, SequenceCode
from lazyarr.execution.plan import CompiledPlan
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import compiler

__all__ = ["StepCode", "code_with"]


@dataclass(frozen=True, eq=False, slots=True)
class StepCode:
    """Other code of a kernel step, with the same results.

    Attributes
    ----------
    calls : tuple of Call
        Its launches.
    scratch : tuple of int
        Bytes that all threads share, and bytes that each needs.
    """

    calls: tuple[Call, ...]
    scratch: tuple[int, int]

    @classmethod
    def compile(
        cls,
        plan: CompiledPlan[Call],
        step: int,
        kernels: Lowered,
        sources: tuple[Source, ...],
        settings: Config,
    ) -> StepCode | None:
        """Return the code; None if the plan's status block has no place for its reports.

        Parameters
        ----------
        plan : CompiledPlan
            What it is to be part of.
        step : int
            Which step it is for.
        kernels : Lowered
            Its launches.
        sources : tuple of Source
            Their sources.
        settings : Config
            How to compile.
        """
        before = plan.status.nbytes
        functions = compiler.compile_sources(sources, settings)
        calls = tuple(
            call_of(launch, function, kernels, step, plan.bases, plan.status)
            for launch, function in zip(kernels.launches, functions, strict=True)
        )
        if plan.status.nbytes != before or any(call.count <= 0 for call in calls):
            return None
        return cls(calls, (kernels.shared_scratch, kernels.worker_scratch))


def code_with(
    plan: CompiledPlan[Call], threads: int, others: Mapping[int, StepCode]
) -> SequenceCode:
    """Return the code of a plan with other code for some steps.

    Parameters
    ----------
    plan : CompiledPlan
        Of kernels alone.
    threads : int
        That may work on one of them.
    others : mapping of int to StepCode
        By steps.
    """
    needs = [shared + threads * own for shared, own in (code.scratch for code in others.values())]
    own = [
        others[index].calls if index in others else step.calls
        for index, step in enumerate(plan.steps)
    ]
    calls = [call for calls_of_step in own for call in calls_of_step]
    return SequenceCode.of(calls, max([plan.memory.scratch_bytes, *needs]))
