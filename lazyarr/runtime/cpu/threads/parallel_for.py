"""A kernel's work items on several CPU threads.

They are dispatched by a native pool (:mod:`lazyarr.runtime.cpu.threads.native_pool`); where there
is none, by Python threads (:mod:`lazyarr.runtime.cpu.threads.python_pool`). The calling thread
always works too, so a call never waits for another thread to become free.
"""

from __future__ import annotations

import struct

from lazyarr.runtime.cpu.calling_convention import SLOT
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads.native_pool import current_pool

__all__ = ["Scratch", "launch", "launch_range"]

#: ``(nbytes, positions)``: the thread in slot ``s`` adds ``s * nbytes`` to the addresses that are
#: parameters at these positions.
Scratch = tuple[int, tuple[int, ...]]

_ADDRESS = struct.Struct("=Q")


def launch(
    function: Function,
    block: bytes,
    count: int,
    threads: int,
    chunk: int,
    scratch: Scratch | None = None,
) -> int:
    """Do the work items ``0 <= i < count`` of a kernel whose arguments are packed already.

    Parameters
    ----------
    function : Function
        The kernel.
    block : bytes
        Its arguments, from ``function.pack``.
    count : int
        Number of work items. Nothing is called for 0.
    threads : int
        How many threads work at most, this one among them.
    chunk : int
        Work items of one call at least, and at least 1. A call does a multiple of this many (the
        last one fewer). As many as `chunk` are one call in this thread.
    scratch : tuple of (int, tuple of int), optional
        ``(nbytes, positions)``: the thread in slot ``s < threads`` adds ``s * nbytes`` to the
        addresses at these positions of the arguments.

    Returns
    -------
    int
        What happened, as bits: those that any call returned, OR-ed together.

    Notes
    -----
    Safe to call from many threads at once, from inside a kernel's work, and after a fork.
    """
    if count <= chunk:
        return function.check(function.run(0, count, block)) if count > 0 else 0
    pool = current_pool()
    if pool is not None:
        result = pool.run(function.address, block, count, threads, chunk, scratch)
    elif threads <= 1:
        result = function.run(0, count, block)
    else:
        from lazyarr.runtime.cpu.threads.python_pool import (
            dispatch,  # where there is no native pool
        )

        result = dispatch(
            function.run,
            count,
            lambda slot: (_moved(block, scratch, slot),),
            threads=threads,
            chunk=chunk,
        )
    return function.check(result)


def launch_range(
    function: Function,
    block: bytes,
    items: tuple[int, int],
    threads: int,
    chunk: int,
    scratch: Scratch | None = None,
) -> int:
    """Do some of the work items of a kernel, as :func:`launch` does all.

    Parameters
    ----------
    function : Function
        The kernel.
    block : bytes
        Its arguments, from ``function.pack``.
    items : tuple of (int, int)
        The first work item, and the one behind the last.
    threads, chunk, scratch
        As of :func:`launch`.

    Returns
    -------
    int
        What happened, as bits: those that any call returned, OR-ed together.
    """
    first, end = items
    if first == 0:
        return launch(function, block, end, threads, chunk, scratch)

    def run(begin: int, stop: int, own: bytes) -> int:
        return function.run(first + begin, first + stop, own)

    count = end - first
    if threads <= 1 or count <= chunk:
        return function.check(run(0, count, block)) if count > 0 else 0
    from lazyarr.runtime.cpu.threads.python_pool import dispatch

    bits = dispatch(
        run, count, lambda slot: (_moved(block, scratch, slot),), threads=threads, chunk=chunk
    )
    return function.check(bits)


def _moved(block: bytes, scratch: Scratch | None, slot: int) -> bytes:
    if scratch is None or slot == 0:
        return block
    nbytes, positions = scratch
    own = bytearray(block)
    for position in positions:
        (address,) = _ADDRESS.unpack_from(own, SLOT * position)
        _ADDRESS.pack_into(own, SLOT * position, address + slot * nbytes)
    return bytes(own)
