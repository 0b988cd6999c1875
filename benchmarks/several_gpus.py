"""Training on several GPUs: images a second against their number.

``python -m benchmarks.several_gpus --devices 1 2`` takes steps of the nets of
``benchmarks.training``, each GPU with a batch of its own, or with ``--whole`` all with parts of
one batch. Batches lie on the GPUs, or with ``--feed`` come from the host's memory, by a thread that
divides the next one during a step. Numbers of GPUs alternate, each in a process of its own; the
fastest round counts. The losses of a whole batch are compared with those of one GPU.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.networks.lazyarr_steps import training_step

CASES = ("cnn 256", "resnet 256", "mlp 8192")
#: Steps whose losses are compared.
LOSSES = 20


def measure(
    case: str, count: int, seconds: float, whole: bool = False, feed: bool = False
) -> dict[str, Any]:
    """Return images a second of a number of GPUs, and the first losses.

    Parameters
    ----------
    case : str
        Name of a net and size of a batch.
    count : int
        Number of GPUs.
    seconds : float
        How long to go on.
    whole : bool
        Whether the batch is divided among the GPUs, or else each has one.
    feed : bool
        Whether each step gets a batch from the host's memory.
    """
    name, size = case.split()
    images = int(size) * (1 if whole else count)
    step, packed, state, batch = training_step(name, images)
    gpus = [f"cuda:{k}" for k in range(count)]
    together: Any = la.parallel.data_parallel(step, devices=gpus, batch=(2, 3))
    losses = []
    begun = time.perf_counter()
    feeder = ThreadPoolExecutor(1)
    divided = together.divide(*batch)
    following: Any = None

    def batch_of_step() -> Any:
        nonlocal following
        if not feed:
            return divided
        here = divided if following is None else following.result()
        following = feeder.submit(together.divide, *batch)
        return here

    with la.config(device="cuda"):
        for _ in range(LOSSES):
            value, packed, state = together(packed, state, *batch_of_step())
            losses.append(float(value))
        first = time.perf_counter() - begun
        rates = []
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            started = time.perf_counter()
            for _ in range(LOSSES):
                value, packed, state = together(packed, state, *batch_of_step())
            float(value)
            rates.append(images * LOSSES / (time.perf_counter() - started))
    feeder.shutdown()
    rates.sort()
    return {
        "best": rates[-1],
        "median": rates[len(rates) // 2],
        "losses": losses,
        "first": first,
    }


def row(case: str, runs: dict[int, list[dict[str, Any]]], whole: bool) -> str:
    """Return the line of a case: images a second for each number of GPUs, against one."""
    cells = []
    one = max((run["best"] for run in runs.get(1, [])), default=np.nan)
    for results in runs.values():
        best = max(run["best"] for run in results)
        median = float(np.median([run["median"] for run in results]))
        cells.append(f"{best:,.0f} ({best / one:.2f}; median {median:,.0f})")
    if whole and 1 in runs:
        alone = np.array(runs[1][0]["losses"])
        apart = [
            np.max(np.abs(np.array(results[0]["losses"]) / alone - 1)) for results in runs.values()
        ]
        cells.append(f"{max(apart):.1e}")
    return f"| {case} | " + " | ".join(cells) + " |"


def main() -> None:
    """Measure all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--cases", nargs="+", default=list(CASES), help="names with sizes")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="one batch for all GPUs")
    parser.add_argument("--feed", action="store_true", help="batches from the host's memory")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        case, count = chosen.one
        print(json.dumps(measure(case, int(count), chosen.seconds, chosen.whole, chosen.feed)))
        return
    titles = [f"{n} GPU{'s' * (n > 1)}, images a second" for n in chosen.devices]
    titles += ["losses apart"] * chosen.whole
    print("| case | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|", sep="\n")
    for case in chosen.cases:
        runs: dict[int, list[dict[str, Any]]] = {n: [] for n in chosen.devices}
        for _ in range(chosen.rounds):
            for n in chosen.devices:
                command = [sys.executable, "-m", "benchmarks.several_gpus", "--one", case, str(n)]
                command += ["--seconds", str(chosen.seconds), *["--whole"] * chosen.whole]
                command += ["--feed"] * chosen.feed
                run = subprocess.run(command, capture_output=True, text=True, timeout=300)
                if run.returncode:
                    print(f"{n} GPUs, {case}: {run.stderr[-2000:]}", file=sys.stderr)
                else:
                    runs[n].append(json.loads(run.stdout.splitlines()[-1]))
        print(row(case, {n: results for n, results in runs.items() if results}, chosen.whole))


if __name__ == "__main__":
    main()
