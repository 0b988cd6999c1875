"""Time gradients of random functions against other libraries.

    python -m benchmarks.gradients --seeds 0:150 [--peers jax torch] [--largest 2e6]

Each seed is one member of a family of :mod:`benchmarks.families.gradients`: the gradient of a
function of arrays whose shapes, axes and dtype nobody chose, under ``jit`` in each library. As in
:mod:`benchmarks.families` each library has a process of its own, they are measured in turn, and
the ratio is the time of the best other library over lazyarr's. Every result is compared with JAX's,
which therefore has to be installed. PyTorch compiles for half a minute a member, and has no names
for many of them, so that it takes part only if asked for.
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
from benchmarks.families.__main__ import measure, processor_name, seeds
from benchmarks.families.catalogue import members
from benchmarks.families.gradient_member import REFERENCES
from benchmarks.families.gradients import GRADIENTS
from benchmarks.families.result import OWN, report
from benchmarks.output import write_files
from benchmarks.stations import CLOCKS


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure gradients and print the report; 1 if lazyarr was wrong or failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradients", description=__doc__)
    parser.add_argument("--seeds", type=seeds, default=range(90), metavar="A:B")
    parser.add_argument("--families", nargs="+", choices=list(GRADIENTS), default=list(GRADIENTS))
    parser.add_argument("--peers", nargs="+", choices=("jax", "torch"), default=["jax"])
    parser.add_argument("--largest", type=float, default=2e6, help="elements of an operand")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--least", action="store_true", help="of the rounds, not their median")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, help="folder for gradients.md and gradients.json")
    options = parser.parse_args(arguments)
    limit_threads(options.threads)
    os.environ["JAX_PLATFORMS"] = "cpu"
    chosen = members(options.seeds, options.families, int(options.largest))
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        use_caches(folder)
        os.environ[REFERENCES] = folder
        # JAX comes first: its process computes what the results of all are compared with.
        peers = ["jax", *(peer for peer in options.peers if peer != "jax"), "lazyarr_jit"]
        results = measure(
            chosen,
            peers,
            options.threads,
            options.rounds,
            clock=options.clock,
            least=options.least,
        )
        lines = report(results, chosen)
    setting = (
        f"{processor_name(options.threads)}, Python {platform.python_version()}; seeds "
        f"{options.seeds.start}:{options.seeds.stop}, operands of at most {options.largest:.3g} "
        f"elements, {(time.perf_counter() - begun) / 60:.0f} minutes."
    )
    print("\n".join(lines))
    if options.out:
        title = ["# Gradients of random functions", "", setting, ""]
        text = "\n".join(title + lines) + "\n"
        write_files(options.out, "gradients", text, [asdict(result) for result in results])
    return int(any(peer in OWN for result in results for peer in result.notes))


if __name__ == "__main__":
    sys.exit(main())
