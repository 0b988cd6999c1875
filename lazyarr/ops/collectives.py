"""Collective operations: what several devices compute of values that each has its own of."""

from __future__ import annotations

from lazyarr.core.device_group import averaged
from lazyarr.ops.library import library_op

__all__ = ["ALL_MEAN"]

#: The mean over the devices of a group.
ALL_MEAN = library_op("all_mean", averaged)
