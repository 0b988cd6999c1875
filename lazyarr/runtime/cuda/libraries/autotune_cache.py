"""The algorithm of each product, stored on disk so that all processes of a machine use the same.

Algorithms are taken that gave the bits of the default, for the numbers that they were tried with.
For others their last bits may differ, so what was chosen once stays chosen.
"""

from __future__ import annotations

from lazyarr.core.config import Config
from lazyarr.core.hashing import key_of
from lazyarr.runtime.cuda.libraries.cublaslt import Problem
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.disk_cache import Entry, open_cache

__all__ = ["load_choice", "store_choice"]


def _key(libraries: Libraries, problem: Problem) -> str:
    """Return the key of a choice, which is of a GPU, its driver, the library and the product."""
    version = libraries.module("cublasLt").get_version()
    identity = libraries.queue.device.identity
    return key_of(("product", identity, f"cuBLASLt {version}", repr(problem)))


def load_choice(libraries: Libraries, settings: Config, problem: Problem) -> bytes | None:
    """Return the algorithm chosen for a product; None if there is none yet, b"" for the default.

    Parameters
    ----------
    libraries : Libraries
        Those of the stream.
    settings : Config
        Its ``cache_dir`` has the choices.
    problem : Problem
        The product.
    """
    disk = open_cache(settings.cache_dir)
    entry = None if disk is None else disk.load(_key(libraries, problem))
    return None if entry is None else entry.object_code


def store_choice(
    libraries: Libraries, settings: Config, problem: Problem, algorithm: bytes
) -> None:
    """Store the algorithm chosen for a product on disk.

    Parameters
    ----------
    libraries : Libraries
        Those of the stream.
    settings : Config
        Its ``cache_dir`` has the choices.
    problem : Problem
        The product.
    algorithm : bytes
        As :meth:`Matmuls.algorithm` gives it; b"" for the default.
    """
    disk = open_cache(settings.cache_dir)
    if disk is not None:
        disk.store(_key(libraries, problem), Entry("product", algorithm))
