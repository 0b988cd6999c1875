"""Functions that are called in the place of NumPy's, with the same results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.counted_bins import histogram
from lazyarr.arrays.packed_order import (
    intersect1d,
    isin,
    lexsort,
    setdiff1d,
    setxor1d,
    union1d,
    unique,
)

__all__ = ["REPLACEMENTS"]

#: By NumPy's function of the same name.
REPLACEMENTS: dict[Callable[..., Any], Callable[..., Any]] = {
    getattr(np, function.__name__): function
    for function in (
        histogram,
        intersect1d,
        isin,
        lexsort,
        setdiff1d,
        setxor1d,
        union1d,
        unique,
    )
}
