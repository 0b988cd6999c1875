"""Plans on a CUDA device: arrays go there once, kernels are queued, results stay or come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.launch import Ahead, Counter, DeviceLaunch, DeviceLowered
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.codegen.launch import Address, Bounds, Number, Scalar, Scratch
from lazyarr.core.config import Config, config, get_config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import Origin
from lazyarr.errors import ArgumentError, ContractError, DeviceError, DeviceMemoryError
from lazyarr.execution.arguments import Run, constant_of, is_leaf, position_of
from lazyarr.execution.cpu import Executable, _Step
from lazyarr.execution.cuda.kernels import KernelCall, ready_launches
from lazyarr.execution.cuda.library_calls import DeviceCall, device_call
from lazyarr.execution.cuda.matmul_fusion_trial import JointStep, may_join
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Kind, Leaf, Node, part_dtype
from lazyarr.loop_ir.source import Source
from lazyarr.passes.canonicalize import Shell
from lazyarr.runtime import run_log as record
from lazyarr.runtime.cuda import device as cuda
from lazyarr.runtime.cuda.bound_call import Repeated
from lazyarr.runtime.cuda.graph_replay import Replay, View
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction
from lazyarr.runtime.cuda.launch_batch import Launches
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work
from lazyarr.runtime.cuda.memory_pool import (
    DeviceArray,
    DeviceBlock,
    Request,
    array_at,
    extent,
    size_class,
)
from lazyarr.runtime.cuda.streams import PAD_BYTES, DeviceStream, Graph, chosen
from lazyarr.runtime.cuda.transfers import to_host
from lazyarr.schedule.fusion import Group, Layout, layout_of
from lazyarr.schedule.memory import Plan

__all__ = ["DeviceExecutable"]

Array = np.ndarray[Any, Any]

#: A stream, the addresses of leaves in it, and scalars as they lie in memory.
_Given = tuple[DeviceStream, tuple[int, ...], tuple[bytes, ...]]

#: Runs with equal addresses after which a plan's kernels are queued as one graph.
_RUNS_BEFORE_REPLAY = 3
#: Runs that queue kernels one by one, after which they are a graph that reads arguments anew.
_RUNS_BEFORE_READY = 4
#: Where a result stands among the user's nodes, if what is stored for it is none of them.
_LAST = -1
#: Graphs of one plan.
_MAX_REPLAYS = 8
#: What is fetched beforehand takes this part of the L2 cache: the pieces that blocks work on lie
#: there too, and so do those that a graph's kernels have just written.
_L2_PARTS = 6
#: Shared memory that the text of a kernel may declare besides what a launch gives.
_DECLARED_BYTES = 2 << 10


class _DeviceRun(Run):
    """The memory of one evaluation on a device, and where it is queued."""

    __slots__ = ("blocks", "found", "limit", "own", "stream")

    def __init__(self, stream: DeviceStream, found: Shell) -> None:
        super().__init__()
        self.stream = stream
        self.found = found
        self.limit = get_config().memory_limit
        self.blocks: dict[int, DeviceBlock] = {}
        #: Where the plan's own blocks are.
        self.own: tuple[int, ...] = ()

    def allocate(self, nbytes: int, line: Origin | None) -> DeviceBlock:
        """Return memory of the stream's pool."""
        return self.stream.pool.allocate(nbytes, self.limit, line)

    def take(self, nbytes: int, line: Origin | None) -> int:
        """Return the address of memory that is needed as long as this run."""
        block = self.allocate(nbytes, line)
        self.keep.append(block)
        return block.address


class DeviceExecutable(Executable):
    """A plan that can run again and again on the device, from many threads at once.

    Takes the parameters of :class:`lazyarr.execution.cpu.Executable`.
    """

    def __init__(self, *arguments: Any) -> None:
        self.settings: Config = arguments[-2]
        self._otherwise: dict[DeviceLaunch, KernelCall] = {}
        #: Kernels that were compiled quickly, as of when they were first asked for.
        self._tiered: list[DeviceFunction] = []
        plan: Plan = arguments[0]
        libraries = [step.group for step in plan.steps if step.group.kind == "library"]
        self.library: dict[Group, DeviceCall] = {
            group: device_call(group.members[0]) for group in libraries
        }
        # Opening one takes as long as compiling a kernel: both at once.
        implementations = [call.implementation for call in self.library.values()]
        needed = sorted({made.binding for made in implementations if made and made.binding})
        cuda.begin_opening(needed)
        self.device = cuda.device()
        self.device.prepare_libraries(needed)
        before = self.device.info().compiled
        super().__init__(*arguments)
        self._seen: dict[object, int] = {}
        self._last_scalars: tuple[bytes, ...] = ()
        self._asked: tuple[object, tuple[Request, ...]] = (None, ())
        # By leaves and numbers, then by memory of its own.
        self._replays: dict[object, dict[tuple[int, ...], Graph]] = {}
        self.views = [self._view_plan(*planned) for planned in self.results]
        # Bounds are read back after each run.
        self.replayable = not self.reports.bounds and all(map(self._can_repeat, self.library))
        self.uploaded = self._read_on_device()
        self._is_read = tuple([k in self.uploaded for k in range(self.leaf_count)])
        self.joints = self._find_joints(arguments[2])
        self._plan_memory()
        # What queues the kernels where no graph does; and how many runs until it is looked for.
        self._launches: Launches | None = None
        self._runs_left = _RUNS_BEFORE_READY
        self.compiled = self.device.info().compiled - before

    def _load(self, sources: Sequence[Source], settings: Config) -> dict[Source, Any]:
        return dict(self.device.kernels.compile_all(sources, settings))

    def _find_direct(self) -> None:
        return None  # a launch on a device is more than a call

    def _call(self, launch: Any, function: Any, found: Any) -> Any:
        return self._device_call(launch, function)

    def _device_call(self, launch: DeviceLaunch, function: DeviceFunction) -> KernelCall:
        room = self.device.shared_bytes - _DECLARED_BYTES
        if launch.smaller is not None and launch.kernel.shared_bytes > room:
            launch = launch.smaller()
            function = self.device.kernels.compile(emit_cuda(launch.kernel), self.settings)
        if function.baseline:
            self._tiered.append(function)
        template: list[Any] = []
        addresses: list[tuple[int, int, int]] = []
        scalars: list[tuple[int, int, int]] = []
        counters: list[tuple[int, int]] = []
        for position, argument in enumerate(launch.arguments):
            template.append(0)
            match argument:
                case Address(owner, offset):
                    addresses.append((position, self._base(owner), offset))
                case Scratch(offset, _):
                    addresses.append((position, self.scratch_base, offset))
                case Number(value):
                    template[position] = value
                case Scalar(node, part):
                    scalars.append((position, position_of(node), part))
                case Counter(count):
                    counters.append((position, count))
                case Ahead(nbytes):
                    template[position] = self.device.l2_bytes // _L2_PARTS // nbytes
                case Bounds():
                    place = self.reports.place(argument)
                    addresses.append((position, self.scratch_base + 1, place))
        return KernelCall(
            function,
            template,
            tuple(addresses),
            tuple(scalars),
            tuple(counters),
            launch.aligned,
            launch.blocks,
            launch.kernel.threads,
            launch,
        )

    def _view_plan(
        self, base: int, root: Node, layout: Layout, plain: bool
    ) -> tuple[int, int, tuple[int, ...], np.dtype[Any], tuple[int, ...]]:
        """Return where a result lies: base, offset in bytes, shape, dtype, strides in bytes."""
        size = root.dtype.itemsize
        strides = contiguous_strides(root.shape) if plain else layout.strides
        steps = tuple(stride * size for stride in strides)
        return base, layout.offset * size, root.shape, root.dtype, steps

    def _find_joints(self, lowered: Sequence[DeviceLowered]) -> dict[int, JointStep]:
        """Return, by the steps of products, what may do their work and that of the next step."""
        joints: dict[int, JointStep] = {}
        kept = {layout.owner for _, _, layout, _ in self.results}
        for found in lowered:
            joint = found.joint
            if joint is None or joint.product.members[0] in kept or not may_join(self.device):
                continue
            made = JointStep(joint, self._make_joint, self._forget_graphs)
            joints[self.step_of[joint.product]] = made
        return joints

    def _undecided(self) -> bool:
        """Whether a kernel for two steps is there, and to be compared with them."""
        return any(joint.undecided for joint in self.joints.values())

    def _make_joint(self, launch: DeviceLaunch) -> KernelCall | None:
        """Return a launch with its code, compiled beside whatever else is going on."""
        # cuBLAS splits the axis that is summed where tiles would leave multiprocessors without
        # work, and then adds in another order, whatever the numbers that are compared.
        if launch.blocks < self.device.multiprocessors:
            return None
        source = emit_cuda(launch.kernel)
        if source.shared_bytes > self.device.shared_bytes:
            return None
        function = self.device.kernels.compile_beside(source, self.settings)
        return self._device_call(launch, function)

    def _can_repeat(self, group: Group) -> bool:
        """Whether a graph can hold a library step: all it does is queued, and reads memory."""
        implementation = self.library[group].implementation
        if implementation is None or not implementation.captured:
            return False
        return all(layout_of(source, self.layouts) for source in group.members[0].src)

    def _read_on_device(self) -> frozenset[int]:
        """Return which leaves the device reads; those that only the host reads stay there."""
        wanted: set[int] = set()
        for step in self.steps:
            call = self.library.get(step.group)
            if call is not None and call.implementation is None:
                continue
            for node in step.group.inputs:
                layout = layout_of(node, self.layouts)
                if layout is not None and is_leaf(layout.owner):
                    wanted.add(position_of(layout.owner))
        return frozenset(wanted)

    # -- running -----------------------------------------------------------------------------

    def run(self, found: Shell, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Compute the results and bring them to the host."""
        arrays = self.run_on_device(found)
        targets = [None] * len(arrays) if outs is None else outs
        with self.device.current():
            return [to_host(value, out) for value, out in zip(arrays, targets, strict=True)]

    def run_on_device(self, found: Shell) -> list[DeviceArray]:
        """Queue the steps in the thread's stream and return the results where they are."""
        notes = found.notes
        if notes:
            noted = notes.get(chosen.get() or self.device.main)
            if type(noted) is Replay and noted.executable is self:
                replayed = noted.again()
                if replayed is not None:
                    return replayed
        stream = self.device.stream()
        partner = stream.partner
        if partner is None:
            given = None
            if self._replays or self._launches is not None:
                given = self._given(stream, found)
            if given is None:
                return self._queue_all(stream, found)
            graphs = self._replays.get(given) if self._replays and not notes else None
            if graphs is not None:
                replayed = self._again(stream, found, graphs).again()
                if replayed is not None:
                    self._note(stream, found, graphs)
                    return replayed
            return self._queue_ready(stream, found, given)
        stream.wait_for(partner)
        try:
            return self._queue_all(stream, found)
        finally:
            stream.let_wait(partner)

    def _queue_ready(self, stream: DeviceStream, found: Shell, given: _Given) -> list[DeviceArray]:
        """Queue kernels that are ready but for addresses and numbers, if that is all there is."""
        launches = self._launches
        if launches is None or record.listeners() or not self.device.ready():
            return self._queue_all(stream, found)
        requests = self._requests(found)
        blocks = stream.pool.reuse(requests)
        if blocks is None:
            blocks = stream.pool.allocate_all(requests, get_config().memory_limit)
        try:
            own = tuple([block.address for block in blocks])
            if given[2] != self._last_scalars:
                # Numbers that change are read anew, and need no graphs of their own.
                self._last_scalars = given[2]
                self._seen.clear()
            if self.replayable and self._is_seen(given, own[self._padded :]):
                return self._queue_all(stream, found, blocks)  # which makes a graph of it
            if not launches.queue(stream, given[1] + own, given[2]):
                return self._queue_all(stream, found, blocks)
            ticket = stream.ticket()
            return [
                array_at(own[k] + offset, shape, dtype, strides, blocks[k], stream, ticket)
                for k, offset, shape, dtype, strides in self._block_views
            ]
        except BaseException:
            blocks.clear()  # the error's traceback keeps this call's frame
            raise

    def _make_ready(self, stream: DeviceStream, found: Shell) -> None:
        """Look for what queues the kernels with as little work as can be."""
        only_kernels = all(step.calls for step in self.steps) and not self.reports.bounds
        if not only_kernels or len(self._block_views) < len(self.views):
            return
        first = self.leaf_count
        places = {k: (k, 0) for k in range(first)}
        for k, (base, _, _) in enumerate(self._own_blocks):
            if base < self.scratch_base:
                places[base] = first + k, 0
            else:
                places |= {kept: (first + k, offset) for kept, offset in self._in_arena}
                places[base] = first + k, self.plan.arena_bytes
        calls: list[Any] = [call for step in self.steps for call in step.calls]
        dtypes = [scalar.dtype for scalar in found.scalars]
        self._last_scalars = _numbers(found)
        self._launches = ready_launches(self.device, calls, places, first, dtypes)

    def _queue_all(
        self, stream: DeviceStream, found: Shell, blocks: list[DeviceBlock] | None = None
    ) -> list[DeviceArray]:
        """Queue the steps, in blocks of their own or in those that were asked for already."""
        run = _DeviceRun(stream, found)
        try:
            with self.device.current():
                self.device.part()
                self._place(run, blocks)
                settled = self._settled()
                decided = settled and not self._undecided()
                graphs = self.replayable and decided and not record.listening()
                if not (graphs and self._replay(run)):
                    self._queue_steps(run)
                    if settled and self._runs_left > 0 and all(map(_on_device, found.leaves)):
                        self._runs_left -= 1
                        if self._runs_left <= 0:
                            self._make_ready(stream, found)
        except BaseException:
            # The error's traceback keeps this call's frames, and must not keep its memory.
            run.keep.clear()
            run.blocks.clear()
            raise
        self.first_run = False
        return self._views(run.stream, run.addresses, run.blocks)

    def _settled(self) -> bool:
        """Whether all kernels have all optimisations; if a plan runs again, they are given them."""
        if not any(function.baseline for function in self._tiered):
            return True
        if record.listening():
            # Who looks at times wants those of later runs.
            begun = time.perf_counter()
            self.device.kernels.optimize(self._tiered)
            self.compile_seconds += time.perf_counter() - begun
            return True
        if not self.first_run:
            self.device.kernels.tier_up(self._tiered)
        return False

    def _queue_steps(self, run: _DeviceRun) -> None:
        """Queue step after step."""
        listening = record.listening()
        started = time.perf_counter() if listening else 0.0
        records: list[record.StepRecord] = []
        stream = run.stream
        done = -1
        for index, step in enumerate(self.steps):
            begun = time.perf_counter() if listening else 0.0
            if index in self.joints and self._joint_step(run, index, stream, decide=True):
                done = index + 1
            elif index != done:
                self._queue_step(run, step, stream)
            for base in self.ends[index]:
                dropped = run.blocks.pop(base, None)
                if dropped is not None:
                    run.count(-dropped.nbytes)
                    del dropped
            if listening and index != done:
                stream.synchronize()
                seconds = time.perf_counter() - begun
                records.append(self._step_record(index, seconds, joint=done == index + 1))
        if run.farthest is not None:
            # Waits for the kernels: an index that is out of bounds must not go unnoticed.
            farthest = np.frombuffer(run.farthest, np.uint8)
            stream.download(farthest, run.addresses[self.scratch_base + 1])
            self.reports.check_bounds(run.farthest, run.found)
        if listening:
            self._publish(run, records, time.perf_counter() - started)

    def _queue_step(self, run: _DeviceRun, step: _Step, queue: Any) -> None:
        """Queue one step, in a stream or to be recorded."""
        for planned in step.calls:
            call, args = self._ready(run, planned)
            if call.blocks:
                queue.launch(call.function, call.blocks, call.threads, args)
        if step.group in self.library:
            self._library_step(run, step.group, queue)

    def _step_record(self, index: int, seconds: float, *, joint: bool) -> record.StepRecord:
        """Return what is told of a step, or of one launch for it and the next."""
        step = self.steps[index]
        name, kind, read, written = (
            step.group.name,
            step.group.kind,
            step.bytes_read,
            step.bytes_written,
        )
        if joint:
            after = self.steps[index + 1]
            name, kind = after.group.name, after.group.kind
            read, written = read + after.bytes_read - written, after.bytes_written
        return record.StepRecord(name, kind, seconds, read, written)

    def _joint_step(self, run: _DeviceRun, index: int, queue: Any, *, decide: bool) -> bool:
        """Queue a product and the next step as one launch, if that is faster; or find out."""
        joint, product, after = self.joints[index], self.steps[index], self.steps[index + 1]

        def together(call: KernelCall) -> Callable[[], None] | None:
            args = self._arguments(run, call)
            if any(args[position] % nbytes for position, nbytes in call.aligned):
                return None
            return lambda: queue.launch(call.function, call.blocks, call.threads, args)

        def apart() -> None:
            self._queue_step(run, product, queue)
            self._queue_step(run, after, queue)

        node = product.group.members[0]
        line = self.origins.get(node)
        origin = node.origin if line is None else run.found.origin(line)
        if decide and joint.undecided and self._settled():
            self._output(run, product.group, origin)
            results = [
                Strided(
                    run.addresses[self._base(output.layout.owner)],
                    output.node.shape,
                    contiguous_strides(output.node.shape),
                    output.node.dtype,
                )
                for output in after.group.outputs
            ]
            joint.compare(Work(queue, self.settings, run.limit, origin), results, apart, together)
            return True
        if decide and not self.first_run:
            joint.compile_beside()  # what runs again is worth it
        launch = None
        if joint.call is not None:
            self._output(run, product.group, origin)  # the next step may write there
            launch = together(joint.call)
        if launch is not None:
            launch()
        return launch is not None

    def _views(
        self, stream: DeviceStream, addresses: Sequence[int], blocks: dict[int, DeviceBlock]
    ) -> list[DeviceArray]:
        ticket = stream.ticket()
        return [
            array_at(addresses[base] + offset, shape, dtype, strides, blocks[base], stream, ticket)
            for base, offset, shape, dtype, strides in self.views
        ]

    # -- replaying ---------------------------------------------------------------------------

    def _replay(self, run: _DeviceRun) -> bool:
        """Queue all kernels at once if they ran with these very addresses and numbers before."""
        stream, found = run.stream, run.found
        given = stream, tuple(run.addresses[: self.leaf_count]), _numbers(found)
        own = run.own
        graphs = self._replays.get(given, {})
        graph = graphs.get(own)
        if graph is None:
            graph = self._captured(run, given, own)
            graphs = self._replays.get(given, {})
        if graph is None:
            return False
        if stream.partner is None:
            self._note(stream, found, graphs)
        graph()
        return True

    def _captured(self, run: _DeviceRun, given: object, own: tuple[int, ...]) -> Graph | None:
        """Return the graph of a run that came so often that it will come again."""
        if not self._is_seen(given, own):
            return None
        graph = self._graph_in_pad(run)
        if graph is None:
            self.replayable = False
            return None
        if sum(map(len, self._replays.values())) >= _MAX_REPLAYS:
            self._forget_graphs()
        self._replays.setdefault(given, {})[own] = graph
        if self._undecided():
            self._forget_graphs()  # one kernel was compiled while this one was recorded
        return graph

    def _is_seen(self, given: object, own: tuple[int, ...]) -> bool:
        """Count a run; return whether its like came so often that it will come again."""
        key = (given, own)
        # Memory moves between the first runs; what came twice will come again.
        before = self._seen.get(key, 0)
        if before + 1 >= _RUNS_BEFORE_REPLAY:
            return True
        if len(self._seen) > _MAX_REPLAYS:
            self._seen.clear()
        self._seen[key] = before + 1
        return False

    def _forget_graphs(self) -> None:
        """Let the next run queue its steps one by one. Any thread may call this."""
        for graphs in list(self._replays.values()):
            graphs.clear()  # notes have them, too
        self._replays = {}

    def _graph(self, run: _DeviceRun) -> Graph | None:
        """Return a graph of all steps in the memory of a run; None if there can be none."""

        def queue(recorder: Any) -> None:
            done = -1
            for index, step in enumerate(self.steps):
                if index in self.joints and self._joint_step(run, index, recorder, decide=False):
                    done = index + 1
                elif index != done:
                    self._queue_step(run, step, recorder)

        with suppress(DeviceError):  # what is wrong, if anything is, the plain run says
            return run.stream.capture(queue)
        return None

    def _graph_in_pad(self, run: _DeviceRun) -> Graph | None:
        """Return a graph as :meth:`_graph` does, its arena in the stream's pad if it fits."""
        if not self._padded:
            return self._graph(run)
        plain = list(run.addresses)
        try:
            self._place_arena(run.addresses, run.stream.pad(run.limit))
            return self._graph(run)
        except DeviceMemoryError:
            return None  # no room for it
        finally:
            run.addresses[:] = plain

    def repeat(self, found: Shell) -> tuple[list[Any], Callable[[], object]]:
        """Compute the results, and return them with what computes them again in their memory.

        Raises
        ------
        ArgumentError
            If a leaf is in the host's memory.
        """
        for position, leaf in enumerate(found.leaves):
            if position in self.uploaded and not _on_device(leaf):
                raise ArgumentError(
                    "a bound call reads arrays on the GPU, and this one is on the host",
                    origin=leaf.origin,
                    hint='copy it there once, by lazyarr.asarray(x, device="cuda")',
                )
        stream = self.device.stream()
        # A plain run first: it raises what there is to raise. The next finds the fastest way to
        # multiply.
        arrays = self.run_on_device(found)
        self.device.kernels.optimize(self._tiered)
        if self.library:
            for joint in self.joints.values():
                joint.wait()
            arrays = self.run_on_device(found)
        graph, run = None, _DeviceRun(stream, found)
        if self.replayable:
            try:
                with self.device.current():
                    self._place(run)
                    graph = self._graph(run)
            except BaseException:
                run.keep.clear()
                run.blocks.clear()
                raise
        if graph is None:
            return arrays, Repeated(self, stream, found, arrays)
        arrays = self._views(stream, run.addresses, run.blocks)
        again = Repeated(self, stream, found, arrays, graph, run)
        again()
        return arrays, again

    def _note(
        self, stream: DeviceStream, found: Shell, graphs: dict[tuple[int, ...], Graph]
    ) -> None:
        """Let who runs the same again replay it at once, if it need not wait for other streams."""
        if found.notes is not None and all(_lies_in(stream, leaf) for leaf in found.leaves):
            found.notes[stream] = self._again(stream, found, graphs)

    def _again(
        self,
        stream: DeviceStream,
        found: Shell,
        graphs: dict[tuple[int, ...], Graph],
    ) -> Replay:
        requests = self._requests(found)[self._padded :]
        return Replay(self, self.device, stream, graphs, requests, self._own_views)

    def _requests(self, found: Shell) -> tuple[Request, ...]:
        """Return what the blocks of a run's own are asked for with."""
        lines, requests = self._asked
        if found.order or lines is not found.lines:
            requests = tuple(
                (size_class(nbytes), nbytes, found.origin(value))
                for _, nbytes, value in self._own_blocks
            )
            if not found.order:
                self._asked = found.lines, requests
        return requests

    def _given(self, stream: DeviceStream, found: Shell) -> _Given | None:
        """Return what a graph depends on, but for memory of its own; None: leaves are copied."""
        addresses: list[int] = []
        is_read = self._is_read
        for position, leaf in enumerate(found.leaves):
            held = leaf.attr
            if type(held) is not DeviceLeaf:
                return None
            array: Any = held.device_array
            if array.queue is not stream:
                array.cross(stream)
            addresses.append(array.address if is_read[position] else 0)
        return stream, tuple(addresses), _numbers(found)

    # -- memory ------------------------------------------------------------------------------

    def _place(self, run: _DeviceRun, blocks: list[DeviceBlock] | None = None) -> None:
        """Bring leaves to the device and find memory for everything else, or take what is given."""
        addresses, found = run.addresses, run.found
        for position, leaf in enumerate(found.leaves):
            addresses.append(self._leaf(run, leaf) if position in self.uploaded else 0)
        addresses.extend([0] * (self.scratch_base + 1 - self.leaf_count))
        arena = 0
        if blocks is None:
            blocks = run.stream.pool.allocate_all(self._requests(found), run.limit)
        run.own = tuple([block.address for block in blocks[self._padded :]])
        for base, nbytes, _ in self._own_blocks:
            block = blocks.pop(0)
            run.count(nbytes)
            if base < self.scratch_base:
                run.blocks[base] = block
                addresses[base] = block.address
            else:
                run.keep.append(block)
                arena = block.address
            del block
        self._place_arena(addresses, arena)
        if self.reports.bounds:
            run.farthest = bytearray(self.reports.nbytes)
            addresses.append(run.take(len(run.farthest), self._line(found)))
            run.stream.clear(addresses[-1], len(run.farthest))

    def _place_arena(self, addresses: list[int], arena: int) -> None:
        """Note where everything lies that lives in a run's arena."""
        if arena:
            for base, offset in self._in_arena:
                addresses[base] = arena + offset
        addresses[self.scratch_base] = arena + self.plan.arena_bytes

    def _plan_memory(self) -> None:
        """Work out which blocks a run asks for, and what lies where in the arena."""
        plan = self.plan
        self._own_blocks: list[tuple[int, int, int]] = []  # base, bytes, whose line
        self._in_arena: list[tuple[int, int]] = []  # base, offset
        # One block for both: a request costs as much host time as a third of a launch.
        own = plan.arena_bytes + plan.scratch_bytes
        first = self.origins.get(self.roots[0], _LAST)
        if own:
            self._own_blocks.append((self.scratch_base, own, first))
        #: How many of these blocks a graph has in its stream's pad: the first, or none.
        self._padded = int(0 < own <= PAD_BYTES)
        for index, buffer in enumerate(plan.buffers):
            base = self.leaf_count + index
            # A graph repeats itself at fixed addresses, so they are known beforehand.
            if buffer.kind == "output" or (self.replayable and buffer.kind == "adopted"):
                owner = self.origins.get(buffer.values[-1], first)
                self._own_blocks.append((base, buffer.nbytes, owner))
            else:
                self._in_arena.append((base, buffer.offset))
        places = {
            base: place for place, (base, _, _) in enumerate(self._own_blocks[self._padded :])
        }
        self._own_views: list[View] = [
            (places[view[0]], *view[1:]) for view in self.views if view[0] in places
        ]
        #: The same among all blocks.
        self._block_views = [(view[0] + self._padded, *view[1:]) for view in self._own_views]

    def _line(self, found: Shell) -> Origin | None:
        """Return the user's line of the first result."""
        return found.origin(self.origins.get(self.roots[0], _LAST))

    def _leaf(self, run: _DeviceRun, leaf: Node) -> int:
        """Return the device address of a leaf's first element."""
        held = leaf.attr
        if isinstance(held, DeviceLeaf):
            array: Any = held.device_array
            if array.queue is not run.stream:
                array.cross(run.stream)
            return int(array.address)
        assert isinstance(held, Leaf)
        host = held.array
        low, high = extent(host.shape, host.strides, host.itemsize)
        if high == low:
            return 0
        address = run.take(high - low, leaf.origin)
        run.stream.upload(address, _bytes_at(held.address + low, high - low, host))
        return address - low

    def _ready(self, run: _DeviceRun, planned: Any) -> tuple[KernelCall, list[Any]]:
        """Return the call that these addresses allow, and its arguments."""
        call: KernelCall = planned
        args = self._arguments(run, call)
        for position, nbytes in call.aligned:
            if args[position] % nbytes:
                call = self._unaligned(call)
                return call, self._arguments(run, call)
        return call, args

    def _arguments(self, run: _DeviceRun, call: KernelCall) -> list[Any]:
        args = call.template.copy()
        addresses = run.addresses
        for position, base, offset in call.addresses:
            args[position] = addresses[base] + offset
        for position, index, part in call.scalars:
            scalar = run.found.scalars[index]
            args[position] = _scalar_value(scalar.attr, part_dtype(scalar.dtype), part)
        for position, count in call.counters:
            args[position] = run.stream.counters(count, run.limit)
        return args

    def _unaligned(self, call: KernelCall) -> KernelCall:
        """Return the call that takes addresses as they come."""
        made = self._otherwise.get(call.launch)
        if made is None:
            launch = call.launch.otherwise
            assert launch is not None
            function = self.device.kernels.compile(emit_cuda(launch.kernel), self.settings)
            made = self._device_call(launch, function)
            self._otherwise[call.launch] = made
        return made

    # -- library steps -------------------------------------------------------------------------

    def _library_step(self, run: _DeviceRun, group: Group, queue: Any) -> None:
        """Compute a library step here, or where nothing here can, with NumPy on the host."""
        node, found = group.members[0], run.found
        call = self.library[group]
        try:
            if call.implementation is None:
                result = self._on_host(run, node)
            position = self.origins.get(node)
            line = node.origin if position is None else found.origin(position)
            out = self._output(run, group, line)
            if call.implementation is None:
                if result.nbytes:
                    run.stream.upload(out.address, result.reshape(-1).view(np.uint8))
            else:
                work = Work(queue, self.settings, run.limit, line, again=not self.first_run)
                operands = [self._operand(run, source, work) for source in node.src]
                call.run(work, node, out, operands)
        except Exception as error:
            self._blame(error, node, found)
            raise

    def _output(self, run: _DeviceRun, group: Group, line: Origin | None) -> Strided:
        """Return where a library step writes."""
        node = group.members[0]
        layout = group.outputs[0].layout
        base = self._base(layout.owner)
        adopted = self.plan.buffers[base - self.leaf_count].kind == "adopted"
        if adopted and base not in run.blocks:
            block = run.allocate(max(node.nbytes, 1), line)
            run.blocks[base] = block
            run.addresses[base] = block.address
            run.count(node.nbytes)
        return Strided(run.addresses[base], node.shape, contiguous_strides(node.shape), node.dtype)

    def _operand(self, run: _DeviceRun, source: Node, work: Work) -> Strided:
        """Return a source of a library step where it lies on the device."""
        layout = layout_of(source, self.layouts)
        if layout is None:
            base = source
            while base.op.kind is Kind.VIEW:
                base = base.src[0]
            return work.upload(constant_of(run.found, base)).broadcast(source.shape)
        size = source.dtype.itemsize
        address = run.addresses[self._base(layout.owner)] + layout.offset * size
        return Strided(address, source.shape, layout.strides, source.dtype)

    def _on_host(self, run: _DeviceRun, node: Node) -> Array:
        """Evaluate a library step with NumPy: its operands come to the host."""
        for source in node.src:
            layout = layout_of(source, self.layouts)
            if layout is None or is_leaf(layout.owner):
                continue
            index, owner = self._base(layout.owner), layout.owner
            host = np.empty(owner.shape, owner.dtype)
            if host.size:
                run.stream.download(host.reshape(-1).view(np.uint8), run.addresses[index])
            run.arrays[index] = host
        arrays = [self._array(run, run.found, source) for source in node.src]
        with config(device="cuda"):  # a loop's turns are evaluated here
            result = np.asarray(node.op.evaluate(node, *arrays))
        run.arrays.clear()
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        return np.array(result, node.dtype, order="C")


def _numbers(found: Shell) -> tuple[bytes, ...]:
    """Return the scalars of a run as they lie in memory."""
    scalars: list[Any] = [scalar.attr for scalar in found.scalars]
    return tuple(scalars)


def _lies_in(stream: DeviceStream, leaf: Node) -> bool:
    array: Any = getattr(leaf.attr, "device_array", None)
    return array is not None and array.queue is stream


def _on_device(leaf: Node) -> bool:
    return isinstance(leaf.attr, DeviceLeaf)


@lru_cache(maxsize=4096)
def _scalar_value(attr: bytes, dtype: np.dtype[Any], part: int) -> Any:
    """Return a constant's value as a Python number; of a complex one, a part."""
    return np.frombuffer(attr, dtype)[part].item()


class _Span:
    """Bytes of the host for NumPy to view; keeps their owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def _bytes_at(address: int, nbytes: int, owner: object) -> Array:
    interface = {"data": (address, True), "shape": (nbytes,), "typestr": "|u1", "version": 3}
    return np.asarray(_Span(owner, interface))
