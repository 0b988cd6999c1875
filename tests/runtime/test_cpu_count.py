"""How many threads there are by default: affinity and control groups."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest

from lazyarr.runtime import cpu_count
from lazyarr.runtime.cpu_count import default_threads


def test_default_threads_is_what_the_process_may_use() -> None:
    assert 1 <= default_threads() <= (os.cpu_count() or 1)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_default_threads_honours_affinity() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from lazyarr.runtime.cpu_count import default_threads; print(default_threads())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


@pytest.mark.parametrize(
    "membership, files, expected",
    [
        ("0::/a/b", {"a/b/cpu.max": "150000 100000"}, 1.5),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "200000 100000"}, 2.0),
        ("0::/host/path", {"cpu.max": "300000 100000"}, 3.0),
        ("0::/a", {"a/cpu.max": "max 100000"}, math.inf),
        ("0::/a", {"a/cpu.max": "nonsense"}, math.inf),
        ("", {}, math.inf),
        (
            "4:memory:/m\n3:cpu,cpuacct:/a",
            {
                "cpu,cpuacct/a/cpu.cfs_quota_us": "50000",
                "cpu,cpuacct/a/cpu.cfs_period_us": "100000",
            },
            0.5,
        ),
        (
            "3:cpu,cpuacct:/a",
            {"cpu,cpuacct/a/cpu.cfs_quota_us": "-1", "cpu,cpuacct/a/cpu.cfs_period_us": "100000"},
            math.inf,
        ),
    ],
)
def test_control_group_limits(tmp_path, membership, files, expected) -> None:
    (tmp_path / "membership").write_text(membership)
    mount = tmp_path / "mount"
    for name, text in files.items():
        (mount / name).parent.mkdir(parents=True, exist_ok=True)
        (mount / name).write_text(text)
    assert cpu_count._cgroup_cpus(str(tmp_path / "membership"), str(mount)) == expected


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({}, []),
        ({"OMP_NUM_THREADS": "3"}, [3]),
        ({"OMP_NUM_THREADS": "4,2,1"}, [4]),
        ({"OMP_NUM_THREADS": " 2 ", "OMP_THREAD_LIMIT": "1"}, [2, 1]),
        ({"NUMBA_NUM_THREADS": "5"}, [5]),
        ({"OMP_NUM_THREADS": "0"}, []),
        ({"OMP_NUM_THREADS": "-1"}, []),
        ({"OMP_NUM_THREADS": "many"}, []),
        ({"OPENBLAS_NUM_THREADS": "1"}, []),
    ],
)
def test_bounds_of_the_environment(environment, expected) -> None:
    assert cpu_count._environment_bounds(environment) == expected


def test_omp_num_threads_bounds_the_default() -> None:
    code = "from lazyarr.runtime.cpu_count import default_threads; print(default_threads())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.stdout.strip() == "1"
