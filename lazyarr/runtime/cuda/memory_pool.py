"""Memory of a GPU: pools that reuse blocks, one a stream, and the arrays in it.

What is queued in one stream runs in order. So a block may be handed out again in its stream as soon
as its owner drops it: what uses it next is queued behind what used it before. A block that other
streams of ours have read is handed out again after what they had queued by then, and one that
another library has seen after all streams are done.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.errors import DeviceMemoryError
from lazyarr.runtime.cuda import dlpack

__all__ = [
    "DeviceArray",
    "DeviceBlock",
    "DeviceMemory",
    "DevicePool",
    "DevicePoolInfo",
    "Queue",
    "Request",
    "array_at",
    "extent",
    "size_class",
]

DType = np.dtype[Any]
Origin = tuple[str, int]
#: Size class, bytes and the user's line of memory that is asked for.
Request = tuple[int, int, Origin | None]
_SMALL = 1 << 20
_ALIGNMENT = 256


class Mark(Protocol):
    """A place in a stream."""

    def query(self) -> bool:
        """Return whether all that was queued before is done."""

    def synchronize(self) -> object:
        """Wait for all that was queued before."""


class Queue(Protocol):
    """What a pool and an array need of their stream."""

    def current(self) -> AbstractContextManager[None]:
        """Return what makes the device's context that of this thread inside a ``with``."""

    def allocate(self, nbytes: int) -> int:
        """Return the address of new memory; 0 if there is none."""

    def free(self, address: int) -> None:
        """Give memory back, once all work in the stream is done."""

    def mark(self) -> Mark:
        """Return the place behind all that is queued by now."""

    def after(self, other: Any, ticket: int) -> None:
        """Queue what follows behind what another stream had queued when it gave out a ticket."""

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> None:
        """Copy a flat array of bytes to the device."""

    def download(self, host: np.ndarray[Any, Any], address: int) -> None:
        """Wait for all work, and copy to a flat array of bytes."""

    def synchronize(self) -> None:
        """Wait for all work."""

    def duplicate(self, array: DeviceArray) -> DeviceArray:
        """Return a copy in new memory, with the same strides."""

    def ticket(self) -> int:
        """Return a number that is larger than those given out for what was queued before."""

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy inside the device; the context must be current."""

    def let_wait(self, stream: int) -> None:
        """Make what is queued in another library's stream from now on wait for this one."""

    def synchronize_all(self) -> None:
        """Wait for all work of every stream, those of other libraries included."""


@dataclass(frozen=True, slots=True)
class DevicePoolInfo:
    """What pools hold: one, or all of a device together.

    Attributes
    ----------
    in_use, peak : int
        Bytes in blocks that somebody holds, now and at most.
    held : int
        Bytes taken from the device, idle ones included.
    allocations : int
        Calls of the driver so far.
    """

    in_use: int
    peak: int
    held: int
    allocations: int


class DeviceBlock:
    """Memory of a device; goes back to its pool when it is dropped.

    Attributes
    ----------
    address, nbytes : int
        Where it is, and what was asked for.
    shared : bool
        Whether another library has seen the address.
    readers : tuple of Queue
        Other streams that have used it.
    """

    __slots__ = ("_shelf", "address", "nbytes", "readers", "shared")

    _shelf: _Shelf
    address: int
    nbytes: int
    shared: bool
    readers: tuple[Queue, ...]

    def __del__(self) -> None:
        # Only notes it: a finaliser may run anywhere, with any lock held.
        if self.shared or self.readers:
            shelf = self._shelf
            shelf.used.append((self.address, shelf.size, self.shared, self.readers))
        else:
            self._shelf.dropped.append(self.address)


#: Address, size, whether another library knows the address, and other streams that have used it.
_Used = tuple[int, int, bool, tuple[Queue, ...]]


class _Shelf:
    """The blocks of one size in a pool that nobody holds, by their addresses.

    Attributes
    ----------
    size : int
        Bytes that each has.
    idle : list of int
        Those that can be handed out.
    dropped : deque of int
        The same, but still counted as in use: they came back since the pool last looked.
    used : deque
        Those of the pool that came back since, too, but that others may still use: another library,
        or other streams.
    """

    __slots__ = ("dropped", "idle", "size", "used")

    def __init__(self, size: int, used: deque[_Used]) -> None:
        self.size = size
        self.idle: list[int] = []
        self.dropped: deque[int] = deque()
        self.used = used

    def block(self, address: int, nbytes: int) -> DeviceBlock:
        """Return the owner of one of them."""
        made = DeviceBlock()  # filled here, as a call of an __init__ takes as long as all of this
        made._shelf = self
        made.address = address
        made.nbytes = nbytes
        made.shared = False
        made.readers = ()
        return made


class DeviceMemory:
    """What the pools of one device hold together.

    Attributes
    ----------
    lock : threading.Lock
        Guards all of them: a pool that finds no memory asks the others for their idle blocks.
    pools : list of DevicePool
        One for each stream.
    held, in_use, peak, allocations : int
        Sums of theirs.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pools: list[DevicePool] = []
        self.held = 0
        self.in_use = 0
        self.peak = 0
        self.allocations = 0

    def info(self) -> DevicePoolInfo:
        """Return the counters."""
        with self.lock:
            for pool in self.pools:
                pool._settle_all()
            return DevicePoolInfo(self.in_use, self.peak, self.held, self.allocations)

    def trim(self) -> None:
        """Give the idle memory of all pools back to the device."""
        with self.lock:
            self._trim()

    def _trim(self) -> None:
        for pool in self.pools:
            pool._settle_all()
            pool._trim()


class DevicePool:
    """Blocks of one stream by size class; thread-safe.

    Parameters
    ----------
    queue : Queue
        The stream.
    memory : DeviceMemory, optional
        What it shares the device with; default: nothing.
    limit : int, optional
        Bytes that may be held; 0 means what the device has.
    """

    def __init__(self, queue: Queue, memory: DeviceMemory | None = None, limit: int = 0) -> None:
        self.queue = queue
        self.memory = DeviceMemory() if memory is None else memory
        self.memory.pools.append(self)
        self.limit = limit
        self._shelves: dict[int, _Shelf] = {}
        self._used: deque[_Used] = deque()
        self._shared: dict[int, list[int]] = {}  # idle for us, maybe not for other libraries
        # Idle for this stream, maybe not for others of ours.
        self._crossing: deque[tuple[Sequence[Mark], int, int]] = deque()
        self._lock = self.memory.lock
        self._all: dict[int, int] = {}
        #: What each block was last asked for with, idle ones included.
        self._users: dict[int, Request] = {}
        self._in_use = 0
        self._peak = 0
        self._held = 0
        self._allocations = 0

    def allocate(self, nbytes: int, limit: int = 0, origin: Origin | None = None) -> DeviceBlock:
        """Return a block of at least `nbytes`, aligned to 256 bytes.

        Parameters
        ----------
        nbytes : int
            What is needed.
        limit : int, optional
            Bytes that all pools may hold after this; 0 means the pool's own limit.
        origin : tuple of (str, int), optional
            The user's line that needs it, for the error of whoever asks in vain.

        Raises
        ------
        DeviceMemoryError
            If the device has no more memory, after idle blocks were given back.
        """
        return self.allocate_all(((size_class(nbytes), nbytes, origin),), limit)[0]

    def allocate_all(self, requests: Sequence[Request], limit: int = 0) -> list[DeviceBlock]:
        """Return a block for each request, as :meth:`allocate` does.

        Parameters
        ----------
        requests : sequence of (int, int, tuple of (str, int) or None)
            The size class of what is needed, the bytes needed, and the user's line.
        limit : int, optional
            As of :meth:`allocate`.
        """
        found: list[DeviceBlock] = []
        with self._lock:
            self._settle_used()
            for request in requests:
                size, nbytes, origin = request
                shelf = self._shelf(size)
                self._settle(shelf)
                if not shelf.idle:
                    self._look(shelf)
                if shelf.idle:
                    address = shelf.idle.pop()
                else:
                    try:
                        address = self._fresh(size, nbytes, limit, origin)
                    except BaseException:
                        found.clear()  # the error's traceback keeps this call's frame
                        raise
                self._count(address, request)
                found.append(shelf.block(address, nbytes))
            self._note_peak()
        return found

    def reuse(self, requests: Sequence[Request]) -> list[DeviceBlock] | None:
        """Return idle blocks, as :meth:`allocate_all` does; None if there is not one for each."""
        found: list[DeviceBlock] = []
        for request in requests:
            block = self.exchange(request)
            if block is None:
                break
            found.append(block)
        else:
            return found
        found.clear()
        with self._lock:
            self._settle_used()
            for request in requests:
                shelf = self._shelf(request[0])
                self._settle(shelf)
                if not shelf.idle:
                    return None  # what was found comes back as it is dropped
                address = shelf.idle.pop()
                self._count(address, request)
                found.append(shelf.block(address, request[1]))
            self._note_peak()
        return found

    def exchange(self, request: Request) -> DeviceBlock | None:
        """Return a block that was dropped just now; None if there is none.

        It is still counted as in use, and is in use once more. So this takes no lock.
        """
        shelf = self._shelves.get(request[0])
        if shelf is None or not shelf.dropped:
            return None
        try:
            address = shelf.dropped.pop()
        except IndexError:
            return None  # another thread took it
        self._users[address] = request
        return shelf.block(address, request[1])

    def _shelf(self, size: int) -> _Shelf:
        shelf = self._shelves.get(size)
        if shelf is None:
            shelf = self._shelves[size] = _Shelf(size, self._used)
        return shelf

    def _count(self, address: int, request: Request) -> None:
        """Note that a block is in use from now on."""
        self._users[address] = request
        self._in_use += request[0]
        self.memory.in_use += request[0]

    def _note_peak(self) -> None:
        """Note what is in use if it was never as much."""
        memory = self.memory
        if self._in_use > self._peak or memory.in_use > memory.peak:
            self._settle_all()
            self._peak = max(self._peak, self._in_use)
            memory.peak = max(memory.peak, memory.in_use)

    def info(self) -> DevicePoolInfo:
        """Return the counters."""
        with self._lock:
            self._settle_all()
            return DevicePoolInfo(self._in_use, self._peak, self._held, self._allocations)

    def trim(self) -> None:
        """Give idle memory back to the device."""
        with self._lock:
            self._settle_all()
            self._trim()

    def close(self) -> None:
        """Give everything back, whoever holds it: the process ends."""
        with self._lock:
            for address in list(self._all):
                self.queue.free(address)
            self._all.clear()
            # Blocks that are dropped later come back to what is no pool's.
            self._shelves.clear()
            self._used = deque()
            self._shared.clear()
            self._crossing.clear()

    def _settle_all(self) -> None:
        """Take back what was dropped."""
        self._settle_used()
        for shelf in self._shelves.values():
            self._settle(shelf)

    def _settle(self, shelf: _Shelf) -> None:
        """Take back what was dropped of one size, and nobody else uses."""
        while shelf.dropped:
            try:
                address = shelf.dropped.popleft()
            except IndexError:  # exchanged by another thread
                break
            self._in_use -= shelf.size
            self.memory.in_use -= shelf.size
            shelf.idle.append(address)

    def _settle_used(self) -> None:
        """Take back what was dropped and others may still use."""
        while self._used:
            address, size, shared, readers = self._used.popleft()
            self._in_use -= size
            self.memory.in_use -= size
            if shared:
                self._shared.setdefault(size, []).append(address)
            else:
                self._crossing.append(([reader.mark() for reader in readers], address, size))

    def _look(self, shelf: _Shelf) -> None:
        """Look for idle blocks of a size among those that others may still use."""
        if self._crossing:
            self._arrive(wait=False)
        if not shelf.idle and shelf.size in self._shared:
            self._reclaim()

    def _arrive(self, *, wait: bool) -> None:
        """Make blocks ours again that no other stream uses any more."""
        if not self._crossing:
            return
        with self.queue.current():
            for _ in range(len(self._crossing)):
                marks, address, size = self._crossing.popleft()
                if wait:
                    for mark in marks:
                        mark.synchronize()
                elif not all(mark.query() for mark in marks):
                    self._crossing.append((marks, address, size))
                    continue
                self._shelf(size).idle.append(address)

    def _reclaim(self) -> None:
        """Make blocks that other libraries have seen ours again, once all their work is done."""
        self.queue.synchronize_all()
        for size, addresses in self._shared.items():
            self._shelf(size).idle.extend(addresses)
        self._shared.clear()

    def _trim(self) -> None:
        if self._shared:
            self._reclaim()
        self._arrive(wait=True)
        for shelf in self._shelves.values():
            while shelf.idle:
                address = shelf.idle.pop()
                self.queue.free(address)
                del self._all[address]
                self._users.pop(address, None)
                self._held -= shelf.size
                self.memory.held -= shelf.size

    def _fresh(self, size: int, nbytes: int, limit: int, origin: Origin | None) -> int:
        limit = limit or self.limit
        address = self._taken(size, limit)
        if not address:
            # Cycles of garbage may hold blocks; then whatever is idle goes back, for one more try.
            gc.collect()
            self.memory._trim()
            address = self._taken(size, limit)
        if not address:
            raise self._refusal(nbytes, limit, origin)
        self._allocations += 1
        self._held += size
        self.memory.allocations += 1
        self.memory.held += size
        self._all[address] = size
        return address

    def _taken(self, size: int, limit: int) -> int:
        """Return the address of new memory of the device's; 0 if there is none, or too little."""
        if limit and self.memory.held + size > limit:
            return 0
        return self.queue.allocate(size)

    def _holders(self) -> list[Request]:
        """Return what the blocks that somebody holds were asked for with."""
        idle = {address for shelf in self._shelves.values() for address in shelf.idle}
        idle.update(*self._shared.values())
        idle |= {address for _, address, _ in self._crossing}
        return [request for address, request in self._users.items() if address not in idle]

    def _refusal(self, nbytes: int, limit: int, origin: Origin | None) -> DeviceMemoryError:
        by_line: Counter[Origin | None] = Counter()
        for pool in self.memory.pools:
            for _, held, line in pool._holders():
                by_line[line] += held
        lines = [
            f"{held:,} bytes by " + (f"{line[0]}:{line[1]}" if line else "lazyarr's own buffers")
            for line, held in by_line.most_common(4)
        ]
        limited = f"memory_limit is {limit:,} bytes" if limit else "the device is full"
        message = (
            f"the device has no {nbytes:,} bytes left: {limited}; {self.memory.in_use:,} are in use"
        )
        if lines:
            message += "\n  held: " + "\n        ".join(lines)
        return DeviceMemoryError(
            message,
            origin=origin,
            hint="drop results that are not needed, or evaluate fewer at a time",
        )


def size_class(nbytes: int) -> int:
    """Return the size of the block that serves a request: an eighth of waste at most."""
    if nbytes <= _SMALL:
        return max(_ALIGNMENT, 1 << max(0, nbytes - 1).bit_length())
    step = 1 << (nbytes.bit_length() - 4)
    return -(-nbytes // step) * step


class DeviceArray:
    """An array in a device's memory; other libraries take it without a copy.

    Made by :func:`array_at`.

    Attributes
    ----------
    shape : tuple of int
        Sizes of the axes.
    dtype : numpy.dtype
        Of the elements.
    strides : tuple of int
        In bytes.
    address : int
        Of the first element.
    queue : Queue
        The stream that its elements are computed in.
    ticket : int
        Given out by that stream when the computation was queued.
    """

    __slots__ = (
        "__weakref__",
        "_owner",
        "address",
        "dtype",
        "queue",
        "shape",
        "strides",
        "ticket",
    )

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType
    queue: Queue
    ticket: int
    _owner: object

    def cross(self, reader: Queue) -> None:
        """Let another stream use the array in what it queues next."""
        reader.after(self.queue, self.ticket)
        owner = self._owner
        while isinstance(owner, DeviceArray):
            owner = owner._owner
        if isinstance(owner, DeviceBlock) and reader not in owner.readers:
            owner.readers = (*owner.readers, reader)

    def settle(self) -> None:
        """Queue what writes the array next behind what other streams read of it."""
        owner = self._owner
        if isinstance(owner, DeviceBlock) and owner.readers:
            for reader in owner.readers:
                self.queue.after(reader, reader.ticket())

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._share()
        return {
            "shape": self.shape,
            "strides": self.strides,
            "typestr": self.dtype.str,
            "data": (self.address if 0 not in self.shape else 0, False),
            "version": 3,
            "stream": 1,  # ours is ordered with the legacy default stream
        }

    @property
    def shared(self) -> bool:
        """Whether another library knows the memory, and may write it."""
        owner = self._owner
        if isinstance(owner, DeviceArray):
            return owner.shared
        return owner.shared if isinstance(owner, DeviceBlock) else True

    def _share(self) -> None:
        """Note that another library will know the address."""
        if isinstance(self._owner, DeviceArray):
            self._owner._share()
        elif isinstance(self._owner, DeviceBlock):
            self._owner.shared = True

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CUDA, 0)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a capsule for another library; work in `stream` waits for ours.

        Parameters
        ----------
        stream : int, optional
            The taker's stream: None or 1 is the legacy default stream, 2 that of the thread, -1
            asks for no order.
        max_version : tuple of (int, int), optional
            The newest DLPack that the taker knows.
        dl_device : tuple of (int, int), optional
            Where the taker wants it: this GPU, or the host.
        copy : bool, optional
            Whether a copy is made: True always, False never, None if need be.
        """
        if dl_device is not None and tuple(dl_device) == (dlpack.CPU, 0):
            if copy is False:
                raise BufferError("memory of a GPU reaches the host by a copy only")
            host = self.get()
            return host.__dlpack__(max_version=max_version) if max_version else host.__dlpack__()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"this array cannot go to DLPack's device {tuple(dl_device)}")
        if stream == 0:
            raise BufferError("stream 0 is ambiguous: give 1 or 2")
        held = self.queue.duplicate(self) if copy else self
        held._share()
        if stream not in (None, 1, -1):
            self.queue.let_wait(stream)
        steps = tuple(step // self.itemsize for step in held.strides)
        return dlpack.export(
            held.address if 0 not in self.shape else 0,
            self.shape,
            steps,
            self.dtype,
            held,
            max_version=max_version,
            copied=bool(copy),
        )

    def get(self) -> np.ndarray[Any, Any]:
        """Return a copy in the host's memory, with the same strides."""
        low, high = extent(self.shape, self.strides, self.itemsize)
        data = np.empty(high - low, np.uint8)
        if data.size:
            self.queue.download(data, self.address + low)
        return np.ndarray(self.shape, self.dtype, data, -low, self.strides)

    def __repr__(self) -> str:
        return f"<DeviceArray {self.dtype.name}{list(self.shape)} at {self.address:#x}>"


def array_at(
    address: int,
    shape: tuple[int, ...],
    dtype: DType,
    strides: tuple[int, ...],
    owner: object,
    queue: Queue,
    ticket: int = 0,
) -> DeviceArray:
    """Return the array whose first element is at an address, in memory that `owner` keeps."""
    made = DeviceArray()  # filled here, as a call of an __init__ takes as long as all of this
    made.address = address
    made.shape = shape
    made.dtype = dtype
    made.strides = strides
    made._owner = owner
    made.queue = queue
    made.ticket = ticket
    return made


def extent(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> tuple[int, int]:
    """Return the bytes before and behind the first element's address that an array spans.

    Examples
    --------
    >>> extent((3, 2), (8, -4), 4)
    (-4, 20)
    """
    if 0 in shape:
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + itemsize
