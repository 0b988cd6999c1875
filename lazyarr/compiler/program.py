"""The program of an expression: graph, groups and memory plan, before machine code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lazyarr.codegen.launch import Lowered
from lazyarr.compiler.kernel_code import KernelCode, KernelWriter
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Node
from lazyarr.schedule.fusion import Edge, Fusion, Group
from lazyarr.schedule.memory import Plan

if TYPE_CHECKING:
    from lazyarr.compiler.device_choice import Placement

__all__ = ["ObservedPlan", "Program", "show"]


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
    computed, eager : int
        Elements that a run computes, and that NumPy would compute.
    writer : KernelWriter
        What has written the kernels, and may write them in other ways.
    placement : Placement, optional
        Why it runs there, where a calibration has decided.
    originals : dict of Node to Node, optional
        The user's nodes, by the placeholders that stand for them; None of what is only run.
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
    computed: int
    eager: int
    writer: KernelWriter
    placement: Placement | None = None
    originals: Mapping[Node, Node] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class ObservedPlan:
    """The description of a plan for the observers of its runs.

    Attributes
    ----------
    program : Program
        Of parameters in place of the user's arrays, also its raw roots.
    positions : dict of Node to int
        Which of the user's nodes, by position in the bindings, a placeholder stands for.
    """

    program: Program
    positions: dict[Node, int]


def show(program: Program, level: int | str) -> None:
    """Print a plan, and its kernels' sources, as far as the setting `debug` asks.

    Parameters
    ----------
    program : Program
        The plan.
    level : int or str
        The setting.
    """
    if isinstance(level, str):
        return
    if level >= 1:
        for group in program.groups:
            print(f"{group.name}: {group.template} over {group.domain}")
    if level >= 2:
        for code in program.kernels:
            print(code.source)
