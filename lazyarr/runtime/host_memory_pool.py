"""Memory of results and intermediates, whose pages are reused.

The first write to fresh memory makes the kernel find and clear each page; for a large array that
costs more than the arithmetic. A block therefore keeps its pages when it is dropped, and the next
allocation of about that size gets them.

Everything here counts *requested* bytes, so that a plan's predicted peak can be compared exactly.

Who computes the same again and again drops a result before the next one of its kind. The pool
therefore keeps the objects that own the memory of a few results of moderate size. One that nothing
else refers to becomes the owner of the next result, at a quarter of what it costs to give a block
back and to take it again. Whatever else is asked of the pool gives such blocks back first.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict, deque
from sys import getrefcount
from typing import Any

import numpy as np

from lazyarr.core import tuning
from lazyarr.core.addresses import ALIGNMENT, address_of
from lazyarr.core.frozen import dataclass

__all__ = ["Block", "Pool", "PoolInfo", "address_of", "pool"]

SMALL = tuning.row().malloc_bytes
"""Below this many bytes malloc reuses memory well enough by itself."""

_PAGE = 4096
_HUGE_PAGE = 1 << 21
#: Bytes of a page from the beginning of one mapping to that of the next.
_STAGGER = tuning.row().stagger
_BYTE = np.dtype(np.uint8)
#: Bytes of results whose memory is kept with its owner at most, and how many there are.
_REPEATED_BYTES = tuning.row().repeated_bytes
_REPEATED = tuning.row().repeated_results


class _Pages:
    """A mapping of whole pages; unmapped when the last reference goes.

    A processor that compares the last twelve bits of addresses lets a load wait for a store to
    another array a few bytes before it, as where a slice is copied from one page's beginning to
    another's. So mappings begin at different places of a page.

    Parameters
    ----------
    size : int
        Bytes, of which there are a page more.
    place : int
        Bytes from the beginning of a page to the first.
    """

    __slots__ = ("address", "memory", "size")

    def __init__(self, size: int, place: int) -> None:
        slack = _HUGE_PAGE if size >= _HUGE_PAGE else 0
        import mmap  # a library of its own, for large arrays

        if hasattr(mmap, "MAP_PRIVATE"):
            # Private, so that a forked child's results are not its parent's.
            flags = mmap.MAP_PRIVATE | getattr(mmap, "MAP_ANONYMOUS", 0)
            mapping = mmap.mmap(-1, size + _PAGE + slack, flags=flags)
        else:
            mapping = mmap.mmap(-1, size + _PAGE + slack)
        if slack and hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                mapping.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                slack = 0  # a kernel without huge pages; alignment buys nothing then
        self.memory = np.frombuffer(mapping, _BYTE)
        self.size = size
        start = address_of(self.memory)
        # Huge pages begin at multiples of their size only.
        self.address = start + (-start % _HUGE_PAGE if slack else 0) + place


class _View:
    """The array interface of a block; as base of the ndarray it keeps the block alive."""

    __slots__ = ("__array_interface__", "block")

    __array_interface__: dict[str, Any]
    block: Block


class _Lease(weakref.ref["Block"]):
    """The lease of a block, which the pool takes back when the block dies.

    The callback is a method written in C: an interrupt cannot come before it, as it can before
    the first line of a finaliser.
    """

    __slots__ = ("memory", "nbytes")

    memory: _Pages | np.ndarray[Any, Any] | None
    nbytes: int


class Block:
    """Memory from a `Pool`, given back when the last reference or view of it goes.

    Attributes
    ----------
    address : int
        Of the first byte; a multiple of 64.
    nbytes : int
        Its size, as requested.
    """

    __slots__ = ("__weakref__", "_lease", "_pool", "_shared", "address", "nbytes")

    def __init__(self, owner: Pool, address: int, nbytes: int) -> None:
        self._lease: _Lease | None = None
        self._pool = owner
        self._shared = False
        self.address = address
        self.nbytes = nbytes

    def array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], offset: int = 0
    ) -> np.ndarray[Any, Any]:
        """Return an uninitialised, C-contiguous array in this memory.

        Parameters
        ----------
        shape : tuple of int
            Its shape.
        dtype : numpy.dtype
            A boolean, integer, floating or complex dtype in native byte order.
        offset : int, optional
            Byte of the block where it begins.

        Returns
        -------
        numpy.ndarray
            Writable. The block lives at least as long as the array and all views of it.
        """
        self._shared = True
        view = _View()
        view.block = self
        view.__array_interface__ = {
            "data": (self.address + offset, False),
            "shape": shape,
            "typestr": dtype.str,
            "version": 3,
        }
        array = np.asarray(view)
        return array if array.dtype is dtype else array.view(dtype)  # bfloat16 has no such name

    def __del__(self) -> None:
        # The lease's callback does this too, but does not count: what it returns is looked at
        # when the pool is next used.
        if self._lease is not None:
            self._pool._give_back(self._lease)


@dataclass(frozen=True, slots=True)
class PoolInfo:
    """Counters of a pool.

    Attributes
    ----------
    in_use, peak : int
        Requested bytes alive now, and the most since the start or `Pool.reset_peak`.
    held : int
        Bytes mapped by the pool, in use or idle.
    idle : int
        Bytes mapped, and waiting to be reused.
    pages : int
        Number of 4 KiB pages in `held`.
    mappings : int
        Number of mappings made since the start; flat while everything is reused.
    """

    in_use: int
    peak: int
    held: int
    idle: int
    pages: int
    mappings: int


class Pool:
    """A thread-safe allocator that keeps the pages of dropped blocks.

    Parameters
    ----------
    idle_limit : int, optional
        Bytes kept for reuse at most; the least recently used go first. By default 1 GiB or a
        quarter of the machine's memory, whichever is less.

    Examples
    --------
    >>> import numpy as np
    >>> pool = Pool()
    >>> x = pool.allocate(800_000).array((100, 1000), np.dtype("float64"))
    >>> x.shape, pool.info().in_use
    ((100, 1000), 800000)
    >>> del x
    >>> pool.info().in_use
    0
    """

    def __init__(self, idle_limit: int | None = None) -> None:
        self.idle_limit = _default_idle_limit() if idle_limit is None else idle_limit
        self._lock = threading.RLock()
        self._inside = False
        # Blocks die wherever the garbage collector runs, even inside the lock: they only append.
        self._returned: deque[_Lease] = deque()
        self._leases: set[_Lease] = set()
        self._idle: OrderedDict[int, _Pages] = OrderedDict()  # by address, oldest first
        self._by_size: dict[int, list[_Pages]] = {}
        self._in_use = 0
        self._peak = 0
        self._mapped = 0
        self._idle_bytes = 0
        self._mappings = 0
        self._repeated: dict[tuple[object, ...], _View] = {}
        _pools.add(self)

    def allocate(self, nbytes: int) -> Block:
        """Return uninitialised memory of `nbytes` bytes.

        Raises
        ------
        MemoryError
            If the system has no more memory.
        """
        if self._repeated:
            self._forget()
        if nbytes < SMALL:
            memory = np.empty(nbytes + ALIGNMENT, _BYTE)
            start = address_of(memory)
            with self._lock:
                return self._lend(memory, start + -start % ALIGNMENT, nbytes)
        with self._lock:
            pages = self._take(_size_class(nbytes))
            return self._lend(pages, pages.address, nbytes)

    def bytes_of(self, nbytes: int) -> np.ndarray[Any, Any]:
        """Return uninitialised bytes, of the pool if they are many.

        Few of them are not lent: that takes longer than to allocate them.

        Parameters
        ----------
        nbytes : int
            How many.
        """
        if nbytes >= SMALL:
            return self.allocate(nbytes).array((nbytes,), _BYTE)
        memory: np.ndarray[Any, Any] = np.empty(nbytes + ALIGNMENT, _BYTE)
        start = -address_of(memory) % ALIGNMENT
        return memory[start : start + nbytes]

    def result(
        self, nbytes: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> np.ndarray[Any, Any]:
        """Return an uninitialised, C-contiguous array, as that of a block of `nbytes` bytes.

        Parameters
        ----------
        nbytes : int
            Of the block.
        shape : tuple of int
            Of the array.
        dtype : numpy.dtype
            As of :meth:`Block.array`.

        Raises
        ------
        MemoryError
            If the system has no more memory.
        """
        key = nbytes, shape, dtype
        # Each owner is taken out before it is looked at, so that no two threads have the same.
        owner = self._repeated.pop(key, None)
        if owner is not None and getrefcount(owner) == _UNSHARED:
            array = np.asarray(owner)
            self._repeated[key] = owner
            return array
        del owner
        array = self.allocate(nbytes).array(shape, dtype)
        base: object = array.base
        if nbytes <= _REPEATED_BYTES and isinstance(base, _View):
            if len(self._repeated) >= _REPEATED:
                self._forget()
            self._repeated[key] = base
        return array

    def _forget(self) -> None:
        """Release the blocks that are kept with their owner."""
        kept, self._repeated = self._repeated, {}
        kept.clear()

    def zeroed(self, nbytes: int) -> Block:
        """Return memory of `nbytes` bytes that are all zero; fresh pages are, and stay untouched.

        Raises
        ------
        MemoryError
            If the system has no more memory.
        """
        if nbytes < SMALL:
            block = self.allocate(nbytes)
            block.array((nbytes,), _BYTE).fill(0)
            return block
        self._forget()
        with self._lock:
            before = self._mappings
            pages = self._take(_size_class(nbytes))
            is_fresh = self._mappings != before
            block = self._lend(pages, pages.address, nbytes)
        if not is_fresh:
            block.array((nbytes,), _BYTE).fill(0)
        return block

    def release(self, block: Block) -> None:
        """Give a block back now, unless arrays of it may be alive: then the last one does it."""
        if not block._shared:
            block.__del__()

    def info(self) -> PoolInfo:
        """Return the counters."""
        self._forget()
        with self._lock:
            self._settle()
            return PoolInfo(
                self._in_use,
                self._peak,
                self._mapped,
                self._idle_bytes,
                self._mapped // _PAGE,
                self._mappings,
            )

    def reset_peak(self) -> None:
        """Restart the measurement of the peak."""
        self._forget()
        with self._lock:
            self._settle()
            self._peak = self._in_use

    def trim(self, idle_limit: int = 0) -> None:
        """Hand idle memory back to the system until no more than `idle_limit` bytes are left."""
        self._forget()
        with self._lock:
            self._settle()
            self._shrink(idle_limit)

    def _lend(self, memory: _Pages | np.ndarray[Any, Any], address: int, nbytes: int) -> Block:
        """Count memory as in use, and return it as a block."""
        if self._returned:
            self._settle()
        block = Block(self, address, nbytes)
        lease = _Lease(block, self._returned.append)
        lease.nbytes = nbytes
        self._leases.add(lease)
        block._lease = lease
        # Together, with no call between them: an interrupt comes before or after.
        lease.memory = memory
        self._in_use += nbytes
        if self._in_use > self._peak:
            self._peak = self._in_use
        return block

    def _take(self, size: int) -> _Pages:
        if self._inside:
            # A finaliser that the collector ran while this thread changed the lists.
            return self._map(size)
        self._settle()
        self._inside = True
        try:
            fitting = self._fitting(size)
            if fitting:
                pages = fitting.pop()  # the latest: most likely still in the CPU's cache
                del self._idle[pages.address]
                self._idle_bytes -= pages.size
                return pages
        finally:
            self._inside = False
        return self._map(size)

    def _fitting(self, size: int) -> list[_Pages] | None:
        exact = self._by_size.get(size)
        if exact:
            return exact
        larger = [s for s, some in self._by_size.items() if some and size < s <= size + size // 4]
        return self._by_size[min(larger)] if larger else None

    def _map(self, size: int) -> _Pages:
        place = self._mappings * _STAGGER % _PAGE
        try:
            pages = _Pages(size, place)
        except OSError:
            self._shrink(0)
            try:
                pages = _Pages(size, place)
            except OSError as error:
                raise MemoryError(f"cannot allocate {size:,} bytes") from error
        self._mappings += 1
        self._mapped += size
        return pages

    def _give_back(self, lease: _Lease) -> None:
        self._returned.append(lease)
        if self._lock.acquire(blocking=False):
            try:
                self._settle()
            finally:
                self._lock.release()

    def _settle(self) -> None:
        """Count the blocks that were released, and keep their pages."""
        if self._inside:
            return
        self._inside = True
        try:
            while self._returned:
                lease = self._returned[0]
                memory = getattr(lease, "memory", None)  # unset if an interrupt came first
                if memory is not None:
                    # Together, with no call between them: an interrupt comes before or after.
                    lease.memory = None
                    self._in_use -= lease.nbytes
                if isinstance(memory, _Pages):
                    self._idle[memory.address] = memory
                    self._by_size.setdefault(memory.size, []).append(memory)
                    self._idle_bytes += memory.size
                self._leases.discard(lease)
                self._returned.popleft()
        finally:
            self._inside = False
        self._shrink(self.idle_limit)

    def _shrink(self, idle_limit: int) -> None:
        if self._inside:
            return
        self._inside = True
        try:
            while self._idle_bytes > idle_limit:
                _, pages = self._idle.popitem(last=False)
                some = self._by_size[pages.size]
                some.remove(pages)
                if not some:
                    del self._by_size[pages.size]
                self._idle_bytes -= pages.size
                self._mapped -= pages.size
        finally:
            self._inside = False

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        self._inside = False


def _references_of_an_owner() -> int:
    """Return the references to an owner that nothing but a variable refers to."""
    owner = _View()
    return getrefcount(owner)


_UNSHARED = _references_of_an_owner()


def _size_class(nbytes: int) -> int:
    """Round up to one of eight sizes an octave, so that nearly equal requests share pages."""
    step = max(_PAGE, 1 << (nbytes.bit_length() - 4))
    return -(-nbytes // step) * step


def _default_idle_limit() -> int:
    limit = 1 << 30
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limit = min(limit, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4)
    return limit


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_pools):
        each._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

pool = Pool()
"""The pool of all evaluations."""
