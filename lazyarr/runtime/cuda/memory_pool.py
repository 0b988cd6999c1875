"""Memory of a GPU: pools that reuse blocks, one a stream.

What is queued in one stream runs in order. So a block may be handed out again in its stream as soon
as its owner drops it: what uses it next is queued behind what used it before. A block that other
streams of ours have read is handed out again after what they had queued by then, and one that
another library has seen after all streams are done.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence

from lazyarr.core.frozen import dataclass
from lazyarr.errors import DeviceMemoryError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_array import DeviceBlock, Mark, Queue, Shelf, Used

__all__ = ["DeviceMemory", "DevicePool", "DevicePoolInfo", "Request", "size_class"]

Origin = tuple[str, int]
#: Size class, bytes and the user's line of memory that is asked for.
Request = tuple[int, int, Origin | None]
_SMALL = tuning.row().pool_bytes
_ALIGNMENT = 256


def _lent(shelf: Shelf, address: int, nbytes: int) -> DeviceBlock:
    """Return the owner of a block.

    Parameters
    ----------
    shelf : Shelf
        Where it comes from, and goes back to.
    address : int
        One of the shelf's.
    nbytes : int
        What was asked for.
    """
    block = DeviceBlock()  # filled here, as a call of an __init__ takes as long as all of this
    block.shelf = shelf
    block.address = address
    block.nbytes = nbytes
    block.shared = False
    block.readers = ()
    return block


@dataclass(frozen=True, slots=True)
class DevicePoolInfo:
    """Statistics of one memory pool, or of all pools of a device.

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


class DeviceMemory:
    """The memory accounting of all pools of one device.

    Attributes
    ----------
    lock : threading.Lock
        Guards all of them: a pool that finds no memory asks the others for their idle blocks.
    pools : list of DevicePool
        One for each stream.
    reserved, in_use, peak, allocations : int
        Sums of theirs.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pools: list[DevicePool] = []
        self.reserved = 0
        self.in_use = 0
        self.peak = 0
        self.allocations = 0

    def info(self) -> DevicePoolInfo:
        """Return the counters."""
        with self.lock:
            for pool in self.pools:
                pool._settle_all()
            return DevicePoolInfo(self.in_use, self.peak, self.reserved, self.allocations)

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
        self._shelves: dict[int, Shelf] = {}
        self._used: deque[Used] = deque()
        self._shared: dict[int, list[int]] = {}  # idle for us, maybe not for other libraries
        # Idle for this stream, maybe not for others of ours.
        self._crossing: deque[tuple[Sequence[Mark], int, int]] = deque()
        self._lock = self.memory.lock
        self._all: dict[int, int] = {}
        #: What each block was last asked for with, idle ones included.
        self._users: dict[int, Request] = {}
        self._in_use = 0
        self._peak = 0
        self._reserved = 0
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
        blocks: list[DeviceBlock] = []
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
                        blocks.clear()  # the error's traceback keeps this call's frame
                        raise
                self._count(address, request)
                blocks.append(_lent(shelf, address, nbytes))
            self._note_peak()
        return blocks

    def reuse(self, requests: Sequence[Request]) -> list[DeviceBlock] | None:
        """Return idle blocks, as :meth:`allocate_all` does; None if there is not one for each."""
        blocks: list[DeviceBlock] = []
        for request in requests:
            block = self.exchange(request)
            if block is None:
                break
            blocks.append(block)
        else:
            return blocks
        blocks.clear()
        return self._idle_blocks(requests, lambda idle: idle[-1])

    def reuse_lowest(self, requests: Sequence[Request]) -> list[DeviceBlock] | None:
        """Return idle blocks as :meth:`reuse` does: those of the lowest addresses.

        Which blocks these are depends on nothing but which are idle, so that runs which take turns
        come back to the same blocks soon.
        """
        return self._idle_blocks(requests, min)

    def _idle_blocks(
        self, requests: Sequence[Request], choose: Callable[[list[int]], int]
    ) -> list[DeviceBlock] | None:
        """Return an idle block for each request, of the addresses that are chosen."""
        blocks: list[DeviceBlock] = []
        with self._lock:
            self._settle_used()
            for request in requests:
                shelf = self._shelf(request[0])
                self._settle(shelf)
                if not shelf.idle:
                    return None  # what was found comes back as it is dropped
                address = choose(shelf.idle)
                shelf.idle.remove(address)
                self._count(address, request)
                blocks.append(_lent(shelf, address, request[1]))
            self._note_peak()
        return blocks

    def reuse_at(
        self, requests: Sequence[Request], addresses: Sequence[int]
    ) -> list[DeviceBlock] | None:
        """Return the idle blocks at these addresses; None if one of them is not idle.

        Parameters
        ----------
        requests : sequence of (int, int, tuple of (str, int) or None)
            As of :meth:`allocate_all`.
        addresses : sequence of int
            One a request.
        """
        blocks: list[DeviceBlock] = []
        for request, address in zip(requests, addresses, strict=True):
            shelf = self._shelves.get(request[0])
            if shelf is None:
                return None
            try:
                shelf.dropped.remove(address)  # still counted as in use
                self._users[address] = request
            except (ValueError, IndexError):  # it is not there, or another thread was quicker
                with self._lock:
                    self._settle_used()
                    self._settle(shelf)
                    if address not in shelf.idle:
                        return None  # what was taken comes back as it is dropped
                    shelf.idle.remove(address)
                    self._count(address, request)
                    self._note_peak()
            blocks.append(_lent(shelf, address, request[1]))
        return blocks

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
        return _lent(shelf, address, request[1])

    def _shelf(self, size: int) -> Shelf:
        shelf = self._shelves.get(size)
        if shelf is None:
            shelf = self._shelves[size] = Shelf(size, self._used)
        return shelf

    def _count(self, address: int, request: Request) -> None:
        """Note that a block is in use from now on."""
        self._users[address] = request
        self._in_use += request[0]
        self.memory.in_use += request[0]

    def _note_peak(self) -> None:
        """Note the bytes in use if they were never as many."""
        memory = self.memory
        if self._in_use > self._peak or memory.in_use > memory.peak:
            self._settle_all()
            self._peak = max(self._peak, self._in_use)
            memory.peak = max(memory.peak, memory.in_use)

    def info(self) -> DevicePoolInfo:
        """Return the counters."""
        with self._lock:
            self._settle_all()
            return DevicePoolInfo(self._in_use, self._peak, self._reserved, self._allocations)

    def trim(self) -> None:
        """Give idle memory back to the device."""
        with self._lock:
            self._settle_all()
            self._trim()

    def close(self) -> None:
        """Release all memory at the end of the process."""
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
        """Take back blocks that were dropped."""
        self._settle_used()
        for shelf in self._shelves.values():
            self._settle(shelf)

    def _settle(self, shelf: Shelf) -> None:
        """Take back blocks of one size that were dropped and are not used elsewhere."""
        while shelf.dropped:
            try:
                address = shelf.dropped.popleft()
            except IndexError:  # exchanged by another thread
                break
            self._in_use -= shelf.size
            self.memory.in_use -= shelf.size
            shelf.idle.append(address)

    def _settle_used(self) -> None:
        """Take back blocks that were dropped and may be used elsewhere."""
        while self._used:
            address, size, shared, readers = self._used.popleft()
            self._in_use -= size
            self.memory.in_use -= size
            if shared:
                self._shared.setdefault(size, []).append(address)
            else:
                self._crossing.append(([reader.mark() for reader in readers], address, size))

    def _look(self, shelf: Shelf) -> None:
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
                self._reserved -= shelf.size
                self.memory.reserved -= shelf.size

    def _fresh(self, size: int, nbytes: int, limit: int, origin: Origin | None) -> int:
        limit = limit or self.limit
        address = _taken(self, size, limit)
        if not address:
            # Cycles of garbage may hold blocks; then whatever is idle goes back, for one more try.
            gc.collect()
            self.memory._trim()
            address = _taken(self, size, limit)
        if not address:
            raise _refusal(self.memory, nbytes, limit, origin)
        self._allocations += 1
        self._reserved += size
        self.memory.allocations += 1
        self.memory.reserved += size
        self._all[address] = size
        return address


def _taken(pool: DevicePool, size: int, limit: int) -> int:
    """Return the address of new memory of the device's; 0 if there is none, or too little."""
    if limit and pool.memory.reserved + size > limit:
        return 0
    return pool.queue.allocate(size)


def _holders(pool: DevicePool) -> list[Request]:
    """Return the requests for the blocks of a pool that are in use."""
    idle = {address for shelf in pool._shelves.values() for address in shelf.idle}
    idle.update(*pool._shared.values())
    idle |= {address for _, address, _ in pool._crossing}
    return [request for address, request in pool._users.items() if address not in idle]


def _refusal(
    memory: DeviceMemory, nbytes: int, limit: int, origin: Origin | None
) -> DeviceMemoryError:
    """Return the error of a request for which there is no room, with the lines that hold most."""
    by_line: Counter[Origin | None] = Counter()
    for pool in memory.pools:
        for _, total, line in _holders(pool):
            by_line[line] += total
    lines = [
        f"{total:,} bytes by " + (f"{line[0]}:{line[1]}" if line else "lazyarr's own buffers")
        for line, total in by_line.most_common(4)
    ]
    limited = f"memory_limit is {limit:,} bytes" if limit else "the device is full"
    message = (
        f"cannot allocate {nbytes:,} bytes on the device: {limited}; {memory.in_use:,} are in use"
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
