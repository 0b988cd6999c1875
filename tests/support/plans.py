"""Evaluating expressions while counting what the plan promised and what really happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.inspect.explanation import Explanation
from lazyarr.inspect.program import analyse
from lazyarr.runtime.host_memory_pool import SMALL, pool
from lazyarr.runtime.run_log import RunRecord
from lazyarr.schedule.memory import Buffer

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Ran:
    """One evaluation: its explanation, its record and its values."""

    explanation: Explanation
    record: RunRecord
    values: tuple[Array, ...]
    buffers: tuple[Buffer, ...]
    pool_peak: int

    @property
    def kernels(self) -> int:
        """Number of generated kernels."""
        return len(self.explanation.kernels)

    @property
    def read(self) -> int:
        """Bytes that the kernels read."""
        return sum(kernel.bytes_read for kernel in self.explanation.kernels)

    @property
    def written(self) -> int:
        """Bytes that the kernels write."""
        return sum(kernel.bytes_written for kernel in self.explanation.kernels)

    @property
    def temporary(self) -> int:
        """Bytes of buffers that are not results."""
        return sum(b.nbytes for b in self.buffers if b.kind != "output")


def run(*expressions: Any, out: Any = None) -> Ran:
    """Explain and evaluate expressions, and check that the planned peak is the measured one."""
    explanation = la.explain(*expressions)
    program = analyse(tuple(expression._node for expression in expressions))
    pool.reset_peak()
    before = pool.info().in_use
    with la.profile() as timings:
        values = la.evaluate(*expressions, out=out)
    peak = pool.info().peak - before
    if not isinstance(values, tuple):
        values = (values,)
    (record,) = timings.runs
    adopted = any(buffer.kind == "adopted" for buffer in program.plan.buffers)
    if out is None:
        assert record.planned_peak == explanation.peak_bytes
        assert record.measured_peak == explanation.peak_bytes
        if not adopted:
            # The pool itself must agree; it does not see results that malloc serves better.
            small = sum(
                buffer.nbytes
                for buffer in program.plan.buffers
                if buffer.kind == "output" and buffer.nbytes < SMALL
            )
            assert peak == explanation.peak_bytes - small
    return Ran(explanation, record, values, program.plan.buffers, peak)
