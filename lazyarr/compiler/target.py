"""The protocol of compilation targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from lazyarr.schedule.machine import Machine

if TYPE_CHECKING:
    from lazyarr.autotuning.tunable_kernel import TunableKernel
    from lazyarr.codegen.candidate import Candidate
    from lazyarr.codegen.group_terms import PlannedGroup
    from lazyarr.codegen.launch import Lowered
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.core.config import Config
    from lazyarr.execution.executor import Executor
    from lazyarr.execution.plan import LoweredPlan
    from lazyarr.graph.node import Node
    from lazyarr.loop_ir.source import Source
    from lazyarr.schedule.groups import Group, Layout
    from lazyarr.schedule.memory import Buffer, Plan

__all__ = ["Target"]


class Target(Machine, Protocol):
    """A compilation target: every decision that depends on the device, those of fusion included."""

    @property
    def name(self) -> str:
        """The device, as the settings name it."""

    @property
    def tunes(self) -> bool:
        """Whether measured times of candidates decide how kernels are cut."""

    @property
    def on_host(self) -> bool:
        """Whether kernels compute in the host's memory: on the program's own arrays.

        They can overwrite these, be run in tiles, and count toward the host's bound on memory.
        """

    @property
    def reuses_forms(self) -> bool:
        """Whether a plan serves other expressions of its form: of other lengths, or recognised."""

    def legalize(self, roots: tuple[Node, ...], final: dict[Node, Node]) -> tuple[Node, ...]:
        """Return the roots in operations that kernels and libraries of the device have.

        Parameters
        ----------
        roots : tuple of Node
            Simplified.
        final : dict of Node to Node
            What became of each node; what is rewritten here is added.
        """

    def candidates(self, planned: PlannedGroup, threads: int) -> Sequence[Candidate]:
        """Return the ways to cut a kernel that give the same bits, the target's choice first.

        The others follow by predicted times; there is nothing where the target has no such choice.

        Parameters
        ----------
        planned : PlannedGroup
            What to compute.
        threads : int
            Of one evaluation, where the host's run it.
        """

    def lower(
        self,
        planned: PlannedGroup,
        tiling: Tiling | None = None,
    ) -> Lowered:
        """Return the kernels of a group with their launches.

        Parameters
        ----------
        planned : PlannedGroup
            What to compute.
        tiling : Tiling, optional
            One of :meth:`candidates`; default: the target's choice.
        """

    def looks_around(self, group: Group, layouts: Mapping[Node, Layout]) -> bool:
        """Return whether the kernels of a group depend on more of the plan than its form.

        Parameters
        ----------
        group : Group
            What to compute.
        layouts : mapping of Node to Layout
            Where stored values lie.
        """

    def emit(self, kernel: Any, backend: str) -> Source:
        """Return the source of a kernel.

        Parameters
        ----------
        kernel : Kernel
            In the loop IR, as :meth:`lower` gives it.
        backend : str
            The setting of that name, for targets that print several languages.
        """

    def annotate(self, kernel: Any, source: Source) -> str:
        """Return a source with the kernel's comments above it.

        Parameters
        ----------
        kernel : Kernel
            In the loop IR.
        source : Source
            Its text.
        """

    def load(self, lowered: LoweredPlan, threads: int, settings: Config) -> Executor:
        """Compile the sources of a plan and return its executor.

        Parameters
        ----------
        lowered : LoweredPlan
            The plan.
        threads : int
            Threads of one evaluation, where the host's run it.
        settings : Config
            How to compile.
        """

    def watch(self, executor: Executor, kernels: Sequence[TunableKernel], settings: Config) -> None:
        """Let a plan that proves hot be tuned.

        Parameters
        ----------
        executor : Executor
            What runs it: of :meth:`load`.
        kernels : sequence of TunableKernel
            Those of its kernels of which nothing was measured.
        settings : Config
            How to compile.
        """

    def approximating(self) -> Target:
        """Return the target whose kernels may compute operations less exactly than NumPy."""

    def streaming(self) -> Target:
        """Return the target whose arrays may be read piece by piece."""

    def open(self, device: str) -> None:
        """Begin to open a device, by its name, in the background if that takes time."""

    def library_of(self, value: Node) -> tuple[bool, str] | None:
        """Return whether a library of the device computes a step, and its name or why none does.

        None where the device is the host, on which NumPy computes every library step.
        """

    def library_scratch(self, value: Node) -> tuple[int, int]:
        """Return the bytes of scratch memory of a library step: of all workers, and of each."""

    def copied(self, plan: Plan, layouts: Mapping[Node, Layout], threads: int) -> Sequence[Buffer]:
        """Return the buffers whose donated memory a run copies, as it may have to begin again.

        Parameters
        ----------
        plan : Plan
            The steps and their buffers.
        layouts : mapping of Node to Layout
            Where stored values lie.
        threads : int
            Threads of one evaluation.
        """

    def fused_products(self, lowered: Sequence[Lowered]) -> dict[str, Tiling]:
        """Return the tilings of products that may run as one kernel with their epilogue.

        By the names of the products' steps.
        """
