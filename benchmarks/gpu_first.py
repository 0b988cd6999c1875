"""Time first evaluations on a GPU, compiling included, of expressions that no benchmark tunes.

    python -m benchmarks.gpu_first [--peers jax] [--out FOLDER]

Each expression is new to the process and to the disk: NVRTC compiles it. Arrays hold 2**22
elements, or 1,000,001 where a length is odd, and are on the GPU before. JAX's time is that of the
first call of the jitted expression, in the same process and after it has compiled something else.
Python's garbage is collected before each: what has piled up is no part of who comes next.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.output import write_files

SIDE = 2048
ODD = 1_000_001
#: What a first evaluation should take at most, in ms.
LIMIT = 150.0

Function = Callable[..., Any]


def _normalised(xp: Any, v: Any, axis: int | None) -> Any:
    keep = axis == 1
    return (v - xp.mean(v, axis=axis, keepdims=keep)) / xp.std(v, axis=axis, keepdims=keep)


def _softmax(xp: Any, m: Any) -> Any:
    e = xp.exp(m - xp.max(m, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def _covariance(xp: Any, v: Any, w: Any) -> Any:
    return xp.mean((v - xp.mean(v)) * (w - xp.mean(w)))


def expressions() -> dict[str, Function]:
    """Return functions of a namespace, a vector, a matrix and a vector of odd length."""
    return {
        "v.std()": lambda xp, v, m, o: xp.std(v),
        "v.var()": lambda xp, v, m, o: xp.var(v),
        "m.std(0)": lambda xp, v, m, o: xp.std(m, axis=0),
        "m.var(0)": lambda xp, v, m, o: xp.var(m, axis=0),
        "m.std(1)": lambda xp, v, m, o: xp.std(m, axis=1),
        "odd.std()": lambda xp, v, m, o: xp.std(o),
        "v.mean()": lambda xp, v, m, o: xp.mean(v),
        "m.sum(0)": lambda xp, v, m, o: xp.sum(m, axis=0),
        "m.sum(1)": lambda xp, v, m, o: xp.sum(m, axis=1),
        "standardised v": lambda xp, v, m, o: _normalised(xp, v, None),
        "standardised columns": lambda xp, v, m, o: _normalised(xp, m, 0),
        "standardised rows": lambda xp, v, m, o: _normalised(xp, m, 1),
        "max of standardised columns": lambda xp, v, m, o: xp.max(xp.abs(_normalised(xp, m, 0))),
        "covariance": lambda xp, v, m, o: _covariance(xp, v, v[::-1]),
        "softmax": lambda xp, v, m, o: _softmax(xp, m),
        "cumsum(v)": lambda xp, v, m, o: xp.cumsum(v),
        "cumsum(odd)": lambda xp, v, m, o: xp.cumsum(o),
        "cumsum(m, 0)": lambda xp, v, m, o: xp.cumsum(m, axis=0),
        "cumsum(m, 1)": lambda xp, v, m, o: xp.cumsum(m, axis=1),
        "cumsum(exp(v))": lambda xp, v, m, o: xp.cumsum(xp.exp(v)),
        "cumsum(sin(odd))": lambda xp, v, m, o: xp.cumsum(xp.sin(o)),
        "argmax(v)": lambda xp, v, m, o: xp.argmax(v),
        "argmax(m, 0)": lambda xp, v, m, o: xp.argmax(m, axis=0),
        "argmax(m, 1)": lambda xp, v, m, o: xp.argmax(m, axis=1),
        "max(v) - min(v)": lambda xp, v, m, o: xp.max(v) - xp.min(v),
        "tan(v)": lambda xp, v, m, o: xp.tan(v),
        "sin(v) * cos(v)": lambda xp, v, m, o: xp.sin(v) * xp.cos(v),
        "v ** 1.7": lambda xp, v, m, o: v**1.7,
        "v % 2.5": lambda xp, v, m, o: v % 2.5,
        "v // 2.5": lambda xp, v, m, o: v // 2.5,
        "arctan2(v, v + 1)": lambda xp, v, m, o: xp.arctan2(v, v + 1),
        "sigmoid": lambda xp, v, m, o: 1 / (1 + xp.exp(-v)),
        "clip": lambda xp, v, m, o: xp.clip(v, 0.1, 0.9),
        "log(exp(v).sum())": lambda xp, v, m, o: xp.log(xp.sum(xp.exp(v))),
        "where": lambda xp, v, m, o: xp.sum(xp.where(v > 0.5, v, -v)),
        "norms of rows": lambda xp, v, m, o: xp.sqrt(xp.sum(m * m, axis=1)),
        "distance": lambda xp, v, m, o: xp.sqrt(xp.sum((v - 0.5) ** 2)),
        "sin(v).sum()": lambda xp, v, m, o: xp.sum(xp.sin(v)),
        "sin(m).sum(0)": lambda xp, v, m, o: xp.sum(xp.sin(m), axis=0),
        "tan(v).sum()": lambda xp, v, m, o: xp.sum(xp.tan(v)),
        "log1p(m).sum(1)": lambda xp, v, m, o: xp.sum(xp.log1p(m), axis=1),
        "arcsinh(m).sum(0)": lambda xp, v, m, o: xp.sum(xp.arcsinh(m), axis=0),
        "entropy": lambda xp, v, m, o: -xp.sum(v * xp.log(v)),
        "(v ** 1.5).sum()": lambda xp, v, m, o: xp.sum(v**1.5),
        "hypot(m, m + 1).max(0)": lambda xp, v, m, o: xp.max(xp.hypot(m, m + 1), axis=0),
    }


def draws() -> dict[str, Function]:
    """Return expressions that draw random numbers, as functions of a generator and a dtype."""
    n = SIDE * SIDE
    return {
        "random(n)": lambda rng, dtype: rng.random(n, dtype=dtype),
        "random(n).mean()": lambda rng, dtype: rng.random(n, dtype=dtype).mean(),
        "standard_normal(n)": lambda rng, dtype: rng.standard_normal(n, dtype=dtype),
        "standard_normal(n).std()": lambda rng, dtype: rng.standard_normal(n, dtype=dtype).std(),
    }


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Collect garbage before the body, and not within it, as :mod:`timeit` does."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measure(peers: Sequence[str]) -> list[dict[str, Any]]:
    """Time all, each once."""
    import numpy as np

    import lazyarr as la
    from lazyarr.runtime.cuda import driver

    device = driver.device()
    la.persist(la.asarray(np.ones(3)) + 1)
    device.warming.join()
    rows: list[dict[str, Any]] = []

    def ours(name: str, dtype: str, expression: Any) -> dict[str, Any]:
        device.synchronize()
        before = device.info()
        with _no_garbage():
            begin = time.perf_counter()
            la.persist(expression)
            device.synchronize()
            seconds = time.perf_counter() - begin
        after = device.info()
        row = {
            "expression": name,
            "dtype": dtype,
            "lazyarr": seconds * 1e3,
            "NVRTC": (after.compile_seconds - before.compile_seconds) * 1e3,
            "kernels": after.compiled - before.compiled,
        }
        rows.append(row)
        return row

    for dtype in ("float32", "float64"):
        values: Any = 1 + np.random.default_rng(0).random(SIDE * SIDE, dtype=getattr(np, dtype))
        arrays = [values, values.reshape(SIDE, SIDE), values[:ODD]]
        mine = [la.persist(la.asarray(array)) for array in arrays]
        theirs = _jax_arrays(arrays) if "jax" in peers else None
        for name, function in expressions().items():
            row = ours(name, dtype, function(la, *mine))
            if theirs is not None:
                row["jax"] = _jax_first(function, theirs)
        for name, draw in draws().items():
            ours(name, dtype, draw(la.random.default_rng(0), dtype))
    return rows


def _jax_arrays(arrays: Sequence[Any]) -> list[Any]:
    import jax

    jax.config.update("jax_enable_x64", True)
    results = [jax.device_put(array) for array in arrays]
    jax.jit(lambda x: x + 1)(results[0]).block_until_ready()
    return results


def _jax_first(function: Function, arrays: Sequence[Any]) -> float:
    import jax
    import jax.numpy as jnp

    with _no_garbage():
        begin = time.perf_counter()
        jax.jit(lambda *arguments: function(jnp, *arguments))(*arrays).block_until_ready()
        return (time.perf_counter() - begin) * 1e3


def table(rows: Sequence[dict[str, Any]], heading: str) -> str:
    """Return the rows as Markdown."""
    lines = [heading, "", "| expression | dtype | lazyarr ms | NVRTC ms | kernels | jax ms |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        peer = f"{row['jax']:.0f}" if "jax" in row else ""
        lines.append(
            f"| {row['expression']} | {row['dtype']} | {row['lazyarr']:.0f} | {row['NVRTC']:.0f} |"
            f" {row['kernels']} | {peer} |"
        )
    times = [row["lazyarr"] for row in rows]
    over = sum(milliseconds > LIMIT for milliseconds in times)
    lines += ["", f"{len(rows)} first evaluations: median {statistics.median(times):.0f} ms, "]
    lines[-1] += f"longest {max(times):.0f} ms, {over} over {LIMIT:.0f} ms."
    both = [row for row in rows if "jax" in row]
    if both:
        theirs = [row["jax"] for row in both]
        sooner = sum(row["lazyarr"] < row["jax"] for row in both)
        lines[-1] += (
            f" JAX, of {len(both)}: median {statistics.median(theirs):.0f} ms, longest"
            f" {max(theirs):.0f} ms; lazyarr is sooner in {sooner}."
        )
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_first", description=__doc__)
    parser.add_argument("--peers", nargs="*", default=[], choices=("jax",))
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    arguments = parser.parse_args(argv)
    # Nothing is found on disk, nor by NVRTC.
    os.environ["CUDA_CACHE_DISABLE"] = "1"
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import lazyarr as la
    from lazyarr.runtime.cuda import driver

    la.set_config(device="cuda", cache_dir="off")
    rows = measure(arguments.peers)
    heading = f"{driver.device().name}, Python {platform.python_version()}, numpy's names for all"
    text = table(rows, heading)
    print(text)
    write_files(arguments.out, "gpu_first", text, rows)


if __name__ == "__main__":
    main()
