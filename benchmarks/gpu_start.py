"""Time the first evaluation on a GPU of a new process, with all that it waits for.

    python -m benchmarks.gpu_start [--peers jax cupy torch] [--repeats 5] [--out FOLDER]

From when a library is imported, and the arrays are in the host's memory, until the result is
there: the driver starts and makes a context, libraries are loaded, the expression is compiled
(nothing is found on disk). A program that does no more than start the driver and make the context
shows what no library can be without. Processes alternate; the first of each is not counted, as it
reads from disk what the others find in the system's cache.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.output import write_files

EXPRESSIONS = ("sin(x) + 1", "sigmoid(w @ w + 1)")
PEERS = ("jax", "cupy", "torch")
DRIVER = "the driver alone"

Array = np.ndarray[Any, Any]


def _function(name: str, xp: Any) -> Callable[[Any], Any]:
    if name == EXPRESSIONS[0]:
        return lambda x: xp.sin(x) + 1
    return lambda x: 1 / (1 + xp.exp(-(x @ x + 1)))


def _further(xp: Any) -> Callable[[Any], Any]:
    return lambda x: xp.exp(x) * 2


def _runner(library: str) -> Callable[[Callable[[Any], Callable[[Any], Any]], Array], Array]:
    """Import a library; return what computes a function of a namespace from NumPy to NumPy."""
    if library == "lazyarr":
        la = importlib.import_module("lazyarr")
        la.set_config(device="cuda", cache_dir="off")
        return lambda value, x: la.evaluate(value(la)(la.asarray(x)))
    if library == "jax":
        jax = importlib.import_module("jax")
        jnp = importlib.import_module("jax.numpy")
        return lambda value, x: np.asarray(jax.jit(value(jnp))(x))
    if library == "cupy":
        cupy = importlib.import_module("cupy")
        return lambda value, x: np.asarray(cupy.asnumpy(value(cupy)(cupy.asarray(x))))
    torch = importlib.import_module("torch")
    return lambda value, x: np.asarray(
        torch.compile(value(torch))(torch.from_numpy(x).cuda()).cpu().numpy()
    )


def child(library: str, name: str) -> dict[str, float]:
    """Return the times in this process, in ms: ``import``, ``first``, ``next``."""
    x = np.linspace(0, 1, 1 << 20, dtype=np.float32)
    if name != EXPRESSIONS[0]:
        x = x[: 512 * 512].reshape(512, 512)
    begun = time.perf_counter()
    if library == DRIVER:
        cuda = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        if cuda.cuInit(0) or cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0):
            raise SystemExit("no GPU")
        return {"first": (time.perf_counter() - begun) * 1e3}
    run = _runner(library)
    laps = [begun, time.perf_counter()]
    for value in (lambda xp: _function(name, xp), _further):
        run(value, x)
        laps.append(time.perf_counter())
    imported, first, following = (1e3 * (b - a) for a, b in itertools.pairwise(laps))
    return {"import": imported, "first": first, "next": following}


def _process(library: str, name: str) -> dict[str, float]:
    """Return the times of a process of its own, in which nothing is found on disk."""
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {
            "CUDA_CACHE_DISABLE": "1",
            "CUPY_CACHE_DIR": f"{empty}/cupy",
            "TORCHINDUCTOR_CACHE_DIR": f"{empty}/inductor",
            "TRITON_CACHE_DIR": f"{empty}/triton",
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.gpu_start", "--child", library, name],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{library}, {name}:\n{done.stderr}")
    loaded: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def measure(peers: Sequence[str], repeats: int) -> list[dict[str, Any]]:
    """Return the medians of processes that alternate."""
    cases = [(DRIVER, "")]
    cases += [(library, name) for name in EXPRESSIONS for library in ("lazyarr", *peers)]
    times: dict[tuple[str, str], list[dict[str, float]]] = {case: [] for case in cases}
    for _ in range(repeats + 1):
        for case in cases:
            times[case].append(_process(*case))
    return [
        {"library": library, "expression": name}
        | {key: median(each[key] for each in result[1:]) for key in result[0]}
        | {"longest": max(each["first"] for each in result[1:])}
        for (library, name), result in times.items()
    ]


def table(rows: Sequence[dict[str, Any]], heading: str) -> str:
    """Return the rows as Markdown."""
    lines = [heading, "", "| | first expression | import ms | first ms | longest | next ms |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        imported, following = (f"{row[k]:.0f}" if k in row else "" for k in ("import", "next"))
        lines.append(
            f"| {row['library']} | {row['expression']} | {imported} | {row['first']:.0f} |"
            f" {row['longest']:.0f} | {following} |"
        )
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_start", description=__doc__)
    parser.add_argument("--peers", nargs="*", default=[], choices=PEERS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.child:
        print(json.dumps(child(*arguments.child)))
        return
    rows = measure(arguments.peers, arguments.repeats)
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    name = subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    heading = (
        f"{name}, Python {sys.version.split()[0]}: first evaluations of {arguments.repeats} "
        "processes, medians and longest; 2**20 and 512 x 512 elements of float32"
    )
    text = table(rows, heading)
    print(text)
    write_files(arguments.out, "gpu_start", text, rows)


if __name__ == "__main__":
    main()
