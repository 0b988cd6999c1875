"""Measuring a machine, so that ``device="auto"`` can choose between its processor and its GPU.

Everything is measured through lazyarr itself, on expressions of a few kinds over sizes: next to
nothing, copies, chains of additions and of functions, library calls, arrays across the bus. So the
times contain what an evaluation costs besides the work.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr.compiler.device_choice import forget_placements
from lazyarr.core.config import CPU, CUDA, config, get_config, is_gpu
from lazyarr.core.frozen import dataclass
from lazyarr.errors import DeviceError
from lazyarr.placement.calibration import Calibration, DeviceRates, store
from lazyarr.placement.curves import Curve
from lazyarr.placement.work import arithmetic_class, library_size
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.runtime.gpu_sight import see

__all__ = ["Sizes", "calibrate"]

#: A size, and a function that returns the seconds of an evaluation of that size.
_Point = tuple[float, Callable[[], float]]

#: Names of threads that compile better kernels, or look for faster products, beside the first runs.
_BACKGROUND = ("lazyarr-tier-up", "lazyarr-fusion")

#: How many times as fast the way into the GPU's memory is at most as that out of it: what is
#: measured of it is a difference, which may vanish.
_FASTER = 10


#: The part of an evaluation of next to nothing by which two measurements of it differ.
_NOISE = 0.01
#: The library calls that are measured: of a positive definite matrix, or of a vector.
_CALLS: dict[str, tuple[Callable[[la.LazyArray], la.LazyArray], str]] = {
    "matmul": (lambda m: m @ m, "matrix"),
    "solve": (lambda m: la.linalg.solve(m, m[0]), "matrix"),
    "inv": (la.linalg.inv, "matrix"),
    "det": (la.linalg.det, "matrix"),
    "cholesky": (la.linalg.cholesky, "matrix"),
    "svd": (lambda m: la.linalg.svd(m, compute_uv=False), "matrix"),
    "eigvalsh": (la.linalg.eigvalsh, "matrix"),
    "fft": (la.fft.fft, "vector"),
    "ifft": (la.fft.ifft, "vector"),
    "rfft": (la.fft.rfft, "vector"),
    "sort": (la.sort, "vector"),
    "argsort": (la.argsort, "vector"),
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Problem sizes of a calibration.

    Attributes
    ----------
    least : int
        Elements of the smallest arrays.
    copied : int
        Elements of the largest arrays that are copied.
    computed : int
        Elements of the largest arrays that are computed with.
    iterations : int
        Of a chain of additions.
    matrices : tuple of int
        Sides of matrices.
    vectors : tuple of int
        Lengths of what is transformed and sorted.
    seconds : float
        That one time is measured for, unless the least number of runs takes longer.
    longest : float
        Seconds of a run beyond which no larger size is tried.
    runs : int
        Of which the fastest counts, at least.
    rounds : int
        In which rates are measured, all sizes in each; of every size the fastest counts. What
        disturbs a machine, or keeps its bus asleep, lasts longer than the runs of one size.
    functions : tuple of str
        Library calls that are measured.
    """

    least: int = 256
    copied: int = 1 << 27
    computed: int = 1 << 22
    iterations: int = 1000
    matrices: tuple[int, ...] = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
    vectors: tuple[int, ...] = tuple(1 << k for k in range(8, 25, 2))
    seconds: float = 0.02
    longest: float = 0.1
    runs: int = 3
    rounds: int = 3
    functions: tuple[str, ...] = tuple(_CALLS)


def calibrate(sizes: Sizes | None = None) -> Calibration:
    """Measure this machine, and store the measurements for this and later processes.

    It takes one to two minutes, in which nothing else should run.

    Parameters
    ----------
    sizes : Sizes, optional
        How much to measure.

    Returns
    -------
    Calibration
        Of the processor with the threads of the settings, and of the first GPU.

    Raises
    ------
    DeviceError
        If there is no GPU, or what it needs is not installed: the CPU computes everything then.
    """
    from lazyarr.runtime.cuda import driver

    try:
        device = driver.device()
    except DeviceError as error:
        raise DeviceError(
            f'there is nothing to choose between: device="auto" is the CPU here ({error.message})',
            hint=error.hint,
        ) from error
    see(device.identity)
    settings = get_config()
    threads = settings.threads or default_threads()
    sizes = sizes or Sizes()
    # Determinants of large matrices overflow, which is nobody's concern here.
    quiet = np.errstate(all="ignore")
    with config(immediate=0, tune=False, tiers=False, debug=0, threads=threads), quiet:
        processor = _rates(_Device(CPU, la.evaluate, lambda: None), sizes)
        accelerator = _Device(CUDA, la.persist, device.synchronize)
        gpu = _rates(accelerator, sizes)
        upload, download = _bus(sizes, gpu)
    measured = Calibration(processor, gpu, upload, download, device.total_bytes, device.name)
    store(settings.cache_dir, threads, measured)
    forget_placements()
    return measured


@dataclass(frozen=True, slots=True)
class _Device:
    """A device, and the function that leaves results on it.

    Attributes
    ----------
    name : str
        As the settings have it.
    compute : callable
        Computes expressions.
    wait : callable
        Returns once all work is done.
    """

    name: str
    compute: Callable[..., Any]
    wait: Callable[[], object]

    def array(self, value: Any) -> la.LazyArray:
        """Return an array that is there."""
        array: la.LazyArray = la.asarray(value)
        return la.persist(array) if is_gpu(self.name) else array

    def seconds(self, expressions: Sequence[la.LazyArray], sizes: Sizes) -> float:
        """Return the least time of an evaluation.

        Parameters
        ----------
        expressions : sequence of LazyArray
            Evaluated together.
        sizes : Sizes
            How long to measure.
        """

        def run() -> None:
            self.compute(*expressions)
            self.wait()

        return _least(run, sizes)


def _least(run: Callable[[], object], sizes: Sizes) -> float:
    """Return the least seconds of some runs, the first ones left out."""
    for _ in range(2):
        begun = time.perf_counter()
        run()
        first = time.perf_counter() - begun
        for thread in threading.enumerate():
            if thread.name in _BACKGROUND:
                thread.join()
        if first > sizes.longest:
            break
    times: list[float] = []
    while sum(times) < sizes.seconds or len(times) < sizes.runs:
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return min(times)


def _powers(first: int, last: int, factor: int) -> Iterator[int]:
    while first <= last:
        yield first
        first *= factor


def _curve(points: Sequence[_Point], overhead: float, sizes: Sizes) -> Curve:
    """Return the curve of times without the overhead of an evaluation.

    Parameters
    ----------
    points : sequence of (float, callable)
        Sizes, ascending, and functions that return the seconds.
    overhead : float
        Seconds of an evaluation of next to nothing.
    sizes : Sizes
        Larger ones are left out once a run takes too long.
    """
    fastest: dict[float, float] = {}
    for _ in range(sizes.rounds):
        for size, measure in points:
            seconds = measure()
            fastest[size] = min(seconds, fastest.get(size, seconds))
            if seconds > sizes.longest:
                break
    return Curve.of(
        (size, max(seconds - overhead, overhead * _NOISE)) for size, seconds in fastest.items()
    )


def _rates(device: _Device, sizes: Sizes) -> DeviceRates:
    """Return the rates of one device."""
    with config(device=device.name):
        small = [device.array(np.zeros(sizes.least + k, np.float32)) + 1 for k in range(5)]
        run, all_steps = (
            min(device.seconds(steps, sizes) for _ in range(sizes.rounds))
            for steps in (small[:1], small)
        )
        launch = max(0.0, all_steps - run) / (len(small) - 1)

        def copy(n: int) -> float:
            return device.seconds([device.array(np.zeros(n, np.float32)) + 1], sizes)

        def times(function: Callable[[int], float], ns: Iterable[int], width: float) -> Curve:
            return _curve([(width * n, partial(function, n)) for n in ns], run, sizes)

        memory = times(copy, _powers(sizes.least, sizes.copied, 4), 8.0)
        arithmetic = dict(_arithmetic(device, sizes, run))
        library = dict(_library(device, sizes, run))
    return DeviceRates(run, min(launch, run), memory, arithmetic, library)


def _arithmetic(device: _Device, sizes: Sizes, run: float) -> Iterator[tuple[str, Curve]]:
    """Yield the curves of one addition of each element, by classes of operations."""
    few = max(1, sizes.iterations // 50)
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        for iterations, body, cost in (
            (sizes.iterations, lambda _, x: x * x - 0.25, 1),
            (few, lambda _, x: la.exp(-x), 20),
        ):
            units = iterations * (2 if cost == 1 else cost + 1)

            def measure(
                n: int, dtype: Any = dtype, count: int = iterations, body: Any = body
            ) -> float:
                x = device.array(np.full(n, 0.25, dtype))
                return device.seconds([la.fori_loop(count, body, x)], sizes)

            points = [
                (float(n), partial(measure, n)) for n in _powers(sizes.least, sizes.computed, 4)
            ]
            curve = _curve(points, run, sizes)
            yield (
                arithmetic_class(dtype, cost),
                Curve.of((n, seconds / units) for n, seconds in curve.points),
            )


def _library(device: _Device, sizes: Sizes, run: float) -> Iterator[tuple[str, Curve]]:
    """Yield the curves of library calls, by function and dtype."""
    rng = np.random.default_rng(0)

    @cache
    def matrix(n: int, dtype: Any) -> la.LazyArray:
        values = rng.random((n, n), np.float32)
        values += values.T + 2 * n * np.eye(n, dtype=np.float32)  # positive definite
        return device.array(values.astype(dtype))

    @cache
    def vector(n: int, dtype: Any) -> la.LazyArray:
        return device.array(rng.standard_normal(n, np.float32).astype(dtype))

    for function, (build, kind) in _CALLS.items():
        if function not in sizes.functions:
            continue
        operand = matrix if kind == "matrix" else vector
        every = sizes.matrices if kind == "matrix" else sizes.vectors
        for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
            name, points = "", []
            for n in every:
                expression = build(operand(n, dtype))
                name, size = library_size(expression._node)
                seconds = device.seconds([expression], sizes)
                points.append((size, max(seconds - run, run * _NOISE)))
                if seconds > sizes.longest:
                    break
            yield name, Curve.of(points)


def _bus(sizes: Sizes, gpu: DeviceRates) -> tuple[Curve, Curve]:
    """Return the times of arrays on their way into the GPU's memory and out of it.

    The way in is what remains of evaluations that begin and end on the host.
    """
    up: dict[int, float] = {}
    down: dict[int, float] = {}
    with config(device=CUDA):
        for _ in range(sizes.rounds):
            for n in _powers(sizes.least, sizes.copied, 4):
                array = la.asarray(np.zeros(n, np.float32))
                whole = _seconds_on_host(array + 1, sizes)
                back = _seconds_on_host(la.persist(array + 1), sizes)
                on_gpu = gpu.run + gpu.memory.at(2 * array.nbytes)
                there = max(whole - on_gpu - back, back / _FASTER)
                down[array.nbytes] = min(back, down.get(array.nbytes, back))
                up[array.nbytes] = min(there, up.get(array.nbytes, there))
                if whole > sizes.longest:
                    break
    return Curve.of(up.items()), Curve.of(down.items())


def _seconds_on_host(expression: la.LazyArray, sizes: Sizes) -> float:
    """Return the least time until the host has a value."""
    return _least(lambda: la.evaluate(expression), sizes)
