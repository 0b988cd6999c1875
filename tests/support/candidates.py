"""Results of a kernel's candidates: other ways to cut it, each run in its place."""

from __future__ import annotations

from typing import Any

import lazyarr as la
from lazyarr.compiler import compilation, pipeline
from lazyarr.execution.arguments import scalar_of
from lazyarr.execution.cpu.executor import CpuExecutor
from lazyarr.execution.cpu.step_code import StepCode, code_with
from lazyarr.execution.cpu.trial import Trial

__all__ = ["results_of_candidates"]


def results_of_candidates(expression: la.LazyArray) -> int:
    """Run all candidates of an expression's kernels, and return their number.

    Raises
    ------
    AssertionError
        A candidate changed a bit of the result.
    """
    roots = (expression._node,)
    with la.config(threads=2, device="cpu", tune=False):
        settings = la.get_config()
        program = compilation.analyse(roots, settings)
        executor, bindings = pipeline.prepare(roots, settings)
        assert isinstance(executor, CpuExecutor)
        (expected,) = executor.run(bindings)
        sequence = executor.by_address
        assert sequence is not None
        leaves: list[Any] = [leaf.attr.array for leaf in bindings.leaves]  # type: ignore[union-attr]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        trial = Trial(sequence, leaves, scalars, executor.plan.status.nbytes)
        tried = 0
        for step, code in enumerate(program.kernels):
            today, *others = program.writer.candidates(code.group)
            assert today.name == "" and today.tiling == code.tiling
            for candidate in others:
                lowered, other = program.writer.cut(code.group, candidate.tiling)
                own = StepCode.compile(executor.plan, step, lowered, other.sources, settings)
                assert own is not None
                trial.clear()
                trial.run(code_with(executor.plan, 2, {step: own}))
                assert trial.results()[0] == expected.tobytes(), candidate
                tried += 1
        return tried
