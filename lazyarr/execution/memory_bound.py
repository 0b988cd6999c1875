"""The memory limit of a run."""

from __future__ import annotations

from lazyarr.core.config import Config
from lazyarr.execution import tuning

__all__ = ["memory_bound"]


def memory_bound(settings: Config, peak: int | None = None) -> int:
    """Return the memory limit of a run in bytes: that of the settings, or of available memory.

    Parameters
    ----------
    settings : Config
        Those in force.
    peak : int, optional
        What the plan takes. If that is little, and the settings have no bound, there is none: 0.
    """
    if settings.max_memory:
        return settings.max_memory
    if peak is not None and peak < tuning.row().noticed_bytes:
        return 0
    from lazyarr.runtime.available_memory import available_bytes  # most plans take little

    return available_bytes() // 100 * tuning.row().available_percent
