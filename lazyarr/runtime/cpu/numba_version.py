"""Numba's version."""

from __future__ import annotations

from errno import ENOMEM

from lazyarr.core.hashing import sha256

__all__ = ["numba_version"]


def numba_version() -> str:
    """Return a text that identifies Numba's version, without the import, which is slow.

    Raises
    ------
    MemoryError
        If the system has no memory to look for it.
    """
    try:
        return _version()
    except OSError as error:
        if error.errno == ENOMEM:
            raise MemoryError("cannot allocate memory to look for Numba") from error
        raise


def _version() -> str:
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("numba")
    if spec is not None and spec.origin is not None:
        version_file = Path(spec.origin).with_name("_version.py")
        if version_file.is_file():
            return sha256(version_file.read_bytes()).hexdigest()
    from importlib.metadata import version  # which takes as long as all of a cached evaluation

    return version("numba")
