"""One program in one library at one size, in a process of its own: ``python -m ...child``.

Prints one line of JSON. The values go to a file, so that another process compares them.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.programs.catalogue import PROGRAMS
from benchmarks.programs.program import SIZES, Arrays, Program


def _values(result: Any) -> list[Any]:
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(part) for part in parts]


def _numpy(program: Program, arrays: Arrays) -> Callable[[], Any]:
    return lambda: _values(program.run(np, *arrays))


def _lazyarr(program: Program, arrays: Arrays) -> Callable[[], Any]:
    import lazyarr as la

    leaves = [la.asarray(array) for array in arrays]

    def run() -> Any:
        result = program.run(la, *leaves)
        parts = result if isinstance(result, tuple) else (result,)
        lazy = [part for part in parts if isinstance(part, la.LazyArray)]
        if len(lazy) < 2:
            return _values(result)
        computed = iter(la.evaluate(*lazy))
        return [next(computed) if isinstance(x, la.LazyArray) else np.asarray(x) for x in parts]

    return run


def _lazyarr_jit(program: Program, arrays: Arrays) -> Callable[[], Any]:
    import lazyarr as la

    function = la.jit(lambda *inputs: program.run(la, *inputs))
    return lambda: _values(function(*arrays))


def _jax(program: Program, arrays: Arrays) -> Callable[[], Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    traced = program.functional
    if traced is None:
        raise NotImplementedError("it writes in place or branches on values")
    function = jax.jit(lambda *inputs: traced(jax.numpy, *inputs))
    inputs = [jax.numpy.asarray(array) for array in arrays]
    return lambda: _values(jax.block_until_ready(function(*inputs)))


PEERS = {"numpy": _numpy, "lazyarr": _lazyarr, "lazyarr_jit": _lazyarr_jit, "jax": _jax}


def _counters() -> dict[str, int]:
    if "lazyarr" not in sys.modules:
        return {}
    import lazyarr as la

    info = la.cache.info()
    counters = {"kernels": info.kernels.compiled, "plans": info.plans.misses}
    for name in ("computed", "eager"):
        elements = getattr(getattr(info, "work", None), name, None)
        if elements is not None:
            counters[name] = elements
    return counters


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def main(name: str, size: str, peer: str, budget: str, values: str, clock: str) -> None:
    """Measure and print."""
    program = PROGRAMS[name]
    arrays = program.arrays(SIZES[size])
    now = CLOCKS[clock]
    begun = now()
    run = PEERS[peer](program, arrays)
    prepared = now() - begun
    before = _counters()
    begun = now()
    result = run()
    first = now() - begun
    after = _counters()
    times = []
    end = time.perf_counter() + float(budget)
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 200):
        begun = now()
        run()
        times.append(now() - begun)
    later = _counters()
    np.savez(values, *result)
    report = {
        "prepared": prepared,
        "first": first,
        "median": statistics.median(times) if clock == "wall" else min(times),
        "runs": len(times),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "counted": {key: after[key] - before.get(key, 0) for key in after},
        "counted_later": {key: later[key] - after[key] for key in later},
    }
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
