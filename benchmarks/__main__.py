"""``python -m benchmarks``: measure, print, write; ``--cases programs`` for whole programs."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.caches import cache_variables


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="lazyarr and its peers side by side, each one that is installed.",
    )
    parser.add_argument("--quick", action="store_true", help="small arrays, few rounds")
    parser.add_argument("--cases", nargs="+", metavar="CASE", help="only these (also: cold)")
    parser.add_argument("--peers", nargs="+", metavar="PEER", help="only these")
    parser.add_argument(
        "--dtype", nargs="+", choices=("float64", "float32"), default=["float64", "float32"]
    )
    parser.add_argument("--size", type=float, help="elements (default: 1e7, quick: 2e5)")
    parser.add_argument("--repeats", type=int, help="rounds (default: 9, quick: 3)")
    parser.add_argument("--threads", type=int, help="default: all that affinity allows")
    parser.add_argument("--no-memory", action="store_true", help="do not measure peak memory")
    parser.add_argument(
        "--output", type=Path, default=Path("benchmark-results"), help="folder for the results"
    )
    return parser


def limit_threads(threads: int) -> None:
    """Give every library the same number of threads. Must come before any of them is imported."""
    names = (
        "LAZYARR_THREADS MKL_NUM_THREADS NUMBA_NUM_THREADS NUMEXPR_MAX_THREADS "
        "NUMEXPR_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS"
    )
    for name in names.split():
        os.environ[name] = str(threads)
    # How they wait is a matter of each peer.
    os.environ.pop("OMP_WAIT_POLICY", None)
    os.environ.pop("OMP_PROC_BIND", None)
    os.environ["XLA_FLAGS"] = (
        f"--xla_cpu_multi_thread_eigen={str(threads > 1).lower()} "
        f"intra_op_parallelism_threads={threads}"
    )


def _chosen(operand: Sequence[str] | None, known: Sequence[str], what: str) -> list[str]:
    unknown = [name for name in operand or () if name not in known]
    if unknown:
        raise SystemExit(f"no {what} {', '.join(unknown)}; there are {', '.join(known)}")
    return [name for name in known if operand is None or name in operand]


def use_caches(folder: str) -> None:
    """Let nobody find code that an earlier run compiled. Must come before any is imported."""
    os.environ.update(cache_variables(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks and return an exit status: 1 if lazyarr was wrong or failed."""
    operand = list(sys.argv[1:] if arguments is None else arguments)
    if operand[:2] == ["--cases", "programs"]:
        from benchmarks.programs import runner

        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            use_caches(folder)
            return runner.main(operand[2:])
    options = _parser().parse_args(operand)
    threads = options.threads or len(os.sched_getaffinity(0))
    limit_threads(threads)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        use_caches(folder)
        return _run(options, threads)


def _run(options: argparse.Namespace, threads: int) -> int:
    started = time.perf_counter()

    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from benchmarks.cases import CASES
    from benchmarks.cold import measure_cold
    from benchmarks.measure import machine, measure_case, open_stations
    from benchmarks.peers import PEERS
    from benchmarks.report import Report

    size = int(options.size or (2e5 if options.quick else 1e7))
    repeats = options.repeats or (3 if options.quick else 9)
    cases = _chosen(options.cases, [*CASES, "cold"], "case")
    names = _chosen(options.peers, list(PEERS), "peer")
    measurements = []
    cold: dict[str, dict[str, float]] = {}
    failed = False
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with (
        open_stations(names, threads) as (stations, versions),
        Progress(*columns, transient=True) as progress,
    ):
        task = progress.add_task("", total=len(cases) * len(options.dtype))
        for name in cases:
            for dtype in (name != "cold" and CASES[name].dtypes) or options.dtype:
                progress.update(task, description=f"{name} {dtype}")
                if name != "cold":
                    measurements += measure_case(
                        CASES[name],
                        dtype,
                        size,
                        stations,
                        repeats,
                        threads,
                        memory=not options.no_memory,
                    )
                elif dtype == options.dtype[0]:
                    installed = list(dict.fromkeys(station.name for station in stations))
                    try:
                        cold = measure_cold(installed, min(5, repeats))
                    except RuntimeError as error:
                        failed = True
                        progress.console.print(str(error), markup=False)
                progress.advance(task)
    seconds = time.perf_counter() - started
    report = Report(measurements, machine(threads) | {"seconds": seconds}, versions, cold)
    report.print()
    for path in report.write(options.output):
        print(path)
    return int(failed or any(m.peer == "lazyarr" and m.note for m in measurements))


if __name__ == "__main__":
    sys.exit(main())
