"""Trials of the ways to cut a hot plan's kernels, in slices beside the program."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from lazyarr.autotuning import records, tuning
from lazyarr.autotuning.records import Record
from lazyarr.autotuning.tunable_kernel import TunableKernel
from lazyarr.autotuning.worker import Job
from lazyarr.core.config import Config
from lazyarr.execution.cpu.kernel_sequence import Call, KernelSequence, SequenceCode
from lazyarr.execution.cpu.step_code import StepCode, code_with
from lazyarr.execution.cpu.trial import Trial
from lazyarr.execution.plan import CompiledPlan
from lazyarr.runtime.cpu import compiler

__all__ = ["try_kernels"]


def try_kernels(
    plan: CompiledPlan[Call],
    sequence: KernelSequence,
    kernels: Sequence[TunableKernel],
    trial: Trial,
    settings: Config,
) -> Job:
    """Try the kernels, those first that are predicted to take most of the time.

    Parameters
    ----------
    plan : CompiledPlan
        What runs.
    sequence : KernelSequence
        Its launches, which go on with what is chosen.
    kernels : sequence of TunableKernel
        Those without a record.
    trial : Trial
        Runs the plan on copies of its arrays.
    settings : Config
        How to compile, and where records are kept.
    """

    def code_of(others: Mapping[int, StepCode]) -> SequenceCode:
        return code_with(plan, sequence.threads, others)

    rules = tuning.current()
    chosen: dict[int, StepCode] = {}
    while not compiler.settle(rules.settle_seconds):
        yield  # code of the baseline tier is no measure
    for kernel in kernels:
        before = code_of(chosen)
        seconds: dict[str, float] = {}
        codes: dict[str, StepCode] = {}
        today, *others = kernel.candidates()
        yield
        limit = today.seconds * rules.slowest
        for candidate in [c for c in others if c.seconds <= limit][: rules.candidates]:
            code = StepCode.compile(plan, kernel.step, *kernel.build(candidate.tiling), settings)
            yield
            if code is None:
                continue
            other = code_of(chosen | {kernel.step: code})
            times = yield from _compare(trial, before, other, rules.rounds)
            if times is not None:
                seconds[""] = min(seconds.get("", times[0]), times[0])
                seconds[candidate.name], codes[candidate.name] = times[1], code
        choice = min(seconds, key=lambda name: seconds[name], default="")
        if choice:
            # A second look: what was luck is not so twice.
            other = code_of(chosen | {kernel.step: codes[choice]})
            times = yield from _compare(trial, before, other, 2 * rules.rounds)
            if times is None or times[1] > (1 - rules.gain) * times[0]:
                choice = ""
            else:
                seconds[""], seconds[choice] = times
                chosen[kernel.step] = codes[choice]
                sequence.code = other
        records.store(settings.cache_dir, kernel.key, Record(choice, seconds))


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
