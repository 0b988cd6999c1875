"""Evaluations: a plan is looked up or compiled and run, and its results are returned."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.counters import WORK, Repetition
from lazyarr.compiler.lengths import fill_plan
from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.recognition import enter, recognised
from lazyarr.compiler.repetition import count, note_evaluation
from lazyarr.compiler.request import Request
from lazyarr.compiler.reuse import (
    IN_USE,
    choose_stored,
    current,
    result_count,
    store,
    worth_storing,
)
from lazyarr.compiler.targets import target_named
from lazyarr.core import tuning
from lazyarr.core.config import AUTO, CHECK, NAN, Config, get_config
from lazyarr.core.frozen import replace
from lazyarr.errors import DeviceMemoryError, MemoryLimitError
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.graph.node import Leaf, Node, fresh_leaf
from lazyarr.ops.movement import LEAF
from lazyarr.passes.canonicalize import Bindings, bind
from lazyarr.runtime import run_log

if TYPE_CHECKING:
    from lazyarr.execution.cpu.known_plans import Form
    from lazyarr.execution.executor import Executor

__all__ = [
    "evaluate",
    "evaluate_in_tiles",
    "persist",
    "prepare",
    "store_in_use",
]

Array = np.ndarray[Any, Any]
_Roots = tuple[Node, ...]
_Outs = Sequence[Array | None] | None
_NO_NODES: Sequence[Node] = ()
_NO_LEAVES: Sequence[Leaf] = ()


def evaluate(
    roots: tuple[Node, ...], outs: _Outs = None, *, reuse: bool = True, expensive: bool = True
) -> list[Array]:
    """Compute the values of `roots` together.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    outs : sequence of (numpy.ndarray or None), optional
        Where to write them; shapes and dtypes must fit.
    reuse : bool, optional
        Whether values that later evaluations may want are stored with these. Not if the memory
        behind leaves changes in between.
    expensive : bool, optional
        Whether first evaluations store what takes long, beyond the memory that ``explain`` names.

    Returns
    -------
    list of numpy.ndarray
        Fresh arrays, or those of `outs`; nothing for a root that is a write.

    Raises
    ------
    MemoryLimitError
        If the plan needs more than ``max_memory`` bytes, and cannot be run in tiles; nothing is
        computed then.
    """
    settings = get_config()
    form = None if outs is not None else recognised(roots, settings, reuse, expensive)
    if isinstance(form, list):
        return form  # the results: one walk in C has taken all three steps
    if not roots[0].src or roots[0].stored is not None:
        from lazyarr.execution import transfers  # expressions need none

        memory = current(roots)
        if transfers.needs_copy_to_host(memory, settings):
            return transfers.copy_to_host(memory, outs)
    request = Request.of(roots, settings)
    while True:
        try:
            # Find or compile.
            plan, bindings = request.plan, request.bindings
            stored, leaves = _NO_NODES, _NO_LEAVES
            if plan is None:
                work = _find_or_compile(roots, request, form, reuse, expensive)
                plan, bindings, stored, form = work
            # Run.
            if stored:
                own = result_count(roots)
                results, leaves = plan.executor.run_and_keep(bindings, own, outs, IN_USE)
            else:
                results = plan.executor.run(bindings, outs)
            # Record.
            if request.plan is None:
                _record_run(roots, request, form, plan, bindings, stored, leaves)
            else:  # written out: all that these evaluations add to a run takes a microsecond
                PLANS.hits += 1
                WORK.computed += plan.computed
                WORK.eager += plan.eager
            return results
        except (MemoryLimitError, DeviceMemoryError) as error:
            smaller = request.smaller(roots, error)
            if smaller is None:
                raise
        # Not above, as what is raised here is no consequence.
        request, form, expensive = smaller(roots), None, False


def _find_or_compile(
    roots: _Roots, request: Request, form: Form | None, reuse: bool, expensive: bool
) -> tuple[CachedPlan, Bindings, Sequence[Node], Form | None]:
    """Return the plan of an expression with its bindings, and the values that it stores.

    Behind these comes the form under which the expression is to be known. Of a long expression all
    pieces but the last are computed: the plan is that one's.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    request : Request
        Their request.
    form : Form, optional
        The form of the expression, which came before.
    reuse, expensive : bool
        As of :func:`evaluate`.
    """
    settings, bindings, repeated = request.settings, request.bindings, request.repeated
    if reuse and not (request.tiled or settings.max_memory):
        if len(bindings.order) > tuning.row().expression_nodes and not (
            settings.debug == NAN or run_log.listeners()
        ):
            again = request.asked_again or not repeated
            stored = [] if again else choose_stored(roots, bindings, repeated)
            return *_last_piece(roots, stored, request), stored, None
        if not request.asked_again:
            on_host = request.target is not None and request.target.on_host
            stored = worth_storing(roots, bindings, repeated, on_host, expensive)
            if stored:
                return *_plan_with(stored, roots, settings), stored, form
    return _plan_of(roots, request), bindings, _NO_NODES, form


def _plan_with(
    stored: Sequence[Node], roots: _Roots, settings: Config
) -> tuple[CachedPlan, Bindings]:
    """Return a plan that stores values beside its results, and its bindings."""
    everything = (*roots, *stored)
    request = Request.unmarked(everything, settings)
    return _plan_of(everything, request), request.bindings


def _last_piece(
    roots: _Roots, stored: Sequence[Node], request: Request
) -> tuple[CachedPlan, Bindings]:
    """Compute all pieces of a long expression but the last; return its plan and bindings."""
    from lazyarr.compiler.pieces import PIECE, last_piece  # most expressions are short
    from lazyarr.schedule.cost import eager_elements

    def compute(values: _Roots) -> list[Node]:
        piece = Request.unmarked(values, request.settings)
        plan = _plan_of(values, piece)
        WORK.computed += plan.computed
        _, memory = plan.executor.run_and_keep(piece.bindings, 0, None, PIECE)
        pairs = zip(values, memory, strict=True)
        return [fresh_leaf(LEAF, v.dtype, v.shape, leaf, v.origin) for v, leaf in pairs]

    everything = (*roots, *stored)
    order = bind(everything)[1].order
    plan, bindings = _plan_with((), last_piece(everything, order, compute), request.settings)
    # The work of the whole expression; how often the piece comes again says nothing of that.
    return replace(plan, eager=eager_elements(order), repetition=Repetition()), bindings


def _record_run(
    roots: _Roots,
    request: Request,
    form: Form | None,
    plan: CachedPlan,
    bindings: Bindings,
    stored: Sequence[Node],
    leaves: Sequence[Leaf],
) -> None:
    """Record a run: its count, the values to reuse, and the expression in the plan cache."""
    count(plan, request)
    if form is not None:
        enter(form, request, plan, bindings, stored)
    if stored:
        store(stored, leaves)
    else:
        note_evaluation(plan, request, roots)


def evaluate_in_tiles(roots: _Roots, outs: Sequence[Any] | None = None) -> list[Any]:
    """Compute the values of `roots` within a bound on the memory: tile by tile.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    outs : sequence of (numpy.ndarray or Sink or None), optional
        Where to write them; shapes and dtypes must fit.

    Returns
    -------
    list of numpy.ndarray or Sink
        Fresh arrays, or those of `outs`.

    Raises
    ------
    MemoryLimitError
        If a value does not fit and cannot be cut; nothing is computed then.
    """
    return _run_in_tiles(roots, Request.of(roots, get_config()), outs)


def _run_in_tiles(roots: _Roots, request: Request, outs: Sequence[Any] | None = None) -> list[Any]:
    tiled = request.in_tiles(roots)
    plan = _plan_of(roots, tiled)
    results = plan.executor.run(tiled.bindings, outs)
    count(plan, tiled)
    return results


def store_in_use(root: Node, passing: Sequence[Node] = _NO_NODES) -> None:
    """Compute the nodes of an expression that are in use, and store them, before it is asked for.

    Parameters
    ----------
    root : Node
        The expression; it is computed itself if anything refers to it.
    passing : sequence of Node, optional
        What is in use only until the statement under way ends.
    """
    request = Request.of((root,), get_config(), windows=False)
    everything = frozenset(id(value) for value in request.bindings.order if value.src)
    stored = choose_stored((), request.bindings, everything)
    if passing:
        stored = [value for value in stored if value not in passing]
    if not stored:
        return
    if len(request.bindings.order) > tuning.row().expression_nodes:
        plan, bindings = _last_piece((), stored, request)
    elif stored == [root]:
        plan, bindings = _plan_of((root,), request), request.bindings
    else:
        plan, bindings = _plan_with(stored, (), request.settings)
    _, leaves = plan.executor.run_and_keep(bindings, 0, None, IN_USE)
    _record_run((), request, None, plan, bindings, stored, leaves)


def prepare(
    roots: tuple[Node, ...], settings: Config, donated: Sequence[Node] = ()
) -> tuple[Executor, Bindings]:
    """Return the compiled plan of an expression and the bindings that fill it, without a run.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    settings : Config
        Those in force.
    donated : sequence of Node
        Leaves that results may overwrite: every run takes their memory.
    """
    request = Request.of(roots, settings, windows=False).placed(roots, donated)
    plan = _plan_of(roots, request, any_length=False)
    if request.placement is not None and request.placement.whole_on_gpu:
        from lazyarr.compiler.parts import PartedExecutor  # bound calls read the host's arrays, too

        leaves = request.bindings.leaves
        return PartedExecutor.of_one(plan.executor, len(leaves), len(roots)), request.bindings
    return plan.executor, request.bindings


def persist(roots: tuple[Node, ...]) -> list[Any]:
    """Compute the values of `roots` together and leave them where they were computed.

    Parameters
    ----------
    roots : tuple of Node
        The results.

    Returns
    -------
    list of numpy.ndarray or DeviceArray
        In the memory of the device that the settings name.
    """
    settings = get_config()
    reuses_forms = target_named(settings.device).reuses_forms
    known = recognised(roots, settings, False, False) if reuses_forms else None
    if isinstance(known, list):
        return known
    if not roots[0].src or roots[0].stored is not None:
        from lazyarr.execution import transfers  # expressions need none

        memory = current(roots)
        if transfers.needs_copy_to_device(memory, settings):
            return transfers.copy_to_device(memory, settings)
    request = Request.of(roots, settings)
    try:
        plan = request.plan
        if plan is None:
            plan = _plan_of(roots, request)
            count(plan, request)
        else:  # written out: all that these evaluations add to a run takes a microsecond
            PLANS.hits += 1
            WORK.computed += plan.computed
            WORK.eager += plan.eager
        results = list(plan.executor.persist(request.bindings))
        if known is not None:
            enter(known, request, plan, request.bindings)
        return results
    except MemoryLimitError:
        pass
    return _run_in_tiles(roots, request)


def _plan_of(roots: tuple[Node, ...], request: Request, *, any_length: bool = True) -> CachedPlan:
    """Return a plan of the form of a request, compiled now if there is none.

    Where `any_length`, that may be one which other lengths fit, too.

    Raises
    ------
    MemoryLimitError
        If the plan needs more than ``max_memory`` bytes.
    """
    key, limited = request.key, request.settings.max_memory
    plan = PLANS.get(key)
    if plan is None and request.device == AUTO:
        plan = _plan_of(roots, request.decided(roots), any_length=any_length)
        PLANS.put(key, plan, again=True)
        return plan
    if plan is None:
        plan = fill_plan(roots, request, _build) if any_length else None
        plan = plan or _restore(roots, request)
        PLANS.put(key, plan)
    elif request.asked_again and not (limited or request.donated or request.tiled or plan.filled):
        request.keep(roots, plan)
    peak = plan.executor.peak_bytes
    # Of a GPU's memory its pool knows what is left.
    on_host = request.target is not None and request.target.on_host
    limit = memory_bound(request.settings, peak) if on_host else limited
    if limit and peak > limit and not request.tiled:
        raise MemoryLimitError(
            f"the plan needs {peak:,} bytes, max_memory is {limit:,}",
            origin=roots[0].origin,
            hint="evaluate fewer results at a time, or raise max_memory",
        )
    return plan


def _restore(roots: tuple[Node, ...], request: Request) -> CachedPlan:
    """Return the plan of a request that an earlier process has saved, or compile it now."""
    if CHECK:
        return _build(roots, request)  # each stage checks the one before it
    # Imported here: without plans on disk nothing else needs it.
    from lazyarr.compiler.saved_plans import restore

    plan, request = restore(request, _build)
    return plan or _build(roots, request)


def _build(roots: tuple[Node, ...], request: Request) -> CachedPlan:
    """Return the compiled plan of a request.

    Python's collector of cycles does not run meanwhile: a compiler makes many objects, which live
    as long as the plan and have no cycles, and each collection would traverse those of the whole
    program.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        # Imported here: the plan of an earlier process needs no stage of the compiler.
        from lazyarr.compiler.compilation import build

        return build(roots, request)
    finally:
        if collects:
            gc.enable()
