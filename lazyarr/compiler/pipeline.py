"""The whole compiler in one picture: the only module that sees code generation and the runtime.

::

    DAG -> canonical DAG -> simplify -> fuse -> schedule -> plan_memory -> lower -> emit -> load
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from lazyarr.codegen.cpu.contraction_analysis import product_pays
from lazyarr.codegen.cpu.lower import lower
from lazyarr.codegen.emit.cpu import commented, emit
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.scalar import covers
from lazyarr.compiler.plan_cache import PLANS, Memo, memo_of
from lazyarr.compiler.reuse import COMPUTED, again, mark, restart
from lazyarr.core.config import Config, get_config
from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import MemoryLimitError
from lazyarr.execution.cpu import Executable
from lazyarr.execution.fp_errors.diagnosis import Diagnosis, written_as
from lazyarr.execution.transfers import fetched, sent, to_be_fetched, to_be_sent
from lazyarr.graph.device_leaf import DeviceLeaf, placed
from lazyarr.graph.node import (
    ComputedLeaf,
    Early,
    Kind,
    Leaf,
    Node,
    fresh_leaf,
    node,
    replace_sources,
)
from lazyarr.loop_ir.kernel import Kernel
from lazyarr.loop_ir.source import Source
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import LEAF
from lazyarr.passes.canonicalize import Canonical, Shell, canonicalize, shell
from lazyarr.passes.expand_matmul import write_out_products
from lazyarr.passes.library_epilogues import fold_epilogues
from lazyarr.passes.simplify import simplify
from lazyarr.runtime.cpu import blas_threads as blas
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.schedule.fusion import Edge, Fusion, Group, fuse
from lazyarr.schedule.memory import Plan, check_plan, plan_memory
from lazyarr.schedule.order import check_schedule, schedule

__all__ = [
    "KernelCode",
    "Program",
    "analyse",
    "evaluate",
    "persist",
    "prepare",
]

Array = np.ndarray[Any, Any]

CHECK = os.environ.get("LAZYARR_CHECK", "") not in ("", "0")

#: Where values come from that arrays of the program go on with.
_IN_USE = Early("a value in use", "several evaluations would have computed it again")


@dataclass(frozen=True, eq=False, slots=True)
class KernelCode:
    """The code of one group: its loop IR and its source, a kernel or a kernel and its combiner."""

    group: Group
    kernels: tuple[Kernel, ...]
    sources: tuple[Source, ...]
    source: str


@dataclass(frozen=True, eq=False, slots=True)
class Program:
    """Everything the compiler knows of an expression before there is machine code.

    Attributes
    ----------
    raw, simplified : tuple of Node
        The roots as built and after simplification.
    groups : tuple of Group
        Kernels and library calls in execution order.
    not_fused : tuple of Edge
        Values that go through memory, and why.
    fusion : Fusion
        Groups with the layout of every stored value.
    plan : Plan
        Steps and buffers.
    device : str
        Where it runs: "cpu" or "cuda".
    kernels : tuple of KernelCode
        One for each kernel group.
    lowered : tuple of Lowered
        Their launches.
    final : dict of Node to Node
        What simplification made of each node.
    """

    raw: tuple[Node, ...]
    simplified: tuple[Node, ...]
    groups: tuple[Group, ...]
    not_fused: tuple[Edge, ...]
    fusion: Fusion
    plan: Plan
    device: str
    kernels: tuple[KernelCode, ...]
    lowered: tuple[Lowered, ...]
    final: dict[Node, Node]


def _threads(settings: Config) -> int:
    return settings.threads or default_threads()


def _own_results(roots: Sequence[Node]) -> tuple[Node, ...]:
    """Make copies of results that are only views of given arrays, constants, or other results."""
    owned: list[Node] = []
    given: set[Node] = set()
    for root in roots:
        base = _owner(root)
        if base.op.kind in (Kind.PARAMETER, Kind.CONSTANT):
            root = _copied(root)
            base = _owner(root)
        # A view of part of a result gets memory of its own anyway.
        while base in given and base.size == root.size:
            root = _copied(root)
            base = _owner(root)
        given.add(base)
        owned.append(root)
    return tuple(owned)


def _owner(root: Node) -> Node:
    """Return the value whose elements `root` shows in another arrangement."""
    while root.op.kind in (Kind.VIEW, Kind.RESHAPE):
        root = root.src[0]
    return root


def _copied(root: Node) -> Node:
    """Return a copy of `root`, made before it is reshaped: what is reshaped is stored anyway."""
    reshapes: list[Node] = []
    while root.op.kind is Kind.RESHAPE:
        reshapes.append(root)
        root = root.src[0]
    copy = node(ELEMENTWISE["cast"], (root,), root.dtype, root.shape, None, root.origin)
    for step in reversed(reshapes):
        copy = replace_sources(step, (copy,))
    return copy


def _compile(raw: tuple[Node, ...], canonical: Canonical, settings: Config) -> Program:
    """Take a canonical DAG through every stage that needs no compiler.

    The settings name the device that it runs on.
    """
    final: dict[Node, Node] = {}
    target = _target(settings)
    roots = target.prepare(_own_results(simplify(canonical.roots, final)), final)
    fusion = fuse(tuple(dict.fromkeys(roots)), target.covers(settings))
    scheduled = schedule(fusion)
    plan = plan_memory(scheduled)
    lowered = tuple(
        target.lower(step.group, plan, fusion.layouts, _comments(step.group))
        for step in plan.steps
        if step.group.kind == "kernel"
    )
    threads = _threads(settings)
    scratch = max(
        (found.shared_scratch + threads * found.worker_scratch for found in lowered), default=0
    )
    plan = plan.with_scratch(scratch)
    if CHECK:
        check_schedule(scheduled)
        check_plan(plan)
    kernels = tuple(_emit(found, target, settings.backend) for found in lowered)
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
    )


def _comments(group: Group) -> list[str]:
    """Return lines for the reader of a kernel: what it computes and where that was written."""
    lines = []
    for output in group.outputs:
        value = output.node
        shape = "x".join(map(str, value.shape)) or "scalar"
        line = f"{value.op.name}: {value.dtype.name} {shape}"
        if value.origin is not None:
            line += f"    {value.origin[0]}:{value.origin[1]}"
        lines.append(line)
    return lines


@dataclass(frozen=True, slots=True)
class _Target:
    """How groups become sources for one kind of device.

    `prepare` makes use of what its libraries do in one step.
    """

    prepare: Callable[[tuple[Node, ...], dict[Node, Node]], tuple[Node, ...]]
    covers: Callable[[Config], Callable[[Node], bool]]
    lower: Callable[..., Any]
    emit: Callable[..., Source]
    commented: Callable[..., str]
    executable: Callable[..., Executable]


def _with_own_products(roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
    return write_out_products(roots, lambda value: product_pays(value, blas.vector_bytes), final)


def _covers_closely(settings: Config) -> Callable[[Node], bool]:
    """Return what says whether kernels compute a node, unless NumPy's own numbers are wanted."""
    if settings.numerics == "fast":
        return covers

    def closely(value: Node) -> bool:
        loose = value.op.loose and value.src[0].dtype.kind == "c"
        return not loose and covers(value)

    return closely


_CPU = _Target(_with_own_products, _covers_closely, lower, emit, commented, Executable)


def _target(settings: Config) -> _Target:
    return _cuda() if settings.device == "cuda" else _CPU


@cache
def _cuda() -> _Target:
    # Imported when first asked for: most processes never see a GPU.
    from lazyarr.codegen.cuda import lower as lower_cuda
    from lazyarr.codegen.emit import cuda as emit_cuda
    from lazyarr.execution.cuda.executable import DeviceExecutable

    def emit_device(kernel: Any, backend: str) -> Source:
        return emit_cuda.emit_cuda(kernel)

    def fold(roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
        return fold_epilogues(roots)

    return _Target(
        fold,
        lambda settings: lower_cuda.covers,
        lower_cuda.lower_cuda,
        emit_device,
        emit_cuda.commented,
        DeviceExecutable,
    )


def _emit(lowered: Lowered, target: _Target, backend: str) -> KernelCode:
    kernels = tuple(launch.kernel for launch in lowered.launches)
    sources = tuple(target.emit(kernel, backend) for kernel in kernels)
    text = "\n\n".join(target.commented(k, s) for k, s in zip(kernels, sources, strict=True))
    return KernelCode(lowered.group, kernels, sources, text)


def analyse(roots: tuple[Node, ...], settings: Config | None = None) -> Program:
    """Return what the compiler makes of an expression, without compiling it.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    settings : Config, optional
        Default: those in force.
    """
    found = shell(roots)
    settings = _settled(found, settings or get_config())
    return _compile(roots, canonicalize(roots, found), settings)


def _settled(found: Shell, settings: Config) -> Config:
    """Return the settings with the device that an expression runs on."""
    device = placed(found.leaves, settings)
    return settings if device == settings.device else replace(settings, device=device)


def evaluate(roots: tuple[Node, ...], outs: Sequence[Array | None] | None = None) -> list[Array]:
    """Compute the values of `roots` together.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    outs : sequence of (numpy.ndarray or None), optional
        Where to write them; shapes and dtypes must fit.

    Returns
    -------
    list of numpy.ndarray
        Fresh arrays, or those of `outs`.

    Raises
    ------
    MemoryLimitError
        If the plan needs more than ``max_memory`` bytes; nothing is computed then.
    """
    settings = get_config()
    if not roots[0].src and to_be_fetched(roots, settings):
        return fetched(roots, outs)
    found: Shell | None = None
    if memo_of(roots) is None:
        found = shell(roots)
        if mark(found.order) and not settings.max_memory:
            wanted = again(roots, found.order)
            if wanted:
                return _evaluate_and_store(roots, wanted, settings, outs)
    executable, found = _executable(roots, settings, found)
    return executable.run(found, outs)


def _evaluate_and_store(
    roots: tuple[Node, ...],
    wanted: Sequence[Node],
    settings: Config,
    outs: Sequence[Array | None] | None,
) -> list[Array]:
    """Compute the values of `roots`, and others with which expressions then begin."""
    executable: Any
    executable, found = _executable((*roots, *wanted), settings)
    results: list[Array]
    memory: list[Leaf]
    if type(executable) is Executable:
        targets = [None] * len(roots) if outs is None else list(outs)
        values = executable.run(found, [*targets, *([None] * len(wanted))])
        results = values[: len(roots)]
        for value in values[len(roots) :]:
            value.flags.writeable = False
        memory = [ComputedLeaf(value, _IN_USE) for value in values[len(roots) :]]
    else:
        values = executable.run_on_device(found)
        results = [value.get() for value in values[: len(roots)]]
        for k, target in enumerate(outs or ()):
            if target is not None:
                np.copyto(target, results[k])
                results[k] = target
        memory = [DeviceLeaf(value) for value in values[len(roots) :]]
    restart(
        {
            value: fresh_leaf(LEAF, value.dtype, value.shape, attr, value.origin)
            for value, attr in zip(wanted, memory, strict=True)
        }
    )
    return results


def prepare(roots: tuple[Node, ...], settings: Config) -> tuple[Executable, Shell]:
    """Return the plan of an expression with its machine code, and what fills it; runs nothing."""
    return _executable(roots, settings)


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
    if not roots[0].src and to_be_sent(roots, settings):
        return sent(roots, settings)
    executable: Any
    executable, found = _executable(roots, settings)
    if type(executable) is Executable:
        return list(executable.run(found))
    on_device: list[Any] = executable.run_on_device(found)
    return on_device


def _executable(
    roots: tuple[Node, ...], settings: Config, found: Shell | None = None
) -> tuple[Executable, Shell]:
    """Return the plan of an expression with its machine code, made now if it is new.

    What fills it, `found`, is looked for if it is not known.
    """
    memo = memo_of(roots) if found is None else None
    if memo is not None and memo.serves(settings):
        assert memo.executable is not None
        PLANS.hits += 1
        if settings.max_memory:
            _check_limit(memo.executable, settings, roots)
        return memo.executable, memo.shell
    threads = _threads(settings)
    if memo is not None:
        found = memo.shell
    elif found is None:
        found = shell(roots)
        mark(found.order)
    key = (found.key, threads, settings.numerics, placed(found.leaves, settings), settings.backend)
    generation = PLANS.generation
    executable = PLANS.get(key)
    if executable is None:
        if memo is not None:
            found = shell(roots)
        executable = _build(roots, found, _settled(found, settings), threads)
        PLANS.put(key, executable)
    elif memo is not None:
        roots[0].memo = replace(
            memo, settings=settings, generation=generation, executable=executable
        )
    else:
        first = roots[0]
        if first.memo is not COMPUTED and not any(root in found.leaves for root in roots):
            # It comes again and again.
            first.memo = Memo(tuple(map(weakref.ref, roots)), found.without_nodes())
    _check_limit(executable, settings, roots)
    return executable, found


def _check_limit(executable: Executable, settings: Config, roots: tuple[Node, ...]) -> None:
    if settings.max_memory and executable.plan.peak_bytes > settings.max_memory:
        raise MemoryLimitError(
            f"the plan needs {executable.plan.peak_bytes:,} bytes, max_memory is "
            f"{settings.max_memory:,}",
            origin=roots[0].origin,
            hint="evaluate fewer results at a time, or raise max_memory",
        )


def _build(roots: tuple[Node, ...], found: Shell, settings: Config, threads: int) -> Executable:
    started = time.perf_counter()
    if settings.device == "cuda":
        from lazyarr.runtime.cuda import device as cuda

        cuda.begin_opening()
    canonical = canonicalize(roots, found)
    program = _compile(roots, canonical, settings)
    if settings.debug >= 1:
        for group in program.groups:
            print(f"{group.name}: {group.template} over {group.domain}")
    if settings.debug >= 2:
        for code in program.kernels:
            print(code.source)
    seconds = time.perf_counter() - started
    positions = {original: index for index, original in enumerate(found.order)}
    origins = {
        placeholder: positions[original]
        for placeholder, original in canonical.originals.items()
        if original in positions
    }
    leaf_count = len(found.leaves)
    executable = _load(program, origins, leaf_count, threads, settings, seconds)
    executable.diagnose_by(
        Diagnosis(
            [step.group for step in program.plan.steps],
            written_as(program.final, origins),
            lambda checks: _check(checks, leaf_count, threads, settings),
        )
    )
    return executable


def _check(
    roots: tuple[Node, ...], leaf_count: int, threads: int, settings: Config
) -> Callable[..., list[Array]]:
    """Return a function that computes values over the parameters of another plan."""
    started = time.perf_counter()
    program = _compile(roots, Canonical(roots, {}), settings)
    seconds = time.perf_counter() - started
    return _load(program, {}, leaf_count, threads, settings, seconds).run


def _load(
    program: Program,
    origins: dict[Node, int],
    leaf_count: int,
    threads: int,
    settings: Config,
    seconds: float,
) -> Executable:
    """Compile the sources of a program."""
    return _target(settings).executable(
        program.plan,
        program.fusion,
        program.lowered,
        [code.sources for code in program.kernels],
        program.simplified,
        origins,
        leaf_count,
        threads,
        settings,
        seconds,
    )
