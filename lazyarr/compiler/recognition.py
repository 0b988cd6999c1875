"""Expressions that are recognised: their plans run without the way through the compiler.

Who evaluates in a loop builds the same form again and again, of other arrays. Once a form came
twice, :mod:`lazyarr.execution.cpu.known_plans` knows it: it finds plan and arguments in one walk in
C. It is left to the pipeline what was computed before and may have to be stored, what is not on the
processor, and all that is profiled, bounded in memory or checked for NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.repetition import look
from lazyarr.compiler.request import Request
from lazyarr.compiler.reuse import COMPUTED
from lazyarr.compiler.work import WORK
from lazyarr.core.config import CPU, NAN, Config
from lazyarr.core.tuning_table import chosen_rows
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.known_plans import COMPILED, describe, install
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.graph.node import Node
from lazyarr.runtime import run_log

__all__ = ["enter", "recognised"]

Array = np.ndarray[Any, Any]

install(COMPUTED)


def recognised(roots: tuple[Node, ...], settings: Config) -> list[Array] | bool:
    """Return the results of an expression that is known, or whether it is worth entering.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    settings : Config
        Those in force.
    """
    if COMPILED is None or run_log.listeners():
        return False
    answer = COMPILED.evaluate(roots, settings, PLANS.generation, chosen_rows.get())
    if type(answer) is int:
        return answer == 1
    plan, results = answer
    PLANS.hits += 1
    WORK.computed += plan.computed
    WORK.eager += plan.eager
    repetition = plan.repetition
    repetition.left -= 1
    if not repetition.left:
        request = Request.unmarked(roots, settings, windows=True)
        look(plan, request if PLANS.peek(request.key) is plan else None, roots)
    return results  # type: ignore[no-any-return]


def enter(roots: Sequence[Node], request: Request, plan: CachedPlan) -> None:
    """Let an expression be known that has just been evaluated.

    Parameters
    ----------
    roots : sequence of Node
        The results.
    request : Request
        Its request, with nodes.
    plan : CachedPlan
        The plan that it ran.
    """
    settings, executor = request.settings, plan.executor
    if (
        COMPILED is None
        or request.device != CPU
        or request.choice is not None
        or request.donated
        or request.tiled
        or settings.debug == NAN
        or memory_bound(settings, executor.peak_bytes)
    ):
        return
    sequence = executor.by_address
    if not isinstance(sequence, KernelSequence):
        return
    description = describe(sequence, request.bindings)
    if description is None:
        return
    generation, rows = PLANS.generation, chosen_rows.get()
    head = tuple(roots), settings, generation, rows, plan, executor, sequence, sequence.code
    try:
        COMPILED.enter(*head, *description)
    except ValueError:
        return  # larger than what is written down there
