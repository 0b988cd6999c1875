"""How many threads this process may keep busy."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

__all__ = ["default_threads"]


@cache
def default_threads() -> int:
    """Return the number of threads that this process may keep busy; the system is asked once.

    That is the number of CPUs in its affinity mask, or fewer where a Linux control group (version
    1 or 2) limits its CPU time.
    """
    if hasattr(os, "process_cpu_count"):
        available = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count()
    quota = _cgroup_cpus(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))
    if math.isfinite(quota):
        available = min(available or 1, math.ceil(quota))
    return max(1, available or 1)


def _cgroup_cpus(membership: Path, mount: Path) -> float:
    """Return the tightest CPU limit of this process's control groups, or infinity."""
    limit = math.inf
    for line in _read(membership).splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == "0":
            root, read_limit = mount, _limit_v2
        elif "cpu" in controllers.split(","):
            root, read_limit = mount / controllers, _limit_v1
        else:
            continue
        # A limit of any ancestor binds too. Inside a container the path may be the host's and
        # lead nowhere; the mount's own root is the container's group then.
        group = root / path.strip("/")
        limit = min(limit, read_limit(root), read_limit(group))
        while group != root and root in group.parents:
            group = group.parent
            limit = min(limit, read_limit(group))
    return limit


def _limit_v2(group: Path) -> float:
    fields = _read(group / "cpu.max").split()
    return _ratio(*fields) if len(fields) == 2 else math.inf


def _limit_v1(group: Path) -> float:
    quota, period = _read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us")
    return _ratio(quota, period)


def _ratio(quota: str, period: str) -> float:
    try:
        value = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return math.inf  # "max", or no such file
    return value if value > 0 else math.inf


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
