"""``numpy.random.mtrand``: the older interface to random numbers under the name of its module."""

from __future__ import annotations

from lazyarr.random import legacy
from lazyarr.random.legacy import RandomState

__all__ = ["RandomState", *legacy.FUNCTIONS]

globals().update(legacy.FUNCTIONS)
