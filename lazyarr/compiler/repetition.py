"""The hint that ``jit`` would gain: one line builds and evaluates a form again and again.

A plan counts its evaluations. After some hundreds whose expressions come from one line, it is run
once more and timed: :func:`~lazyarr.function_transforms.jit` spares to build the expression and to
find the plan, and nothing else. Where that takes longer than the run itself, the line is named.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

import numpy as np

from lazyarr.compiler.counters import NAMED, STEP, WORK
from lazyarr.compiler.plan_cache import CachedPlan
from lazyarr.compiler.request import Request
from lazyarr.core import tuning
from lazyarr.core.config import Config, get_config
from lazyarr.core.source_location import Origin
from lazyarr.errors import RepetitionWarning
from lazyarr.graph.node import Node
from lazyarr.ops.movement import WRITE
from lazyarr.runtime import run_log

__all__ = ["count", "eager_work", "look", "note_evaluation"]

_LOOKS = tuning.row().repetition_looks
_RUNS = tuning.row().repetition_runs
_MOST_RUN = tuning.row().repetition_share


def note_evaluation(plan: CachedPlan, request: Request, roots: Sequence[Node]) -> None:
    """Count an evaluation.

    Parameters
    ----------
    plan : CachedPlan
        The plan that it ran.
    request : Request
        Its request, with nodes.
    roots : sequence of Node
        Its expression.
    """
    repetition = plan.repetition
    repetition.left -= 1
    if not repetition.left:
        look(plan, request, roots)


def look(plan: CachedPlan, request: Request | None, roots: Sequence[Node]) -> None:
    """Name the line of an expression that is evaluated again and again, if ``jit`` gains there.

    Parameters
    ----------
    plan : CachedPlan
        It was run as often as its count says.
    request : Request, optional
        One that the plan fits, with the nodes of its expression; None: there is none any more.
    roots : sequence of Node
        The expression.
    """
    repetition, line = plan.repetition, roots[0].origin
    repetition.left = STEP
    if line != repetition.line or line is None or request is None:
        repetition.line, repetition.looks = line, 0
        return
    repetition.looks += 1
    settings = get_config()
    if repetition.looks < _LOOKS or not settings.hints or run_log.listeners():
        return
    repetition.left = 0  # it is counted down from there, and never 0 again
    if line in NAMED or not _can_run_again(request, roots):
        return
    spared, run = _spared(len(request.bindings.order)), _run_seconds(plan, request)
    if spared > run:
        NAMED.add(line)
        _warn(line, STEP * (repetition.looks + 1), spared, run)


def _can_run_again(request: Request, roots: Sequence[Node]) -> bool:
    """Whether a run more shows in nothing but time: it writes to no array of the program."""
    settings: Config = request.settings
    return (
        request.target is not None
        and request.target.on_host
        and not (request.donated or request.tiled or settings.max_memory)
        and all(root.op is not WRITE for root in roots)
    )


def count(plan: CachedPlan, request: Request) -> None:
    """Count the elements of a run; NumPy computes none again that an earlier one has computed.

    Parameters
    ----------
    plan : CachedPlan
        The plan that ran.
    request : Request
        What it ran for.
    """
    WORK.computed += plan.computed
    WORK.eager += eager_work(plan, request)


def eager_work(plan: CachedPlan, request: Request) -> int:
    """Return the elements that NumPy would compute for a run, none of them a second time.

    Parameters
    ----------
    plan : CachedPlan
        The plan that ran.
    request : Request
        What it ran for.
    """
    if not request.repeated or request.asked_again:
        return plan.eager
    # Imported here: most expressions are of values that nobody has computed before.
    from lazyarr.schedule.cost import eager_elements

    order = request.bindings.order
    return eager_elements([value for value in order if id(value) not in request.repeated])


def _spared(nodes: int) -> float:
    """Return the seconds that building and recognising an expression takes."""
    return tuning.row().evaluation_seconds + nodes * tuning.row().node_seconds


def _run_seconds(plan: CachedPlan, request: Request) -> float:
    """Return the seconds of a jitted call of the plan, from the least of a few runs."""
    bindings = request.bindings.without_nodes()  # with notes, as those of a jitted function
    most = _MOST_RUN * _spared(len(request.bindings.order))
    least = float("inf")
    with np.errstate(all="ignore"):  # it has been reported
        plan.executor.run(bindings, None)
        for _ in range(_RUNS):
            started = time.perf_counter()
            plan.executor.run(bindings, None)
            least = min(least, time.perf_counter() - started)
            if least > most:
                break
    return max(least - tuning.row().binding_seconds, tuning.row().call_seconds)


def _warn(line: Origin, count: int, spared: float, run: float) -> None:
    message = (
        f"the expression on this line was built and evaluated {count} times: building it takes "
        f"about {spared * 1e6:.0f} µs each time, its kernels take {run * 1e6:.0f} µs"
        "\n  hint: decorate the function with lazyarr.jit to build the expression once"
        "\n  lazyarr.config(hints=False) silences this"
    )
    warnings.warn_explicit(message, RepetitionWarning, *line)
