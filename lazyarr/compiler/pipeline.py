"""The whole compiler in one picture: the only module that sees code generation and the runtime.

::

    DAG -> canonical DAG -> simplify -> fuse -> schedule -> plan_memory -> lower -> emit -> load
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.kernel_code import KernelCode
from lazyarr.compiler.lengths import fill_plan
from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.program import ObservedPlan, Program, show
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
from lazyarr.compiler.stages import compile_program
from lazyarr.compiler.targets import target_named, target_of
from lazyarr.compiler.work import WORK
from lazyarr.core import tuning
from lazyarr.core.config import AUTO, NAN, Config, get_config
from lazyarr.core.frozen import replace
from lazyarr.errors import DeviceError, DeviceMemoryError, MemoryLimitError
from lazyarr.execution import transfers
from lazyarr.execution.fp_errors.diagnosis import Diagnosis, written_as
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.execution.plan import LoweredPlan
from lazyarr.graph.node import Node, fresh_leaf
from lazyarr.ops.movement import LEAF, WRITE
from lazyarr.passes.canonicalize import Bindings, Canonical, bind, canonicalize
from lazyarr.runtime import run_log
from lazyarr.schedule.cost import eager_elements

if TYPE_CHECKING:
    from lazyarr.execution.cpu.known_plans import Form
    from lazyarr.execution.executor import Executor

__all__ = [
    "KernelCode",
    "ObservedPlan",
    "Program",
    "analyse",
    "evaluate",
    "evaluate_in_tiles",
    "persist",
    "prepare",
    "store_in_use",
]

Array = np.ndarray[Any, Any]
_Roots = tuple[Node, ...]
_Outs = Sequence[Array | None] | None


def analyse(
    roots: tuple[Node, ...], settings: Config | None = None, donated: Sequence[Node] = ()
) -> Program:
    """Return the program of an expression: every stage up to source text, without machine code.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    settings : Config, optional
        Default: those in force.
    donated : sequence of Node
        Leaves that results may overwrite.
    """
    request = Request.unmarked(roots, settings or get_config())
    request = _placed(roots, request, donated)
    canonical = canonicalize(request.bindings)
    program = compile_program(roots, canonical, request.placed_settings, request.donated)
    return replace(program, placement=request.placement, originals=canonical.originals)


def evaluate(
    roots: tuple[Node, ...], outs: _Outs = None, *, reuse: bool = True, dear: bool = True
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
    dear : bool, optional
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
    known = None if outs is not None else recognised(roots, settings, reuse, dear)
    if isinstance(known, list):
        return known
    first = roots[0]
    if not first.src or first.stored is not None:
        memory = current(roots)
        if transfers.needs_copy_to_host(memory, settings):
            return transfers.copy_to_host(memory, outs)
    request = Request.of(roots, settings)
    try:
        plan = request.plan
        if plan is None:
            return _evaluate_in_memory(roots, request, outs, reuse, known, dear)
        # Written out: all that these evaluations add to a run takes a microsecond.
        PLANS.hits += 1
        WORK.computed += plan.computed
        WORK.eager += plan.eager
        return plan.executor.run(request.bindings, outs)
    except MemoryLimitError:
        if first.op is WRITE:
            raise
        # And not in here, as what is raised then is no consequence.
    except DeviceMemoryError:
        if request.choice is None:
            raise
        # Nobody asked for the GPU, and others have its memory.
        return _evaluate_in_memory(roots, request.where_arrays_are(roots), outs, reuse)
    return evaluate_in_tiles(roots, outs, request)


def evaluate_in_tiles(
    roots: tuple[Node, ...], outs: Sequence[Any] | None = None, request: Request | None = None
) -> list[Any]:
    """Compute the values of `roots` within a bound on the memory: tile by tile.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    outs : sequence of (numpy.ndarray or Sink or None), optional
        Where to write them; shapes and dtypes must fit.
    request : Request, optional
        For the roots, if there is one already.

    Returns
    -------
    list of numpy.ndarray or Sink
        Fresh arrays, or those of `outs`.

    Raises
    ------
    MemoryLimitError
        If a value does not fit and cannot be cut; nothing is computed then.
    """
    request = (request or Request.of(roots, get_config())).where_arrays_are(roots)
    if request.target is None or not request.target.on_host:
        raise MemoryLimitError(
            "a plan for a GPU is not run in tiles",
            origin=roots[0].origin,
            hint='evaluate it on the processor, device="cpu", or read its arrays first',
        )
    tiled = request.in_tiles(roots)
    plan = _find_or_compile(roots, tiled)
    results = plan.executor.run(tiled.bindings, outs)
    count(plan, tiled)
    return results


def _evaluate_in_memory(
    roots: tuple[Node, ...],
    request: Request,
    outs: _Outs,
    reuse: bool,
    form: Form | None = None,
    dear: bool = False,
) -> list[Array]:
    settings = request.settings
    is_long = reuse and len(request.bindings.order) > tuning.row().expression_nodes
    if is_long and not (settings.max_memory or settings.debug == NAN or run_log.listeners()):
        again = request.asked_again or not request.repeated
        stored = [] if again else choose_stored(roots, request.bindings, request.repeated)
        return _evaluate_in_pieces(roots, stored, request, outs)
    if reuse and not (request.asked_again or settings.max_memory):
        on_host = request.target is not None and request.target.on_host
        stored = worth_storing(roots, request.bindings, request.repeated, on_host, dear)
        if stored:
            return _evaluate_and_store(roots, stored, request, outs, form)
    plan = _find_or_compile(roots, request)
    results = plan.executor.run(request.bindings, outs)
    count(plan, request)
    if form is not None:
        enter(form, request, plan, request.bindings)
    note_evaluation(plan, request, roots)
    return results


def _evaluate_in_pieces(
    roots: tuple[Node, ...], stored: Sequence[Node], request: Request, outs: _Outs
) -> list[Array]:
    """Compute a long expression piece by piece, and store what later ones begin with."""
    settings = request.settings
    again = request.asked_again or not request.repeated

    def planned(values: tuple[Node, ...]) -> tuple[CachedPlan, Bindings]:
        piece = Request.unmarked(values, settings)
        plan = _find_or_compile(values, piece)
        WORK.computed += plan.computed
        return plan, piece.bindings

    def compute(values: tuple[Node, ...]) -> list[Node]:
        plan, bindings = planned(values)
        _, memory = plan.executor.run_and_keep(bindings, 0, None, PIECE)
        pairs = zip(values, memory, strict=True)
        return [fresh_leaf(LEAF, v.dtype, v.shape, leaf, v.origin) for v, leaf in pairs]

    from lazyarr.compiler.pieces import PIECE, last_piece  # most expressions are short

    everything = (*roots, *stored)
    order = bind(everything)[1].order
    plan, bindings = planned(last_piece(everything, order, compute))
    results, memory = plan.executor.run_and_keep(bindings, result_count(roots), outs, IN_USE)
    WORK.eager += eager_elements([v for v in order if again or id(v) not in request.repeated])
    store(stored, memory)
    return results


def store_in_use(root: Node) -> None:
    """Compute the nodes of an expression that are in use, and store them, before it is asked for.

    Parameters
    ----------
    root : Node
        The expression; it is computed itself if anything refers to it.
    """
    request = Request.of((root,), get_config(), windows=False)
    everything = frozenset(id(value) for value in request.bindings.order if value.src)
    stored = choose_stored((), request.bindings, everything)
    if not stored:
        return
    if len(request.bindings.order) > tuning.row().expression_nodes:
        _evaluate_in_pieces((), stored, request, None)
    elif stored == [root]:
        plan = _find_or_compile((root,), request)
        _, memory = plan.executor.run_and_keep(request.bindings, 0, None, IN_USE)
        count(plan, request)
        store(stored, memory)
    else:
        _evaluate_and_store((), stored, request, None, None)


def _evaluate_and_store(
    roots: _Roots, stored: Sequence[Node], request: Request, outs: _Outs, form: Form | None
) -> list[Array]:
    """Compute the values of `roots`, and of others with which later expressions begin."""
    everything = Request.unmarked((*roots, *stored), request.settings)
    plan = _find_or_compile((*roots, *stored), everything)
    count(plan, request)
    results, memory = plan.executor.run_and_keep(
        everything.bindings, result_count(roots), outs, IN_USE
    )
    enter(form, request, plan, everything.bindings, stored)
    store(stored, memory)
    return results


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
    request = _placed(roots, Request.of(roots, settings, windows=False), donated)
    plan = _find_or_compile(roots, request, any_length=False)
    if request.placement is not None and request.placement.whole_on_gpu:
        from lazyarr.compiler.parts import PartedExecutor  # bound calls read the host's arrays, too

        leaves = request.bindings.leaves
        return PartedExecutor.of_one(plan.executor, len(leaves), len(roots)), request.bindings
    return plan.executor, request.bindings


def _placed(roots: tuple[Node, ...], request: Request, donated: Sequence[Node]) -> Request:
    """Return a request on its device; one that overwrites leaves runs where these are."""
    if donated:
        return request.where_arrays_are(roots).with_donated(donated)
    return request.decided(roots)


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
        memory = current(roots)
        if transfers.needs_copy_to_device(memory, settings):
            return transfers.copy_to_device(memory, settings)
    request = Request.of(roots, settings)
    try:
        plan = request.plan
        if plan is None:
            plan = _find_or_compile(roots, request)
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
    return evaluate_in_tiles(roots, None, request)


def _find_or_compile(
    roots: tuple[Node, ...], request: Request, *, any_length: bool = True
) -> CachedPlan:
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
        plan = _find_or_compile(roots, request.decided(roots), any_length=any_length)
        PLANS.put(key, plan, again=True)
        return plan
    if plan is None:
        plan = (fill_plan(roots, request, _build) if any_length else None) or _build(roots, request)
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


def _build(roots: tuple[Node, ...], request: Request) -> CachedPlan:
    """Return the compiled plan of a request."""
    started = time.perf_counter()
    settings, bindings = request.placed_settings, request.bindings
    target = target_of(settings)
    if roots[0].op is WRITE and not target.on_host:
        raise DeviceError("values of a GPU are not written to the host's arrays by kernels")
    target.open(settings.device)
    canonical = canonicalize(bindings)
    positions = {original: index for index, original in enumerate(bindings.order)}
    origins = {
        placeholder: positions[original]
        for placeholder, original in canonical.originals.items()
        if original in positions
    }
    if request.placement is not None and request.placement.parts is not None:
        from lazyarr.compiler.parts import build_parts  # most machines have one device

        return build_parts(request, canonical, origins, _compile)
    leaf_count = len(bindings.leaves)
    executor, program = _compile(roots, canonical, request, settings, origins, leaf_count, started)
    if settings.debug == NAN:
        from lazyarr.compiler.nonfinite import NonFiniteCheck

        executor = NonFiniteCheck(executor, canonical, origins)
    return CachedPlan.of(executor, program.computed, program.eager)


def _compile(
    roots: tuple[Node, ...],
    canonical: Canonical,
    request: Request,
    settings: Config,
    origins: dict[Node, int],
    leaf_count: int,
    started: float,
) -> tuple[Executor, Program]:
    """Return the compiled plan of a canonical DAG on the device of the settings."""
    threads, tiled = request.threads, request.tiled
    program = compile_program(roots, canonical, settings, request.donated, tiled)
    show(program, settings.debug)
    seconds = time.perf_counter() - started
    raw = replace(program, raw=canonical.roots)
    observed = ObservedPlan(raw, origins) if run_log.listeners() else None
    executor = _load(program, origins, leaf_count, threads, settings, seconds, observed, tiled)
    executor.diagnose_by(
        Diagnosis(
            [step.group for step in program.plan.steps],
            written_as(program.final, origins),
            settings,
            lambda checks, own: _check(checks, leaf_count, threads, own, tiled),
        )
    )
    return executor, program


def _check(
    roots: tuple[Node, ...], leaf_count: int, threads: int, settings: Config, tiled: bool
) -> Callable[..., list[Array]]:
    """Return a function that computes values over the parameters of another plan."""
    started = time.perf_counter()
    program = compile_program(roots, Canonical(roots, {}), settings, tiled=tiled)
    seconds = time.perf_counter() - started
    return _load(program, {}, leaf_count, threads, settings, seconds, None, tiled).run


def _load(
    program: Program,
    origins: dict[Node, int],
    leaf_count: int,
    threads: int,
    settings: Config,
    seconds: float,
    observed: ObservedPlan | None = None,
    tiled: bool = False,
) -> Executor:
    """Compile the sources of a program."""
    lowered = LoweredPlan(
        program.plan,
        program.fusion.layouts,
        program.lowered,
        tuple(code.sources for code in program.kernels),
        program.simplified,
        origins,
        leaf_count,
        seconds,
        observed,
        tiled,
    )
    target = target_of(settings)
    executor = target.load(lowered, threads, settings)
    target.watch(executor, program.writer.tunable(program.kernels), settings)
    return executor
