"""Folders of compiled code: each measurement begins with empty ones."""

from __future__ import annotations

from pathlib import Path

__all__ = ["cache_variables"]


def cache_variables(folder: str) -> dict[str, str]:
    """Return variables with which libraries store compiled code in a folder.

    Parameters
    ----------
    folder : str
        That exists; each library has a folder in it.
    """
    names = ("LAZYARR_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "NUMBA_CACHE_DIR")
    return {name: str(Path(folder, name.partition("_")[0].lower())) for name in names}
