"""Kernels of a plan whose arguments change from run to run, queued by one call of the driver.

To queue kernels one by one costs more of the host's time than a GPU takes for small ones: 4 µs for
each. So they are a graph, and their arguments lie in memory of the host: a run writes there what
has changed, lets the driver read the arguments of kernels that are concerned, a microsecond for
each, and queues the graph.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.interfaces import ChainStream

__all__ = [
    "Chain",
    "Counters",
    "Fixed",
    "Kernel",
    "Launcher",
    "Launches",
    "NodeParameters",
    "Part",
    "Place",
    "driver_library",
    "launcher",
    "not_launched",
]

T = TypeVar("T")
A = TypeVar("A")
_DriverCall = Callable[[], int]

#: Bytes of the longest scalar, a complex number, and of everything else.
_SCALAR = 16
_WORD = 8


@dataclass(frozen=True, slots=True)
class Place:
    """An argument: the address that a run gives for a number of its own, plus an offset."""

    index: int
    offset: int

    def __add__(self, nbytes: int) -> Place:
        return Place(self.index, self.offset + nbytes)


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument: the same bytes in every run."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Part:
    """An argument: the bytes at an offset in a scalar of the run."""

    index: int
    offset: int


@dataclass(frozen=True, slots=True)
class Counters:
    """An argument: the address of so many of the stream's counters."""

    count: int

    def __add__(self, nbytes: int) -> Counters:
        assert not nbytes, "a kernel has all counters of its stream"
        return self


LaunchedArgument: TypeAlias = Place | Fixed | Part | Counters


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch.

    Attributes
    ----------
    handle : int
        The driver's ``CUfunction``.
    blocks, threads, shared_bytes : int
        As the driver is given them.
    arguments : tuple of LaunchedArgument
        One a parameter.
    """

    handle: int
    blocks: int
    threads: int
    shared_bytes: int
    arguments: tuple[LaunchedArgument, ...]


class NodeParameters(ctypes.Structure):
    """The driver's ``CUDA_KERNEL_NODE_PARAMS``: a kernel, and pointers to its arguments."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("arguments", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
        ("kernel", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    )


class Chain:
    """Kernels that the driver queues together, one after another.

    Parameters
    ----------
    stream : DeviceStream
        Where.
    launch : callable
        Queues them, and returns the driver's status.
    reads : sequence of callable
        For each kernel, what lets the driver read its arguments anew, and returns its status; the
        context must be current. What is queued already keeps those that it had.
    give_back : callable
        Ends it; the context must be current.
    """

    __slots__ = ("__weakref__", "_device", "_give_back", "launch", "reads")

    def __init__(
        self,
        stream: ChainStream,
        launch: _DriverCall,
        reads: Sequence[_DriverCall],
        give_back: Callable[[], None],
    ) -> None:
        self._device = stream.device
        self._give_back: Callable[[], None] | None = give_back
        self.launch = launch
        self.reads = tuple(reads)
        stream.chains.add(self)

    def close(self) -> None:
        """Give it back; the context must be current."""
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back()

    def __del__(self) -> None:
        # The last launch may still run, and no context need be current here.
        if self._give_back is not None:
            self._device.retire(self._give_back)


@dataclass(frozen=True, slots=True)
class Launcher:
    """The driver's function for a launch.

    Attributes
    ----------
    chain : callable
        Returns a :class:`Chain`, given a stream and the parameters of kernels, which must not move;
        the context must be current.
    push, pop : callable
        Make the device's context that of the thread, and the one before that again; return the
        driver's status.
    """

    chain: Callable[[ChainStream, Sequence[NodeParameters]], Chain]
    push: _DriverCall
    pop: _DriverCall


class _Ready:
    """The kernels of one run in one stream, and the memory that they read. One thread has it."""

    __slots__ = (
        "chain",
        "pack_places",
        "pack_scalars",
        "places",
        "read_scalars",
        "retained",
        "scalars",
    )

    chain: Chain
    #: For each scalar, what lets the driver read the arguments of kernels that are given it.
    read_scalars: tuple[tuple[_DriverCall, ...], ...]
    #: Writes the addresses, and the scalars.
    pack_places: Callable[..., None]
    pack_scalars: Callable[..., None]
    #: What the driver has read.
    places: tuple[int, ...] | None
    scalars: tuple[bytes, ...] | None
    retained: list[object]


class Launches:
    """The kernels of a plan, queued one after another. Thread-safe.

    Parameters
    ----------
    launcher : Launcher
        The driver.
    kernels : sequence of Kernel
        In order.
    scalars : int
        How many a run gives.
    narrow : mapping of int to numpy.dtype
        Which of them are float16 or bfloat16: kernels take those as float32.
    aligned : sequence of (Place, int)
        Addresses that must be multiples of the number beside them.
    """

    def __init__(
        self,
        launcher: Launcher,
        kernels: Sequence[Kernel],
        scalars: int,
        narrow: Mapping[int, np.dtype[Any]] = MappingProxyType({}),
        aligned: Sequence[tuple[Place, int]] = (),
    ) -> None:
        self._launcher = launcher
        self._kernels = tuple(kernels)
        self._scalar_count = scalars
        self._narrow = dict(narrow)
        self._aligned = tuple([(place.index, place.offset, n) for place, n in aligned])
        arguments = [argument for kernel in kernels for argument in kernel.arguments]
        places = [argument for argument in arguments if isinstance(argument, Place)]
        self._places = tuple([(place.index, place.offset) for place in dict.fromkeys(places)])
        counted = [argument.count for argument in arguments if isinstance(argument, Counters)]
        self._counters = max(counted, default=0)
        # A call of the driver lets other threads come between, so each run has what is its own.
        self._shelves: dict[object, list[_Ready]] = {}

    def queue(
        self, stream: ChainStream, places: tuple[int, ...], scalars: tuple[bytes, ...]
    ) -> bool:
        """Queue all kernels; False if an address is not aligned, and nothing was queued.

        Parameters
        ----------
        stream : DeviceStream
            Where.
        places : tuple of int
            Addresses that the kernels work at.
        scalars : tuple of bytes
            Numbers, as they lie in memory.

        Raises
        ------
        DeviceError
            If the driver refuses one of them.
        """
        shelf = self._shelves.get(stream)
        if shelf is None:
            shelf = self._shelves.setdefault(stream, [])
        ready = _taken(shelf, places)
        if ready is None:
            for index, offset, nbytes in self._aligned:
                if (places[index] + offset) % nbytes:
                    return False
            ready = self._idle(stream, shelf)
        reads: tuple[_DriverCall, ...] = ()
        if ready.places != places:
            ready.pack_places(*[places[index] + offset for index, offset in self._places])
            reads = ready.chain.reads
        if ready.scalars != scalars:
            ready.pack_scalars(*(self._widened(scalars) if self._narrow else scalars))
            reads = reads or _concerned(ready, scalars)
        if reads:
            self._with_context(_read, reads)
            ready.places, ready.scalars = places, scalars
        status = ready.chain.launch()
        if status:
            raise not_launched(status, "kernels")
        shelf.append(ready)
        return True

    def _idle(self, stream: ChainStream, shelf: list[_Ready]) -> _Ready:
        """Return kernels for addresses that none of those at hand has."""
        if len(shelf) >= tuning.row().chains:
            with suppress(IndexError):  # another thread took it
                return shelf.pop(0)
        return self._with_context(self._new_kernels, stream)

    def _with_context(self, function: Callable[[A], T], argument: A) -> T:
        """Call a function while the device's context is that of the thread."""
        launcher = self._launcher
        status = launcher.push()
        if status:
            raise not_launched(status, "kernels")
        try:
            return function(argument)
        finally:
            launcher.pop()

    def _widened(self, scalars: tuple[bytes, ...]) -> list[bytes]:
        """Return the scalars as kernels take them."""
        widened = list(scalars)
        for index, dtype in self._narrow.items():
            widened[index] = np.frombuffer(widened[index], dtype).astype(np.float32).tobytes()
        return widened

    def _new_kernels(self, stream: ChainStream) -> _Ready:
        """Return kernels that are ready but for addresses and scalars."""
        arguments = [argument for kernel in self._kernels for argument in kernel.arguments]
        fixed = [
            argument.data for argument in dict.fromkeys(arguments) if isinstance(argument, Fixed)
        ]
        counters = 0
        if self._counters:
            counters = stream.counters(self._counters, get_config().memory_limit)
        # Addresses, what never changes, the counters' address, and scalars.
        place_of = {place: _WORD * k for k, place in enumerate(self._places)}
        start = _WORD * len(place_of)
        fixed_at = {data: start + _WORD * k for k, data in enumerate(fixed)}
        counters_at = start + _WORD * len(fixed)
        scalars_at = counters_at + _WORD
        nbytes = scalars_at + _SCALAR * self._scalar_count
        storage = (ctypes.c_uint64 * -(-nbytes // _WORD))()
        for data, where in fixed_at.items():
            struct.pack_into(f"={_WORD}s", storage, where, data)
        struct.pack_into("=Q", storage, counters_at, counters)
        first = ctypes.addressof(storage)

        def where_is(argument: LaunchedArgument) -> int:
            match argument:
                case Place(index, offset):
                    return first + place_of[index, offset]
                case Fixed(data):
                    return first + fixed_at[data]
                case Part(index, offset):
                    return first + scalars_at + _SCALAR * index + offset
                case Counters():
                    return first + counters_at

        ready = _Ready()
        ready.retained = [storage]
        parameters: list[NodeParameters] = []
        for kernel in self._kernels:
            pointers = [where_is(argument) for argument in kernel.arguments]
            array = (ctypes.c_void_p * len(pointers))(*pointers)
            node_parameters = NodeParameters(
                function=kernel.handle,
                grid=(kernel.blocks, 1, 1),
                block=(kernel.threads, 1, 1),
                shared_bytes=kernel.shared_bytes,
                arguments=ctypes.addressof(array),
            )
            ready.retained += array, node_parameters
            parameters.append(node_parameters)
        ready.chain = self._launcher.chain(stream, parameters)
        ready.read_scalars = self._reads_of_scalars(ready.chain.reads)
        addresses = struct.Struct(f"={len(place_of)}Q")
        scalars = struct.Struct("=" + f"{_SCALAR}s" * self._scalar_count)
        ready.pack_places = partial(addresses.pack_into, storage, 0)
        ready.pack_scalars = partial(scalars.pack_into, storage, scalars_at)
        ready.places = ready.scalars = None
        return ready

    def _reads_of_scalars(
        self, reads: Sequence[_DriverCall]
    ) -> tuple[tuple[_DriverCall, ...], ...]:
        """Return, for each scalar, the calls that let the driver read kernels with it."""
        parts = [{a.index for a in own.arguments if isinstance(a, Part)} for own in self._kernels]
        return tuple(
            tuple(read for read, has in zip(reads, parts, strict=True) if index in has)
            for index in range(self._scalar_count)
        )


def _taken(shelf: list[_Ready], places: tuple[int, ...]) -> _Ready | None:
    """Take the batch with these addresses from a shelf; None if there is none."""
    for ready in shelf[::-1]:
        if ready.places == places:
            try:
                shelf.remove(ready)
            except ValueError:  # another thread took it
                continue
            return ready
    return None


def _concerned(ready: _Ready, scalars: tuple[bytes, ...]) -> tuple[_DriverCall, ...]:
    """Return the calls that pass the changed scalars to the driver."""
    changes = zip(ready.read_scalars, scalars, ready.scalars or (), strict=True)
    changed = [reads for reads, value, before in changes if value != before]
    if len(changed) == 1:
        return changed[0]
    return tuple(dict.fromkeys(read for reads in changed for read in reads))


def _read(reads: Sequence[_DriverCall]) -> None:
    """Let the driver read arguments."""
    for read in reads:
        status = read()
        if status:
            raise not_launched(status, "kernels")


def not_launched(status: int, what: str = "a graph") -> DeviceError:
    """Return the error of work that was not queued.

    Parameters
    ----------
    status : int
        The driver's.
    what : str, optional
        The work, for the message.
    """
    return DeviceError(f"the CUDA driver failed to launch {what}: error {status}")


@cache
def driver_library() -> ctypes.CDLL:
    """Return the driver's functions themselves. The GIL is free in a call: a full queue blocks."""
    return ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")


#: Functions of the driver that a chain needs; of drivers before CUDA 12 one is not there.
_NEEDED = (
    "cuGraphCreate",
    "cuGraphAddKernelNode_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphLaunch",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
)


def launcher(context: int) -> Launcher | None:
    """Return the launcher of kernels in a context; None if the driver is too old."""
    library = driver_library()
    if not all(hasattr(library, name) for name in _NEEDED):
        return None
    popped = ctypes.c_void_p()  # always the same, whoever writes it
    return Launcher(
        partial(_chain, library),
        partial(library.cuCtxPushCurrent_v2, ctypes.c_void_p.from_param(context)),
        partial(library.cuCtxPopCurrent_v2, ctypes.byref(popped)),
    )


def _chain(library: Any, stream: ChainStream, parameters: Sequence[NodeParameters]) -> Chain:
    """Return kernels as a graph, in which each waits for the one before."""
    graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
    nodes: list[ctypes.c_void_p] = []

    def give_back() -> None:
        if ready.value is not None:
            library.cuGraphExecDestroy(ready)
        library.cuGraphDestroy(graph)

    def done(status: int) -> None:
        if status:
            give_back()
            raise not_launched(status, "kernels")

    status = library.cuGraphCreate(ctypes.byref(graph), 0)
    if status:
        raise not_launched(status, "kernels")
    for one in parameters:
        node = ctypes.c_void_p()
        before = ctypes.byref(nodes[-1]) if nodes else None
        count = ctypes.c_size_t(len(nodes[-1:]))
        add = library.cuGraphAddKernelNode_v2
        done(add(ctypes.byref(node), graph, before, count, ctypes.byref(one)))
        nodes.append(node)
    instantiate = library.cuGraphInstantiateWithFlags
    done(instantiate(ctypes.byref(ready), graph, ctypes.c_ulonglong(0)))
    # As ctypes would hand them over: to make that takes it as long as the rest of a call.
    pointer = ctypes.c_void_p.from_param
    reads = [
        partial(
            library.cuGraphExecKernelNodeSetParams_v2,
            *map(pointer, (ready.value, node.value, ctypes.addressof(one))),
        )
        for node, one in zip(nodes, parameters, strict=True)
    ]
    launch = partial(library.cuGraphLaunch, *map(pointer, (ready.value, stream.handle)))
    return Chain(stream, launch, reads, give_back)
