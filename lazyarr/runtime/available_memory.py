"""The memory that the host has available for this process."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["available_bytes"]

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_bytes() -> int:
    """Return the bytes that can be allocated without swapping: of the machine, or of the container.

    Where the system does not tell, half of its memory, or all that a process could address.
    """
    left = [value for value in (_of_machine(), _of_container()) if value is not None]
    return min(left, default=1 << 47)


def _of_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
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
        most = (_CGROUP / "memory.max").read_text().strip()
        if most == "max":
            return None
        used = int((_CGROUP / "memory.current").read_text())
        rows = dict(
            line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines() if line
        )
        return int(most) - used + int(rows.get("inactive_file", 0))
    except (OSError, ValueError):
        return None
