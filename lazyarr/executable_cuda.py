"""Plans on a CUDA device: arrays go there once, kernels are queued, results stay or come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from lazyarr.bindings import Run, constant_of, is_leaf, position_of
from lazyarr.canonical import Shell
from lazyarr.codegen.device_lowering import Counter, DeviceLaunch
from lazyarr.codegen.emit_cuda import emit_cuda
from lazyarr.codegen.launch import Address, Bounds, Number, Scalar, Scratch
from lazyarr.config import Config, get_config
from lazyarr.device_leaf import DeviceLeaf
from lazyarr.errors import ContractError, DeviceError
from lazyarr.executable import Executable, _Step
from lazyarr.fusion import Group, Layout, layout_of
from lazyarr.ir import Kind, Leaf, Node, Origin, part_dtype
from lazyarr.library_cuda import DeviceCall, device_call
from lazyarr.runtime import cuda, record
from lazyarr.runtime.device_memory import DeviceArray, extent
from lazyarr.runtime.libraries.strided import Strided
from lazyarr.runtime.libraries.work import Work
from lazyarr.runtime.pool import SMALL, pool
from lazyarr.runtime.source import Source
from lazyarr.shapes import contiguous_strides
from lazyarr.values import dataclass

__all__ = ["DeviceExecutable"]

Array = np.ndarray[Any, Any]

#: Runs with equal addresses after which a plan's kernels are queued as one graph.
_RUNS_BEFORE_REPLAY = 3
#: Graphs of one plan.
_MAX_REPLAYS = 8


@dataclass(frozen=True, eq=False, slots=True)
class _DeviceCall:
    """One launch with its code: what to pass, and where the addresses go."""

    function: cuda.DeviceFunction
    template: list[Any]
    addresses: tuple[tuple[int, int, int], ...]  # position, base, offset
    scalars: tuple[tuple[int, int, int], ...]  # position, scalar parameter, its part
    counters: tuple[tuple[int, int], ...]  # position, how many
    aligned: tuple[tuple[int, int], ...]  # position, bytes
    blocks: int
    threads: int
    launch: DeviceLaunch


class DeviceExecutable(Executable):
    """A plan that can run again and again on the device, from many threads at once.

    Takes the parameters of :class:`lazyarr.executable.Executable`.
    """

    def __init__(self, *arguments: Any) -> None:
        self.device = cuda.device()
        self.settings: Config = arguments[-2]
        self._otherwise: dict[DeviceLaunch, _DeviceCall] = {}
        before = self.device.info().compiled
        super().__init__(*arguments)
        self._seen: dict[object, int] = {}
        self._replays: dict[object, Callable[[], None]] = {}
        self.views = [self._view_plan(*planned) for planned in self.results]
        self.library: dict[Group, DeviceCall] = {
            step.group: device_call(step.group.members[0])
            for step in self.steps
            if step.group.kind == "library"
        }
        several = sum(len(step.calls) for step in self.steps) > 1 or bool(self.library)
        # Bounds are read back after each run.
        self.replayable = (
            several and not self.reports.bounds and all(map(self._can_repeat, self.library))
        )
        self.uploaded = self._read_on_device()
        self.owners: list[int | None] = [
            self.origins.get(buffer.values[-1]) for buffer in self.plan.buffers
        ]
        self.compiled = self.device.info().compiled - before

    def _load(self, sources: Sequence[Source], settings: Config) -> dict[Source, Any]:
        return {source: self.device.compile(source, settings) for source in sources}

    def _find_direct(self) -> None:
        return None  # a launch on a device is more than a call

    def _call(self, launch: Any, function: Any, found: Any) -> Any:
        return self._device_call(launch, function)

    def _device_call(self, launch: DeviceLaunch, function: cuda.DeviceFunction) -> _DeviceCall:
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
                case Bounds():
                    place = self.reports.place(argument)
                    addresses.append((position, self.scratch_base + 1, place))
        return _DeviceCall(
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
        results: list[Array] = []
        arrays = self.run_on_device(found)
        with self.device.current():
            for index, value in enumerate(arrays):
                results.append(self._to_host(value, None if outs is None else outs[index]))
        return results

    def _to_host(self, value: DeviceArray, out: Array | None) -> Array:
        """Return a result in the host's memory: in `out`, or in pages that were used before."""
        plain = value.strides == contiguous_strides(value.shape, value.itemsize)
        if not plain:
            host = value.get()
            if out is None:
                return np.array(host, order="C")
            np.copyto(out, host)
            return out
        target = out
        if target is None or not target.flags.carray or not target.dtype.isnative:
            nbytes = int(np.prod(value.shape, dtype=np.int64)) * value.itemsize
            if nbytes < SMALL:
                target = np.empty(value.shape, value.dtype)
            else:
                target = pool.allocate(nbytes).array(value.shape, value.dtype)
        if target.size:
            self.device.download(target.reshape(-1).view(np.uint8), value.address)
        if out is not None and target is not out:
            np.copyto(out, target)
            return out
        return target

    def run_on_device(self, found: Shell) -> list[DeviceArray]:
        """Queue the steps and return the results where they are."""
        run = Run()
        blocks: dict[int, Any] = {}
        try:
            return self._queue_all(run, found, blocks)
        except BaseException:
            # The error's traceback keeps this call's frames, and must not keep its memory.
            run.keep.clear()
            blocks.clear()
            raise

    def _queue_all(self, run: Run, found: Shell, blocks: dict[int, Any]) -> list[DeviceArray]:
        listening = record.listening()
        started = time.perf_counter() if listening else 0.0
        records: list[record.StepRecord] = []
        device = self.device
        limit = get_config().memory_limit
        with device.current():
            device.part()
            self._place(run, found, blocks, limit)
            if self.replayable and not listening and self._replay(run, found, blocks):
                return self._views(run, blocks)
            for index, step in enumerate(self.steps):
                begun = time.perf_counter() if listening else 0.0
                if step.calls:
                    self._queue(run, found, step)
                elif step.group.kind == "library":
                    self._library_step(run, found, step.group, blocks, limit, device)
                for base in self.ends[index]:
                    dropped = blocks.pop(base, None)
                    if dropped is not None:
                        run.count(-dropped.nbytes)
                        del dropped
                if listening:
                    device.synchronize()
                    seconds = time.perf_counter() - begun
                    records.append(
                        record.StepRecord(
                            step.group.name,
                            step.group.kind,
                            seconds,
                            step.bytes_read,
                            step.bytes_written,
                        )
                    )
            if run.farthest is not None:
                # Waits for the kernels: an index that is out of bounds must not go unnoticed.
                farthest = np.frombuffer(run.farthest, np.uint8)
                device.download(farthest, run.addresses[self.scratch_base + 1])
                self.reports.check_bounds(run.farthest, found)
        if listening:
            self._publish(run, records, time.perf_counter() - started)
        self.first_run = False
        return self._views(run, blocks)

    def _views(self, run: Run, blocks: dict[int, Any]) -> list[DeviceArray]:
        addresses, device = run.addresses, self.device
        return [
            DeviceArray(addresses[base] + offset, shape, dtype, strides, blocks[base], device)
            for base, offset, shape, dtype, strides in self.views
        ]

    def _replay(self, run: Run, found: Shell, blocks: dict[int, Any]) -> bool:
        """Queue all kernels at once if they ran with these very addresses and numbers before."""
        key = (tuple(run.addresses), tuple([scalar.attr for scalar in found.scalars]))
        known = self._replays.get(key)
        if known is not None:
            known()
            return True
        # Memory moves between the first runs; what came twice will come again.
        seen = self._seen.get(key, 0) + 1
        if len(self._seen) > _MAX_REPLAYS:
            self._seen.clear()
        self._seen[key] = seen
        if seen < _RUNS_BEFORE_REPLAY:
            return False

        def queue(recorder: Any) -> None:
            for step in self.steps:
                for planned in step.calls:
                    call, args = self._ready(run, found, planned)
                    if call.blocks:
                        recorder.launch(call.function, call.blocks, call.threads, args)
                if step.group in self.library:
                    self._library_step(run, found, step.group, blocks, 0, recorder)

        replay = None
        with suppress(DeviceError):  # what is wrong, if anything is, the plain run says
            replay = self.device.capture(queue)
        if replay is None:
            self.replayable = False
            return False
        if len(self._replays) >= _MAX_REPLAYS:
            self._replays.clear()
        self._replays[key] = replay
        replay()
        return True

    def _place(self, run: Run, found: Shell, blocks: dict[int, Any], limit: int) -> None:
        """Bring leaves to the device and find memory for everything else."""
        plan, addresses = self.plan, run.addresses
        for position, leaf in enumerate(found.leaves):
            needed = position in self.uploaded
            addresses.append(self._leaf(run, leaf, limit) if needed else 0)
        # One block for both: a request costs as much host time as a third of a launch.
        own = plan.arena_bytes + plan.scratch_bytes
        arena = self._take(run, own, limit, self._line(found)) if own else 0
        run.count(own)
        for index, buffer in enumerate(plan.buffers):
            # A graph repeats itself at fixed addresses, so they are known beforehand.
            if buffer.kind == "output" or (self.replayable and buffer.kind == "adopted"):
                base = self.leaf_count + index
                line = self._line(found, self.owners[index])
                blocks[base] = self.device.pool.allocate(buffer.nbytes, limit, line)
                run.count(buffer.nbytes)
                addresses.append(blocks[base].address)
            else:
                addresses.append(arena + buffer.offset)
        addresses.append(arena + plan.arena_bytes)
        if self.reports.bounds:
            run.farthest = bytearray(self.reports.nbytes)
            addresses.append(self._take(run, len(run.farthest), limit, self._line(found)))
            self.device.upload(addresses[-1], np.frombuffer(run.farthest, np.uint8))

    def _take(self, run: Run, nbytes: int, limit: int, line: Origin | None) -> int:
        """Return the address of memory that is needed as long as this run."""
        block = self.device.pool.allocate(nbytes, limit, line)
        run.keep.append(block)
        return block.address

    def _line(self, found: Shell, position: int | None = None) -> Origin | None:
        """Return the user's line of a value, or of the first result."""
        if position is None:
            position = self.origins.get(self.roots[0])
        return None if position is None else found.origin(position)

    def _leaf(self, run: Run, leaf: Node, limit: int) -> int:
        """Return the device address of a leaf's first element."""
        held = leaf.attr
        if isinstance(held, DeviceLeaf):
            return held.device_array.address
        assert isinstance(held, Leaf)
        array = held.array
        low, high = extent(array.shape, array.strides, array.itemsize)
        if high == low:
            return 0
        address = self._take(run, high - low, limit, leaf.origin)
        self.device.upload(address, _bytes_at(held.address + low, high - low, array))
        return address - low

    def _queue(self, run: Run, found: Shell, step: _Step) -> None:
        device = self.device
        for planned in step.calls:
            call, args = self._ready(run, found, planned)
            if call.blocks:
                device.launch(call.function, call.blocks, call.threads, args)

    def _ready(self, run: Run, found: Shell, planned: Any) -> tuple[_DeviceCall, list[Any]]:
        """Return the call that these addresses allow, and its arguments."""
        call: _DeviceCall = planned
        args = self._arguments(run, found, call)
        if any(args[position] % nbytes for position, nbytes in call.aligned):
            call = self._unaligned(call)
            args = self._arguments(run, found, call)
        return call, args

    def _arguments(self, run: Run, found: Shell, call: _DeviceCall) -> list[Any]:
        args = call.template.copy()
        addresses = run.addresses
        for position, base, offset in call.addresses:
            args[position] = addresses[base] + offset
        for position, index, part in call.scalars:
            scalar = found.scalars[index]
            args[position] = _scalar_value(scalar.attr, part_dtype(scalar.dtype), part)
        for position, count in call.counters:
            args[position] = self.device.counters(count)
        return args

    def _unaligned(self, call: _DeviceCall) -> _DeviceCall:
        """Return the call that takes addresses as they come."""
        made = self._otherwise.get(call.launch)
        if made is None:
            launch = call.launch.otherwise
            assert launch is not None
            function = self.device.compile(emit_cuda(launch.kernel), self.settings)
            made = self._device_call(launch, function)
            self._otherwise[call.launch] = made
        return made

    # -- library steps -------------------------------------------------------------------------

    def _library_step(
        self,
        run: Run,
        found: Shell,
        group: Group,
        blocks: dict[int, Any],
        limit: int,
        device: Any,
    ) -> None:
        """Compute a library step here, or where nothing here can, with NumPy on the host."""
        node = group.members[0]
        call = self.library[group]
        try:
            if call.implementation is None:
                result = self._on_host(run, found, node)
            position = self.origins.get(node)
            line = node.origin if position is None else found.origin(position)
            out = self._output(run, group, blocks, limit, line)
            if call.implementation is None:
                if result.nbytes:
                    self.device.upload(out.address, result.reshape(-1).view(np.uint8))
            else:
                work = Work(device, self.settings, limit, line)
                operands = [self._operand(run, found, source, work) for source in node.src]
                call.run(work, node, out, operands)
        except Exception as error:
            self._blame(error, node, found)
            raise

    def _output(
        self,
        run: Run,
        group: Group,
        blocks: dict[int, Any],
        limit: int,
        line: Origin | None,
    ) -> Strided:
        """Return where a library step writes."""
        node = group.members[0]
        layout = group.outputs[0].layout
        base = self._base(layout.owner)
        adopted = self.plan.buffers[base - self.leaf_count].kind == "adopted"
        if adopted and base not in blocks:
            block = self.device.pool.allocate(max(node.nbytes, 1), limit, line)
            blocks[base] = block
            run.addresses[base] = block.address
            run.count(node.nbytes)
        return Strided(run.addresses[base], node.shape, contiguous_strides(node.shape), node.dtype)

    def _operand(self, run: Run, found: Shell, source: Node, work: Work) -> Strided:
        """Return a source of a library step where it lies on the device."""
        layout = layout_of(source, self.layouts)
        if layout is None:
            base = source
            while base.op.kind is Kind.VIEW:
                base = base.src[0]
            return work.upload(constant_of(found, base)).broadcast(source.shape)
        size = source.dtype.itemsize
        address = run.addresses[self._base(layout.owner)] + layout.offset * size
        return Strided(address, source.shape, layout.strides, source.dtype)

    def _on_host(self, run: Run, found: Shell, node: Node) -> Array:
        """Evaluate a library step with NumPy: its operands come to the host."""
        for source in node.src:
            layout = layout_of(source, self.layouts)
            if layout is None or is_leaf(layout.owner):
                continue
            index, owner = self._base(layout.owner), layout.owner
            host = np.empty(owner.shape, owner.dtype)
            if host.size:
                self.device.download(host.reshape(-1).view(np.uint8), run.addresses[index])
            run.arrays[index] = host
        arrays = [self._array(run, found, source) for source in node.src]
        result = np.asarray(node.op.evaluate(node, *arrays))
        run.arrays.clear()
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        return np.array(result, node.dtype, order="C")


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
