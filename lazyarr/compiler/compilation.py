"""The stages of the compiler in order, for an expression whose plan is not there yet.

::

    DAG -> canonical DAG -> simplify -> fuse -> schedule -> plan_memory -> lower -> emit -> load
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.plan_cache import CachedPlan
from lazyarr.compiler.program import ObservedPlan, Program, show
from lazyarr.compiler.request import Request
from lazyarr.compiler.stages import compile_program
from lazyarr.compiler.targets import target_of
from lazyarr.core.config import CHECK, NAN, Config, get_config
from lazyarr.core.frozen import replace
from lazyarr.errors import DeviceError
from lazyarr.execution.fp_errors.diagnosis import Diagnosis, written_as
from lazyarr.execution.plan import LoweredPlan
from lazyarr.graph.node import Node
from lazyarr.ops.movement import WRITE
from lazyarr.passes.canonicalize import Bindings, Canonical, canonicalize
from lazyarr.runtime import run_log

if TYPE_CHECKING:
    from lazyarr.execution.executor import Executor

__all__ = ["analyse", "build", "lowered_plan", "positions_of"]

Array = np.ndarray[Any, Any]


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
    request = request.placed(roots, donated)
    canonical = canonicalize(request.bindings)
    program = compile_program(roots, canonical, request.placed_settings, request.donated)
    return replace(program, placement=request.placement, originals=canonical.originals)


def build(roots: tuple[Node, ...], request: Request) -> CachedPlan:
    """Return the compiled plan of a request.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    request : Request
        Their request, with nodes.

    Raises
    ------
    DeviceError
        If it writes values of a GPU to arrays of the host.
    """
    started = time.perf_counter()
    settings, bindings = request.placed_settings, request.bindings
    target = target_of(settings)
    if roots[0].op is WRITE and not target.on_host:
        raise DeviceError("kernels cannot write GPU values to host arrays")
    target.open(settings.device)
    canonical = canonicalize(bindings)
    positions = positions_of(canonical, bindings)
    if request.placement is not None and request.placement.parts is not None:
        from lazyarr.compiler.parts import build_parts  # most machines have one device

        return build_parts(request, canonical, positions, _compile)
    leaf_count = len(bindings.leaves)
    executor, program = _compile(
        roots, canonical, request, settings, positions, leaf_count, started
    )
    if settings.debug == NAN:
        from lazyarr.compiler.nonfinite import NonFiniteCheck

        executor = NonFiniteCheck(executor, canonical, positions)
    elif target.on_host and not CHECK:
        # Imported here, as by the pipeline.
        from lazyarr.compiler.saved_plans import save

        save(request, executor, program)
    return CachedPlan.of(executor, program.computed, program.eager)


def positions_of(canonical: Canonical, bindings: Bindings) -> dict[Node, int]:
    """Return the user's nodes, by position in the bindings, that placeholders stand for.

    Parameters
    ----------
    canonical : Canonical
        The expression over parameters.
    bindings : Bindings
        The user's nodes in order.
    """
    places = {original: place for place, original in enumerate(bindings.order)}
    return {
        placeholder: places[original]
        for placeholder, original in canonical.originals.items()
        if original in places
    }


def _compile(
    roots: tuple[Node, ...],
    canonical: Canonical,
    request: Request,
    settings: Config,
    positions: dict[Node, int],
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
    observed = ObservedPlan(raw, positions) if run_log.listeners() else None
    lowered = lowered_plan(program, positions, leaf_count, seconds, observed, tiled)
    executor = _load(program, lowered, threads, settings)
    executor.diagnose_by(
        Diagnosis(
            [step.group for step in program.plan.steps],
            written_as(program.final, positions),
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
    lowered = lowered_plan(program, {}, leaf_count, seconds, tiled=tiled)
    return _load(program, lowered, threads, settings).run


def lowered_plan(
    program: Program,
    positions: Mapping[Node, int],
    leaf_count: int,
    seconds: float,
    observed: ObservedPlan | None = None,
    tiled: bool = False,
) -> LoweredPlan:
    """Return the plan of a program with the sources of its kernels.

    Parameters
    ----------
    program : Program
        The compiler's stages, up to sources.
    positions : mapping of Node to int
        Which of the user's nodes, by position in the bindings, a placeholder stands for.
    leaf_count : int
        Leaves of the user's expression.
    seconds : float
        Time of these stages.
    observed : ObservedPlan, optional
        The description for those who listen to runs.
    tiled : bool, optional
        Whether it is to be run in tiles.
    """
    return LoweredPlan(
        program.plan,
        program.fusion.layouts,
        program.lowered,
        tuple(code.sources for code in program.kernels),
        program.simplified,
        positions,
        leaf_count,
        seconds,
        observed,
        tiled,
    )


def _load(program: Program, lowered: LoweredPlan, threads: int, settings: Config) -> Executor:
    """Compile the sources of a program."""
    target = target_of(settings)
    executor = target.load(lowered, threads, settings)
    target.watch(executor, program.writer.tunable(program.kernels), settings)
    return executor
