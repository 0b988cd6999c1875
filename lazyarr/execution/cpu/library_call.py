"""Calls of libraries on the host: one of them, and plans that are nothing but one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.core.source_location import Origin
from lazyarr.errors import ContractError
from lazyarr.execution.arguments import is_leaf
from lazyarr.execution.fp_errors.policy import reporting_faults
from lazyarr.execution.launch import RunReporter, blame
from lazyarr.execution.plan import CompiledPlan
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = ["SoleCall", "call_library"]

Array = np.ndarray[Any, Any]


def call_library(
    node: Node,
    operands: Sequence[Array],
    out: Array | None,
    threads: int,
    line: Callable[[], Origin | None],
) -> Array:
    """Return the value of a library node, in memory of its own.

    Parameters
    ----------
    node : Node
        A library call.
    operands : sequence of numpy.ndarray
        The values of its sources.
    out : numpy.ndarray, optional
        Where it is written, in C order.
    threads : int
        Most threads of the library.
    line : callable
        Returns the user's line, for errors and warnings.
    """
    try:
        with blas_threads.limited(threads), reporting_faults(line):
            if out is not None:
                node.op.evaluate(node, *operands, out=out)
                return out
            result = np.asarray(node.op.evaluate(node, *operands))
    except Exception as error:
        blame(error, node, line())
        raise
    if result.shape != node.shape:
        raise ContractError(f"{node} evaluated to shape {result.shape}")
    is_view = any(np.may_share_memory(result, operand) for operand in operands)
    if result.dtype != node.dtype or not result.flags.c_contiguous or is_view:
        result = np.array(result, node.dtype, order="C")
    return result if result.flags.writeable else result.copy()


class SoleCall:
    """A plan that is one library call for whole arrays: nothing is bound but these.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    threads : int
        Threads of one evaluation.
    reporter : RunReporter
        Keeps count of runs.
    """

    __slots__ = ("_node", "_places", "_plan", "_reporter", "_threads")

    def __init__(self, plan: CompiledPlan[Any], threads: int, reporter: RunReporter) -> None:
        self._plan = plan
        self._node = plan.steps[0].group.members[0]
        self._places = [plan.bases.of(source) for source in self._node.src]
        self._threads = threads
        self._reporter = reporter

    @classmethod
    def of(cls, plan: CompiledPlan[Any], threads: int, reporter: RunReporter) -> SoleCall | None:
        """Return the call of a plan; None of a plan that is more.

        Parameters
        ----------
        plan, threads, reporter
            As of the class.
        """
        if len(plan.steps) != 1 or len(plan.results) != 1 or plan.memory.donated:
            return None
        (step,), (result,) = plan.steps, plan.results
        if step.calls or step.group.kind != "library":
            return None
        node = step.group.members[0]
        if step.group.outputs[0].layout.owner is not node or not result.is_whole:
            return None
        if (result.root.shape, result.root.dtype) != (node.shape, node.dtype):
            return None
        return cls(plan, threads, reporter) if all(map(is_leaf, node.src)) else None

    def run(self, arrays: Sequence[Array], bindings: Callable[[], Bindings]) -> Array:
        """Return the result.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The leaves.
        bindings : callable
            Returns them as nodes.
        """
        node, out = self._node, None
        if node.op.supports_out:
            if node.nbytes < SMALL:
                out = np.empty(node.shape, node.dtype)
            else:
                out = pool.allocate(node.nbytes).array(node.shape, node.dtype)
        operands = [arrays[place] for place in self._places]
        result = call_library(
            node, operands, out, self._threads, lambda: self._plan.lines.of(bindings(), node)
        )
        self._reporter.first_run = False
        return result
