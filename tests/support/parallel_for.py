"""Work items on several threads: of a kernel, or of a Python function that counts its calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.threads.parallel_for import Scratch, launch
from lazyarr.runtime.cpu.threads.python_pool import RangeFunction, dispatch

__all__ = ["parallel_for"]


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
