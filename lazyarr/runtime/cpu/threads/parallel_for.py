"""Running a compiled function's work items on several CPU threads.

Kernels are dispatched by a native pool (:mod:`lazyarr.runtime.cpu.threads.native_pool`); where
there is none, and for
Python functions, Python threads do it (:mod:`lazyarr.runtime.cpu.threads.python_pool`). The calling
thread always
works too, so a call never waits for another thread to become free.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from lazyarr.runtime.cpu.calling_convention import SLOT
from lazyarr.runtime.cpu.compiler import Function
from lazyarr.runtime.cpu.threads.native_pool import current_pool
from lazyarr.runtime.cpu.threads.python_pool import RangeFunction, dispatch

__all__ = ["Scratch", "launch", "parallel_for"]

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
    count, threads, chunk, scratch
        As in :func:`parallel_for`.

    Returns
    -------
    int
        What happened, as bits.
    """
    if count <= chunk:
        return function.check(function.run(0, count, block)) if count > 0 else 0
    pool = current_pool()
    if pool is not None:
        result = pool.run(function.address, block, count, threads, chunk, scratch)
    elif threads <= 1:
        result = function.run(0, count, block)
    else:
        result = dispatch(
            function.run,
            count,
            lambda slot: (_moved(block, scratch, slot),),
            threads=threads,
            chunk=chunk,
        )
    return function.check(result)


def parallel_for(
    function: RangeFunction,
    count: int,
    args: Sequence[Any],
    *,
    threads: int,
    chunk: int,
    scratch: Scratch | None = None,
) -> int:
    """Call ``function(begin, end, *args)`` until the work items ``0 <= i < count`` are done.

    Parameters
    ----------
    function : callable
        A kernel, or a Python function; it may return bits.
    count : int
        Number of work items. Nothing is called for 0.
    args : sequence of int or float
        Its further arguments.
    threads : int
        How many threads work at most, this one among them.
    chunk : int
        Work items of one call at least, and at least 1. A call does a multiple of this many (the
        last one fewer). As many as `chunk` are one call in this thread.
    scratch : tuple of (int, tuple of int), optional
        ``(nbytes, positions)``: the thread in slot ``s < threads`` adds ``s * nbytes`` to the
        addresses at these positions of `args`.

    Returns
    -------
    int
        The bits that any call returned, OR-ed together.

    Raises
    ------
    BaseException
        What a Python function raised first, after every call that had begun has ended. Chunks not
        begun by then are not done.

    Notes
    -----
    Safe to call from many threads at once, from inside `function`, and after a fork.

    Examples
    --------
    >>> done = []
    >>> parallel_for(lambda begin, end: done.extend(range(begin, end)), 5, (), threads=1, chunk=2)
    0
    >>> done
    [0, 1, 2, 3, 4]
    """
    if isinstance(function, Function):
        block = function.pack(*args)
        return launch(function, block, count, threads=threads, chunk=chunk, scratch=scratch)
    if threads <= 1 or count <= chunk:
        return (function(0, count, *args) or 0) if count > 0 else 0
    return dispatch(
        function,
        count,
        lambda slot: _moved_arguments(args, scratch, slot),
        threads=threads,
        chunk=chunk,
    )


def _moved_arguments(args: Sequence[Any], scratch: Scratch | None, slot: int) -> Sequence[Any]:
    if scratch is None or slot == 0:
        return args
    nbytes, positions = scratch
    own = list(args)
    for position in positions:
        own[position] += slot * nbytes
    return own


def _moved(block: bytes, scratch: Scratch | None, slot: int) -> bytes:
    if scratch is None or slot == 0:
        return block
    nbytes, positions = scratch
    own = bytearray(block)
    for position in positions:
        (address,) = _ADDRESS.unpack_from(own, SLOT * position)
        _ADDRESS.pack_into(own, SLOT * position, address + slot * nbytes)
    return bytes(own)
