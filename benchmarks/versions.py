"""Time two trees of lazyarr against each other in one run.

    python -m benchmarks.versions TREE [--cases poly ...] [--rounds N] [--out FILE.md]

TREE is a checkout of another version ("before"); this one is "after". Each runs in a process of its
own with a cache folder of its own, in four ways: expressions built and evaluated, a jitted
function, `persist`, and a call that is bound to its arrays. The two alternate, and each round
gives a ratio of its own, so that what the machine does to one it does to the other; the table has
the median ratio, and what the same figure is for two processes of this one tree, which shows the
noise. First evaluations in fresh processes follow.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import CASES, Arrays, Case
from benchmarks.cold import TREE, first_calls
from benchmarks.measure import PAUSE, machine
from benchmarks.peers import PEERS, Lazyarr, LazyarrJit, Peer, Prepared
from benchmarks.stations import Process

#: The sizes of the cases that are measured for what the host does.
SMALL = tuple(name for name, case in CASES.items() if "small" in case.tags)
#: Figures of :func:`benchmarks.cold.work`, in words.
COLD = {
    "import": "import",
    "first": "first call",
    "second": "second call",
    "start": "start of the process to the first result",
    "processor": "time of all processors until then",
}


def _use_tree() -> None:
    """Import lazyarr from the folder that the environment names."""
    sys.path.insert(0, os.environ[TREE])


class Evaluated(Lazyarr):
    """An expression that is built and evaluated each time."""

    name = "evaluate"

    def setup(self) -> None:
        _use_tree()

    def release(self) -> None:
        pass  # modules have other names in other versions


class Jitted(LazyarrJit, Evaluated):
    """A function that was traced once."""

    name = "jit"


class Persisted(Evaluated):
    """An expression that is built and stored as a lazy array each time."""

    name = "persist"

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import lazyarr as la

        leaves = [la.asarray(array) for array in arrays]
        return Prepared(lambda: la.persist(case.compute(la, *leaves)))


class Bound(Evaluated):
    """A compiled plan, bound once to its arrays and its result."""

    name = "bind"

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import lazyarr as la

        return Prepared(la.jit(lambda *inputs: case.compute(la, *inputs)).bind(*arrays))


WAYS: tuple[type[Peer], ...] = (Evaluated, Jitted, Persisted, Bound)
PEERS |= {way.name: way for way in WAYS}


@dataclass(frozen=True)
class Row:
    """Two versions on one case: seconds of each, and the ratio before / after."""

    case: str
    dtype: str
    way: str
    before: float
    after: float
    ratio: float
    noise: float  # the same ratio of two processes of the tree after


@contextmanager
def _processes(way: str, tree: Path, threads: int, folder: str) -> Iterator[list[Process]]:
    """Start a process of the tree before, and two of this one."""
    here = Path(__file__).parents[1]
    opened: list[Process] = []
    try:
        for number, root in enumerate((tree, here, here)):
            cache = Path(folder, f"cache{number}")
            opened.append(Process(way, threads, {TREE: str(root), "LAZYARR_CACHE_DIR": str(cache)}))
            if opened[-1].refusal:
                raise SystemExit(f"{way} of {root}: {opened[-1].refusal}")
        yield opened
    finally:
        for process in opened:
            process.close()


def compare(case: str, dtype: str, size: int, processes: Sequence[Process], rounds: int) -> Row:
    """Return the figures of one case.

    Parameters
    ----------
    case, dtype : str
        Of the table of cases.
    size : int
        Elements, for cases without a size of their own.
    processes : sequence of Process
        One of the tree before and two of the tree after.
    rounds : int
        How often each of them is timed.
    """
    ready = [process.prepare(case, dtype, size) for process in processes]
    for measurement in ready:
        if measurement.first is None or measurement.note:
            raise RuntimeError(f"{case} {dtype} {measurement.peer}: {measurement.note}")
    times: list[tuple[float, ...]] = []
    for number in range(rounds):
        time.sleep(PAUSE)
        order = [(number + k) % 3 for k in range(3)]
        sampled = {index: processes[index].sample() for index in order}
        times.append((sampled[0], sampled[1], sampled[2]))
    for process in processes:
        process.clear()
    before, after, again = zip(*times, strict=True)
    return Row(
        case,
        dtype,
        ready[0].peer,
        statistics.median(before),
        statistics.median((*after, *again)),
        # Both processes of the tree after count: one may lie better in memory than the other.
        statistics.median(b * (1 / x + 1 / y) / 2 for b, x, y in times),
        statistics.median(x / y for _, x, y in times),
    )


def table(rows: Iterable[Row]) -> list[str]:
    """Return the lines of a Markdown table, geometric means below."""
    rows = list(rows)
    lines = [
        "| Case | dtype | way | before, µs | after, µs | before / after | after / after |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r.case} | {r.dtype} | {r.way} | {r.before * 1e6:.1f} | {r.after * 1e6:.1f} "
        f"| {r.ratio:.3f} | {r.noise:.3f} |"
        for r in rows
    ]
    for label, chosen in (
        ("large", [r for r in rows if r.case not in SMALL]),
        ("small", [r for r in rows if r.case in SMALL]),
    ):
        if chosen:
            least = min(chosen, key=lambda r: r.ratio)
            summary = (
                f"{label.capitalize()} arrays, {len(chosen)} rows: geometric mean of before / after"
                f" {statistics.geometric_mean(r.ratio for r in chosen):.3f}, least "
                f"{least.ratio:.3f} ({least.case} {least.dtype} {least.way}); after / after "
                f"{statistics.geometric_mean(r.noise for r in chosen):.3f}, from "
                f"{min(r.noise for r in chosen):.3f} to {max(r.noise for r in chosen):.3f}."
            )
            lines += ["", summary]
    return lines


def first_evaluations(tree: Path, repeats: int) -> list[str]:
    """Return the lines of a table: import and first evaluations in fresh processes, medians.

    Parameters
    ----------
    tree : Path
        The checkout of the version before.
    repeats : int
        Processes of each version; each has an expression and a cache folder of its own, and is
        followed by one that finds the kernel on disk.
    """
    here = Path(__file__).parents[1]
    times: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for root in (tree, here):  # writes the modules' byte code
            first_calls("lazyarr", 0, folder, {TREE: str(root)})
    for seed in range(repeats):
        trees = ((0, tree), (1, here))
        for side, root in trees if seed % 2 else reversed(trees):
            with tempfile.TemporaryDirectory() as folder:
                for state in ("compiled", "kernel on disk"):
                    figures = first_calls("lazyarr", seed, folder, {TREE: str(root)})
                    for figure in COLD:
                        times.setdefault((state, figure), ([], []))[side].append(figures[figure])
    lines = [
        "| First evaluation | | before, ms | after, ms | before / after | least / least |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for (state, figure), sides in times.items():
        before, after = map(statistics.median, sides)
        # Of the least times on a machine that is busy with other work, too.
        least = min(sides[0]) / min(sides[1])
        lines.append(
            f"| {state} | {COLD[figure]} | {before * 1e3:.1f} | {after * 1e3:.1f} "
            f"| {before / after:.2f} | {least:.2f} |"
        )
    return lines


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("tree", type=Path, help="a checkout of the version before")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument(
        "--ways", nargs="+", default=[w.name for w in WAYS], choices=[w.name for w in WAYS]
    )
    parser.add_argument("--dtype", nargs="+", default=["float64", "float32"])
    parser.add_argument("--size", type=float, default=1e7, help="elements (default: 1e7)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first", type=int, default=9, help="fresh processes of each version")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, help="a file for the table")
    options = parser.parse_args(arguments)
    if not (options.tree / "lazyarr" / "__init__.py").exists():
        parser.error(f"{options.tree} is not a checkout of lazyarr")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare two trees and print the table."""
    options = _options(arguments)
    os.environ["LAZYARR_THREADS"] = str(options.threads)
    begun = time.perf_counter()
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for way in options.ways:
            # How long large arrays take is the kernels', however they are asked for.
            names = options.cases if way in ("evaluate", "jit") else SMALL
            with _processes(way, options.tree.resolve(), options.threads, folder) as processes:
                for name in names:
                    if name not in options.cases:
                        continue
                    for dtype in CASES[name].dtypes or options.dtype:
                        rows.append(
                            compare(name, dtype, int(options.size), processes, options.rounds)
                        )
                        print(table(rows[-1:])[2], flush=True)
    cold = first_evaluations(options.tree.resolve(), options.first) if options.first else []
    where = machine(options.threads)
    setting = (
        f"{where['processor']}, {where['threads']} threads, Python {where['python']}; "
        f"{options.rounds} rounds, {(time.perf_counter() - begun) / 60:.0f} minutes. "
        "Medians; ratios are medians of those of each round."
    )
    lines = ["# Two versions side by side", "", setting, "", *table(rows), "", *cold]
    print("\n".join(lines[-4 - len(cold) :]))
    if options.out:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
