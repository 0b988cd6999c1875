"""Runs plans within a bound on their memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.config import Config, get_config
from lazyarr.execution.arguments import memory_of, scalar_of
from lazyarr.execution.cpu.executor import CpuExecutor, compiled_plan
from lazyarr.execution.cpu.tiled_run import TiledRun
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.execution.plan import LoweredPlan
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.passes.canonicalize import Bindings

__all__ = ["TiledExecutor"]

Array = np.ndarray[Any, Any]


class TiledExecutor(CpuExecutor):
    """Runs a plan tile by tile; see :mod:`lazyarr.execution.cpu.tiled_run`.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan and its sources, which are compiled now.
    threads : int
        Threads of one evaluation.
    settings : Config
        How to compile.
    """

    def __init__(self, lowered: LoweredPlan, threads: int, settings: Config) -> None:
        plan, signals, reporter = compiled_plan(lowered, threads, settings)
        super().__init__(plan, threads, signals, reporter)
        self.by_address = self.mixed = None
        self.sole_call = None
        self._lowered = lowered
        self._threads = threads

    def run(self, bindings: Bindings, outs: Any = None) -> list[Array]:
        """Return the results, for arrays in memory and arrays that are streamed.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or Sink or None), optional
            Where to write the results.

        Raises
        ------
        MemoryLimitError
            If the plan cannot be cut so that it fits; nothing was run then.
        """
        leaves = [memory_of(leaf) for leaf in bindings.leaves]
        addresses = [0 if type(leaf) is StreamedLeaf else leaf.address for leaf in leaves]
        scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        limit = memory_bound(get_config())
        plan, signals = self.plan, self.signals
        run = TiledRun(plan, self._lowered, self._threads, signals, self._reporter, limit)
        return run.launch(addresses, scalars, lambda: bindings, outs)
