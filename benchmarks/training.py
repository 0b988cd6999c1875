"""Steps of training beside PyTorch and JAX: ``python -m benchmarks.training``.

Each library runs in a process of its own, and these alternate, so that a busy machine is busy for
all. The fastest step counts; beside it stand the median, the first step, compile included, how
much memory the process has taken since before it, and all that it has taken. The former counts
libraries that a peer loads with its first step, and pages of zeros that it then writes to; the
latter counts those of all peers.
Peers that are not installed are left out; ``--python PATH`` names the interpreter that has them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

from benchmarks.networks import CASES, PEERS, step_of


def all_cases(device: str) -> list[str]:
    """Return the cases that are measured on a device: names with sizes."""
    return [f"{name} {size}" for name in CASES for size in CASES[name][device == "cuda"]]


def measure(
    peer: str, case: str, seconds: float, device: str = "cpu", clock: str = "wall"
) -> dict[str, Any]:
    """Return the times of one peer's steps, in seconds, and its peak memory and its growth, in MB.

    Parameters
    ----------
    peer : str
        One of the libraries.
    case : str
        What to run: a name and a size.
    seconds : float
        How long to go on.
    device : str
        "cpu" or "cuda".
    clock : str
        "wall" or "processor", of this process with its threads: less depends on other work.
    """
    now = time.process_time if clock == "processor" else time.perf_counter
    name, size = case.split()
    step = step_of(peer, name, int(size), device)
    before = _peak()
    prepared = now()
    value = step()
    first = now() - prepared
    begun = time.perf_counter()
    times: list[float] = []
    while time.perf_counter() - begun < seconds or len(times) < 3:
        started = now()
        value = step()
        times.append(now() - started)
    loss = value if isinstance(value, float) else None
    peak = _peak()
    return {"first": first, "times": times, "loss": loss, "memory": peak - before, "peak": peak}


def _peak() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def table(rows: dict[tuple[str, str], list[dict[str, Any]]], peers: list[str]) -> str:
    """Return the results as a table: fastest step, median, fastest first step, and memory.

    Parameters
    ----------
    rows : dict
        By case and peer, the results of :func:`measure`; a peer may have none for a case.
    peers : list of str
        The columns.
    """
    lines = ["| case | " + " | ".join(peers) + " |", "|---" * (len(peers) + 1) + "|"]
    for case in dict.fromkeys(case for case, _ in rows):
        cells = []
        for peer in peers:
            runs = rows.get((case, peer), [])
            times = sorted(t for run in runs for t in run["times"])
            if not times:
                cells.append("none")
                continue
            first = min(run["first"] for run in runs)
            cells.append(
                f"{times[0] * 1e3:.2f} ms (median {times[len(times) // 2] * 1e3:.2f}, "
                f"first {first * 1e3:.0f}, {max(run['memory'] for run in runs):.0f} of "
                f"{max(run['peak'] for run in runs):.0f} MB)"
            )
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure all cases and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", nargs="+", default=list(PEERS), choices=PEERS)
    parser.add_argument("--cases", nargs="+", help="names with sizes, such as 'mlp 32'")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall")
    parser.add_argument(
        "--precision",
        choices=["full", "tf32"],
        default="full",
        help="of factors of float32 on a GPU, in all libraries",
    )
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(*chosen.one, chosen.seconds, chosen.device, chosen.clock)))
        return
    count = str(chosen.threads)
    environment = dict(
        os.environ,
        OMP_NUM_THREADS=count,
        OPENBLAS_NUM_THREADS=count,
        LAZYARR_THREADS=count,
        BENCHMARK_PRECISION=chosen.precision,
    )
    if chosen.threads == 1:
        flags = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        environment["XLA_FLAGS"] = f"{environment.get('XLA_FLAGS', '')} {flags}".strip()
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for _ in range(chosen.rounds):
        for case in chosen.cases or all_cases(chosen.device):
            for peer in chosen.peers:
                command = [chosen.python, "-m", "benchmarks.training", "--one", peer, case]
                command += ["--seconds", str(chosen.seconds), "--device", chosen.device]
                command += ["--clock", chosen.clock]
                run = subprocess.run(command, env=environment, capture_output=True, text=True)
                runs = rows.setdefault((case, peer), [])
                if run.returncode:
                    print(f"{peer}, {case}: {run.stderr[-2000:]}", file=sys.stderr)
                else:
                    runs.append(json.loads(run.stdout.splitlines()[-1]))
                    # Nothing is lost of a run that is stopped.
                    row = table({(case, peer): runs}, [peer]).splitlines()[-1]
                    print(f"{peer} {row}", file=sys.stderr, flush=True)
    print(table(rows, chosen.peers))


if __name__ == "__main__":
    main()
