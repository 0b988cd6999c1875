"""Library steps of a run on a device: by a CUDA library, or with NumPy on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lazyarr.codegen.launch import Bounds
from lazyarr.core.config import Config, config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import Origin
from lazyarr.errors import ContractError
from lazyarr.execution.arguments import constant_of, is_leaf, position_of
from lazyarr.execution.cuda.kernels import KernelCall
from lazyarr.execution.cuda.library_calls import DeviceCall
from lazyarr.execution.cuda.memory import DeviceRun
from lazyarr.execution.host_values import HostValues
from lazyarr.execution.launch import RunReporter, blame
from lazyarr.execution.plan import CompiledPlan
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import Call
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.runtime.cuda.streams import DeviceStream
from lazyarr.schedule.fusion import Group, layout_of

__all__ = ["LibrarySteps"]

Array = np.ndarray[Any, Any]


class LibrarySteps:
    """The library steps of a plan.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    calls : mapping of Group to DeviceCall
        How each is computed.
    settings : Config
        How to compile kernels that a library step needs.
    reporter : RunReporter
        Knows whether the plan runs again.
    """

    def __init__(
        self,
        plan: CompiledPlan[KernelCall],
        calls: Mapping[Group, DeviceCall],
        settings: Config,
        reporter: RunReporter,
    ) -> None:
        self._plan = plan
        self._calls = calls
        self._settings = settings
        self._reporter = reporter
        #: Where steps report places that are out of bounds, in a run's report: first of the first
        #: axis of the first operand, then of the others.
        self._reports = {
            group: _places_of_axes(plan, group.members[0])[0]
            for group, call in calls.items()
            if call.implementation is not None and call.implementation.bounded
        }

    def __contains__(self, group: object) -> bool:
        return group in self._calls

    def __len__(self) -> int:
        return len(self._calls)

    def can_repeat(self) -> bool:
        """Return whether a graph can hold all of them: all is queued, and reads memory."""
        return all(
            call.implementation is not None
            and call.implementation.captured
            and all(
                layout_of(source, self._plan.layouts) or _is_word(source)
                for source in group.members[0].src
            )
            for group, call in self._calls.items()
        )

    def exchanges(self) -> tuple[tuple[int, str, str], ...]:
        """Return size, dtype and note of exchanges with other devices, in the order of steps."""
        nodes = [step.group.members[0] for step in self._plan.steps if step.group in self._calls]
        calls = [(x, x.attr) for x in nodes if x.op.exchanges]
        return tuple([(x.size, x.dtype.name, c.note) for x, c in calls if isinstance(c, Call)])

    def leaves_on_device(self) -> frozenset[int]:
        """Return the positions of the leaves that the device reads; others stay on the host."""
        leaves: set[int] = set()
        for step in self._plan.steps:
            call = self._calls.get(step.group)
            if call is not None and call.implementation is None:
                continue
            for node in step.group.inputs:
                layout = layout_of(node, self._plan.layouts)
                if layout is not None and is_leaf(layout.owner):
                    leaves.add(position_of(layout.owner))
        return frozenset(leaves)

    def queue(
        self,
        run: DeviceRun,
        group: Group,
        queue: DeviceStream | Recorder,
        branch: Branch | None = None,
    ) -> None:
        """Queue a step, or where no library of the device computes it, let NumPy do it.

        Parameters
        ----------
        run : DeviceRun
            The memory.
        group : Group
            The step.
        queue : DeviceStream or Recorder
            Where to queue it.
        branch : Branch, optional
            Where it may go on beside the steps that follow; it is joined by the group.
        """
        node = group.members[0]
        call = self._calls[group]
        line = self._plan.lines.of(run.bindings, node)
        try:
            if call.implementation is None:
                result = self._on_host(run, node)
                out = self.output(run, group, line)
                if result.nbytes:
                    run.stream.upload(out.address, result.reshape(-1).view(np.uint8))
            else:
                out = self.output(run, group, line)
                again = not self._reporter.first_run
                report = self._report(run, group)
                work = Work(queue, self._settings, run.limit, line, again, report, branch)
                operands = [self._operand(run, source, work) for source in node.src]
                call.run(work, node, out, operands)
                if branch is not None:
                    branch.leave(group)
        except Exception as error:
            blame(error, node, line)
            raise

    def _report(self, run: DeviceRun, group: Group) -> int:
        place = self._reports.get(group)
        return 0 if place is None else run.addresses[self._plan.bases.status] + place

    def output(self, run: DeviceRun, group: Group, line: Origin | None) -> Strided:
        """Return the memory into which a library step writes.

        Parameters
        ----------
        run : DeviceRun
            The memory; it gets what the step writes if it has none for that.
        group : Group
            The step.
        line : tuple of (str, int), optional
            The user's line.
        """
        plan, node = self._plan, group.members[0]
        base = plan.bases.of(group.outputs[0].layout.owner)
        adopted = plan.memory.buffers[base - plan.bases.leaf_count].kind == "adopted"
        if adopted and base not in run.blocks:
            block = run.allocate(max(node.nbytes, 1), line)
            run.blocks[base] = block
            run.addresses[base] = block.address
            run.count(node.nbytes)
        address = run.addresses[base] + group.outputs[0].layout.offset * node.dtype.itemsize
        return Strided(address, node.shape, contiguous_strides(node.shape), node.dtype)

    def _operand(self, run: DeviceRun, source: Node, work: Work) -> Strided:
        """Return a source of a library step where it lies on the device."""
        layout = layout_of(source, self._plan.layouts)
        if layout is None:
            base = source
            while base.op.kind is Kind.VIEW:
                base = base.src[0]
            constant = constant_of(run.bindings, base)
            memory = work.number(constant) if _is_word(constant) else work.upload(constant)
            return memory.broadcast(source.shape)
        size = source.dtype.itemsize
        address = run.addresses[self._plan.bases.of(layout.owner)] + layout.offset * size
        return Strided(address, source.shape, layout.strides, source.dtype)

    def _on_host(self, run: DeviceRun, node: Node) -> Array:
        """Evaluate a library step with NumPy: its operands come to the host."""
        plan = self._plan
        arrays: dict[int, Array] = {}
        for source in node.src:
            layout = layout_of(source, plan.layouts)
            if layout is None or is_leaf(layout.owner):
                continue
            base, owner = plan.bases.of(layout.owner), layout.owner
            host = np.empty(owner.shape, owner.dtype)
            if host.size:
                run.stream.download(host.reshape(-1).view(np.uint8), run.addresses[base])
            arrays[base] = host
        values = HostValues(plan.layouts, plan.bases, run.bindings, run.addresses, arrays, None)
        operands = [values.array(source) for source in node.src]
        with config(device=self._settings.device):  # a loop's iterations are evaluated here
            result = np.asarray(node.op.evaluate(node, *operands))
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        return np.array(result, node.dtype, order="C")


def _places_of_axes(plan: CompiledPlan[KernelCall], node: Node) -> list[int]:
    """Return the places of reports on indices, side by side for each axis of the first operand."""
    return [plan.status.place(Bounds(node, axis)) for axis in range(max(1, node.src[0].ndim))]


def _is_word(value: Node | Array) -> bool:
    """Whether a constant is an argument of a kernel that a graph may queue again."""
    return value.dtype.itemsize <= np.dtype(np.uint64).itemsize
