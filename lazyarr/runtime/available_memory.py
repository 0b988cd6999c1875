"""The memory that the host has available for this process."""

from __future__ import annotations

import mmap
import os
import sys
from io import FileIO

from lazyarr.core.tuning import OF_MACHINE

__all__ = [
    "available_bytes",
    "require_for_kernel",
    "require_for_libraries",
    "require_for_numba",
]

_MEMINFO = "/proc/meminfo"
_CGROUP = "/sys/fs/cgroup"


def available_bytes() -> int:
    """Return the bytes that can be allocated without swapping: of the machine, or of the container.

    Where the system does not tell, half of its memory, or all that a process could address.
    """
    left = [value for value in (_of_machine(), _of_container()) if value is not None]
    return min(left, default=1 << 47)


def require_for_kernel(text: str) -> None:
    """Raise MemoryError unless there is memory to compile a text.

    Parameters
    ----------
    text : str
        What LLVM is to compile.
    """
    nbytes = OF_MACHINE.kernel_bytes + OF_MACHINE.kernel_bytes_a_character * len(text)
    _require(nbytes, "compiling a kernel may take")


def require_for_libraries() -> None:
    """Raise MemoryError unless there is memory for the libraries of LLVM and Numba.

    Before their import: an import that ends midway leaves modules behind that cannot be imported
    again, and CPython may try for ever to import what it has no memory for.
    """
    _require(OF_MACHINE.library_bytes, "the libraries of LLVM and Numba may take")


def require_for_numba() -> None:
    """Raise MemoryError unless there is memory to compile a function by Numba."""
    if "numba" in sys.modules:
        require_for_kernel("")
    else:
        require_for_libraries()


def _require(nbytes: int, purpose: str) -> None:
    try:
        mmap.mmap(-1, nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError(f"cannot allocate the {nbytes:,} bytes that {purpose}") from error


def _text(path: str) -> str:
    # Not by pathlib, which few programs need to begin with.
    with FileIO(path) as file:
        return file.readall().decode("ascii", "replace")


def _of_machine() -> int | None:
    try:
        for line in _text(_MEMINFO).splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    except (OSError, ValueError):
        pass  # another system than Linux
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _of_container() -> int | None:
    """Return the bytes left by the control group, with file pages that can be dropped."""
    try:
        most = _text(f"{_CGROUP}/memory.max").strip()
        if most == "max":
            return None
        used = int(_text(f"{_CGROUP}/memory.current"))
        lines = _text(f"{_CGROUP}/memory.stat").splitlines()
        rows = dict(line.split() for line in lines if line)
        return int(most) - used + int(rows.get("inactive_file", 0))
    except (OSError, ValueError):
        return None
