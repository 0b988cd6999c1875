"""Time whole computations on a GPU against this machine's processors, over sizes.

    python -m benchmarks.experiments [--only matmul fft ...] [--quick] [--out FOLDER]

For every size: milliseconds on the GPU with the data there (by events), milliseconds to bring the
inputs in and the result out, lazyarr on the CPU, NumPy, PyTorch on the same GPU where it has the
same computation, and the error of the GPU's result in the L2 norm, relative to NumPy in double
precision. The crossover is the smallest size from which on the GPU wins. Writes a table and a plot.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la
from benchmarks.gpu_timing import lazyarr_timer, settle, torch_timer

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

COLUMNS = (
    "n",
    "dtype",
    "GPU ms",
    "copies ms",
    "lazyarr CPU ms",
    "NumPy ms",
    "PyTorch GPU ms",
    "L2 error",
    "steps",
)
#: A computation that takes the processors longer than this, in seconds, is done once.
SLOW = 0.25
#: Seconds that a size may be timed for on a GPU.
LONGEST = 0.5
#: Results of NumPy's of up to so many bytes serve both dtypes.
KEPT = 1 << 20


@dataclass
class Row:
    """One size of one experiment. Times in milliseconds."""

    experiment: str
    dtype: str
    size: int
    label: str
    gpu: float | None = None
    copy: float | None = None
    cpu: float | None = None
    numpy: float | None = None
    torch: float | None = None
    error: float | None = None
    note: str = ""


@dataclass
class Experiment:
    """A computation in NumPy's names over arrays of one size.

    `lazy` builds the expression from LazyArrays, `eager` computes it with NumPy, `torch` with
    PyTorch on the GPU. `eager` may do `share` of the work, and is then scaled.
    """

    name: str
    formula: str
    sizes: Sequence[int]
    arrays: Callable[[int, str], list[np.ndarray]]
    lazy: Callable[..., Any]
    eager: Callable[..., Any]
    torch: Callable[..., Any] | None = None
    dtypes: Sequence[str] = ("float32", "float64")
    label: Callable[[int], str] = str
    share: float = 1.0
    check: Callable[[Any, list[np.ndarray]], float] | None = None
    rows: list[Row] = field(default_factory=list)
    expected: dict[int, Any] = field(default_factory=dict)

    def error(self, result: Any, arrays: list[np.ndarray], size: int) -> float:
        """Return the relative error of a result of `arrays`, which are equal in all dtypes."""
        if self.check is not None:
            return self.check(result, arrays)
        expected = self.expected.get(size)
        if expected is None:
            expected = self.eager(*(a.astype(np.float64) for a in arrays))
            self.keep(size, expected)
        return relative_error(result, expected)

    def keep(self, size: int, expected: Any) -> None:
        """Keep NumPy's result in double precision, if that is not large."""
        if np.asarray(expected).nbytes <= KEPT:
            self.expected[size] = expected


def random_arrays(*shapes: Callable[[int], tuple[int, ...]]) -> Callable[..., list[np.ndarray]]:
    """Return a function that makes arrays of these shapes, standard normal, for a size."""

    def make(n: int, dtype: str) -> list[np.ndarray]:
        rng = np.random.default_rng(n)
        return [
            rng.standard_normal(shape(n), np.float32).astype(dtype, copy=False) for shape in shapes
        ]

    return make


def symmetric(n: int, dtype: str) -> list[np.ndarray]:
    a = np.random.default_rng(n).standard_normal((n, n), np.float32)
    return [(a + a.T).astype(dtype)]


def relative_error(result: Any, expected: Any) -> float:
    """Return the L2 norm of the difference, relative to that of what is expected."""
    result, expected = np.asarray(result), np.asarray(expected)
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    norm = float(np.linalg.norm(expected.astype(wide, copy=False).ravel()))
    return float(np.linalg.norm((result - expected).ravel().astype(wide))) / (norm or 1.0)


def product(a: Any, b: Any) -> Any:
    return a @ b


def gauss(a: Any, b: Any) -> Any:
    return np.exp(-((a - b) ** 2).sum(axis=1))


def logistic(x: Any) -> Any:
    return la.fori_loop(1000, lambda i, x: x * x - 0.25, x)


def logistic_eager(x: np.ndarray, iterations: int = 1000) -> np.ndarray:
    for _ in range(iterations):
        x = x * x - 0.25
    return x


def vectors_by_matrix(v: Any, m: Any) -> Any:
    return v @ m


def layer(w: Any, v: Any, column: Any) -> Any:
    z = w @ v + column
    mask = la.random.default_rng(0).random(z.shape, dtype=z.dtype) > 0.5
    return la.special.expit(z) * mask


def layer_eager(w: np.ndarray, v: np.ndarray, column: np.ndarray) -> np.ndarray:
    z = w @ v + column
    mask = np.random.default_rng(0).random(z.shape, dtype=z.dtype.type) > 0.5
    return 1 / (1 + np.exp(-z)) * mask


def layer_torch(torch: Any) -> Callable[..., Any]:
    def compute(w: Any, v: Any, column: Any) -> Any:
        z = w @ v + column
        return torch.sigmoid(z) * (torch.rand_like(z) > 0.5)

    return torch.compile(compute)


def layer_error(result: Any, arrays: list[np.ndarray]) -> float:
    """Compare where the mask let something through; say that it did so for half of all."""
    w, v, column = (a.astype(np.float64) for a in arrays)
    expected = 1 / (1 + np.exp(-(w @ v + column)))
    kept = result != 0
    assert 0.4 < kept.mean() < 0.6, "the mask keeps half"
    return relative_error(result, expected * kept)


def layer_shapes(rows: int, inner: int) -> Callable[..., list[np.ndarray]]:
    make = random_arrays(lambda n: (rows, inner), lambda n: (inner, n), lambda n: (rows, 1))

    def scaled(n: int, dtype: str) -> list[np.ndarray]:
        w, v, column = make(n, dtype)
        return [w / np.asarray(inner**0.5, dtype), v, column]

    return scaled


def on_gpu(torch: Any, function: Callable[[Any], Any]) -> Any:
    """Return PyTorch's result of `function`, or None without PyTorch."""
    return None if torch is None else function(torch)


def experiments(torch: Any) -> list[Experiment]:
    """Return all experiments."""
    return [*kernel_experiments(torch), *library_experiments(torch)]


def kernel_experiments(torch: Any) -> list[Experiment]:
    """Return the experiments of products and of generated kernels."""
    square = random_arrays(lambda n: (n, n), lambda n: (n, n))
    paired = random_arrays(lambda n: (n, 20), lambda n: (n, 20))
    return [
        Experiment(
            "matmul",
            "A(n×n) @ B(n×n)",
            [2**k for k in range(4, 14)],
            square,
            product,
            product,
            product,
        ),
        Experiment(
            "logistic map",
            "x = x*x - 0.25, 1,000 times, n elements",
            [10**k for k in range(3, 9)],
            lambda n, dtype: [np.random.default_rng(n).random(n, np.float32).astype(dtype) - 0.5],
            logistic,
            lambda x: logistic_eager(x, 20),
            share=0.02,
            check=lambda result, arrays: relative_error(
                result[:1000], logistic_eager(arrays[0][:1000])
            ),
        ),
        Experiment(
            "gauss", "exp(-sum((A - B)**2, axis=1)), n×20", [1000, 10**6], paired, gauss, gauss
        ),
        Experiment(
            "long product",
            "A(2000×40000) @ B(40000×2000)",
            [40_000],
            random_arrays(lambda n: (2000, n), lambda n: (n, 2000)),
            product,
            product,
            product,
        ),
        Experiment(
            "vectors",
            "n vectors of 1,000 against one matrix 1000×1000",
            [50_000],
            random_arrays(lambda n: (n, 1000), lambda n: (1000, 1000)),
            vectors_by_matrix,
            vectors_by_matrix,
            product,
        ),
        Experiment(
            "sigmoid layer",
            "sigmoid(W(512×784) @ V(784×n) + column) * random mask",
            [256, 65_536],
            layer_shapes(512, 784),
            layer,
            layer_eager,
            on_gpu(torch, layer_torch),
            check=layer_error,
        ),
        Experiment(
            "wide sigmoid layer",
            "sigmoid(W(4096×2048) @ V(2048×n) + column) * random mask",
            [256],
            layer_shapes(4096, 2048),
            layer,
            layer_eager,
            on_gpu(torch, layer_torch),
            check=layer_error,
        ),
    ]


def library_experiments(torch: Any) -> list[Experiment]:
    """Return the experiments of transforms and decompositions."""
    return [
        Experiment(
            "fft",
            "fft(x), n complex results",
            [2**k for k in range(10, 25, 2)],
            random_arrays(lambda n: (n,)),
            lambda x: la.fft.fft(x),
            np.fft.fft,
            on_gpu(torch, lambda torch: torch.fft.fft),
        ),
        Experiment(
            "svd",
            "singular values of A(n×n)",
            [2**k for k in range(6, 12)],
            square_one,
            lambda a: la.linalg.svd(a, compute_uv=False),
            lambda a: np.linalg.svd(a, compute_uv=False),
            on_gpu(torch, lambda torch: torch.linalg.svdvals),
        ),
        Experiment(
            "eigh",
            "eigenvalues of A(n×n), symmetric",
            [2**k for k in range(6, 13)],
            symmetric,
            lambda a: la.linalg.eigvalsh(a),
            np.linalg.eigvalsh,
            on_gpu(torch, lambda torch: torch.linalg.eigvalsh),
        ),
    ]


def square_one(n: int, dtype: str) -> list[np.ndarray]:
    return [np.random.default_rng(n).standard_normal((n, n), np.float32).astype(dtype)]


def timed(call: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Return the milliseconds of the fastest of a few calls, one where it is slow; its result."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begun)
        if times[-1] > SLOW:
            break
    return min(times) * 1e3, result


def measure_gpu(
    row: Row, experiment: Experiment, arrays: list[np.ndarray], torch: Any
) -> np.ndarray:
    """Time one size on the GPU, and its copies; return the result."""
    from lazyarr.runtime.cuda import driver

    waiting = driver.device().synchronize
    with la.config(device="cuda"):
        for _ in range(2):  # the first upload fills the pool
            begun = time.perf_counter()
            leaves = [la.persist(la.asarray(a)) for a in arrays]
            waiting()
            row.copy = (time.perf_counter() - begun) * 1e3
        expression = experiment.lazy(*leaves)
        result = la.persist(expression)
        waiting()
        begun = time.perf_counter()
        actual = la.evaluate(result)
        row.copy += (time.perf_counter() - begun) * 1e3
        settle(lambda: la.persist(expression))
        row.gpu = lazyarr_timer().within(lambda: la.persist(expression), LONGEST)
        steps = la.explain(expression)
        row.note = f"{len(steps.kernels)} kernels, {len(steps.fallbacks)} on the host"
    if experiment.torch is not None:
        arguments = [torch.as_tensor(a, device="cuda") for a in arrays]
        compute = experiment.torch
        compute(*arguments)
        row.torch = torch_timer(torch).within(lambda: compute(*arguments), LONGEST)
    return np.asarray(actual)


def measure(experiment: Experiment, dtype: str, size: int, torch: Any) -> Row:
    """Check and time one size; without PyTorch and its GPU on the processors only."""
    row = Row(experiment.name, dtype, size, experiment.label(size))
    arrays = experiment.arrays(size, dtype)
    with la.config(device="cpu"):
        host = experiment.lazy(*(la.asarray(a) for a in arrays))
        row.cpu, result = timed(lambda: la.evaluate(host))
    row.numpy, expected = timed(lambda: experiment.eager(*arrays))
    row.numpy /= experiment.share
    if dtype == "float64" and experiment.share == 1 and experiment.check is None:
        experiment.keep(size, expected)
    del expected
    if torch is not None:
        result = measure_gpu(row, experiment, arrays, torch)
    row.error = experiment.error(result, arrays, size)
    return row


def crossover(rows: Sequence[Row], copies: bool) -> Row | None:
    """Return the first row from which on the GPU is faster than NumPy and than lazyarr's CPU."""
    first = None
    for row in sorted(rows, key=lambda row: row.size, reverse=True):
        if row.gpu is None:
            continue
        cost = row.gpu + (row.copy or 0.0) * copies
        if cost >= min(t for t in (row.numpy, row.cpu) if t is not None):
            break
        first = row
    return first


def _cell(value: float | None, form: str = ".3f") -> str:
    return "–" if value is None else format(value, form)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def markdown(heading: str, done: Sequence[Experiment]) -> str:
    """Return all rows as Markdown."""
    lines = [heading, ""]
    for experiment in done:
        lines += [f"## {experiment.name}: {experiment.formula}", ""]
        lines += [_line(COLUMNS), "|" + " ---: |" * 8 + " --- |"]
        for row in experiment.rows:
            times = (row.gpu, row.copy, row.cpu, row.numpy, row.torch)
            cells = [row.label, row.dtype, *map(_cell, times), _cell(row.error, ".1e"), row.note]
            lines.append(_line(cells))
        lines.append("")
        for dtype in dict.fromkeys(row.dtype for row in experiment.rows):
            rows = [row for row in experiment.rows if row.dtype == dtype]
            if len(rows) < 3 or rows[0].gpu is None:
                continue
            said = []
            for copies, what in ((False, "with the data on the GPU"), (True, "copies included")):
                first = crossover(rows, copies)
                said.append(f"{what}, {'never' if first is None else f'from n = {first.label}'}")
            lines.append(f"The GPU wins in {dtype}: {'; '.join(said)}.")
        lines.append("")
    return "\n".join(lines)


def plot(path: Path, done: Sequence[Experiment]) -> None:
    """Draw time over size of the experiments that have several sizes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    drawn = [e for e in done if len({row.size for row in e.rows}) > 2]
    if not drawn:
        return
    figure, axes = plt.subplots(
        1, len(drawn), figsize=(4.6 * len(drawn), 4.2), squeeze=False, layout="constrained"
    )
    lines: list[tuple[str, str, Callable[[Row], float | None]]] = [
        ("NumPy", "#888888", lambda row: row.numpy),
        ("lazyarr, CPU", "#e08a00", lambda row: row.cpu),
        ("lazyarr, GPU", "#0b6e99", lambda row: row.gpu),
        ("lazyarr, GPU and copies", "#7cc3e0", lambda row: (row.gpu or 0) + (row.copy or 0)),
        ("PyTorch, GPU", "#b03060", lambda row: row.torch),
    ]
    for axis, experiment in zip(axes[0], drawn, strict=True):
        dtype = experiment.rows[-1].dtype
        rows = [row for row in experiment.rows if row.dtype == dtype]
        for name, colour, of in lines:
            points = [(row.size, value) for row in rows if (value := of(row)) is not None]
            if points:
                axis.plot(*zip(*points, strict=True), "o-", ms=3, lw=1.3, label=name, color=colour)
        axis.set(xscale="log", yscale="log", xlabel="n", title=f"{experiment.name}, {dtype}")
        axis.grid(True, which="major", alpha=0.3)
    axes[0][0].set_ylabel("milliseconds")
    axes[0][0].legend(fontsize=8)
    figure.savefig(path, dpi=110)


def gpu() -> Any:
    """Return PyTorch if it sees a GPU, else None."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="names of experiments")
    parser.add_argument("--dtypes", nargs="*", default=["float32", "float64"])
    parser.add_argument("--quick", action="store_true", help="only the first sizes")
    parser.add_argument("--out", type=Path, default=Path("benchmark-results"))
    arguments = parser.parse_args()

    torch = gpu()
    where = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}" if torch else "no GPU"
    heading = (
        f"{where}; {os.cpu_count()} processors, NumPy {np.__version__}, "
        f"Python {platform.python_version()}"
    )
    done = []
    arguments.out.mkdir(parents=True, exist_ok=True)
    for experiment in experiments(torch):
        if arguments.only and experiment.name not in arguments.only:
            continue
        done.append(experiment)
        sizes = experiment.sizes[:3] if arguments.quick else experiment.sizes
        for dtype in arguments.dtypes:
            for size in sizes:
                row = measure(experiment, dtype, size, torch)
                experiment.rows.append(row)
                print(json.dumps(asdict(row)), flush=True)
                if torch:
                    torch.cuda.empty_cache()
        # Written after each: a run that is cut short leaves what it has.
        (arguments.out / "experiments.md").write_text(markdown(heading, done))
        rows = [asdict(row) for e in done for row in e.rows]
        (arguments.out / "experiments.json").write_text(
            json.dumps({"machine": heading, "rows": rows}, indent=1)
        )
    plot(arguments.out / "experiments.png", done)
    print(markdown(heading, done))


if __name__ == "__main__":
    main()
