"""Time ``device="auto"`` beside the processor alone and the GPU alone, over sizes.

    python -m benchmarks.auto_device --out FOLDER [--only matmul ...] [--quick]

Calibrates the machine first (``--keep``: takes the calibration that is there). Arrays begin and end
in the host's memory, so the GPU's times include both copies. All three are timed in turn in one
process, the least of several runs each; results are compared. The crossover is the smallest size
from which on the GPU is faster: as measured, and as the calibration says. Writes a table, the same
as JSON, and a plot.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.experiments import relative_error

DEVICES = ("cpu", "cuda", "auto")
#: Seconds that one device is timed for at one size, in each of a few rounds.
SECONDS = 0.05
ROUNDS = 3
#: A run that takes longer than this, in seconds, is timed once in each of two rounds.
SLOW = 0.5
#: The bound on auto's time over that of the better device.
BOUND = 1.1
COLUMNS = ("n", "dtype", "CPU ms", "GPU ms", "auto ms", "auto / better", "ran on")
PREDICTED = ("predicted CPU ms", "predicted GPU ms", "difference")


@dataclass
class Row:
    """One size of one experiment. Times in milliseconds."""

    experiment: str
    dtype: str
    size: int
    cpu: float = 0.0
    cuda: float = 0.0
    auto: float = 0.0
    ran_on: str = ""
    predicted_cpu: float | None = None
    predicted_gpu: float | None = None
    predicted: float | None = None
    difference: float = 0.0

    @property
    def is_right(self) -> bool:
        return self.difference < (1e-3 if self.dtype == "float32" else 1e-10)

    @property
    def ratio(self) -> float:
        return self.auto / min(self.cpu, self.cuda)


@dataclass
class Experiment:
    """A computation over arrays of one size; `mixed` is to beat both devices."""

    name: str
    formula: str
    sizes: Sequence[int]
    arrays: Callable[[int, np.random.Generator], list[np.ndarray]]
    compute: Callable[..., Any]
    dtypes: Sequence[str] = ("float32", "float64")
    mixed: bool = False
    rows: list[Row] = field(default_factory=list)


def logistic(x: Any) -> Any:
    return la.fori_loop(1000, lambda _, x: x * x - 0.25, x)


def gauss(a: Any, b: Any) -> Any:
    return la.exp(-((a - b) ** 2).sum(axis=1))


def kernel_matrix(a: Any, b: Any) -> Any:
    return la.exp(-((a[:, None] - b) ** 2).sum(axis=2))


def solves(count: int) -> Callable[[Any, Any, Any], Any]:
    """Return a map of a long array by the solution of a small system, refined a few times."""

    def compute(a: Any, b: Any, x: Any) -> Any:
        for _ in range(count):
            b = la.linalg.solve(a, b)
        return logistic(x * b.mean())

    return compute


def small_system(n: int, rng: np.random.Generator) -> list[np.ndarray]:
    side = 48
    a = rng.random((side, side), np.float32) + side * np.eye(side, dtype=np.float32)
    return [a, rng.random(side, np.float32), rng.random(n, np.float32) - 0.5]


def experiments() -> list[Experiment]:
    def normal(*shapes: Callable[[int], tuple[int, ...]]) -> Callable[..., list[np.ndarray]]:
        return lambda n, rng: [rng.standard_normal(shape(n), np.float32) for shape in shapes]

    return [
        Experiment(
            "solve and map",
            "logistic map of x * mean(solve(A(48×48), b)), n elements",
            [10**5, 10**6, 10**7],
            small_system,
            solves(1),
            ("float64",),
            mixed=True,
        ),
        Experiment(
            "solves and map",
            "the same behind eight solves, each of the one before",
            [10**5, 10**6, 10**7],
            small_system,
            solves(8),
            ("float64",),
            mixed=True,
        ),
        Experiment(
            "matmul",
            "A(n×n) @ B(n×n)",
            [2**k for k in range(4, 14)],
            normal(lambda n: (n, n), lambda n: (n, n)),
            lambda a, b: a @ b,
        ),
        Experiment(
            "light map",
            "2*x + 1, n elements",
            [10**k for k in range(3, 9)],
            normal(lambda n: (n,)),
            lambda x: 2 * x + 1,
        ),
        Experiment(
            "heavy map",
            "exp(sin(x)) * log1p(x*x), n elements",
            [10**k for k in range(3, 9)],
            normal(lambda n: (n,)),
            lambda x: la.exp(la.sin(x)) * la.log1p(x * x),
        ),
        Experiment(
            "logistic map",
            "x = x*x - 0.25, 1,000 times, n elements",
            [10**k for k in range(3, 9)],
            lambda n, rng: [rng.random(n, np.float32) - 0.5],
            logistic,
        ),
        Experiment(
            "gauss",
            "exp(-sum((A - B)**2, axis=1)), n×20",
            [10**k for k in range(3, 8)],
            normal(lambda n: (n, 20), lambda n: (n, 20)),
            gauss,
        ),
        Experiment(
            "kernel matrix",
            "exp(-|a - b|**2) of n×20 and n×20",
            [2**k for k in range(5, 14)],
            normal(lambda n: (n, 20), lambda n: (n, 20)),
            kernel_matrix,
        ),
    ]


def least(call: Callable[[], object]) -> float:
    """Return the milliseconds of the fastest of some calls."""
    best, spent = float("inf"), 0.0
    while spent < SECONDS:
        begun = time.perf_counter()
        call()
        seconds = time.perf_counter() - begun
        best, spent = min(best, seconds), spent + seconds
    return best * 1e3


def measure(experiment: Experiment, dtype: str, size: int) -> Row:
    """Check and time one size on the processor, on the GPU, and where lazyarr chooses."""
    row = Row(experiment.name, dtype, size)
    rng = np.random.default_rng(size)
    arrays = [a.astype(dtype, copy=False) for a in experiment.arrays(size, rng)]
    # An expression for each, as a plan is kept with it: of the same memory it would be one.
    expressions = {d: experiment.compute(*[la.asarray(a.copy()) for a in arrays]) for d in DEVICES}
    results = {}
    slowest = 0.0
    for device, expression in expressions.items():
        for _ in range(3):
            begun = time.perf_counter()
            results[device] = on(device, expression)
            seconds = time.perf_counter() - begun
            if seconds > SLOW:
                break
        slowest = max(slowest, seconds)
    time.sleep(0.2)  # what is compiled with all optimisations, beside the second run
    times: dict[str, float] = dict.fromkeys(DEVICES, float("inf"))
    for _ in range(2 if slowest > SLOW else ROUNDS):
        for device, expression in expressions.items():
            with la.config(device=device):  # once, as a program has it
                milliseconds = least(partial(la.evaluate, expression))
            times[device] = min(times[device], milliseconds)
    row.cpu, row.cuda, row.auto = (times[device] for device in DEVICES)
    row.difference = max(
        relative_error(results[device], results["cpu"]) for device in ("cuda", "auto")
    )
    with la.config(device="auto"):
        placement = la.explain(expressions["auto"]).placement
    row.ran_on = "cpu" if placement is None else placement.device
    if placement is not None:
        row.predicted_cpu = placement.processor * 1e3
        row.predicted_gpu = placement.gpu * 1e3
        row.predicted = placement.seconds * 1e3
    return row


def on(device: str, expression: Any) -> Any:
    with la.config(device=device):
        return la.evaluate(expression)


def crossover(rows: Sequence[Row], gpu_wins: Callable[[Row], bool]) -> int | None:
    """Return the smallest size from which on the GPU wins."""
    first = None
    for row in sorted(rows, key=lambda row: -row.size):
        if not gpu_wins(row):
            break
        first = row.size
    return first


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(value: float | None, form: str = ".3f") -> str:
    return "–" if value is None else format(value, form)


def said(size: int | None) -> str:
    return "never" if size is None else f"from n = {size:,}"


def summary(done: Sequence[Experiment]) -> list[str]:
    """Return sentences on all rows."""
    single = [row for e in done if not e.mixed for row in e.rows]
    mixed = [row for e in done if e.mixed for row in e.rows]
    lines = []
    if single:
        near = sum(row.ratio <= BOUND for row in single)
        worst = max(single, key=lambda row: row.ratio)
        lines.append(
            f"Within 10 % of the better device: {near} of {len(single)} rows. Farthest: "
            f"{worst.experiment}, {worst.dtype}, n = {worst.size:,}: {worst.ratio:.2f} times "
            "the time of the better one."
        )
    for row in mixed:
        gain = min(row.cpu, row.cuda) / row.auto
        lines.append(
            f"{row.experiment}, n = {row.size:,}: ran on {row.ran_on}, {gain:.2f} times as fast as "
            "the better single device."
        )
    return lines


def markdown(heading: str, done: Sequence[Experiment]) -> str:
    """Return all rows as Markdown."""
    lines = [heading, "", *[f"- {sentence}" for sentence in summary(done)], ""]
    for experiment in done:
        lines += [f"## {experiment.name}: {experiment.formula}", ""]
        lines += [line((*COLUMNS, *PREDICTED)), "|" + " ---: |" * 6 + " --- |" + " ---: |" * 3]
        for row in experiment.rows:
            times = map(cell, (row.cpu, row.cuda, row.auto))
            predicted = (cell(row.predicted_cpu), cell(row.predicted_gpu))
            cells = [f"{row.size:,}", row.dtype, *times, f"{row.ratio:.2f}", row.ran_on, *predicted]
            lines.append(line([*cells, f"{row.difference:.0e}"]))
        lines.append("")
        for dtype in experiment.dtypes:
            rows = [row for row in experiment.rows if row.dtype == dtype]
            if experiment.mixed or not rows:
                continue
            measured = crossover(rows, lambda row: row.cuda < row.cpu)
            stated = crossover(rows, lambda row: row.ran_on != "cpu")
            lines.append(
                f"The GPU is faster in {dtype}: measured {said(measured)}; stated {said(stated)}."
            )
        lines.append("")
    return "\n".join(lines)


def plot(path: Path, done: Sequence[Experiment]) -> None:
    """Draw time over size."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(done), figsize=(4.2 * len(done), 4.2), squeeze=False, layout="constrained"
    )
    lines: list[tuple[str, str, str, Callable[[Row], float]]] = [
        ("CPU", "#e08a00", "o-", lambda row: row.cpu),
        ("GPU and copies", "#0b6e99", "o-", lambda row: row.cuda),
        ('device="auto"', "#222222", "x--", lambda row: row.auto),
    ]
    for axis, experiment in zip(axes[0], done, strict=True):
        dtype = experiment.dtypes[-1]
        rows = [row for row in experiment.rows if row.dtype == dtype]
        for name, colour, form, of in lines:
            points = [(row.size, of(row)) for row in rows]
            if points:
                axis.plot(*zip(*points, strict=True), form, ms=4, lw=1.3, label=name, color=colour)
        axis.set(xscale="log", yscale="log", xlabel="n", title=f"{experiment.name}, {dtype}")
        axis.grid(True, which="major", alpha=0.3)
    axes[0][0].set_ylabel("milliseconds")
    axes[0][0].legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def calibrated(keep: bool) -> tuple[Any, float]:
    """Return the calibration of this machine, and the seconds that it took."""
    from lazyarr.calibration import calibrate
    from lazyarr.placement.calibration import load
    from lazyarr.runtime.cpu_count import default_threads

    settings = la.get_config()
    known = load(settings.cache_dir, settings.threads or default_threads()) if keep else None
    begun = time.perf_counter()
    return known or calibrate(), time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="names of experiments")
    parser.add_argument("--quick", action="store_true", help="only the first three sizes")
    parser.add_argument("--keep", action="store_true", help="take the calibration that is there")
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    parser.add_argument("--seconds", type=float, default=480.0, help="after which no size begins")
    arguments = parser.parse_args()

    begun = time.perf_counter()
    arguments.out.mkdir(parents=True, exist_ok=True)
    la.set_config(immediate=0, tune=False)
    calibration, seconds = calibrated(arguments.keep)
    (arguments.out / "calibration.json").write_bytes(calibration.to_bytes())
    heading = (
        f"{calibration.gpu_name}; {os.cpu_count()} processors, NumPy {np.__version__}, Python "
        f"{platform.python_version()}; calibrated in {seconds:.0f} s"
    )
    print(heading, flush=True)
    done: list[Experiment] = []
    for experiment in experiments():
        if arguments.only and experiment.name not in arguments.only:
            continue
        done.append(experiment)
        sizes = experiment.sizes[:3] if arguments.quick else experiment.sizes
        for size in sizes:
            for dtype in experiment.dtypes:
                if time.perf_counter() - begun > arguments.seconds:
                    print(f"left out: {experiment.name}, {dtype}, n = {size:,}", flush=True)
                    continue
                row = measure(experiment, dtype, size)
                experiment.rows.append(row)
                print(json.dumps(asdict(row) | {"ratio": round(row.ratio, 3)}), flush=True)
        # Written after each: a run that is cut short leaves what it has.
        (arguments.out / "auto_device.md").write_text(markdown(heading, done))
        rows = [asdict(row) | {"ratio": row.ratio} for e in done for row in e.rows]
        content = {"machine": heading, "rows": rows}
        (arguments.out / "auto_device.json").write_text(json.dumps(content, indent=1))
    plot(arguments.out / "auto_device.png", done)
    print(markdown(heading, done))
    wrong = [row for experiment in done for row in experiment.rows if not row.is_right]
    if wrong:
        raise SystemExit(f"results differ between the devices: {wrong}")


if __name__ == "__main__":
    main()
