"""The demonstration behind ``lazyarr demo``: real work, eager NumPy against lazyarr.

The functions that are timed are plain NumPy code. Called on arrays they run at once; called on
:class:`lazyarr.LazyArray` they build an expression.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.core.frozen import dataclass

__all__ = ["black_scholes", "digits", "gaussian_similarity", "run", "standardise"]

Array = np.ndarray[Any, Any]
Results = tuple[Any, ...]


def digits() -> tuple[Array, Array]:
    """Return the bundled images of handwritten digits and their labels.

    Returns
    -------
    pixels : numpy.ndarray
        Shape (1797, 64), float64, 0 to 16.
    labels : numpy.ndarray
        Shape (1797,), uint8, 0 to 9.

    Notes
    -----
    E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine Learning
    Repository, 1998, https://doi.org/10.24432/C50P49 (CC BY 4.0).
    """
    source = resources.files("lazyarr") / "data" / "digits.npz"
    with source.open("rb") as stream, np.load(stream) as stored:
        return stored["pixels"].astype(np.float64), stored["labels"]


def standardise(features: Any) -> Any:
    """Return `features` with mean 0 and standard deviation 1 in each column."""
    return (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-9)


def gaussian_similarity(points: Any) -> Any:
    """Return ``exp(-|p - q|**2 / (2 * d))`` of all pairs of rows of `points`, d columns each."""
    differences = points[:, None, :] - points[None, :, :]
    return np.exp((differences**2).sum(axis=-1) / (-2.0 * points.shape[1]))


def _compare_digits(pixels: Any) -> Results:
    features = standardise(pixels)
    return features, gaussian_similarity(features)


def _normal_cdf(x: Any) -> Any:
    """Abramowitz and Stegun, Handbook of Mathematical Functions (1964), formula 26.2.17."""
    t = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = t * (
        0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))
    )
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * series
    return np.where(x >= 0, 1.0 - tail, tail)


def black_scholes(spot: Any, strike: Any, years: Any) -> Results:
    """Return the prices of European calls and puts at 2 % interest and 30 % volatility.

    Parameters
    ----------
    spot, strike : array_like
        Prices of the share now and in the contract, in one currency.
    years : array_like
        Time to expiry.

    Returns
    -------
    call, put : array_like
        Prices in the same currency, of the shape of the arguments broadcast together.

    Notes
    -----
    F. Black and M. Scholes, *The Pricing of Options and Corporate Liabilities*, Journal of
    Political Economy 81 (1973).
    """
    rate, volatility = 0.02, 0.30
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    call = spot * _normal_cdf(d1) - discounted * _normal_cdf(d2)
    return call, call - spot + discounted


class _Counted(np.ndarray[Any, Any]):
    """An array that counts the operations on it and on their results."""

    operations = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        _Counted.operations += 1
        plain = [np.asarray(x) if isinstance(x, _Counted) else x for x in inputs]
        if options.get("out") is not None:
            options["out"] = tuple(np.asarray(x) for x in options["out"])
        return np.asarray(getattr(ufunc, method)(*plain, **options)).view(_Counted)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        before = _Counted.operations
        result = super().__array_function__(func, types, args, kwargs)
        # What did not arrive as a ufunc made its own pass.
        _Counted.operations += _Counted.operations == before
        return result


def count_operations(function: Callable[..., Results], *arrays: Array) -> int:
    """Return the number of NumPy operations, each a pass over memory, that `function` makes."""
    _Counted.operations = 0
    function(*(array.view(_Counted) for array in arrays))
    return _Counted.operations


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one way of computing.

    Attributes
    ----------
    first, seconds : float
        Wall time of the first call, compilation included, and of the fastest later one.
    passes : int
        Loops over memory.
    temporaries : int
        Arrays that are not results.
    peak_bytes : int
        Largest memory in use at once beyond the inputs, results included.
    """

    first: float
    seconds: float
    passes: int
    temporaries: int
    peak_bytes: int


def _time(call: Callable[[], Results], repeats: int) -> tuple[float, float, Results]:
    times = []
    results: Results = ()
    for _ in range(repeats):
        results = ()  # dropped first, so that a repeat needs no more memory than one call
        begun = time.perf_counter()
        results = call()
        times.append(time.perf_counter() - begun)
    return times[0], min(times), results


def _measure_eager(
    function: Callable[..., Results], arrays: tuple[Array, ...], repeats: int
) -> tuple[Cost, Results]:
    first, seconds, results = _time(lambda: function(*arrays), repeats)
    operations = count_operations(function, *(array[:8] for array in arrays))
    outputs = len(results)
    tracemalloc.start()
    try:
        results = ()
        tracemalloc.reset_peak()
        results = function(*arrays)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Cost(first, seconds, operations, operations - outputs, peak), results


def _measure_lazy(
    function: Callable[..., Results], arrays: tuple[Array, ...], repeats: int
) -> tuple[Cost, Results, Results]:
    leaves = tuple(la.asarray(array) for array in arrays)
    expressions = function(*leaves)

    def call() -> Results:
        return tuple(la.evaluate(*function(*leaves)))

    first, seconds, results = _time(call, repeats + 1)
    report = la.explain(*expressions)
    plan = analyse(tuple(expression._node for expression in expressions)).plan
    temporaries = sum(len(buffer.values) for buffer in plan.buffers if buffer.kind == "arena")
    passes = len(report.kernels) + len(report.fallbacks)
    cost = Cost(first, seconds, passes, temporaries, report.peak_bytes)
    return cost, results, expressions


def _duration(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"


def _ratio(eager: float, lazy: float) -> str:
    return f"{eager / lazy:.1f}×" if lazy else "none left"


def _table(title: str, eager: Cost, lazy: Cost) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("")
    for name in ("eager NumPy", "lazyarr", "less by"):
        table.add_column(name, justify="right")
    table.add_row(
        "time",
        _duration(eager.seconds),
        _duration(lazy.seconds),
        _ratio(eager.seconds, lazy.seconds),
    )
    table.add_row("time of the first call", _duration(eager.first), _duration(lazy.first), "")
    for name, field, text in (
        ("passes over memory", "passes", str),
        ("temporaries", "temporaries", str),
        ("peak memory beyond the inputs", "peak_bytes", _size),
    ):
        values = (getattr(eager, field), getattr(lazy, field))
        table.add_row(name, text(values[0]), text(values[1]), _ratio(*values))
    return table


def _difference(expected: Results, computed: Results) -> float:
    """Return the largest difference, relative to the largest value of each result."""
    return max(
        float(np.max(np.abs(a - b)) / max(float(np.max(np.abs(a))), 1e-300))
        for a, b in zip(expected, computed, strict=True)
    )


def _fitting_rows(rows: int, columns: int) -> int:
    """Return the number of rows that eager NumPy can compare in half of the free memory."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(rows, max(64, int((free / 2 / (columns * 16)) ** 0.5)))


def _case(
    console: Console,
    title: str,
    function: Callable[..., Results],
    arrays: tuple[Array, ...],
    repeats: int,
    page: Path,
) -> tuple[bool, Results]:
    """Measure one piece of work, print its table, write its page; return whether it is right."""
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task(f"{title}: eager NumPy")
        eager, expected = _measure_eager(function, arrays, repeats)
        progress.update(task, description=f"{title}: lazyarr")
        lazy, computed, expressions = _measure_lazy(function, arrays, repeats)
        progress.update(task, description=f"{title}: drawing the graph")
        la.visualize(*expressions, filename=str(page))
    console.print(_table(title, eager, lazy))
    difference = _difference(expected, computed)
    right = difference <= 1e-12
    verdict = "equal" if right else "NOT EQUAL"
    console.print(f"Results {verdict}: largest relative difference {difference:.1e}.")
    return right, computed


def run(
    size: int = 10_000_000,
    *,
    quick: bool = False,
    output: str | Path = "lazyarr-demo",
    console: Console | None = None,
) -> bool:
    """Run the demonstration and print its measurements.

    Parameters
    ----------
    size : int
        Options to price.
    quick : bool
        Use a small part of the data, once: seconds instead of a minute.
    output : str or Path
        Folder that gets the pages of the expression graphs; made if it does not exist.
    console : rich.console.Console, optional
        Where to print.

    Returns
    -------
    bool
        Whether lazyarr's results equal NumPy's.
    """
    console = console or Console()
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    repeats = 1 if quick else 3
    if quick:
        size = min(size, 200_000)

    pixels, labels = digits()
    rows = 300 if quick else _fitting_rows(*pixels.shape)
    pixels, labels = pixels[:rows], labels[:rows]
    right, (_, similarity) = _case(
        console,
        f"Similarity of all pairs of {rows:,} handwritten digits, 64 standardised pixels each",
        _compare_digits,
        (pixels,),
        repeats,
        folder / "digits.html",
    )
    others = similarity - 2 * np.eye(rows)
    share = np.mean(labels[others.argmax(axis=1)] == labels)
    console.print(f"The most similar other image shows the same digit for {share:.1%} of them.\n")

    random = np.random.default_rng(0)
    options = (
        random.uniform(50.0, 150.0, size),
        random.uniform(50.0, 150.0, size),
        random.uniform(0.1, 3.0, size),
    )
    priced, (call, put) = _case(
        console,
        f"Black-Scholes prices of {size:,} calls and puts",
        black_scholes,
        options,
        repeats,
        folder / "black_scholes.html",
    )
    console.print(f"Mean price of a call {call.mean():.4f}, of a put {put.mean():.4f}.\n")
    console.print(
        f"The expression graphs: {folder / 'digits.html'}, {folder / 'black_scholes.html'}"
    )
    return right and priced
