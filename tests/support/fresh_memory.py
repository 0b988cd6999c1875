"""Memory that holds anything, as fresh memory of a device does."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading

import numpy as np
from numpy.typing import NDArray

__all__ = ["fresh_memory"]

_BYTE = b"\xa5"
#: Less is written sooner than mapped. More would be kept by each process.
_MAPPED_BYTES = range(1 << 18, 1 << 26)


class _Pattern:
    """A file without a name that is full of one byte, as long as the longest memory so far."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._descriptor = -1
        self._nbytes = 0

    def mapped(self, nbytes: int) -> mmap.mmap:
        """Return memory that has the file's bytes until they are written to, page by page."""
        with self._lock:
            if self._descriptor < 0:
                self._descriptor, path = tempfile.mkstemp()
                os.unlink(path)  # noqa: PTH108 - the text that mkstemp gives
            while self._nbytes < nbytes:
                missing = _BYTE * (nbytes - self._nbytes)
                self._nbytes += os.pwrite(self._descriptor, missing, self._nbytes)
        access = mmap.PROT_READ | mmap.PROT_WRITE
        return mmap.mmap(self._descriptor, nbytes, mmap.MAP_PRIVATE, access)


_pattern = _Pattern()


def fresh_memory(nbytes: int) -> NDArray[np.uint8]:
    """Return memory of which no byte is zero; large ones cost what is touched of them."""
    if nbytes in _MAPPED_BYTES:
        return np.frombuffer(_pattern.mapped(nbytes), np.uint8)
    return np.full(nbytes, _BYTE[0], np.uint8)
