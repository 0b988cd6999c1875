"""Expressions that are recognised: their plans run without the way through the compiler.

Who evaluates in a loop builds the same form again and again, of other arrays. Once a form came
twice, :mod:`lazyarr.execution.cpu.known_plans` knows it: it finds plan and arguments in one walk in
C. Of what was computed before, the form says which nodes that are and which of them are in use, so
that the values to be stored are those that were chosen when it was entered. It is left to the
pipeline what is not on the processor, and all that is profiled, bounded in memory or checked for
NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from lazyarr.compiler.counters import WORK
from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.repetition import eager_work, look
from lazyarr.compiler.request import Request
from lazyarr.compiler.reuse import COMPUTED, WORTH_A_LOOK, may_change, store_arrays
from lazyarr.core.config import NAN, Config
from lazyarr.core.frozen import dataclass
from lazyarr.core.tuning_table import chosen_rows
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.known_plans import COMPILED, Form, NodesInOrder, describe, install
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Bindings, bind
from lazyarr.runtime import run_log

__all__ = ["enter", "recognised"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class _Evaluation:
    """The evaluation of an expression that is known.

    Attributes
    ----------
    plan : CachedPlan
        The plan that runs.
    eager : int
        Elements that NumPy would compute for it, without those of earlier evaluations.
    stores : bool
        Whether it stores values beside the results.
    windows : bool
        Whether parts of arrays are bound in place of these.
    """

    plan: CachedPlan
    eager: int
    stores: bool
    windows: bool


def _run(
    evaluation: _Evaluation,
    leaves: list[Node],
    scalars: list[Node],
    roots: tuple[Node, ...],
    every: list[Node],
) -> list[Array]:
    """Return the results of a plan that has other steps than kernels."""
    if evaluation.windows:
        bindings = bind(roots, windows=True, among=every)[1]
    else:
        bindings = Bindings(cast("list[Node]", NodesInOrder(roots, every)), leaves, scalars)
    return evaluation.plan.executor.run(bindings)


install(COMPUTED, may_change, store_arrays, _run, WORTH_A_LOOK)


def recognised(
    roots: tuple[Node, ...], settings: Config, reuse: bool, expensive: bool
) -> list[Array] | Form | None:
    """Return the results of an expression that is known; its form if it is worth entering.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    settings : Config
        Those in force.
    reuse : bool
        Whether values may be stored beside the results.
    expensive : bool
        Whether some that take long are, though they are computed for the first time.
    """
    if COMPILED is None or run_log.listeners():
        return None
    answer = COMPILED.evaluate(
        roots, settings, PLANS.generation, chosen_rows.get(), reuse, expensive and reuse
    )
    if type(answer) is not tuple:
        return answer  # type: ignore[no-any-return]
    evaluation, results = answer
    plan = evaluation.plan
    PLANS.hits += 1
    WORK.computed += plan.computed
    WORK.eager += evaluation.eager
    if not evaluation.stores:
        repetition = plan.repetition
        repetition.left -= 1
        if not repetition.left:
            request = Request.unmarked(roots, settings, windows=True)
            look(plan, request if PLANS.peek(request.key) is plan else None, roots)
    return results  # type: ignore[no-any-return]


def enter(
    form: Form | None,
    request: Request,
    plan: CachedPlan,
    bindings: Bindings,
    stored: Sequence[Node] = (),
) -> None:
    """Let an expression be known that has just been evaluated.

    Parameters
    ----------
    form : Form, optional
        Its form, from before the evaluation; None: it came for the first time.
    request : Request
        Its request.
    plan : CachedPlan
        The plan that it ran.
    bindings : Bindings
        What it ran for, with nodes.
    stored : sequence of Node
        The values that it stored beside the results.
    """
    settings, executor = request.settings, plan.executor
    if (
        COMPILED is None
        or form is None
        or request.target is None
        or not request.target.reuses_forms
        or request.choice is not None
        or request.donated
        or request.tiled
        or settings.debug == NAN
        or memory_bound(settings, executor.peak_bytes)
        or request.repeated != form.repeated  # another thread has computed some meanwhile
    ):
        return
    sequence, launches = executor.by_address, None
    runs: tuple[object, object] = (None, None)
    if isinstance(sequence, KernelSequence):
        launches = describe(sequence, bindings)
        runs = sequence, sequence.code
    windows = bool(bindings.windows)
    evaluation = _Evaluation(plan, eager_work(plan, request), bool(stored), windows)
    head = settings, PLANS.generation, chosen_rows.get(), evaluation, executor, *runs
    # Of parts of arrays, the leaves are none of the expression.
    bound = () if windows else tuple(bindings.leaves), tuple(bindings.scalars)
    try:
        COMPILED.enter(form, head, tuple(stored), *bound, launches)
    except ValueError:
        return  # larger than what is written down there
