"""A process whose address space is at its limit while kernels are compiled: MemoryError, no end."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is Linux's"),
]

ROOT = Path(__file__).parents[2]

#: Computes with little more address space than the process has, then without that limit.
PROGRAM = """
import ctypes, resource, sys
import numpy as np
import lazyarr as la
import lazyarr.compiler.pipeline  # Python itself may fail where it has no memory for modules

x = np.random.default_rng(0).random(50_000)
a, b = la.asarray(x), x
calls = {
    "elementwise": (lambda: la.evaluate(la.exp(a) * 2 + la.cos(a)), np.exp(b) * 2 + np.cos(b)),
    "jit": (lambda: la.jit(lambda v: la.tanh(v).sum() + v[3])(x), np.tanh(b).sum() + b[3]),
    "several": (
        lambda: la.evaluate(la.cumsum(a), la.sort(a) + 1, a.reshape(250, 200).std(axis=1)),
        (np.cumsum(b), np.sort(b) + 1, b.reshape(250, 200).std(axis=1)),
    ),
    "numba": (lambda: kept_by_numba(a), np.where(b > 0.3, b, -b)),
    "text": (lambda: with_numba(a), np.sqrt(b) + 1),
}

def kept_by_numba(values):
    return np.asarray(la.vectorize(lambda v: v if v > 0.3 else -v)(values))

def with_numba(values):
    with la.config(backend="numba"):
        return la.evaluate(la.sqrt(values) + 1)

if sys.argv[1] == "loaded by llvmlite":
    from lazyarr.runtime.cpu import host_target
    host_target.why_not = lambda: "no code may be written here"
if sys.argv[1] == "warm":
    la.evaluate(la.sin(a) + 1)

# The stack counts, and the system ends a process whose stack cannot grow: megabytes of it first.
def grow(levels):
    if levels:
        again(levels - 1)

again = ctypes.CFUNCTYPE(None, ctypes.c_int)(grow)
sys.setrecursionlimit(10_000)
again(3000)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (int(sys.argv[2]) << 20)
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
refused = 0
for call, _ in calls.values():
    try:
        call()
    except MemoryError:
        refused += 1
    except ValueError as error:
        # So says Python's parser where a module's tree lacks memory, of which it loses the error.
        if "is required for" not in str(error):
            raise
        refused += 1
    except SystemError as error:
        # So says Python where the next frame of its stack lacks memory, of which it has no error.
        if "without" not in str(error):
            raise
        refused += 1
resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
for call, expected in calls.values():
    pairs = zip(call(), expected, strict=True) if type(expected) is tuple else [(call(), expected)]
    for got, want in pairs:
        np.testing.assert_allclose(got, want, rtol=1e-12)
print(refused)
"""


@pytest.fixture(scope="module")
def byte_code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return settings with which modules are not parsed: Python's parser may lose its error."""
    folder = str(tmp_path_factory.mktemp("byte_code"))
    settings = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", PROGRAM, "cold", "4000"]
    subprocess.run(command, capture_output=True, cwd=ROOT, env=os.environ | settings, check=True)
    return settings


@pytest.mark.parametrize(
    ("state", "margin"),
    [
        *product(["cold", "warm"], [0, 4, 12, 25, 60]),
        ("loaded by llvmlite", 12),
    ],
)
def test_too_little_memory_to_compile_is_a_memory_error(
    state: str, margin: int, tmp_path: Path, byte_code: dict[str, str]
) -> None:
    environment = {
        **os.environ,
        "LAZYARR_CACHE_DIR": str(tmp_path / "cache"),
        "OPENBLAS_NUM_THREADS": "1",
        **byte_code,
    }
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, state, str(margin)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 0
