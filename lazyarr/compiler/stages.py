"""An expression on its way to source text: every stage of the compiler that makes no machine code.

::

    canonical DAG -> simplify -> fuse -> update_in_place -> schedule -> plan_memory -> lower -> emit
"""

from __future__ import annotations

from lazyarr.compiler.kernel_code import KernelWriter
from lazyarr.compiler.program import Program
from lazyarr.compiler.targets import target_of
from lazyarr.core.config import CHECK, Config
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.movement import WRITE
from lazyarr.passes.canonicalize import Canonical
from lazyarr.passes.own_results import own_results
from lazyarr.passes.simplify import simplify
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.schedule.cost import computed_elements, eager_elements
from lazyarr.schedule.fusion import fuse
from lazyarr.schedule.memory import Plan, check_plan, plan_memory
from lazyarr.schedule.order import check_schedule, schedule

__all__ = ["compile_program"]


def compile_program(
    raw: tuple[Node, ...],
    canonical: Canonical,
    settings: Config,
    donated: tuple[int, ...] = (),
    tiled: bool = False,
) -> Program:
    """Take a canonical DAG through every stage that needs no compiler.

    Parameters
    ----------
    raw : tuple of Node
        The results as built.
    canonical : Canonical
        The same over parameters.
    settings : Config
        They name the device that it runs on.
    donated : tuple of int
        Numbers of the leaves that results may overwrite.
    tiled : bool
        Whether it is to be run in tiles.
    """
    final: dict[Node, Node] = {}
    target = target_of(settings).streaming() if tiled else target_of(settings)
    legal = target.legalize(own_results(simplify(canonical.roots, final)), final)
    roots = own_results(legal)  # a part of what was joined may be an array itself
    fusion = fuse(tuple(dict.fromkeys(roots)), target)
    if not tiled and any(value.op.kind is Kind.CONCATENATE for value in fusion.layouts):
        # Imported here: most expressions write to no part of an array.
        from lazyarr.schedule.updates_in_place import update_in_place

        fusion = update_in_place(fusion)
    scheduled = schedule(fusion)
    shares_blocks = target.on_host and not tiled
    plan = plan_memory(scheduled, donated, in_place=not tiled, shares_blocks=shares_blocks)
    if CHECK:
        check_schedule(scheduled)
        check_plan(plan)
    computed = sum(map(computed_elements, fusion.groups))
    eager = eager_elements(canonical.originals.values())
    # Trials compare results, and what is written to a leaf is none; and they time optimised code.
    tunes = settings.tune and settings.optimize and not tiled
    tunes = tunes and all(root.op is not WRITE for root in roots)
    writer = KernelWriter(target, plan, fusion, settings, tunes=tunes, checks=CHECK)
    written = [writer.write(step.group) for step in plan.steps if step.group.kind == "kernel"]
    lowered = tuple(kernel for kernel, _ in written)
    threads = settings.threads or default_threads()
    scratch = max(
        (
            *(
                kernel.scratch_bytes(threads) if kernel.worker_scratch else kernel.shared_scratch
                for kernel in lowered
            ),
            *(
                shared + threads * own
                for shared, own in map(target.library_scratch, _by_library(plan))
            ),
        ),
        default=0,
    )
    plan = plan.with_scratch(scratch).with_copies(
        target.copied(plan, fusion.layouts, threads) if donated else ()
    )
    return Program(
        raw,
        roots,
        fusion.groups,
        fusion.not_fused,
        fusion,
        plan,
        settings.device,
        tuple(code for _, code in written),
        lowered,
        final,
        computed,
        eager,
        writer,
    )


def _by_library(plan: Plan) -> list[Node]:
    """Return the values that library steps compute."""
    return [step.group.members[0] for step in plan.steps if step.group.kind == "library"]
