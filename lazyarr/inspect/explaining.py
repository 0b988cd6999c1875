"""``explain``: analysis of a plan, its costs, and the limits of its speed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lazyarr.autotuning import records
from lazyarr.codegen.launch import Bounds
from lazyarr.compiler.targets import target_named
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.inspect.eager_cost import eager_cost
from lazyarr.inspect.explanation import Cut, Explanation, Fallback, Kernel, NotFused
from lazyarr.inspect.labels import early_of, note_of, operation_text, origin_of
from lazyarr.inspect.program import analyse, roots_of
from lazyarr.schedule.cost import Traffic, arithmetic, computed_by, loop_iterations, traffic
from lazyarr.schedule.materialization import why_no_kernel

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.compiler.kernel_code import KernelCode
    from lazyarr.compiler.program import Program
    from lazyarr.schedule.fusion import Edge, Group
    from lazyarr.schedule.order import Step

__all__ = ["explain", "explain_program"]


def explain(*expressions: object) -> Explanation:
    """Return a report of an evaluation before it runs: its kernels, its costs and their reasons.

    Nothing is evaluated and nothing is compiled. A selection ``x[mask]``, whose size only the
    data determine, is explained as if everything were selected.

    Parameters
    ----------
    *expressions : LazyArray
        Explained as one plan, as :func:`lazyarr.evaluate` would run them.

    Returns
    -------
    Explanation
        Prints as a report; has ``.kernels``, ``.fallbacks``, ``.not_fused``, ``.bytes_moved``,
        ``.peak_bytes``, ``.eager_bytes`` and ``.to_dict()``.

    Raises
    ------
    ArgumentError
        If anything but lazy arrays is given.
    """
    return explain_program(analyse(roots_of(expressions)))


def explain_program(program: Program) -> Explanation:
    """Return the explanation of a program that has been analysed already."""
    code_of = {id(code.group): code for code in program.kernels}
    fused = target_named(program.device).fused_products(program.lowered)
    kernels = []
    fallbacks: list[Fallback] = []
    device_calls: list[Fallback] = []
    moved = 0
    for step in program.plan.steps:
        cost = _traffic_of(step.group)
        moved += cost.total
        if step.group.kind == "kernel":
            kernels.append(_kernel(program, step.group, code_of.get(id(step.group)), cost))
        else:
            call, on_device = _call(program, step, cost, fused)
            (device_calls if on_device else fallbacks).append(call)
    fallbacks.extend(_computed_when_built(program.raw))
    return Explanation(
        kernels=tuple(kernels),
        fallbacks=tuple(fallbacks),
        device_calls=tuple(device_calls),
        not_fused=_largest_first(program.not_fused),
        steps=tuple(step.group.name for step in program.plan.steps),
        bytes_moved=moved,
        peak_bytes=program.plan.peak_bytes,
        eager=eager_cost(program.raw),
        results=tuple(program.raw),
        bus_bytes=_bus_bytes(program),
        waits=_waits(program),
        placement=program.placement,
    )


def _traffic_of(group: Group) -> Traffic:
    """Return the bytes that a step reads and writes; of a loop, in all iterations."""
    outputs = tuple(output.node for output in group.outputs)
    cost = traffic(group.nodes, group.inputs, outputs)
    if group.kind == "library" and outputs[0].op.loop is not None:
        # Each iteration reads and writes the states at least once.
        iterations = loop_iterations(outputs[0])
        cost = Traffic(cost.read * iterations, cost.written * iterations)
    return cost


def _kernel(program: Program, group: Group, code: KernelCode | None, cost: Traffic) -> Kernel:
    """Return the entry of a kernel."""
    outputs = tuple(output.node for output in group.outputs)
    inside = computed_by([*group.nodes, *outputs], group.inputs)
    return Kernel(
        name=group.name,
        template=group.template,
        domain=group.domain,
        nodes=tuple(node for node in inside if node.op.kind is not Kind.VIEW),
        outputs=outputs,
        bytes_read=cost.read,
        bytes_written=cost.written,
        flops=arithmetic(inside),
        origin=origin_of(outputs, group.nodes),
        source="" if code is None else code.source,
        tiling=None if code is None else code.tiling,
        candidates=() if code is None else _cuts(program, code),
    )


def _call(
    program: Program, step: Step, cost: Traffic, fused: Mapping[str, Tiling]
) -> tuple[Fallback, bool]:
    """Return the entry of a library call, and whether the device computes it."""
    group, output = step.group, step.group.outputs[0].node
    reason, on_device = _who_and_why(output, program.device)
    if on_device and group.name in fused:
        reason += "; with the next kernel one of our own, if that is no slower"
    if step.joined > step.index:
        reason += f"; beside the steps before {program.plan.steps[step.joined].group.name}"
    call = Fallback(
        name=group.name,
        op=operation_text(output),
        reason=reason,
        bytes_read=cost.read,
        bytes_written=cost.written,
        output=output,
        origin=origin_of(tuple(o.node for o in group.outputs), group.nodes),
        tiling=fused.get(group.name) if on_device else None,
    )
    return call, on_device


def _cuts(program: Program, code: KernelCode) -> tuple[Cut, ...]:
    """Return the tilings of a kernel, with the measurements of tuning."""
    if code.tiling is None:
        return ()
    writer = program.writer
    record = records.load(writer.settings.cache_dir, code.key) if code.key else None
    seconds = {} if record is None else record.seconds
    return tuple(
        Cut(c.name, c.tiling, c.seconds, seconds.get(c.name), c.tiling == code.tiling)
        for c in writer.ways_of(code)
    )


def _bus_bytes(program: Program) -> int:
    """Return the bytes of host arrays that one evaluation copies to a GPU."""
    if target_named(program.device).on_host:
        return 0
    leaves = [node for node in walk(program.raw) if node.op.kind is Kind.LEAF]
    return sum(leaf.nbytes for leaf in leaves if not isinstance(leaf.attr, DeviceLeaf))


def _waits(program: Program) -> tuple[Node, ...]:
    """Return the nodes whose bounds are read back from a GPU."""
    if target_named(program.device).on_host:
        return ()
    launches = [launch for lowered in program.lowered for launch in lowered.launches]
    arguments = [argument for launch in launches for argument in launch.arguments]
    bounds = [argument.node for argument in arguments if isinstance(argument, Bounds)]
    return tuple(dict.fromkeys(bounds))


def _computed_when_built(roots: tuple[Node, ...]) -> Iterator[Fallback]:
    for node in walk(roots):
        early = early_of(node)
        if early is not None:
            written = node.nbytes if node.op.kind is Kind.LEAF else 0
            yield Fallback(
                name="",
                op=early.function,
                reason=early.reason,
                bytes_read=early.bytes_read,
                bytes_written=written,
                output=node,
                origin=node.origin,
                when="built",
            )


def _largest_first(edges: Sequence[Edge]) -> tuple[NotFused, ...]:
    ordered = sorted(edges, key=lambda edge: -edge.nbytes)
    return tuple(NotFused(edge.source, edge.consumer, edge.reason, edge.nbytes) for edge in ordered)


def _who_and_why(node: Node, device: str) -> tuple[str, bool]:
    """Return the library of a step, or the reason for the host's, and whether it is on a GPU."""
    library = target_named(device).library_of(node)
    if library is None:
        return _why_no_kernel(node), False
    stays, who_or_why = library
    return (who_or_why if stays else f"{who_or_why}; goes to the host and back"), stays


def _why_no_kernel(node: Node) -> str:
    if node.op.kind is Kind.LIBRARY:
        if node.op.loop is not None:
            return "a plan of its own for each iteration: the body is not elementwise"
        return note_of(node) or "works on whole arrays"
    return why_no_kernel(node)
