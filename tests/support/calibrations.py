"""Calibrations of machines that do not exist, and their use in a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import lazyarr as la
from lazyarr.compiler.device_choice import forget_placements
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.placement import calibration
from lazyarr.placement.calibration import Calibration, DeviceRates
from lazyarr.placement.curves import Curve
from lazyarr.runtime import gpu_sight
from lazyarr.runtime.cpu_count import default_threads

CLASSES = ("float32", "float64", "float32 function", "float64 function")
#: Library calls of a processor that is quick to begin, and of a GPU that is fast in the end.
PROCESSOR = {
    "matmul float64": [(10, 1e-6), (1000, 2e-2)],
    "linalg.solve float64": [(10, 1e-5), (1000, 1e-2)],
    "sort float64": [(10, 1e-7), (1000, 1e-5)],
}
GPU = {
    "matmul float64": [(10, 1e-5), (1000, 1e-4)],
    "linalg.solve float64": [(10, 1e-3), (1000, 3e-3)],
}


def rates(run: float, copy: float, addition: float, **curves: Any) -> DeviceRates:
    """Return the rates of a device: seconds to begin, GB/s, and seconds of an addition."""
    return DeviceRates(
        run=run,
        launch=run / 4,
        memory=Curve.of([(1000, 1000 / copy / 1e9), (1e9, 1 / copy)]),
        arithmetic={name: Curve.of([(1, addition), (1e6, 1e6 * addition)]) for name in CLASSES},
        library={name: Curve.of(points) for name, points in curves["library"].items()},
    )


def machine(bus: float = 25.0, latency: float = 1e-5, addition: float = 1e-8) -> Calibration:
    """Return a calibration: a slow processor of `addition` seconds, a GPU, GB/s between them."""
    crossing = Curve.of([(1000, latency), (1e10, 10 / bus)])
    return Calibration(
        rates(5e-6, 20.0, addition, library=PROCESSOR),
        rates(2e-5, 3000.0, 1e-12, library=GPU),
        crossing,
        crossing,
        80 << 30,
        "emulated",
    )


@contextmanager
def calibrated(value: Calibration | None, monkeypatch: Any) -> Iterator[None]:
    """Let this machine have a GPU and a calibration, or none, under ``device="auto"``."""
    monkeypatch.setattr(gpu_sight, "_in_sight", ["emulated"])
    settings = la.get_config()
    place = (settings.cache_dir, settings.threads or default_threads(), "emulated")
    monkeypatch.setitem(calibration._known, place, value)
    forget_placements()
    forget_plans()
    with la.config(device="auto"):
        yield
    forget_placements()
    forget_plans()
