"""Memory of a run on a device: its blocks, and the addresses of values in them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.addresses import extent
from lazyarr.core.config import get_config
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import Origin
from lazyarr.execution.arguments import ScalarValue, bind, scalar_of
from lazyarr.execution.cuda.bounds_reports import BoundsReport, BoundsReports
from lazyarr.execution.cuda.kernels import KernelCall
from lazyarr.execution.plan import CompiledPlan, ResultView
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf, Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_array import (
    DeviceArray,
    DeviceBlock,
    PassingArray,
    array_at,
)
from lazyarr.runtime.cuda.memory_pool import Request, size_class
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["BlockView", "DeviceRun", "GraphKey", "RunMemory", "RunRequest", "is_on_device"]

Array = np.ndarray[Any, Any]
#: Where a result lies: which block or base, offset in bytes, shape, dtype, strides in bytes.
BlockView: TypeAlias = tuple[int, int, tuple[int, ...], np.dtype[Any], tuple[int, ...]]
#: What a graph depends on: a stream, addresses of leaves, and scalars as they lie in memory.
GraphKey: TypeAlias = tuple[DeviceStream, tuple[int, ...], tuple[bytes, ...]]

#: Where a result stands among the user's nodes, if what is stored for it is none of them.
_LAST = -1


class RunRequest:
    """A run that an executor is asked for.

    Attributes
    ----------
    stream : DeviceStream
        Where it is queued.
    bindings : Bindings
        Leaves and scalars.
    graph_key : tuple, optional
        What a graph of it would depend on; None: leaves have to be copied, or nobody needs it.
    blocks : list of DeviceBlock, optional
        Memory for it, if a way to launch it that gave up has asked for that.
    """

    __slots__ = ("bindings", "blocks", "graph_key", "stream")

    def __init__(
        self, stream: DeviceStream, bindings: Bindings, graph_key: GraphKey | None
    ) -> None:
        self.stream = stream
        self.bindings = bindings
        self.graph_key = graph_key
        self.blocks: list[DeviceBlock] | None = None


class DeviceRun:
    """The memory of one run on a device.

    Attributes
    ----------
    stream : DeviceStream
        Where it is queued.
    bindings : Bindings
        Leaves and scalars.
    addresses : list of int
        Where each base lies.
    blocks : dict of int to DeviceBlock
        Bases that are blocks of their own.
    own : tuple of int
        Addresses of the blocks that a graph does not replace by its stream's pad.
    keep : list
        What keeps the other memory alive.
    report : BoundsReport, optional
        Where kernels report indices that are out of bounds.
    limit : int
        Bytes that lazyarr may hold of the device; 0 means no limit.
    in_use, peak : int
        Bytes held, now and at most.
    ticket : int
        Of the results, if it was given out when the work was queued; else 0.
    """

    __slots__ = (
        "_counters",
        "_scalars",
        "addresses",
        "bindings",
        "blocks",
        "in_use",
        "keep",
        "limit",
        "own",
        "peak",
        "report",
        "stream",
        "ticket",
    )

    def __init__(self, stream: DeviceStream, bindings: Bindings, counters: int) -> None:
        self.stream = stream
        self.bindings = bindings
        self.limit = get_config().memory_limit
        self.addresses: list[int] = []
        self.blocks: dict[int, DeviceBlock] = {}
        self.own: tuple[int, ...] = ()
        self.keep: list[object] = []
        self.report: BoundsReport | None = None
        self.in_use = 0
        self.peak = 0
        self.ticket = 0
        self._counters = counters
        self._scalars: list[ScalarValue] | None = None

    def count(self, nbytes: int) -> None:
        """Count bytes that lazyarr holds, or with a negative number no longer holds."""
        self.in_use += nbytes
        if self.in_use > self.peak:
            self.peak = self.in_use

    def allocate(self, nbytes: int, line: Origin | None) -> DeviceBlock:
        """Return memory of the stream's pool.

        Parameters
        ----------
        nbytes : int
            Its size, at least 1.
        line : tuple of (str, int), optional
            The user's line, for the error if there is no room.
        """
        return self.stream.pool.allocate(nbytes, self.limit, line)

    def take(self, nbytes: int, line: Origin | None) -> int:
        """Return the address of memory that is needed as long as this run.

        That of the lowest address that is idle: runs that copy their leaves from the host find them
        at the same addresses each time.

        Parameters
        ----------
        nbytes : int
            Its size, at least 1.
        line : tuple of (str, int), optional
            The user's line, for the error if there is no room.
        """
        blocks = self.stream.pool.reuse_lowest(((size_class(nbytes), nbytes, line),))
        block = self.allocate(nbytes, line) if blocks is None else blocks[0]
        self.keep.append(block)
        return block.address

    def drop(self) -> None:
        """Release the memory, even if the run is still referenced."""
        self.keep.clear()
        self.blocks.clear()

    def arguments(self, call: KernelCall) -> list[Any]:
        """Return the arguments of a launch."""
        if self._scalars is None:
            self._scalars = [scalar_of(scalar) for scalar in self.bindings.scalars]
        if call.counters:
            self.addresses[self._counters] = self.stream.counters(call.counters, self.limit)
        return bind(call.template, self.addresses, self._scalars)


class RunMemory:
    """The memory blocks of a plan's runs, and the offsets of values in them.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    read_leaves : frozenset of int
        The leaves that the device reads; those that only the host reads stay there.
    replayable : bool
        Whether graphs may be made of it, which work at fixed addresses.
    bounds : BoundsReports, optional
        Where runs report indices that are out of bounds, if they can be.

    Attributes
    ----------
    own_blocks : list of (int, int, int)
        For each block: its base, bytes, and whose line asks for it.
    in_arena : list of (int, int)
        Bases that lie in the arena, and their offsets.
    padded : int
        How many of the blocks a graph has in its stream's pad: the first, or none.
    views : list of BlockView
        The results, by bases.
    block_views : list of BlockView
        Those that lie in blocks, by blocks.
    own_views : list of BlockView
        The same, by the blocks behind those that a graph has in its stream's pad.
    """

    def __init__(
        self,
        plan: CompiledPlan[KernelCall],
        read_leaves: frozenset[int],
        replayable: bool,
        bounds: BoundsReports | None = None,
    ) -> None:
        self.bounds = bounds
        self._plan = plan
        self._read_leaves = read_leaves
        self._is_read = tuple([k in read_leaves for k in range(plan.bases.leaf_count)])
        self._requests: tuple[object, tuple[Request, ...]] = (None, ())
        #: The addresses of the blocks of the last runs, by what their graphs depend on.
        self._last_addresses: dict[GraphKey, tuple[int, ...]] = {}
        memory, bases, positions = plan.memory, plan.bases, plan.lines.positions
        self.views = [_block_view(result) for result in plan.results]
        self.own_blocks: list[tuple[int, int, int]] = []
        self.in_arena: list[tuple[int, int]] = []
        # One block for both: a request costs as much host time as a third of a launch.
        shared = memory.arena_bytes + memory.scratch_bytes
        self._first = positions.get(plan.results[0].root, _LAST)
        if shared:
            self.own_blocks.append((bases.scratch, shared, self._first))
        self.padded = int(0 < shared <= tuning.row().pad_bytes)
        for base, buffer in enumerate(memory.buffers, bases.leaf_count):
            # A graph repeats itself at fixed addresses, so they are known beforehand.
            if buffer.kind == "output" or (replayable and buffer.kind == "adopted"):
                owner = positions.get(buffer.values[-1], self._first)
                self.own_blocks.append((base, buffer.nbytes, owner))
            else:
                self.in_arena.append((base, buffer.offset))
        own = [base for base, _, _ in self.own_blocks[self.padded :]]
        self.own_views: list[BlockView] = [
            (own.index(view[0]), *view[1:]) for view in self.views if view[0] in own
        ]
        self.block_views = [(view[0] + self.padded, *view[1:]) for view in self.own_views]

    def line(self, bindings: Bindings) -> Origin | None:
        """Return the user's line of the first result."""
        return bindings.origin(self._first)

    def graph_key(self, stream: DeviceStream, bindings: Bindings) -> GraphKey | None:
        """Return the key of a run among graphs; None: leaves have to be copied, so it has no graph.

        Parameters
        ----------
        stream : DeviceStream
            Where the run is queued.
        bindings : Bindings
            Leaves and scalars.
        """
        addresses: list[int] = []
        is_read = self._is_read
        for position, leaf in enumerate(bindings.leaves):
            memory = leaf.attr
            if type(memory) is not DeviceLeaf:
                return None
            array: Any = memory.device_array
            if array.queue is not stream:
                if array.queue.label != stream.label or type(array) is PassingArray:
                    return None
                array.cross(stream)
            addresses.append(array.address if is_read[position] else 0)
        return stream, tuple(addresses), scalar_bytes(bindings)

    def requests(self, bindings: Bindings) -> tuple[Request, ...]:
        """Return the requests for the blocks of a run."""
        lines, requests = self._requests
        if bindings.order or lines is not bindings.lines:
            requests = tuple(
                (size_class(nbytes), nbytes, bindings.origin(value))
                for _, nbytes, value in self.own_blocks
            )
            if not bindings.order:
                self._requests = bindings.lines, requests
        return requests

    def blocks(self, graph_key: GraphKey, bindings: Bindings, limit: int) -> list[DeviceBlock]:
        """Return the blocks of a run: those of the run of this key before, if they are idle.

        A step of training reads what the step before wrote, and its results lie where those of
        the step before that one lay: so the same addresses come again, and with them a graph.

        Parameters
        ----------
        graph_key : tuple
            What a graph of the run depends on.
        bindings : Bindings
            Leaves and scalars.
        limit : int
            Bytes that lazyarr may hold of the device; 0 means no limit.
        """
        pool, requests = graph_key[0].pool, self.requests(bindings)
        before = self._last_addresses.get(graph_key)
        blocks = None if before is None else pool.reuse_at(requests, before)
        if blocks is None:
            blocks = pool.reuse_lowest(requests)
        if blocks is None:
            blocks = pool.allocate_all(requests, limit)
        if len(self._last_addresses) > tuning.row().replays:
            self._last_addresses.clear()
        self._last_addresses[graph_key] = tuple([block.address for block in blocks])
        return blocks

    def place(self, run: DeviceRun, blocks: list[DeviceBlock] | None = None) -> None:
        """Bring leaves to the device and find memory for everything else.

        Parameters
        ----------
        run : DeviceRun
            Whose addresses are filled in.
        blocks : list of DeviceBlock, optional
            What was asked for already; it is emptied.
        """
        addresses, bindings, bases = run.addresses, run.bindings, self._plan.bases
        for position, leaf in enumerate(bindings.leaves):
            addresses.append(_upload(run, leaf) if position in self._read_leaves else 0)
        if blocks is None:
            graph_key = run.stream, tuple(addresses), scalar_bytes(bindings)
            blocks = self.blocks(graph_key, bindings, run.limit)
        addresses.extend([0] * (bases.counters + 1 - bases.leaf_count))
        arena = 0
        run.own = tuple([block.address for block in blocks[self.padded :]])
        for base, nbytes, _ in self.own_blocks:
            block = blocks.pop(0)
            run.count(nbytes)
            if base < bases.scratch:
                run.blocks[base] = block
                addresses[base] = block.address
            else:
                run.keep.append(block)
                arena = block.address
            del block
        self.place_arena(addresses, arena)
        self.place_report(run)

    def place_report(self, run: DeviceRun) -> None:
        """Give a run whose kernels check indices the memory that they report to, if it has none."""
        if self.bounds is not None and run.report is None:
            run.report = self.bounds.take()
            run.addresses[self._plan.bases.status] = run.report.address

    def place_arena(self, addresses: list[int], arena: int) -> None:
        """Note where everything lies that lives in a run's arena.

        Parameters
        ----------
        addresses : list of int
            Of the run.
        arena : int
            Where the arena begins; 0 if there is none.
        """
        if arena:
            for base, offset in self.in_arena:
                addresses[base] = arena + offset
        addresses[self._plan.bases.scratch] = arena + self._plan.memory.arena_bytes

    def results(self, run: DeviceRun) -> list[DeviceArray]:
        """Return the results of a run whose work is queued."""
        addresses, blocks, stream = run.addresses, run.blocks, run.stream
        ticket = run.ticket or stream.ticket()
        return [
            array_at(addresses[base] + offset, shape, dtype, strides, blocks[base], stream, ticket)
            for base, offset, shape, dtype, strides in self.views
        ]


def scalar_bytes(bindings: Bindings) -> tuple[bytes, ...]:
    """Return the scalars of a run as they lie in memory."""
    scalars: list[Any] = [scalar.attr for scalar in bindings.scalars]
    return tuple(scalars)


def is_on_device(leaf: Node, device: str) -> bool:
    """Return whether a leaf lies in the memory of a device.

    Parameters
    ----------
    leaf : Node
        The leaf.
    device : str
        The name of the device.
    """
    memory = leaf.attr
    if not isinstance(memory, DeviceLeaf):
        return False
    array: Any = memory.device_array
    return bool(array.queue.label == device)


def _block_view(result: ResultView) -> BlockView:
    root, layout, size = result.root, result.layout, result.root.dtype.itemsize
    strides = contiguous_strides(root.shape) if result.is_whole else layout.strides
    steps = tuple(stride * size for stride in strides)
    return result.base, layout.offset * size, root.shape, root.dtype, steps


def _upload(run: DeviceRun, leaf: Node) -> int:
    """Return the device address of a leaf's first element."""
    memory = leaf.attr
    if isinstance(memory, DeviceLeaf):
        array: Any = memory.device_array
        if array.queue.label != run.stream.label:  # another GPU's
            array = run.stream.duplicate(array, run.limit, leaf.origin)
            run.keep.append(array)
        elif type(array) is PassingArray:
            low, high = extent(array.shape, array.strides, array.itemsize)
            if array.queue is not run.stream:
                array.cross(run.stream)
            address = run.take(max(high - low, 1), leaf.origin)
            run.stream.copy(address, array.address + low, high - low)
            return address - low
        elif array.queue is not run.stream:
            array.cross(run.stream)
        return int(array.address)
    assert isinstance(memory, Leaf)
    host = memory.array
    low, high = extent(host.shape, host.strides, host.itemsize)
    if high == low:
        return 0
    address = run.take(high - low, leaf.origin)
    run.stream.upload(address, _bytes_at(memory.address + low, high - low, host))
    return address - low


class _Span:
    """Bytes of the host for NumPy to view; keeps their owner alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


def _bytes_at(address: int, nbytes: int, owner: object) -> Array:
    interface = {"data": (address, True), "shape": (nbytes,), "typestr": "|u1", "version": 3}
    return np.asarray(_Span(owner, interface))
