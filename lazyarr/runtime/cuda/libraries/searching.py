"""Values looked up in sorted vectors: positions and interpolation, by kernels of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.kernels import searching
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import NAMES
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__: list[str] = []

_OWN = "own kernels"


def _refuse_search(
    out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> str | None:
    if sorter is not None:
        return "sorter= is left to NumPy"
    if a.dtype != v.dtype:
        return f"values of {v.dtype.name} searched in {a.dtype.name}"
    if kind_of(a.dtype) not in "biuf":
        return f"no search in {a.dtype.name} on a GPU"
    return None if a.size else "the array is empty"


@on_device(np.searchsorted, _OWN, _refuse_search, captured=True)
def _searchsorted(
    work: Work, out: Strided, a: Strided, v: Strided, side: str = "left", sorter: Any = None
) -> None:
    vector, values = work.contiguous(a), work.contiguous(v)
    work.launch_blocks(
        searching.search_source(a.dtype, side == "right"),
        _blocks(v.size),
        _blocks(v.size),
        v.size,
        a.size,
        *searching.sampling(a.size),
        vector.address,
        values.address,
        out.address,
    )


def _blocks(total: int) -> int:
    """Return the number of blocks that look up so many values."""
    return min(-(-total // searching.tile()), tuning.row().sort_blocks)


def _refuse_digits(out: Strided, x: Strided, bins: Strided, right: bool = False) -> str | None:
    return _refuse_search(out, bins, x)


@on_device(np.digitize, _OWN, _refuse_digits)
def _digitize(work: Work, out: Strided, x: Strided, bins: Strided, right: bool = False) -> None:
    edges = work.download(bins)
    np.digitize(np.empty(0), edges, right)  # NumPy judges their order
    falls = bool(edges[0] > edges[-1])
    if falls:
        # Between falling edges a value has as many before it as there are larger ones.
        edges = edges[::-1]
    _searchsorted(work, out, work.upload(edges), x, "left" if right else "right")
    if falls:
        work.launch(searching.mirror_source(), out.size, out.size, edges.size, out.address)


def _refuse_interp(
    out: Strided,
    x: Strided,
    xp: Strided,
    fp: Strided,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> str | None:
    if period is not None:
        return "period= is left to NumPy"
    if any(isinstance(side, Strided) for side in (left, right)):
        return "a value beyond the points that is an array"
    for array in (x, xp, fp):
        if array.dtype not in NAMES:
            return f"no interpolation of {array.dtype.name} on a GPU"
    return None


@on_device(np.interp, _OWN, _refuse_interp, captured=True)
def _interp(
    work: Work,
    out: Strided,
    x: Strided,
    xp: Strided,
    fp: Strided,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> None:
    points, heights, values = work.contiguous(xp), work.contiguous(fp), work.contiguous(x)
    work.launch_blocks(
        searching.interpolate_source(xp.dtype, fp.dtype, x.dtype),
        _blocks(x.size),
        _blocks(x.size),
        x.size,
        xp.size,
        *searching.sampling(xp.size),
        left is not None,
        right is not None,
        0.0 if left is None else float(left),
        0.0 if right is None else float(right),
        points.address,
        heights.address,
        values.address,
        out.address,
    )
