"""Looking into expressions: pictures, explanations, timings."""

from __future__ import annotations

from lazyarr.inspect.explaining import explain
from lazyarr.inspect.explanation import Explanation
from lazyarr.inspect.picture import Picture, to_networkx, visualize
from lazyarr.inspect.profiling import Profile, profile

__all__ = [
    "Explanation",
    "Picture",
    "Profile",
    "explain",
    "profile",
    "to_networkx",
    "visualize",
]
