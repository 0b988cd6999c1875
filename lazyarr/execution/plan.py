"""Plans with their machine code, for the executors of all targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution.arguments import Bases, UserLines
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.source import Source
from lazyarr.schedule.cost import Traffic, traffic
from lazyarr.schedule.fusion import Group, Layout, layout_of
from lazyarr.schedule.memory import Plan

__all__ = [
    "CompiledPlan",
    "CompiledStep",
    "LoweredPlan",
    "ResultView",
    "compile_plan",
    "result_views",
]


CallT = TypeVar("CallT")
LoweredT = TypeVar("LoweredT", bound="LoweredKernels")


class LoweredKernels(Protocol):
    """The lowered kernels of one group."""

    @property
    def group(self) -> Group:
        """The group that the kernels compute."""


@dataclass(frozen=True, eq=False, slots=True)
class LoweredPlan:
    """A plan with the sources of its kernels, before there is machine code.

    Attributes
    ----------
    memory : Plan
        Steps and buffers.
    layouts : mapping of Node to Layout
        Where stored values lie.
    lowered : tuple of Lowered
        The launches of the kernel steps, in order.
    sources : tuple of tuple of Source
        Their sources.
    roots : tuple of Node
        The results, placeholders for the user's.
    positions : mapping of Node to int
        Which of the user's nodes, by position, a placeholder stands for.
    leaf_count : int
        How many leaves the user's expression has; simplification may have dropped some.
    trace_seconds : float
        Time the compiler's earlier stages took.
    observed : object, optional
        The compiler's description for those who listen to runs; None if nobody does.
    tiled : bool
        Whether it is to be run in tiles, within a bound on its memory.
    """

    memory: Plan
    layouts: Mapping[Node, Layout]
    lowered: tuple[LoweredKernels, ...]
    sources: tuple[tuple[Source, ...], ...]
    roots: tuple[Node, ...]
    positions: Mapping[Node, int]
    leaf_count: int
    trace_seconds: float
    observed: object = None
    tiled: bool = False

    @property
    def libraries(self) -> list[Group]:
        """The groups that library calls compute."""
        return [step.group for step in self.memory.steps if step.group.kind == "library"]


@dataclass(frozen=True, eq=False, slots=True)
class ResultView:
    """The location of a result: its buffer, offset and strides.

    Attributes
    ----------
    base : int
        The number of its memory.
    root : Node
        Its placeholder.
    layout : Layout
        How to view the memory.
    is_whole : bool
        Whether it is all of the memory, in C order.
    """

    base: int
    root: Node
    layout: Layout
    is_whole: bool


@dataclass(frozen=True, eq=False, slots=True)
class CompiledStep(Generic[CallT]):
    """A group and its calls; a library step may have none.

    Attributes
    ----------
    group : Group
        What the step computes.
    calls : tuple
        Launches with their code, as the target has them.
    is_counted : bool
        Whether runs may be profiled, whose records name the memory that the step moves.
    """

    group: Group
    calls: tuple[CallT, ...]
    is_counted: bool = False

    def traffic(self) -> Traffic:
        """Return the memory that the step has to move at least, computed when it is asked for."""
        group = self.group
        if not self.is_counted:
            return Traffic(0, 0)
        return traffic(group.nodes, group.inputs, [output.node for output in group.outputs])


@dataclass(frozen=True, eq=False, slots=True)
class CompiledPlan(Generic[CallT]):
    """A plan with its code.

    Attributes
    ----------
    steps : tuple of CompiledStep
        In execution order.
    layouts : mapping of Node to Layout
        Where stored values lie.
    results : tuple of ResultView
        One for each root that is not written to a leaf.
    memory : Plan
        Buffers.
    bases : Bases
        The numbers of the addresses that a run binds.
    lines : UserLines
        The user's lines.
    status : Reports
        What kernels report, and where.
    """

    steps: tuple[CompiledStep[CallT], ...]
    layouts: Mapping[Node, Layout]
    results: tuple[ResultView, ...]
    memory: Plan
    bases: Bases
    lines: UserLines
    status: Reports

    def is_part(self, base: int) -> bool:
        """Return whether memory is a part of a block of results, which is none of the plan's.

        Parameters
        ----------
        base : int
            Its number.
        """
        number = base - self.bases.leaf_count
        return number >= 0 and self.memory.buffers[number].block is not None

    def awaited_before(self) -> tuple[tuple[Group, ...], ...]:
        """Return for each step the groups that ran beside earlier ones and that it waits for."""
        awaited: list[list[Group]] = [[] for _ in self.steps]
        for step in self.memory.steps:
            if step.joined > step.index:
                awaited[step.joined].append(step.group)
        return tuple(map(tuple, awaited))

    def dead_after(self) -> tuple[tuple[int, ...], ...]:
        """Return for each step the bases of adopted buffers that nothing needs afterwards."""
        dead: list[list[int]] = [[] for _ in self.steps]
        results = {result.base for result in self.results}
        for index, buffer in enumerate(self.memory.buffers):
            base = self.bases.leaf_count + index
            if buffer.kind == "adopted" and base not in results:
                dead[buffer.last].append(base)
        return tuple(map(tuple, dead))


def compile_plan(
    lowered: LoweredPlan,
    bases: Bases,
    status: Reports,
    lines: UserLines,
    calls_of: Callable[[int, LoweredT, tuple[Source, ...]], tuple[CallT, ...]],
    library_calls: Callable[[int, Group], tuple[CallT, ...]] | None = None,
) -> CompiledPlan[CallT]:
    """Return a plan with its code.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan.
    bases, status, lines
        As of :class:`CompiledPlan`.
    calls_of : callable
        Returns the calls of a kernel step, given its index, what it was lowered to, and sources.
    library_calls : callable, optional
        Returns the calls of a library step that are made as those of kernels are, given its index
        and the group; without any the step is the library's function.
    """
    kernels: dict[Group, tuple[Any, tuple[Source, ...]]] = {
        kernel.group: (kernel, sources)
        for kernel, sources in zip(lowered.lowered, lowered.sources, strict=True)
    }
    steps: list[CompiledStep[CallT]] = []
    for index, step in enumerate(lowered.memory.steps):
        group = step.group
        calls: tuple[CallT, ...] = ()
        if group in kernels:
            calls = calls_of(index, *kernels[group])
        elif library_calls is not None and group.kind == "library":
            calls = library_calls(index, group)
        steps.append(CompiledStep(group, calls, is_counted=True))
    return CompiledPlan(
        tuple(steps),
        lowered.layouts,
        result_views(lowered, bases),
        lowered.memory,
        bases,
        lines,
        status,
    )


def result_views(lowered: LoweredPlan, bases: Bases) -> tuple[ResultView, ...]:
    """Return the places of the results; those that are written to leaves have none.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan.
    bases : Bases
        The numbers of memory.
    """
    roots = [root for root in lowered.roots if root.op.kind is not Kind.WRITE]
    return tuple([_result_view(root, lowered.layouts, bases) for root in roots])


def _differ_along_ones(
    strides: tuple[int, ...], steps: tuple[int, ...], shape: tuple[int, ...]
) -> bool:
    """Whether strides are others along axes of one element alone."""
    return all(
        size == 1 or stride == step
        for stride, step, size in zip(strides, steps, shape, strict=True)
    )


def _result_view(root: Node, layouts: Mapping[Node, Layout], bases: Bases) -> ResultView:
    layout = layout_of(root, layouts)
    assert layout is not None
    steps = contiguous_strides(root.shape)
    is_whole = (
        layout.offset == 0
        # Along an axis of one element nothing steps.
        and (layout.strides == steps or _differ_along_ones(layout.strides, steps, root.shape))
        # A view of the first elements, or of none, has these too.
        and layout.owner.size == root.size
    )
    return ResultView(bases.of(layout.owner), root, layout, is_whole)
