"""Checks that say which operations met a fault: compiled quickly, and again where they run long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.core.config import Config
from lazyarr.core.frozen import replace
from lazyarr.execution import tuning
from lazyarr.passes.canonicalize import Bindings

__all__ = ["Check"]

#: Answers to a list of questions about one evaluation.
Evaluate = Callable[[Bindings], Sequence[np.ndarray[Any, Any]]]


class Check:
    """The questions about the steps of a plan that met a fault. Safe from many threads.

    Most are asked once, so that whoever waits for the first warning of a line waits for no
    optimisation.

    Parameters
    ----------
    settings : Config
        Those of the plan. Kernels are LLVM's whatever they say: they have the bits of Numba's,
        which take ten times as long to come.
    compiler : callable
        From settings to a function that answers the questions.
    """

    def __init__(self, settings: Config, compiler: Callable[[Config], Evaluate]) -> None:
        self._optimized = replace(settings, backend="llvm")
        self._compiler = compiler
        self._evaluate = compiler(replace(self._optimized, optimize=False))
        self._seconds = 0.0
        self._is_quick = settings.optimize
        self._lock = threading.Lock()

    def __call__(self, bindings: Bindings) -> Sequence[np.ndarray[Any, Any]]:
        """Return the answers for the arrays and scalars of an evaluation."""
        if not self._is_quick:
            return self._evaluate(bindings)
        started = time.perf_counter()
        answers = self._evaluate(bindings)
        self._seconds += time.perf_counter() - started
        if self._seconds > tuning.row().quick_check_seconds:
            with self._lock:
                if self._is_quick:
                    self._evaluate = self._compiler(self._optimized)
                    self._is_quick = False
        return answers
