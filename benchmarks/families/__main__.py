"""Time random members of families of array programs against other libraries.

    python -m benchmarks.families --seeds 0:300 [--peers numpy numexpr jax torch] [--largest 4e6]

Each seed is one member: a computation, shapes, axes, layouts and a dtype that nobody chose. Every
library computes it in a process of its own, in turn, round after round, and every result is
compared with NumPy's. The ratio is the time of the best other library over lazyarr's: of a jitted
function, since the others that compile are called so too, and of an expression that is built and
evaluated each time.

On a machine that other work keeps busy, ``--clock processor`` counts the time that processors work
instead of the time that passes, and ``--least`` takes the least of the rounds instead of their
median; with one thread that is the time of an idle machine, but for waking threads.

On a machine with more processors, ``--threads 16`` gives each library so many; the default is all
that this process may use. ``--out FOLDER`` writes the report.

With ``--device cuda`` all libraries are in one process and work on the same arrays of the GPU, see
:mod:`benchmarks.families.on_gpu`; JAX and torch.compile are the others.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.__main__ import limit_threads, use_caches
from benchmarks.families.catalogue import FAMILIES, members
from benchmarks.families.member import Member
from benchmarks.families.result import OTHERS, OWN, Result, report
from benchmarks.output import write_files
from benchmarks.stations import CLOCKS


def measure(
    chosen: Sequence[Member],
    peers: Sequence[str],
    threads: int,
    rounds: int,
    *,
    clock: str = "wall",
    least: bool = False,
) -> list[Result]:
    """Return the results of members.

    Parameters
    ----------
    chosen : sequence of Member
        What is measured.
    peers : sequence of str
        Libraries, lazyarr's ways among them.
    threads, rounds : int
        Of each library, and of each member.
    clock : str
        One of `benchmarks.stations.CLOCKS`.
    least : bool
        Whether the least of the rounds counts, instead of their median.
    """
    from benchmarks.measure import measure_case, open_stations

    results = []
    with open_stations(peers, threads) as (stations, versions):
        print("; ".join(f"{peer} {version}" for peer, version in versions.items()), flush=True)
        for member in chosen:
            (dtype,) = member.dtypes
            rows = list(
                measure_case(member, dtype, 0, stations, rounds, threads, memory=False, clock=clock)
            )
            right = [row for row in rows if row.median and not row.note]
            results.append(
                Result(
                    member.name,
                    member.formula,
                    {row.peer: (row.minimum if least else row.median) or 0.0 for row in right},
                    {row.peer: row.note for row in rows if row.note},
                    max((row.copy_rate or 0.0 for row in rows), default=0.0),
                    next((row.moved for row in rows if row.moved), 0),
                    member.flops,
                )
            )
            ratio = results[-1].ratio("lazyarr_jit")
            shown = "–" if ratio is None else f"{ratio:.2f}"
            print(f"{shown:>7}  {member.name}  {member.formula}", flush=True)
    return results


def processor_name(threads: int) -> str:
    """Return the name of this processor, with the threads that are used."""
    from benchmarks.measure import machine

    return f"{machine(threads)['processor']}, {threads} threads"


def _on_gpu(
    options: argparse.Namespace, chosen: Sequence[Member], folder: Path
) -> tuple[list[Result], str]:
    """Return the results of members on a GPU, and its name."""
    from benchmarks.families import on_gpu

    on_gpu.set_up(folder)
    device = "cuda" if options.device == "cuda" else "cpu"
    results = on_gpu.measure(
        chosen,
        options.peers or on_gpu.PEERS,
        options.rounds,
        options.compilers,
        options.seconds,
        device,
    )
    if not results:
        raise SystemExit(f"no member was measured in {options.seconds:.0f} s: give --seconds more")
    rate = max(result.copy_rate for result in results) / 1e9
    return results, f"{on_gpu.name_of(device)}, copy {rate:.0f} GB/s"


def seeds(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure members and print the report; 1 if lazyarr was wrong or failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.families", description=__doc__)
    parser.add_argument("--seeds", type=seeds, default=range(100), metavar="A:B")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--peers", nargs="+", choices=OTHERS, help="default: all of the device")
    parser.add_argument("--largest", type=float, help="elements of an operand; 4e6, on a GPU 2**26")
    parser.add_argument("--device", choices=["cpu", "cuda", "rehearsal"], default="cpu")
    parser.add_argument("--compilers", type=int, default=0, help="processes, with a GPU")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="with a GPU: the most")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--least", action="store_true", help="of the rounds, not their median")
    parser.add_argument("--ways", choices=OWN, nargs="+", default=OWN)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, help="folder for families.md and families.json")
    options = parser.parse_args(arguments)
    on_gpu = options.device != "cpu"
    largest = int(options.largest or (2**26 if on_gpu else 4e6))
    limit_threads(options.threads)
    if not on_gpu:
        os.environ["JAX_PLATFORMS"] = "cpu"  # where there is a GPU, JAX would take it
    chosen = members(options.seeds, options.families, largest)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        use_caches(folder)
        if on_gpu:
            results, where = _on_gpu(options, chosen, Path(folder))
        else:
            results = measure(
                chosen,
                [*options.ways, *(options.peers or OTHERS)],
                options.threads,
                options.rounds,
                clock=options.clock,
                least=options.least,
            )
            where = processor_name(options.threads)
        lines = report(results, chosen)
    setting = (
        f"{where}, Python {platform.python_version()}; seeds "
        f"{options.seeds.start}:{options.seeds.stop}, operands of at most {largest:.3g} "
        f"elements, {(time.perf_counter() - begun) / 60:.0f} minutes."
    )
    title = ["# Random members of families", "", setting, ""]
    print("\n".join(lines))
    if options.out:
        text = "\n".join(title + lines) + "\n"
        write_files(options.out, "families", text, [asdict(result) for result in results])
    return int(any(peer in OWN for r in results for peer in r.notes))


if __name__ == "__main__":
    sys.exit(main())
