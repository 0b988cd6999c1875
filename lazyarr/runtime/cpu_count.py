"""The number of threads that this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import cache
from io import FileIO

__all__ = ["default_threads"]

#: Variables that bound the threads of a program's numerical libraries. Those who run many processes
#: side by side, such as joblib and Dask, set them in each. What bounds BLAS alone is left to BLAS.
_BOUNDS = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "NUMBA_NUM_THREADS")


@cache
def default_threads() -> int:
    """Return the number of threads that this process may keep busy; the system is asked once.

    That is the number of CPUs in its affinity mask, or fewer where a Linux control group (version
    1 or 2) limits its CPU time, or where ``OMP_NUM_THREADS``, ``OMP_THREAD_LIMIT`` or
    ``NUMBA_NUM_THREADS`` says so.
    """
    if hasattr(os, "process_cpu_count"):
        available = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count()
    quota = _cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup")
    if math.isfinite(quota):
        available = min(available or 1, math.ceil(quota))
    return max(1, min([available or 1, *_environment_bounds(os.environ)]))


def _environment_bounds(environment: Mapping[str, str]) -> list[int]:
    """Return the numbers of threads that variables allow; one that is no number bounds nothing."""
    # OpenMP takes a list, whose first number is that of threads outside of any parallel region.
    values = [environment.get(name, "").partition(",")[0].strip() for name in _BOUNDS]
    return [int(value) for value in values if value.isdecimal() and int(value) > 0]


def _cgroup_cpus(membership: str, mount: str) -> float:
    """Return the tightest CPU limit of this process's control groups, or infinity."""
    limit = math.inf
    for line in _read(membership).splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == "0":
            root, read_limit = mount, _limit_v2
        elif "cpu" in controllers.split(","):
            root, read_limit = f"{mount}/{controllers}", _limit_v1
        else:
            continue
        # A limit of any ancestor binds too. Inside a container the path may be the host's and
        # lead nowhere; the mount's own root is the container's group then.
        groups = [name for name in path.split("/") if name]
        for count in range(len(groups) + 1):
            limit = min(limit, read_limit("/".join([root, *groups[:count]])))
    return limit


def _limit_v2(group: str) -> float:
    fields = _read(f"{group}/cpu.max").split()
    return _ratio(*fields) if len(fields) == 2 else math.inf


def _limit_v1(group: str) -> float:
    quota, period = _read(f"{group}/cpu.cfs_quota_us"), _read(f"{group}/cpu.cfs_period_us")
    return _ratio(quota, period)


def _ratio(quota: str, period: str) -> float:
    try:
        value = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return math.inf  # "max", or no such file
    return value if value > 0 else math.inf


def _read(path: str) -> str:
    try:
        with FileIO(path) as file:
            return file.readall().decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
