"""Plans with their machine code: binding arrays to buffers, and running the steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from lazyarr.codegen.launch import (
    Address,
    Bounds,
    Flags,
    Lowered,
    Number,
    Scalar,
    Scratch,
    Status,
)
from lazyarr.core.config import Config
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import Origin
from lazyarr.errors import ContractError, LazyarrError
from lazyarr.execution.arguments import (
    Run,
    constant_of,
    is_leaf,
    memory_of,
    position_of,
    scalar_of,
    view_at,
)
from lazyarr.execution.cpu_fast_path import Call, Direct, Result
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.execution.fp_errors.policy import heard
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.graph.node import Kind, Node
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Shell
from lazyarr.runtime import run_log as record
from lazyarr.runtime.cpu import blas_threads as blas
from lazyarr.runtime.cpu import compiler as cpu
from lazyarr.runtime.cpu import fp_flags as flags
from lazyarr.runtime.cpu.threads.parallel_for import parallel_for
from lazyarr.runtime.host_memory_pool import SMALL, address_of, pool
from lazyarr.schedule.cost import traffic
from lazyarr.schedule.fusion import Fusion, Group, Layout, layout_of
from lazyarr.schedule.memory import Plan

__all__ = ["Executable"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class _Step:
    """A group and its launches; none for a library call."""

    group: Group
    calls: tuple[Call, ...]
    bytes_read: int
    bytes_written: int


class Executable:
    """A plan that can run again and again, from many threads at once.

    Parameters
    ----------
    plan : Plan
        Steps and buffers.
    fusion : Fusion
        Where stored values lie.
    lowered : sequence of Lowered
        The launches of the kernel steps, in order.
    sources : sequence of tuple of Source
        Their sources.
    roots : tuple of Node
        The results, placeholders for the user's.
    origins : dict of Node to int
        Which of the user's nodes, by position, a placeholder stands for.
    leaf_count : int
        How many leaves the user's expression has; simplification may have dropped some.
    threads : int
        Threads of one evaluation.
    settings : Config
        How to compile.
    trace_seconds : float
        Time the compiler's earlier stages took.
    """

    def __init__(
        self,
        plan: Plan,
        fusion: Fusion,
        lowered: Sequence[Lowered],
        sources: Sequence[tuple[Source, ...]],
        roots: tuple[Node, ...],
        origins: dict[Node, int],
        leaf_count: int,
        threads: int,
        settings: Config,
        trace_seconds: float,
    ) -> None:
        self.plan = plan
        self.layouts = fusion.layouts
        self.roots = roots
        self.origins = origins
        self.threads = threads
        self.trace_seconds = trace_seconds
        self.first_run = True
        self.leaf_count = leaf_count
        self.scratch_base = self.leaf_count + len(plan.buffers)
        self.step_of = {step.group: k for k, step in enumerate(plan.steps)}
        self.reports = Reports(len(plan.steps), self._origin)
        self.paired = False  # whether a scalar is complex, so that a kernel takes its parts
        before = cpu.info()
        started = time.perf_counter()
        by_group = {
            found.group: (found, given) for found, given in zip(lowered, sources, strict=True)
        }
        texts = [source for given in sources for source in given]
        functions = self._load(texts, settings)
        steps = []
        for step in plan.steps:
            calls: tuple[Call, ...] = ()
            if step.group in by_group:
                found, own = by_group[step.group]
                calls = tuple(
                    self._call(launch, functions[source], found)
                    for launch, source in zip(found.launches, own, strict=True)
                )
            written = [output.node for output in step.group.outputs]
            moved = traffic(step.group.nodes, step.group.inputs, written)
            steps.append(_Step(step.group, calls, moved.read, moved.written))
        self.steps = tuple(steps)
        self.compile_seconds = time.perf_counter() - started
        self.compiled = cpu.info().compiled - before.compiled
        self.results = [self._result_plan(root) for root in roots]
        self.ends = self._find_ends()
        self.signals = flags.SignalPool(self.reports.nbytes) if self.reports.any else None
        self.direct = self._find_direct()

    # -- preparing ---------------------------------------------------------------------------

    def _load(self, sources: Sequence[Source], settings: Config) -> dict[Source, Any]:
        """Return the compiled function of each source."""
        return dict(zip(sources, cpu.compile_sources(sources, settings), strict=True))

    def _call(self, launch: Any, function: Any, found: Any) -> Any:
        """Return a launch with its code, ready to be given addresses."""
        template: list[Any] = []
        addresses: list[tuple[int, int, int]] = []
        scalars: list[tuple[int, int, int]] = []
        own: list[int] = []
        for position, argument in enumerate(launch.arguments):
            template.append(0)
            match argument:
                case Address(owner, offset):
                    addresses.append((position, self._base(owner), offset))
                case Scratch(offset, is_own):
                    if is_own:
                        offset += found.shared_scratch
                        own.append(position)
                    addresses.append((position, self.scratch_base, offset))
                case Number(value):
                    template[position] = value
                case Status() | Bounds():
                    place = self.reports.place(argument)
                    addresses.append((position, self.scratch_base + 1, place))
                case Flags():
                    place = self.reports.place_of_flags(self.step_of[found.group])
                    addresses.append((position, self.scratch_base + 1, place))
                case Scalar(node, part):
                    self.paired = self.paired or node.dtype.kind == "c"
                    scalars.append((position, position_of(node), part))
        return Call(
            function,
            template,
            tuple(addresses),
            tuple(scalars),
            launch.count,
            launch.chunk,
            (found.worker_scratch, tuple(own)) if own else None,
        )

    def _base(self, owner: Node) -> int:
        if is_leaf(owner):
            return position_of(owner)
        return self.leaf_count + self.plan.home[owner]

    def _result_plan(self, root: Node) -> tuple[int, Node, Layout, bool]:
        """Return the base of a result's memory and how to view it; whether it is all of it."""
        layout = layout_of(root, self.layouts)
        assert layout is not None
        plain = layout.offset == 0 and layout.strides == contiguous_strides(root.shape)
        # A view of the first elements, or of none, has these too.
        plain = plain and layout.owner.size == root.size
        return self._base(layout.owner), root, layout, plain

    def _find_ends(self) -> list[list[int]]:
        """Return for each step the adopted buffers that nothing needs afterwards."""
        ends: list[list[int]] = [[] for _ in self.plan.steps]
        wanted = {base for base, *_ in self.results}
        for index, buffer in enumerate(self.plan.buffers):
            base = self.leaf_count + index
            if buffer.kind == "adopted" and base not in wanted:
                ends[buffer.last].append(base)
        return ends

    def _find_direct(self) -> Direct | None:
        """Return the launches of the plan, if a run is these and nothing else."""
        plan = self.plan
        if self.paired or not self.steps or any(not step.calls for step in self.steps):
            return None
        calls = [call for step in self.steps for call in step.calls]
        if any(call.count <= 0 for call in calls):
            return None
        buffers = [
            Result(buffer.values[-1].shape, buffer.values[-1].dtype, buffer.nbytes)
            if buffer.kind == "output"
            else buffer.offset
            for buffer in plan.buffers
        ]
        made = [k for k, buffer in enumerate(buffers) if isinstance(buffer, Result)]
        order = []
        for base, root, _, plain in self.results:
            index = base - self.leaf_count
            if not plain or index not in made:
                return None
            value = plan.buffers[index].values[-1]
            if value.shape != root.shape or value.dtype != root.dtype:
                return None
            order.append(made.index(index))
        if sorted(order) != list(range(len(made))):
            return None
        return Direct(
            calls,
            self.threads,
            buffers,
            order,
            plan.arena_bytes,
            plan.scratch_bytes,
            self.signals,
        )

    # -- running -----------------------------------------------------------------------------

    def repeat(self, found: Shell) -> tuple[list[Array], Callable[[], object]]:
        """Compute the results, and return them with what computes them again in their memory."""
        results = self.run(found)
        return results, lambda: self.run(found, results)

    def run(self, found: Shell, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Compute the results for the arrays and scalars of an expression of this structure."""
        listening = record.listening()
        if self.direct is not None and outs is None and not listening:
            self.first_run = False
            return self.direct.run(
                [memory_of(leaf).address for leaf in found.leaves],
                [scalar_of(scalar) for scalar in found.scalars],
                lambda signals: self.reports.follow(found, signals),
            )
        started = time.perf_counter() if listening else 0.0
        run = Run()
        direct = self._allocate(run, found, outs)
        records: list[record.StepRecord] = []
        for index, step in enumerate(self.steps):
            begun = time.perf_counter() if listening else 0.0
            if step.calls:
                self._launch(run, found, step)
            elif step.group.kind == "library":
                self._library(run, found, step.group)
            for base in self.ends[index]:
                run.count(-run.arrays.pop(base).nbytes)
            if listening:
                seconds = time.perf_counter() - begun
                group = step.group
                records.append(
                    record.StepRecord(
                        group.name, group.kind, seconds, step.bytes_read, step.bytes_written
                    )
                )
        signals = run.signals
        if signals is not None and self.signals is not None:
            if signals.data != self.signals.quiet or self.reports.certain:
                # Nobody reads the intermediates any more.
                run.keep.clear()
                self.reports.follow(found, signals)
            self.signals.give(signals)
        results = self._results(run, outs, direct)
        if listening:
            self._publish(run, records, time.perf_counter() - started)
        self.first_run = False
        return results

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Let what kernels report be followed up."""
        self.reports.diagnose_by(diagnosis)
        if self.reports.certain:
            self.direct = None

    def _publish(self, run: Run, records: Sequence[record.StepRecord], seconds: float) -> None:
        first = self.first_run
        record.publish(
            record.RunRecord(
                tuple(records),
                self.plan.peak_bytes,
                run.peak,
                self.compiled if first else 0,
                self.compile_seconds if first else 0.0,
                self.trace_seconds if first else 0.0,
                seconds + (self.compile_seconds + self.trace_seconds if first else 0.0),
            )
        )

    def _allocate(
        self, run: Run, found: Shell, outs: Sequence[Array | None] | None
    ) -> dict[int, Array]:
        """Fill in the addresses of everything but adopted memory; return which out= are used."""
        plan = self.plan
        addresses = run.addresses
        for leaf in found.leaves:
            addresses.append(memory_of(leaf).address)
        direct = {} if outs is None else self._direct_outs(found, outs)
        arena = 0
        if plan.arena_bytes:
            block = pool.allocate(plan.arena_bytes)
            run.keep.append(block)
            run.count(block.nbytes)
            arena = block.address
        for index, buffer in enumerate(plan.buffers):
            base = self.leaf_count + index
            if buffer.kind == "output":
                value = buffer.values[-1]
                array = direct.get(base)
                if array is None:
                    nbytes = buffer.nbytes
                    if nbytes < SMALL:
                        array = np.empty(value.shape, value.dtype)
                    else:
                        array = pool.allocate(nbytes).array(value.shape, value.dtype)
                    run.count(nbytes)
                run.arrays[base] = array
                addresses.append(address_of(array))
            else:
                addresses.append(arena + buffer.offset)
        scratch = 0
        if plan.scratch_bytes:
            block = pool.allocate(plan.scratch_bytes)
            run.keep.append(block)
            run.count(block.nbytes)
            scratch = block.address
        addresses.append(scratch)
        if self.signals is not None:
            run.signals = self.signals.take()
            addresses.append(run.signals.address)
        return direct

    def _direct_outs(self, found: Shell, outs: Sequence[Array | None]) -> dict[int, Array]:
        """Return the out= arrays that kernels can write: contiguous, and apart from all inputs."""
        inputs = [memory_of(leaf).array for leaf in found.leaves]
        direct: dict[int, Array] = {}
        for index, (out, (base, _, _, plain)) in enumerate(zip(outs, self.results, strict=True)):
            if out is None or base in direct or not plain:
                continue
            if not (out.flags.carray and out.dtype.isnative):
                continue
            others = [other for k, other in enumerate(outs) if other is not None and k != index]
            if any(np.may_share_memory(out, other) for other in (*inputs, *others)):
                continue
            if self.plan.buffers[base - self.leaf_count].kind == "output":
                direct[base] = out
        return direct

    def _launch(self, run: Run, found: Shell, step: _Step) -> None:
        addresses = run.addresses
        for call in step.calls:
            args = call.template.copy()
            for position, base, offset in call.addresses:
                args[position] = addresses[base] + offset
            for position, index, part in call.scalars:
                args[position] = scalar_of(found.scalars[index], part)
            parallel_for(
                call.function,
                call.count,
                args,
                threads=self.threads,
                chunk=call.chunk,
                scratch=call.scratch,
            )

    def _array(self, run: Run, found: Shell, node: Node) -> Array:
        """Return the value of a stored node, a view of one, or a constant, as an array."""
        base = node
        while base.op.kind is Kind.VIEW and base not in self.layouts:
            base = base.src[0]
        layout = layout_of(node, self.layouts)
        if layout is None:
            return np.broadcast_to(constant_of(found, base), node.shape)
        index = self._base(layout.owner)
        if is_leaf(layout.owner):
            owner = memory_of(found.leaves[index]).array
            if node is layout.owner:
                return owner
        else:
            owner = self._owned(run, index, layout.owner)
        if layout.offset == 0 and layout.strides == contiguous_strides(node.shape):
            if owner.flags.c_contiguous and owner.size == node.size:
                return owner.reshape(node.shape)
        # as_strided cannot start elsewhere than the owner does; go there by address.
        return view_at(address_of(owner) + layout.offset * owner.itemsize, node, layout, owner)

    def _owned(self, run: Run, index: int, owner: Node) -> Array:
        """Return a computed value in memory of its own."""
        held = run.arrays.get(index)
        if held is not None and held.dtype == owner.dtype and held.shape == owner.shape:
            return held
        if held is not None:
            return held.reshape(-1).view(owner.dtype).reshape(owner.shape)
        layout = Layout(owner, 0, contiguous_strides(owner.shape))
        return view_at(run.addresses[index], owner, layout, run.keep)

    def _library(self, run: Run, found: Shell, group: Group) -> None:
        node = group.members[0]
        layout = group.outputs[0].layout
        base = self._base(layout.owner)
        arrays = [self._array(run, found, source) for source in node.src]
        try:
            with blas.limited(self.threads), heard(lambda: self._origin(found, node)):
                if node.op.writes_out and layout.owner is node:
                    node.op.evaluate(node, *arrays, out=self._owned(run, base, node))
                    return
                result = np.asarray(node.op.evaluate(node, *arrays))
        except Exception as error:
            self._blame(error, node, found)
            raise
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        given = any(np.may_share_memory(result, array) for array in arrays)
        if result.dtype != node.dtype or not result.flags.c_contiguous or given:
            result = np.array(result, node.dtype, order="C")
        if not result.flags.writeable:
            result = result.copy()
        run.arrays[base] = result
        run.addresses[base] = address_of(result)
        run.count(result.nbytes)

    def _origin(self, found: Shell, node: Node) -> Origin | None:
        """Return the user's line that built a node."""
        position = self.origins.get(node)
        return node.origin if position is None else found.origin(position)

    def _blame(self, error: Exception, node: Node, found: Shell) -> None:
        """Say which line of the user's built what failed."""
        origin = self._origin(found, node)
        if origin is None:
            return
        if isinstance(error, LazyarrError) and error.origin is None:
            error.origin = origin
        else:
            error.add_note(f"in {node.op.name}, built at {origin[0]}:{origin[1]}")

    def _results(
        self, run: Run, outs: Sequence[Array | None] | None, direct: dict[int, Array]
    ) -> list[Array]:
        results: list[Array] = []
        for index, (base, root, layout, plain) in enumerate(self.results):
            array = run.arrays[base]
            if not plain:
                strides = tuple(stride * array.itemsize for stride in layout.strides)
                flat = array.reshape(-1)[layout.offset :]
                array = as_strided(flat, root.shape, strides)
            elif array.shape != root.shape or array.dtype != root.dtype:
                array = array.reshape(root.shape)
            out = None if outs is None else outs[index]
            if out is not None:
                if direct.get(base) is not out:
                    np.copyto(out, array)
                array = out
            results.append(array)
        return results
