"""Time generated CUDA kernels against PyTorch, JAX and CuPy in one run, on one GPU.

    python -m benchmarks.gpu [--peers torch jax cupy] [--cases poly ...] [--out FOLDER]

Every result is checked before it is timed. Times are those of events around thirty evaluations in a
row (JAX's: the clock's until the last one is there), the median of several; the libraries
alternate, each after a rest, so that all meet the same clock rates. The copy rate is measured in
the same run. Inputs are made on the GPU by PyTorch, and every library takes them without a copy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.cases import (
    gauss,
    layernorm,
    poly,
    sigmoid_layer,
    softmax,
    ssq,
    stencil,
    trans,
)
from benchmarks.gpu_timing import (
    alternately,
    copy_rate,
    lazyarr_timer,
    settle,
    torch_timer,
    until_there,
)
from benchmarks.output import write_files

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def colmean(xp: Any, m: Any) -> Any:
    return xp.mean(m * m, axis=0)


def cases(n: int) -> dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], int]]:
    """Return function, operand shapes and elements moved of each case, for n elements."""
    side = int(n**0.5)
    rows = n // 20
    return {
        "poly": (poly, [(n,)] * 3, 4 * n),
        "trans": (trans, [(n,)] * 3, 4 * n),
        "ssq": (ssq, [(n,)] * 3, 3 * n),
        "softmax": (softmax, [(side, side)], 2 * side * side),
        "layernorm": (layernorm, [(side, side)], 2 * side * side),
        "gauss": (gauss, [(rows, 20)] * 2, 41 * rows),
        "colmean": (colmean, [(side, side)], side * side),
        "stencil": (stencil, [(side, side)], 2 * side * side),
        # The arithmetic of the product bounds this one, not its bytes.
        "layer": (sigmoid_layer, [(512, 784), (784, n // 1024), (512, 1)], 1808 * (n // 1024)),
    }


def torch_namespace(torch: Any) -> Any:
    def reduce(function: Any, all_of: Any) -> Any:
        def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
            return all_of(x) if axis is None else function(x, dim=axis, keepdim=keepdims)

        return call

    return SimpleNamespace(
        sin=torch.sin,
        cos=torch.cos,
        exp=torch.exp,
        sqrt=torch.sqrt,
        sum=reduce(torch.sum, torch.sum),
        mean=reduce(torch.mean, torch.mean),
        max=reduce(torch.amax, torch.amax),
    )


def arrays_of(torch: Any, dtype: str, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Return the inputs of a case, always the same."""
    torch.manual_seed(0)
    kind = getattr(torch, dtype)
    return [torch.rand(s, dtype=kind, device="cuda") + 0.5 for s in shapes]


def first_evaluations(
    torch: Any, dtypes: Sequence[str], names: Sequence[str], n: int
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return milliseconds of the first evaluation of each case and dtype, and of NVRTC within it.

    Before the peers run, whose compilers leave processes and threads behind.
    """
    import lazyarr as la
    from lazyarr.runtime.cuda import driver

    results = {}
    for dtype in dtypes:
        for name, (function, shapes, _) in cases(n).items():
            if names and name not in names:
                continue
            arrays = arrays_of(torch, dtype, shapes)
            torch.cuda.synchronize()
            expression = function(la, *map(la.asarray, arrays))
            before = driver.device().info().compile_seconds
            begin = time.perf_counter()
            result = la.persist(expression)
            torch.as_tensor(result, device="cuda")
            torch.cuda.synchronize()
            seconds = time.perf_counter() - begin
            compiling = driver.device().info().compile_seconds - before
            results[name, dtype] = seconds * 1e3, compiling * 1e3
            del arrays, expression, result
            torch.cuda.empty_cache()
    return results


def measure(
    torch: Any,
    dtype: str,
    names: Sequence[str],
    peers: Sequence[str],
    n: int,
    rate: float,
    firsts: dict[tuple[str, str], tuple[float, float]],
) -> list[dict[str, Any]]:
    """Check and time the cases of one dtype."""
    import lazyarr as la

    timer = lazyarr_timer()
    itemsize = 4 if dtype == "float32" else 8
    rows = []
    for name, (function, shapes, elements) in cases(n).items():
        if names and name not in names:
            continue
        arrays = arrays_of(torch, dtype, shapes)
        row: dict[str, Any] = {"case": name, "dtype": dtype, "megabytes": elements * itemsize / 1e6}
        space = torch_namespace(torch)

        lazy = [la.asarray(a) for a in arrays]
        expression = function(la, *lazy)
        result = la.persist(expression)
        actual = torch.as_tensor(result, device="cuda")
        row["first ms"], row["NVRTC ms"] = firsts[name, dtype]
        expected = function(space, *arrays)
        error = ((actual - expected).abs().max() / expected.abs().max()).item()
        row["error"] = error
        assert error < (1e-5 if dtype == "float32" else 1e-12), (name, dtype, error)
        del expected, actual, result
        settle(lambda expression=expression: la.persist(expression))
        begin = time.perf_counter()
        for _ in range(20):
            la.persist(expression)
        row["host us"] = (time.perf_counter() - begin) / 20 * 1e6
        calls = {"lazyarr": partial(timer.batch, partial(la.persist, expression))}
        calls |= calls_of_peers(torch, peers, function, arrays)
        row |= alternately(calls)
        row["GB/s"] = row["megabytes"] / row["lazyarr"]
        row["of copy"] = row["GB/s"] / rate
        print(json.dumps(row), flush=True)
        rows.append(row)
        del arrays, lazy, expression, calls
        if "cupy" in peers:
            import cupy

            cupy.get_default_memory_pool().free_all_blocks()
        torch.cuda.empty_cache()
    return rows


def calls_of_peers(
    torch: Any, peers: Sequence[str], function: Callable[..., Any], arrays: Sequence[Any]
) -> dict[str, Callable[[], float]]:
    """Return a timer for each peer of a case, once compiled."""
    calls: dict[str, Callable[[], float]] = {}
    events = torch_timer(torch)
    if "torch" in peers:
        torch._dynamo.reset()
        space = torch_namespace(torch)
        compiled = torch.compile(lambda *x: function(space, *x), dynamic=False)
        calls["torch.compile"] = partial(events.batch, partial(compiled, *arrays))
    if "jax" in peers:
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        arguments = [jax.dlpack.from_dlpack(a) for a in arrays]
        jitted = jax.jit(partial(function, jax.numpy))
        calls["jax"] = partial(until_there, partial(jitted, *arguments), jax.block_until_ready)
    if "cupy" in peers:
        import cupy

        views = [cupy.asarray(a) for a in arrays]
        calls["cupy"] = partial(events.batch, partial(function, cupy, *views))
    return calls


def host_times() -> dict[str, float]:
    """Return microseconds of the host to queue a planned expression of three kernels.

    Small arrays and few calls in a row, so that the time of the queue is no part.
    """
    import numpy as np

    import lazyarr as la
    from lazyarr.compiler import pipeline
    from lazyarr.core.config import get_config
    from lazyarr.runtime.cuda import driver

    def three(x: Any, number: float = 1.0) -> Any:
        y = x - x.mean(axis=0)
        z = y / y.std(axis=0)
        return z.max() * number + z.T

    def microseconds(call: Callable[[int], Any]) -> float:
        settle(lambda: call(0))
        for k in range(30):
            call(k)
        times = []
        for _ in range(100):
            driver.device().synchronize()
            begin = time.perf_counter()
            for k in range(10):
                call(k)
            times.append((time.perf_counter() - begin) * 1e5)
        return statistics.median(times)

    host = np.ones((64, 64))
    x = la.asarray(host, device="cuda")
    expression = three(x)
    jitted = la.jit(three)
    result = {}
    result["kernels"] = float(len(la.explain(expression).kernels))
    result["persist again, replayed"] = microseconds(lambda k: la.persist(expression))
    result["jit.persist, replayed"] = microseconds(lambda k: jitted.persist(x, 1.5))
    bound = jitted.bind(x, 1.5)
    result["jit.bind"] = microseconds(lambda k: bound())
    numbers = itertools.count(100.5)
    result["jit.persist, a number never met before"] = microseconds(
        lambda k: jitted.persist(x, next(numbers))
    )
    executable: Any = pipeline.prepare((expression._node,), get_config())[0]
    executable.graphs.replayable = False
    executable.graphs.forget()
    result["persist again, not replayed"] = microseconds(lambda k: la.persist(expression))
    result["persist of the expression built anew"] = microseconds(lambda k: la.persist(three(x)))
    result["jit with NumPy arrays in and out"] = microseconds(lambda k: jitted(host, 1.5))
    return result


def start_of_the_process() -> dict[str, float]:
    """Return milliseconds that the first use of the GPU takes once in a process."""
    import numpy as np

    import lazyarr as la
    from lazyarr.runtime.cuda import driver

    begin = time.perf_counter()
    device = driver.device()
    opened = time.perf_counter()
    la.evaluate(la.asarray(np.ones(3)) + 1)
    evaluated = time.perf_counter()
    device.warming.join()
    return {
        "opening the device": (opened - begin) * 1e3,
        "the very first evaluation after that": (evaluated - opened) * 1e3,
        "until NVRTC and cuBLAS are loaded": (time.perf_counter() - begin) * 1e3,
    }


def table(rows: Sequence[dict[str, Any]], heading: str) -> str:
    """Return the rows as Markdown."""
    peers = [p for p in ("torch.compile", "jax", "cupy") if any(p in row for row in rows)]
    header = ["case", "dtype", "MB", "lazyarr ms", "GB/s", "of copy", *(f"{p} ms" for p in peers)]
    header += ["best peer / lazyarr", "first ms", "NVRTC ms", "host us"]
    lines = [heading, "", f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
    for row in rows:
        best = min((row[p] for p in peers if p in row), default=float("nan"))
        cells = [
            row["case"],
            row["dtype"],
            f"{row['megabytes']:.0f}",
            f"{row['lazyarr']:.3f}",
            f"{row['GB/s']:.0f}",
            f"{row['of copy']:.0%}",
            *(f"{row[p]:.3f}" if p in row else "" for p in peers),
            f"{best / row['lazyarr']:.2f}",
            f"{row['first ms']:.0f}",
            f"{row['NVRTC ms']:.0f}",
            f"{row['host us']:.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def listed(title: str, figures: dict[str, float]) -> str:
    """Return named figures as Markdown."""
    lines = [f"| {name} | {figure:.1f} |" for name, figure in figures.items()]
    return "\n".join(["", f"| {title} | |", "| --- | --- |", *lines]) + "\n"


def plot(path: Path, rows: Sequence[dict[str, Any]], heading: str) -> None:
    """Draw each library's time over the time of moving the same bytes at the copy rate."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    colours = {"lazyarr": "#0b6e99", "torch.compile": "#e08a00", "jax": "#7a9a3a"}
    dtypes = list(dict.fromkeys(row["dtype"] for row in rows))
    figure, axes = plt.subplots(
        1, len(dtypes), figsize=(6.2 * len(dtypes), 5), squeeze=False, layout="constrained"
    )
    for axis, dtype in zip(axes[0], dtypes, strict=True):
        some = [row for row in rows if row["dtype"] == dtype and row["case"] != "layer"]
        for number, (peer, colour) in enumerate(colours.items()):
            limit = [row["lazyarr"] * row["of copy"] for row in some]
            times = [row.get(peer, float("nan")) for row in some]
            ratios = [t / low for t, low in zip(times, limit, strict=True)]
            places = [k + 0.27 * (number - 1) for k in range(len(some))]
            axis.barh(places, ratios, height=0.25, color=colour, label=peer)
            for place, ratio, t in zip(places, ratios, times, strict=True):
                axis.text(ratio + 0.02, place, f"{t:.3f} ms", va="center", fontsize=7)
        axis.axvline(1, color="black", lw=0.8)
        axis.set_yticks(range(len(some)), [row["case"] for row in some])
        axis.set(title=dtype, xlabel="time / time of a copy of as many bytes")
        axis.margins(x=0.12)
        axis.invert_yaxis()
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8)
    figure.suptitle(heading, fontsize=9)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", nargs="*", default=["torch", "jax", "cupy"])
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--dtypes", nargs="*", default=["float32", "float64"])
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    arguments = parser.parse_args()

    # Nothing is found on disk, nor by NVRTC: first evaluations compile.
    os.environ["CUDA_CACHE_DISABLE"] = "1"

    import torch

    import lazyarr as la

    la.set_config(device="cuda", cache_dir="off")
    start = start_of_the_process()
    # Before the peers have filled the process with their threads and caches.
    host = host_times()
    firsts = first_evaluations(torch, arguments.dtypes, arguments.cases, arguments.elements)
    rate = copy_rate(torch)
    heading = (
        f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Python "
        f"{platform.python_version()}; copy {rate:.0f} GB/s in this run"
    )
    print(heading, flush=True)
    rows = []
    for dtype in arguments.dtypes:
        peers = arguments.peers
        rows += measure(torch, dtype, arguments.cases, peers, arguments.elements, rate, firsts)
    print(json.dumps(start), json.dumps(host))
    text = table(rows, heading) + listed("Start of the process, ms", start)
    text += listed("Host time to queue three kernels of 64×64 float64 once planned, us", host)
    record = {"machine": heading, "rows": rows, "start": start, "host": host}
    write_files(arguments.out, "gpu", text, record)
    plot(arguments.out / "gpu.png", rows, heading)
    print(text)


if __name__ == "__main__":
    main()
