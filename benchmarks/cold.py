"""Expressions that nobody has seen: in a fresh process, and further ones in a warm one."""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from statistics import median
from typing import Any

FORMS = ("({x} + {y})", "({x} - {y})", "({x} * {y})", "sin({x})", "exp(-({x} * {x}))", "cos({x})")
#: The variable with the folder whose lazyarr a process is to import, where it is not this one's.
TREE = "LAZYARR_BENCHMARK_TREE"
#: No more processes once a peer has used this many seconds.
LONGEST_PEER = 15.0
ELEMENTS = 100_000
#: Plans of four kernels, compiled by so many threads.
SIDE_BY_SIDE = {"lazyarr, four kernels, 1 thread": 1, "lazyarr, four kernels, 2 threads": 2}
#: New expressions in the warm process, as far as they take no longer than this many seconds.
NEW = 7
LONGEST_NEW = 10.0


def expression(seed: int) -> str:
    """Return a chain of 11 operations on a, b and c that depends on `seed`."""
    chosen = random.Random(seed)
    text = "a"
    for _ in range(11):
        text = chosen.choice(FORMS).format(x=text, y=chosen.choice("abc"))
    return text


def _function(text: str, module: Any) -> Callable[..., Any]:
    names = {name: getattr(module, name) for name in ("sin", "cos", "exp")}
    value: Callable[..., Any] = eval(f"lambda a, b, c: {text}", names)  # our own text
    return value


def _prepare(peer: str, text: str) -> Callable[..., Any]:
    """Return a function of three NumPy arrays; whatever it imports is imported here."""
    if peer == "numexpr":
        numexpr = importlib.import_module("numexpr")
        return lambda a, b, c: numexpr.evaluate(text, {"a": a, "b": b, "c": c}, {})
    if peer == "numba":
        names: dict[str, Any] = {}
        body = "    for i in range(a.size):\n        out[i] = loop(a[i], b[i], c[i])\n"
        exec(  # our own text
            "from math import sin, cos, exp\nimport numba, numpy\n"
            f"loop = numba.njit(lambda a, b, c: {text})\n"
            f"@numba.njit\ndef whole(a, b, c):\n    out = numpy.empty_like(a)\n{body}"
            "    return out\n",
            names,
        )
        whole: Callable[..., Any] = names["whole"]
        return whole
    if peer == "jax":
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        jitted = jax.jit(_function(text, importlib.import_module("jax.numpy")))
        return lambda a, b, c: jitted(a, b, c).block_until_ready()
    if peer == "torch":
        torch = importlib.import_module("torch")
        compiled = torch.compile(_function(text, torch), dynamic=False)
        return lambda *arrays: compiled(*map(torch.from_numpy, arrays))
    if peer == "lazyarr":
        la = importlib.import_module("lazyarr")
        function = _function(text, la)
        return lambda *arrays: la.evaluate(function(*map(la.asarray, arrays)))
    if peer == "lazyarr_jit":
        la = importlib.import_module("lazyarr")
        result: Callable[..., Any] = la.jit(_function(text, la))
        return result
    return _function(text, importlib.import_module("numpy"))


def work(peer: str, seed: int, started: float) -> dict[str, float]:
    """Return the times of import and first evaluations in this process, in seconds.

    ``import``, ``first`` and ``second`` call; ``start``, from the start of the process to the first
    result; ``processor``, what that used of all processors; ``new``, the median first call of
    further expressions.
    """
    import numpy as np

    if peer == "import numpy":
        return _since(started)
    if peer in SIDE_BY_SIDE:
        return _several(SIDE_BY_SIDE[peer], seed)
    # Quick to make: importing NumPy's random numbers takes longer than the call, powers as long.
    arrays = [np.linspace(0.01, 0.99 / k, ELEMENTS) for k in (1, 2, 3)]
    begun = time.perf_counter()
    function = _prepare(peer, expression(seed))
    imported = time.perf_counter()
    function(*arrays)
    first = time.perf_counter()
    since = _since(started)
    function(*arrays)
    second = time.perf_counter()
    return {
        "import": imported - begun,
        "first": first - imported,
        "second": second - first,
        **since,
        "new": median(_new(peer, seed, arrays)),
    }


def _several(threads: int, seed: int) -> dict[str, float]:
    """Return the time of a first evaluation of four expressions at once, a kernel each."""
    import numpy as np

    la = importlib.import_module("lazyarr")
    la.evaluate(la.asarray(np.ones(8)) + 1)  # imports the compiler
    walls, processors = [], []
    for number in range(NEW):
        # Of different sizes, which no kernel does together; and small, so that compiling is all.
        with la.config(threads=threads, immediate=0):  # else they would run at once
            exprs = [
                _function(expression(5000 + 1000 * number + 10 * seed + k), la)(
                    *(la.asarray(np.linspace(0.01, 0.99, 100 + k) ** power) for power in (1, 2, 3))
                )
                for k in range(4)
            ]
            begun, used = time.perf_counter(), time.process_time()
            la.evaluate(*exprs)
            walls.append(time.perf_counter() - begun)
            processors.append(time.process_time() - used)
    return {"new": median(walls), "processor": median(processors)}


def _since(started: float) -> dict[str, float]:
    return {"start": time.monotonic() - started, "processor": time.process_time()}


def _new(peer: str, seed: int, arrays: list[Any]) -> Iterator[float]:
    """Yield the times of the first calls of other expressions."""
    spent = 0.0
    for number in range(1, NEW + 1):
        if spent > LONGEST_NEW:
            return
        function = _prepare(peer, expression(1000 * number + seed))
        begun = time.perf_counter()
        function(*arrays)
        seconds = time.perf_counter() - begun
        yield seconds
        spent += seconds


def measure_cold(peers: Collection[str], repeats: int) -> dict[str, dict[str, float]]:
    """Return medians over fresh processes, each with an expression and a cache folder of its own.

    lazyarr is measured once more in a second process that finds the kernels on disk, and so is
    importing NumPy and no more.
    """
    results: dict[str, list[dict[str, float]]] = {}
    spent: dict[str, float] = {}
    for seed in range(repeats):
        for peer in ("import numpy", *peers, *(SIDE_BY_SIDE if "lazyarr" in peers else ())):
            if spent.get(peer, 0.0) > LONGEST_PEER:
                continue
            begun = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                results.setdefault(peer, []).append(first_calls(peer, seed, folder))
                if peer == "lazyarr":
                    name = "lazyarr, kernel on disk"
                    results.setdefault(name, []).append(first_calls(peer, seed, folder))
            spent[peer] = spent.get(peer, 0.0) + time.perf_counter() - begun
    return {
        peer: {key: median(run[key] for run in runs) for key in runs[0]}
        for peer, runs in results.items()
    }


def first_calls(
    peer: str, seed: int, folder: str, more: Mapping[str, str] | None = None
) -> dict[str, float]:
    """Return the figures of :func:`work` in a process of its own.

    Parameters
    ----------
    peer : str
        Whose first calls.
    seed : int
        Of the expression.
    folder : str
        The cache folder.
    more : mapping of str to str, optional
        Further variables of the environment.
    """
    environment = os.environ | {
        "LAZYARR_CACHE_DIR": folder,
        "TORCHINDUCTOR_CACHE_DIR": folder,
        "NUMBA_CACHE_DIR": folder,
        **(more or {}),
    }
    # As of an installed package: what is imported is compiled once.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        # The clock is the same in all processes.
        [sys.executable, "-m", "benchmarks.cold", peer, str(seed), str(time.monotonic())],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(f"the cold call of {peer} failed:\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


if __name__ == "__main__":
    if TREE in os.environ:
        sys.path.insert(0, os.environ[TREE])
    print(json.dumps(work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
