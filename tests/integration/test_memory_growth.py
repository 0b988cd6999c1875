"""Memory of a process that compiles one new structure after another, each with a constant."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host

PROGRAM = """
import gc, itertools, resource, sys
import numpy as np, lazyarr as la

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

first, last = map(int, sys.argv[1:])
steps = [
    lambda x: x + 3, lambda x: x * 1.7, lambda x: -x, lambda x: abs(x),
    lambda x: np.sqrt(abs(x)), lambda x: np.minimum(x, 5), lambda x: x[::-1],
    lambda x: x - x.mean(),
]
values, constants = np.random.default_rng(0).random(600), np.random.default_rng(1)
for count, chosen in enumerate(itertools.product(steps, repeat=7), 1):
    x = la.asarray(values)
    for step in chosen:
        x = step(x)
    (x + constants.random()).sum().compute()
    if count in (first, last):
        gc.collect()
        print(resident())
    if count == last:
        break
"""


def growth(first: int, last: int, cache: Path) -> float:
    """Return the MB by which a process grows between two numbers of structures."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(first), str(last)],
        capture_output=True,
        text=True,
        check=True,
        timeout=3600,
        env={
            **os.environ,
            "LAZYARR_CACHE_DIR": str(cache),
            "LAZYARR_CHECK": "0",
            "LAZYARR_IMMEDIATE": "0",
        },
    )
    before, after = map(int, done.stdout.split())
    return (after - before) / 1e6


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_seventy_structures_more(tmp_path: Path) -> None:
    # Their plans, of which 512 are kept, and constants have about 2 MB. A leak of 50 kB each makes
    # 3.5 MB more.
    assert growth(40, 110, tmp_path) < 4


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_five_thousand_structures(tmp_path: Path) -> None:
    assert growth(500, 5000, tmp_path) < 20
