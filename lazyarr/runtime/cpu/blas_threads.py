"""Bounding the threads of BLAS, which has its own, while a library step runs.

BLAS's number of threads belongs to the whole process. Evaluations that overlap in time get the
least of what they ask for, and the last one out puts back what was set before the first came in.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from functools import cache
from typing import Any

from lazyarr.core.config import get_config

__all__ = [
    "addresses_of_counters",
    "allowed_threads",
    "describe_libraries",
    "folder_of",
    "limited",
    "numpy_libraries",
    "vector_bytes",
]

_lock = threading.Lock()
_requests: list[int] = []  # the number of threads of each block that is open
_before: list[tuple[Any, int]] = []  # libraries with the number of threads they had


@cache
def _libraries(with_scipy: bool) -> list[Any]:
    """Return the controllers of the BLAS libraries in this process; SciPy may bring its own."""
    from threadpoolctl import ThreadpoolController

    chosen = ThreadpoolController().select(user_api="blas")
    return list(chosen.lib_controllers)


#: Bytes of the vectors of OpenBLAS's kernels, by their names; of those not listed here, 64.
_OPENBLAS = {
    **dict.fromkeys(("Haswell", "Zen", "Excavator", "Steamroller", "Sandybridge"), 32),
    **dict.fromkeys(("Bulldozer", "Piledriver", "Prescott", "Core2", "Nehalem", "Penryn"), 16),
}


def folder_of(library: Any) -> str:
    """Return the name of the folder that a library lies in."""
    # Without pathlib, whose import takes 3 ms.
    return str(library.filepath.replace(os.sep, "/").split("/")[-2])


def numpy_libraries() -> list[Any]:
    """Return the controllers of the BLAS that NumPy calls; of all where it has none of its own."""
    libraries = _libraries("scipy.linalg" in sys.modules)
    # SciPy's has a path of its own; an environment with one for all has none of NumPy's.
    own = [library for library in libraries if "numpy" in folder_of(library)]
    return own or libraries


@cache
def addresses_of_counters() -> tuple[int, ...]:
    """Return the addresses of the functions that return the threads of each BLAS of NumPy's.

    Without arguments they return an int of C. Empty if one of the libraries has none that is known.
    """
    addresses = []
    for library in numpy_libraries():
        counters = [
            getattr(library.dynlib, f"{prefix}openblas_get_num_threads{suffix}", None)
            for prefix in ("", "scipy_")
            for suffix in ("", "64_", "_64")
            if library.internal_api == "openblas"
        ]
        known = [counter for counter in counters if counter is not None]
        if not known:
            return ()
        addresses.append(ctypes.cast(known[0], ctypes.c_void_p).value or 0)
    return tuple(addresses)


@cache
def describe_libraries() -> tuple[str, ...]:
    """Return texts that differ wherever NumPy's BLAS does."""
    fields = ("filepath", "internal_api", "version", "architecture")
    return tuple(
        " ".join(str(getattr(library, field, "")) for field in fields)
        for library in numpy_libraries()
    )


@cache
def vector_bytes() -> int:
    """Return the width in bytes of the vectors of NumPy's BLAS; 64 of an unknown one.

    Examples
    --------
    >>> vector_bytes() in (16, 32, 64)
    True
    """
    libraries = numpy_libraries()
    return max(
        (
            _OPENBLAS.get(each.architecture, 64) if each.internal_api == "openblas" else 64
            for each in libraries
        ),
        default=64,
    )


def allowed_threads() -> int:
    """Return the number of threads for a function of NumPy's: the least of all open blocks.

    Outside of blocks of :class:`limited` it is that of an evaluation.

    Examples
    --------
    >>> with limited(2), limited(1):
    ...     allowed_threads()
    1
    """
    threads = min(_requests, default=0) or get_config().threads
    if not threads:
        from lazyarr.runtime.cpu_count import default_threads  # who imports lazyarr may not need it

        threads = default_threads()
    return threads


class limited:  # noqa: N801 - called as a function is
    """Let BLAS use no more than so many threads inside the block, in the whole process.

    What allows fewer, such as ``OPENBLAS_NUM_THREADS``, is left as it is.

    Parameters
    ----------
    threads : int
        Most threads.

    Examples
    --------
    >>> import numpy as np
    >>> with limited(1):
    ...     float(np.ones((2, 2)).dot(np.ones(2)).sum())
    4.0
    """

    __slots__ = ("_threads",)

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def __enter__(self) -> None:
        threads = self._threads
        libraries = _libraries("scipy.linalg" in sys.modules)
        with _lock:
            if not _requests:
                _before[:] = [(library, library.get_num_threads()) for library in libraries]
            if not _requests or threads < min(_requests):
                for library, number in _before:
                    if number > threads:
                        library.set_num_threads(threads)
            _requests.append(threads)

    def __exit__(self, *error: object) -> None:
        threads = self._threads
        with _lock:
            _requests.remove(threads)
            if not _requests:
                for library, number in _before:
                    if number > threads:
                        library.set_num_threads(number)
            elif threads < min(_requests):
                _apply()


def _apply() -> None:
    """Set the smallest number that open blocks request."""
    for library, number in _before:
        allowed = min([number, *_requests])
        if library.get_num_threads() != allowed:
            library.set_num_threads(allowed)


def _after_fork() -> None:
    # The blocks of other threads are not in the child.
    global _lock
    _lock = threading.Lock()
    _requests.clear()
    _apply()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
