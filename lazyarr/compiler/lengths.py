"""Plans whose lengths are parameters: one for all expressions of a form, as far as it fits them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from lazyarr.compiler.forms import FORMS, Member, Pattern, form_of, sizes_of
from lazyarr.compiler.plan_cache import PLANS, CachedPlan
from lazyarr.compiler.request import Request
from lazyarr.core.config import NAN
from lazyarr.core.frozen import replace
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Bindings, canonicalize
from lazyarr.runtime import run_log

if TYPE_CHECKING:
    from lazyarr.execution.cpu.executor import CpuExecutor
    from lazyarr.execution.cpu.filling import GenericPlan

__all__ = ["fill_plan"]

Build = Callable[[tuple[Node, ...], Request], CachedPlan]


def fill_plan(roots: tuple[Node, ...], request: Request, build: Build) -> CachedPlan | None:
    """Return a plan of another expression of the form, filled with the lengths of this one.

    None if there is none and none should be made: for the first expression of a form, on a GPU,
    where results overwrite arguments, in tiles, and while runs are observed.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    request : Request
        For them.
    build : callable
        Returns a plan for the lengths of an expression.
    """
    settings = request.settings
    if request.target is None or not request.target.reuses_forms:
        return None
    if request.donated or request.tiled or settings.debug == NAN:
        return None
    bindings = request.bindings
    if not bindings.order or run_log.listeners():
        return None
    form, numbers = form_of(request.signature)
    known = FORMS.enter((form, request.key[1:]), numbers)
    if known is None:
        return None
    match = known.find(numbers)
    if match is None:
        pattern = known.pattern(numbers)
        plan = None if pattern is None else _plan_over(roots, request, pattern)
        if pattern is None or plan is None:
            return None
        PLANS.misses += 1
        member = Member(pattern, plan)
        known.add(member)
        values = member.values(numbers)
        assert values is not None
        match = member, values
    member, values = match
    # Imported here: most forms come with one set of lengths.
    from lazyarr.schedule.cost import eager_elements

    executor, computed = member.plan.fill(values, _exactly(request, build))
    eager = eager_elements(bindings.order)
    return CachedPlan(executor, computed, eager, member.repetition, filled=True)


def _plan_over(roots: tuple[Node, ...], request: Request, pattern: Pattern) -> GenericPlan | None:
    """Return a plan over the symbols of a pattern; None where runs always need a diagnosis."""
    # Imported here, as above.
    from lazyarr.compiler.compilation import lowered_plan, positions_of
    from lazyarr.compiler.stages import compile_program
    from lazyarr.execution.cpu.filling import GenericPlan
    from lazyarr.execution.fp_errors.diagnosis import always_fails

    started = time.perf_counter()
    settings, bindings = request.placed_settings, request.bindings
    sizes = sizes_of(request.signature, bindings.order, pattern.numbers)
    canonical = canonicalize(bindings, sizes)
    # A record is of one size class, and a plan over symbols of all.
    program = compile_program(roots, canonical, replace(settings, tune=False))
    if any(group.kind == "kernel" and always_fails(group) for group in program.groups):
        return None
    positions = positions_of(canonical, bindings)
    seconds = time.perf_counter() - started
    lowered = lowered_plan(program, positions, len(bindings.leaves), seconds)
    return GenericPlan(lowered, pattern.trace, program.computed, request.threads, settings)


def _exactly(request: Request, build: Build) -> Callable[[Bindings], CpuExecutor]:
    """Return a function from the bindings of a request to an executor for its lengths alone."""
    from lazyarr.execution.cpu.executor import CpuExecutor

    bare = replace(request, bindings=Bindings([], [], []))
    places = request.signature[-1]
    assert isinstance(places, tuple)
    built: list[CpuExecutor] = []

    def executor(bindings: Bindings) -> CpuExecutor:
        if not built:
            roots = tuple([bindings.order[place] for place in places])
            plan = build(roots, replace(bare, bindings=replace(bindings, form=bare.signature)))
            assert isinstance(plan.executor, CpuExecutor)
            built.append(plan.executor)
        return built[0]

    return executor
