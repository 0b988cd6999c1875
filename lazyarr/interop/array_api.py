"""The Array API's information about the namespace: devices, dtypes and capabilities."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from lazyarr.core.config import CPU, DEVICES
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError

__all__ = ["VERSIONS", "Info", "array_namespace_info", "check_version"]

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")
"""Versions of the standard that the namespace follows, the newest last."""


def check_version(version: str | None) -> None:
    """Raise ArgumentError unless the namespace follows a version of the standard."""
    if version is not None and version not in VERSIONS:
        raise ArgumentError(
            f'Version "{version}" of the Array API Standard is not supported.',
            origin=origin(),
            hint=f"there are {', '.join(VERSIONS)}",
        )


class Info:
    """Answers of ``lazyarr.__array_namespace_info__()`` (Array API 2024.12)."""

    def capabilities(self) -> dict[str, Any]:
        """Return the optional features of the standard, and whether the namespace has them."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Return the default device of new arrays."""
        return CPU

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes that creation functions use."""
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def devices(self) -> list[str]:
        """Return the names of the devices that are available: "cuda" only where there is a GPU."""
        from lazyarr.runtime.gpu_sight import known_gpu  # an import of lazyarr does without it

        driver = sys.modules.get("lazyarr.runtime.cuda.driver")
        has_gpu = bool(known_gpu() or (driver is not None and driver.opened_devices()))
        return list(DEVICES) if has_gpu else [CPU]

    def dtypes(self, *, device: object = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """Return the standard's dtypes, or those of a kind (or tuple of kinds).

        Parameters
        ----------
        device : object
            Ignored: every device has the same dtypes.
        kind : dtype kind or tuple of them, optional
            Such as "real floating", as :func:`numpy.isdtype` takes it; default: all.

        Returns
        -------
        dict of str to numpy.dtype
            By the standard's names.
        """
        names = (
            "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 "
            "complex64 complex128"
        )
        dtypes = {name: np.dtype(name) for name in names.split()}
        if kind is None:
            return dtypes
        return {name: dtype for name, dtype in dtypes.items() if np.isdtype(dtype, kind)}


def array_namespace_info() -> Info:
    """Return the description of this namespace."""
    return Info()
