"""The whole compiler in one picture: the only module that sees code generation and the runtime.

::

    DAG -> canonical DAG -> simplify -> fuse -> schedule -> plan_memory -> lower -> emit -> load
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.counters import WORK, Repetition
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
from lazyarr.core import tuning
from lazyarr.core.config import AUTO, NAN, Config, get_config
from lazyarr.core.frozen import replace
from lazyarr.errors import DeviceError, DeviceMemoryError, MemoryLimitError
from lazyarr.execution.fp_errors.diagnosis import Diagnosis, written_as
from lazyarr.execution.memory_bound import memory_bound
from lazyarr.execution.plan import LoweredPlan
from lazyarr.graph.node import Leaf, Node, fresh_leaf
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
_NO_NODES: Sequence[Node] = ()
_NO_LEAVES: Sequence[Leaf] = ()


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
            # Hand back.
            if request.plan is None:
                _hand_back(roots, request, form, plan, bindings, stored, leaves)
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


def _hand_back(
    roots: _Roots,
    request: Request,
    form: Form | None,
    plan: CachedPlan,
    bindings: Bindings,
    stored: Sequence[Node],
    leaves: Sequence[Leaf],
) -> None:
    """Count a run, store the values to reuse, and enter the expression into the plan cache."""
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
        plan, bindings = _last_piece((), stored, request)
    elif stored == [root]:
        plan, bindings = _plan_of((root,), request), request.bindings
    else:
        plan, bindings = _plan_with(stored, (), request.settings)
    _, leaves = plan.executor.run_and_keep(bindings, 0, None, IN_USE)
    _hand_back((), request, None, plan, bindings, stored, leaves)


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
    plan = _plan_of(roots, request, any_length=False)
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
        raise DeviceError("kernels cannot write GPU values to host arrays")
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
    if settings.debug:
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
