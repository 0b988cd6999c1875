"""Plans that prove hot: their time is counted, and the ways to cut their kernels are tried."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.autotuning import policy, records
from lazyarr.autotuning.records import Record
from lazyarr.codegen.launch import Lowered
from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import ScalarValue, memory_of
from lazyarr.execution.cpu.executor import CpuExecutor
from lazyarr.execution.cpu.kernel_sequence import KernelSequence, SequenceCode
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import compiler

if TYPE_CHECKING:
    from lazyarr.autotuning.worker import Job
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.execution.cpu.step_code import StepCode
    from lazyarr.execution.cpu.trial import Trial

__all__ = ["HotPlan", "TunableKernel", "watch"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class TunableKernel:
    """A kernel of a plan, and how it may be cut.

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
        self._due = policy.current().hot_seconds

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
        from lazyarr.autotuning.worker import WORKER
        from lazyarr.execution.cpu.trial import Trial, extent

        rules = policy.current()
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
            job = self._job(trial)
            if rules.beforehand:
                for _ in job:
                    pass
            else:
                WORKER.submit(job)

    def _code_with(self, others: Mapping[int, StepCode]) -> SequenceCode:
        from lazyarr.execution.cpu.step_code import code_with

        return code_with(self._executor.plan, self._sequence.threads, others)

    def _job(self, trial: Trial) -> Job:
        """Try the kernels, those first that are predicted to take most of the time."""
        from lazyarr.execution.cpu.step_code import StepCode

        rules = policy.current()
        chosen: dict[int, StepCode] = {}
        while not compiler.settle(rules.settle_seconds):
            yield  # code of the baseline tier is no measure
        for kernel in self._kernels:
            before = self._code_with(chosen)
            seconds: dict[str, float] = {}
            codes: dict[str, StepCode] = {}
            today, *others = kernel.candidates()
            yield
            limit = today.seconds * rules.slowest
            for candidate in [c for c in others if c.seconds <= limit][: rules.candidates]:
                code = StepCode.compile(
                    self._executor.plan,
                    kernel.step,
                    *kernel.build(candidate.tiling),
                    self._settings,
                )
                yield
                if code is None:
                    continue
                other = self._code_with(chosen | {kernel.step: code})
                times = yield from _compare(trial, before, other, rules.rounds)
                if times is not None:
                    seconds[""] = min(seconds.get("", times[0]), times[0])
                    seconds[candidate.name], codes[candidate.name] = times[1], code
            choice = min(seconds, key=lambda name: seconds[name], default="")
            if choice:
                # A second look: what was luck is not so twice.
                other = self._code_with(chosen | {kernel.step: codes[choice]})
                times = yield from _compare(trial, before, other, 2 * rules.rounds)
                if times is None or times[1] > (1 - rules.gain) * times[0]:
                    choice = ""
                else:
                    seconds[""], seconds[choice] = times
                    chosen[kernel.step] = codes[choice]
                    self._sequence.code = other
            records.store(self._settings.cache_dir, kernel.key, Record(choice, seconds))


def _compare(
    trial: Trial, before: SequenceCode, other: SequenceCode, rounds: int
) -> Generator[None, None, tuple[float, float] | None]:
    """Return the least seconds of both, run in turn; None if their results differ in a bit."""
    for code in (before, other):
        trial.clear()
        trial.run(code)
        results = trial.results()
        if code is before:
            expected = results
        yield
    if results != expected:
        return None
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for own, code in zip(times, (before, other), strict=True):
            own.append(trial.run(code))
        yield
    return min(times[0]), min(times[1])


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
    if elements >= policy.current().least_elements:
        sequence.meter = HotPlan(executor, sequence, kernels, settings)
