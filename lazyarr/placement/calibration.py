"""The calibration of a machine: measurements of its CPU, its GPU and the bus.

A file of it lies beside the compiled kernels (:mod:`lazyarr.runtime.disk_cache`: complete or not
there, this user's, with a digest of all that it holds), named by the format, the processor, the
GPU and the number of threads. Whatever is no calibration is none: the machine is measured again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from lazyarr.core.frozen import dataclass
from lazyarr.core.hashing import key_of
from lazyarr.placement.curves import Curve
from lazyarr.runtime import gpu_sight
from lazyarr.runtime.cpu.host_target import describe_processor
from lazyarr.runtime.disk_cache import DiskCache, Entry, open_cache
from lazyarr.runtime.gpu_sight import known_gpu

__all__ = ["Calibration", "DeviceRates", "forget", "load", "remove", "store"]

_FORMAT = "lazyarr-calibration-1"
_FOLDER = "calibration"
#: Calibrations that this process has asked for or stored; None: there is none.
_known: dict[tuple[str, int, str], Calibration | None] = {}


@dataclass(frozen=True, eq=False, slots=True)
class DeviceRates:
    """The measured rates of one device.

    Attributes
    ----------
    run : float
        Seconds of an evaluation of next to nothing, with its data there.
    launch : float
        Seconds that each further step of a plan adds.
    memory : Curve
        Seconds over the bytes that a kernel reads and writes.
    arithmetic : mapping of str to Curve
        Seconds of one addition of each element over the number of elements, by the class of
        :func:`lazyarr.placement.work.arithmetic_class`.
    library : mapping of str to Curve
        Seconds over the sizes of library calls, by function and dtype.
    """

    run: float
    launch: float
    memory: Curve
    arithmetic: Mapping[str, Curve]
    library: Mapping[str, Curve]


@dataclass(frozen=True, eq=False, slots=True)
class Calibration:
    """The measured rates of a machine.

    Attributes
    ----------
    processor, gpu : DeviceRates
        Its devices.
    upload, download : Curve
        Seconds over the bytes of an array that crosses the bus, into the GPU's memory or out of it.
    gpu_bytes : int
        Of the GPU's memory.
    gpu_name : str
        As the driver has it.
    """

    processor: DeviceRates
    gpu: DeviceRates
    upload: Curve
    download: Curve
    gpu_bytes: int
    gpu_name: str

    def to_bytes(self) -> bytes:
        """Return the calibration as it is kept."""
        import json  # a machine without a GPU needs none

        fields = {
            "processor": _fields(self.processor),
            "gpu": _fields(self.gpu),
            "upload": self.upload.points,
            "download": self.download.points,
            "gpu_bytes": self.gpu_bytes,
            "gpu_name": self.gpu_name,
        }
        return json.dumps(fields).encode()

    def summary(self) -> dict[str, str]:
        """Return the main figures as texts, by the measured quantity."""
        rows = {"GPU": f"{self.gpu_name}, {self.gpu_bytes / 1e9:.0f} GB"}
        for name, rates in (("CPU", self.processor), ("GPU", self.gpu)):
            rows[f"{name}: next to nothing"] = f"{rates.run * 1e6:.1f} µs"
            rows[f"{name}: each further step"] = f"{rates.launch * 1e6:.1f} µs"
            rows[f"{name}: copies"] = _rate(rates.memory)
            for kind, curve in sorted(rates.arithmetic.items()):
                elements, seconds = curve.points[-1]
                rows[f"{name}: additions, {kind}"] = f"{elements / seconds / 1e9:.1f} G/s"
        rows["to the GPU"], rows["to the host"] = _rate(self.upload), _rate(self.download)
        return rows

    @classmethod
    def from_bytes(cls, content: bytes) -> Calibration | None:
        """Return a calibration as it was kept; None if it is none."""
        import json

        try:
            fields: Any = json.loads(content)
            return cls(
                _rates(fields["processor"]),
                _rates(fields["gpu"]),
                Curve.of(fields["upload"]),
                Curve.of(fields["download"]),
                int(fields["gpu_bytes"]),
                str(fields["gpu_name"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None


def _rate(curve: Curve) -> str:
    nbytes, seconds = curve.points[-1]
    return f"{nbytes / seconds / 1e9:.1f} GB/s, at least {curve.points[0][1] * 1e6:.1f} µs"


def _fields(rates: DeviceRates) -> dict[str, Any]:
    return {
        "run": rates.run,
        "launch": rates.launch,
        "memory": rates.memory.points,
        "arithmetic": {name: curve.points for name, curve in rates.arithmetic.items()},
        "library": {name: curve.points for name, curve in rates.library.items()},
    }


def _rates(fields: Any) -> DeviceRates:
    run, launch = float(fields["run"]), float(fields["launch"])
    if not (0 <= run < float("inf") and 0 <= launch < float("inf")):
        raise ValueError(f"seconds must be non-negative numbers, got {run} and {launch}")
    return DeviceRates(
        run,
        launch,
        Curve.of(fields["memory"]),
        {str(name): Curve.of(points) for name, points in fields["arithmetic"].items()},
        {str(name): Curve.of(points) for name, points in fields["library"].items()},
    )


def _folder(cache_dir: str) -> DiskCache | None:
    return open_cache(cache_dir, _FOLDER)


def _key(gpu: str, threads: int) -> str:
    return key_of([_FORMAT, gpu, str(threads), *describe_processor()])


def load(cache_dir: str, threads: int) -> Calibration | None:
    """Return the calibration of this machine; None if there is none, or no GPU.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    threads : int
        Of one evaluation on the processor.
    """
    gpu = known_gpu()
    if not gpu:
        return None
    place = (cache_dir, threads, gpu)
    if place not in _known:
        folder = _folder(cache_dir)
        # A folder is made for the first calibration, not by asking.
        is_there = folder is not None and folder.is_there
        entry = folder.load(_key(gpu, threads)) if folder is not None and is_there else None
        _known[place] = None if entry is None else Calibration.from_bytes(entry.object_code)
    return _known[place]


def store(cache_dir: str, threads: int, calibration: Calibration) -> None:
    """Keep a calibration, for this process and on disk.

    Parameters
    ----------
    cache_dir : str
        The setting of that name; "off": for this process alone.
    threads : int
        Of one evaluation on the processor.
    calibration : Calibration
        What was measured.
    """
    gpu = known_gpu()
    _known[cache_dir, threads, gpu] = calibration
    folder = _folder(cache_dir)
    if folder is not None:
        folder.store(_key(gpu, threads), Entry("calibration", calibration.to_bytes()))


def remove(cache_dir: str) -> None:
    """Remove all calibrations of a folder, and those in memory.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    """
    forget()
    folder = _folder(cache_dir)
    if folder is not None:
        folder.clear()


def forget() -> None:
    """Drop the calibration of this process; files stay."""
    _known.clear()
    gpu_sight.forget()


def _in_child() -> None:
    """Do without the GPU in the child of a process that has opened it: CUDA cannot be used."""
    if "lazyarr.runtime.cuda.driver" in sys.modules:
        _known.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
