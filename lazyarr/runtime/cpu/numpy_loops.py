"""NumPy's own loops on several threads, each a part of the lines.

NumPy runs a loop over all lines in the thread that called it. The loops of some functions need
neither Python nor its lock, so that threads of the pool run them side by side; each line has the
same code and the same bits. The extension module finds the loops and calls them. Without it, and
where a loop meets what NumPy would report, NumPy computes.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.hashing import compiled_form
from lazyarr.runtime.cpu.threads.native_pool import current_pool

__all__ = ["COMPILED", "FAULTS", "is_reported", "run_items"]


def _extension() -> Any:
    from lazyarr.runtime.cpu import _numpy_loops

    return _numpy_loops


#: The extension module; None if NumPy computes.
COMPILED, _ = compiled_form(_extension, __file__)

#: The bit of each fault in what a loop returns, by its name in ``np.errstate``; further bits are
#: of exceptions.
FAULTS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}
_ALL_FAULTS = sum(FAULTS.values())


def run_items(entry: int, block: bytes, count: int, threads: int, scratch: int = 0) -> int:
    """Run work items of the extension module, and return the status flags.

    Parameters
    ----------
    entry : int
        The address of its function, which takes what a kernel takes.
    block : bytes
        Its arguments.
    count : int
        How many items there are.
    threads : int
        That may work on them.
    scratch : int, optional
        Bytes of memory that each thread has for itself, whose address is the first argument.
        Default: none.
    """
    pool = current_pool() if threads > 1 < count else None
    if pool is None:
        result: int = _function(entry)(0, count, block)
        return result
    return pool.run(entry, block, count, threads, 1, (scratch, (0,)) if scratch else None)


def is_reported(bits: int) -> bool:
    """Return whether NumPy would report the status, under its present error state."""
    if bits & ~_ALL_FAULTS:
        return True
    state: dict[str, str] = np.geterr()  # type: ignore[assignment]
    return any(state[kind] != "ignore" for kind, bit in FAULTS.items() if bits & bit)


@cache
def _function(entry: int) -> Any:
    """Return a function of the extension module, which runs without Python's lock."""
    word = ctypes.c_int64
    return ctypes.CFUNCTYPE(ctypes.c_int32, word, word, ctypes.c_char_p)(entry)
