"""An expression on its way to source text: every stage of the compiler that makes no machine code.

::

    canonical DAG -> simplify -> fuse -> schedule -> plan_memory -> lower -> emit
"""

from __future__ import annotations

import os

from lazyarr.codegen.launch import Lowered
from lazyarr.compiler.program import KernelCode, Program
from lazyarr.compiler.targets import Target, target_of
from lazyarr.core.config import Config
from lazyarr.graph.node import Node
from lazyarr.passes.canonicalize import Canonical
from lazyarr.passes.own_results import own_results
from lazyarr.passes.simplify import simplify
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.schedule.cost import computed_elements, eager_elements
from lazyarr.schedule.fusion import Group, fuse
from lazyarr.schedule.memory import check_plan, plan_memory
from lazyarr.schedule.order import check_schedule, schedule

__all__ = ["compile_program"]

CHECK = os.environ.get("LAZYARR_CHECK", "") not in ("", "0")


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
    roots = target.legalize(own_results(simplify(canonical.roots, final)), final)
    fusion = fuse(tuple(dict.fromkeys(roots)), target)
    scheduled = schedule(fusion)
    plan = plan_memory(scheduled, donated, in_place=not tiled)
    if CHECK:
        check_schedule(scheduled)
        check_plan(plan)
    computed = sum(map(computed_elements, fusion.groups))
    eager = eager_elements(canonical.originals.values())
    lowered = tuple(
        target.lower(step.group, plan, fusion.layouts, _comments(step.group))
        for step in plan.steps
        if step.group.kind == "kernel"
    )
    threads = settings.threads or default_threads()
    scratch = max(
        (kernel.shared_scratch + threads * kernel.worker_scratch for kernel in lowered), default=0
    )
    plan = plan.with_scratch(scratch)
    kernels = tuple(_emit(kernel, target, settings.backend) for kernel in lowered)
    return Program(
        raw,
        roots,
        fusion.groups,
        fusion.not_fused,
        fusion,
        plan,
        settings.device,
        kernels,
        lowered,
        final,
        computed,
        eager,
    )


def _comments(group: Group) -> list[str]:
    """Return lines for the reader of a kernel: what it computes and where that was written."""
    lines = []
    for output in group.outputs:
        value = output.node
        shape = "x".join(map(repr, value.shape)) or "scalar"
        line = f"{value.op.name}: {value.dtype.name} {shape}"
        if value.origin is not None:
            line += f"    {value.origin[0]}:{value.origin[1]}"
        lines.append(line)
    return lines


def _emit(lowered: Lowered, target: Target, backend: str) -> KernelCode:
    kernels = tuple(launch.kernel for launch in lowered.launches)
    sources = tuple(target.emit(kernel, backend) for kernel in kernels)
    text = "\n\n".join(target.annotate(k, s) for k, s in zip(kernels, sources, strict=True))
    return KernelCode(lowered.group, kernels, sources, text, lowered.launches[0].tiling)
