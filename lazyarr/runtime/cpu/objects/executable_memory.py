"""Memory for machine code: writable first, executable afterwards, never both."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from lazyarr.errors import ContractError

__all__ = ["EXECUTABLE", "PAGE", "READ_ONLY", "WRITABLE", "Pages"]

PAGE = mmap.PAGESIZE
READ_ONLY = getattr(mmap, "PROT_READ", 1)
WRITABLE = READ_ONLY | getattr(mmap, "PROT_WRITE", 2)
EXECUTABLE = READ_ONLY | getattr(mmap, "PROT_EXEC", 4)


@cache
def _calls() -> tuple[Any, Any, Any]:
    """Return the system's functions; it has none on Windows."""
    library = ctypes.CDLL(None, use_errno=True)
    word, size = ctypes.c_int, ctypes.c_size_t
    reserve, protect, free = library.mmap, library.mprotect, library.munmap
    reserve.argtypes = (size, size, word, word, word, ctypes.c_ssize_t)
    reserve.restype = ctypes.c_ssize_t
    protect.argtypes = (size, size, word)
    free.argtypes = (size, size)
    return reserve, protect, free


class Pages:
    """Pages of private memory, zero and writable at first; unmapped when nothing refers to them.

    Parameters
    ----------
    nbytes : int
        How much; the last page is whole.

    Attributes
    ----------
    address : int
        Where they begin.
    nbytes : int
        What they have.

    Raises
    ------
    OSError
        If the system refuses.
    """

    __slots__ = ("_free", "address", "nbytes")

    def __init__(self, nbytes: int) -> None:
        reserve, _, free = _calls()
        self.nbytes = -(-nbytes // PAGE) * PAGE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        self.address: int = reserve(0, self.nbytes, WRITABLE, flags, -1, 0)
        if self.address == -1:
            raise _refusal("cannot allocate memory for machine code")
        self._free: Callable[[int, int], int] = free

    def write(self, offset: int, data: bytes) -> None:
        """Copy bytes to pages that are writable.

        Parameters
        ----------
        offset : int
            In bytes, from the first page.
        data : bytes
            What to copy.
        """
        if offset + len(data) > self.nbytes:
            raise ContractError(f"{len(data)} bytes from {offset} on are more than {self.nbytes}")
        ctypes.memmove(self.address + offset, data, len(data))

    def protect(self, offset: int, nbytes: int, how: int) -> None:
        """Set whole pages to be read, written, or run; never both of the latter.

        Parameters
        ----------
        offset : int
            In bytes, from the first page; a multiple of the page size.
        nbytes : int
            A multiple of the page size.
        how : int
            READ_ONLY, WRITABLE or EXECUTABLE.
        """
        _, protect, _ = _calls()
        if protect(self.address + offset, nbytes, how):
            raise _refusal("memory cannot be made executable")

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, a thread of the user may still be in the code.
        if hasattr(self, "_free") and not is_finalizing():
            self._free(self.address, self.nbytes)


def _refusal(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
