"""``python -m benchmarks.scaling``: the same work on 1, 2, 4, ... threads, beside copies.

Each round copies an array and runs the case with every number of threads in turn, so that what the
machine does to one it does to all.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

CASES = ["poly", "trans", "ssq", "softmax", "gauss", "stencil", "var0", "pairwise"]

#: Seconds that one sample should take, made of several calls where one is shorter.
SAMPLE = 4e-3

_EXPLANATION = (
    "Times are medians over rounds; a round runs the case with every number of threads and copies "
    "an array with as many threads in two ways: `numpy.copyto`, one slice a thread, and a kernel "
    "of lazyarr that reads and writes as much; the faster counts. GB/s counts each input read once "
    "and the result written once; a copy counts the array read and the array written, so what "
    "mostly reads may be faster, and so may what a large cache holds. *Speed-up* is against one "
    "thread. Peers run with the most threads only."
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--threads", nargs="+", type=int, help="default: 1, 2, 4, ... all")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES, metavar="CASE")
    parser.add_argument("--dtype", nargs="+", default=["float64", "float32"])
    parser.add_argument("--size", type=float, default=1e7)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--peers", nargs="*", default=[], metavar="PEER", help="such as torch jax")
    parser.add_argument("--output", type=Path, default=Path("benchmark-results"))
    parser.add_argument("--again", type=Path, help="only draw and write a scaling.json again")
    return parser


def _powers(limit: int) -> list[int]:
    return [*(n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n < limit), limit]


def measure(
    name: str,
    dtype: str,
    size: int,
    threads: Sequence[int],
    repeats: int,
    peers: Sequence[str],
) -> dict[str, Any]:
    """Return the medians of one case."""
    import gc
    import statistics

    import numpy as np

    import lazyarr as la
    from benchmarks.cases import CASES
    from benchmarks.measure import Copy
    from benchmarks.peers import PEERS
    from benchmarks.stations import sample

    case = CASES[name]
    arrays = case.arrays(size, np.dtype(dtype))
    leaves = [la.asarray(array) for array in arrays]
    result = la.evaluate(case.compute(la, *leaves))
    moved = sum(array.nbytes for array in arrays) + result.nbytes
    runs: dict[str, tuple[Callable[[], Any], int]] = {}

    def own(count: int) -> Callable[[], Any]:
        def run() -> Any:
            with la.config(threads=count):
                return la.evaluate(case.compute(la, *leaves))

        return run

    copies = {count: Copy(count) for count in threads}
    source = la.asarray(np.ones(copies[threads[0]].moved // 16))

    def kernel_copy(count: int) -> Callable[[], Any]:
        def run() -> Any:
            with la.config(threads=count):
                return la.evaluate(-source)

        return run

    for count in threads:
        runs[str(count)] = (own(count), 0)
        runs[f"copy {count}"] = (copies[count].run, 0)
        runs[f"copy kernel {count}"] = (kernel_copy(count), 0)
    for peer in peers:
        prepared = PEERS[peer](max(threads)).prepare(case, arrays)
        if prepared is not None:
            runs[peer] = (prepared.run, 0)
    for label, (run, _) in runs.items():
        run()
        once = sample(run, 2)
        runs[label] = (run, max(1, min(100, int(SAMPLE / once))))
    times: dict[str, list[float]] = {label: [] for label in runs}
    for _ in range(repeats):
        gc.collect(0)
        for label, (run, calls) in runs.items():
            run()  # what ran before has left its own data in the caches
            times[label].append(sample(run, calls))
    medians = {label: statistics.median(actual) for label, actual in times.items()}
    return {
        "case": name,
        "dtype": dtype,
        "size": size,
        "moved": moved,
        "copied": copies[threads[0]].moved,
        "seconds": {label: medians[label] for label in runs if not label.startswith("copy ")},
        "copy": {
            str(count): min(medians[f"copy {count}"], medians[f"copy kernel {count}"])
            for count in threads
        },
    }


def table(data: dict[str, Any]) -> str:
    """Return the results in Markdown."""
    threads, peers = data["threads"], data["peers"]
    machine = data["machine"]
    most = str(threads[-1])
    where = (
        f"{machine['processor']}, {machine['processors']} processors, "
        f"{machine['memory_bytes'] / 2**30:.0f} GiB; {machine['system']}; "
        f"Python {machine['python']}."
    )
    header = ["case", "dtype", *(f"{n} thread{'s' * (n > 1)}, ms" for n in threads)]
    header += ["speed-up", f"GB/s on {most}", "of copy", *(f"{peer}, ms" for peer in peers)]
    lines = ["# Scaling", "", where, "", _EXPLANATION, ""]
    if data["versions"]:
        lines[-1:] = ["", "; ".join(f"{k} {v}" for k, v in data["versions"].items()) + ".", ""]
    lines += [_row(header), _row(["---", "---", *["---:"] * (len(header) - 2)])]
    for m in data["measurements"]:
        seconds = m["seconds"]
        rate = m["moved"] / seconds[most]
        cells = [m["case"], m["dtype"], *(f"{seconds[str(n)] * 1e3:.2f}" for n in threads)]
        cells += [f"{seconds[str(threads[0])] / seconds[most]:.1f}×", f"{rate / 1e9:.1f}"]
        cells += [f"{rate * m['copy'][most] / m['copied']:.0%}"]
        for peer in peers:
            theirs = seconds.get(peer)
            ratio = f" ({theirs / seconds[most]:.2f}×)" if theirs else ""
            cells.append(f"{theirs * 1e3:.2f}{ratio}" if theirs else "–")
        lines.append(_row(cells))
    copies = [
        sorted(m["copied"] / m["copy"][str(n)] / 1e9 for m in data["measurements"]) for n in threads
    ]
    cells = [f"{rates[len(rates) // 2]:.1f}" for rates in copies]
    lines += ["", "## Copy rate, GB/s (median over the cases)", ""]
    lines += [_row([f"{n} thread{'s' * (n > 1)}" for n in threads])]
    lines += [_row(["---:"] * len(threads)), _row(cells)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def plot(data: dict[str, Any], path: Path) -> None:
    """Draw the rates of each case against the number of threads."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    threads, peers = data["threads"], data["peers"]
    cases = list(dict.fromkeys(m["case"] for m in data["measurements"]))
    colours = {"float64": "tab:blue", "float32": "tab:orange"}
    markers = dict(zip(peers, "x+*d", strict=False))
    columns = min(4, len(cases))
    rows = -(-len(cases) // columns)
    figure, axes = plt.subplots(
        rows,
        columns,
        figsize=(3.4 * columns, 3.1 * rows + 0.5),
        squeeze=False,
        sharex=True,
        layout="constrained",
    )
    for axis, name in zip(axes.flat, cases, strict=False):
        for m in data["measurements"]:
            if m["case"] != name:
                continue
            colour = colours.get(m["dtype"], "black")
            copied = [m["copied"] / m["copy"][str(n)] / 1e9 for n in threads]
            own = [m["moved"] / m["seconds"][str(n)] / 1e9 for n in threads]
            axis.plot(threads, copied, color="0.6", linestyle="--", linewidth=1)
            axis.plot(threads, own, color=colour, marker="o", markersize=4)
            axis.plot(
                threads,
                [own[0] * n / threads[0] for n in threads],
                color=colour,
                linestyle=":",
                linewidth=0.8,
            )
            for peer in peers:
                if m["seconds"].get(peer):
                    rate = m["moved"] / m["seconds"][peer] / 1e9
                    axis.plot([threads[-1]], [rate], color=colour, marker=markers[peer])
        axis.set_title(name)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.set_xticks(threads, [str(n) for n in threads])
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(cases) :]:
        axis.axis("off")
    for axis in axes[-1]:
        axis.set_xlabel("threads")
    for axis in axes[:, 0]:
        axis.set_ylabel("GB/s")
    lines = [plt.Line2D([], [], color=c, marker="o", markersize=4) for c in colours.values()]
    lines += [plt.Line2D([], [], color="0.3", linestyle=":", linewidth=0.8)]
    lines += [plt.Line2D([], [], color="0.6", linestyle="--", linewidth=1)]
    names = [*colours, "one thread's rate × threads", "copy, as many threads"]
    for peer, marker in markers.items():
        lines.append(plt.Line2D([], [], color="0.3", marker=marker, linestyle=""))
        names.append(peer)
    figure.legend(lines, names, loc="outside lower center", ncols=len(names), frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def write(data: dict[str, Any], folder: Path) -> None:
    """Write scaling.json, scaling.md and, with matplotlib, scaling.png."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scaling.json").write_text(json.dumps(data, indent=1) + "\n")
    (folder / "scaling.md").write_text(table(data))
    try:
        plot(data, folder / "scaling.png")
    except ImportError:
        print("no plot: matplotlib is not installed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and return an exit status."""
    options = _parser().parse_args(arguments)
    if options.again:
        write(json.loads(options.again.read_text()), options.output)
        return 0
    available = len(os.sched_getaffinity(0))
    threads = options.threads or _powers(available)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(max(threads))
    # Threads that spin while they wait would slow down whoever is measured next.
    os.environ["OMP_WAIT_POLICY"] = "passive"

    from benchmarks.measure import machine
    from benchmarks.peers import PEERS

    peers = [peer for peer in options.peers if PEERS[peer].version()]
    data: dict[str, Any] = {
        "machine": machine(max(threads)),
        "versions": {peer: PEERS[peer].version() for peer in ("numpy", *peers)},
        "threads": threads,
        "peers": peers,
        "measurements": [],
    }
    for name in options.cases:
        for dtype in options.dtype:
            result = measure(name, dtype, int(options.size), threads, options.repeats, peers)
            data["measurements"].append(result)
            shown = "  ".join(f"{k}: {v * 1e3:.2f}" for k, v in result["seconds"].items())
            print(f"{name} {dtype}, ms: {shown}", flush=True)
    write(data, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
